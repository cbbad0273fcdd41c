//! Compositions as models read them best, with the meaning they had.

use super::*;

fn body_of(schema: Value, components: &Value) -> (Value, Value) {
    let whole = input(json_body(schema), components);
    (whole["properties"]["body"].clone(), whole)
}

#[test]
fn parts_of_an_object_are_one_object() {
    let components = json!({
        "Base": { "type": "object", "required": ["id"], "properties": {
            "id": { "type": "string" }, "note": { "type": "string" } } },
        "Middle": { "allOf": [
            { "$ref": "#/components/schemas/Base" },
            { "properties": { "size": { "type": "integer" } } },
        ] },
    });
    let (body, whole) = body_of(
        json!({ "description": "D", "allOf": [
            { "$ref": "#/components/schemas/Middle" },
            { "type": "object", "required": ["name"], "properties": {
                "name": { "type": "string" }, "note": { "description": "A note", "maxLength": 3 } } },
        ] }),
        &components,
    );
    assert_eq!(
        body,
        json!({
            "description": "D", "type": "object", "required": ["id", "name"],
            "properties": {
                "id": { "type": "string" },
                "note": { "type": "string", "description": "A note", "maxLength": 3 },
                "size": { "type": "integer" },
                "name": { "type": "string" },
            },
        })
    );
    assert!(accepts(
        &whole,
        &json!({ "body": { "id": "a", "name": "b", "more": 1 } })
    ));
    assert!(!accepts(&whole, &json!({ "body": { "id": "a" } })));
    assert!(!accepts(
        &whole,
        &json!({ "body": { "id": "a", "name": "b", "note": "long" } })
    ));
}

#[test]
fn what_does_not_merge_stays() {
    let (body, whole) = body_of(
        json!({ "allOf": [
            { "properties": { "a": { "type": "integer", "minimum": 1 } } },
            { "properties": { "a": { "type": "number", "minimum": 2 } } },
        ] }),
        &json!({}),
    );
    assert!(body["properties"]["a"]["allOf"].is_array(), "{body}");
    assert!(!accepts(&whole, &json!({ "body": { "a": 1 } })));
    assert!(accepts(&whole, &json!({ "body": { "a": 2 } })));
}

#[test]
fn one_part_with_a_word_about_it_is_that_part() {
    let components =
        json!({ "Color": { "type": "string", "enum": ["red"], "description": "Any" } });
    let (body, _) = body_of(
        json!({ "description": "Mine", "allOf": [{ "$ref": "#/components/schemas/Color" }] }),
        &components,
    );
    assert_eq!(
        body,
        json!({ "description": "Mine", "type": "string", "enum": ["red"] })
    );
}

#[test]
fn constants_are_an_enumeration() {
    let (body, _) = body_of(
        json!({ "description": "How bad.", "oneOf": [
            { "const": 1, "title": "Low", "type": "integer" },
            { "const": 2, "description": "High", "type": "integer" },
        ] }),
        &json!({}),
    );
    assert_eq!(
        body,
        json!({ "description": "How bad. `1`: Low, `2`: High.", "type": "integer", "enum": [1, 2] })
    );
    for other in [
        json!({ "oneOf": [{ "const": 1 }, { "const": 1 }] }),
        json!({ "anyOf": [{ "const": 1 }, { "type": "string" }] }),
        json!({ "anyOf": [{ "const": 1, "minimum": 3 }, { "const": 2 }] }),
    ] {
        assert_eq!(body_of(other.clone(), &json!({})).0, other);
    }
}

#[test]
fn a_discriminator_is_a_constant_in_each_branch() {
    let animal = |own: &str, kind: Value| json!({ "type": "object", "properties": { "kind": kind, own: { "type": "boolean" } } });
    let text = json!({ "type": "string" });
    let components = json!({
        "Cat": animal("meows", text.clone()),
        "Dog": animal("barks", text),
        "Cow": animal("moos", json!({ "type": "string", "enum": ["cow", "ox"] })),
        "Fox": animal("says", json!({ "type": "string", "enum": ["vixen"] })),
    });
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let branches = ["Cat", "Dog", "Cow", "Fox"].map(reference);
    let (_, whole) = body_of(
        json!({
            "oneOf": branches,
            "discriminator": { "propertyName": "kind", "mapping": {
                "cat": "#/components/schemas/Cat", "kitten": "Cat",
                "cow": "#/components/schemas/Cow",
            } },
        }),
        &components,
    );
    // All of them would fit without their constants, and none of `oneOf` may.
    for (kind, fits) in [
        ("cat", true),
        ("kitten", true),
        ("Cat", false),
        ("Dog", true),
        ("cow", true),
        ("ox", false),
        ("vixen", true),
        ("Fox", false),
    ] {
        let arguments = json!({ "body": { "kind": kind } });
        assert_eq!(accepts(&whole, &arguments), fits, "{kind}: {whole}");
    }
}

