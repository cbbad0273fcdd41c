//! `nullable` of OpenAPI 3.0 and `x-nullable` of Swagger 2.0 as a type of 2020-12.

use serde_json::{Map, Value, json};

/// Keywords that say nothing about what is valid; they stay outside when a schema is wrapped.
const ANNOTATIONS: [&str; 14] = [
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "externalDocs",
    "xml",
    "discriminator",
    "$defs",
    "definitions",
    "$anchor",
];

/// Replaces `nullable` and `x-nullable`; what they stood on accepts null afterwards.
pub(super) fn nullable(map: &mut Map<String, Value>) {
    let written = map.shift_remove("nullable");
    let extension = map.shift_remove("x-nullable");
    if written != Some(Value::Bool(true)) && extension != Some(Value::Bool(true)) {
        return;
    }
    let composed = ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "const"]
        .iter()
        .any(|key| map.contains_key(*key));
    if composed {
        wrap(map);
        return;
    }
    match map.get_mut("type") {
        Some(Value::String(name)) if name != "null" => {
            let name = std::mem::take(name);
            map.insert("type".into(), json!([name, "null"]));
        }
        Some(Value::Array(names)) if !names.contains(&json!("null")) => names.push(json!("null")),
        _ => {}
    }
    if let Some(Value::Array(values)) = map.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
}

/// Moves what the schema asserts into one alternative and puts null beside it.
fn wrap(map: &mut Map<String, Value>) {
    if only_alternatives(map) {
        if let Some(Value::Array(list)) = map.get_mut("anyOf")
            && !list
                .iter()
                .any(|item| item.get("type") == Some(&json!("null")))
        {
            list.push(json!({"type": "null"}));
        }
        return;
    }
    let mut asserted = Map::new();
    let mut outside = Map::new();
    for (key, value) in std::mem::take(map) {
        let annotation = key.starts_with("x-") || ANNOTATIONS.contains(&key.as_str());
        if annotation {
            &mut outside
        } else {
            &mut asserted
        }
        .insert(key, value);
    }
    outside.insert(
        "anyOf".into(),
        json!([Value::Object(asserted), {"type": "null"}]),
    );
    *map = outside;
}

/// Whether `anyOf` is all that the schema asserts.
fn only_alternatives(map: &Map<String, Value>) -> bool {
    map.contains_key("anyOf")
        && map.keys().all(|key| {
            key == "anyOf" || key.starts_with("x-") || ANNOTATIONS.contains(&key.as_str())
        })
}
