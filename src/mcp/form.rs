//! Elicitation forms: a flat object of strings, numbers, booleans and choices.
//!
//! What a form can hold is a small part of JSON Schema (2025-11-25, client/elicitation,
//! `PrimitiveSchemaDefinition`); a client may refuse any other keyword.

use serde_json::{Map, Value, json};

use super::revision::Revision;
use crate::policy::confirm::Query;

/// The parameters of `elicitation/create`. A question without fields has a form without
/// properties, so that accepting it is the whole answer.
pub(crate) fn params(query: &Query, revision: Revision) -> Value {
    if let Some(page) = &query.page {
        let mut params = json!({"mode": "url", "message": query.message, "url": page.url});
        // Gone with the requests to the client.
        if !revision.is_modern() {
            params["elicitationId"] = json!(&*page.id);
        }
        return params;
    }
    let mut properties = Map::new();
    let mut required = Vec::new();
    for one in &query.fields {
        if let Some(field) = field(&one.schema, revision) {
            properties.insert(one.name.clone(), field);
            if one.required {
                required.push(one.name.as_str());
            }
        }
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    let mut params = json!({"message": query.message, "requestedSchema": schema});
    if revision.has_elicitation_modes() {
        params["mode"] = json!("form");
    }
    params
}

/// The field for values of a schema, if a form of this revision can have one.
pub(crate) fn field(schema: &Value, revision: Revision) -> Option<Value> {
    // What is secret must never be typed into a form.
    if schema
        .get("format")
        .is_some_and(|format| format == "password")
    {
        return None;
    }
    let mut out = match kind(schema)? {
        "string" => string(schema, revision)?,
        kind @ ("integer" | "number") => {
            let mut out = Map::from_iter([("type".to_owned(), kind.into())]);
            copy(schema, &["minimum", "maximum"], &mut out);
            out
        }
        "boolean" => Map::from_iter([("type".to_owned(), "boolean".into())]),
        "array" if revision.has_elicitation_modes() => list(schema)?,
        _ => return None,
    };
    copy(schema, &["title", "description"], &mut out);
    // A default came with 2025-11-25, for booleans before.
    if revision.has_elicitation_modes() || out.get("type").is_some_and(|kind| kind == "boolean") {
        copy(schema, &["default"], &mut out);
    }
    Some(Value::Object(out))
}

/// The type, where it is one; null beside it is no second.
fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => Some(kind),
        Some(Value::Array(kinds)) => {
            let mut others = kinds
                .iter()
                .filter_map(Value::as_str)
                .filter(|k| *k != "null");
            others.next().filter(|_| others.next().is_none())
        }
        None if choices(schema, "oneOf").is_some() || strings(schema, "enum").is_some() => {
            Some("string")
        }
        _ => None,
    }
}

fn string(schema: &Value, revision: Revision) -> Option<Map<String, Value>> {
    let mut out = Map::from_iter([("type".to_owned(), "string".into())]);
    let titled = choices(schema, "oneOf").or_else(|| choices(schema, "anyOf"));
    if let Some(titled) = titled {
        if revision.has_elicitation_modes() {
            out.insert("oneOf".to_owned(), titled.into());
        } else {
            let pick = |name: &str| titled.iter().map(|one| one[name].clone()).collect();
            out.insert("enum".to_owned(), pick("const"));
            out.insert("enumNames".to_owned(), pick("title"));
        }
    } else if schema.get("enum").is_some() {
        let values = strings(schema, "enum")?;
        let names = strings(schema, "enumNames").or_else(|| strings(schema, "x-enumNames"));
        if let Some(names) = names.filter(|names| names.len() == values.len()) {
            out.insert("enumNames".to_owned(), names.into());
        }
        out.insert("enum".to_owned(), values.into());
    } else if schema.get("oneOf").is_some() || schema.get("anyOf").is_some() {
        return None;
    } else {
        copy(schema, &["minLength", "maxLength"], &mut out);
        let known = ["email", "uri", "date", "date-time"];
        if schema["format"]
            .as_str()
            .is_some_and(|format| known.contains(&format))
        {
            copy(schema, &["format"], &mut out);
        }
    }
    Some(out)
}

