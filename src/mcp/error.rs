//! Why a message is refused, and the one table that says how that looks on the wire.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::Message;
use super::revision::Revision;
use super::server::Fault;

/// Why a message is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("the message is not JSON: {0}")]
    Parse(String),
    #[error("not a JSON-RPC request: {0}")]
    InvalidRequest(String),
    #[error("Method not found: {0}")]
    UnknownMethod(String),
    /// `params` or its `_meta` is not what every request must have.
    #[error("{0}")]
    MalformedParams(String),
    #[error("{0}")]
    InvalidParams(String),
    #[error("Unknown tool: {0}")]
    UnknownTool(String),
    #[error("Resource not found: {0}")]
    UnknownResource(String),
    /// Needs a token with these scopes.
    #[error("a token with other scopes is needed: {}", .0.join(" "))]
    MissingScope(Vec<String>),
    /// With the faults as a JSON array.
    #[error("{message}")]
    InvalidArguments { message: String, faults: Value },
    #[error("{0}")]
    HeaderMismatch(String),
    #[error("{tool} needs a client with the capability {}", .missing.join(", "))]
    MissingCapability { tool: String, missing: Vec<String> },
    #[error("Unsupported protocol version")]
    UnsupportedVersion {
        requested: String,
        supported: Vec<&'static str>,
    },
    #[error("there is no such session: initialize again")]
    UnknownSession,
    #[error("the message is larger than {0} bytes")]
    TooLarge(u64),
    #[error("the body was not sent in time")]
    TooSlow,
    #[error("expected a whole body, found one that breaks off or whose chunks are malformed")]
    Broken,
    #[error("expected a JSON body (Content-Type: application/json)")]
    NotJson,
    #[error("the documents are still being loaded, try again")]
    NotReady,
    #[error("the client cancelled the request")]
    Cancelled,
    /// `done`: its work was, and only the answer is missing.
    #[error("the answers of the batch are too long together: {}", if *.done { "this call was carried out, and its answer is left out" } else { "send this request again by itself" })]
    BatchFull { done: bool },
    #[error("the server has as much to do as it can take, try again")]
    Busy,
    #[error("internal error{}", .0.as_deref().map(|call| format!(" (call {call})")).unwrap_or_default())]
    Internal(Option<String>),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::TooLarge(limit) => Self::TooLarge(limit),
            Fault::TooSlow => Self::TooSlow,
            Fault::Broken => Self::Broken,
            Fault::NotJson => Self::NotJson,
            Fault::NotReady => Self::NotReady,
            Fault::Busy => Self::Busy,
            Fault::UnknownSession => Self::UnknownSession,
        }
    }
}

/// A row of the table.
struct Row {
    code: i32,
    /// The HTTP status for 2026-07-28.
    modern: u16,
    /// The HTTP status for the revisions before it.
    handshake: u16,
}

const fn row(code: i32, modern: u16, handshake: u16) -> Row {
    Row {
        code,
        modern,
        handshake,
    }
}

impl Refusal {
    /// The table. Sources: JSON-RPC 2.0 section 5.1; MCP 2026-07-28, basic and transports.
    fn row(&self) -> Row {
        match self {
            Self::Parse(_) => row(-32700, 400, 400),
            Self::InvalidRequest(_) => row(-32600, 400, 400),
            Self::UnknownMethod(_) => row(-32601, 404, 200),
            Self::MalformedParams(_) => row(-32602, 400, 200),
            Self::InvalidParams(_) | Self::UnknownTool(_) | Self::InvalidArguments { .. } => {
                row(-32602, 200, 200)
            }
            Self::UnknownResource(_) => row(-32602, 200, 200),
            Self::HeaderMismatch(_) => row(-32020, 400, 400),
            Self::MissingCapability { .. } => row(-32021, 400, 200),
            Self::UnsupportedVersion { .. } => row(-32022, 400, 400),
            // RFC 6750, section 3.1; MCP, authorization, runtime insufficient scope errors.
            Self::MissingScope(_) => row(-32600, 403, 403),
            Self::UnknownSession => row(-32600, 404, 404),
            Self::TooLarge(_) => row(-32600, 413, 413),
            Self::TooSlow => row(-32600, 408, 408),
            Self::Broken => row(-32600, 400, 400),
            Self::NotJson => row(-32600, 415, 415),
            Self::Cancelled => row(-32600, 200, 200),
            Self::BatchFull { .. } => row(-32603, 200, 200),
            Self::NotReady | Self::Busy => row(-32603, 503, 503),
            Self::Internal(_) => row(-32603, 500, 200),
        }
    }

    fn data(&self) -> Option<Value> {
        match self {
            Self::InvalidArguments { faults, .. } => Some(faults.clone()),
            Self::UnknownResource(uri) => Some(json!({ "uri": uri })),
            Self::MissingCapability { missing, .. } => {
                Some(json!({ "requiredCapabilities": as_capabilities(missing) }))
            }
            Self::UnsupportedVersion {
                requested,
                supported,
            } => Some(json!({ "supported": supported, "requested": requested })),
            _ => None,
        }
    }

