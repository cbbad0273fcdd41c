//! The human behind a client, and how what concerns them looks on the wire.

use std::future::{Future, ready};
use std::pin::Pin;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::answer::Ended;
use super::declared::Declared;
use super::error::Refusal;
use super::form;
use super::input::InputRequired;
use super::message::members;
use super::peer::Peer;
use super::revision::Revision;
use super::unconfirmed::{Failures, Unconfirmed};
use crate::policy::confirm::{
    Brought, Confirm, PendingApproval, Query, Reply, Stopped, Token, Way,
};
use crate::time::rfc3339_seconds;
use crate::tool::Outcome;

/// Answers in one request that are looked at.
const MOST_ANSWERS: usize = 64;
/// The key of `_meta` under which a caller brings a token.
pub(crate) const TOKEN_KEY: &str = "mcpinvoke/confirmation";
/// JSON-RPC 2.0, section 5.1.
const INVALID_PARAMS: i32 = -32602;
const INTERNAL: i32 = -32603;

/// How the human behind one call can be reached.
#[derive(Debug)]
pub(crate) struct Human {
    pub(crate) revision: Revision,
    pub(crate) by: By,
    pub(crate) modes: Modes,
    /// A token the caller brought.
    pub(crate) token: Option<String>,
}

/// What a client can show its user.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Modes {
    pub(crate) forms: bool,
    /// Addresses to open (since 2025-11-25), where the bridge has any.
    pub(crate) links: bool,
}

impl Modes {
    /// What a client declared. Elicitation without modes means forms (2025-11-25, client/elicitation).
    pub(crate) fn of(declared: &Declared, revision: Revision, links: bool) -> Self {
        let has = |name| declared.has(name);
        if !revision.has_elicitation() || !has("elicitation") {
            return Self::default();
        }
        let (form, url) = (has("elicitation.form"), has("elicitation.url"));
        Self {
            forms: form || !url,
            links: url && links && revision.has_elicitation_modes(),
        }
    }

    pub(crate) fn any(self) -> bool {
        self.forms || self.links
    }
}

/// The way to a human.
#[derive(Debug)]
pub(crate) enum By {
    /// A request to the client while the call runs (until 2025-11-25).
    Peer(Peer),
    /// A result that asks, and the call again with the answers (since 2026-07-28).
    Rounds {
        responses: Map<String, Value>,
        state: Option<String>,
    },
    /// No way: the client did not declare elicitation.
    Token,
}

/// What a client says of a form (2025-06-18, `ElicitResult`). The action is read as a text, since derived code would
/// take an object with the action's name in it as well.
#[derive(Deserialize)]
struct ElicitResult {
    action: String,
    #[serde(default)]
    content: Option<Map<String, Value>>,
}

impl From<ElicitResult> for Reply {
    fn from(result: ElicitResult) -> Self {
        match result.action.as_str() {
            "accept" => Self::Accepted(result.content.unwrap_or_default()),
            "decline" => Self::Declined,
            "cancel" => Self::Cancelled,
            _ => Self::Absent,
        }
    }
}

impl Human {
    /// The answers and the state that came with a request of 2026-07-28. What is no answer is
    /// none: the question is put again.
    pub(crate) fn rounds(responses: Option<&RawValue>, state: Option<String>) -> By {
        let responses = responses.and_then(|raw| crate::tree::read(raw.get()).ok());
        let responses: Map<String, Value> = responses.unwrap_or_default();
        By::Rounds {
            responses: responses.into_iter().take(MOST_ANSWERS).collect(),
            state,
        }
    }

    async fn put(&self, peer: &Peer, query: &Query) -> Reply {
        let params = form::params(query, self.revision);
        match peer.request("elicitation/create", &params).await {
            Ok(result) => read(&result),
            Err(error) => {
                tracing::debug!(%error, "a question was not answered");
                Reply::Gone
            }
        }
    }
}

fn read(result: &RawValue) -> Reply {
    let result: Result<ElicitResult, _> = members(result.get());
    result.map_or(Reply::Absent, Reply::from)
}

