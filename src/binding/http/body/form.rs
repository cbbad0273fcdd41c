//! `application/x-www-form-urlencoded` bodies (OpenAPI 3.2, section 4.15): pairs as in a query.

use serde_json::Value;

use super::super::query::Pairs;
use crate::tool::{FieldEncoding, Style};

/// Writes an object's members. Without a style, scalars and lists of scalars are repeated pairs and
/// what is nested is JSON text; null and empty lists are left out.
///
/// # Errors
/// The property, and what is wrong with it.
pub(super) fn write<'a>(
    members: &[(&'a str, &Value)],
    encodings: &[FieldEncoding],
) -> Result<String, (&'a str, String)> {
    let mut out = String::new();
    for &(name, value) in members {
        let encoding = encodings.iter().find(|encoding| encoding.property == name);
        let json = encoding
            .filter(|encoding| encoding.style.is_none())
            .and_then(|encoding| encoding.content_type.as_deref())
            .is_some_and(|media_type| media_type.contains("json"));
        let style = encoding.and_then(|encoding| encoding.style);
        let pairs = Pairs {
            name,
            style: style.unwrap_or(Style::Form),
            explode: style.is_none() || encoding.is_some_and(|encoding| encoding.explode),
            allow_reserved: encoding.is_some_and(|encoding| encoding.allow_reserved),
            allow_empty: false,
        };
        let whole = style.is_none() && (value.is_object() || (json && !value.is_null()));
        if whole {
            pairs.pair(&mut out, name, &value.to_string());
        } else {
            pairs
                .write(&mut out, value)
                .map_err(|message| (name, message))?;
        }
    }
    Ok(out)
}