    /// A version that is not served, with those that are.
    pub(crate) fn version(requested: &str) -> Self {
        // A version that exists but not in this form must not be offered again in this form.
        let known = Revision::parse(requested).is_some();
        Self::UnsupportedVersion {
            requested: shorten(requested),
            supported: Revision::ALL
                .into_iter()
                .filter(|revision| !known || revision.is_modern())
                .map(Revision::name)
                .collect(),
        }
    }

    /// The error as a message to the client. Without an id that could be read, 2026-07-28 wants
    /// none and JSON-RPC wants null.
    pub(crate) fn message(&self, id: Option<&RawValue>, modern: bool) -> Message {
        self.write((id.is_some() || !modern).then_some(id), modern)
    }

    /// The error as the body of an HTTP response to what has no id to be answered: a notification, or an answer
    /// (2025-11-25, transports: a JSON-RPC error response that has no id).
    pub(crate) fn without_id(&self, modern: bool) -> Message {
        self.write(None, modern)
    }

    fn write(&self, id: Option<Option<&RawValue>>, modern: bool) -> Message {
        #[derive(Serialize)]
        struct Wire<'a> {
            jsonrpc: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            id: Option<Option<&'a RawValue>>,
            error: Object,
        }
        #[derive(Serialize)]
        struct Object {
            code: i32,
            message: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            data: Option<Value>,
        }
        let row = self.row();
        let wire = Wire {
            jsonrpc: "2.0",
            id,
            error: Object {
                code: match self {
                    // The revisions before 2026-07-28 had a code of their own for it.
                    Self::UnknownResource(_) if !modern => -32002,
                    _ => row.code,
                },
                message: self.to_string(),
                data: self.data(),
            },
        };
        Message {
            status: if modern { row.modern } else { row.handshake },
            body: serde_json::to_vec(&wire).unwrap_or_default().into(),
            session: None,
            needs: match self {
                Self::MissingScope(scopes) => Some(scopes.join(" ").into()),
                _ => None,
            },
        }
    }
}

/// `["sampling", "elicitation.url"]` as a `ClientCapabilities` object.
fn as_capabilities(names: &[String]) -> Value {
    let mut capabilities = json!({});
    for name in names {
        let mut at = &mut capabilities;
        for part in name.split('.') {
            at = &mut at[part];
            if at.is_null() {
                *at = json!({});
            }
        }
    }
    capabilities
}

/// Text from outside, short enough to be repeated.
pub(crate) fn shorten(text: &str) -> String {
    text.chars().take(128).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_row() {
        let internal = Refusal::Internal(Some("c7".to_owned()));
        let tool = "t".to_owned();
        let capability = Refusal::MissingCapability {
            tool: tool.clone(),
            missing: vec!["sampling".to_owned()],
        };
        let version = Refusal::version("2027-03-01");
        let rows = [
            (Refusal::Parse(String::new()), -32700, 400, 400),
            (Refusal::InvalidRequest(String::new()), -32600, 400, 400),
            (Refusal::UnknownMethod(String::new()), -32601, 404, 200),
            (Refusal::MalformedParams(String::new()), -32602, 400, 200),
            (Refusal::InvalidParams(String::new()), -32602, 200, 200),
            (Refusal::UnknownTool(tool), -32602, 200, 200),
            (Refusal::HeaderMismatch(String::new()), -32020, 400, 400),
            (capability, -32021, 400, 200),
            (version, -32022, 400, 400),
            (Refusal::UnknownSession, -32600, 404, 404),
            (Refusal::MissingScope(Vec::new()), -32600, 403, 403),
            (Refusal::TooLarge(1), -32600, 413, 413),
            (Refusal::NotJson, -32600, 415, 415),
            (Refusal::Cancelled, -32600, 200, 200),
            (Refusal::NotReady, -32603, 503, 503),
            (internal, -32603, 500, 200),
        ];
        for (refusal, code, modern, handshake) in rows {
            let message = refusal.message(None, true);
            assert_eq!(message.status, modern, "{refusal:?}");
            let value: Value = serde_json::from_slice(&message.body.into_bytes()).unwrap();
            assert_eq!(value["error"]["code"], code, "{refusal:?}");
            assert!(value.get("id").is_none());
            let message = refusal.message(None, false);
            assert_eq!(message.status, handshake, "{refusal:?}");
            let value: Value = serde_json::from_slice(&message.body.into_bytes()).unwrap();
            assert_eq!(value.get("id"), Some(&Value::Null));
        }
    }

    #[test]
    fn data_says_what_would_help() {
        let data = Refusal::version("2027-03-01").data().unwrap();
        assert_eq!(data["requested"], "2027-03-01");
        assert_eq!(data["supported"][0], "2026-07-28");
        assert_eq!(data["supported"].as_array().unwrap().len(), 5);
        let missing = vec!["sampling".to_owned(), "elicitation.url".to_owned()];
        let tool = "t".to_owned();
        let data = Refusal::MissingCapability { tool, missing }.data().unwrap();
        assert_eq!(
            data,
            json!({"requiredCapabilities": {"sampling": {}, "elicitation": {"url": {}}}})
        );
    }
}
