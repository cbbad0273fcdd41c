//! What `x-mcp` says: from where it counts, and as whom it may be shown.

use super::*;
use crate::openapi;

/// What a document with one path item becomes.
fn found(item: &Value) -> Discovery {
    let tree = json!({
        "openapi": "3.1.0", "info": { "title": "t", "version": "1" },
        "servers": [{ "url": "https://api.example.com" }],
        "paths": { "/x": item },
    });
    let text = tree.to_string();
    let settings = openapi::Settings::default();
    let document = openapi::parse(text.as_bytes(), "test.yaml", None, &settings).unwrap();
    run(&document, &Settings::default())
}

#[test]
fn a_path_items_word_counts_where_the_operation_has_none() {
    let found = found(&json!({
        "x-mcp": {
            "confirm": true, "title": "Item",
            "annotations": { "destructiveHint": true, "idempotentHint": true },
            "parameters": { "tenant": { "value": "a" }, "limit": { "default": { "a": 1 }, "name": "count" } },
        },
        "parameters": [
            { "name": "tenant", "in": "query", "schema": {} },
            { "name": "limit", "in": "query", "schema": {} },
        ],
        "post": { "x-mcp": {
            "title": "Own", "annotations": { "destructiveHint": false },
            "parameters": { "tenant": { "fixed": "b" }, "limit": { "default": { "b": 2 } } },
        } },
        "put": {},
    }));
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    let [own, without] = &found.tools[..] else {
        panic!("{:?}", found.skipped);
    };
    assert!(own.confirm && without.confirm);
    let told = |tool: &Tool| {
        let hints = &tool.annotations;
        (
            tool.title.clone(),
            hints.destructive_hint,
            hints.idempotent_hint,
        )
    };
    assert_eq!(told(own), (Some("Own".to_owned()), Some(false), Some(true)));
    assert_eq!(
        told(without),
        (Some("Item".to_owned()), Some(true), Some(true))
    );
    let [tenant, limit] = &target(own).parameters[..] else {
        panic!("{own:?}");
    };
    assert_eq!(tenant.fixed, Some(json!("b")));
    assert_eq!(limit.argument, "count");
    assert_eq!(limit.default, Some(json!({ "b": 2 })));
}

#[test]
fn an_operation_takes_back_what_its_path_item_says() {
    for (item, own, tools, asks) in [
        (json!(false), json!({ "title": "Own" }), 0, false),
        (json!(false), json!(true), 1, false),
        (
            json!({ "exclude": true }),
            json!({ "exclude": false }),
            1,
            false,
        ),
        (json!({ "confirm": true }), json!(false), 0, false),
        (json!({ "confirm": true }), json!(true), 1, true),
        (
            json!({ "confirm": true }),
            json!({ "confirm": false }),
            1,
            false,
        ),
        (json!("?"), json!({ "title": "Own" }), 1, true),
        (json!({ "exclude": true }), json!("?"), 0, false),
    ] {
        let found = found(&json!({ "x-mcp": item, "get": { "x-mcp": own } }));
        assert_eq!(found.tools.len(), tools, "{item} {own}");
        let asked = found.tools.iter().any(|tool| tool.confirm);
        assert_eq!(asked, asks, "{item} {own}");
    }
}

#[test]
fn nobody_reads_what_nobody_sees() {
    let dirty = "a\u{202E}\u{200B}\u{E0041}b";
    let choices = json!([{ "const": "x\u{200B}", "title": dirty }, { "const": "y" }]);
    let found = found(&json!({ "get": {
        "summary": dirty, "description": dirty,
        "x-mcp": { "description": dirty, "title": dirty, "ask": [
            { "question": dirty, "message": dirty, "arguments": ["kind", "kinds", "named"] },
            { "question": "\u{200B}", "message": "\u{200B}", "arguments": ["last"] },
        ] },
        "parameters": [
            { "name": "kind", "in": "query", "description": dirty, "schema": { "oneOf": choices } },
            { "name": "kinds", "in": "query", "schema": { "type": "array", "items": { "oneOf": choices } } },
            { "name": "named", "in": "query", "schema": {
                "description": dirty, "enum": ["m"], "x-enumNames": [dirty] } },
            { "name": "last", "in": "query", "schema": { "type": "string" } },
        ],
    } }));
    let tool = &found.tools[0];
    assert_eq!(tool.description, "ab");
    assert_eq!(tool.title.as_deref(), Some("ab"));
    let [first, last] = &tool.ask[..] else {
        panic!("{:?}", tool.ask);
    };
    assert_eq!(
        (first.name.as_str(), first.message.as_deref()),
        ("ab", Some("ab"))
    );
    assert_eq!(
        (last.name.as_str(), last.message.as_deref()),
        ("arguments_2", None)
    );
    let forms: Vec<Value> = first
        .arguments
        .iter()
        .map(|asked| asked.form.as_ref().unwrap().parse())
        .collect();
    let titled = json!([{ "const": "x\u{200B}", "title": "ab" }, { "const": "y", "title": "y" }]);
    assert_eq!(forms[0]["oneOf"], titled);
    assert_eq!(forms[0]["description"], "ab");
    assert_eq!(forms[1]["items"]["anyOf"], titled);
    assert_eq!(forms[2]["oneOf"], json!([{ "const": "m", "title": "ab" }]));
    assert_eq!(forms[2]["description"], "ab");
}
