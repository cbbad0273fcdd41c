//! The protocol: message in, messages out; knows no transport.
//!
//! Two eras share every entrance. A modern request (2026-07-28) says in its own metadata who
//! asks and in which revision (`modern`); the revisions before it begin with `initialize`
//! (`handshake`), though a request without one is served too. Both come down to the same few
//! methods and to `call`.

mod accept;
mod answer;
mod batch;
mod builtin;
mod call;
mod content;
mod context;
mod declared;
mod early;
mod error;
mod form;
mod handshake;
mod headers;
mod human;
mod input;
mod listing;
mod message;
mod modern;
mod own;
mod params;
mod payload;
mod peer;
mod progress;
mod resources;
mod revision;
mod server;
mod session;
mod settings;
mod shape;
mod show;
mod stream;
mod trace;
mod unconfirmed;

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::Stream;

pub use call::Work;
pub use early::needs_tools;
pub use headers::{Header, Headers};
pub use input::InputRequired;
pub use payload::Payload;
pub use peer::{Peer, PeerError};
pub use revision::Revision;
pub use server::{Fault, Server};
pub use session::Session;
pub use settings::{Sessions, Settings, ToolsMode};
pub use shape::{Costs, Shape, costs, shape, slim, tokens};
pub use show::{call_result, tool_definition, tool_definitions};

/// One message to the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The HTTP status it travels with.
    pub status: u16,
    /// JSON text. Line feeds and carriage returns in it stand between tokens only.
    pub body: Payload,
    /// The id of a session that begins with this message.
    pub session: Option<Arc<str>>,
    /// The OAuth scopes, with spaces between, that a token needs for what was refused.
    pub needs: Option<Arc<str>>,
}

/// Messages to the client in their order, each as JSON text.
pub type Messages = Pin<Box<dyn Stream<Item = Bytes> + Send>>;

/// What the client gets for a message.
pub enum Answer {
    /// Nothing: it was a notification or a response, or it was cancelled.
    Nothing,
    /// One message.
    Message(Message),
    /// Several; the answer to the request comes last.
    Stream(Messages),
}

/// What became of a message.
#[derive(Debug)]
pub enum Accepted {
    /// It is answered.
    Now(Answer),
    /// It takes work first.
    Later(Work),
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nothing => f.write_str("Nothing"),
            Self::Message(message) => f.debug_tuple("Message").field(message).finish(),
            Self::Stream(_) => f.write_str("Stream"),
        }
    }
}

impl From<Message> for Accepted {
    fn from(message: Message) -> Self {
        Self::Now(Answer::Message(message))
    }
}

impl Message {
    fn ok(body: impl Into<Payload>) -> Self {
        Self {
            status: 200,
            body: body.into(),
            session: None,
            needs: None,
        }
    }
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
