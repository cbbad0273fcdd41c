//! Cookie parameters: `form` style, with the pairs apart as cookies are (RFC 6265, section 4.2.1).

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::Value;

use super::query::content_text;
use super::style::{self, Shape};
use crate::tool::Parameter;

/// What is no cookie-octet, and `%`, so that decoding gives the value back.
const NO_OCTET: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'%')
    .add(b',')
    .add(b';')
    .add(b'\\');
/// A name is a token; `=` ends it.
const NO_NAME: &AsciiSet = &NO_OCTET
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
            style::join(out, &shape, ",", false, encode);
        }
    }
}

fn pair(out: &mut String, name: &str, text: &str) {
    if !out.is_empty() {
        out.push_str("; ");
    }
    out.extend(utf8_percent_encode(name, NO_NAME));
    out.push('=');
    encode(out, text);
}

fn encode(out: &mut String, text: &str) {
    out.extend(utf8_percent_encode(text, NO_OCTET));
}
