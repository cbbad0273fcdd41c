//! An HTTP answer as an outcome: the status decides success, the media type the form.

use ::http::header::{CONTENT_DISPOSITION, ETAG, HeaderName, LAST_MODIFIED, LOCATION};
use ::http::{HeaderMap, Method, StatusCode};
use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::value::RawValue;

use super::failure;
use super::media::{self, Kind, Media};
use crate::handler::{Cut, HttpReply};
use crate::tool::{Content, HttpTarget, Outcome, Text};

/// What stays as it is in a resource's name.
const NAME: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'/');

/// Turns an upstream's answer into an outcome.
///
/// `publishes_output` says that the tool has an output schema: then `structured` is always there and always
/// an object (MCP before 2026-07-28), except on errors, where clients would hold it against that schema.
#[must_use]
pub fn http_reply(target: &HttpTarget, publishes_output: bool, reply: HttpReply) -> Outcome {
    let status = reply.status;
    let mut outcome = if status.is_success() || status == StatusCode::NOT_MODIFIED {
        success(target, publishes_output, reply)
    } else {
        failure::http_error(target, publishes_output, reply)
    };
    outcome.status = Some(i32::from(status.as_u16()));
    outcome
}

fn success(target: &HttpTarget, publishes_output: bool, reply: HttpReply) -> Outcome {
    if target.method == Method::HEAD || reply.body.is_empty() {
        return bodiless(target, publishes_output, &reply);
    }
    let media = Media::of(&reply.headers);
    if let Some(cut) = reply.cut {
        return truncated(&media, publishes_output, reply.body, cut);
    }
    let uri = || resource_uri(target, &reply.headers);
    let body = reply.body;
    match media.kind {
        Kind::Json => text_or_json(media.text(body, false), publishes_output),
        Kind::Text => plain(media.text(body, false), publishes_output),
        Kind::Image => binary(
            Content::Image {
                data: body,
                media_type: media.essence,
            },
            publishes_output,
        ),
        Kind::Audio => binary(
            Content::Audio {
                data: body,
                media_type: media.essence,
            },
            publishes_output,
        ),
        Kind::Unknown => match Text::from_utf8(body) {
            Ok(text) => text_or_json(text, publishes_output),
            Err(data) => {
                let media_type = "application/octet-stream".to_owned();
                let uri = uri();
                binary(
                    Content::Blob {
                        uri,
                        data,
                        media_type,
                    },
                    publishes_output,
                )
            }
        },
        Kind::Binary => {
            let uri = uri();
            let media_type = media.essence;
            binary(
                Content::Blob {
                    uri,
                    data: body,
                    media_type,
                },
                publishes_output,
            )
        }
    }
}

fn done(content: Vec<Content>, structured: Option<Text>) -> Outcome {
    Outcome {
        content,
        structured,
        is_error: false,
        status: None,
    }
}

/// JSON as text and as data; text that only claims to be JSON is text.
fn text_or_json(text: Text, publishes_output: bool) -> Outcome {
    if !is_json(text.as_str()) {
        return plain(text, publishes_output);
    }
    let object = text.as_str().trim_start().starts_with('{');
    let structured = if publishes_output && !object {
        wrapped(text.as_str())
    } else {
        text.clone()
    };
    done(vec![Content::Text(text)], Some(structured))
}

fn plain(text: Text, publishes_output: bool) -> Outcome {
    let structured = publishes_output
        .then(|| wrapped(&serde_json::Value::String(text.as_str().to_owned()).to_string()));
    done(vec![Content::Text(text)], structured)
}

fn binary(content: Content, publishes_output: bool) -> Outcome {
    done(vec![content], publishes_output.then(|| wrapped("null")))
}

/// `{"result": ...}` around a JSON text.
fn wrapped(json: &str) -> Text {
    Text::from(format!(r#"{{"result":{json}}}"#))
}

/// Checks without building anything.
pub(super) fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

/// No body: the status is the answer, with the headers that say something about the resource.
fn bodiless(target: &HttpTarget, publishes_output: bool, reply: &HttpReply) -> Outcome {
    let head = target.method == Method::HEAD;
    let names: &[HeaderName] = if head {
        &[
            ::http::header::CONTENT_TYPE,
            ::http::header::CONTENT_LENGTH,
            ETAG,
            LAST_MODIFIED,
            LOCATION,
            ::http::header::ALLOW,
            ::http::header::ACCEPT_RANGES,
            ::http::header::CACHE_CONTROL,
            ::http::header::RETRY_AFTER,
        ]
    } else {
        &[LOCATION, ETAG, LAST_MODIFIED, ::http::header::ALLOW]
    };
    let mut text = status_line(reply.status);
    for name in names {
        if let Some(value) = reply
            .headers
            .get(name)
            .and_then(|value| value.to_str().ok())
        {
            let value = if *name == LOCATION {
                failure::shown_location(value)
            } else {
                media::printable(value).into_owned()
            };
            text.push_str(&format!("\n{name}: {value}"));
        }
    }
    binary(Content::Text(Text::from(text)), publishes_output)
}

/// `204 No Content`.
pub(super) fn status_line(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

/// A body that was cut is no JSON any more and no picture: the text there is, and that it is not all.
fn truncated(media: &Media, publishes_output: bool, body: Bytes, cut: Cut) -> Outcome {
    let whole = match cut.announced {
        Some(length) => format!("of {length} bytes "),
        None => String::new(),
    };
    let advice = "ask for less, for instance by filters, fewer fields or a smaller page";
    let structured = publishes_output.then(|| Text::from(r#"{"result":null,"truncated":true}"#));
    let text = match media.kind {
        Kind::Json | Kind::Text => Some(media.text(body, true)),
        Kind::Unknown if !body.contains(&0) => Some(media.text(body, true)),
        Kind::Unknown | Kind::Image | Kind::Audio | Kind::Binary => None,
    };
    let limit = cut.limit;
    let content = match text {
        Some(text) => vec![
            Content::Text(text),
            Content::Text(Text::from(format!(
                "[truncated: the answer {whole}is longer than the limit of {limit} bytes, and only its beginning is shown; {advice}]"
            ))),
        ],
        None => vec![Content::Text(Text::from(format!(
            "[the answer {whole}({}) is longer than the limit of {limit} bytes and is left out]",
            if media.essence.is_empty() {
                "binary"
            } else {
                &media.essence
            }
        )))],
    };
    done(content, structured)
}

/// Names a blob by the file name the upstream gave it, or by the operation's path.
fn resource_uri(target: &HttpTarget, headers: &HeaderMap) -> String {
    let disposition = headers
        .get(CONTENT_DISPOSITION)
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        .unwrap_or_default();
    let filename = disposition.split(';').find_map(|part| {
        let (name, value) = part.split_once('=')?;
        let plain = name.trim().eq_ignore_ascii_case("filename");
        plain.then(|| value.trim().trim_matches('"').to_owned())
    });
    let name = filename
        .as_deref()
        .and_then(|name| name.rsplit(['/', '\\']).next())
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| target.path.template.trim_start_matches('/'));
    format!("mcpinvoke://reply/{}", utf8_percent_encode(name, NAME))
}
