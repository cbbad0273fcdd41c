//! From a body to the method that each of its messages is for: batches, revisions, and what wants no answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::value::RawValue;

use super::error::Refusal;
use super::headers::Headers;
use super::message::{Body, Incoming, Malformed, read, split};
use super::params::{Meta, Params};
use super::server::Server;
use super::session::Session;
use super::{Accepted, Answer};
use crate::tool::Caller;

/// Where a message came from.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'a> {
    /// The request's headers; `None` where there are none (stdio).
    pub(crate) headers: Option<&'a Headers<'a>>,
    /// The connection (stdio).
    pub(crate) connection: Option<&'a Arc<Session>>,
    pub(crate) caller: &'a Caller,
    pub(crate) in_batch: bool,
}

impl Server {
    /// Takes a body, whatever transport it came by.
    pub(super) fn accept(self: &Arc<Self>, body: &[u8], origin: Origin<'_>) -> Accepted {
        // A fault of ours costs one message, not the connection.
        catch_unwind(AssertUnwindSafe(|| self.accept_body(body, origin))).unwrap_or_else(|_| {
            Refusal::Internal(None)
                .message(None, origin.says_modern())
                .into()
        })
    }

    fn accept_body(self: &Arc<Self>, body: &[u8], origin: Origin<'_>) -> Accepted {
        match split(body) {
            Ok(Body::One(text)) => self.accept_message(text, origin),
            Ok(Body::Batch(items)) => self.batch(&items, origin),
            Err(refusal) => refusal.message(None, origin.says_modern()).into(),
        }
    }

    fn accept_message(self: &Arc<Self>, text: &str, origin: Origin<'_>) -> Accepted {
        self.take(read(text), origin)
    }

    /// Takes a message that was read.
    pub(super) fn take(
        self: &Arc<Self>,
        message: Result<Incoming<'_>, Malformed<'_>>,
        origin: Origin<'_>,
    ) -> Accepted {
        match message {
            Ok(Incoming::Request { id, method, params }) => {
                self.request(id, &method, params, origin)
            }
            Ok(Incoming::Notification { method, params }) => {
                silent(self.notification(&method, params, origin), origin)
            }
            Ok(Incoming::Response(answer)) => silent(self.response(answer, origin), origin),
            Err(Malformed { id, refusal }) => refusal.message(id, origin.says_modern()).into(),
        }
    }

    fn request(
        self: &Arc<Self>,
        id: &RawValue,
        method: &str,
        params: Option<&RawValue>,
        origin: Origin<'_>,
    ) -> Accepted {
        let read = Params::read(params);
        let meta = read
            .as_ref()
            .map_or_else(|_| Ok(Meta::default()), Params::meta);
        let names_version = meta.as_ref().is_ok_and(|meta| meta.version.is_some());
        let modern = !origin.in_batch
            && (names_version
                || origin.says_modern()
                || matches!(method, "server/discover" | "subscriptions/listen"));
        let result = read.and_then(|params| meta.map(|meta| (params, meta)));
        let accepted = match (result, modern) {
            (Ok((params, meta)), true) => self.modern(id, method, &params, meta, origin),
            (Ok((own, meta)), false) => self.handshake(id, method, (params, &own), meta, origin),
            (Err(refusal), _) => Err(refusal),
        };
        accepted.unwrap_or_else(|refusal| refusal.message(Some(id), modern).into())
    }
}

/// What a client gets for a message that wants no answer: none, unless it is refused.
fn silent(result: Result<(), Refusal>, origin: Origin<'_>) -> Accepted {
    match result {
        Ok(()) => Accepted::Now(Answer::Nothing),
        // A connection that lasts would take it for the answer to something else.
        Err(_) if origin.headers.is_none() => Accepted::Now(Answer::Nothing),
        Err(refusal) => refusal.without_id(origin.says_modern()).into(),
    }
}

impl Origin<'_> {
    pub(crate) fn says_modern(&self) -> bool {
        self.headers.is_some_and(Headers::says_modern)
    }

    pub(crate) fn trace(&self) -> [Option<&str>; 3] {
        let headers = self.headers.map(|headers| &headers.trace);
        headers.map_or([None; 3], |[parent, state, baggage]| {
            [parent.as_deref(), state.as_deref(), baggage.as_deref()]
        })
    }
}
