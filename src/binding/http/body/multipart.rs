//! `multipart/form-data` bodies (RFC 7578; OpenAPI 3.2, section 4.15).

use memchr::memmem;
use serde_json::Value;

use super::super::query::Pairs;
use super::super::style;
use super::{Refused, decode_base64, is_json, sniff, text, xml};
use crate::tool::{FieldEncoding, PartKind, XmlNames};

/// A boundary is this and sixteen digits.
const BOUNDARY: &str = "mcpinvoke-boundary-";
const DIGITS: usize = 16;

struct Part {
    name: String,
    filename: Option<String>,
    content_type: Option<String>,
    headers: Vec<(String, String)>,
    data: Vec<u8>,
}

/// Writes an object's members, one part for each value; an array's items are parts of their own.
/// Gives the boundary, which depends on nothing but the content, and the bytes.
///
/// # Errors
/// The properties that cannot be written.
pub(super) fn write<'a>(
    members: &[(&'a str, &Value)],
    encodings: &[FieldEncoding],
) -> Result<(String, Vec<u8>), Refused<'a>> {
    let mut parts = Vec::new();
    let mut refused = Refused::new();
    for &(name, value) in members {
        let encoding = encodings.iter().find(|encoding| encoding.property == name);
        let before = parts.len();
        if let Err(message) = add(&mut parts, name, value, encoding) {
            refused.push((name, message));
        }
        if let Some(encoding) = encoding {
            let added = parts.iter_mut().skip(before);
            added.for_each(|part| part.headers.clone_from(&encoding.headers));
        }
    }
    if !refused.is_empty() {
        return Err(refused);
    }
    let boundary = boundary(&parts);
    let length: usize = parts.iter().map(|part| part.data.len() + 256).sum();
    let mut out = Vec::with_capacity(length + 64);
    for part in &parts {
        part.write(&mut out, &boundary);
    }
    out.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Ok((boundary, out))
}

fn add(
    parts: &mut Vec<Part>,
    name: &str,
    value: &Value,
    encoding: Option<&FieldEncoding>,
) -> Result<(), String> {
    let kind = encoding.map_or(PartKind::Value, |encoding| encoding.kind);
    match (value, kind) {
        (Value::Null, _) => {}
        (Value::Array(files), PartKind::Files | PartKind::File) => {
            for value in files.iter().filter(|value| !value.is_null()) {
                parts.push(file(name, value, encoding)?);
            }
        }
        (value, PartKind::Files | PartKind::File) => parts.push(file(name, value, encoding)?),
        (value, PartKind::Value) => match encoding.filter(|encoding| encoding.style.is_some()) {
            // An object without `explode` would be `key,value,key,value`: no server reads that.
            Some(encoding) if value.is_object() && !encoding.explode => {
                plain(parts, name, value, Some(encoding))?;
            }
            Some(encoding) => styled(parts, name, value, encoding)?,
            None => plain(parts, name, value, encoding)?,
        },
    }
    Ok(())
}

/// Text for scalars, JSON for what is nested, a part for each item of an array. A property that
/// is JSON as a whole by its `contentType` is one part.
fn plain(
    parts: &mut Vec<Part>,
    name: &str,
    value: &Value,
    encoding: Option<&FieldEncoding>,
) -> Result<(), String> {
    let content_type = encoding.and_then(|encoding| single_type(encoding.content_type.as_deref()));
    let json = content_type.is_some_and(is_json);
    let names = encoding.and_then(|encoding| encoding.xml.as_ref());
    let names = names.filter(|_| content_type.is_some());
    match value {
        Value::Null => {}
        Value::Array(items) if !json => {
            for item in items {
                match item {
                    // One value of a list, whatever it holds.
                    Value::Array(_) => parts.push(json_part(name, item, content_type)),
                    item => plain(parts, name, item, encoding)?,
                }
            }
        }
        nested @ Value::Object(_) if names.is_some() => {
            let data = xml::write(nested, names.unwrap_or(&XmlNames::default()))?;
            parts.push(Part {
                data: data.into_bytes(),
                ..json_part(name, &Value::Null, content_type)
            });
        }
        nested if json || nested.is_object() || nested.is_array() => {
            parts.push(json_part(name, nested, content_type));
        }
        scalar => {
            let text = style::scalar(scalar).unwrap_or_default().into_owned();
            let (content_type, data) = match content_type {
                Some(content_type) => {
                    let (content_type, data) = text::encoded(content_type, text);
                    (Some(content_type), data)
                }
                None => (None, text.into_bytes()),
            };
            parts.push(Part {
                name: name.to_owned(),
                filename: None,
                content_type,
                headers: Vec::new(),
                data,
            });
        }
    }
    Ok(())
}

