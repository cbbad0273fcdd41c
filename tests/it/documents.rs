//! Documents from every source, in every state.

use serde_json::json;

use crate::support::{Answer, Bridge, DocumentFile, Upstream, run, spec};

fn failure(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_broken_document_says_where_and_what() {
    let cases = [
        (
            "<!doctype html><html><body>Not found</body></html>",
            ".yaml",
            "html",
        ),
        ("{\"openapi\": \"3.0.0\", \"paths\": {", ".json", ":1:"),
        ("openapi: 3.0.0\npaths:\n\t- x", ".yaml", ":3:"),
        ("", ".yaml", "empty"),
        ("{\"hello\": \"world\"}", ".json", "openapi"),
        ("[1,2,3]", ".json", "openapi"),
        ("openapi: 4.0.0\npaths: {}", ".yaml", "4.0.0"),
    ];
    for (text, ending, expected) in cases {
        let file = DocumentFile::new(text, ending);
        let path = file.path().display().to_string();
        let error = failure(&["tools", &path]).to_lowercase();
        assert!(
            error.contains(expected),
            "{text:?}: no {expected} in {error}"
        );
        assert!(
            error.contains(&path.to_lowercase()),
            "the file is named: {error}"
        );
    }
    assert!(failure(&["tools", "/nowhere/at/all.yaml"]).contains("/nowhere/at/all.yaml"));
}

#[tokio::test]
async fn json_with_a_byte_order_mark_and_yaml_with_anchors_load() {
    let json = "\u{feff}{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"t\",\"version\":\"1\"},\"servers\":[{\"url\":\"http://127.0.0.1:9\"}],\"paths\":{\"/x\":{\"get\":{\"operationId\":\"x\"}}}}";
    let yaml = "openapi: 3.0.1
info: {title: t, version: 1}
servers: [{url: 'http://127.0.0.1:9'}]
x-common: &common
  responses:
    200: {description: ok}
paths:
  /y:
    get:
      <<: *common
      operationId: y
";
    for (text, ending, name) in [(json, ".json", "x"), (yaml, ".yaml", "y")] {
        let file = DocumentFile::new(text, ending);
        let output = run(&["tools", &file.path().display().to_string()]);
        let listed = String::from_utf8(output.stdout).unwrap();
        assert!(
            listed.starts_with(name),
            "{listed} {:?}",
            String::from_utf8(output.stderr)
        );
    }
}

// The documents are served while this thread waits for the bridge.
#[tokio::test(flavor = "multi_thread")]
async fn servers_apply_from_the_nearest_and_relative_ones_against_the_documents_url() {
    let api = Upstream::ok().await;
    let text = format!(
        r#"{{"openapi":"3.0.3","info":{{"title":"t","version":"1"}},"servers":[{{"url":"../v2/"}}],"paths":{{
            "/doc":{{"get":{{"operationId":"doc"}}}},
            "/own":{{"get":{{"operationId":"own","servers":[{{"url":"{}/{{stage}}","variables":{{"stage":{{"default":"beta"}}}}}}]}}}}}}}}"#,
        api.url()
    );
    let host = Upstream::start(move |seen| match seen.target.as_str() {
        "/docs/openapi.json" => Answer::json(&text),
        _ => Answer::json("{}"),
    })
    .await;
    let url = format!("{}/docs/openapi.json", host.url());
    let bridge = Bridge::start([&url]);
    bridge.call("doc", json!({})).await;
    bridge.call("own", json!({})).await;
    assert_eq!(host.seen().last().unwrap().target, "/v2/doc");
    assert_eq!(api.only().target, "/beta/own");

    let bridge = Bridge::start([url.as_str(), "--base-url", &format!("{}/all", api.url())]);
    api.forget();
    bridge.call("doc", json!({})).await;
    bridge.call("own", json!({})).await;
    let targets = api.targets();
    assert_eq!(targets, ["/all/doc", "/all/own"], "--base-url wins");
}

#[tokio::test]
async fn a_document_url_that_fails_is_named_without_its_secrets() {
    let host = Upstream::start(|_| Answer::new(500, "text/html", "<html>oops</html>")).await;
    let url = format!("{}/openapi.json?key=hunter2", host.url());
    let error = tokio::task::spawn_blocking(move || failure(&["tools", &url]))
        .await
        .unwrap();
    assert!(
        error.contains("500") && error.contains("/openapi.json"),
        "{error}"
    );
    assert!(!error.contains("hunter2"), "{error}");
}

#[test]
fn one_bad_document_does_not_stop_the_others() {
    let bad = DocumentFile::new("{", ".json");
    let good = spec("petstore.yaml").display().to_string();
    let output = run(&["tools", &bad.path().display().to_string(), &good]);
    // What there is is printed; that it is not everything can be told by the exit code.
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("getPet"));
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(log.contains(&bad.path().display().to_string()), "{log}");
}

#[test]
fn listing_says_what_is_wrong_and_nothing_else() {
    let good = DocumentFile::new(
        "openapi: 3.0.3
info: {title: t, version: '1'}
servers: [{url: 'http://127.0.0.1:9'}]
paths:
  /x: {get: {operationId: x, deprecated: true}}
  /y: {get: {operationId: y, x-mcp: false}}
",
        ".yaml",
    );
    let output = run(&["tools", &good.path().display().to_string()]);
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(!log.contains("INFO"), "{log}");
    assert!(log.contains("1 operation was skipped"), "{log}");
    let error = failure(&["tools", "/nowhere/at/all.yaml"]);
    assert_eq!(error.matches("os error").count(), 1, "{error}");
}

