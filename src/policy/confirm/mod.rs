//! Human confirmation: which way a human can be asked, and what counts as their yes.
//!
//! An [`Interview`] takes one call through its questions: first the forms for arguments the call
//! lacks, then whether it may be made at all. Nothing is sent before it ends, and whatever it
//! ended with is used up by it.

mod interview;
mod mask;
mod preview;
mod spent;
mod state;

#[cfg(test)]
mod tests;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

pub use interview::{Decision, Interview};
pub use mask::mask;
pub use preview::{Preview, unknown_place};
pub use spent::{InMemory, Spending, Spent};
pub use state::{Nonce, StateFault};

use crate::secret::Secret;

/// Used states and tokens remembered at once.
const MOST_SPENT: usize = 100_000;

/// How confirmation works.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What the human reads; see [`Preview::fill`].
    pub template: String,
    /// How long a question, a state and a token are good for.
    pub ttl: Duration,
    /// What a caller gets who cannot be asked.
    pub fallback: Fallback,
    /// Signs states and tokens; a random key of this process where there is none.
    pub key: Option<Secret>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            template: "Allow {tool}?\n\n{method} {url}\n{headers}\n\n{body}".to_owned(),
            ttl: Duration::from_secs(300),
            fallback: Fallback::Token,
            key: None,
        }
    }
}

/// What a caller gets who cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// A token: the same call made again with it is carried out.
    Token,
    /// A refusal: a model that could repeat the call could confirm itself.
    Deny,
}

/// How the human behind one call can be reached. Implemented by whoever knows the client.
pub trait Confirm: Send + Sync + fmt::Debug {
    /// The way there.
    fn way(&self) -> Way<'_>;

    /// Whether a form can have a field for values of this schema.
    fn can_ask(&self, schema: &Value) -> bool;

    /// Puts a question; with [`Way::Rounds`], looks for the answer among those that came along.
    fn reply<'a>(&'a self, query: &'a Query) -> Pin<Box<dyn Future<Output = Reply> + Send + 'a>>;
}

/// The way to a human.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way<'a> {
    /// They answer while the call waits.
    Live,
    /// The question goes back as a result, and the call comes again with the answer and this state.
    Rounds(Option<&'a str>),
    /// There is none; the caller may have brought a token.
    Token(Option<&'a str>),
}

/// A question to a human.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// Names it among the client's answers.
    pub name: String,
    /// What the human reads.
    pub message: String,
    /// What they fill in; nothing where agreeing is all.
    pub fields: Vec<Field>,
}

/// A field of a form.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The argument.
    pub name: String,
    /// Its JSON Schema, references to the tool's definitions resolved.
    pub schema: Value,
    /// It has to be filled in.
    pub required: bool,
}

/// What a human said.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// Yes, with what they filled in.
    Accepted(Map<String, Value>),
    /// No.
    Declined,
    /// They closed the question without answering it.
    Cancelled,
    /// There is no answer, or nothing that could be one.
    Absent,
    /// The client went away, or refused to ask.
    Gone,
}

/// Why a call is not carried out, or not yet. Nothing has been sent.
#[derive(Debug, Clone, PartialEq)]
pub enum Stopped {
    /// The question is for the client to put; it calls again with the answer and the state.
    Ask(Query, Option<String>),
    /// The caller has to call again with this token.
    Token(Box<Token>),
    /// There is no yes, and why.
    Unconfirmed(Unconfirmed),
    /// The state or token that came with the call is refused.
    State(StateFault),
    /// Arguments that a human should have given and nobody did.
    Missing(Vec<String>),
}

/// The permission to make one call, once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// What it permits.
    pub preview: Preview,
    /// The token.
    pub token: String,
    /// Seconds since 1970.
    pub expires: u64,
}

/// Why there is no yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unconfirmed {
    /// The human said no.
    #[error("the user declined")]
    Declined,
    /// The human closed the question.
    #[error("the user dismissed the question")]
    Cancelled,
    /// Nobody answered in time.
    #[error("nobody answered in time")]
    Late,
    /// What came back was never an answer.
    #[error("the client gave no usable answer")]
    Unanswered,
    /// The client cannot be asked, or is gone.
    #[error("the client could not be asked")]
    Unreachable,
    /// The client cannot ask, and a token is not allowed.
    #[error("a human has to confirm this call, and this client has no way to ask one")]
    Denied,
}

impl Stopped {
    /// A word for the record.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Ask(..) => "asked",
            Self::Token(_) => "token_issued",
            Self::Unconfirmed(Unconfirmed::Declined) => "declined",
            Self::Unconfirmed(Unconfirmed::Cancelled) => "cancelled",
            Self::Unconfirmed(Unconfirmed::Late) => "late",
            Self::Unconfirmed(Unconfirmed::Unanswered) => "unanswered",
            Self::Unconfirmed(Unconfirmed::Unreachable) => "unreachable",
            Self::Unconfirmed(Unconfirmed::Denied) => "denied",
            Self::State(StateFault::Forged) => "state_forged",
            Self::State(StateFault::OtherCall) => "state_of_other_call",
            Self::State(StateFault::Expired) => "state_expired",
            Self::State(StateFault::Used) => "state_used",
            Self::State(StateFault::Busy) => "state_store_full",
            Self::State(StateFault::TooLong) => "state_too_long",
            Self::Missing(_) => "missing_answers",
        }
    }
}

/// Seconds since 1970; passed in, so that a test can let time pass.
pub type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Makes and checks what stands for a human's yes. One for all calls.
pub struct Gate {
    settings: Settings,
    key: Secret,
    spent: Arc<dyn Spent>,
    clock: Clock,
}

/// The system gives no randomness for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system has no randomness for a signing key: set one")]
pub struct NoKey;

impl Gate {
    /// A gate that remembers in memory what was used.
    ///
    /// # Errors
    /// [`NoKey`] when there is neither a key nor randomness.
    pub fn new(settings: Settings) -> Result<Self, NoKey> {
        let clock: Clock = Arc::new(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            since.map_or(u64::MAX, |since| since.as_secs())
        });
        Self::with(settings, Arc::new(InMemory::new(MOST_SPENT)), clock)
    }

    /// A gate with a memory and a clock of one's own.
    ///
    /// # Errors
    /// [`NoKey`] when there is neither a key nor randomness.
    pub fn with(settings: Settings, spent: Arc<dyn Spent>, clock: Clock) -> Result<Self, NoKey> {
        let key = match &settings.key {
            Some(key) => key.clone(),
            None => {
                let mut random = [0_u8; 32];
                getrandom::fill(&mut random).map_err(|_| NoKey)?;
                Secret::new(random.iter().map(|byte| format!("{byte:02x}")).collect())
            }
        };
        Ok(Self {
            settings,
            key,
            spent,
            clock,
        })
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
