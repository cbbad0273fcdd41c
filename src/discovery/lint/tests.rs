//! One document per rule.

use serde_json::json;

use super::super::fixture::{body, document, media, operation, parameter, response};
use super::*;
use crate::openapi::ParameterLocation::{Header, Path, Query};
use crate::openapi::{Document, SecurityKind, SecurityRequirement, SecurityScheme};

fn good(method: &str, path: &str) -> Operation {
    let mut one = operation(method, path);
    one.operation_id = Some(format!("{method}{}", path.replace('/', "_")).to_lowercase());
    one.summary = Some("Does something".to_owned());
    one.responses = vec![response("204", Vec::new())];
    one
}

fn told(document: &Document, settings: &Settings) -> Vec<(&'static str, String)> {
    let source = Source::plain(document);
    let diagnosis = diagnose(&[source], settings);
    let all = diagnosis
        .documents
        .into_iter()
        .flatten()
        .chain(diagnosis.general);
    all.map(|one| (one.rule, one.pointer)).collect()
}

fn told_of(operation: Operation) -> Vec<(&'static str, String)> {
    told(&document(vec![operation], &json!({})), &Settings::default())
}

fn requirement(scheme: &str) -> Vec<Vec<SecurityRequirement>> {
    vec![vec![SecurityRequirement {
        scheme: scheme.to_owned(),
        scopes: Vec::new(),
    }]]
}

#[test]
fn a_good_operation_raises_nothing() {
    assert_eq!(told_of(good("GET", "/a")), []);
}

/// What breaks a rule, the rule, and the pointer within the operation; no rule where all is well.
type Case = (fn(&mut Operation), &'static str, &'static str);

const CASES: &[Case] = &[
    (|one| one.summary = None, "operation-without-text", ""),
    (|one| one.operation_id = None, "operation-id-missing", ""),
    (
        |one| one.operation_id = Some("x".repeat(65)),
        "tool-name-cut",
        "/operationId",
    ),
    (|one| one.operation_id = Some("x".repeat(64)), "", ""),
    (
        |one| one.description = Some("ä".repeat(1_025)),
        "long-description",
        "/description",
    ),
    (|one| one.description = Some("ä".repeat(1_000)), "", ""),
    (
        |one| one.responses = vec![response("200", vec![])],
        "response-without-schema",
        "/responses/200",
    ),
    (
        |one| {
            one.responses = vec![response(
                "default",
                vec![media("application/json", json!(true))],
            )]
        },
        "response-without-schema",
        "/responses/default",
    ),
    (
        |one| one.responses = vec![response("200", vec![media("image/png", json!(true))])],
        "",
        "",
    ),
    (
        |one| one.request_body = Some(body(vec![media("application/json", json!({}))])),
        "get-with-body",
        "/requestBody",
    ),
    (
        |one| one.parameters = vec![parameter("$top", Query, json!({}))],
        "argument-renamed",
        "",
    ),
    (|one| one.servers.clear(), "operation-without-server", ""),
    (|one| extend(one, json!(false)), "operation-excluded", ""),
    (|one| extend(one, json!(5)), "invalid-extension", ""),
    (
        |one| extend(one, json!({ "confrm": true })),
        "invalid-extension",
        "",
    ),
    (
        |one| extend(one, json!({ "vendor": true })),
        "discovery-note",
        "",
    ),
];

fn extend(operation: &mut Operation, value: serde_json::Value) {
    operation.extensions.insert("x-mcp".to_owned(), value);
}

#[test]
fn each_rule_is_raised_where_it_is_broken() {
    for (edit, rule, pointer) in CASES {
        let mut one = good("GET", "/a");
        edit(&mut one);
        let expected = match *rule {
            "" => vec![],
            rule => vec![(rule, format!("/paths/~1a/GET{pointer}"))],
        };
        assert_eq!(told_of(one), expected, "{rule} {pointer}");
    }
}

