//! Cookie parameters: `form` style, with the pairs apart as cookies are (RFC 6265, section 4.2.1).
//!
//! Only what a cookie cannot carry is percent-encoded, and `%` itself, unless the document says that
//! values are written as they are (`style: cookie`). In a name, that is what is no token character:
//! a name with a space has no other spelling that every server takes for one cookie.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::Value;

use super::query::content_text;
use super::style::{self, Shape};
use crate::tool::Parameter;

/// What is no cookie-octet.
const NO_OCTET: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b',').add(b';').add(b'\\');
/// With `%`, so that decoding gives the value back.
const DATA: &AsciiSet = &NO_OCTET.add(b'%');
/// A name is a token; `=` ends it.
const NO_NAME: &AsciiSet = &DATA
    .add(b'(')
    .add(b')')
    .add(b'/')
    .add(b':')
    .add(b'<')
    .add(b'=')
    .add(b'>')
    .add(b'?')
    .add(b'@')
    .add(b'[')
    .add(b']')
    .add(b'{')
    .add(b'}');

/// Appends a cookie parameter to the `Cookie` header's value. An exploded array or object is a
/// cookie per item or member; otherwise its parts are joined by commas.
pub(super) fn write(out: &mut String, parameter: &Parameter, value: &Value) {
    let octets = if parameter.allow_reserved {
        NO_OCTET
    } else {
        DATA
    };
    let pair = |out: &mut String, name: &str, text: &str| pair(out, name, text, octets);
    if parameter.content.is_some() {
        pair(out, &parameter.name, &content_text(parameter, value));
        return;
    }
    match Shape::of(value).filter(|shape| !shape.is_empty()) {
        None => {}
        Some(Shape::Single(text)) => pair(out, &parameter.name, &text),
        Some(Shape::Items(items)) if parameter.explode => {
            for item in items {
                pair(out, &parameter.name, &item);
            }
        }
        Some(Shape::Pairs(members)) if parameter.explode => {
            for (name, text) in members {
                pair(out, name, &text);
            }
        }
        Some(shape) => {
            pair(out, &parameter.name, "");
            style::join(out, &shape, ",", false, |out, text| {
                encode(out, text, octets);
            });
        }
    }
}

fn pair(out: &mut String, name: &str, text: &str, octets: &'static AsciiSet) {
    if !out.is_empty() {
        out.push_str("; ");
    }
    out.extend(utf8_percent_encode(name, NO_NAME));
    out.push('=');
    encode(out, text, octets);
}

fn encode(out: &mut String, text: &str, octets: &'static AsciiSet) {
    out.extend(utf8_percent_encode(text, octets));
}
