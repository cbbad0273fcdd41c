//! What becomes of a document's schemas.

use super::*;

#[test]
fn circular_schemas_live_under_defs() {
    let components = json!({
        "Node": { "type": "object", "required": ["name"], "properties": {
            "name": { "type": "string" },
            "children": { "type": "array", "items": { "$ref": "#/components/schemas/Node" } },
            "a": { "$ref": "#/components/schemas/A" },
        } },
        "A": { "properties": { "b": { "$ref": "#/components/schemas/B" } } },
        "B": { "properties": { "a": { "$ref": "#/components/schemas/A" } } },
        "Unused": {},
    });
    let schema = input(
        json_body(json!({ "$ref": "#/components/schemas/Node" })),
        &components,
    );
    assert_eq!(
        schema["properties"]["body"],
        json!({ "$ref": "#/$defs/Node" })
    );
    assert_eq!(schema["$defs"].as_object().unwrap().len(), 2, "{schema}");
    let tree = json!({ "body": { "name": "x", "children": [{ "name": "y", "children": [{ "name": "z" }] }] } });
    assert!(accepts(&schema, &tree));
    let bad = json!({ "body": { "name": "x", "children": [{ "children": [] }] } });
    assert!(!accepts(&schema, &bad));
}

#[test]
fn schemas_defined_by_themselves_are_opened() {
    let components = json!({
        "Loop": { "$ref": "#/components/schemas/Loop" },
        "Ping": { "allOf": [{ "$ref": "#/components/schemas/Pong" }] },
        "Pong": { "anyOf": [{ "$ref": "#/components/schemas/Ping" }, { "type": "string" }] },
    });
    for name in ["Loop", "Ping", "Pong"] {
        let reference = format!("#/components/schemas/{name}");
        let schema = input(
            json_body(json!({ "properties": { "x": { "$ref": reference } } })),
            &components,
        );
        // A validator that followed the circle would not come back.
        assert!(accepts(&schema, &json!({ "body": { "x": "text" } })));
    }
}

#[test]
fn dangling_references_accept_anything_and_are_noted() {
    let body = json!({ "properties": { "x": { "$ref": "#/components/schemas/Gone" } } });
    let document = document(vec![json_body(body)], &json!({}));
    let found = run(&document, &Settings::default());
    let schema = found.tools[0].input_schema.parse();
    assert!(schema["properties"]["body"]["properties"]["x"]["description"].is_string());
    assert!(
        found.notes[0].contains("#/components/schemas/Gone"),
        "{:?}",
        found.notes
    );
}

#[test]
fn patterns_that_are_left_out_are_noted_with_their_place() {
    let body = json!({ "properties": {
        "own": { "type": "string", "pattern": "^a\\Z" },
        "name": { "$ref": "#/components/schemas/Name" },
        "told": { "oneOf": [{ "$ref": "#/components/schemas/Word" }, { "const": "x" }] },
    } });
    let components = json!({
        "Name": { "type": "string", "description": "x".repeat(200), "pattern": "^b\\Z" },
        "Word": { "properties": { "word": { "pattern": "^c\\Z" } } },
    });
    let document = document(vec![json_body(body)], &components);
    let found = run(&document, &Settings::default());
    let notes = found.notes.join("\n");
    for expected in [
        "test.yaml: POST /things: the pattern `^a\\Z` is no regular expression",
        "test.yaml: the schema `#/components/schemas/Name`: the pattern `^b\\Z` is no",
        "test.yaml: the schema `#/components/schemas/Word`: the pattern `^c\\Z` is no",
    ] {
        assert!(notes.contains(expected), "{notes}");
    }
    assert_eq!(found.notes.len(), 3, "{notes}");
}

#[test]
fn small_and_single_definitions_stand_where_they_are_used() {
    let components = json!({
        "Small": { "type": "string" },
        "Once": { "type": "object", "properties": { "s": { "$ref": "#/components/schemas/Small" } } },
        "Twice": { "type": "object", "description": "x".repeat(200) },
    });
    let schema = input(
        json_body(json!({ "type": "object", "properties": {
            "once": { "$ref": "#/components/schemas/Once" },
            "small": { "$ref": "#/components/schemas/Small" },
            "one": { "$ref": "#/components/schemas/Twice" },
            "two": { "$ref": "#/components/schemas/Twice", "description": "second" },
        } })),
        &components,
    );
    let properties = &schema["properties"]["body"]["properties"];
    assert_eq!(
        properties["once"]["properties"]["s"],
        json!({ "type": "string" })
    );
    assert_eq!(properties["one"], json!({ "$ref": "#/$defs/Twice" }));
    assert_eq!(
        properties["two"],
        json!({ "$ref": "#/$defs/Twice", "description": "second" })
    );
    assert_eq!(schema["$defs"].as_object().unwrap().len(), 1);
}

