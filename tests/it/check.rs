//! `check`, `tools --diff` and overlays through the real binary: reports, places and exit codes.

use std::io::Write;
use std::process::Output;

use serde_json::Value;

use crate::support::{Answer, DocumentFile, Upstream, document, run, run_with_input, spec};

const GOOD: &str = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\nservers: [{url: 'https://x.test'}]\npaths:\n  /a:\n    get:\n      operationId: a\n      summary: s\n      responses: {'204': {description: d}}\n";

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn path(file: &DocumentFile) -> String {
    file.path().display().to_string()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// `rule line:column pointer` of each finding.
fn findings(report: &Value) -> Vec<String> {
    let documents = report["documents"].as_array().unwrap();
    let all = documents
        .iter()
        .flat_map(|one| one["findings"].as_array().unwrap());
    all.map(|one| {
        format!(
            "{} {}:{} {}",
            one["rule"].as_str().unwrap(),
            one["line"],
            one["column"],
            one["pointer"].as_str().unwrap()
        )
    })
    .collect()
}

#[test]
fn exit_codes_say_what_was_found() {
    let good = DocumentFile::new(GOOD, ".yaml");
    let warned = DocumentFile::new(&GOOD.replace("      summary: s\n", ""), ".yaml");
    let broken = DocumentFile::new("openapi: 3.0.3\npaths: {\n", ".yaml");
    let (good, warned, broken) = (path(&good), path(&warned), path(&broken));
    let awkward = spec("awkward.yaml").display().to_string();
    let table: [(&[&str], i32); 9] = [
        (&[&good], 0),
        (&[&good, "--deny", "warnings"], 0),
        (&[&warned], 0),
        (&[&warned, "--deny", "warnings"], 1),
        (&[&awkward], 1),
        (&[&broken], 1),
        (&["/nowhere/at/all.yaml"], 1),
        (&[], 2),
        (&[&good, "--format", "xml"], 2),
    ];
    for (arguments, code) in table {
        let words: Vec<&str> = std::iter::once("check")
            .chain(arguments.iter().copied())
            .collect();
        let output = run(&words);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{words:?}: {}",
            stderr(&output)
        );
    }
    let text = stdout(&run(&["check", &good]));
    assert_eq!(text, "0 errors, 0 warnings, 0 notes in 1 document\n");
}