#[test]
fn a_document_without_a_server_is_told_once() {
    let mut operations = vec![good("GET", "/a"), good("GET", "/b")];
    operations.iter_mut().for_each(|one| one.servers.clear());
    assert_eq!(
        told(&document(operations, &json!({})), &Settings::default()),
        [("operation-without-server", "/servers".to_owned())]
    );
}

#[test]
fn a_document_without_operations_is_told_once() {
    let empty = document(Vec::new(), &json!({}));
    let settings = Settings::default();
    assert_eq!(told(&empty, &settings), [("no-operations", String::new())]);
    let mut lost = document(Vec::new(), &json!({}));
    lost.findings.push(Finding {
        severity: Severity::Error,
        rule: "operation-left-out",
        pointer: "/paths/~1a/get".to_owned(),
        message: "it is left out".to_owned(),
        hint: None,
    });
    assert_eq!(told(&lost, &settings), []);
}

#[test]
fn a_renamed_argument_is_found_among_the_parameters_as_written() {
    let mut one = good("GET", "/a/{id}");
    one.parameters = vec![
        parameter("id", Path, json!({})),
        parameter("id", Query, json!({})),
        parameter("X!Y", Header, json!({})),
    ];
    let mut document = document(vec![one], &json!({}));
    let tree = json!({"paths": {"/a/{id}": {
        "parameters": [{"name": "id", "in": "path"}, {"$ref": "#/components/parameters/H"}],
        "GET": {"parameters": [{"name": "other", "in": "query"}, {"name": "id", "in": "query"}]}}},
        "components": {"parameters": {"H": {"name": "X!Y", "in": "header"}}}});
    document.schemas = crate::openapi::Schemas::new(std::sync::Arc::new(tree));
    assert_eq!(
        told(&document, &Settings::default()),
        [
            (
                "argument-renamed",
                "/paths/~1a~1{id}/GET/parameters/1".to_owned()
            ),
            (
                "argument-renamed",
                "/paths/~1a~1{id}/parameters/1".to_owned()
            ),
        ]
    );
}

#[test]
fn duplicates_and_security_are_seen_across_operations() {
    let (first, mut second, mut third) = (good("GET", "/a"), good("GET", "/b"), good("GET", "/c"));
    second.operation_id.clone_from(&first.operation_id);
    second.security = Some(requirement("key"));
    third.security = Some(Vec::new());
    let mut document = document(vec![first, second, third], &json!({}));
    for name in ["key", "a/b"] {
        document.security_schemes.push(SecurityScheme {
            name: name.to_owned(),
            kind: SecurityKind::MutualTls,
        });
    }
    let found = told(&document, &Settings::default());
    for expected in [
        ("duplicate-operation-id", "/paths/~1b/GET/operationId"),
        ("unused-security-scheme", "/components/securitySchemes/a~1b"),
        ("operation-without-security", "/paths/~1a/GET"),
        ("discovery-note", "/paths/~1b/GET"),
    ] {
        let count = found
            .iter()
            .filter(|(rule, at)| (*rule, at.as_str()) == expected)
            .count();
        assert_eq!(count, 1, "{expected:?} in {found:?}");
    }
    assert_eq!(found.len(), 4, "{found:?}");
}

#[test]
fn an_override_for_another_document_is_no_fault() {
    let documents = [
        document(vec![good("GET", "/a")], &json!({})),
        document(vec![good("GET", "/b")], &json!({})),
    ];
    let sources: Vec<Source<'_>> = documents.iter().map(Source::plain).collect();
    let mut settings = Settings::default();
    for key in ["get_b", "nobody"] {
        settings
            .overrides
            .insert(key.to_owned(), super::super::Override::default());
    }
    let diagnosis = diagnose(&sources, &settings);
    assert!(
        diagnosis.documents.iter().all(Vec::is_empty),
        "{diagnosis:?}"
    );
    assert_eq!(diagnosis.general.len(), 1);
    assert!(diagnosis.general[0].message.contains("nobody"));
    assert_eq!(diagnosis.general[0].rule, "rule-without-effect");
}

#[test]
fn the_rules_are_in_order() {
    assert!(RULES.windows(2).all(|pair| pair[0].name < pair[1].name));
}
