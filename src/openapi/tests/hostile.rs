//! Documents made to hurt: they end in an answer, bounded in time and memory.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::super::{Settings, Severity, parse};
use super::{load, with_paths};

#[test]
fn long_chains_and_deep_nesting_end() {
    let schemas: serde_json::Map<String, Value> = (0..1_000)
        .map(|n| {
            (
                format!("S{n}"),
                json!({"allOf": [{"$ref": format!("#/components/schemas/S{}", (n + 1) % 1_000)}]}),
            )
        })
        .collect();
    let mut parameters = json!({});
    for n in 0..100 {
        parameters[format!("P{n}")] =
            json!({"$ref": format!("#/components/parameters/P{}", n + 1)});
    }
    let document = load(&json!({
        "openapi": "3.1.0",
        "paths": {"/a": {"get": {"parameters": [{"$ref": "#/components/parameters/P0"}]}, "put": {}}},
        "components": {"schemas": schemas, "parameters": parameters},
    }));
    assert_eq!(document.operations.len(), 1);
    for open in ["{\"not\":", "[", "{\"a\":["] {
        let text = format!("{{\"openapi\":\"3.1.0\",\"x\":{}", open.repeat(10_000));
        assert!(parse(text.as_bytes(), "x", None, &Settings::default()).is_err());
    }
    let nested = format!(
        "openapi: 3.1.0\nx: {}{}\n",
        "[".repeat(500),
        "]".repeat(500)
    );
    assert!(parse(nested.as_bytes(), "x", None, &Settings::default()).is_err());
}

#[test]
fn references_that_multiply_a_document_are_bounded() {
    let big: Vec<Value> = (0..500)
        .map(
            |n| json!({"in": "query", "name": format!("p{n}"), "schema": {"enum": vec!["x"; 100]}}),
        )
        .collect();
    let mut paths = json!({"/shared": {"parameters": big, "get": {}, "put": {}, "post": {}}});
    for n in 0..200 {
        paths[format!("/p{n}")] = json!({"$ref": "#/paths/~1shared"});
    }
    for version in [json!({"openapi": "3.1.0"}), json!({"swagger": "2.0"})] {
        let mut tree = version;
        tree["paths"] = paths.clone();
        let document = parse(tree.to_string().as_bytes(), "x", None, &Settings::default()).unwrap();
        assert!(document.operations.len() < 600);
        assert!(
            document
                .findings
                .iter()
                .any(|finding| finding.severity == Severity::Error)
        );
    }
}

#[test]
fn long_names_and_many_parameters_end() {
    let long = "n".repeat(10_000);
    let document = load(&with_paths(
        "3.1.0",
        &json!({
            format!("/{{{long}}}"): {"get": {"operationId": long, "parameters": [{"in": "nowhere", "name": long}]}},
            format!("/{}", "{a}".repeat(3_000)): {"get": {}},
        }),
    ));
    assert_eq!(document.operations.len(), 2);
    assert!(
        document
            .findings
            .iter()
            .all(|finding| finding.message.len() < 700)
    );
    let many: Vec<Value> = (0..5_000)
        .map(|n| json!({"in": "query", "name": n.to_string()}))
        .collect();
    let document = load(&with_paths(
        "3.1.0",
        &json!({"/a": {"get": {"parameters": many}}}),
    ));
    assert!(document.operations.is_empty());
    assert_eq!(document.findings[0].rule, "operation-left-out");
}

#[test]
fn yaml_that_grows_by_aliases_is_refused() {
    let mut text = "openapi: 3.1.0\nx0: &x0 [1,1,1,1,1,1,1,1,1,1]\n".to_owned();
    for n in 1..9 {
        let aliases = vec![format!("*x{}", n - 1); 10].join(",");
        writeln!(text, "x{n}: &x{n} [{aliases}]").unwrap();
    }
    let error = parse(text.as_bytes(), "x", None, &Settings::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("aliases") || error.contains("repetition"),
        "{error}"
    );
}