#[test]
fn a_reference_bomb_stays_small() {
    let mut components = serde_json::Map::new();
    for level in 0..60 {
        let next = json!({ "$ref": format!("#/components/schemas/L{}", level + 1) });
        let all: serde_json::Map<String, Value> =
            (0..10).map(|n| (format!("p{n}"), next.clone())).collect();
        components.insert(
            format!("L{level}"),
            json!({ "type": "object", "properties": all }),
        );
    }
    components.insert("L60".to_owned(), json!({ "type": "string" }));
    let components = Value::Object(components);
    let bomb = json_body(json!({ "$ref": "#/components/schemas/L0" }));
    let tool = only(bomb.clone(), &components);
    assert!(tool.input_schema.get().len() < 40_000);

    let settings = Settings {
        max_input_schema: 4_000,
        ..Settings::default()
    };
    let found = run(&document(vec![bomb], &components), &settings);
    assert!(found.tools[0].input_schema.get().len() < 6_000);
    assert!(
        found.notes[0].contains("input schemas cut"),
        "{:?}",
        found.notes
    );
}

#[test]
fn a_composition_bomb_takes_bounded_time() {
    let names: Vec<String> = (0..40).map(|n| format!("C{n}")).collect();
    let all: Vec<Value> = names
        .iter()
        .map(|name| json!({ "$ref": format!("#/components/schemas/{name}") }))
        .collect();
    let one = json!({ "allOf": all, "anyOf": all });
    let components = names
        .iter()
        .map(|name| (name.clone(), one.clone()))
        .collect();
    let body = json!({ "$ref": "#/components/schemas/C0" });
    let content = vec![
        media("multipart/form-data", body.clone()),
        media("*/*", body),
    ];
    let schema = input(with_body(content), &Value::Object(components));
    assert!(accepts(&schema, &json!({ "body": {} })));
}

#[test]
fn deep_nesting_ends_in_anything() {
    let mut schema = json!({ "type": "string" });
    for _ in 0..400 {
        schema = json!({ "type": "array", "items": schema });
    }
    let tool = only(json_body(schema), &json!({}));
    assert!(tool.input_schema.parse().is_object());
}

#[test]
fn types_and_lists_are_put_right() {
    for (written, expected) in [
        (json!({ "type": "file" }), json!({ "type": "string" })),
        (json!({ "type": "any" }), json!({})),
        (
            json!({ "type": ["integer", "null", "integer"] }),
            json!({ "type": ["integer", "null"] }),
        ),
        (
            json!({ "type": "array" }),
            json!({ "type": "array", "items": {} }),
        ),
        (
            json!({ "type": "array", "items": true }),
            json!({ "type": "array", "items": {} }),
        ),
        (json!({ "items": [{}] }), json!({ "prefixItems": [{}] })),
        (
            json!({ "type": "array", "prefixItems": [{}] }),
            json!({ "type": "array", "prefixItems": [{}], "items": {} }),
        ),
    ] {
        assert_becomes(&written, &expected);
    }
}

#[test]
fn malformed_keywords_are_left_out() {
    for (written, expected) in [
        (
            json!({ "required": true, "minLength": -1, "maxLength": 1.5 }),
            json!({}),
        ),
        (
            json!({ "required": ["a", "a", 1] }),
            json!({ "required": ["a"] }),
        ),
        (
            json!({ "enum": [], "anyOf": [], "default": null, "pattern": "(" }),
            json!({}),
        ),
        (
            json!({ "multipleOf": 0, "minimum": "1", "nullable": true }),
            json!({}),
        ),
        (
            json!({ "pattern": "^(?!x)a$" }),
            json!({ "pattern": "^(?!x)a$" }),
        ),
        (
            json!({ "uniqueItems": false, "$id": "x", "$comment": "c" }),
            json!({}),
        ),
        (
            json!({ "properties": { "default": { "type": "integer" } } }),
            json!({ "properties": { "default": { "type": "integer" } } }),
        ),
        (
            json!({ "writeOnly": true, "format": "password" }),
            json!({ "writeOnly": true, "format": "password" }),
        ),
        (
            json!({ "examples": ["a", "b", "c"] }),
            json!({ "examples": ["a", "b"] }),
        ),
        (
            json!({ "oneOf": [{ "const": 1, "title": "One" }] }),
            json!({ "oneOf": [{ "const": 1, "title": "One" }] }),
        ),
        (
            json!({ "additionalProperties": true, "discriminator": {} }),
            json!({ "additionalProperties": true }),
        ),
        (json!(true), json!({})),
        (Value::Null, json!({})),
    ] {
        assert_becomes(&written, &expected);
    }
}