/// Several of a choice.
fn list(schema: &Value) -> Option<Map<String, Value>> {
    let items = schema.get("items")?;
    let titled = choices(items, "anyOf").or_else(|| choices(items, "oneOf"));
    let items = match titled {
        Some(titled) => json!({ "anyOf": titled }),
        None => json!({"type": "string", "enum": strings(items, "enum")?}),
    };
    let mut out = Map::from_iter([("type".to_owned(), "array".into())]);
    copy(schema, &["minItems", "maxItems"], &mut out);
    out.insert("items".to_owned(), items);
    Some(out)
}

/// `[{const, title}, ...]`, where every branch is a text.
fn choices(schema: &Value, keyword: &str) -> Option<Vec<Value>> {
    let branches = schema.get(keyword)?.as_array()?;
    let choice = |branch: &Value| {
        let text = branch.get("const")?.as_str()?;
        let title = branch.get("title").and_then(Value::as_str).unwrap_or(text);
        Some(json!({"const": text, "title": title}))
    };
    branches.iter().map(choice).collect()
}

fn strings(schema: &Value, keyword: &str) -> Option<Vec<Value>> {
    let values = schema.get(keyword)?.as_array()?;
    values.iter().all(Value::is_string).then(|| values.clone())
}

fn copy(from: &Value, keywords: &[&str], out: &mut Map<String, Value>) {
    for keyword in keywords {
        if let Some(value) = from.get(keyword) {
            out.insert((*keyword).to_owned(), value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_what_a_form_can_hold() {
        let new = Revision::V2025_11_25;
        let titled = json!([{"const": "a", "title": "A"}, {"const": "b", "title": "b"}]);
        let cases = [
            (
                json!({"type": "string", "pattern": "x", "minLength": 1, "format": "uuid", "default": "d"}),
                Some(json!({"type": "string", "minLength": 1, "default": "d"})),
            ),
            (
                json!({"type": ["integer", "null"], "minimum": 1, "title": "N"}),
                Some(json!({"type": "integer", "minimum": 1, "title": "N"})),
            ),
            (json!({"type": "boolean"}), Some(json!({"type": "boolean"}))),
            (
                json!({"enum": ["a"]}),
                Some(json!({"type": "string", "enum": ["a"]})),
            ),
            (
                json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}, {"const": "b"}]}),
                Some(json!({"type": "string", "oneOf": titled})),
            ),
            (
                json!({"type": "string", "enum": ["a"], "enumNames": ["A"]}),
                Some(json!({"type": "string", "enumNames": ["A"], "enum": ["a"]})),
            ),
            (
                json!({"type": "array", "items": {"type": "string", "enum": ["a"]}}),
                Some(json!({"type": "array", "items": {"type": "string", "enum": ["a"]}})),
            ),
            (
                json!({"type": "array", "maxItems": 1, "items": {"anyOf": titled}}),
                Some(json!({"type": "array", "maxItems": 1, "items": {"anyOf": titled}})),
            ),
            (json!({"type": "array", "items": {"type": "string"}}), None),
            (json!({"type": "object"}), None),
            (json!({"type": "string", "enum": ["a", 1]}), None),
            (json!({"type": ["string", "integer"]}), None),
            (json!({"type": "string", "format": "password"}), None),
            (json!({}), None),
        ];
        for (schema, expected) in cases {
            assert_eq!(field(&schema, new), expected, "{schema}");
        }
        let old = Revision::V2025_06_18;
        assert_eq!(
            field(&json!({"oneOf": titled, "default": "a"}), old),
            Some(json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A", "b"]}))
        );
        assert_eq!(
            field(&json!({"type": "array", "items": {"enum": ["a"]}}), old),
            None
        );
    }
}
