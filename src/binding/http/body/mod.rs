//! The request body: its media type chosen, its value written.

mod base64;
mod form;
mod multipart;
mod sniff;
mod text;
mod value;
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
use value::BodyValue;

/// Properties that cannot be written, and what is wrong with each.
pub(super) type Refused<'a> = Vec<(&'a str, String)>;

/// Writes the body; `parameters` are those that have arguments of their own. Gives its `Content-Type` and bytes, or `None` where there is no body.
///
/// # Errors
/// Arguments that a body lacks, and what the codec cannot write, at the argument it comes from.
pub(super) fn write(
    body: Option<&Body>,
    parameters: &[Parameter],
    arguments: &Map<String, Value>,
) -> Result<Option<(String, Bytes)>, Vec<Fault>> {
    let Some(body) = body else {
        return Ok(None);
    };
    let (chosen, value) = match (chosen(body, arguments), value(body, parameters, arguments)) {
        (Ok(chosen), Ok(value)) => (chosen, value),
        (chosen, value) => {
            let mut faults = value.err().unwrap_or_default();
            faults.extend(chosen.err());
            return Err(faults);
        }
    };
    let Some(value) = value else {
        return Ok(None);
    };
    written(body, chosen, &value)
}

/// The value as the chosen media type, or as the best one.
fn written(
    body: &Body,
    chosen: Option<&BodyMedia>,
    value: &BodyValue<'_>,
) -> Result<Option<(String, Bytes)>, Vec<Fault>> {
    let media = match chosen {
        Some(media) => media,
        None => default(body, value)?,
    };
    if value.is_null() && media.codec != BodyCodec::Json {
        return if body.required {
            Err(vec![wrong(&body.argument, "expected a value, found null")])
        } else {
            Ok(None)
        };
    }
    encode(media, value, &body.argument).map(Some)
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
fn default<'a>(body: &'a Body, value: &BodyValue<'_>) -> Result<&'a BodyMedia, Vec<Fault>> {
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
        .ok_or_else(|| {
            let message = "the operation names no media type for its body";
            vec![wrong(&body.argument, message)]
        })
}

fn value<'a>(
    body: &'a Body,
    parameters: &[Parameter],
    arguments: &'a Map<String, Value>,
) -> Result<Option<BodyValue<'a>>, Vec<Fault>> {
    match &body.argument {
        BodyArgument::Whole(argument) => match arguments.get(argument) {
            Some(value) => Ok(Some(BodyValue::Whole(value))),
            None if body.required => Err(vec![Fault::missing(argument)]),
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
            if body.required {
                return Ok(Some(BodyValue::Flat(members)));
            }
            if members.is_empty() {
                return Ok(None);
            }
            let faults = lacking(fields, arguments);
            if faults.is_empty() {
                Ok(Some(BodyValue::Flat(members)))
            } else {
                Err(faults)
            }
        }
    }
}

/// What a body lacks that need not be there, but is: no schema requires its members of a call.
fn lacking(fields: &[FlatField], arguments: &Map<String, Value>) -> Vec<Fault> {
    let absent = fields
        .iter()
        .filter(|field| field.needed && !arguments.contains_key(&field.argument));
    let faults = absent.map(|field| {
        let name = &field.argument;
        let message =
            format!("missing argument `{name}`: the body that other arguments are for needs it");
        fault(name, "required", message)
    });
    faults.collect()
}

/// The arguments that nobody claims: the input schema has let them through, so the body's schema knows
/// them as further properties.
fn further<'a>(
    body: &Body,
    fields: &[FlatField],
    parameters: &[Parameter],
    arguments: &'a Map<String, Value>,
) -> Result<Vec<(&'a str, &'a Value)>, Vec<Fault>> {
    let (mut found, mut faults) = (Vec::new(), Vec::new());
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
            faults.push(fault(name, "additionalProperties", message));
            continue;
        }
        found.push((name.as_str(), value));
    }
    if faults.is_empty() {
        Ok(found)
    } else {
        Err(faults)
    }
}

fn encode(
    media: &BodyMedia,
    value: &BodyValue<'_>,
    argument: &BodyArgument,
) -> Result<(String, Bytes), Vec<Fault>> {
    let whole = |message: String| vec![wrong(argument, message)];
    let members = || value.members().map_err(|message| whole(message.to_owned()));
    let each = |refused: Refused<'_>| {
        let faults = refused
            .into_iter()
            .map(|(property, message)| wrong_member(argument, property, message));
        faults.collect::<Vec<Fault>>()
    };
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
            BodyValue::Whole(Value::String(text)) => decode_base64(text).map_err(whole)?,
            BodyValue::Whole(_) | BodyValue::Flat(_) => {
                return Err(whole("expected the body's bytes as base64 text".to_owned()));
            }
        },
        BodyCodec::Form(encodings) => form::write(&members()?, encodings)
            .map_err(each)?
            .into_bytes(),
        BodyCodec::Multipart(encodings) => {
            let (boundary, bytes) = multipart::write(&members()?, encodings).map_err(each)?;
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
            let text = text.map_err(whole)?;
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

/// What is wrong with the body as a whole.
fn wrong(argument: &BodyArgument, message: impl Into<String>) -> Fault {
    Fault {
        path: match argument {
            BodyArgument::Whole(argument) => pointer::member("", argument),
            BodyArgument::Flat(_) => String::new(),
        },
        keyword: "body".to_owned(),
        message: message.into(),
    }
}

/// What is wrong with one of the body's members, at the argument it comes from.
fn wrong_member(argument: &BodyArgument, property: &str, message: String) -> Fault {
    let body = wrong(argument, message);
    let key = match argument {
        BodyArgument::Whole(_) => property,
        BodyArgument::Flat(fields) => {
            let mut fields = fields.iter();
            let field = fields.find(|field| field.property == property);
            field.map_or(property, |field| &field.argument)
        }
    };
    Fault {
        path: pointer::member(&body.path, key),
        ..body
    }
}
