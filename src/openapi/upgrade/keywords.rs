//! Single keywords: old spellings are translated, values of an invalid shape are dropped.

use serde_json::{Map, Number, Value, json};

use super::super::finding::{Findings, Place};
use super::super::reference::kind;
use super::values;

/// What 2020-12 wants a keyword's value to be.
pub(super) enum Shape {
    Text,
    Boolean,
    Count,
    Number,
    PositiveNumber,
    Schema,
    SchemaByName,
    Schemas,
    Object,
    Array,
    Names,
    NamesByName,
    Anchor,
}

pub(super) fn shape(key: &str) -> Option<Shape> {
    Some(match key {
        "title" | "description" | "$comment" | "format" | "pattern" | "contentEncoding"
        | "contentMediaType" | "$dynamicRef" => Shape::Text,
        "$anchor" | "$dynamicAnchor" => Shape::Anchor,
        "uniqueItems" | "readOnly" | "writeOnly" | "deprecated" | "nullable" => Shape::Boolean,
        "maxLength" | "minLength" | "maxItems" | "minItems" | "maxProperties" | "minProperties"
        | "minContains" | "maxContains" => Shape::Count,
        "maximum" | "minimum" | "exclusiveMaximum" | "exclusiveMinimum" => Shape::Number,
        "multipleOf" => Shape::PositiveNumber,
        "items"
        | "additionalProperties"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema"
        | "additionalItems" => Shape::Schema,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            Shape::SchemaByName
        }
        "discriminator" | "xml" | "externalDocs" => Shape::Object,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Shape::Schemas,
        "enum" | "examples" => Shape::Array,
        "required" => Shape::Names,
        "dependentRequired" => Shape::NamesByName,
        _ => return None,
    })
}

/// Translates and checks every keyword of one schema object; its subschemas come later.
pub(super) fn clean(map: &mut Map<String, Value>, place: &Place, findings: &mut Findings) {
    translate(map, place, findings);
    if map.contains_key("enum") || map.contains_key("const") {
        values::constants(map, place, findings);
    }
    values::delimiters(map, place, findings);
    let mut dropped = Vec::new();
    map.retain(|key, value| {
        let kept = keep(key, value);
        if !kept && worth_telling(key, value) {
            let empty = value.as_array().is_some_and(Vec::is_empty);
            let found = if empty { "an empty array" } else { kind(value) };
            dropped.push((key.to_owned(), found));
        }
        kept
    });
    for (key, found) in dropped {
        findings.warn(
            "invalid-keyword",
            &place.member(&key),
            format!("found {found} that {key} cannot have"),
            "correct the value; the keyword is ignored",
        );
    }
}

/// Null, `required: []` and `required: false` are common and harmless.
fn worth_telling(key: &str, value: &Value) -> bool {
    let empty = value.as_array().is_some_and(Vec::is_empty);
    !(value.is_null()
        || key == "required" && (empty || value.is_boolean())
        || key == "$schema"
        || key == "$id")
}

fn keep(key: &str, value: &mut Value) -> bool {
    if value.is_null() {
        // Unknown members may mean something by null; keywords never do.
        return matches!(key, "default" | "const") || key.starts_with("x-");
    }
    match shape(key) {
        // Another dialect or base would change what the rest means.
        None if key == "$schema" => value.as_str().is_some_and(is_own_dialect),
        None => !matches!(
            key,
            "$id" | "$vocabulary" | "$recursiveRef" | "$recursiveAnchor" | "dependencies"
        ),
        Some(Shape::Text) => text(key, value),
        Some(Shape::Anchor) => value.as_str().is_some_and(anchor),
        Some(Shape::Boolean) => value.is_boolean(),
        Some(Shape::Count) => count(value),
        Some(Shape::Number) => value.is_number(),
        Some(Shape::PositiveNumber) => value.as_f64().is_some_and(|number| number > 0.0),
        Some(Shape::Schema) => {
            value.is_object() || value.is_boolean() || (key == "items" && value.is_array())
        }
        Some(Shape::SchemaByName | Shape::Object) => value.is_object(),
        Some(Shape::Schemas) => value.as_array().is_some_and(|list| !list.is_empty()),
        Some(Shape::Array) => value
            .as_array()
            .is_some_and(|list| key != "enum" || !list.is_empty()),
        Some(Shape::Names) => names(value) && value.as_array().is_some_and(|list| !list.is_empty()),
        Some(Shape::NamesByName) => value
            .as_object_mut()
            .is_some_and(|map| map.values_mut().all(names)),
    }
}

/// The dialect every schema is in after the upgrade (JSON Schema 2020-12, Core, section 5).
fn is_own_dialect(uri: &str) -> bool {
    uri.trim_end_matches('#') == "https://json-schema.org/draft/2020-12/schema"
}

/// YAML makes a number of `title: 2024`.
fn text(key: &str, value: &mut Value) -> bool {
    if matches!(key, "title" | "description") && (value.is_number() || value.is_boolean()) {
        *value = Value::String(value.to_string());
    }
    value.is_string()
}

fn anchor(name: &str) -> bool {
    let mut characters = name.chars();
    characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|other| other.is_ascii_alphanumeric() || "-._".contains(other))
}

/// A count may be written `1.0`.
fn count(value: &mut Value) -> bool {
    if value.as_u64().is_some() {
        return true;
    }
    let Some(number) = value.as_f64() else {
        return false;
    };
    if number < 0.0 || number.fract() != 0.0 || number > 9e15 {
        return false;
    }
    match format!("{number:.0}").parse::<Number>() {
        Ok(whole) => {
            *value = Value::Number(whole);
            true
        }
        Err(_) => false,
    }
}

