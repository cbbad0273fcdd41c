//! Inherited classes whose parts are closed one by one, and bases with a discriminator.

use super::*;

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// What `.NET` generators write: each class is closed on its own.
fn classes() -> Value {
    let text = json!({ "type": "string" });
    let number = json!({ "type": "integer" });
    let animal = json!({ "type": "object", "additionalProperties": false, "required": ["kind"],
        "properties": { "kind": text } });
    json!({
        "B2": { "type": "object", "additionalProperties": false, "properties": { "p": text } },
        "C2": { "allOf": [reference("B2"), { "type": "object", "additionalProperties": false,
            "properties": { "m": number } }] },
        "D2": { "allOf": [reference("C2"), { "type": "object", "additionalProperties": false,
            "properties": { "n": number } }] },
        "Animal": animal,
        "Cat": { "type": "object", "allOf": [reference("Animal")],
            "properties": { "m": number }, "additionalProperties": false },
        "Choosy": { "type": "object", "additionalProperties": false, "properties": { "a": number },
            "oneOf": [{ "required": ["a"] }, { "properties": { "b": number }, "required": ["b"] }] },
        "Nullable": { "type": ["object", "null"], "additionalProperties": false,
            "properties": { "p": text } },
    })
}

/// Schemas with values that fit and that do not: parts that merge.
fn merging() -> Vec<(Value, Value, Value)> {
    vec![
        (
            reference("B2"),
            json!({ "p": "x" }),
            json!({ "p": "x", "m": 1 }),
        ),
        (
            reference("C2"),
            json!({ "p": "x", "m": 1 }),
            json!({ "q": 1 }),
        ),
        (reference("C2"), json!({}), json!({ "p": 1 })),
        (
            reference("D2"),
            json!({ "p": "x", "m": 1, "n": 2 }),
            json!({ "m": 1, "o": 2 }),
        ),
        (
            reference("Cat"),
            json!({ "kind": "Cat", "m": 1 }),
            json!({ "kind": "Cat", "n": 1 }),
        ),
        (
            reference("Cat"),
            json!({ "kind": "Cat" }),
            json!({ "m": 1 }),
        ),
        (
            json!({ "allOf": [reference("B2"), { "properties": { "z": { "type": "boolean" } } }] }),
            json!({ "p": "x", "z": true }),
            json!({ "z": 1 }),
        ),
        (
            json!({ "description": "D", "allOf": [reference("C2")] }),
            json!({ "p": "x", "m": 1 }),
            json!({ "q": 1 }),
        ),
    ]
}

/// As [`merging`], parts that are closed in other ways.
fn others() -> Vec<(Value, Value, Value)> {
    vec![
        // A part that cannot be merged, for it has a choice of its own.
        (
            json!({ "allOf": [reference("Choosy"), { "properties": { "c": {} } }] }),
            json!({ "a": 1, "c": 1 }),
            json!({ "a": 1, "d": 1 }),
        ),
        (
            json!({ "allOf": [reference("Choosy"), { "properties": { "c": {} } }] }),
            json!({ "b": 1, "c": 1 }),
            json!({ "c": 1 }),
        ),
        (
            json!({ "allOf": [reference("Nullable"), { "type": "object", "properties": { "m": {} } }] }),
            json!({ "p": "x", "m": 1 }),
            json!({ "q": 1 }),
        ),
        (
            json!({ "allOf": [{ "$ref": "#/components/schemas/B2", "description": "Base" },
                { "properties": { "m": {} }, "unevaluatedProperties": false }] }),
            json!({ "p": "x", "m": 1 }),
            json!({ "q": 1 }),
        ),
        // To the letter as well: the owner repeats what its parts have.
        (
            json!({ "additionalProperties": false, "properties": { "p": {}, "q": {} },
                "allOf": [{ "properties": { "p": { "type": "string" } } }] }),
            json!({ "p": "x", "q": 1 }),
            json!({ "r": 1 }),
        ),
    ]
}

#[test]
fn parts_that_are_closed_are_one_closed_object() {
    for (schema, fits, fails) in merging().into_iter().chain(others()) {
        for flat in [false, true] {
            let mut operation = json_body(schema.clone());
            if flat {
                let shape = json!({ "body": "flat" });
                operation.extensions.insert("x-mcp".to_owned(), shape);
            }
            let whole = input(operation, &classes());
            let arguments = |value: &Value| {
                if flat {
                    value.clone()
                } else {
                    json!({ "body": value })
                }
            };
            assert!(accepts(&whole, &arguments(&fits)), "{fits}: {whole}");
            assert!(!accepts(&whole, &arguments(&fails)), "{fails}: {whole}");
        }
    }
}

#[test]
fn a_closed_whole_is_published_with_all_properties_and_told() {
    let document = document(vec![json_body(reference("D2"))], &classes());
    let found = run(&document, &Settings::default());
    let body = &found.tools[0].input_schema.parse()["properties"]["body"];
    assert_eq!(
        *body,
        json!({ "type": "object", "properties": { "p": { "type": "string" },
            "m": { "type": "integer" }, "n": { "type": "integer" } },
            "additionalProperties": false })
    );
    let [note] = found.notes.as_slice() else {
        panic!("{:?}", found.notes);
    };
    let named = note.contains("the schema `#/components/schemas/D2`");
    assert!(
        named && note.contains("taken as one closed object"),
        "{note}"
    );
}

