//! Documents made to hurt, through the real binary: it ends with an answer or a clear message, in
//! bounded memory, and what it serves can be used.

use std::io::Write as _;

use serde_json::{Map, Value, json};

use crate::support::{Bridge, DocumentFile, run, tool};

pub(super) fn document(paths: &Value, schemas: &Value) -> DocumentFile {
    let text = json!({
        "openapi": "3.0.3", "info": {"title": "Hostile", "version": "1"},
        "servers": [{"url": "http://127.0.0.1:9"}],
        "paths": paths, "components": {"schemas": schemas},
    });
    DocumentFile::new(&text.to_string(), ".json")
}

pub(super) fn reference(number: usize) -> Value {
    json!({"$ref": format!("#/components/schemas/S{number}")})
}

/// An operation whose body and answer are `schema`.
pub(super) fn post(schema: &Value) -> Value {
    let content = json!({"application/json": {"schema": schema}});
    json!({"post": {
        "operationId": "x", "requestBody": {"required": true, "content": content},
        "responses": {"200": {"description": "ok", "content": content}},
    }})
}

pub(super) fn schemas(number: usize, make: impl Fn(usize) -> Value) -> Value {
    let mut all: Map<String, Value> = (0..number)
        .map(|one| (format!("S{one}"), make(one)))
        .collect();
    all.insert(format!("S{number}"), json!({"type": "object"}));
    Value::Object(all)
}

/// The tools as JSON; the process must end well.
fn listed(file: &DocumentFile) -> Vec<Value> {
    let output = run(&["tools", &file.path().display().to_string(), "--json"]);
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}");
    let tools: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    for tool in &tools {
        let size = tool.to_string().len();
        assert!(size < 2_000_000, "{size}");
    }
    tools
}

/// What the process says as it refuses the document.
fn refusal(bytes: &[u8], ending: &str) -> String {
    let mut file = tempfile::Builder::new().suffix(ending).tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let output = run(&["tools", &file.path().display().to_string()]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.len() < 5_000, "{} bytes of message", error.len());
    error
}

#[tokio::test]
async fn schemas_that_multiply_or_go_round_are_served() {
    let bodies = [
        schemas(60, |n| {
            let next = (0..10).map(|one| (format!("p{one}"), reference(n + 1)));
            json!({"type": "object", "properties": next.collect::<Map<_, _>>()})
        }),
        schemas(60, |n| json!({"allOf": vec![reference(n + 1); 10]})),
        schemas(60, |n| json!({"oneOf": vec![reference(n + 1); 10]})),
        schemas(
            1_000,
            |n| json!({"allOf": [reference(n + 1), {"type": "object"}]}),
        ),
        schemas(1_000, |n| json!({"allOf": [reference((n + 1) % 1_000)]})),
        schemas(
            150,
            |_| json!({"anyOf": (0..150).map(reference).collect::<Vec<_>>()}),
        ),
        json!({"S0": {"$ref": "#/components/schemas/S0"}}),
        json!({"S0": {"not": reference(0)}}),
    ];
    for schemas in bodies {
        let file = document(&json!({"/x": post(&reference(0))}), &schemas);
        let mut bridge = Bridge::start([file.path()]);
        assert_eq!(bridge.tools().await.len(), 1);
        // Nobody listens upstream: what matters is that validating ends, with either verdict.
        bridge.call("x", json!({"body": {"p0": {"p0": {}}}})).await;
        assert!(bridge.is_alive());
    }
}

#[test]
fn many_schemas_that_reach_each_other_end() {
    let number = 1_000;
    let paths: Map<String, Value> = (0..number)
        .map(|n| (format!("/x{n}"), post(&reference(n))))
        .collect();
    let chained = schemas(number, |n| json!({"allOf": [reference(n + 1)]}));
    assert_eq!(listed(&document(&json!(paths), &chained)).len(), number);
    let properties: Map<String, Value> = (0..20_000)
        .map(|n| (format!("p{n}"), json!({"type": "string"})))
        .collect();
    let wide = json!({"type": "object", "required": properties.keys().collect::<Vec<_>>(), "properties": properties});
    assert_eq!(
        listed(&document(&json!({"/x": post(&wide)}), &json!({}))).len(),
        1
    );
}

#[test]
fn paths_and_parameters_that_refer_to_themselves_cost_only_themselves() {
    let file = document(
        &json!({
            "/a": {"$ref": "#/paths/~1a"},
            "/b": {"$ref": "#/paths/~1c"},
            "/c": {"$ref": "#/paths/~1b"},
            "/d": {"get": {"operationId": "d", "parameters": [{"$ref": "#/paths/~1d/get/parameters/0"}]}},
            "/ok": {"get": {"operationId": "ok"}},
        }),
        &json!({}),
    );
    let tools = listed(&file);
    assert_eq!(tools.len(), 1);
    tool(&tools, "ok");
    let why = run(&["tools", &file.path().display().to_string(), "--why"]);
    let why = [why.stdout, why.stderr].concat();
    let why = String::from_utf8(why).unwrap();
    for place in ["/a", "/b", "/c", "/d"] {
        assert!(why.contains(place), "{why}");
    }
}

