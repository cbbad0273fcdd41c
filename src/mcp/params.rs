//! The members of `params` and `_meta` that the protocol knows, borrowed and not yet judged.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::error::Refusal;
use super::message::{given, is_object, members, present, text_of};

/// A longer progress token is none, in bytes.
const LONGEST_TOKEN: usize = 1024;

/// Every member of any method's params; a method looks at its own.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Params<'a> {
    #[serde(borrow, default, rename = "_meta", deserialize_with = "given")]
    meta: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) name: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "given")]
    pub(crate) arguments: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "given")]
    pub(crate) input_responses: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "given")]
    pub(crate) request_state: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "given")]
    pub(crate) cursor: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) uri: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) notifications: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) request_id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) protocol_version: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) capabilities: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) client_info: Option<&'a RawValue>,
}

/// The keys of `_meta` that the protocol knows.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(crate) struct Meta<'a> {
    #[serde(
        borrow,
        default,
        rename = "io.modelcontextprotocol/protocolVersion",
        deserialize_with = "present"
    )]
    pub(crate) version: Option<&'a RawValue>,
    #[serde(
        borrow,
        default,
        rename = "io.modelcontextprotocol/clientCapabilities",
        deserialize_with = "present"
    )]
    pub(crate) capabilities: Option<&'a RawValue>,
    #[serde(
        borrow,
        default,
        rename = "io.modelcontextprotocol/clientInfo",
        deserialize_with = "present"
    )]
    pub(crate) client_info: Option<&'a RawValue>,
    #[serde(
        borrow,
        default,
        rename = "progressToken",
        deserialize_with = "present"
    )]
    pub(crate) progress_token: Option<&'a RawValue>,
    /// What lets a call through that a human has to confirm, for clients that cannot ask one.
    #[serde(
        borrow,
        default,
        rename = "mcpinvoke/confirmation",
        deserialize_with = "present"
    )]
    pub(crate) confirmation: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) traceparent: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) tracestate: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) baggage: Option<&'a RawValue>,
}

impl<'a> Params<'a> {
    /// Reads `params`; none are empty ones.
    pub(crate) fn read(params: Option<&'a RawValue>) -> Result<Self, Refusal> {
        let Some(raw) = params else {
            return Ok(Self::default());
        };
        if !is_object(raw) {
            return Err(Refusal::MalformedParams(
                "params is not an object".to_owned(),
            ));
        }
        members(raw.get()).map_err(|error| fault("params", &error))
    }

    /// Reads `_meta`.
    pub(crate) fn meta(&self) -> Result<Meta<'a>, Refusal> {
        let Some(raw) = self.meta else {
            return Ok(Meta::default());
        };
        if !is_object(raw) {
            return Err(Refusal::MalformedParams(
                "_meta is not an object".to_owned(),
            ));
        }
        members(raw.get()).map_err(|error| fault("_meta", &error))
    }

    /// The resource's URI.
    pub(crate) fn resource_uri(&self) -> Result<Cow<'a, str>, Refusal> {
        self.uri
            .and_then(text_of)
            .ok_or_else(|| Refusal::InvalidParams("params.uri is not a string".to_owned()))
    }

    /// The tool's name.
    pub(crate) fn tool_name(&self) -> Result<Cow<'a, str>, Refusal> {
        self.name
            .and_then(text_of)
            .ok_or_else(|| Refusal::InvalidParams("params.name is not a string".to_owned()))
    }
}

impl<'a> Meta<'a> {
    /// A progress token is a string or an integer; anything else is no token, nor is a text that every report would be
    /// long by.
    pub(crate) fn token(&self) -> Option<&'a RawValue> {
        self.progress_token.filter(|raw| {
            let text = raw.get();
            text.len() <= LONGEST_TOKEN
                && text.starts_with(|first: char| "\"-".contains(first) || first.is_ascii_digit())
        })
    }

    /// The token that confirms the call; anything but a text is none.
    pub(crate) fn confirmation(&self) -> Option<String> {
        self.confirmation.and_then(text_of).map(Cow::into_owned)
    }
}

/// A call's arguments.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) tree: Map<String, Value>,
    /// Why the tree is empty though there were some: the message is JSON, but these cannot be taken.
    pub(crate) fault: Option<String>,
}

/// A call's arguments as a tree, parsed once; none are empty ones.
pub(crate) fn arguments(raw: Option<&RawValue>, place: &str) -> Result<Arguments, Refusal> {
    let Some(raw) = raw else {
        return Ok(Arguments::default());
    };
    if !is_object(raw) {
        return Err(Refusal::InvalidParams(format!("{place} is not an object")));
    }
    let (tree, fault) = match crate::tree::read(raw.get()) {
        Ok(tree) => (tree, None),
        Err(error) => (Map::new(), Some(format!("{place}: {error}"))),
    };
    Ok(Arguments { tree, fault })
}

/// The client's own name from its `clientInfo`, for display.
pub(crate) fn client_name(raw: Option<&RawValue>) -> Option<String> {
    #[derive(Deserialize)]
    struct Info<'a> {
        #[serde(borrow)]
        name: Cow<'a, str>,
    }
    let info: Info<'_> = members(raw?.get()).ok()?;
    Some(
        info.name
            .chars()
            .filter(|c| !c.is_control())
            .take(64)
            .collect(),
    )
}

/// The message has been read as JSON by now.
fn fault(place: &str, error: &serde_json::Error) -> Refusal {
    Refusal::MalformedParams(format!("{place}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_within_arguments_is_read_twice() {
        for (text, taken) in [
            (
                r#"{"a":{"$serde_json::private::RawValue":"{\"x\":1}"}}"#,
                false,
            ),
            (
                r#"{"a":{"\u0024serde_json\u003a:private::Number":"12"}}"#,
                false,
            ),
            (r#"{"a":"serde_json::private \u00e4 \ud83d\ude00"}"#, true),
            ("{}", true),
        ] {
            let raw = RawValue::from_string(text.to_owned()).unwrap();
            let read = arguments(Some(&raw), "params.arguments").unwrap();
            assert_eq!(read.fault.is_none(), taken, "{text}: {read:?}");
        }
    }

    #[test]
    fn a_progress_token_is_a_short_text_or_a_number() {
        let long = format!("\"{}\"", "x".repeat(LONGEST_TOKEN));
        for (text, taken) in [
            ("\"a\"", true),
            ("-7", true),
            ("0", true),
            ("{}", false),
            ("true", false),
            (&*long, false),
        ] {
            let raw = RawValue::from_string(text.to_owned()).unwrap();
            let meta = Meta {
                progress_token: Some(&raw),
                ..Meta::default()
            };
            assert_eq!(meta.token().is_some(), taken, "{text:.9}");
        }
    }

    #[test]
    fn a_client_s_name_is_a_member_of_an_object() {
        let cases = [
            (r#"{"name":"a\u0007b"}"#, Some("ab")),
            (r#"{"name":7}"#, None),
            (r#"["a"]"#, None),
            (r#""a""#, None),
        ];
        for (text, name) in cases {
            let raw = RawValue::from_string(text.to_owned()).unwrap();
            assert_eq!(client_name(Some(&raw)).as_deref(), name, "{text}");
        }
    }
}
