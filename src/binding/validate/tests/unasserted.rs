//! Alternatives that only keywords nobody checks tell apart.

use serde_json::{Value, json};

use super::{check, only, property};

#[test]
fn alternatives_that_differ_in_what_is_not_checked_may_fit_together() {
    let own = |one: Value, other: Value| json!({ "oneOf": [one, other] });
    let dated = |format: &str| {
        json!({ "type": "object", "required": ["at"], "properties": {
            "at": { "type": "string", "format": format }, "n": { "type": "integer" } } })
    };
    for (schema, value) in [
        (
            own(
                json!({ "type": "string", "format": "date" }),
                json!({ "type": "string", "format": "date-time" }),
            ),
            json!("2024-01-01"),
        ),
        (
            own(json!({ "format": "ipv4" }), json!({ "format": "ipv6" })),
            json!("::1"),
        ),
        (
            own(
                json!({ "type": "integer", "format": "int32" }),
                json!({ "type": "integer", "format": "int64" }),
            ),
            json!(1),
        ),
        (
            own(json!({ "format": "uuid" }), json!({ "enum": ["me"] })),
            json!("me"),
        ),
        (
            own(dated("date"), json!({ "$ref": "#/$defs/Dated" })),
            json!({ "at": "2024-01-01" }),
        ),
        (
            own(
                json!({ "type": "array", "items": { "format": "uuid" } }),
                json!({ "type": "array", "items": { "type": "string" } }),
            ),
            json!(["x"]),
        ),
        (
            json!({ "not": { "type": "string", "format": "uuid" } }),
            json!("x"),
        ),
        (
            json!({ "oneOf": [{ "format": "date" }, { "type": "string" }], "anyOf": [{}, false] }),
            json!("x"),
        ),
    ] {
        let whole = json!({ "type": "object", "properties": { "v": schema },
            "$defs": { "Dated": dated("date-time") } });
        let checked = check(&whole, json!({ "x": value }));
        assert!(checked.is_ok(), "{schema}: {checked:?}");
    }
}

#[test]
fn other_alternatives_still_exclude_each_other() {
    for (schema, value, keyword) in [
        (
            json!({ "oneOf": [{ "type": "string" }, { "maxLength": 3 }] }),
            json!("x"),
            "oneOf",
        ),
        (
            // What is not checked does not tell these apart.
            json!({ "oneOf": [
                { "properties": { "a": { "format": "date" } } },
                { "properties": { "b": { "type": "string" } } },
            ] }),
            json!({}),
            "oneOf",
        ),
        (
            json!({ "oneOf": [{ "type": "string", "format": "date" }, { "type": "integer" }] }),
            json!(true),
            "oneOf",
        ),
        (
            json!({ "properties": { "not": { "format": "date" } }, "not": { "required": ["a"] } }),
            json!({ "a": 1 }),
            "not",
        ),
    ] {
        let found = only(&property(schema.clone()), json!({ "x": value }));
        assert_eq!(found.1, keyword, "{schema}: {found:?}");
    }
}
