//! JSON-RPC 2.0 on the way in: bytes to requests, notifications and responses, nothing copied.

use std::borrow::Cow;

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::error::Refusal;

/// A body: one message, or a batch of them.
#[derive(Debug)]
pub(crate) enum Body<'a> {
    One(&'a str),
    Batch(Vec<&'a RawValue>),
}

/// One message.
#[derive(Debug)]
pub(crate) enum Incoming<'a> {
    Request {
        id: &'a RawValue,
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    Notification {
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    /// An answer to a request of ours. None where it cannot be one: an error about it would only be answered by
    /// another one.
    Response(Option<Response<'a>>),
}

/// The id of the request, with the result or the error object.
pub(crate) type Response<'a> = (&'a RawValue, Result<&'a RawValue, &'a RawValue>);

/// A message that is none, with its id if that could be read.
#[derive(Debug)]
pub(crate) struct Malformed<'a> {
    pub(crate) id: Option<&'a RawValue>,
    pub(crate) refusal: Refusal,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "given")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// A member that is there, `null` included.
pub(crate) fn present<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// A member that is there and not `null`, which some clients write for one that is not.
pub(crate) fn given<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'de RawValue>, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?;
    Ok(Some(raw).filter(|raw| raw.get() != "null"))
}

/// Reads the members that are wanted from the text of a JSON object, and from nothing else. Derived code by itself
/// would take an array as well, whatever stands in it for the members in their order.
pub(crate) fn members<'a, T: Deserialize<'a>>(text: &'a str) -> serde_json::Result<T> {
    if text.trim_ascii_start().starts_with('{') {
        return serde_json::from_str(text);
    }
    let _: IgnoredAny = serde_json::from_str(text)?;
    Err(serde_json::Error::custom("expected an object"))
}

/// Tells a batch from a single message.
pub(crate) fn split(body: &[u8]) -> Result<Body<'_>, Refusal> {
    let text = std::str::from_utf8(body).map_err(|error| Refusal::Parse(error.to_string()))?;
    // RFC 8259, section 8.1: a byte order mark may be ignored, and some clients begin with one.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('[') {
        let items = serde_json::from_str(text).map_err(|error| fault(&error))?;
        return Ok(Body::Batch(items));
    }
    Ok(Body::One(text))
}

/// Reads one message.
pub(crate) fn read(text: &str) -> Result<Incoming<'_>, Malformed<'_>> {
    let refuse = |id, refusal| Err(Malformed { id, refusal });
    let envelope: Envelope<'_> = match members(text) {
        Ok(envelope) => envelope,
        Err(error) => return refuse(None, fault(&error)),
    };
    let id = envelope.id.filter(|id| is_id(id));
    let is_current = envelope.jsonrpc.and_then(text_of).as_deref() == Some("2.0");
    if envelope.method.is_none() && (envelope.result.is_some() || envelope.error.is_some()) {
        let error = envelope.error.filter(|error| error.get() != "null");
        let answer = match (envelope.result, error) {
            (Some(result), None) => Some(Ok(result)),
            (None, Some(error)) => Some(Err(error)),
            (Some(_), Some(_)) | (None, None) => None,
        };
        return Ok(Incoming::Response(id.filter(|_| is_current).zip(answer)));
    }
    let invalid = |why: &str| refuse(id, Refusal::InvalidRequest(why.to_owned()));
    if envelope.id.is_some() && id.is_none() {
        return invalid("id is neither a string nor an integer");
    }
    if !is_current {
        return invalid("jsonrpc is not \"2.0\"");
    }
    let params = envelope.params;
    match (envelope.method, id, envelope.result, envelope.error) {
        (Some(method), id, None, None) => match (text_of(method), id) {
            (Some(method), Some(id)) => Ok(Incoming::Request { id, method, params }),
            (Some(method), None) => Ok(Incoming::Notification { method, params }),
            (None, _) => invalid("method is not a string"),
        },
        _ => invalid("it has no method"),
    }
}

/// What is wrong with JSON text: not JSON at all, too deep, or JSON of the wrong shape.
fn fault(error: &serde_json::Error) -> Refusal {
    match error.classify() {
        Category::Data => Refusal::InvalidRequest(error.to_string()),
        Category::Syntax | Category::Eof | Category::Io => Refusal::Parse(error.to_string()),
    }
}

