//! A root without composition: providers refuse a whole list of tools for one `anyOf` there.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::{Schema, combine};
use crate::tool::Json;

/// What may not stand at the root. Properties that only these evaluate are not known without them, so
/// `unevaluatedProperties` goes as well.
const COMPOSED: [&str; 11] = [
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "enum",
    "const",
    "dependentSchemas",
    "unevaluatedProperties",
];
/// Compositions of compositions beyond this are not looked into.
const MAX_DEPTH: usize = 8;
/// References that lead to references, at most.
const MAX_HOPS: usize = 32;

/// The schema with nothing composed at its root; nothing where that is so already. Its tree is built
/// only where it has to be.
pub(super) fn plain(whole: &Json) -> Option<Json> {
    let members: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(whole.get()).ok()?;
    // Who names the dialect means every word of it.
    let chosen = members.contains_key("$schema");
    if chosen || !members.keys().any(|key| COMPOSED.contains(&key.as_ref())) {
        return None;
    }
    open(&whole.parse()).as_ref().map(Json::from_value)
}

/// The same on a tree. Properties of the parts stand at the root.
pub(super) fn open(whole: &Value) -> Option<Value> {
    let map = whole.as_object()?;
    if !map.keys().any(|key| COMPOSED.contains(&key.as_str())) {
        return None;
    }
    let none = Schema::new();
    let definitions = map.get("$defs").and_then(Value::as_object);
    let mut opened = flat(map, definitions.unwrap_or(&none), 0);
    opened.insert("type".to_owned(), "object".into());
    Some(Value::Object(opened))
}

fn flat(map: &Schema, definitions: &Schema, depth: usize) -> Schema {
    let mut result: Schema = map
        .iter()
        .filter(|(key, _)| !COMPOSED.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    if depth > 0 {
        result.shift_remove("$defs");
        if result.contains_key("patternProperties") {
            // A union keeps no patterns, so it cannot say that nothing else is allowed.
            result.shift_remove("additionalProperties");
            result.shift_remove("patternProperties");
        }
    }
    if depth >= MAX_DEPTH {
        return result;
    }
    let part = |value: &Value| match follow(value, definitions) {
        Some(Value::Object(map)) => flat(map, definitions, depth + 1),
        _ => Schema::new(),
    };
    if let Some(Value::Array(parts)) = map.get("allOf") {
        for one in parts {
            result = combine::both(result, part(one));
        }
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(parts)) = map.get(keyword) {
            let union = parts.iter().map(part).reduce(combine::either);
            result = combine::both(result, union.unwrap_or_default());
        }
    }
    result
}

fn follow<'s>(mut value: &'s Value, definitions: &'s Schema) -> Option<&'s Value> {
    for _ in 0..MAX_HOPS {
        let Some(reference) = value.get("$ref").and_then(Value::as_str) else {
            return Some(value);
        };
        value = definitions.get(reference.strip_prefix("#/$defs/")?)?;
    }
    None
}
