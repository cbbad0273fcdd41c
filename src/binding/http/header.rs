//! Header parameters.
//!
//! A header is not percent-encoded (OpenAPI 3.2, section 4.12.3): visible ASCII, spaces and tabs go as they are.
//! Only what a header cannot carry (RFC 9110, section 5.5) or what would be read as the border between two
//! items is percent-encoded, as UTF-8, and then `%` is too, so that decoding gives the value back. A space or tab
//! at the beginning or end is such a thing: it is taken off before a header is read.

use std::fmt::Write as _;

use ::http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::query::content_text;
use super::style::{self, Shape};
use crate::tool::{FRAMING_HEADERS, Parameter, Style};

/// Sets a header parameter's header.
///
/// # Errors
/// What is wrong with the value, for instance a line break.
pub(super) fn write(
    headers: &mut HeaderMap,
    parameter: &Parameter,
    value: &Value,
) -> Result<(), String> {
    let Ok(name) = HeaderName::try_from(parameter.name.as_str()) else {
        return Err(format!(
            "`{}` cannot be the name of a header",
            parameter.name
        ));
    };
    if FRAMING_HEADERS.contains(&name.as_str()) {
        return Ok(());
    }
    let Some(text) = text(parameter, value)? else {
        return Ok(());
    };
    let value = HeaderValue::try_from(text)
        .map_err(|_| "expected a text without control characters".to_owned())?;
    headers.insert(name, value);
    Ok(())
}

fn text(parameter: &Parameter, value: &Value) -> Result<Option<String>, String> {
    if parameter.content.is_some() {
        let text = content_text(parameter, value);
        check_controls(&text)?;
        let json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        return Ok(Some(if json && !has_edges(&text) {
            ascii_json(&text)
        } else {
            percent_encoded(&text, "")
        }));
    }
    let Some(shape) = Shape::of(value).filter(|shape| !shape.is_empty()) else {
        return Ok(None);
    };
    for text in shape.texts() {
        check_controls(text)?;
    }
    let borders = borders(&shape, parameter);
    let encoded = shape
        .texts()
        .any(|text| !text.is_ascii() || has_edges(text) || text.contains(|c| borders.contains(c)));
    let (character, _, _) = style::delimiter(parameter.style);
    let mut out = String::new();
    let separator = character.to_string();
    style::join(
        &mut out,
        &shape,
        &separator,
        parameter.explode,
        |out, text| {
            if encoded {
                out.push_str(&percent_encoded(text, borders));
            } else {
                out.push_str(text);
            }
        },
    );
    Ok(Some(out))
}

/// The characters that are borders inside this value.
fn borders(shape: &Shape<'_>, parameter: &Parameter) -> &'static str {
    let pairs = matches!(shape, Shape::Pairs(_)) && parameter.explode;
    match (shape, parameter.style) {
        (Shape::Single(_), _) => "",
        (_, Style::SpaceDelimited) if pairs => " =",
        (_, Style::SpaceDelimited) => " ",
        (_, Style::PipeDelimited) if pairs => "|=",
        (_, Style::PipeDelimited) => "|",
        (_, Style::TabDelimited) if pairs => "\t=",
        (_, Style::TabDelimited) => "\t",
        _ if pairs => ",=",
        _ => ",",
    }
}

fn check_controls(text: &str) -> Result<(), String> {
    match text.chars().find(|&c| c.is_ascii_control() && c != '\t') {
        Some(found) => Err(format!(
            "expected a text without control characters, since it is sent as a header; found U+{:04X}",
            u32::from(found)
        )),
        None => Ok(()),
    }
}

/// Spaces and tabs, which are left out where they stand around a value (RFC 9110, section 5.6.3).
const BLANK: [char; 2] = [' ', '\t'];

/// Whether a text begins or ends with what is left out there.
fn has_edges(text: &str) -> bool {
    text.starts_with(BLANK) || text.ends_with(BLANK)
}

fn percent_encoded(text: &str, borders: &str) -> String {
    let mut out = String::with_capacity(text.len() * 3);
    let start = text.len() - text.trim_start_matches(BLANK).len();
    let inner = start..text.trim_end_matches(BLANK).len();
    for (at, character) in text.char_indices() {
        let plain = character.is_ascii() && character != '%' && !borders.contains(character);
        if plain && (inner.contains(&at) || !BLANK.contains(&character)) {
            out.push(character);
        } else {
            let mut buffer = [0; 4];
            for byte in character.encode_utf8(&mut buffer).bytes() {
                // Writing to a text cannot fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// JSON in ASCII: whatever is not stands in a string, where `\u` means the same.
fn ascii_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii() {
            out.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a text cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}