/// The same of an answer that is a tree already. Anything but an object is none.
fn read_parsed(result: &Value) -> Reply {
    let result = Some(result).filter(|result| result.is_object());
    let result = result.and_then(|result| ElicitResult::deserialize(result).ok());
    result.map_or(Reply::Absent, Reply::from)
}

impl Confirm for Human {
    fn way(&self) -> Way<'_> {
        match &self.by {
            By::Peer(_) => Way::Live,
            By::Rounds { state, .. } => Way::Rounds(state.as_deref()),
            By::Token => Way::Token(self.token.as_deref()),
        }
    }

    fn has_forms(&self) -> bool {
        self.modes.forms
    }

    fn can_open(&self) -> bool {
        self.modes.links
    }

    fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    fn can_ask(&self, schema: &Value) -> bool {
        self.modes.forms && form::field(schema, self.revision).is_some()
    }

    fn reply<'a>(&'a self, query: &'a Query) -> Pin<Box<dyn Future<Output = Reply> + Send + 'a>> {
        match &self.by {
            By::Peer(peer) => Box::pin(self.put(peer, query)),
            By::Rounds { responses, .. } => {
                let response = responses.get(&query.name);
                Box::pin(ready(response.map_or(Reply::Absent, read_parsed)))
            }
            By::Token => Box::pin(ready(Reply::Gone)),
        }
    }

    /// 2025-11-25, client/elicitation: the notification that an interaction elsewhere is complete.
    fn opened(&self, id: &str) {
        if let By::Peer(peer) = &self.by {
            let params = json!({ "elicitationId": id });
            peer.notify("notifications/elicitation/complete", &params);
        }
    }
}

/// What a client is told of a call that is not confirmed, or not yet.
pub(crate) fn judge(stopped: Stopped, revision: Revision, failures: Failures) -> Ended {
    match stopped {
        Stopped::Ask(query, state) => {
            let params = form::params(&query, revision);
            let requests = vec![(query.name, "elicitation/create", params)];
            InputRequired { requests, state }.into()
        }
        // Every published output schema accepts any object, so the data cannot offend a client.
        Stopped::Token(token) => Ended::Notice(ask_again(&token, failures), None),
        Stopped::Pending(pending) => wait_for(&pending, failures),
        // Who it was is the operator's business.
        Stopped::Disapproved(_) => declined(
            failures,
            "Not confirmed: an operator denied this call. Nothing was sent. Do not make it again; tell the user.",
            "denied by an operator",
        ),
        Stopped::Unconfirmed(why) => {
            let text = format!("Not confirmed: {why}. Nothing was sent.");
            declined(failures, &text, &why.to_string())
        }
        Stopped::State(fault, by) => {
            let what = match by {
                Brought::State => " state",
                Brought::Token => " token",
                Brought::Nothing => "",
            };
            let message = format!("the confirmation{what} is refused: {fault}");
            if failures == Failures::Text {
                return Ended::Refused(Refusal::InvalidParams(message));
            }
            let why = Unconfirmed {
                code: "INVALID_PARAMS",
                category: "Validation",
                number: INVALID_PARAMS,
                message: message.clone(),
                hint: "Make the call without it to be asked again.",
                additional: json!({"parameter": "_meta", "reason": "invalid value"}),
            };
            Ended::Outcome(failures.outcome(why, message, None))
        }
        // Made invalid arguments before it comes here.
        Stopped::Missing(names) => {
            Ended::Outcome(Outcome::failure(format!("missing: {}", names.join(", "))))
        }
    }
}

