//! What a client carries for us between two rounds: signed, expiring, bound to one call.
//!
//! MCP 2026-07-28, basic/patterns (multi-round trips): a request state is to be treated as
//! hostile, its integrity protected, and what fails refused.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::state::Nonce;
use crate::tool::Caller;

/// The version of the form, part of what is signed.
const VERSION: &str = "v1.";
/// A longer text is not one of ours.
const LONGEST: usize = 64 * 1024;
/// Answers carried through the rounds, in bytes of JSON.
const MOST_ANSWERS: usize = 16 * 1024;

/// What a state is good for. One can never stand for the other: a caller without a human has to
/// repeat the call on purpose, and a form's state is no permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    /// Comes back with a human's answer.
    #[serde(rename = "s")]
    State,
    /// Is the permission itself.
    #[serde(rename = "t")]
    Token,
    /// Names a call that waits for an operator; the yes is kept elsewhere.
    #[serde(rename = "a")]
    Approval,
}

/// Why a state or a token is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StateFault {
    /// Not made here, or changed on the way.
    #[error("it was not issued by this server, or it was changed")]
    Forged,
    /// Made for another call: another caller, tool or arguments.
    #[error("it was issued for another call")]
    OtherCall,
    /// Too old.
    #[error("it has expired: make the call again without it")]
    Expired,
    /// Answered before.
    #[error("it has been used before: make the call again without it")]
    Used,
    /// The store of used ones is full; nothing is accepted then.
    #[error("too many confirmations are under way, try again later")]
    Busy,
    /// The answers so far are too long to be carried.
    #[error("the answers are too long to be carried through another round")]
    TooLong,
}

/// The call a state belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Subject {
    caller: String,
    tool: String,
    arguments: String,
}

impl Subject {
    /// Who calls what with which arguments and headers of their own, as digests. Arguments are compared by
    /// meaning: the order of members is none, the digits of a number are.
    pub(super) fn new(
        caller: &Caller,
        tool: &str,
        arguments: &Map<String, Value>,
        forwarded: &[(HeaderName, HeaderValue)],
    ) -> Self {
        let mut principal = Sha256::new();
        principal.update(caller.transport.as_bytes());
        principal.update([0]);
        principal.update(caller.principal.as_bytes());
        let mut canonical = Vec::new();
        write_object(&mut canonical, arguments);
        // Neither a name nor a value can hold a NUL (RFC 9110, section 5), and arguments end with a brace.
        for (name, value) in forwarded {
            canonical.extend_from_slice(name.as_str().as_bytes());
            canonical.push(0);
            canonical.extend_from_slice(value.as_bytes());
            canonical.push(0);
        }
        Self {
            caller: encode(&principal.finalize()),
            tool: tool.to_owned(),
            arguments: encode(&Sha256::digest(&canonical)),
        }
    }

    /// One text for a call with these answers of its human, sent to this place.
    pub(super) fn key(&self, answers: &Map<String, Value>, place: [&str; 3]) -> String {
        let mut text = Vec::new();
        let own = [self.caller.as_str(), &self.tool, &self.arguments];
        for part in own.into_iter().chain(place) {
            text.extend_from_slice(part.as_bytes());
            text.push(0);
        }
        write_object(&mut text, answers);
        encode(&Sha256::digest(&text))
    }
}

/// Where a call goes, as a digest.
pub(super) fn place(place: [&str; 3]) -> String {
    let mut digest = Sha256::new();
    for part in place {
        digest.update(part.as_bytes());
        digest.update([0]);
    }
    encode(&digest.finalize())
}

