//! Two schemas into one that a profile can say: both must hold, or either may.
//!
//! Neither result is exact where keywords have no common form; it always takes at least what the two
//! take together, or either of them.

use serde_json::Value;

use super::{Schema, words};

/// Deeper schemas accept anything.
const MAX_DEPTH: usize = 48;

/// Takes what both take, and maybe more.
pub(super) fn both(mut one: Schema, other: Schema) -> Schema {
    both_at(&mut one, other, 0);
    one
}

fn both_at(one: &mut Schema, other: Schema, depth: usize) {
    for (keyword, value) in other {
        let Some(own) = one.get_mut(&keyword) else {
            one.insert(keyword, value);
            continue;
        };
        match (keyword.as_str(), value) {
            ("properties", Value::Object(more)) => {
                let Value::Object(own) = own else { continue };
                for (name, schema) in more {
                    match (own.get_mut(&name), schema) {
                        (Some(Value::Object(own)), Value::Object(schema)) if depth < MAX_DEPTH => {
                            both_at(own, schema, depth + 1);
                        }
                        (Some(_), _) => {}
                        (None, schema) => {
                            own.insert(name, schema);
                        }
                    }
                }
            }
            ("items", Value::Object(more)) if depth < MAX_DEPTH => {
                if let Value::Object(own) = own {
                    both_at(own, more, depth + 1);
                }
            }
            ("required", Value::Array(more)) => {
                let Value::Array(own) = own else { continue };
                for name in more {
                    if !own.contains(&name) {
                        own.push(name);
                    }
                }
            }
            ("enum", Value::Array(more)) => {
                let Value::Array(own) = own else { continue };
                let common: Vec<Value> = own
                    .iter()
                    .filter(|value| more.contains(value))
                    .cloned()
                    .collect();
                // Nothing in common is a fault of the document: the first list stays.
                if !common.is_empty() {
                    *own = common;
                }
            }
            ("type", value) => narrow(own, &value),
            // The first one stays: half of what both demand.
            _ => {}
        }
    }
}

/// The types that both have; the first where there is none.
fn narrow(own: &mut Value, other: &Value) {
    let names = |value: &Value| -> Vec<String> {
        let list = value
            .as_array()
            .map_or(std::slice::from_ref(value), Vec::as_slice);
        let names = list.iter().filter_map(Value::as_str);
        names.map(str::to_owned).collect()
    };
    let (mine, theirs) = (names(own), names(other));
    let mut common: Vec<String> = Vec::new();
    for (a, b) in mine.iter().flat_map(|a| theirs.iter().map(move |b| (a, b))) {
        let name = match (a.as_str(), b.as_str()) {
            (a, b) if a == b => a,
            ("integer", "number") | ("number", "integer") => "integer",
            _ => continue,
        };
        if !common.iter().any(|known| known == name) {
            common.push(name.to_owned());
        }
    }
    match common.as_slice() {
        [] => {}
        [only] => *own = only.as_str().into(),
        several => *own = several.to_vec().into(),
    }
}

/// Takes what either takes, and maybe more.
pub(super) fn either(one: Schema, other: Schema) -> Schema {
    either_at(one, other, 0)
}

fn either_at(one: Schema, mut other: Schema, depth: usize) -> Schema {
    let (one_closed, other_closed) = (closed(&one), closed(&other));
    let mut result = Schema::new();
    for (keyword, own) in one {
        let theirs = other.shift_remove(&keyword);
        match (keyword.as_str(), own, theirs) {
            ("description" | "title", own, None) => {
                result.insert(keyword, own);
            }
            ("description", Value::String(own), Some(Value::String(theirs))) => {
                let text = if own == theirs {
                    own
                } else {
                    format!("{own} Or: {theirs}")
                };
                result.insert(keyword, text.into());
            }
            ("properties", Value::Object(own), theirs) => {
                let theirs = match theirs {
                    Some(Value::Object(theirs)) => theirs,
                    _ => Schema::new(),
                };
                let named = properties(own, theirs, (one_closed, other_closed), depth);
                result.insert(keyword, Value::Object(named));
            }
            ("items", Value::Object(own), Some(Value::Object(theirs))) if depth < MAX_DEPTH => {
                let items = either_at(own, theirs, depth + 1);
                result.insert(keyword, Value::Object(items));
            }
            ("required", Value::Array(own), Some(Value::Array(theirs))) => {
                let common: Vec<Value> = own
                    .into_iter()
                    .filter(|name| theirs.contains(name))
                    .collect();
                if !common.is_empty() {
                    result.insert(keyword, common.into());
                }
            }
            ("enum", Value::Array(mut own), Some(Value::Array(theirs))) => {
                for value in theirs {
                    if !own.contains(&value) {
                        own.push(value);
                    }
                }
                result.insert(keyword, own.into());
            }
            (_, own, Some(theirs)) if own == theirs => {
                result.insert(keyword, own);
            }
            _ => {}
        }
    }
    if let Some(Value::Object(theirs)) = other.shift_remove("properties") {
        let named = properties(Schema::new(), theirs, (one_closed, other_closed), depth);
        result.insert("properties".to_owned(), Value::Object(named));
    }
    if let Some(text @ Value::String(_)) = other.shift_remove("description") {
        result.entry("description").or_insert(text);
    }
    for_lists(&mut result);
    result
}

/// Whether no value has a property that is not named.
fn closed(schema: &Schema) -> bool {
    let no_object = |name: &Value| name.as_str().is_some_and(|name| name != "object");
    schema.get("additionalProperties") == Some(&Value::Bool(false))
        || schema.get("type").is_some_and(no_object)
}

/// Properties of either. One that only one side names may be anything where the other side is open.
fn properties(one: Schema, mut other: Schema, closed: (bool, bool), depth: usize) -> Schema {
    let mut named = Schema::new();
    for (name, own) in one {
        let merged = match (own, other.shift_remove(&name)) {
            (Value::Object(own), Some(Value::Object(theirs))) if depth < MAX_DEPTH => {
                Value::Object(either_at(own, theirs, depth + 1))
            }
            (own, None) if closed.1 => own,
            (own, _) => opened(&own),
        };
        named.insert(name, merged);
    }
    for (name, theirs) in other {
        let merged = if closed.0 { theirs } else { opened(&theirs) };
        named.insert(name, merged);
    }
    named
}

/// What a schema says to a reader, without holding anybody to it.
pub(super) fn opened(schema: &Value) -> Value {
    let Value::Object(map) = schema else {
        return Value::Object(Schema::new());
    };
    let mut opened = Schema::new();
    if let Some(text @ Value::String(_)) = map.get("description") {
        opened.insert("description".to_owned(), text.clone());
    }
    let mut said = Vec::new();
    if let Some(Value::String(name)) = map.get("type") {
        said.push(name.clone());
    }
    said.extend(words::lost(map, &opened));
    words::append(&mut opened, &said);
    Value::Object(opened)
}

/// Providers refuse an array whose items are not described.
pub(super) fn for_lists(schema: &mut Schema) {
    let list = match schema.get("type") {
        Some(Value::String(name)) => name == "array",
        Some(Value::Array(names)) => names.iter().any(|name| name == "array"),
        _ => false,
    };
    if list && !schema.contains_key("items") {
        schema.insert("items".to_owned(), Value::Object(Schema::new()));
    }
}
