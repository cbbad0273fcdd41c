//! What a request's headers say to the protocol.

use std::borrow::Cow;

use http::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::mcp::{Header, Headers};
use crate::tool::essence;

/// `application/json`, `application/json-rpc` and every `+json`; a missing type is let pass.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_TYPE) else {
        return true;
    };
    if value == "application/json" {
        return true;
    }
    let essence = essence(value.to_str().unwrap_or_default()).to_ascii_lowercase();
    essence == "application/json" || essence == "application/json-rpc" || essence.ends_with("+json")
}

/// What the protocol looks at, found in one pass.
pub(super) fn headers_of(headers: &HeaderMap) -> Headers<'_> {
    const PARAMETER: &str = "mcp-param-";
    let mut found = Headers {
        streams: takes_streams(headers),
        ..Headers::default()
    };
    for (name, value) in headers {
        match name.as_str() {
            "mcp-protocol-version" => once(&mut found.version, value),
            "mcp-method" => once(&mut found.method, value),
            "mcp-name" => once(&mut found.name, value),
            "mcp-session-id" => once(&mut found.session, value),
            "traceparent" => joined(&mut found.trace[0], value),
            "tracestate" => joined(&mut found.trace[1], value),
            "baggage" => joined(&mut found.trace[2], value),
            other => {
                if let Some(parameter) = other.strip_prefix(PARAMETER) {
                    found.parameters.push((parameter, read(value)));
                }
            }
        }
    }
    found
}

/// A header that may occur once. Of two values a proxy may have looked at the other one.
fn once<'a>(header: &mut Header<'a>, value: &'a HeaderValue) {
    *header = match header {
        Header::Absent => read(value),
        Header::Value(_) | Header::Unusable => Header::Unusable,
    };
}

/// A header that is a list, which may come in several lines (RFC 9110, section 5.3).
fn joined<'a>(header: &mut Option<Cow<'a, str>>, value: &'a HeaderValue) {
    let Ok(text) = value.to_str() else {
        return;
    };
    *header = Some(match header.take() {
        None => Cow::Borrowed(text),
        Some(before) => Cow::Owned(format!("{before},{text}")),
    });
}

fn read(value: &HeaderValue) -> Header<'_> {
    match value.to_str() {
        Ok(text) => Header::Value(text.trim_ascii()),
        Err(_) => Header::Unusable,
    }
}

/// What the operator lets pass to the upstream. Never what a caller was `recognised` by here: whoever has
/// that could call in the caller's name.
pub(super) fn forwarded(
    headers: &HeaderMap,
    names: &[HeaderName],
    recognised: bool,
) -> Vec<(HeaderName, HeaderValue)> {
    let mut found = Vec::new();
    for name in names {
        if recognised && name == header::AUTHORIZATION {
            continue;
        }
        for value in headers.get_all(name) {
            let mut value = value.clone();
            value.set_sensitive(true);
            found.push((name.clone(), value));
        }
    }
    found
}

/// Only a client that says what it accepts, and leaves event streams out, gets none. Of several ranges the one that
/// says most of them counts, and a weight of 0 is a no (RFC 9110, section 12.5.1).
fn takes_streams(headers: &HeaderMap) -> bool {
    let mut accepts = headers.get_all(header::ACCEPT).iter().peekable();
    if accepts.peek().is_none() {
        return true;
    }
    let texts = accepts.map(HeaderValue::as_bytes);
    let (mut closest, mut takes) = (None, false);
    for range in texts.flat_map(|text| text.split(|byte| *byte == b',')) {
        let mut parts = range.split(|byte| *byte == b';');
        let kind = parts.next().unwrap_or_default().trim_ascii();
        let kinds: [&[u8]; 3] = [b"*/*", b"text/*", b"text/event-stream"];
        let is_kind = |known: &&[u8]| kind.eq_ignore_ascii_case(known);
        let Some(close) = kinds.iter().position(is_kind) else {
            continue;
        };
        if closest <= Some(close) {
            closest = Some(close);
            takes = !parts.any(is_weight_of_nothing);
        }
    }
    takes
}

fn is_weight_of_nothing(parameter: &[u8]) -> bool {
    let parameter = std::str::from_utf8(parameter).unwrap_or_default();
    parameter.split_once('=').is_some_and(|(name, value)| {
        name.trim().eq_ignore_ascii_case("q") && value.trim().parse() == Ok(0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_came_twice_says_nothing() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("mcp-method", " tools/call\t"),
            ("mcp-name", "a"),
            ("mcp-name", "a"),
            ("mcp-session-id", "s\u{e9}"),
            ("mcp-param-x", "1"),
            ("mcp-param-x", "2"),
            ("traceparent", "00-1"),
            ("traceparent", "00-2"),
            ("tracestate", "a=1"),
        ] {
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let found = headers_of(&headers);
        assert_eq!(found.version, Header::Absent);
        assert_eq!(found.method, Header::Value("tools/call"));
        assert_eq!([found.name, found.session], [Header::Unusable; 2]);
        let parameters = [("x", Header::Value("1")), ("x", Header::Value("2"))];
        assert_eq!(found.parameters, parameters);
        let trace = found.trace.each_ref().map(Option::as_deref);
        assert_eq!(trace, [Some("00-1,00-2"), Some("a=1"), None]);
        assert!(found.streams);
    }

    #[test]
    fn streams_are_for_those_who_take_them() {
        for (accept, takes) in [
            (&[][..], true),
            (&["application/json, text/event-stream"], true),
            (&["application/json", "Text/Event-Stream"], true),
            (&["application/json"], false),
            (&[""], false),
            (&["*/*"], true),
            (&["text/*;q=0.1"], true),
            (&["text/event-stream; charset=utf-8; q=1"], true),
            (&["application/json, text/event-stream;q=0"], false),
            (&["application/json, */*; Q=0.000"], false),
            (&["*/*, text/event-stream;q=0"], false),
            (&["text/event-stream;q=0", "*/*"], false),
            (&["text/event-stream, */*;q=0"], true),
            (&["text/*;q=0, text/event-stream"], true),
            (&["text/event-stream-2"], false),
        ] {
            let mut headers = HeaderMap::new();
            for value in accept {
                headers.append(header::ACCEPT, HeaderValue::from_static(value));
            }
            assert_eq!(takes_streams(&headers), takes, "{accept:?}");
        }
    }

    #[test]
    fn what_somebody_was_recognised_by_is_not_handed_on() {
        let names = [header::AUTHORIZATION, HeaderName::from_static("x-tenant")];
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer k"));
        headers.insert("x-tenant", HeaderValue::from_static("t"));
        let handed_on = |recognised| -> Vec<HeaderName> {
            let found = forwarded(&headers, &names, recognised);
            assert!(found.iter().all(|(_, value)| value.is_sensitive()));
            found.into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(handed_on(true), names[1..]);
        assert_eq!(handed_on(false), names);
    }
}
