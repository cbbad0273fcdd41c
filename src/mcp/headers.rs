//! What 2026-07-28 repeats in HTTP headers, and the checks that it is a repetition.
//!
//! The transport hands the values over; nothing here knows HTTP.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::error::{Refusal, shorten};
use super::revision::Revision;
use crate::tool::Tool;

/// One header as the transport found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header<'a> {
    /// Not sent.
    #[default]
    Absent,
    /// Sent once, with surrounding white space removed.
    Value(&'a str),
    /// Sent twice, or with bytes that are no visible ASCII.
    Unusable,
}

/// The headers the protocol looks at.
#[derive(Debug, Clone, Default)]
pub struct Headers<'a> {
    /// `MCP-Protocol-Version`.
    pub version: Header<'a>,
    /// `Mcp-Method`.
    pub method: Header<'a>,
    /// `Mcp-Name`.
    pub name: Header<'a>,
    /// `Mcp-Session-Id`.
    pub session: Header<'a>,
    /// Each `Mcp-Param-...`: the rest of its name in lower case, and its value.
    pub parameters: Vec<(&'a str, Header<'a>)>,
    /// `traceparent`, `tracestate` and `baggage`, of several lines with commas between.
    pub trace: [Option<Cow<'a, str>>; 3],
    /// The client takes a stream of messages for an answer.
    pub streams: bool,
    /// What the operator lets pass to the upstream.
    pub forwarded: Vec<(HeaderName, HeaderValue)>,
}

impl Headers<'_> {
    /// The headers name a revision without handshake: 2026-07-28, or one that is yet to come.
    #[must_use]
    pub fn says_modern(&self) -> bool {
        let Header::Value(name) = self.version else {
            return false;
        };
        let is_date = name.len() == 10 && name.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        is_date && name >= Revision::V2026_07_28.name()
    }

    /// `Mcp-Method` repeats the method.
    pub(crate) fn check_method(&self, method: &str) -> Result<(), Refusal> {
        match self.method {
            Header::Value(value) if value == method => Ok(()),
            found => Err(mismatch("Mcp-Method", found, method)),
        }
    }

    /// `Mcp-Name` repeats what the request is about.
    pub(crate) fn check_name(&self, name: &str) -> Result<(), Refusal> {
        match self.name {
            Header::Value(value) if decode(value).as_deref() == Some(name) => Ok(()),
            found => Err(mismatch("Mcp-Name", found, name)),
        }
    }

    fn parameter(&self, name: &str) -> Header<'_> {
        let mut found = Header::Absent;
        for (key, value) in &self.parameters {
            if *key == name {
                found = match found {
                    Header::Absent => *value,
                    _ => Header::Unusable,
                };
            }
        }
        found
    }
}

pub(crate) fn mismatch(header: &str, found: Header<'_>, body: &str) -> Refusal {
    let body = shorten(body);
    Refusal::HeaderMismatch(match found {
        Header::Absent => format!("{header} is missing, the body says {body}"),
        Header::Unusable => format!("{header} is not one readable value"),
        Header::Value(value) => format!("{header} is {}, the body says {body}", shorten(value)),
    })
}

/// Undoes `=?base64?...?=`; without both markers the value stands for itself.
fn decode(value: &str) -> Option<String> {
    let coded = value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="));
    match coded {
        Some(coded) => String::from_utf8(STANDARD.decode(coded).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

/// A property of a tool's input whose value is repeated in `Mcp-Param-...`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mirror {
    /// Header name after `mcp-param-`, in lower case.
    header: String,
    /// Property names from the arguments down.
    path: Vec<String>,
}

/// How deep `x-mcp-header` is looked for.
const MAX_DEPTH: usize = 16;

/// The mirrored properties of a tool: those with a usable `x-mcp-header`, reachable through
/// `properties` alone (SEP-2243).
pub(crate) fn mirrors(tool: &Tool) -> Vec<Mirror> {
    let mut found = Vec::new();
    // A client can repeat only what it has seen.
    let schema = tool.published_schema();
    if schema.get().contains("\"x-mcp-header\"") {
        collect(&schema.parse(), &mut Vec::new(), &mut found);
    }
    found
}

fn collect(schema: &Value, path: &mut Vec<String>, found: &mut Vec<Mirror>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    for (name, property) in properties {
        path.push(name.clone());
        if let Some(header) = property.get("x-mcp-header").and_then(Value::as_str) {
            let scalar = matches!(
                property.get("type").and_then(Value::as_str),
                Some("string" | "integer" | "boolean")
            );
            if scalar && is_token(header) {
                found.push(Mirror {
                    header: header.to_ascii_lowercase(),
                    path: path.clone(),
                });
            }
        }
        if path.len() < MAX_DEPTH {
            collect(property, path, found);
        }
        path.pop();
    }
}

/// RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !text.is_empty() && text.bytes().all(allowed)
}

impl Mirror {
    /// The header repeats the argument, or both are absent.
    pub(crate) fn check(
        &self,
        headers: &Headers<'_>,
        arguments: &Map<String, Value>,
    ) -> Result<(), Refusal> {
        let found = headers.parameter(&self.header);
        let name = || format!("Mcp-Param-{}", self.header);
        match (self.value(arguments), found) {
            (None, Header::Absent) => Ok(()),
            (None, found) => Err(mismatch(&name(), found, "nothing")),
            (Some(value), Header::Value(text)) if repeats(text, value) => Ok(()),
            // The value itself stays out of the message: it may be long, or confidential.
            (Some(_), found) => Err(mismatch(&name(), found, "otherwise")),
        }
    }

    fn value<'v>(&self, arguments: &'v Map<String, Value>) -> Option<&'v Value> {
        let (last, above) = self.path.split_last()?;
        let mut at = arguments;
        for name in above {
            at = at.get(name)?.as_object()?;
        }
        at.get(last).filter(|value| !value.is_null())
    }
}