#[test]
fn a_default_takes_every_other_word() {
    let text = json!({ "type": "string" });
    let animal = |kind: &Value| json!({ "type": "object", "properties": { "kind": kind } });
    let components = json!({
        "Cat": animal(&text),
        "Dog": animal(&json!({ "const": "hound" })),
        "Other": { "type": "object", "properties": { "size": { "type": "integer" } } },
    });
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    for keyword in ["oneOf", "anyOf"] {
        let branches = ["Cat", "Dog", "Other"].map(reference);
        let (_, whole) = body_of(
            json!({
                keyword: branches,
                "discriminator": {
                    "propertyName": "kind", "mapping": { "cat": "Cat" },
                    "defaultMapping": "#/components/schemas/Other",
                },
            }),
            &components,
        );
        for (value, fits) in [
            (
                json!({ "kind": "cat", "size": "a text, so no other" }),
                true,
            ),
            (json!({ "kind": "cat", "size": 1 }), true),
            (json!({ "kind": "hound" }), true),
            (json!({ "kind": "zzz", "size": 1 }), true),
            (json!({ "kind": "zzz", "size": "x" }), false),
            (json!({ "size": 1 }), true),
        ] {
            let arguments = json!({ "body": value });
            assert_eq!(
                accepts(&whole, &arguments),
                fits,
                "{keyword} {arguments}: {whole}"
            );
        }
    }
}

#[test]
fn alternatives_told_apart_by_a_pattern_that_is_left_out_may_fit_together() {
    let lost = json!({ "type": "string", "pattern": "^\\p{L}+$" });
    let components = json!({ "Lost": lost });
    let reference = json!({ "$ref": "#/components/schemas/Lost" });
    let within = |schema: &Value| json!({ "type": "object", "properties": { "a": schema } });
    for (schema, value) in [
        (
            json!({ "oneOf": [reference, { "const": "me" }] }),
            json!("me"),
        ),
        (
            json!({ "oneOf": [within(&reference), within(&json!({ "type": "string" }))] }),
            json!({ "a": "x" }),
        ),
        (json!({ "not": lost }), json!("x")),
    ] {
        let (body, whole) = body_of(schema, &components);
        assert!(accepts(&whole, &json!({ "body": value })), "{body}");
    }
    let strict = json!({ "oneOf": [{ "pattern": "^a" }, { "const": "ab" }] });
    assert_eq!(body_of(strict.clone(), &json!({})).0, strict);
}

/// Nodes of a tree whose branches say something besides.
fn tree(said: &Value) -> Value {
    let node = json!({ "$ref": "#/components/schemas/Node" });
    let branch = json!({ "allOf": [node, said] });
    json!({ "Node": { "type": "object", "properties": {
        "name": { "type": "string" }, "left": branch, "right": branch, "middle": branch } } })
}

#[test]
fn circular_parts_are_referred_to() {
    let node = json!({ "$ref": "#/components/schemas/Node" });
    let (_, whole) = body_of(node.clone(), &tree(&json!({ "description": "A branch" })));
    assert_eq!(
        whole["$defs"]["Node"]["properties"]["left"],
        json!({ "description": "A branch", "$ref": "#/$defs/Node" })
    );

    // One level of what a branch adds stands there, and its branches refer back.
    let heavy = json!({ "properties": { "weight": { "type": "integer" } } });
    let (_, whole) = body_of(node, &tree(&heavy));
    let left = &whole["$defs"]["Node"]["properties"]["left"]["properties"];
    assert_eq!(left["weight"], json!({ "type": "integer" }));
    assert_eq!(left["left"]["allOf"][0], json!({ "$ref": "#/$defs/Node" }));
    assert!(whole.to_string().len() < 4000, "{whole}");
    let tree = |weight: Value| json!({ "body": { "left": { "left": { "weight": weight } } } });
    assert!(accepts(&whole, &tree(json!(1))));
    assert!(!accepts(&whole, &tree(json!("1"))));
}

#[test]
fn parts_that_multiply_are_repeated_within_bounds() {
    let name = |level: usize| format!("Level{level}");
    let level = |level: usize| {
        let next = json!({ "$ref": format!("#/components/schemas/{}", name(level + 1)) });
        let more = json!({ "properties": { "more": { "type": "integer" } } });
        let part = json!({ "allOf": [next, more] });
        let schema = json!({ "type": "object", "properties": { "a": part, "b": part } });
        (name(level), schema)
    };
    let levels: serde_json::Map<String, Value> = (0..40).map(level).collect();
    let first = json!({ "$ref": format!("#/components/schemas/{}", name(0)) });
    let tool = only(json_body(first), &Value::Object(levels));
    assert!(tool.input_schema.parse().is_object());
}
