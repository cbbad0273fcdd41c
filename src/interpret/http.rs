//! An HTTP answer as an outcome: the status decides success, the media type the form.

use ::http::header::{
    CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_RANGE, ETAG, HeaderName, LAST_MODIFIED, LINK,
    LOCATION, RETRY_AFTER,
};
use ::http::{HeaderMap, Method, StatusCode};
use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::answer::{Answer, OCTETS};
use super::failure;
use super::media::{self, Kind, Media};
use crate::handler::HttpReply;
use crate::tool::{Content, HttpTarget, Outcome, Structured, Text};

/// What stays as it is in a resource's name.
const NAME: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'/');

/// Headers told of an answer; one that comes often counts often.
const MOST_LINES: usize = 48;
/// Of a header's value, this many bytes are told.
const LONGEST_HEADER: usize = 4096;

/// How much of an answer is handed to the model.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Text, in bytes; a longer one is shortened.
    pub text: usize,
    /// Anything else, in bytes; a longer one is left out.
    pub reply: usize,
}

/// How long answers are made short.
#[derive(Clone, Copy)]
pub struct Shortening<'a> {
    /// What is handed on of them.
    pub limits: Limits,
    /// Done to a text before a part of it is left out, or where only a part of it came.
    pub before: &'a dyn Fn(Text) -> Text,
}

impl From<Limits> for Shortening<'_> {
    fn from(limits: Limits) -> Self {
        let before = &|text| text;
        Self { limits, before }
    }
}

impl std::fmt::Debug for Shortening<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.limits.fmt(f)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text: 256 * 1024,
            reply: 8 * 1024 * 1024,
        }
    }
}

/// An answer understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Interpreted {
    /// What the caller gets.
    pub outcome: Outcome,
    /// All that was received, where the outcome has less.
    pub whole: Option<Whole>,
}

/// An answer that is too long to be handed on at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    /// A short name.
    pub name: String,
    /// Media type without parameters.
    pub media_type: String,
    /// The bytes; UTF-8 where `is_text`.
    pub data: Bytes,
    /// It is text.
    pub is_text: bool,
}

impl From<Outcome> for Interpreted {
    fn from(outcome: Outcome) -> Self {
        let whole = None;
        Self { outcome, whole }
    }
}

/// Turns an upstream's answer into an outcome.
///
/// `publishes_output` says that the tool has an output schema: then `structured` is always there and always
/// an object (MCP before 2026-07-28), except on errors, where clients would hold it against that schema.
#[must_use]
pub fn http_reply<'a>(
    target: &HttpTarget,
    publishes_output: bool,
    reply: HttpReply,
    shortening: impl Into<Shortening<'a>>,
) -> Interpreted {
    let status = reply.status;
    let shortening = shortening.into();
    let mut interpreted = if status.is_success() || status == StatusCode::NOT_MODIFIED {
        success(target, publishes_output, reply, shortening)
    } else {
        failure::http_error(target, publishes_output, reply, shortening).into()
    };
    interpreted.outcome.status = Some(i32::from(status.as_u16()));
    interpreted
}

fn success(
    target: &HttpTarget,
    publishes_output: bool,
    reply: HttpReply,
    shortening: Shortening<'_>,
) -> Interpreted {
    if target.method == Method::HEAD || (reply.body.is_empty() && reply.cut.is_none()) {
        return bodiless(target, publishes_output, &reply).into();
    }
    let told = told_by_headers(target, &reply.headers);
    let mut interpreted = with_body(target, publishes_output, reply, shortening);
    interpreted.outcome.content.extend(told.map(Content::Text));
    interpreted
}

