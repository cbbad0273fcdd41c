//! `application/x-www-form-urlencoded` bodies (OpenAPI 3.2, section 4.15): pairs as in a query.

use serde_json::{Map, Value};

use super::super::query::Pairs;
use super::{Refused, is_json};
use crate::tool::{FieldEncoding, Style};

/// Writes an object's members. Without a style, scalars and lists of scalars are repeated pairs and
/// what is nested is JSON text; null and empty lists are left out. The style `form` says nothing of
/// members that are nested themselves, so an object with such members is JSON text too.
///
/// # Errors
/// The properties that cannot be written.
pub(in crate::binding::http) fn write<'a>(
    members: &[(&'a str, &Value)],
    encodings: &[FieldEncoding],
) -> Result<String, Refused<'a>> {
    let mut out = String::new();
    let mut refused = Refused::new();
    for &(name, value) in members {
        let encoding = encodings.iter().find(|encoding| encoding.property == name);
        let json = encoding
            .filter(|encoding| encoding.style.is_none())
            .and_then(|encoding| encoding.content_type.as_deref())
            .is_some_and(is_json);
        let style = encoding.and_then(|encoding| encoding.style);
        let pairs = Pairs {
            name,
            style: style.unwrap_or(Style::Form),
            explode: style.is_none() || encoding.is_some_and(|encoding| encoding.explode),
            // Every reader of a form decodes it, and a value that holds a percent sign stays that value.
            allow_reserved: false,
            allow_empty: false,
        };
        let whole = match style {
            None => value.is_object() || (json && !value.is_null()),
            Some(Style::Form) => value.as_object().is_some_and(is_nested),
            Some(_) => false,
        };
        if whole {
            pairs.pair(&mut out, name, &value.to_string());
        } else if let Err(message) = pairs.write(&mut out, value) {
            refused.push((name, message));
        }
    }
    if refused.is_empty() {
        Ok(out)
    } else {
        Err(refused)
    }
}

fn is_nested(members: &Map<String, Value>) -> bool {
    members
        .values()
        .any(|value| value.is_array() || value.is_object())
}
