//! `resources/*`: the long answers that are kept for a while, and nothing else.
//!
//! A list of them would show one anonymous caller what belongs to another, so the list is empty: who may read
//! one has its URI from the result it belongs to.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use serde_json::value::RawValue;

use super::Message;
use super::answer::{end, start};
use super::error::{Refusal, shorten};
use super::listing::bad_cursor;
use super::modern::read_cursor;
use super::params::Params;
use super::revision::Revision;
use super::server::Server;
use crate::state::{Answer, SCHEME, uri_of};
use crate::tool::{Caller, escape_json_into};

/// A part of an answer, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    offset: usize,
    length: Option<usize>,
}

impl Server {
    /// `resources/list`.
    pub(crate) fn resources(
        &self,
        id: &RawValue,
        params: &Params<'_>,
        revision: Revision,
    ) -> Result<Message, Refusal> {
        one_page(params)?;
        Ok(self.private(id, revision, self.settings.ttl, b"\"resources\":[]"))
    }

    /// `resources/templates/list`.
    pub(crate) fn resource_templates(
        &self,
        id: &RawValue,
        params: &Params<'_>,
        revision: Revision,
    ) -> Result<Message, Refusal> {
        one_page(params)?;
        let template = json!([{
            "uriTemplate": format!("{SCHEME}{{id}}{{?offset,length}}"),
            "name": "kept_answer",
            "description": "An answer that was too long for a tool's result, or a part of it in bytes. The result has its URI.",
        }]);
        let members = format!("\"resourceTemplates\":{template}");
        Ok(self.private(id, revision, self.settings.ttl, members.as_bytes()))
    }

    /// `resources/read`.
    pub(crate) fn read_resource(
        &self,
        id: &RawValue,
        uri: &str,
        caller: &Caller,
        revision: Revision,
    ) -> Result<Message, Refusal> {
        let unknown = || Refusal::UnknownResource(shorten(uri));
        let rest = uri.strip_prefix(SCHEME).ok_or_else(unknown)?;
        let (key, query) = rest.split_once('?').unwrap_or((rest, ""));
        let store = self.invoker.kept().ok_or_else(unknown)?;
        let (kept, left) = store.find(key, &caller.principal).ok_or_else(unknown)?;
        let range = Range::read(query)?;
        let members = contents(uri, key, &kept, range, revision)?;
        Ok(self.private(id, revision, left, &members))
    }

    /// A result of these members; clients of 2026-07-28 may keep it for themselves.
    fn private(&self, id: &RawValue, revision: Revision, ttl: Duration, members: &[u8]) -> Message {
        let mut out = Vec::with_capacity(members.len() + 256);
        start(&mut out, id);
        if revision.is_modern() {
            let ttl = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
            out.extend_from_slice(
                format!("\"resultType\":\"complete\",\"ttlMs\":{ttl},\"cacheScope\":\"private\",")
                    .as_bytes(),
            );
        }
        out.extend_from_slice(members);
        if revision.is_modern() {
            out.push(b',');
            out.extend_from_slice(self.identity.meta.as_bytes());
        }
        end(&mut out);
        Message::ok(out)
    }
}

/// These lists have one page, so that no cursor is one of theirs.
fn one_page(params: &Params<'_>) -> Result<(), Refusal> {
    match params.cursor.map(read_cursor).transpose()? {
        Some(_) => Err(bad_cursor()),
        None => Ok(()),
    }
}

impl Range {
    /// Reads `offset=1&length=2`, either of which may be missing.
    fn read(query: &str) -> Result<Self, Refusal> {
        let mut range = Self {
            offset: 0,
            length: None,
        };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let number = pair
                .split_once('=')
                .and_then(|(name, value)| Some((name, value.parse().ok()?)));
            match number {
                Some(("offset", offset)) => range.offset = offset,
                Some(("length", length)) => range.length = Some(length),
                _ => {
                    return Err(Refusal::InvalidParams(format!(
                        "params.uri: expected `offset` and `length` as numbers of bytes, found `{}`",
                        shorten(pair)
                    )));
                }
            }
        }
        Ok(range)
    }

    /// Where it begins and ends in `kept`. Of a text, characters stay whole and at least one is read.
    fn bounds(self, kept: &Answer) -> Result<(usize, usize), Refusal> {
        let size = kept.data.len();
        if self.offset > size {
            let offset = self.offset;
            return Err(Refusal::InvalidParams(format!(
                "params.uri: offset {offset} is beyond the end, there are {size} bytes"
            )));
        }
        let (mut begin, mut end) = (self.offset, size);
        if let Some(length) = self.length {
            end = begin.saturating_add(length).min(size);
        }
        let within = |at: usize| kept.data.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
        if kept.is_text {
            while within(begin) {
                begin -= 1;
            }
            while end > begin && within(end) {
                end -= 1;
            }
            if end == begin && self.length != Some(0) && begin < size {
                end += 1;
                while within(end) {
                    end += 1;
                }
            }
        }
        Ok((begin, end))
    }
}