/// What headers say beside a body that a caller needs to go on: where the next page is, where the new resource is, when
/// to ask again, which part this is, and what the document says of the operation's own headers.
fn told_by_headers(target: &HttpTarget, headers: &HeaderMap) -> Option<Text> {
    const NAMES: [HeaderName; 4] = [LOCATION, LINK, RETRY_AFTER, CONTENT_RANGE];
    let told = |name: &HeaderName| NAMES.contains(name) || target.answer_headers.contains(name);
    let lines: Vec<String> = header_lines(headers, told).collect();
    (!lines.is_empty()).then(|| Text::from(lines.join("\n")))
}

/// A line for each of these headers, as far as they are text.
pub(super) fn header_lines<'h>(
    headers: &'h HeaderMap,
    told: impl Fn(&HeaderName) -> bool + 'h,
) -> impl Iterator<Item = String> + 'h {
    let told = headers.iter().filter(move |(name, _)| told(name));
    told.filter_map(|(name, value)| Some(header_line(name, value.to_str().ok()?)))
        .take(MOST_LINES)
}

fn header_line(name: &HeaderName, value: &str) -> String {
    let value = if *name == LOCATION {
        failure::shown_location(value)
    } else {
        media::printable(value).into_owned()
    };
    let (head, cut) = media::head(&value, LONGEST_HEADER);
    let more = if cut { "…" } else { "" };
    format!("{name}: {head}{more}")
}

fn with_body(
    target: &HttpTarget,
    publishes_output: bool,
    reply: HttpReply,
    shortening: Shortening<'_>,
) -> Interpreted {
    let media = Media::of(&reply.headers);
    let (cut, body) = (reply.cut, reply.body);
    let answer = Answer {
        target,
        headers: &reply.headers,
        publishes_output,
        limits: shortening.limits,
        before: shortening.before,
        cut,
    };
    // A coding that nobody could undo: its bytes are no text of any charset.
    let coded = answer.headers.contains_key(CONTENT_ENCODING);
    if coded && std::str::from_utf8(&body).is_err() {
        return answer.binary(Kind::Binary, OCTETS.to_owned(), body);
    }
    match media.kind {
        Kind::Json | Kind::Text | Kind::Events | Kind::Values => {
            let text = media.text(body, cut.is_some());
            answer.text(text, media.kind, media.essence)
        }
        Kind::Unknown => {
            let body = if cut.is_some() {
                media::whole_characters(body)
            } else {
                body
            };
            match Text::from_utf8(body) {
                Ok(text) => answer.text(text, Kind::Json, "text/plain".to_owned()),
                Err(data) => answer.binary(Kind::Binary, OCTETS.to_owned(), data),
            }
        }
        Kind::Multipart => answer.parts(media, body),
        Kind::Image | Kind::Audio | Kind::Binary => answer.binary(media.kind, media.essence, body),
    }
}

pub(super) fn done(content: Vec<Content>, structured: Option<Structured>) -> Outcome {
    Outcome {
        content,
        structured,
        is_error: false,
        status: None,
    }
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
            LINK,
            RETRY_AFTER,
        ]
    } else {
        &[
            LOCATION,
            ETAG,
            LAST_MODIFIED,
            LINK,
            RETRY_AFTER,
            ::http::header::ALLOW,
        ]
    };
    let mut text = status_line(reply.status);
    for name in names {
        if let Some(value) = reply
            .headers
            .get(name)
            .and_then(|value| value.to_str().ok())
        {
            text.push('\n');
            text.push_str(&header_line(name, value));
        }
    }
    let told = |name: &HeaderName| target.answer_headers.contains(name) && !names.contains(name);
    for line in header_lines(&reply.headers, told) {
        text.push('\n');
        text.push_str(&line);
    }
    let structured = publishes_output.then(|| Structured::result("null".into()));
    done(vec![Content::Text(Text::from(text))], structured)
}

/// `204 No Content`.
pub(super) fn status_line(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

/// Names an answer by the file name the upstream gave it, or by the operation's path.
pub(super) fn resource_name(target: &HttpTarget, headers: &HeaderMap) -> String {
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
    utf8_percent_encode(name, NAME).to_string()
}
