//! Query parameters, and the form-style pairs that urlencoded bodies share with them.

use std::borrow::Cow;

use serde_json::Value;

use super::body::{is_json, write_form};
use super::style::{self, Shape};
use crate::tool::{Parameter, Style};

/// How one name's value becomes pairs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pairs<'a> {
    /// The name on the wire, not yet encoded.
    pub(super) name: &'a str,
    /// How arrays and objects are written.
    pub(super) style: Style,
    /// Whether each item or member is a pair of its own.
    pub(super) explode: bool,
    /// Reserved characters in values stay.
    pub(super) allow_reserved: bool,
    /// An empty value is sent as the bare name.
    pub(super) allow_empty: bool,
}

/// Appends a query parameter's pairs.
///
/// # Errors
/// What is wrong with the value.
pub(super) fn write(out: &mut String, parameter: &Parameter, value: &Value) -> Result<(), String> {
    let pairs = Pairs {
        name: &parameter.name,
        style: parameter.style,
        explode: parameter.explode,
        allow_reserved: parameter.allow_reserved,
        allow_empty: parameter.allow_empty,
    };
    if parameter.content.is_some() {
        pairs.pair(out, &parameter.name, &content_text(parameter, value));
        return Ok(());
    }
    pairs.write(out, value)
}

/// Appends a `querystring` parameter: the whole query (OpenAPI 3.2, section 4.12.4).
///
/// An object under a form media type becomes its pairs as in a form's body, a text there is taken as written; any
/// other media type is its text, percent-encoded.
///
/// # Errors
/// What is wrong with the value.
pub(super) fn write_whole(
    out: &mut String,
    parameter: &Parameter,
    value: &Value,
) -> Result<(), String> {
    let form = parameter
        .content
        .as_deref()
        .is_none_or(|media| media.starts_with("application/x-www-form-urlencoded"));
    match value {
        Value::Object(members) if form => {
            let members: Vec<(&str, &Value)> = members
                .iter()
                .map(|(name, value)| (name.as_str(), value))
                .collect();
            let pairs = write_form(&members, &parameter.encodings).map_err(|refused| {
                let told = refused
                    .iter()
                    .map(|(property, message)| format!("in `{property}`: {message}"));
                told.collect::<Vec<_>>().join("; ")
            })?;
            if !pairs.is_empty() {
                separate(out);
                out.push_str(&pairs);
            }
            Ok(())
        }
        Value::String(text) if form => {
            separate(out);
            for (index, pair) in text.trim_start_matches('?').split('&').enumerate() {
                if index > 0 {
                    out.push('&');
                }
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                style::encode_reserved(out, name, false);
                if pair.contains('=') {
                    out.push('=');
                    style::encode_reserved(out, value, false);
                }
            }
            Ok(())
        }
        _ => {
            separate(out);
            style::encode(out, &content_text(parameter, value));
            Ok(())
        }
    }
}

/// The text of a parameter that has a media type: JSON, or a text as it is.
pub(super) fn content_text<'a>(parameter: &Parameter, value: &'a Value) -> Cow<'a, str> {
    let json = parameter
        .content
        .as_deref()
        .is_none_or(|media| is_json(media) || media.contains('*'));
    match value {
        Value::String(text) if !json => Cow::Borrowed(text),
        _ => Cow::Owned(value.to_string()),
    }
}

fn separate(out: &mut String) {
    if !out.is_empty() {
        out.push('&');
    }
}

impl Pairs<'_> {
    /// Appends `value`'s pairs; nothing for null, an empty array and an empty object.
    pub(super) fn write(&self, out: &mut String, value: &Value) -> Result<(), String> {
        if self.style == Style::DeepObject && (value.is_array() || value.is_object()) {
            self.deep(out, &mut self.name.to_owned(), value, 0);
            return Ok(());
        }
        let Some(shape) = Shape::of(value) else {
            return Ok(());
        };
        if shape.is_empty() {
            if self.allow_empty {
                separate(out);
                style::encode(out, self.name);
            }
            return Ok(());
        }
        match shape {
            Shape::Single(text) => self.pair(out, self.name, &text),
            Shape::Items(items) if self.explode => {
                for item in items {
                    self.pair(out, self.name, &item);
                }
            }
            Shape::Pairs(members) if self.explode => {
                for (name, text) in members {
                    self.pair(out, name, &text);
                }
            }
            Shape::Items(_) | Shape::Pairs(_) => return self.delimited(out, &shape),
        }
        Ok(())
    }

    fn delimited(&self, out: &mut String, shape: &Shape<'_>) -> Result<(), String> {
        style::check_delimiter(shape, self.style)?;
        let (_, separator, _) = style::delimiter(self.style);
        separate(out);
        style::encode(out, self.name);
        out.push('=');
        style::join(out, shape, separator, false, |out, text| {
            if self.allow_reserved {
                style::encode_reserved(out, text, true);
            } else {
                style::encode(out, text);
            }
        });
        Ok(())
    }

    /// Bracketed names. OpenAPI defines one level of members; deeper objects nest their brackets.
    /// Arrays, which OpenAPI leaves open, get `[]` for their scalars and `[0]`, `[1]`, ... for what
    /// is nested: what PHP, Rack, Node's qs and ASP.NET Core read alike.
    fn deep(&self, out: &mut String, name: &mut String, value: &Value, depth: usize) {
        const MAX_DEPTH: usize = 32;
        let length = name.len();
        match value {
            Value::Object(members) if depth < MAX_DEPTH => {
                for (member, value) in members {
                    name.push('[');
                    name.push_str(member);
                    name.push(']');
                    self.deep(out, name, value, depth + 1);
                    name.truncate(length);
                }
            }
            Value::Array(items) if depth < MAX_DEPTH => {
                for (index, item) in items.iter().enumerate() {
                    if item.is_array() || item.is_object() {
                        name.push_str(&format!("[{index}]"));
                    } else {
                        name.push_str("[]");
                    }
                    self.deep(out, name, item, depth + 1);
                    name.truncate(length);
                }
            }
            _ => {
                if let Some(text) = style::scalar(value) {
                    self.pair(out, name, &text);
                }
            }
        }
    }

    /// Appends one pair.
    pub(super) fn pair(&self, out: &mut String, name: &str, text: &str) {
        separate(out);
        style::encode(out, name);
        if text.is_empty() && self.allow_empty {
            return;
        }
        out.push('=');
        if self.allow_reserved {
            style::encode_reserved(out, text, false);
        } else {
            style::encode(out, text);
        }
    }
}