fn assert_becomes(written: &Value, expected: &Value) {
    let mut list = operation("GET", "/x");
    list.parameters = vec![parameter("p", Query, written.clone())];
    let schema = input(list, &json!({}));
    assert_eq!(schema["properties"]["p"], *expected, "{written}");
}

#[test]
fn read_only_follows_references_and_all_of() {
    let components = json!({
        "Id": { "type": "integer", "readOnly": true },
        "Base": { "type": "object", "properties": { "id": { "$ref": "#/components/schemas/Id" } } },
        "Pet": { "allOf": [
            { "$ref": "#/components/schemas/Base" },
            { "required": ["id", "name"], "properties": { "name": { "type": "string" }, "pin": { "writeOnly": true } } },
        ] },
    });
    let mut create = json_body(json!({ "$ref": "#/components/schemas/Pet" }));
    let pet = media(
        "application/json",
        json!({ "$ref": "#/components/schemas/Pet" }),
    );
    create.responses = vec![response("201", vec![pet])];
    let tool = only(create, &components);
    let schema = tool.input_schema.parse();
    assert!(
        accepts(&schema, &json!({ "body": { "name": "Rex" } })),
        "{schema}"
    );
    assert!(!tool.input_schema.get().contains("\"id\""), "{schema}");
    let output = tool.output_schema.unwrap().parse();
    let names: Vec<&String> = output["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["id", "name"]);
}

/// `[[...[]...]]`, or with objects.
fn nested(levels: usize, object: bool) -> Value {
    let inner = |value| {
        if object {
            json!({ "a": value })
        } else {
            json!([value])
        }
    };
    (0..levels).fold(json!(1), |value, _| inner(value))
}

#[test]
fn values_too_deep_for_readers_are_left_out() {
    for (keyword, value) in [
        ("default", nested(110, false)),
        ("default", nested(17, true)),
        ("const", nested(100, true)),
        ("enum", json!([1, nested(90, false)])),
        ("examples", json!([nested(80, false)])),
    ] {
        let schema = json!({ "description": "d", keyword: value });
        let found = run(
            &document(vec![json_body(schema)], &json!({})),
            &Settings::default(),
        );
        let published = found.tools[0].input_schema.parse();
        let body = &published["properties"]["body"];
        assert_eq!(body, &json!({ "description": "d" }), "{keyword}");
        let told = format!("`{keyword}`");
        assert!(found.notes[0].contains(&told), "{:?}", found.notes);
    }
    let kept = json!({ "default": nested(16, true), "enum": [nested(16, false)] });
    let schema = input(json_body(kept.clone()), &json!({}));
    assert_eq!(schema["properties"]["body"], kept);
}

#[test]
fn values_of_parameters_are_as_deep_as_others_at_most() {
    let mut list = operation("GET", "/x");
    let mut one = parameter("filter", Query, json!({ "type": "array", "items": {} }));
    one.example = Some(nested(60, false));
    let said = json!({ "default": nested(110, false) });
    one.extensions.insert("x-mcp".to_owned(), said);
    list.parameters = vec![one];
    let found = run(&document(vec![list], &json!({})), &Settings::default());
    let published = found.tools[0].input_schema.parse();
    assert_eq!(
        published["properties"]["filter"],
        json!({ "type": "array", "items": {} })
    );
    assert_eq!(found.notes.len(), 2, "{:?}", found.notes);
}

#[test]
fn a_value_deep_within_a_schema_leaves_it_readable() {
    let around = |levels: usize, bottom: Value| {
        let within = |schema, _| json!({ "properties": { "p": schema } });
        (0..levels).fold(bottom, within)
    };
    let refers = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let small = json!({ "default": nested(16, false) });
    for levels in 40..57 {
        let components = json!({ "Deep": around(levels, small.clone()), "Small": small });
        let body = json!({ "properties": {
            "a": refers("Deep"), "b": refers("Deep"), "c": around(levels, refers("Small")),
        } });
        let schema = input(json_body(body), &components);
        assert!(schema["properties"]["body"].is_object(), "{levels}");
    }
}
