//! Swagger 2.0's body and formData parameters as a request body.

use serde_json::{Map, Value, json};

use super::swagger::{move_schema, style_of};

/// Media types of forms.
const URLENCODED: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// The one `in: body` parameter.
pub(super) fn plain_body(mut parameter: Map<String, Value>, consumes: &[String]) -> Value {
    let schema = parameter
        .shift_remove("schema")
        .unwrap_or(Value::Bool(true));
    let mut body = Map::new();
    for (key, value) in parameter {
        if matches!(key.as_str(), "description" | "required") || key.starts_with("x-") {
            body.insert(key, value);
        }
    }
    let mut names = consumes.to_vec();
    if names.is_empty() {
        names.push("application/json".to_owned());
    }
    let content: Map<String, Value> = names
        .into_iter()
        .map(|name| (name, json!({ "schema": schema })))
        .collect();
    body.insert("content".into(), Value::Object(content));
    Value::Object(body)
}

/// All `in: formData` parameters.
pub(super) fn form_body(fields: Vec<Map<String, Value>>, consumes: &[String]) -> Value {
    let (mut properties, mut encoding) = (Map::new(), Map::new());
    let (mut required, mut file) = (Vec::new(), false);
    for mut field in fields {
        let Some(name) = field.get("name").and_then(Value::as_str).map(str::to_owned) else {
            continue;
        };
        let format = field.shift_remove("collectionFormat");
        let kind = field.get("type").and_then(Value::as_str);
        file |= kind == Some("file");
        if kind == Some("array") {
            let (style, explode) = style_of(format.as_ref().and_then(Value::as_str), "form");
            // Swagger's formats hold in multipart bodies too, unlike the later styles.
            encoding.insert(
                name.clone(),
                json!({"style": style, "explode": explode, "x-collectionFormat": true}),
            );
        }
        if field.get("required") == Some(&Value::Bool(true)) {
            required.push(name.clone());
        }
        properties.insert(name, field_schema(field));
    }
    let mut schema = json!({"type": "object", "properties": properties});
    let needed = !required.is_empty();
    if needed {
        schema["required"] = json!(required);
    }
    let content: Map<String, Value> = form_types(consumes, file)
        .into_iter()
        .map(|name| (name, json!({"schema": schema, "encoding": encoding})))
        .collect();
    json!({"required": needed, "content": content})
}

/// A form field's schema keeps the field's description and extensions.
fn field_schema(mut field: Map<String, Value>) -> Value {
    let description = field.shift_remove("description");
    move_schema(&mut field);
    let mut schema = match field.shift_remove("schema") {
        Some(Value::Object(schema)) => schema,
        _ => Map::new(),
    };
    if let Some(description) = description {
        schema.insert("description".into(), description);
    }
    for (key, value) in field {
        if key.starts_with("x-") || matches!(key.as_str(), "example" | "deprecated") {
            schema.entry(key).or_insert(value);
        }
    }
    Value::Object(schema)
}

/// A file can only travel as multipart; without any form type the plain form is the default.
fn form_types(consumes: &[String], file: bool) -> Vec<String> {
    let found: Vec<String> = consumes
        .iter()
        .filter(|name| {
            let name = name.to_ascii_lowercase();
            name.starts_with(MULTIPART) || (!file && name.starts_with(URLENCODED))
        })
        .cloned()
        .collect();
    if !found.is_empty() {
        return found;
    }
    vec![if file { MULTIPART } else { URLENCODED }.to_owned()]
}