#[test]
fn what_is_no_tool_is_told_with_its_reason() {
    let nowhere = DocumentFile::new(
        "openapi: 3.0.3
info: {title: t, version: '1'}
paths:
  /x: {get: {operationId: x}}
  /y: {get: {operationId: y, servers: [{url: 'http://127.0.0.1:9'}]}}
  /z: {get: {operationId: z, servers: [{url: 'http://127.0.0.1:9'}]}}
",
        ".yaml",
    );
    let path = nowhere.path().display().to_string();
    let error = failure(&["call", &path, "x"]);
    assert!(
        error.contains("x (GET /x) is no tool") && error.contains("--base-url"),
        "{error}"
    );
    assert!(failure(&["call", &path, "w"]).contains("unknown tool `w`"));
    let log = |arguments: &[&str]| String::from_utf8(run(arguments).stderr).unwrap();
    let some = log(&["tools", &path]);
    assert!(
        some.contains("GET /x is no tool: the document names no absolute server URL"),
        "{some}"
    );
    let settings = DocumentFile::new("tools: {include: [{tags: [misspelt]}]}\n", ".yaml");
    let settings = settings.path().display().to_string();
    let none = log(&["tools", &path, "--config", &settings]);
    assert!(
        none.contains("there are no tools: 3 operations were skipped: no include rule matches it"),
        "{none}"
    );
}

#[test]
fn a_file_may_have_an_equals_sign_in_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop=v1.yaml");
    std::fs::copy(spec("petstore.yaml"), &path).unwrap();
    // Without a folder before it the name looks like a prefix and a place.
    let output = crate::support::run_below(folder.path(), &["tools", "shop=v1.yaml"]);
    assert!(output.status.success(), "{output:?}");
    let listed = String::from_utf8(output.stdout).unwrap();
    assert!(
        listed.contains("getPet") && !listed.contains("shop_getPet"),
        "{listed}"
    );
}

#[test]
fn a_second_reader_finds_the_same_operations_in_the_shipped_documents() {
    // openapiv3 knows 3.0 only; the pet store uses nothing of 3.1 outside its schemas.
    let text = std::fs::read_to_string(spec("petstore.yaml")).unwrap();
    let mut value: serde_json::Value = serde_yaml::from_str(&text).unwrap();
    value["openapi"] = "3.0.3".into();
    value["components"]["schemas"] = json!({});
    let document: openapiv3::OpenAPI = serde_json::from_value(value).unwrap();
    let expected: Vec<String> = document
        .operations()
        .map(|(path, method, operation)| {
            format!(
                "{} {} {path}",
                operation.operation_id.clone().unwrap(),
                method.to_uppercase()
            )
        })
        .collect();
    let output = run(&["tools", &spec("petstore.yaml").display().to_string()]);
    let listed = String::from_utf8(output.stdout).unwrap();
    let found: Vec<String> = listed
        .lines()
        .map(|line| {
            line.split_whitespace()
                .take(3)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    assert_eq!(sorted(found), sorted(expected));
}

fn sorted(mut list: Vec<String>) -> Vec<String> {
    list.sort();
    list
}

/// What a note, warning or error says of a reference is what an author would write.
#[test]
fn references_into_other_files_are_told_as_they_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let main = "openapi: 3.1.0
info: {title: t, version: '1'}
servers: [{url: 'http://127.0.0.1:9'}]
paths:
  /x: {post: {operationId: x, requestBody: {content: {application/json: {schema: {$ref: 'parts/other.yaml#/x'}}}}}}
  /loop: {post: {operationId: loop, requestBody: {content: {application/json: {schema: {$ref: 'parts/other.yaml#/loop'}}}}}}
  /shut: {post: {operationId: shut, requestBody: {content: {application/json: {schema: {$ref: 'parts/other.yaml#/shut'}}}}}}
  /item: {$ref: 'parts/other.yaml#/item'}
";
    let other = "x: {type: object, properties: {gone: {$ref: '#/nowhere'}, word: {$ref: '#/word'}, again: {$ref: '#/word'}}}
word: {type: string, description: a word, pattern: '^a\\Z'}
loop: {type: object, properties: {loop: {$ref: '#/round'}}}
round: {allOf: [{$ref: '#/round'}]}
shut: {allOf: [{type: object, properties: {a: {type: string}}, additionalProperties: false}, {type: object, properties: {b: {type: string}}, additionalProperties: false}]}
item: {get: {parameters: [{$ref: '#/lost'}]}}
";
    std::fs::create_dir(folder.path().join("parts")).unwrap();
    std::fs::write(folder.path().join("api.yaml"), main).unwrap();
    std::fs::write(folder.path().join("parts/other.yaml"), other).unwrap();
    let path = folder.path().join("api.yaml").display().to_string();
    for words in [&["check", &path][..], &["tools", "--why", &path]] {
        let output = run(words);
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        let text = text.concat();
        assert!(!text.contains("x-external"), "{text}");
        let mut expected = vec!["\"parts/other.yaml#/lost\""];
        if words[0] == "check" {
            expected.extend([
                "\"parts/other.yaml#/nowhere\"",
                "`parts/other.yaml#/word`: the pattern",
                "`parts/other.yaml#/round` is defined by itself",
                "`parts/other.yaml#/shut` has parts",
            ]);
        }
        for expected in expected {
            assert!(text.contains(expected), "no {expected} in {text}");
        }
    }
}
