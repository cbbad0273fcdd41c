//! What a message shows of a value.

use serde_json::Value;

/// Characters of a value that a message shows.
pub(super) const MAX_SHOWN: usize = 80;

/// What was found, fit to be shown: nothing secret, nothing long.
pub(super) fn found(value: &Value, secret: bool) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
        Value::String(_) if secret => "a string (masked)".to_owned(),
        Value::Number(_) | Value::Bool(_) if secret => "a value (masked)".to_owned(),
        Value::String(_) => format!("the string {}", shown(value)),
        Value::Number(_) | Value::Bool(_) => shown(value),
    }
}

pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => Value::String(cut(text, MAX_SHOWN)).to_string(),
        other => cut(&other.to_string(), MAX_SHOWN),
    }
}

/// At most `limit` characters of `text`.
pub(super) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// What is wrong with how long a value is.
pub(super) fn length(bound: &str, limit: u64, unit: &str, value: &Value) -> String {
    let count = match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    };
    let plural = if limit == 1 { "" } else { "s" };
    format!("expected {bound} {limit} {unit}{plural}, found {count}")
}