#[test]
fn a_document_that_cannot_be_loaded_is_a_finding_with_its_place() {
    let broken = DocumentFile::new("{\"openapi\": \"3.0.3\",\n \"paths\" {}}", ".json");
    let good = DocumentFile::new(GOOD, ".yaml");
    let output = run(&["check", &path(&broken), &path(&good), "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let report = json(&output);
    assert_eq!(findings(&report), ["document 2:10 "]);
    let message = report["documents"][0]["findings"][0]["message"]
        .as_str()
        .unwrap();
    assert!(message.starts_with("not valid JSON"), "{message}");
    assert_eq!(report["errors"].to_string(), "1");
}

#[test]
fn json_documents_have_lines_and_repeated_keys() {
    let text = "{\n  \"openapi\": \"3.1.0\",\n  \"info\": {\"title\": \"t\", \"version\": \"1\"},\n  \"servers\": [{\"url\": \"https://x.test\"}],\n  \"paths\": {\"/a\": {\"get\": {\n    \"operationId\": \"a\", \"operationId\": \"b\",\n    \"responses\": {\"204\": {\"description\": \"d\"}}}}}\n}\n";
    let expected = [
        "operation-without-text 5:20 /paths/~1a/get",
        "duplicate-key 6:25 /paths/~1a/get/operationId",
    ];
    let file = DocumentFile::new(text, ".json");
    let output = run(&["check", &path(&file), "--format", "json"]);
    assert_eq!(findings(&json(&output)), expected);
    let output = run_with_input(&["check", "-", "--format", "json"], text);
    assert_eq!(findings(&json(&output)), expected, "from stdin");
}

#[tokio::test]
async fn a_document_from_a_url_has_lines_too() {
    let upstream = Upstream::start(|_| {
        Answer::new(
            200,
            "application/yaml",
            GOOD.replace("      summary: s\n", ""),
        )
    })
    .await;
    let url = format!("{}/api.yaml", upstream.url().trim_end_matches('/'));
    let output = tokio::task::spawn_blocking(move || run(&["check", &url, "--format", "sarif"]))
        .await
        .unwrap();
    let log = json(&output);
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "operation-without-text");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"].to_string(), "6");
    assert!(
        place["artifactLocation"]["uri"]
            .as_str()
            .unwrap()
            .ends_with("/api.yaml")
    );
}

#[test]
fn sarif_has_what_its_schema_requires() {
    let awkward = spec("awkward.yaml").display().to_string();
    let log = json(&run(&["check", &awkward, "--format", "sarif"]));
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert!(results.len() > 10);
    for result in results {
        let index: usize = result["ruleIndex"].to_string().parse().unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let location = &result["locations"][0];
        let region = &location["physicalLocation"]["region"];
        for member in ["startLine", "startColumn"] {
            assert!(
                region[member].to_string().parse::<u32>().unwrap() > 0,
                "{result}"
            );
        }
        let uri = location["physicalLocation"]["artifactLocation"]["uri"]
            .as_str()
            .unwrap();
        assert!(uri.starts_with("file:///"), "{uri}");
    }
}

#[test]
fn findings_in_other_files_are_placed_there() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let mut file = std::fs::File::create(folder.path().join(name)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    };
    write(
        "common.yaml",
        "S:\n  type: object\n  properties:\n    a:\n      type: strange\n",
    );
    let main = GOOD.replace(
        "{'204': {description: d}}",
        "{'200': {description: d, content: {application/json: {schema: {$ref: 'common.yaml#/S'}}}}}",
    );
    write("main.yaml", &main);
    let document = folder.path().join("main.yaml").display().to_string();
    let report = json(&run(&["check", &document, "--format", "json"]));
    assert_eq!(findings(&report), ["invalid-type 5:7 /S/properties/a/type"]);
    let file = report["documents"][0]["findings"][0]["file"]
        .as_str()
        .unwrap();
    assert!(file.ends_with("common.yaml"), "{file}");
}