fn repeats(header: &str, value: &Value) -> bool {
    let Some(header) = decode(header) else {
        return false;
    };
    match value {
        Value::String(text) => header == *text,
        Value::Bool(flag) => header == if *flag { "true" } else { "false" },
        Value::Number(number) => {
            let number = number.to_string();
            header == number
                || decimal(&header).is_some_and(|value| Some(value) == decimal(&number))
        }
        // The schema check refuses what is no scalar.
        Value::Null | Value::Array(_) | Value::Object(_) => true,
    }
}

/// A number as its sign, its digits without zeros at either end, and the power of ten of the last one: what is equal
/// here is equal as a number, whatever its size.
fn decimal(text: &str) -> Option<(bool, String, i64)> {
    let (negative, rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let significant = digits.trim_end_matches('0');
    let cut = i64::try_from(digits.len() - significant.len()).ok()?;
    let fraction = i64::try_from(fraction.len()).ok()?;
    let digits = significant.trim_start_matches('0').to_owned();
    match digits.is_empty() {
        true => Some((false, digits, 0)),
        false => Some((
            negative,
            digits,
            exponent.checked_sub(fraction)?.checked_add(cut)?,
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn mirror_of(schema: &Value) -> Vec<Mirror> {
        let mut found = Vec::new();
        collect(schema, &mut Vec::new(), &mut found);
        found
    }

    #[test]
    fn only_plain_properties_are_mirrored() {
        let schema = json!({"properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "size": {"type": "number", "x-mcp-header": "Size"},
            "bad": {"type": "string", "x-mcp-header": "two words"},
            "deep": {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}},
            "list": {"type": "array", "items": {"type": "string", "x-mcp-header": "Item"}}
        }});
        let found = mirror_of(&schema);
        let names: Vec<&str> = found.iter().map(|mirror| mirror.header.as_str()).collect();
        assert_eq!(names, ["region", "n"]);
        assert_eq!(found[1].path, ["deep", "n"]);
    }

    #[test]
    fn a_mirror_repeats_its_argument() {
        let mirror =
            &mirror_of(&json!({"properties": {"a": {"type": "string", "x-mcp-header": "A"}}}))[0];
        let cases = [
            (json!({"a": "x"}), Header::Value("x"), true),
            (json!({"a": "x"}), Header::Value("X"), false),
            (json!({"a": "x"}), Header::Absent, false),
            (json!({"a": "x"}), Header::Unusable, false),
            (
                json!({"a": "größe"}),
                Header::Value("=?base64?Z3LDtsOfZQ==?="),
                true,
            ),
            (
                json!({"a": "größe"}),
                Header::Value("=?base64?Z3LDtsOfZQ?="),
                false,
            ),
            (
                json!({"a": "größe"}),
                Header::Value("=?BASE64?Z3LDtsOfZQ==?="),
                false,
            ),
            (
                json!({"a": "=?base64?x"}),
                Header::Value("=?base64?x"),
                true,
            ),
            (json!({"a": 7}), Header::Value("7"), true),
            (json!({"a": 7}), Header::Value("007"), true),
            (json!({"a": 7}), Header::Value("8"), false),
            (json!({"a": 7}), Header::Value("7.0"), true),
            (json!({"a": 7}), Header::Value("0.7e1"), true),
            (json!({"a": 700}), Header::Value("7E+2"), true),
            (json!({"a": 7.5}), Header::Value("75e-1"), true),
            (json!({"a": 0}), Header::Value("-0.0"), true),
            (json!({"a": 7}), Header::Value("-7"), false),
            (json!({"a": 7}), Header::Value("70"), false),
            (
                json!({"a": 7}),
                Header::Value("7e999999999999999999"),
                false,
            ),
            (json!({"a": 7}), Header::Value("."), false),
            (json!({"a": 7}), Header::Value("e"), false),
            (json!({"a": true}), Header::Value("true"), true),
            (json!({"a": null}), Header::Absent, true),
            (json!({"a": null}), Header::Value("x"), false),
            (json!({}), Header::Absent, true),
            (json!({}), Header::Value("x"), false),
        ];
        for (arguments, header, fits) in cases {
            let mut headers = Headers::default();
            if header != Header::Absent {
                headers.parameters.push(("a", header));
            }
            let result = mirror.check(&headers, arguments.as_object().unwrap());
            assert_eq!(result.is_ok(), fits, "{arguments} {header:?}");
        }
    }

    #[test]
    fn names_may_be_coded() {
        let headers = |name| Headers {
            name,
            ..Headers::default()
        };
        assert!(
            headers(Header::Value("getPet"))
                .check_name("getPet")
                .is_ok()
        );
        let coded = Header::Value("=?base64?Z2V0UGV0?=");
        assert!(headers(coded).check_name("getPet").is_ok());
        assert!(
            headers(Header::Value("getpet"))
                .check_name("getPet")
                .is_err()
        );
        assert!(headers(Header::Absent).check_name("getPet").is_err());
    }
}
