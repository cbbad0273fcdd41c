//! A table of two documents' paths and what lies between them.

use super::*;
use crate::{discovery, openapi};

fn tools(paths: &str) -> Vec<Tool> {
    let text = format!(
        "openapi: 3.0.3\ninfo: {{title: t, version: '1'}}\nservers: [{{url: 'https://x.test'}}]\npaths:\n{paths}"
    );
    let document =
        openapi::parse(text.as_bytes(), "t", None, &openapi::Settings::default()).unwrap();
    let source = discovery::Source::plain(&document);
    discovery::discover(&[source], &discovery::Settings::default()).tools
}

/// An operation with one query parameter.
fn one(schema: &str) -> String {
    format!(
        "  /a:\n    get: {{operationId: a, summary: s, parameters: [{{name: q, in: query, schema: {schema}}}], responses: {{}}}}\n"
    )
}

fn told(old: &str, new: &str) -> Vec<(String, &'static str, bool)> {
    let changes = compare(&tools(old), &tools(new));
    changes
        .into_iter()
        .map(|change| (change.tool, change.kind, change.breaking))
        .collect()
}

/// An argument's schema before and after, and the kinds of changes with whether they break.
type Case = (&'static str, &'static str, &'static [(&'static str, bool)]);

const SCHEMAS: &[Case] = &[
    (
        "{oneOf: [{type: string}, {type: integer}]}",
        "{oneOf: [{type: string}, {type: boolean}]}",
        &[("composition-changed", true)],
    ),
    (
        "{type: string, default: x}",
        "{type: string, default: y}",
        &[("input-changed", false)],
    ),
    (
        "{type: string}",
        "{type: string, nullable: true}",
        &[("type-changed", false)],
    ),
    ("{type: string}", "{type: string}", &[]),
    (
        "{type: string}",
        "{type: integer}",
        &[("type-changed", true)],
    ),
    (
        "{type: integer}",
        "{type: number}",
        &[("type-changed", false)],
    ),
    (
        "{type: number}",
        "{type: integer}",
        &[("type-changed", true)],
    ),
    (
        "{type: string, enum: [a, b]}",
        "{type: string, enum: [b, c]}",
        &[("enum-values-removed", true), ("enum-values-added", false)],
    ),
    (
        "{type: string}",
        "{type: string, enum: [b]}",
        &[("enum-values-removed", true)],
    ),
    (
        "{type: string, enum: [b]}",
        "{type: string}",
        &[("enum-values-added", false)],
    ),
    (
        "{type: integer, minimum: 1}",
        "{type: integer, minimum: 2}",
        &[("constraint-changed", true)],
    ),
    (
        "{type: integer, minimum: 2}",
        "{type: integer, minimum: 1}",
        &[("constraint-changed", false)],
    ),
    (
        "{type: integer, maximum: 9}",
        "{type: integer, maximum: 10}",
        &[("constraint-changed", false)],
    ),
    (
        "{type: integer}",
        "{type: integer, maximum: 10}",
        &[("constraint-changed", true)],
    ),
    (
        "{type: string, pattern: a}",
        "{type: string}",
        &[("constraint-changed", false)],
    ),
    (
        "{type: string, description: x}",
        "{type: string, description: y}",
        &[("argument-description-changed", false)],
    ),
    (
        "{type: array, items: {type: string}}",
        "{type: array, items: {type: integer}}",
        &[("type-changed", true)],
    ),
    (
        "{type: object, properties: {a: {type: string}, b: {}}}",
        "{type: object, required: [a, c], properties: {a: {type: string}, c: {}}}",
        &[
            ("argument-removed", true),
            ("argument-added", true),
            ("argument-required", true),
        ],
    ),
    (
        "{type: object, required: [a], properties: {a: {type: string}}}",
        "{type: object, properties: {a: {type: string}, d: {}}}",
        &[("argument-added", false), ("argument-optional", false)],
    ),
];

#[test]
fn schemas_of_arguments_are_compared() {
    for (old, new, expected) in SCHEMAS {
        let found: Vec<_> = told(&one(old), &one(new))
            .into_iter()
            .map(|(_, kind, breaking)| (kind, breaking))
            .collect();
        assert_eq!(&found, expected, "{old} -> {new}");
    }
}

#[test]
fn tools_are_compared_by_name_and_then_by_endpoint() {
    let get = |path: &str, id: &str, more: &str| {
        format!("  {path}:\n    get: {{operationId: {id}, summary: s{more}, responses: {{}}}}\n")
    };
    let old = [get("/a", "a", ""), get("/b", "b", ""), get("/c", "c", "")].concat();
    let new = [
        get("/a2", "a", ""),
        get("/b", "bee", ", description: more"),
        get("/d", "d", ""),
    ]
    .concat();
    let at = |tool: &str, kind, breaking| (tool.to_owned(), kind, breaking);
    assert_eq!(
        told(&old, &new),
        [
            at("a", "endpoint-changed", false),
            at("bee", "tool-renamed", true),
            at("bee", "description-changed", false),
            at("d", "tool-added", false),
            at("c", "tool-removed", true),
        ]
    );
    assert_eq!(told(&old, &old), []);
    let hints = ", x-mcp: {annotations: {readOnlyHint: false}, confirm: true}, tags: [t]";
    assert_eq!(
        told(&get("/a", "a", ""), &get("/a", "a", hints)),
        [
            at("a", "hint-changed", false),
            at("a", "tags-changed", false),
            at("a", "confirm-added", true)
        ]
    );
}

#[test]
fn circular_bodies_come_to_an_end() {
    let paths = |kind: &str| {
        format!(
            "  /a:\n    post:\n      operationId: a\n      summary: s\n      requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/N'}}}}}}}}\n      responses: {{}}\ncomponents:\n  schemas:\n    N: {{type: object, properties: {{v: {{type: {kind}}}, next: {{$ref: '#/components/schemas/N'}}}}}}\n"
        )
    };
    let found = told(&paths("string"), &paths("integer"));
    assert!(found.len() > 1 && found.len() < 20, "{found:?}");
    assert!(
        found
            .iter()
            .all(|(_, kind, breaking)| *kind == "type-changed" && *breaking)
    );
}

#[test]
fn reports_mark_what_breaks() {
    let changes = compare(
        &tools(&one("{type: string}")),
        &tools(&one("{type: integer}")),
    );
    assert_eq!(
        text(&changes),
        "a\n  breaking  type of `q` is integer instead of string\n1 change, 1 breaking"
    );
    let value: Value = serde_json::from_str(&json(&changes)).unwrap();
    assert_eq!(value["breaking"].to_string(), "1");
    assert_eq!(value["changes"][0]["kind"], "type-changed");
    assert_eq!(text(&[]), "0 changes, 0 breaking");
}