#[test]
fn a_document_that_makes_no_tools_is_no_good_one() {
    let empty = DocumentFile::new("openapi: 3.0.3\n", ".yaml");
    let output = run(&["check", &path(&empty)]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("[no-operations]"), "{text}");
    assert!(text.ends_with("0 errors, 1 warning, 0 notes in 1 document\n"));
    let nowhere = GOOD.replace("servers: [{url: 'https://x.test'}]\n", "");
    let nowhere = DocumentFile::new(&nowhere, ".yaml");
    let nowhere = path(&nowhere);
    let output = run(&["check", &nowhere]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stdout(&output).contains("[operation-without-server]"));
    let output = run(&["check", &nowhere, "--base-url", "http://127.0.0.1:9"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(
        stdout(&output),
        "0 errors, 0 warnings, 0 notes in 1 document\n"
    );
}

#[test]
fn what_concerns_no_document_stands_apart() {
    let good = DocumentFile::new(GOOD, ".yaml");
    let config = DocumentFile::new("tools: {operations: {nobody: {title: T}}}\n", ".yaml");
    let (good, config) = (path(&good), path(&config));
    let text = stdout(&run(&["check", &good, "--config", &config]));
    assert!(text.starts_with("configuration\n"), "{text}");
    assert!(text.contains("`nobody` fits no operation"), "{text}");
    assert!(
        text.ends_with("0 errors, 1 warning, 0 notes in 1 document\n"),
        "{text}"
    );
    let log = json(&run(&[
        "check", &good, "--config", &config, "--format", "sarif",
    ]));
    assert_eq!(
        log["runs"][0]["results"][0]["locations"],
        serde_json::json!([])
    );
}

#[test]
fn overlays_change_documents_before_they_are_read() {
    let main = DocumentFile::new(GOOD, ".yaml");
    let overlay = DocumentFile::new(
        "overlay: 1.0.0\ninfo: {title: o, version: '1'}\nactions:\n- target: $.paths['/a'].get\n  update: {operationId: changed}\n- target: $.paths['/b']\n  remove: true\n",
        ".yaml",
    );
    let (main_path, overlay_path) = (path(&main), path(&overlay));
    let output = run(&["tools", &main_path, "--overlay", &overlay_path]);
    assert!(
        stdout(&output).starts_with("changed  GET /a"),
        "{}",
        stderr(&output)
    );

    let config = DocumentFile::new(
        &format!("documents: [{{source: '{main_path}', overlays: ['{overlay_path}']}}]\n"),
        ".yaml",
    );
    let output = run(&["tools", "--config", &path(&config)]);
    assert!(
        stdout(&output).starts_with("changed  GET /a"),
        "{}",
        stderr(&output)
    );
    let output = run(&["config", "--config", &path(&config)]);
    assert!(
        stdout(&output).contains(&overlay_path),
        "{}",
        stdout(&output)
    );

    let report = json(&run(&[
        "check",
        &main_path,
        "--overlay",
        &overlay_path,
        "--format",
        "json",
    ]));
    assert_eq!(
        findings(&report),
        ["overlay-no-target 6:3 /actions/1/target"]
    );
    assert_eq!(
        report["documents"][0]["findings"][0]["file"],
        overlay_path.as_str()
    );
}

#[test]
fn a_bad_overlay_is_named_with_its_action() {
    let main = DocumentFile::new(GOOD, ".yaml");
    let bad = DocumentFile::new(
        "overlay: 1.0.0\nactions: [{target: 'paths', remove: true}]\n",
        ".yaml",
    );
    let elsewhere = DocumentFile::new(
        "overlay: 1.0.0\nextends: other.yaml\nactions: [{target: $.info, update: {x-a: 1}}]\n",
        ".yaml",
    );
    let (main, bad, elsewhere) = (path(&main), path(&bad), path(&elsewhere));
    let output = run(&["tools", &main, "--overlay", &bad]);
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.contains(&bad) && text.contains("actions[0]"), "{text}");
    let unreadable = DocumentFile::new("overlay: 1.0.0\nactions: [\n", ".yaml");
    let unreadable = path(&unreadable);
    let words = ["check", &main, "--overlay", &unreadable, "--format", "json"];
    let report = json(&run(&words));
    assert_eq!(findings(&report), ["document null:null "]);
    let message = report["documents"][0]["findings"][0]["message"].as_str();
    assert!(message.unwrap().starts_with(&unreadable), "{report}");
    let report = json(&run(&[
        "check",
        &main,
        "--overlay",
        &elsewhere,
        "--format",
        "json",
    ]));
    assert_eq!(findings(&report), ["overlay-extends 2:1 /extends"]);
    let output = run(&["tools", &main, "--overlay", "-"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn diff_marks_what_breaks_and_fails_only_when_told() {
    let get = |schema: &str| {
        format!(
            "  /a:\n    get:\n      operationId: a\n      summary: s\n      parameters: [{{name: q, in: query, schema: {schema}}}]\n      responses: {{}}\n"
        )
    };
    let (old, new) = (
        document(&get("{type: string}"), ""),
        document(&get("{type: integer}"), ""),
    );
    let (old, new) = (path(&old), path(&new));
    let output = run(&["tools", "--diff", &old, &new]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("breaking  type of `q` is integer instead of string"));
    assert!(stdout(&output).ends_with("1 change, 1 breaking\n"));
    let output = run(&[
        "tools", "--diff", &old, &new, "--json", "--deny", "breaking",
    ]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(json(&output)["changes"][0]["kind"], "type-changed");
    let same = run(&["tools", "--diff", &old, &old, "--deny", "breaking"]);
    assert_eq!(same.status.code(), Some(0));
    assert_eq!(stdout(&same), "0 changes, 0 breaking\n");
    for wrong in [
        &["tools", "--diff", &old][..],
        &["tools", &old, "--deny", "breaking"],
    ] {
        assert_eq!(run(wrong).status.code(), Some(2), "{wrong:?}");
    }
}
