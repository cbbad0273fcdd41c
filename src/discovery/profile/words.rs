//! Constraints that a profile has no keyword for, in words.

use serde_json::Value;

use super::super::compose::shown;
use super::Schema;

/// The keywords whose values help a model, and how they are said.
const SAID: [(&str, &str); 13] = [
    ("format", "format"),
    ("pattern", "pattern"),
    ("minimum", "at least"),
    ("exclusiveMinimum", "more than"),
    ("maximum", "at most"),
    ("exclusiveMaximum", "less than"),
    ("multipleOf", "a multiple of"),
    ("minLength", "minimum length"),
    ("maxLength", "maximum length"),
    ("minItems", "minimum number of items"),
    ("maxItems", "maximum number of items"),
    ("contentEncoding", "encoding"),
    ("default", "default"),
];
/// A longer value is not worth its words.
const MAX_VALUE: usize = 80;
/// Values of an enumeration that are named.
const MAX_VALUES: usize = 40;

/// What `source` says by keywords that `written` lacks.
pub(super) fn lost(source: &Schema, written: &Schema) -> Vec<String> {
    let mut said = Vec::new();
    for (keyword, words) in SAID {
        let Some(value) = source
            .get(keyword)
            .filter(|_| !written.contains_key(keyword))
        else {
            continue;
        };
        let value = shown(value);
        if value.len() <= MAX_VALUE {
            said.push(format!("{words} {value}"));
        }
    }
    if source.contains_key("properties") || written.contains_key("enum") {
        return said;
    }
    let values = match (source.get("enum"), source.get("const")) {
        (Some(Value::Array(values)), _) => values.as_slice(),
        (None, Some(value)) => std::slice::from_ref(value),
        _ => &[],
    };
    if !values.is_empty() && values.len() <= MAX_VALUES {
        let values: Vec<String> = values.iter().map(shown).collect();
        said.push(format!("one of {}", values.join(", ")));
    }
    said
}

/// Adds words to a schema's description.
pub(super) fn append(schema: &mut Schema, said: &[String]) {
    if said.is_empty() {
        return;
    }
    let said = said.join("; ");
    let text = match schema.get("description").and_then(Value::as_str) {
        Some(text) if text.contains(&said) => return,
        Some(text) => format!("{} ({said})", text.trim_end()),
        None => capitalized(&said),
    };
    schema.insert("description".to_owned(), text.into());
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
