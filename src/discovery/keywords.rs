//! JSON Schema 2020-12's keywords: what each one's value is, and the values that may stay.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::fragment::Members;
use super::text::clean;

/// A longer default says more than it helps, in bytes of JSON.
const MAX_DEFAULT: usize = 1024;
/// A longer example is left out, in bytes of JSON.
pub(super) const MAX_EXAMPLE: usize = 200;
/// More examples than this are left out.
const MAX_EXAMPLES: usize = 2;

/// What a keyword's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Schema { same: bool },
    Schemas,
    Named { same: bool },
    Properties,
    Prose,
    Text,
    Pattern,
    Number,
    Count,
    Flag,
    Names,
    NamesBy,
    Type,
    Enum,
    Const,
    Default,
    Examples,
    Anchor,
    Reference,
    Dropped,
}

pub(super) fn kind(keyword: &str) -> Kind {
    match keyword {
        "$ref" => Kind::Reference,
        "type" => Kind::Type,
        "enum" => Kind::Enum,
        "const" => Kind::Const,
        "default" => Kind::Default,
        "examples" => Kind::Examples,
        "$anchor" => Kind::Anchor,
        "pattern" => Kind::Pattern,
        "required" => Kind::Names,
        "dependentRequired" => Kind::NamesBy,
        "properties" => Kind::Properties,
        "patternProperties" => Kind::Named { same: false },
        "dependentSchemas" => Kind::Named { same: true },
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Kind::Schemas,
        "not" | "if" | "then" | "else" => Kind::Schema { same: true },
        "items"
        | "contains"
        | "additionalProperties"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => Kind::Schema { same: false },
        "title" | "description" => Kind::Prose,
        "format" | "contentEncoding" | "contentMediaType" => Kind::Text,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            Kind::Number
        }
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => Kind::Count,
        // A preview masks what is sensitive.
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" | "x-sensitive" => Kind::Flag,
        // The names of choices in forms of old.
        "enumNames" => Kind::Enum,
        _ => Kind::Dropped,
    }
}

/// Keywords whose values are no schemas.
pub(super) fn plain(
    kind: Kind,
    keyword: &str,
    value: &Value,
    hidden: &HashSet<String>,
    members: &mut Members<'_>,
) {
    let keep = match (kind, value) {
        (Kind::Text, Value::String(text)) => !text.is_empty(),
        (Kind::Number, Value::Number(number)) => {
            keyword != "multipleOf" || number.as_f64().is_some_and(|number| number > 0.0)
        }
        (Kind::Count, Value::Number(number)) => number.as_u64().is_some(),
        (Kind::Flag, Value::Bool(flag)) => *flag && keyword != "readOnly",
        (Kind::Enum, Value::Array(list)) => !list.is_empty(),
        (Kind::Const, _) => true,
        (Kind::Default, Value::Null) => false,
        (Kind::Default, value) => value.to_string().len() <= MAX_DEFAULT,
        _ => false,
    };
    if keep {
        members.key(keyword).value(value);
        return;
    }
    let value = match (kind, value) {
        (Kind::Prose, Value::String(text)) => Some(clean(text))
            .filter(|text| !text.is_empty())
            .map(Value::from),
        (Kind::Names, Value::Array(list)) => names(list, hidden),
        (Kind::NamesBy, Value::Object(map)) => Some(Value::Object(
            map.iter()
                .filter_map(|(name, list)| Some((name, list.as_array()?)))
                .filter_map(|(name, list)| Some((name.clone(), names(list, hidden)?)))
                .collect(),
        )),
        (Kind::Type, value) => types(value),
        (Kind::Examples, Value::Array(list)) => examples(list),
        _ => None,
    };
    if let Some(value) = value {
        members.key(keyword).value(&value);
    }
}

fn names(list: &[Value], hidden: &HashSet<String>) -> Option<Value> {
    let mut seen = HashSet::new();
    let names: Vec<Value> = list
        .iter()
        .filter_map(Value::as_str)
        .filter(|name| !hidden.contains(*name) && seen.insert(*name))
        .map(Value::from)
        .collect();
    (!names.is_empty()).then_some(Value::Array(names))
}

fn types(value: &Value) -> Option<Value> {
    let name = |value: &Value| match value.as_str()? {
        // Swagger's word for bytes.
        "file" => Some("string"),
        "string" => Some("string"),
        "number" => Some("number"),
        "integer" => Some("integer"),
        "boolean" => Some("boolean"),
        "object" => Some("object"),
        "array" => Some("array"),
        "null" => Some("null"),
        _ => None,
    };
    match value {
        Value::Array(list) => {
            let mut known: Vec<&str> = Vec::new();
            for name in list.iter().filter_map(name) {
                if !known.contains(&name) {
                    known.push(name);
                }
            }
            match known.as_slice() {
                [] => None,
                [only] => Some(Value::from(*only)),
                several => Some(Value::from(several.to_vec())),
            }
        }
        value => name(value).map(Value::from),
    }
}

fn examples(list: &[Value]) -> Option<Value> {
    let short: Vec<Value> = list
        .iter()
        .filter(|example| example.to_string().len() <= MAX_EXAMPLE)
        .take(MAX_EXAMPLES)
        .cloned()
        .collect();
    (!short.is_empty()).then_some(Value::Array(short))
}

/// Model providers refuse an array whose items are not described.
pub(super) fn lists_without_items(map: &Map<String, Value>) -> bool {
    let list = match map.get("type") {
        Some(Value::String(name)) => name == "array",
        Some(Value::Array(names)) => names.iter().any(|name| name == "array"),
        _ => false,
    };
    list && !matches!(
        map.get("items"),
        Some(Value::Object(_) | Value::Bool(_) | Value::Array(_))
    )
}
