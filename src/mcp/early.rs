//! Before there are tools: which messages are answered all the same, and how the others are refused.

use super::Message;
use super::error::Refusal;
use super::message::{Body, Incoming, read, split};
use super::server::{Fault, Server};

/// What is said before anybody asks for tools, and a sign of life.
const EARLY: [&str; 3] = ["initialize", "ping", "server/discover"];

/// Whether a body cannot be answered without the tools. What wants no answer needs none, and what is no message is
/// refused whenever it comes.
#[must_use]
pub fn needs_tools(body: &[u8]) -> bool {
    match split(body) {
        Ok(Body::One(text)) => asks_for_tools(text),
        Ok(Body::Batch(items)) => items.iter().any(|item| asks_for_tools(item.get())),
        Err(_) => false,
    }
}

fn asks_for_tools(text: &str) -> bool {
    match read(text) {
        Ok(Incoming::Request { method, .. }) => !EARLY.contains(&&*method),
        Ok(Incoming::Notification { .. } | Incoming::Response(_)) | Err(_) => false,
    }
}

impl Server {
    /// The message for a fault that the transport found after it had read the whole `body`: with the id of its request,
    /// where it is one. `modern`: the client said so in a header.
    #[must_use]
    pub fn refuse_request(&self, body: &[u8], fault: Fault, modern: bool) -> Message {
        let id = match split(body) {
            Ok(Body::One(text)) => match read(text) {
                Ok(Incoming::Request { id, .. }) => Some(id),
                _ => None,
            },
            _ => None,
        };
        Refusal::from(fault).message(id, modern)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::testing::server;
    use super::super::{Payload, Settings};
    use super::*;

    #[test]
    fn introductions_need_no_tools() {
        for (body, needs) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, false),
            (r#"{"jsonrpc":"2.0","id":1,"method":"pi\u006eg"}"#, false),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#,
                false,
            ),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
                false,
            ),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, false),
            ("{", false),
            ("[]", false),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, false),
            (
                r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"getPet"}]"#,
                true,
            ),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, true),
            (r#"{"jsonrpc":"2.0","id":1,"method":"getPet"}"#, true),
        ] {
            assert_eq!(needs_tools(body.as_bytes()), needs, "{body}");
        }
    }

    #[test]
    fn who_comes_too_early_is_told_which_request_it_was() {
        let id = |body: &str| {
            let server = server(Settings::default());
            let refused = server.refuse_request(body.as_bytes(), Fault::NotReady, false);
            let text = Payload::into_bytes(refused.body);
            serde_json::from_slice::<Value>(&text).unwrap()["id"].clone()
        };
        assert_eq!(
            id(r#"{"jsonrpc":"2.0","id":"abc","method":"tools/list"}"#),
            "abc"
        );
        let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#;
        assert_eq!(id(batch), Value::Null);
    }
}