/// The `contents` of a result. `_meta` says which part it is and where the next one begins.
fn contents(
    uri: &str,
    key: &str,
    kept: &Answer,
    range: Range,
    revision: Revision,
) -> Result<Vec<u8>, Refusal> {
    let (begin, end) = range.bounds(kept)?;
    let part = &kept.data[begin..end];
    let mut out = Vec::with_capacity(part.len() * 4 / 3 + 256);
    out.extend_from_slice(b"\"contents\":[{\"uri\":\"");
    escape_json_into(&mut out, uri.as_bytes());
    out.extend_from_slice(b"\",\"mimeType\":\"");
    escape_json_into(&mut out, kept.media_type.as_bytes());
    if kept.is_text {
        out.extend_from_slice(b"\",\"text\":\"");
        escape_json_into(&mut out, part);
    } else {
        out.extend_from_slice(b"\",\"blob\":\"");
        out.extend_from_slice(STANDARD.encode(part).as_bytes());
    }
    out.push(b'"');
    if revision.has_title() {
        let mut meta = json!({"offset": begin, "length": end - begin, "size": kept.data.len()});
        // A part without bytes leads nowhere.
        if begin < end && end < kept.data.len() {
            let length = range.length.unwrap_or(end - begin);
            meta["next"] = json!(format!("{}?offset={end}&length={length}", uri_of(key)));
        }
        let meta = json!({"mcpinvoke/range": meta});
        out.extend_from_slice(format!(",\"_meta\":{meta}").as_bytes());
    }
    out.extend_from_slice(b"}]");
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> Answer {
        Answer {
            owner: "anonymous".into(),
            media_type: "text/plain".to_owned(),
            data: text.to_owned().into(),
            is_text: true,
        }
    }

    #[test]
    fn parts_of_a_text_are_whole_characters() {
        let text = kept("aüb€");
        let cases = [
            ("", "aüb€"),
            ("offset=1", "üb€"),
            ("offset=2&length=2", "üb"),
            ("offset=0&length=2", "a"),
            ("offset=1&length=1", "ü"),
            ("length=0", ""),
            ("offset=7", ""),
            ("offset=4&length=99", "€"),
        ];
        for (query, expected) in cases {
            let (begin, end) = Range::read(query).unwrap().bounds(&text).unwrap();
            assert_eq!(&text.data[begin..end], expected.as_bytes(), "{query}");
        }
        assert!(Range::read("offset=8").unwrap().bounds(&text).is_err());
        for bad in ["offset=-1", "offset", "limit=1", "length=1x"] {
            assert!(Range::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_part_without_bytes_does_not_lead_to_itself() {
        for (query, leads) in [
            ("length=0", false),
            ("offset=1&length=0", false),
            ("length=1", true),
        ] {
            let range = Range::read(query).unwrap();
            let members = contents("u", "k", &kept("ab"), range, Revision::V2025_11_25).unwrap();
            let members = String::from_utf8(members).unwrap();
            assert_eq!(members.contains("\"next\""), leads, "{members}");
        }
    }

    #[test]
    fn parts_lead_to_the_next() {
        let mut text = String::new();
        let mut query = "length=2".to_owned();
        let whole = kept("aüb€ and more");
        loop {
            let range = Range::read(&query).unwrap();
            let members = contents("u", "k", &whole, range, Revision::V2025_11_25).unwrap();
            let members = format!("{{{}}}", String::from_utf8(members).unwrap());
            let value: serde_json::Value = serde_json::from_str(&members).unwrap();
            let content = &value["contents"][0];
            text.push_str(content["text"].as_str().unwrap());
            let Some(next) = content["_meta"]["mcpinvoke/range"]["next"].as_str() else {
                break;
            };
            query = next.split_once('?').unwrap().1.to_owned();
        }
        assert_eq!(text, "aüb€ and more");
    }
}
