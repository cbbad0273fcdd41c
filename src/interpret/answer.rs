//! A successful body as content: whole where it fits, shortened with a word about the rest where it does not.

use ::http::HeaderMap;
use bytes::Bytes;
use serde_json::Value;

use super::http::{Interpreted, Limits, Whole, done, resource_name};
use super::json::{is_json, mended};
use super::media::{Kind, Media};
use super::shorten::{self, grouped};
use super::{multipart, stream};
use crate::handler::{Cut, CutBy};
use crate::tool::{Content, HttpTarget, Outcome, Structured, Text};

/// The media type of bytes nobody has said anything about (RFC 2046, section 4.5.1).
pub(super) const OCTETS: &str = "application/octet-stream";

const ADVICE: &str = "ask for less, for instance by filters, fewer fields or a smaller page";

/// What all of an answer's forms need to know.
pub(super) struct Answer<'a> {
    pub(super) target: &'a HttpTarget,
    pub(super) headers: &'a HeaderMap,
    pub(super) publishes_output: bool,
    pub(super) limits: Limits,
    /// Done to a text of which not all is shown.
    pub(super) before: &'a dyn Fn(Text) -> Text,
    pub(super) cut: Option<Cut>,
}

impl Answer<'_> {
    /// Text of any kind.
    pub(super) fn text(self, text: Text, kind: Kind, media_type: String) -> Interpreted {
        if matches!(kind, Kind::Events | Kind::Values) {
            return self.stream(text, kind, media_type);
        }
        if self.cut.is_some() || text.as_bytes().len() > self.limits.text {
            return self.shortened(text, kind, media_type);
        }
        match kind {
            Kind::Json => self.json(text),
            _ => self.plain(text),
        }
        .into()
    }

    /// JSON as text and as data; text that only claims to be JSON is text.
    fn json(&self, text: Text) -> Outcome {
        let structured = if is_json(text.as_bytes()) {
            self.data(&text)
        } else if let Some(mended) = mended(text.as_str()) {
            self.data(&Text::from(mended))
        } else {
            return self.plain(text);
        };
        done(vec![Content::Text(text)], Some(structured))
    }

    /// JSON as data, an object where an output schema is published.
    fn data(&self, json: &Text) -> Structured {
        let plain = Structured::plain(json.clone());
        if self.publishes_output && !plain.is_object() {
            Structured::result(json.clone())
        } else {
            plain
        }
    }

    fn plain(&self, text: Text) -> Outcome {
        let structured = self
            .publishes_output
            .then(|| Structured::result(Value::from(text.as_str()).to_string().into()));
        done(vec![Content::Text(text)], structured)
    }

    /// The beginning of a text; of JSON, a beginning that is JSON.
    fn shortened(self, text: Text, kind: Kind, media_type: String) -> Interpreted {
        let received = text.as_bytes().len();
        let text = (self.before)(text);
        let short = match kind {
            Kind::Json => shorten::json(text.as_str(), self.limits.text),
            _ => None,
        };
        let (shown, structured, left_out) = match short {
            Some(short) => {
                let shown = Text::from(short.text);
                let data = self.data(&shown);
                (shown, Some(data), short.left_out)
            }
            None => (text.head(self.limits.text), self.cut_data(), Vec::new()),
        };
        let notice = self.notice(received, "", &left_out);
        let content = vec![Content::Text(shown.clone()), Content::Text(notice)];
        let more = text.as_bytes().len() > shown.as_bytes().len();
        Interpreted {
            outcome: done(content, structured),
            whole: more.then(|| self.whole(text.into_bytes(), true, media_type)),
        }
    }

    /// A stream that was gathered: the text up to its last complete item, and its items as data.
    fn stream(self, text: Text, kind: Kind, media_type: String) -> Interpreted {
        let received = text.as_bytes().len();
        let long = received > self.limits.text;
        let text = match long || self.cut.is_some() {
            true => (self.before)(text),
            false => text,
        };
        let shown = text.head(self.limits.text);
        let shown = shown.head(stream::complete(
            kind,
            shown.as_str(),
            long || self.cut.is_some(),
        ));
        let data = stream::structured(kind, shown.as_str()).map(Structured::from);
        if !long && self.cut.is_none() {
            return match data {
                Some(data) => done(vec![Content::Text(shown)], Some(data)),
                None => self.plain(shown),
            }
            .into();
        }
        let count = stream::count(kind, shown.as_str());
        let noun = if kind == Kind::Events {
            "event"
        } else {
            "item"
        };
        let plural = if count == 1 { "" } else { "s" };
        let what = format!(": {} complete {noun}{plural}", grouped(count as u64));
        let notice = self.notice(received, &what, &[]);
        let mut content = vec![Content::Text(shown)];
        content.retain(
            |content| !matches!(content, Content::Text(text) if text.as_bytes().is_empty()),
        );
        content.push(Content::Text(notice));
        Interpreted {
            outcome: done(content, data.or_else(|| self.cut_data())),
            whole: long.then(|| self.whole(text.into_bytes(), true, media_type)),
        }
    }

    /// A picture, a sound, or any other bytes. What was cut is none any more.
    pub(super) fn binary(self, kind: Kind, media_type: String, data: Bytes) -> Interpreted {
        if self.cut.is_some() || data.len() > self.limits.reply {
            let length = match self.cut {
                None => format!("of {} bytes ", data.len()),
                Some(cut) => announced(cut),
            };
            let why = self.why(self.limits.reply);
            let notice = format!("[the answer {length}({media_type}) {why} and is left out]");
            return Interpreted {
                outcome: done(vec![Content::Text(Text::from(notice))], self.cut_data()),
                whole: Some(self.whole(data, false, media_type)),
            };
        }
        let structured = self
            .publishes_output
            .then(|| Structured::result("null".into()));
        let block = block(kind, media_type, data, &self.name());
        done(vec![block], structured).into()
    }

    /// One block a part, as far as they fit; a body that is not put together as it should be is text or bytes.
    pub(super) fn parts(self, media: Media, body: Bytes) -> Interpreted {
        let boundary = media.boundary.as_deref().unwrap_or_default();
        let Some(parts) = multipart::parts(&body, boundary, self.cut.is_some()) else {
            return match Text::from_utf8(body) {
                Ok(text) => self.text(text, Kind::Text, media.essence),
                Err(data) => self.binary(Kind::Binary, media.essence, data),
            };
        };
        let own_name = self.name();
        let (mut text_room, mut room) = (self.limits.text, self.limits.reply);
        let (mut content, mut left_out) = (Vec::new(), Vec::new());
        for (index, part) in parts.into_iter().enumerate() {
            let number = index + 1;
            let name = format!("{own_name}/{number}");
            let size = part.body.len();
            let block = part_block(&Media::of(&part.headers), part.body, &name);
            let left = match &block {
                Content::Text(_) => &mut text_room,
                _ => &mut room,
            };
            match left.checked_sub(size) {
                Some(rest) => {
                    *left = rest;
                    content.push(block);
                }
                None => left_out.push(format!("part {number} ({} bytes)", grouped(size as u64))),
            }
        }
        let structured = self
            .publishes_output
            .then(|| Structured::result("null".into()));
        let cut = self.cut.is_some() || !left_out.is_empty();
        if cut {
            left_out.truncate(10);
            content.push(Content::Text(self.notice(body.len(), "", &left_out)));
        }
        Interpreted {
            outcome: done(content, structured),
            whole: cut.then(|| self.whole(body, false, media.essence)),
        }
    }

    /// Names the body; percent-encoded.
    fn name(&self) -> String {
        resource_name(self.target, self.headers)
    }

    /// The data of an answer that has none because it was cut.
    fn cut_data(&self) -> Option<Structured> {
        self.publishes_output
            .then(|| r#"{"result":null,"truncated":true}"#.into())
    }

    fn whole(self, data: Bytes, is_text: bool, media_type: String) -> Whole {
        Whole {
            name: self.name(),
            media_type,
            data,
            is_text,
        }
    }

    /// That this is not all, why, and what is missing.
    fn notice(&self, received: usize, what: &str, left_out: &[String]) -> Text {
        let length = match self.cut {
            None => format!("of {received} bytes "),
            Some(cut) => announced(cut),
        };
        let why = self.why(self.limits.text);
        let missing = match left_out {
            [] => String::new(),
            list => format!("; left out: {}", list.join(", ")),
        };
        Text::from(format!(
            "[truncated: the answer {length}{why}, and only its beginning is shown{what}{missing}; {ADVICE}]"
        ))
    }

    /// `limit`: of what was received, so many bytes are shown.
    fn why(&self, limit: usize) -> String {
        match self.cut.map(|cut| cut.by) {
            None => format!("is longer than the limit of {limit} bytes"),
            Some(CutBy::Length(cut)) => {
                format!(
                    "is longer than the limit of {} bytes",
                    cut.min(limit as u64)
                )
            }
            Some(CutBy::Time(time)) => {
                format!(
                    "is a stream that had not ended after {} s",
                    time.as_secs_f32()
                )
            }
            Some(CutBy::Break) => "is a stream that broke off".to_owned(),
        }
    }
}

fn announced(cut: Cut) -> String {
    cut.announced
        .map_or_else(String::new, |length| format!("of {length} bytes "))
}

/// A part as a block of its own.
fn part_block(media: &Media, body: Bytes, name: &str) -> Content {
    match media.kind {
        Kind::Json | Kind::Text | Kind::Events | Kind::Values => {
            Content::Text(media.text(body, false))
        }
        Kind::Unknown => match Text::from_utf8(body) {
            Ok(text) => Content::Text(text),
            Err(data) => block(Kind::Binary, OCTETS.to_owned(), data, name),
        },
        kind => block(kind, media.essence.clone(), body, name),
    }
}

fn block(kind: Kind, media_type: String, data: Bytes, name: &str) -> Content {
    match kind {
        Kind::Image => Content::Image { data, media_type },
        Kind::Audio => Content::Audio { data, media_type },
        _ => Content::Blob {
            uri: format!("mcpinvoke://reply/{name}"),
            data,
            media_type,
        },
    }
}
