//! The request body: its media type chosen, its value written.

mod base64;
mod form;
mod multipart;
mod sniff;
mod text;
mod xml;

#[cfg(test)]
mod tests;

use bytes::Bytes;
use serde_json::{Map, Value};

use super::fault;
use crate::binding::Fault;
use crate::pointer;
use crate::tool::{
    Body, BodyArgument, BodyCodec, BodyMedia, FieldEncoding, FlatField, JsonType, Parameter,
    PartKind, essence, is_json_sequence, is_upload,
};

pub(super) use base64::decode as decode_base64;
pub(super) use form::write as write_form;

/// A body's value: one argument, or the members that are arguments of their own.
enum BodyValue<'a> {
    Whole(&'a Value),
    Flat(Vec<(&'a str, &'a Value)>),
}

/// Writes the body; `parameters` are those that have arguments of their own. Gives its `Content-Type` and bytes, or `None` where there is no body.
///
/// # Errors
/// What the codec cannot write, at the argument it comes from.
pub(super) fn write(
    body: Option<&Body>,
    parameters: &[Parameter],
    arguments: &Map<String, Value>,
) -> Result<Option<(String, Bytes)>, Fault> {
    let Some(body) = body else {
        return Ok(None);
    };
    let chosen = chosen(body, arguments)?;
    let Some(value) = value(body, parameters, arguments)? else {
        return Ok(None);
    };
    let media = match chosen {
        Some(media) => media,
        None => default(body, &value)?,
    };
    let at = match &body.argument {
        BodyArgument::Whole(argument) => pointer::member("", argument),
        BodyArgument::Flat(_) => String::new(),
    };
    if value.is_null() && media.codec != BodyCodec::Json {
        return if body.required {
            Err(wrong(&at, "expected a value, found null"))
        } else {
            Ok(None)
        };
    }
    encode(media, &value, &at).map(Some)
}

/// The media type that the caller names.
fn chosen<'a>(
    body: &'a Body,
    arguments: &Map<String, Value>,
) -> Result<Option<&'a BodyMedia>, Fault> {
    let chosen = body
        .choice
        .as_deref()
        .and_then(|choice| Some((choice, arguments.get(choice)?.as_str()?)));
    if let Some((choice, wanted)) = chosen {
        let found = body.media.iter().find(|media| media.media_type == wanted);
        return found.map(Some).ok_or_else(|| {
            let known: Vec<_> = body.media.iter().map(|m| m.media_type.as_str()).collect();
            let message = format!("expected one of {}, found `{wanted}`", known.join(", "));
            fault(choice, "enum", message)
        });
    }
    Ok(None)
}

/// The best media type; a file goes as multipart where that is one of them, since nothing else tells
/// bytes from text. The input schema makes the same choice.
fn default<'a>(body: &'a Body, value: &BodyValue<'_>) -> Result<&'a BodyMedia, Fault> {
    let holds_files = |fields: &[FieldEncoding]| {
        let files = fields.iter().filter(|field| field.kind != PartKind::Value);
        let mut files = files.filter_map(|field| Some((field, value.get(&field.property)?)));
        let Some((first, one)) = files.next() else {
            return false;
        };
        let is_one = |field: &FieldEncoding, value| is_upload(value, field.literal);
        !body.files_apart || is_one(first, one) && files.all(|(field, one)| is_one(field, one))
    };
    let files = body.media.iter().find(|media| match &media.codec {
        BodyCodec::Multipart(fields) => holds_files(fields),
        _ => false,
    });
    let by_type = || {
        let kind = match value {
            BodyValue::Whole(value) => JsonType::of(value)?,
            BodyValue::Flat(_) => return None,
        };
        let (_, place) = body.by_type.iter().find(|(known, _)| *known == kind)?;
        body.media.get(*place)
    };
    files
        .or_else(by_type)
        .or_else(|| body.media.first())
        .ok_or_else(|| wrong("", "the operation names no media type for its body"))
}

fn value<'a>(
    body: &'a Body,
    parameters: &[Parameter],
    arguments: &'a Map<String, Value>,
) -> Result<Option<BodyValue<'a>>, Fault> {
    match &body.argument {
        BodyArgument::Whole(argument) => match arguments.get(argument) {
            Some(value) => Ok(Some(BodyValue::Whole(value))),
            None if body.required => Err(Fault::missing(argument)),
            None => Ok(None),
        },
        BodyArgument::Flat(fields) => {
            let mut members: Vec<_> = fields
                .iter()
                .filter_map(|field| {
                    Some((field.property.as_str(), arguments.get(&field.argument)?))
                })
                .collect();
            members.extend(further(body, fields, parameters, arguments)?);
            let present = body.required || !members.is_empty();
            Ok(present.then_some(BodyValue::Flat(members)))
        }
    }
}

/// The arguments that nobody claims: the input schema has let them through, so the body's schema knows
/// them as further properties.
fn further<'a>(
    body: &Body,
    fields: &[FlatField],
    parameters: &[Parameter],
    arguments: &'a Map<String, Value>,
) -> Result<Vec<(&'a str, &'a Value)>, Fault> {
    let mut found = Vec::new();
    for (name, value) in arguments {
        let claimed = fields.iter().any(|field| field.argument == *name)
            || parameters.iter().any(|one| one.argument == *name)
            || body.choice.as_ref() == Some(name);
        if claimed {
            continue;
        }
        // No reader may choose between two members of one name.
        if let Some(field) = fields.iter().find(|field| field.property == *name) {
            let message = format!(
                "unknown argument: the property `{name}` is `{}` here",
                field.argument
            );
            return Err(fault(name, "additionalProperties", message));
        }
        found.push((name.as_str(), value));
    }
    Ok(found)
}