/// What is inside a state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    #[serde(rename = "k")]
    pub(super) kind: Kind,
    /// Seconds since 1970.
    #[serde(rename = "e")]
    pub(super) expires: u64,
    #[serde(rename = "n")]
    pub(super) nonce: Nonce,
    #[serde(rename = "p")]
    caller: String,
    #[serde(rename = "t")]
    tool: String,
    #[serde(rename = "d")]
    arguments: String,
    /// The question that was asked, counted from nought.
    #[serde(rename = "r")]
    pub(super) round: usize,
    /// Where the call goes that is agreed to; none before it was shown.
    #[serde(rename = "u", default, skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<String>,
    /// What the human has answered in the rounds before.
    #[serde(rename = "a", default, skip_serializing_if = "Map::is_empty")]
    pub(super) answers: Map<String, Value>,
}

impl State {
    /// A state for this call, not yet signed.
    pub(super) fn new(
        kind: Kind,
        subject: &Subject,
        round: usize,
        answers: Map<String, Value>,
        (nonce, expires): (Nonce, u64),
    ) -> Self {
        Self {
            kind,
            expires,
            nonce,
            caller: subject.caller.clone(),
            tool: subject.tool.clone(),
            arguments: subject.arguments.clone(),
            round,
            place: None,
            answers,
        }
    }

    /// The text the client carries.
    pub(super) fn seal(&self, key: &[u8]) -> Result<String, StateFault> {
        let inner = serde_json::to_vec(self).map_err(|_| StateFault::TooLong)?;
        if inner.len() > MOST_ANSWERS + 1024 {
            return Err(StateFault::TooLong);
        }
        let mut text = VERSION.to_owned();
        URL_SAFE_NO_PAD.encode_string(&inner, &mut text);
        let tag = sign(key, &text).finalize().into_bytes();
        text.push('.');
        URL_SAFE_NO_PAD.encode_string(tag, &mut text);
        Ok(text)
    }

    /// Reads a client's text: signature first, in constant time, then what it says.
    pub(super) fn open(
        text: &str,
        kinds: &[Kind],
        subject: &Subject,
        key: &[u8],
        now: u64,
    ) -> Result<Self, StateFault> {
        if text.len() > LONGEST || !text.starts_with(VERSION) {
            return Err(StateFault::Forged);
        }
        let (signed, tag) = text.rsplit_once('.').ok_or(StateFault::Forged)?;
        let tag = URL_SAFE_NO_PAD
            .decode(tag)
            .map_err(|_| StateFault::Forged)?;
        let matches = sign(key, signed).verify_slice(&tag);
        matches.map_err(|_| StateFault::Forged)?;
        let inner = signed.strip_prefix(VERSION).unwrap_or_default();
        let inner = URL_SAFE_NO_PAD
            .decode(inner)
            .map_err(|_| StateFault::Forged)?;
        let state: Self = serde_json::from_slice(&inner).map_err(|_| StateFault::Forged)?;
        let same = state.caller == subject.caller
            && state.tool == subject.tool
            && state.arguments == subject.arguments;
        if !kinds.contains(&state.kind) || !same {
            Err(StateFault::OtherCall)
        } else if state.expires <= now {
            Err(StateFault::Expired)
        } else {
            Ok(state)
        }
    }
}

pub(super) fn sign(key: &[u8], text: &str) -> Hmac<Sha256> {
    let mut mac = Hmac::new_from_slice(key).expect("HMAC takes keys of any length (RFC 2104)");
    mac.update(text.as_bytes());
    mac
}

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Writes JSON with members in the order of their names. Depth is bounded by the parser that made
/// the tree.
fn write_object(out: &mut Vec<u8>, object: &Map<String, Value>) {
    let mut members: Vec<(&String, &Value)> = object.iter().collect();
    members.sort_unstable_by_key(|(name, _)| *name);
    out.push(b'{');
    for (index, (name, value)) in members.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_scalar(out, name);
        out.push(b':');
        write_value(out, value);
    }
    out.push(b'}');
}

fn write_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Object(object) => write_object(out, object),
        Value::Array(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_value(out, item);
            }
            out.push(b']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            write_scalar(out, value);
        }
    }
}

fn write_scalar(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    serde_json::to_writer(out, value)
        .expect("a scalar always has a JSON text, and memory takes it");
}
