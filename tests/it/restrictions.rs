//! Rules and extensions that restrict: what cannot be read restricts, and what restricts nothing is told.

use std::process::Output;

use serde_json::{Value, json};

use crate::support::{DocumentFile, Upstream, configured, document, run};

const GOOD: &str = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\nservers: [{url: 'https://x.test'}]\npaths:\n  /a:\n    get:\n      operationId: a\n      summary: s\n      responses: {'204': {description: d}}\n";

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn rules_and_extensions_that_restrict_nothing_are_warnings() {
    let document = GOOD.replace(
        "      summary: s\n",
        "      summary: s\n      x-mcp: {confrm: true, confirm: maybe}\n",
    );
    let document = DocumentFile::new(&document, ".yaml");
    let config = DocumentFile::new(
        "confirm: {rules: [{operations: [removePet]}]}\ntools: {exclude: [{paths: [/pet]}], operations: {removePet: {exclude: true}}}\n",
        ".yaml",
    );
    let (document, config) = (
        document.path().display().to_string(),
        config.path().display().to_string(),
    );
    let arguments = [&document, "--config", config.as_str()];
    let output = run(&[&["check", "--format", "json"], &arguments[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["warnings"], 5, "{report}");
    for (group, pointer, rule, expected) in [
        (0, "/paths/~1a/get", "invalid-extension", 2),
        (1, "", "rule-without-effect", 3),
    ] {
        let findings = report["documents"][group]["findings"].as_array().unwrap();
        let mut told = findings.iter().map(|one| (&one["rule"], &one["pointer"]));
        assert!(
            told.all(|one| one == (&json!(rule), &json!(pointer))),
            "{report}"
        );
        assert_eq!(findings.len(), expected, "{report}");
    }
    // The others tell of them, too.
    let lines = [
        "did you mean `confirm`?",
        "`confirm` cannot be read and counts as true",
        "confirm.rules[0] fits no operation: no operationId fits `removePet`",
        "tools.exclude[0] fits no operation: no path fits `/pet`",
        "tools.operations: `removePet` fits no operation",
    ];
    let listed = run(&[&["tools"], &arguments[..]].concat());
    let reasons = run(&[&["tools", "--why"], &arguments[..]].concat());
    for line in lines {
        assert!(stderr(&listed).contains(line), "{line}: {listed:?}");
        assert!(stdout(&reasons).contains(line), "{line}: {reasons:?}");
    }
    let config = DocumentFile::new("confirm: {rules: [{methods: [FETCH]}]}", ".yaml");
    let output = run(&[
        "check",
        &document,
        "--config",
        &config.path().display().to_string(),
    ]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(
        stderr(&output).contains("confirm.rules[0].methods: `FETCH`"),
        "{output:?}"
    );
}

#[tokio::test]
async fn an_unreadable_mark_asks_and_a_rule_without_effect_is_told() {
    let upstream = Upstream::ok().await;
    let paths = "
  /x: {delete: {operationId: x, x-mcp: {confirm: maybe}, responses: {default: {description: any}}}}
";
    let settings = "confirm: {fallback: deny, rules: [{operations: [removeX]}]}";
    let bridge = configured(&document(paths, ""), &upstream.url(), settings);
    let result = bridge.call("x", json!({})).await;
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(upstream.arrived(), 0);
    let log = bridge.logged("no operationId fits `removeX`").await;
    assert!(log.contains("WARN"), "{log}");
    assert!(
        log.contains("DELETE /x: x-mcp: `confirm` cannot be read and counts as true"),
        "{log}"
    );
}