/// MCP narrows JSON-RPC's ids to strings and integers.
fn is_id(raw: &RawValue) -> bool {
    match raw.get().as_bytes() {
        [b'"', ..] => true,
        [b'-' | b'0'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// The text of a JSON string; nothing for any other value.
pub(crate) fn text_of(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(raw.get()).ok().map(Cow::Owned)
}

/// Whether the value is an object. The text is known to be valid JSON.
pub(crate) fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> i64 {
        let refusal = match split(text.as_bytes()) {
            Err(refusal) => refusal,
            Ok(Body::Batch(_)) => return 1,
            Ok(Body::One(text)) => match read(text) {
                Err(malformed) => malformed.refusal,
                Ok(_) => return 0,
            },
        };
        let body = refusal.message(None, false).body.into_bytes();
        let value: serde_json::Value = serde_json::from_slice(&body).unwrap();
        value["error"]["code"].as_i64().unwrap()
    }

    #[test]
    fn envelopes() {
        let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
        let cases = [
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, 0),
            (
                r#"{"jsonrpc":"2\u002e0","id":"a","method":"pi\u006eg","params":{}}"#,
                0,
            ),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
                0,
            ),
            (
                r#"{"jsonrpc":"2.0","id":99999999999999999999999,"method":"x","more":[1]}"#,
                0,
            ),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, 0),
            (
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#,
                0,
            ),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, 1),
            ("", -32700),
            ("{ invalid json }", -32700),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"#, -32700),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"} x"#, -32700),
            ("[1,", -32700),
            ("5", -32600),
            ("null", -32600),
            (r#""text""#, -32600),
            ("{}", -32600),
            (r#"{"id":1,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1e3,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"method":null}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32600),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":1}"#,
                -32600,
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(code(text), expected, "{text}");
        }
        // As a raw value no depth is too much: it is read without recursion.
        assert_eq!(code(&deep), 1);
        assert_eq!(code(&deep[..15_000]), -32700);
        assert!(split(b"{\"a\":\"\xff\"}").is_err());
    }

    #[test]
    fn a_message_is_an_object_and_may_begin_with_a_mark() {
        // The members of an object, not their values in a row.
        let row = read(r#"["2.0",7,"tools/call",{"name":"echo"}]"#).unwrap_err();
        assert!(matches!(row.refusal, Refusal::InvalidRequest(_)));
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#;
        assert_eq!(code(&format!("\u{feff}{ping}")), 0);
        assert_eq!(code(&format!("\u{feff}\u{feff}{ping}")), -32700);
        let Ok(Incoming::Request { params: None, .. }) = read(ping) else {
            panic!("null is no params");
        };
    }

    #[test]
    fn an_answer_is_one_to_something_or_to_nothing() {
        let cases = [
            (r#"{"jsonrpc":"2.0","id":1,"result":7}"#, Some(Ok("7"))),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
                Some(Ok("null")),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":7,"error":null}"#,
                Some(Ok("7")),
            ),
            (r#"{"jsonrpc":"2.0","id":1,"error":{}}"#, Some(Err("{}"))),
            (r#"{"jsonrpc":"2.0","id":1,"result":7,"error":{}}"#, None),
            (r#"{"jsonrpc":"2.0","id":1,"error":null}"#, None),
            (r#"{"jsonrpc":"2.0","id":null,"error":{}}"#, None),
            (r#"{"jsonrpc":"2.0","error":{}}"#, None),
            (r#"{"id":1,"result":7}"#, None),
        ];
        for (text, expected) in cases {
            let Ok(Incoming::Response(answer)) = read(text) else {
                panic!("{text} is no answer");
            };
            let answer = answer.map(|(_, answer)| answer.map(RawValue::get).map_err(RawValue::get));
            assert_eq!(answer, expected, "{text}");
        }
    }

    #[test]
    fn an_id_is_kept_when_the_rest_is_wrong() {
        let malformed = read(r#"{"jsonrpc":"1.0","id":"seven","method":"ping"}"#).unwrap_err();
        assert_eq!(malformed.id.unwrap().get(), "\"seven\"");
    }
}
