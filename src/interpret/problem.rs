//! Error bodies put into words: problem details (RFC 9457) and the shapes that frameworks use instead.

use serde_json::{Map, Value};

use super::media;

/// Lines taken from one body.
const MAX_LINES: usize = 20;
/// Bytes taken from one text.
const MAX_TEXT: usize = 500;

/// What the body says, a line each; nothing where its shape is unknown.
pub(super) fn words(json: &str) -> Vec<String> {
    let Ok(Value::Object(body)) = crate::tree::read(json) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    summary(&body, &mut lines);
    // JSON:API and GraphQL have only `errors`; OAuth and many others wrap what they say in `error`.
    if let Some(Value::Object(error)) = body.get("error") {
        summary(error, &mut lines);
    }
    for key in [
        "errors",
        "invalid-params",
        "invalidParams",
        "invalid_params",
        "detail",
        "details",
        "violations",
    ] {
        if let Some(found) = body.get(key) {
            fields(found, &mut lines);
        }
    }
    lines.truncate(MAX_LINES);
    lines
}

fn summary(body: &Map<String, Value>, lines: &mut Vec<String>) {
    let texts: Vec<&str> = ["title", "message", "error_description", "detail", "error"]
        .iter()
        .filter_map(|key| body.get(*key)?.as_str())
        .filter(|text| !text.trim().is_empty())
        .collect();
    if !texts.is_empty() {
        push(lines, &texts.join(": "));
    }
}

/// The parts that were wrong: a list of texts or objects, or an object of field names.
fn fields(found: &Value, lines: &mut Vec<String>) {
    match found {
        Value::Array(items) => {
            for item in items.iter().take(MAX_LINES) {
                match item {
                    Value::String(text) => push(lines, text),
                    Value::Object(members) => push(lines, &one(members)),
                    _ => {}
                }
            }
        }
        Value::Object(named) => {
            for (name, messages) in named.iter().take(MAX_LINES) {
                let texts: Vec<&str> = match messages {
                    Value::String(text) => vec![text.as_str()],
                    Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
                    _ => Vec::new(),
                };
                if !texts.is_empty() {
                    push(lines, &format!("{name}: {}", texts.join("; ")));
                }
            }
        }
        _ => {}
    }
}

/// One entry: where it is, and what is wrong there.
fn one(members: &Map<String, Value>) -> String {
    let place = [
        "pointer",
        "field",
        "name",
        "path",
        "property",
        "propertyPath",
        "parameter",
        "loc",
    ]
    .iter()
    .find_map(|key| place(members.get(*key)?))
    .or_else(|| place(members.get("source")?.get("pointer")?));
    let what = [
        "detail",
        "message",
        "msg",
        "reason",
        "description",
        "title",
        "defaultMessage",
    ]
    .iter()
    .find_map(|key| members.get(*key)?.as_str())
    .unwrap_or_default();
    match place {
        Some(place) if !what.is_empty() => format!("{place}: {what}"),
        Some(place) => place,
        None => what.to_owned(),
    }
}

fn place(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Array(steps) => {
            let steps: Vec<String> = steps
                .iter()
                .map(|step| {
                    step.as_str()
                        .map_or_else(|| step.to_string(), str::to_owned)
                })
                .collect();
            (!steps.is_empty()).then(|| steps.join("."))
        }
        _ => None,
    }
}

/// Adds one line: no line breaks, not too long, nothing twice.
fn push(lines: &mut Vec<String>, text: &str) {
    let (text, cut) = media::head(text.trim(), MAX_TEXT);
    let mut line = text.replace(['\n', '\r', '\t'], " ");
    if cut {
        line.push_str("...");
    }
    if !line.is_empty() && lines.len() < MAX_LINES && !lines.contains(&line) {
        lines.push(line);
    }
}