/// Keeps texts, each once.
fn names(value: &mut Value) -> bool {
    let Some(list) = value.as_array_mut() else {
        return false;
    };
    let mut seen = std::collections::HashSet::new();
    list.retain(|name| {
        name.as_str()
            .is_some_and(|name| seen.insert(name.to_owned()))
    });
    true
}

/// Whether a keyword may be spelt in a way of an older dialect.
fn old_spelling(key: &str) -> bool {
    matches!(
        key,
        "exclusiveMinimum" | "exclusiveMaximum" | "example" | "examples" | "discriminator"
    )
}

fn translate(map: &mut Map<String, Value>, place: &Place, findings: &mut Findings) {
    let (mut typed, mut old) = (false, false);
    for key in map.keys() {
        typed |= key == "type";
        old |= old_spelling(key);
    }
    if typed {
        types(map, place, findings);
    }
    if old {
        limits(map);
        examples(map);
    }
    if old && let Some(Value::String(property)) = map.get("discriminator") {
        let property = property.clone();
        map.insert("discriminator".into(), json!({"propertyName": property}));
    }
}

/// `exclusiveMinimum: true` beside `minimum` is `exclusiveMinimum` alone since draft 6.
fn limits(map: &mut Map<String, Value>) {
    for (exclusive, limit) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        if let Some(Value::Bool(strict)) = map.get(exclusive) {
            let strict = *strict;
            map.shift_remove(exclusive);
            if strict && let Some(bound) = map.shift_remove(limit) {
                map.insert(exclusive.into(), bound);
            }
        }
    }
}

/// `example` is `examples` with one item; named examples lose their names.
fn examples(map: &mut Map<String, Value>) {
    if let Some(example) = map.shift_remove("example") {
        map.entry("examples").or_insert_with(|| json!([example]));
    }
    if let Some(Value::Object(named)) = map.get_mut("examples") {
        let values: Vec<Value> = std::mem::take(named)
            .into_iter()
            .map(|(_, mut example)| match example.get_mut("value") {
                Some(value) => value.take(),
                None => example,
            })
            .collect();
        map.insert("examples".into(), Value::Array(values));
    }
}

fn types(map: &mut Map<String, Value>, place: &Place, findings: &mut Findings) {
    if map.get("type").and_then(Value::as_str) == Some("file") {
        map.entry("format").or_insert_with(|| json!("binary"));
    }
    let Some(written) = map.get_mut("type") else {
        return;
    };
    if written.is_null() || written.as_str().is_some_and(standard) {
        return;
    }
    let mut wrong = None;
    let mut known: Vec<&'static str> = Vec::new();
    let mut any = false;
    let candidates = match &*written {
        Value::Array(list) => list.as_slice(),
        other => std::slice::from_ref(other),
    };
    for candidate in candidates {
        match type_name(candidate) {
            Some("any") => any = true,
            Some(name) if known.contains(&name) => {}
            Some(name) => known.push(name),
            None => wrong = Some(candidate.to_string()),
        }
    }
    match known.as_slice() {
        [only] if !any => *written = json!(only),
        [_, ..] if !any => *written = json!(known),
        _ => drop(map.shift_remove("type")),
    }
    if let Some(found) = wrong {
        findings.warn(
            "invalid-type",
            &place.member("type"),
            format!(
                "expected string, number, integer, boolean, array, object or null, found {found}"
            ),
            "correct the type; it is ignored",
        );
    }
}

fn standard(name: &str) -> bool {
    matches!(
        name,
        "string" | "number" | "integer" | "boolean" | "array" | "object" | "null"
    )
}

/// The type that is meant; `any` where every value is.
fn type_name(value: &Value) -> Option<&'static str> {
    let Value::String(name) = value else {
        return value.is_null().then_some("null");
    };
    Some(match name.to_ascii_lowercase().as_str() {
        "string" | "str" | "text" | "file" | "date" | "datetime" | "date-time" | "uuid"
        | "guid" | "binary" | "byte" | "password" | "email" | "uri" | "url" | "enum" => "string",
        "number" | "float" | "double" | "decimal" => "number",
        "integer" | "int" | "int32" | "int64" | "long" | "short" => "integer",
        "boolean" | "bool" => "boolean",
        "array" | "list" | "set" => "array",
        "object" | "map" | "dict" | "dictionary" | "hash" => "object",
        "null" => "null",
        "any" | "mixed" => "any",
        _ => return None,
    })
}

/// Removes what asserts something beside `$ref` (OpenAPI 3.0.4, section 4.8.23.1: "SHALL be
/// ignored"). What only describes stays, since that is what authors meant, and so does `nullable`.
pub(super) fn drop_siblings(map: &mut Map<String, Value>, place: &Place, findings: &mut Findings) {
    let mut dropped = Vec::new();
    map.retain(|key, _| {
        let kept = key.starts_with("x-")
            || matches!(
                key.as_str(),
                "$ref" | "title" | "description" | "default" | "example" | "examples" | "nullable"
                    | "readOnly" | "writeOnly" | "deprecated" | "externalDocs" | "xml" | "$comment"
                    // `required: true` inside a property is still the parent's to take.
                    | "$defs" | "definitions" | "discriminator"
            );
        if !kept {
            dropped.push(key.to_owned());
        }
        kept
    });
    if !dropped.is_empty() {
        findings.note(
            "reference-sibling",
            place.pointer(),
            format!(
                "{} beside $ref counts for nothing in this version",
                dropped.join(", ")
            ),
        );
    }
}