#[test]
fn parts_that_shut_nobody_out_are_not_told() {
    for schema in [
        json!({ "allOf": [reference("B2"), { "required": ["p"] }] }),
        json!({ "additionalProperties": false, "properties": { "p": {}, "q": {} },
            "allOf": [{ "properties": { "p": { "type": "string" } } }] }),
    ] {
        let document = document(vec![json_body(schema)], &classes());
        let found = run(&document, &Settings::default());
        assert!(found.notes.is_empty(), "{:?}", found.notes);
    }
}

/// A base with `additional`, its heirs and theirs.
fn family(additional: Option<bool>, mapping: &Value) -> Value {
    let mut base = json!({ "type": "object", "description": "An animal", "required": ["kind"],
        "properties": { "kind": { "type": "string" }, "friend": reference("Base") },
        "discriminator": { "propertyName": "kind", "mapping": mapping } });
    if let Some(additional) = additional {
        base["additionalProperties"] = json!(additional);
    }
    json!({
        "Base": base,
        "Cat": { "type": "object", "allOf": [reference("Base")], "required": ["m"],
            "properties": { "m": { "type": "integer" } }, "additionalProperties": false },
        "Lion": { "allOf": [reference("Cat"), { "properties": { "roar": { "type": "boolean" } } }] },
        "Bare": { "allOf": [reference("Base")] },
    })
}

#[test]
fn a_base_with_a_discriminator_may_be_any_of_its_heirs() {
    let cat = json!({ "cat": "#/components/schemas/Cat" });
    for (additional, mapping, value, fits) in [
        (Some(false), &cat, json!({ "kind": "cat", "m": 1 }), true),
        (Some(false), &cat, json!({ "kind": "cat", "m": "x" }), false),
        (
            Some(false),
            &cat,
            json!({ "kind": "cat", "m": 1, "q": 1 }),
            false,
        ),
        (Some(false), &cat, json!({ "kind": "other" }), true),
        (Some(false), &cat, json!({ "kind": "other", "m": 1 }), false),
        (
            Some(false),
            &cat,
            json!({ "kind": "lion", "m": 1, "roar": true }),
            false,
        ),
        (
            Some(false),
            &json!({}),
            json!({ "kind": "Lion", "m": 1, "roar": true }),
            true,
        ),
        (Some(false), &json!({}), json!({ "kind": "Bare" }), true),
        (
            Some(false),
            &cat,
            json!({ "kind": "cat", "m": 1, "friend": { "kind": "cat", "m": 2 } }),
            true,
        ),
        (None, &cat, json!({ "kind": "cat", "m": 1 }), true),
        (None, &cat, json!({ "kind": "cat", "further": 1 }), true),
        (None, &cat, json!({ "m": 1 }), false),
    ] {
        let components = family(additional, mapping);
        for schema in [
            reference("Base"),
            json!({ "description": "One", "allOf": [reference("Base")] }),
        ] {
            let whole = input(json_body(schema), &components);
            let arguments = json!({ "body": value });
            assert_eq!(accepts(&whole, &arguments), fits, "{value}: {whole}");
            assert!(whole.to_string().contains("\"m\":{\"type\":\"integer\"}"));
        }
    }
}

#[test]
fn the_default_heir_takes_every_other_word() {
    let mut components = family(Some(false), &json!({ "bare": "Bare" }));
    components["Base"]["discriminator"]["defaultMapping"] = json!("Cat");
    let whole = input(json_body(reference("Base")), &components);
    for (value, fits) in [
        (json!({ "kind": "zzz", "m": 1 }), true),
        (json!({ "kind": "zzz", "m": "x" }), false),
        (json!({ "kind": "bare", "m": 1 }), false),
        (json!({ "kind": "bare" }), true),
    ] {
        let arguments = json!({ "body": value });
        assert_eq!(accepts(&whole, &arguments), fits, "{value}: {whole}");
    }
}

#[test]
fn a_base_whose_heirs_cannot_be_told_is_open_to_them() {
    let mut components = family(Some(false), &json!({}));
    components["Cat"]["oneOf"] = json!([reference("Base"), { "required": ["m"] }]);
    let whole = input(json_body(reference("Base")), &components);
    assert!(
        accepts(&whole, &json!({ "body": { "kind": "Cat", "m": 1 } })),
        "{whole}"
    );
    let many: serde_json::Map<String, Value> = (0..40)
        .map(|number| {
            (
                format!("H{number}"),
                json!({ "allOf": [reference("Base")] }),
            )
        })
        .chain([("Base".to_owned(), components["Base"].clone())])
        .collect();
    let whole = input(json_body(reference("Base")), &Value::Object(many));
    assert!(
        accepts(&whole, &json!({ "body": { "kind": "H3", "m": 1 } })),
        "{whole}"
    );
    assert!(!whole.to_string().contains("anyOf"), "{whole}");
}
