//! What a body's schema says of the object as a whole is published and checked in every form.

use super::*;

/// Schemas with values that fit and that do not.
fn bounds() -> Vec<(Value, Value, Value)> {
    let text = json!({ "type": "string" });
    let two = json!({ "a": text, "b": text });
    vec![
        (
            json!({ "type": "object", "properties": two, "minProperties": 1 }),
            json!({ "a": "x" }),
            json!({}),
        ),
        (
            json!({ "type": "object", "properties": two, "maxProperties": 1 }),
            json!({ "a": "x" }),
            json!({ "a": "x", "b": "y" }),
        ),
        (
            json!({ "type": "object", "properties": two,
                "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
            json!({ "b": "x" }),
            json!({}),
        ),
        (
            json!({ "type": "object", "properties": two, "dependentRequired": { "a": ["b"] } }),
            json!({ "b": "x" }),
            json!({ "a": "x" }),
        ),
        (
            json!({ "type": "object", "properties": two,
                "additionalProperties": { "type": "integer" } }),
            json!({ "a": "x", "n": 1 }),
            json!({ "n": "x" }),
        ),
        (
            json!({ "type": "object", "properties": two, "enum": [{ "a": "x" }, { "b": "x" }] }),
            json!({ "a": "x" }),
            json!({ "a": "y" }),
        ),
        (
            json!({ "allOf": [
                { "type": "object", "properties": { "n": text } },
                { "oneOf": [
                    { "required": ["u"], "properties": { "u": { "type": "integer" } } },
                    { "required": ["v"], "properties": { "v": { "type": "boolean" } } },
                ] },
            ] }),
            json!({ "n": "x", "u": 1 }),
            json!({ "n": "x" }),
        ),
    ]
}

#[test]
fn bounds_of_the_whole_body_hold_in_every_form() {
    for (schema, fits, fails) in bounds() {
        for media_type in [
            "application/json",
            "multipart/form-data",
            "application/x-www-form-urlencoded",
        ] {
            for (shape, path, required) in [
                ("whole", "/x", true),
                ("flat", "/x", true),
                ("flat", "/x", false),
                ("flat", "/x/{id}", true),
            ] {
                let mut post = operation("POST", path);
                post.extensions
                    .insert("x-mcp".to_owned(), json!({ "body": shape }));
                let mut wanted = body(vec![media(media_type, schema.clone())]);
                wanted.required = required;
                post.request_body = Some(wanted);
                if path.contains("id") {
                    let place = Path;
                    post.parameters.push(parameter("id", place, json!({})));
                }
                let whole = input(post, &json!({}));
                let nested = whole["properties"].get("body").is_some();
                let arguments = |value: &Value| {
                    let mut arguments = if nested {
                        json!({ "body": value })
                    } else {
                        value.clone()
                    };
                    arguments["id"] = json!("1");
                    if !path.contains("id") {
                        arguments.as_object_mut().unwrap().shift_remove("id");
                    }
                    arguments
                };
                assert!(accepts(&whole, &arguments(&fits)), "{fits}: {whole}");
                assert!(!accepts(&whole, &arguments(&fails)), "{fails}: {whole}");
            }
        }
    }
}

#[test]
fn a_flat_body_stays_flat_where_nothing_is_lost() {
    let schema = json!({ "type": "object", "required": ["a"], "minProperties": 1,
        "properties": { "a": { "type": "string" } } });
    let mut put = operation("PUT", "/x/{id}");
    put.parameters.push(parameter("id", Path, json!({})));
    put.request_body = Some(body(vec![media("application/json", schema)]));
    put.extensions
        .insert("x-mcp".to_owned(), json!({ "body": "flat" }));
    let whole = input(put, &json!({}));
    assert!(whole["properties"].get("a").is_some(), "{whole}");
}

#[test]
fn files_in_parts_and_alternatives_are_files() {
    let file = json!({ "type": "string", "format": "binary" });
    let schema = json!({ "type": "object", "allOf": [
        { "$ref": "#/components/schemas/Base" },
        { "oneOf": [
            { "required": ["pdf"], "properties": { "pdf": file } },
            { "required": ["url"], "properties": { "url": { "type": "string" } } },
        ] },
    ] });
    let components = json!({ "Base": { "type": "object", "properties": {
        "icon": file, "made": { "type": "string", "format": "binary", "readOnly": true } } } });
    let tool = only(
        with_body(vec![media("multipart/form-data", schema)]),
        &components,
    );
    let Some(BodyCodec::Multipart(fields)) =
        target(&tool).body.as_ref().map(|body| &body.media[0].codec)
    else {
        panic!("the body is multipart");
    };
    let kinds: Vec<(&str, PartKind)> = fields
        .iter()
        .map(|one| (&*one.property, one.kind))
        .collect();
    assert_eq!(kinds, [("icon", PartKind::File), ("pdf", PartKind::File)]);
    let whole = tool.input_schema.parse();
    let as_file = json!({ "data": "R0lG" });
    assert!(accepts(
        &whole,
        &json!({ "body": { "pdf": as_file, "icon": as_file } })
    ));
    assert!(accepts(&whole, &json!({ "body": { "url": "x" } })));
    assert!(!accepts(&whole, &json!({ "body": { "url": as_file } })));
    assert!(!accepts(&whole, &json!({ "body": { "icon": as_file } })));
    assert!(!whole.to_string().contains("made"), "{whole}");
}
