//! Whole documents through the loader.

mod external;
mod hostile;
mod http;
mod operations;
mod outbound;
mod parameters;
mod schemas;
mod swagger;
mod templates;

use serde_json::{Value, json};
use url::Url;

use super::{Document, Finding, Operation, Settings, Severity, parse};

/// Loads a tree, checks that every schema in the result is valid 2020-12.
fn load_at(tree: &Value, base: Option<&str>) -> Document {
    let base = base.map(|base| Url::parse(base).unwrap());
    let text = tree.to_string();
    let document = parse(text.as_bytes(), "test", base.as_ref(), &Settings::default())
        .unwrap_or_else(|error| panic!("{error}: {text}"));
    check_schemas(&document);
    document
}

fn load(tree: &Value) -> Document {
    load_at(tree, None)
}

/// A document of a version with these paths.
fn with_paths(version: &str, paths: &Value) -> Value {
    json!({"openapi": version, "info": {"title": "t", "version": "1"}, "paths": paths})
}

/// The one operation of a document with this operation at `path`.
fn operation(path: &str, node: &Value) -> (Operation, Vec<Finding>) {
    let document = load(&with_paths("3.1.0", &json!({ path: { "get": node } })));
    let [operation] = document.operations.as_slice() else {
        panic!("{:?}", document.findings)
    };
    (operation.clone(), document.findings)
}

fn rules(findings: &[Finding]) -> Vec<(Severity, &'static str, &str)> {
    findings
        .iter()
        .map(|finding| (finding.severity, finding.rule, finding.pointer.as_str()))
        .collect()
}

fn keys(document: &Document) -> Vec<String> {
    let key = |operation: &Operation| format!("{} {}", operation.method, operation.path);
    document.operations.iter().map(key).collect()
}

fn check_schemas(document: &Document) {
    let check = |schema: &Value, at: &str| {
        if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
            panic!("{at}: {error}: {schema}");
        }
    };
    for operation in &document.operations {
        for parameter in &operation.parameters {
            check(&parameter.schema, &parameter.name);
        }
        let bodies = operation.request_body.iter().flat_map(|body| &body.content);
        let responses = operation
            .responses
            .iter()
            .flat_map(|response| &response.content);
        for media in bodies.chain(responses) {
            check(&media.schema, &media.name);
            if let Some(item) = &media.item_schema {
                check(item, &media.name);
            }
        }
    }
    let named = document.schemas.get("#/components/schemas");
    for (name, schema) in named.and_then(Value::as_object).into_iter().flatten() {
        check(schema, name);
    }
}

#[test]
fn what_is_no_openapi_document_is_refused_with_what_was_found() {
    let table = [
        ("[1]", "found an array"),
        ("just text", "found a text"),
        ("{}", "found an empty object"),
        ("{\"a\": 1, \"b\": 2}", "found an object with \"a\", \"b\""),
        ("{\"asyncapi\": \"2.0.0\"}", "found an AsyncAPI document"),
        (
            "{\"swaggerVersion\": \"1.2\"}",
            "found a Swagger 1.x document",
        ),
        ("{\"swagger\": \"1.2\"}", "written in Swagger 1.2"),
        ("{\"openapi\": \"4.0.0\"}", "written in OpenAPI 4.0.0"),
        ("<html></html>", "an HTML page"),
        ("", "is empty"),
    ];
    for (text, expected) in table {
        let found = parse(text.as_bytes(), "x", None, &Settings::default())
            .unwrap_err()
            .to_string();
        assert!(found.contains(expected), "{text}: {found}");
    }
    let settings = Settings {
        max_bytes: 10,
        ..Settings::default()
    };
    let found = parse(b"openapi: 3.1.0", "x", None, &settings).unwrap_err();
    assert!(found.to_string().contains("larger than 10 bytes"));
}

#[test]
fn versions_are_read_as_they_are_written() {
    for head in [
        "openapi: 3.0.3",
        "openapi: '3.1'",
        "openapi: 3.0",
        "openapi: 3.2.0",
        "openapi: 3.9.1",
        "swagger: '2.0'",
        "swagger: 2.0",
        "swagger: 2",
    ] {
        let text = format!(
            "{head}\ninfo: {{title: T, version: 1.0}}\npaths:\n  /a:\n    get: {{responses: {{200: {{description: d}}}}}}\n"
        );
        let document = parse(text.as_bytes(), "x", None, &Settings::default()).unwrap();
        assert_eq!(keys(&document), ["GET /a"], "{head}");
        assert_eq!(document.operations[0].responses[0].status, "200", "{head}");
        assert_eq!(
            (document.title.as_str(), document.version.as_str()),
            ("T", "1.0")
        );
    }
}

#[test]
fn duplicate_yaml_keys_are_findings() {
    let text = "openapi: 3.1.0\npaths:\n  /a:\n    get: {}\n    get: {summary: second}\n";
    let document = parse(text.as_bytes(), "x", None, &Settings::default()).unwrap();
    assert_eq!(
        rules(&document.findings),
        [(Severity::Warning, "duplicate-key", "/paths/~1a/get")]
    );
    assert_eq!(document.operations[0].summary.as_deref(), Some("second"));
}