fn encode(media: &BodyMedia, value: &BodyValue<'_>, at: &str) -> Result<(String, Bytes), Fault> {
    let bytes = match &media.codec {
        BodyCodec::Json => value.to_json(),
        BodyCodec::JsonLines => value.to_json_lines(is_json_sequence(
            &essence(&media.media_type).to_ascii_lowercase(),
        )),
        BodyCodec::Text => {
            let media_type = concrete(&media.media_type, "text/plain");
            let (media_type, bytes) = text::encoded(media_type, value.to_text());
            return Ok((media_type, bytes.into()));
        }
        BodyCodec::Binary => match value {
            BodyValue::Whole(Value::String(text)) => {
                decode_base64(text).map_err(|message| wrong(at, message))?
            }
            BodyValue::Whole(_) | BodyValue::Flat(_) => {
                return Err(wrong(at, "expected the body's bytes as base64 text"));
            }
        },
        BodyCodec::Form(encodings) => {
            let members = value.members(at)?;
            form::write(&members, encodings)
                .map_err(|(property, message)| wrong(&pointer::member(at, property), message))?
                .into_bytes()
        }
        BodyCodec::Multipart(encodings) => {
            let members = value.members(at)?;
            let (boundary, bytes) = multipart::write(&members, encodings)
                .map_err(|(property, message)| wrong(&pointer::member(at, property), message))?;
            let media_type = match concrete(&media.media_type, "multipart/form-data") {
                plain if plain.contains("boundary=") => "multipart/form-data".to_owned(),
                plain => plain.to_owned(),
            };
            return Ok((format!("{media_type}; boundary={boundary}"), bytes.into()));
        }
        BodyCodec::Xml(names) => {
            let text = match value {
                BodyValue::Whole(value) => xml::write(value, names),
                BodyValue::Flat(members) => xml::write_members(members, names),
            };
            let media_type = concrete(&media.media_type, "application/xml").to_owned();
            let text = text.map_err(|message| wrong(at, message))?;
            return Ok((media_type, text.into()));
        }
    };
    let fallback = match media.codec {
        BodyCodec::Binary => sniff::media_type(&media.media_type, &bytes),
        BodyCodec::Form(_) => "application/x-www-form-urlencoded",
        _ => "application/json",
    };
    Ok((
        concrete(&media.media_type, fallback).to_owned(),
        bytes.into(),
    ))
}

/// Whether values of a media type are JSON; `application/jsonpath`, for one, is something else.
pub(super) fn is_json(media_type: &str) -> bool {
    let essence = essence(media_type).to_ascii_lowercase();
    matches!(essence.as_str(), "application/json" | "text/json") || essence.ends_with("+json")
}

/// A media range such as `*/*` is no media type; something of the codec's own stands for it.
fn concrete<'a>(media_type: &'a str, fallback: &'a str) -> &'a str {
    if media_type.contains('*') || media_type.is_empty() {
        fallback
    } else {
        media_type
    }
}

fn wrong(at: &str, message: impl Into<String>) -> Fault {
    Fault {
        path: at.to_owned(),
        keyword: "body".to_owned(),
        message: message.into(),
    }
}

impl BodyValue<'_> {
    fn is_null(&self) -> bool {
        matches!(self, Self::Whole(Value::Null))
    }

    /// This member of the body, where there is one that is not null.
    fn get(&self, property: &str) -> Option<&Value> {
        let member = match self {
            Self::Flat(members) => {
                let named = members.iter().find(|(name, _)| *name == property);
                named.map(|(_, value)| *value)
            }
            Self::Whole(value) => value.get(property),
        };
        member.filter(|value| !value.is_null())
    }

    /// The members of an object body.
    fn members(&self, at: &str) -> Result<Vec<(&str, &Value)>, Fault> {
        match self {
            Self::Flat(members) => Ok(members.clone()),
            Self::Whole(Value::Object(members)) => Ok(members
                .iter()
                .map(|(name, value)| (name.as_str(), value))
                .collect()),
            Self::Whole(_) => Err(wrong(at, "expected an object, since the body is a form")),
        }
    }

    fn to_json(&self) -> Vec<u8> {
        match self {
            Self::Whole(value) => json(value),
            Self::Flat(members) => {
                let mut out = vec![b'{'];
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    out.extend(json(name));
                    out.push(b':');
                    out.extend(json(value));
                }
                out.push(b'}');
                out
            }
        }
    }

    /// A line for each item of an array; anything else is one line. In a sequence each begins with a
    /// record separator (RFC 7464, section 2.2).
    fn to_json_lines(&self, sequence: bool) -> Vec<u8> {
        const SEPARATOR: &[u8] = &[0x1e];
        let before = if sequence { SEPARATOR } else { &[] };
        let mut out = Vec::new();
        match self {
            Self::Whole(Value::Array(items)) => {
                for item in items {
                    out.extend(before);
                    out.extend(json(item));
                    out.push(b'\n');
                }
            }
            Self::Whole(_) | Self::Flat(_) => {
                out.extend(before);
                out.extend(self.to_json());
                out.push(b'\n');
            }
        }
        out
    }

    fn to_text(&self) -> String {
        match self {
            Self::Whole(Value::String(text)) => text.clone(),
            Self::Whole(value) => value.to_string(),
            Self::Flat(_) => String::from_utf8_lossy(&self.to_json()).into_owned(),
        }
    }
}

fn json(value: &(impl serde::Serialize + ?Sized)) -> Vec<u8> {
    serde_json::to_vec(value).expect("a tree with string keys always has a JSON text")
}