fn json_part(name: &str, value: &Value, content_type: Option<&str>) -> Part {
    Part {
        name: name.to_owned(),
        filename: None,
        content_type: Some(content_type.unwrap_or("application/json").to_owned()),
        headers: Vec::new(),
        data: value.to_string().into_bytes(),
    }
}

/// A style means the pairs of a query, one part for each (OpenAPI 3.1, section 4.8.15).
fn styled(
    parts: &mut Vec<Part>,
    name: &str,
    value: &Value,
    encoding: &FieldEncoding,
) -> Result<(), String> {
    let pairs = Pairs {
        name,
        style: encoding.style.unwrap_or(crate::tool::Style::Form),
        explode: encoding.explode,
        allow_reserved: false,
        allow_empty: false,
    };
    let mut query = String::new();
    pairs.write(&mut query, value)?;
    for (name, text) in url::form_urlencoded::parse(query.as_bytes()) {
        parts.push(Part {
            name: name.into_owned(),
            filename: None,
            content_type: single_type(encoding.content_type.as_deref()).map(str::to_owned),
            headers: Vec::new(),
            data: text.into_owned().into_bytes(),
        });
    }
    Ok(())
}

fn file(name: &str, value: &Value, encoding: Option<&FieldEncoding>) -> Result<Part, String> {
    let declared = encoding.and_then(|encoding| encoding.content_type.as_deref());
    let member = |key: &str| value.get(key).and_then(Value::as_str);
    let literal = encoding.is_some_and(|encoding| encoding.literal);
    let data = match value {
        Value::String(text) if literal => text.as_bytes().to_vec(),
        Value::String(text) => decode_base64(text)?,
        Value::Object(_) => match (member("data"), member("text").or_else(|| member("content"))) {
            (Some(data), _) => decode_base64(data)?,
            (None, Some(text)) => text.as_bytes().to_vec(),
            (None, None) => {
                return Err("expected a file with `data` (base64) or `text`".to_owned());
            }
        },
        _ => return Err("expected a file: base64 text, or an object with `data`".to_owned()),
    };
    let content_type = member("contentType")
        .or(single_type(declared))
        .unwrap_or_else(|| sniff::file(declared, &data));
    if content_type.chars().any(char::is_control) {
        return Err("expected a `contentType` without control characters".to_owned());
    }
    Ok(Part {
        name: name.to_owned(),
        filename: Some(member("filename").unwrap_or(name).to_owned()),
        content_type: Some(content_type.to_owned()),
        headers: Vec::new(),
        data,
    })
}

/// `contentType` may list several types or ranges; only a single plain one can be sent.
fn single_type(content_type: Option<&str>) -> Option<&str> {
    content_type
        .map(str::trim)
        .filter(|text| !text.is_empty() && !text.contains([',', '*']))
        .filter(|text| !text.chars().any(char::is_control))
}

/// The first boundary that occurs nowhere in the parts.
fn boundary(parts: &[Part]) -> String {
    let finder = memmem::Finder::new(BOUNDARY);
    let mut taken = Vec::new();
    for part in parts {
        let names = [
            part.name.as_bytes(),
            part.filename.as_deref().unwrap_or("").as_bytes(),
        ];
        for bytes in names.into_iter().chain([part.data.as_slice()]) {
            for at in finder.find_iter(bytes) {
                let digits = at + BOUNDARY.len();
                let number = bytes
                    .get(digits..digits + DIGITS)
                    .and_then(|digits| std::str::from_utf8(digits).ok())
                    .and_then(|digits| u64::from_str_radix(digits, 16).ok());
                taken.extend(number);
            }
        }
    }
    taken.sort_unstable();
    let mut free = 0_u64;
    for number in taken {
        if number == free {
            free += 1;
        }
    }
    format!("{BOUNDARY}{free:016x}")
}

/// What ends the quoted text, and what no header may hold, percent-encoded as browsers do it (WHATWG
/// HTML, "multipart/form-data encoding algorithm"; RFC 7578 leaves it open).
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character == '"' || character.is_ascii_control() {
            out.push_str(&format!("%{:02X}", u32::from(character)));
        } else {
            out.push(character);
        }
    }
    out
}

impl Part {
    fn write(&self, out: &mut Vec<u8>, boundary: &str) {
        let mut head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"",
            quoted(&self.name)
        );
        if let Some(filename) = &self.filename {
            head.push_str(&format!("; filename=\"{}\"", quoted(filename)));
        }
        if let Some(content_type) = &self.content_type {
            head.push_str(&format!("\r\nContent-Type: {content_type}"));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("\r\n{name}: {value}"));
        }
        head.push_str("\r\n\r\n");
        out.extend_from_slice(head.as_bytes());
        out.extend_from_slice(&self.data);
        out.extend_from_slice(b"\r\n");
    }
}
