//! Media types: which of a tool result's forms a body takes, and how its text is encoded.

use std::borrow::Cow;

use ::http::HeaderMap;
use ::http::header::CONTENT_TYPE;
use bytes::Bytes;
use encoding_rs::Encoding;

use crate::tool::{Text, essence, is_json_lines};

/// What a body is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Media {
    /// Which form it takes.
    pub(super) kind: Kind,
    /// The media type in lower case, without parameters; empty where there is none.
    pub(super) essence: String,
    /// The `charset` parameter.
    charset: Option<&'static Encoding>,
    /// The `boundary` parameter, as written.
    pub(super) boundary: Option<String>,
}

/// The form a body takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Json,
    Text,
    Image,
    Audio,
    /// Several bodies in one (RFC 2046, section 5.1).
    Multipart,
    /// Server-sent events.
    Events,
    /// A JSON value a line, or a record (RFC 7464) each.
    Values,
    Binary,
    /// No media type: look at the bytes.
    Unknown,
}

/// Types outside `text/` that are text nevertheless.
const TEXTS: [&str; 16] = [
    "application/csv",
    "application/ecmascript",
    "application/graphql",
    "application/javascript",
    "application/jwt",
    "application/pem-certificate-chain",
    "application/sql",
    "application/toml",
    "application/vnd.yaml",
    "application/x-javascript",
    "application/x-sh",
    "application/x-www-form-urlencoded",
    "application/x-yaml",
    "application/xml",
    "application/xml-dtd",
    "application/yaml",
];

impl Media {
    /// Reads `Content-Type` (RFC 9110, section 8.3).
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let value = headers
            .get(CONTENT_TYPE)
            .map(|value| String::from_utf8_lossy(value.as_bytes()))
            .unwrap_or_default();
        let essence = essence(&value).to_ascii_lowercase();
        let parameter = |wanted: &str| {
            value
                .split(';')
                .skip(1)
                .filter_map(|part| part.split_once('='))
                .find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted))
                .map(|(_, value)| value.trim().trim_matches('"'))
        };
        let charset = parameter("charset").and_then(|label| Encoding::for_label(label.as_bytes()));
        let kind = kind(&essence);
        let is_multipart = kind == Kind::Multipart;
        let boundary = is_multipart.then(|| parameter("boundary")).flatten();
        Self {
            kind,
            charset,
            boundary: boundary.map(str::to_owned),
            essence,
        }
    }

    /// The body's text: as received where it is UTF-8 already, decoded otherwise. `cut` says that the
    /// last character may be incomplete.
    pub(super) fn text(&self, body: Bytes, cut: bool) -> Text {
        let body = without_bom(body);
        let labelled = Encoding::for_bom(&body).map(|(encoding, _)| encoding);
        let encoding = labelled.or(self.charset).unwrap_or(encoding_rs::UTF_8);
        if encoding != encoding_rs::UTF_8 {
            return Text::from(encoding.decode(&body).0.into_owned());
        }
        let body = if cut { whole_characters(body) } else { body };
        match Text::from_utf8(body) {
            Ok(text) => text,
            // What is unlabelled and no UTF-8 is most likely the web's old default.
            Err(body) if self.charset.is_none() => {
                Text::from(encoding_rs::WINDOWS_1252.decode(&body).0.into_owned())
            }
            Err(body) => Text::from(String::from_utf8_lossy(&body).into_owned()),
        }
    }
}

fn kind(essence: &str) -> Kind {
    let (top, sub) = essence.split_once('/').unwrap_or((essence, ""));
    // Most are this.
    if sub == "json" {
        return Kind::Json;
    }
    if is_json_lines(essence) || sub == "json-seq" || sub.ends_with("+json-seq") {
        return Kind::Values;
    }
    if sub == "x-json" || sub.ends_with("+json") {
        return Kind::Json;
    }
    if essence == "text/event-stream" {
        return Kind::Events;
    }
    // SVG is XML: models read it as text and refuse it as an image.
    if top == "text"
        || sub.ends_with("+xml")
        || sub.ends_with("+yaml")
        || TEXTS.binary_search(&essence).is_ok()
    {
        return Kind::Text;
    }
    match top {
        "" => Kind::Unknown,
        "image" => Kind::Image,
        "audio" => Kind::Audio,
        "multipart" => Kind::Multipart,
        _ => Kind::Binary,
    }
}

/// JSON texts and UTF-8 files sometimes start with a byte order mark, which no JSON parser takes.
fn without_bom(body: Bytes) -> Bytes {
    if body.starts_with(b"\xef\xbb\xbf") {
        body.slice(3..)
    } else {
        body
    }
}

/// `body` without the last character where only its beginning came.
pub(super) fn whole_characters(body: Bytes) -> Bytes {
    match std::str::from_utf8(&body) {
        Err(error) if error.error_len().is_none() => body.slice(..error.valid_up_to()),
        _ => body,
    }
}

/// `text` without control characters that drive terminals; tabs and line breaks stay.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    let drives = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    if text.contains(drives) {
        Cow::Owned(text.replace(drives, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The first `limit` bytes of `text`, whole characters only, and whether something is missing.
pub(super) fn head(text: &str, limit: usize) -> (&str, bool) {
    if text.len() <= limit {
        return (text, false);
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (&text[..end], true)
}