#[test]
fn files_that_refer_to_each_other_end() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        (
            "a.yaml",
            "openapi: 3.0.3\nservers: [{url: 'http://127.0.0.1:9'}]\npaths:\n  /a: {$ref: 'b.yaml#/a'}\n  /b:\n    post:\n      operationId: b\n      requestBody: {content: {application/json: {schema: {$ref: 'b.yaml#/S'}}}}\n",
        ),
        (
            "b.yaml",
            "a: {$ref: 'a.yaml#/paths/~1a'}\nS: {type: object, properties: {c: {$ref: 'c.yaml#/T'}}}\n",
        ),
        (
            "c.yaml",
            "T: {type: object, properties: {b: {$ref: 'b.yaml#/S'}}}\n",
        ),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let main = folder.path().join("a.yaml").display().to_string();
    let output = run(&["tools", &main]);
    let listed = String::from_utf8(output.stdout).unwrap();
    assert!(
        listed.starts_with("b ") && listed.lines().count() == 1,
        "{listed}"
    );
}

#[test]
fn what_cannot_be_read_is_said_clearly() {
    let text = "{\"openapi\":\"3.0.3\",\"paths\":{}}";
    let utf16 = |mark: &[u8]| -> Vec<u8> {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        mark.iter().copied().chain(units).collect()
    };
    let head = "openapi: 3.0.3\npaths: {}\n";
    let bomb = (1..10).fold(
        format!("{head}x0: &x0 [1,1,1,1,1,1,1,1,1,1]\n"),
        |text, n| {
            let aliases = vec![format!("*x{}", n - 1); 10].join(",");
            format!("{text}x{n}: &x{n} [{aliases}]\n")
        },
    );
    let nested = |open: &str| open.repeat(10_000);
    let block: String = (0..2_000)
        .map(|n| format!("{}a:\n", " ".repeat(n)))
        .collect();
    for (bytes, ending, expected) in [
        (utf16(b"\xFF\xFE"), ".json", "UTF-16"),
        (utf16(b""), ".json", "UTF-16"),
        (
            b"{\"openapi\":\"3.0.3\",\"x\":\"\xFF\"}".to_vec(),
            ".json",
            "UTF-8",
        ),
        (bomb.into_bytes(), ".yaml", "not valid YAML"),
        (
            format!("{head}x: &x [*x]\n").into_bytes(),
            ".yaml",
            "not valid YAML",
        ),
        (
            format!("{{\"openapi\":\"3.0.3\",\"x\":{}", nested("[")).into_bytes(),
            ".json",
            "recursion limit",
        ),
        (
            format!("{head}x: {}", nested("[")).into_bytes(),
            ".yaml",
            "brackets",
        ),
        (
            format!("{head}x:\n{}", nested("- ")).into_bytes(),
            ".yaml",
            "nested in each other",
        ),
        (
            format!("x:\n{block}").into_bytes(),
            ".yaml",
            "nested in each other",
        ),
    ] {
        let found = refusal(&bytes, ending);
        assert!(found.contains(expected), "no {expected} in {found}");
    }
}

#[test]
fn a_document_of_two_hundred_megabytes_is_refused_by_its_size() {
    let file = DocumentFile::too_large();
    let output = run(&["tools", &file.path().display().to_string()]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("larger than") && error.contains("raise the limit"),
        "{error}"
    );
}

#[test]
fn a_hundred_thousand_of_anything_ends() {
    let number = 100_000;
    let operation = |n: usize| {
        (
            format!("/p{n}"),
            json!({"get": {"operationId": format!("o{n}")}}),
        )
    };
    let paths: Map<String, Value> = (0..number).map(operation).collect();
    let output = run(&[
        "tools",
        &document(&json!(paths), &json!({}))
            .path()
            .display()
            .to_string(),
    ]);
    assert_eq!(
        output.stdout.iter().filter(|byte| **byte == b'\n').count(),
        number
    );
    let parameter =
        |n: usize| json!({"in": "query", "name": format!("p{n}"), "schema": {"type": "string"}});
    let parameters: Vec<Value> = (0..number).map(parameter).collect();
    let values: Vec<Value> = (0..number).map(|n| json!(format!("v{n}"))).collect();
    let file = document(
        &json!({
            "/many": {"get": {"operationId": "many", "parameters": parameters}},
            "/enum": {"get": {"operationId": "enum", "parameters": [{"in": "query", "name": "e", "schema": {"enum": values}}]}},
        }),
        &json!({}),
    );
    let tools = listed(&file);
    assert_eq!(
        tools.len(),
        1,
        "an operation with that many parameters is left out"
    );
    tool(&tools, "enum");
}

#[test]
fn names_and_texts_are_safe_to_show() {
    let hidden = "\u{202E}\u{200B}\u{2066}\u{FEFF}\0\u{1B}\u{85}\u{E0041}\u{200F}";
    let name = format!("a{hidden}b");
    let long = "n".repeat(10_000);
    let file = document(
        &json!({
            "/u": {"post": {
                "operationId": name, "summary": name, "description": format!("d {name}"), "tags": [name],
                "parameters": [{"in": "query", "name": name, "description": name, "schema": {"type": "string", "title": name}}],
                "requestBody": {"description": name, "content": {"application/json": {"schema": reference(0)}}},
            }},
            format!("/{long}/{{{long}}}"): {"get": {
                "operationId": long,
                "parameters": [{"in": "path", "name": long, "required": true, "schema": {"type": "string"}}],
            }},
        }),
        &json!({"S0": {"type": "object", "description": name, "properties": {"p": {"type": "string", "description": name}}}}),
    );
    let tools = listed(&file);
    assert_eq!(tools.len(), 2);
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        assert!(
            name.len() <= 64
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)),
            "{name}"
        );
        let mut shown = tool.clone();
        // What identifies the operation is data and stays as it is.
        shown.as_object_mut().unwrap().remove("_meta");
        let shown = shown.to_string();
        assert!(!hidden.chars().any(|c| shown.contains(c)), "{shown}");
        assert!(!shown.contains("\\u00"), "{shown}");
    }
}