/// The result that hands a token to a caller who has no human to ask: once for people and models,
/// once as data.
fn ask_again(token: &Token, failures: Failures) -> Outcome {
    let Token {
        preview,
        token,
        expires,
    } = token;
    let expires = rfc3339_seconds(*expires);
    let what = preview.fill("{method} {url}\n{headers}\n\n{body}");
    let message = "A human has to confirm this call before it is made. Nothing was sent yet.";
    let text = format!(
        "{message}\n\n{what}\n\n\
         Ask the user. If they agree, make the same call with the same arguments again, with this \
         token in its metadata: _meta[\"{TOKEN_KEY}\"] = \"{token}\". The token works once, until {expires}."
    );
    let status = "confirmation_required";
    let mut data = Map::new();
    data.insert("status".to_owned(), status.into());
    let preview = serde_json::to_value(preview.brief()).unwrap_or_default();
    data.insert("preview".to_owned(), preview);
    data.insert("token".to_owned(), token.as_str().into());
    data.insert("expiresAt".to_owned(), expires.as_str().into());
    let why = Unconfirmed {
        code: "CONFIRMATION_REQUIRED",
        category: "Validation",
        number: INVALID_PARAMS,
        message: message.to_owned(),
        hint: &format!(
            "Ask the user. If they agree, make the same call again with the token in _meta[\"{TOKEN_KEY}\"]."
        ),
        additional: json!({
            "parameter": "_meta",
            "reason": status,
            "token": token,
            "expiresAt": expires,
            "preview": what.trim(),
        }),
    };
    failures.outcome(why, text, Some(data))
}

/// The result that tells a caller to come again when an operator has decided.
fn wait_for(pending: &PendingApproval, failures: Failures) -> Ended {
    let PendingApproval {
        preview,
        url,
        token,
        expires,
    } = pending;
    let expires = rfc3339_seconds(*expires);
    let what = preview.fill("{method} {url}\n{headers}\n\n{body}");
    let message = "An operator has to approve this call before it is made. Nothing was sent yet.";
    let text = format!(
        "{message}\n\n{what}\n\n\
         It waits for their decision until {expires} at {url} (they sign in with a token of their own). Tell the user. \
         Then make the same call with the same arguments again: it is made once, as soon as it is approved."
    );
    let status = "approval_pending";
    let preview = serde_json::to_value(preview.brief()).unwrap_or_default();
    let data = Map::from_iter([
        ("status".to_owned(), Value::from(status)),
        ("preview".to_owned(), preview),
        ("url".to_owned(), url.as_str().into()),
        ("token".to_owned(), token.as_str().into()),
        ("expiresAt".to_owned(), expires.as_str().into()),
    ]);
    let why = Unconfirmed {
        code: "CONFIRMATION_REQUIRED",
        category: "Validation",
        number: INVALID_PARAMS,
        message: message.to_owned(),
        hint: "Tell the user. Then make the same call again: it is made once an operator has approved it.",
        additional: json!({"parameter": "_meta", "reason": status, "url": url, "expiresAt": expires}),
    };
    let outcome = failures.outcome(why, text, Some(data));
    Ended::Notice(outcome, Some((TOKEN_KEY, token.clone())))
}

/// Somebody said no.
fn declined(failures: Failures, text: &str, reason: &str) -> Ended {
    let why = Unconfirmed {
        code: "OPERATION_CANCELLED",
        category: "Cancellation",
        number: INTERNAL,
        message: text.to_owned(),
        hint: "Nothing was done. Do not try again unless the user asks for it.",
        additional: json!({"reason": reason}),
    };
    Ended::Outcome(failures.outcome(why, text.to_owned(), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_and_anything_else_is_none() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let cases = [
            (r#"{"action":"accept","content":{"a":1}}"#, "Accepted"),
            (r#"{"action":"accept","more":1}"#, "Accepted"),
            (r#"{"action":"decline"}"#, "Declined"),
            (r#"{"action":"cancel","content":null}"#, "Cancelled"),
            (r#"{"action":"yes"}"#, "Absent"),
            (r#"{"content":{}}"#, "Absent"),
            (r#"{"action":"accept","content":[1]}"#, "Absent"),
            (r#"["accept"]"#, "Absent"),
            (r#"["accept",{}]"#, "Absent"),
            (r#"{"action":{"accept":null}}"#, "Absent"),
            (r#"{"action":["accept"]}"#, "Absent"),
            (r#""accept""#, "Absent"),
            ("12345", "Absent"),
            ("null", "Absent"),
        ];
        for (text, expected) in cases {
            let tree = serde_json::from_str(text).unwrap();
            for reply in [read(&raw(text)), read_parsed(&tree)] {
                let reply = format!("{reply:?}");
                assert!(reply.starts_with(expected), "{text}: {reply}");
            }
        }
    }
}
