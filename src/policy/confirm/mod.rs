//! Human confirmation: which way a human can be asked, and what counts as their yes.
//!
//! An [`Interview`] takes one call through its questions: first the forms for arguments the call
//! lacks, then whether it may be made at all. Nothing is sent before it ends; a [`Yes`] it ended
//! with is used up right before.

mod approval;
mod brief;
mod interview;
mod mask;
mod preview;
mod state;
mod yes;

#[cfg(test)]
mod tests;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use data_encoding::HEXLOWER;
use serde_json::{Map, Value};

pub use approval::{Approvals, PendingApproval, Shown};
pub use interview::Interview;
pub use mask::mask;
pub use preview::{Preview, unknown_place};
pub use state::StateFault;
pub use yes::{Decision, Yes};

use crate::secret::Secret;
use crate::state::{Pending, Spent};

/// How confirmation works.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What the human reads; see [`Preview::fill`].
    pub template: String,
    /// How long a question, a state and a token are good for.
    pub ttl: Duration,
    /// What a caller gets who cannot be asked.
    pub fallback: Fallback,
    /// Whether and how an operator is asked.
    pub approvals: Option<Approvals>,
    /// Signs states and tokens; a random key of this process where there is none.
    pub key: Option<Secret>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            template: "Allow {tool}?\n\n{method} {url}\n{headers}\n\n{body}".to_owned(),
            ttl: Duration::from_secs(300),
            fallback: Fallback::Token,
            approvals: None,
            key: None,
        }
    }
}

/// What a caller gets who cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// A token: the same call made again with it is carried out.
    Token,
    /// An operator is asked, where there is a page for them; a refusal where there is none.
    Approvals,
    /// A refusal: a model that could repeat the call could confirm itself.
    Deny,
}

/// How the human behind one call can be reached. Implemented by whoever knows the client.
pub trait Confirm: Send + Sync + fmt::Debug {
    /// The way there.
    fn way(&self) -> Way<'_>;

    /// Whether the human can be shown a form at all.
    fn has_forms(&self) -> bool {
        !matches!(self.way(), Way::Token(_))
    }

    /// Whether the human can be sent to a page.
    fn can_open(&self) -> bool {
        false
    }

    /// A token that came with the call, whatever the way.
    fn token(&self) -> Option<&str> {
        match self.way() {
            Way::Token(token) => token,
            Way::Live | Way::Rounds(_) => None,
        }
    }

    /// Whether a form can have a field for values of this schema.
    fn can_ask(&self, schema: &Value) -> bool;

    /// Puts a question; with [`Way::Rounds`], looks for the answer among those that came along.
    fn reply<'a>(&'a self, query: &'a Query) -> Pin<Box<dyn Future<Output = Reply> + Send + 'a>>;

    /// Tells a client that waits that its user is done with the page of this id.
    fn opened(&self, _id: &str) {}
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
    /// The page they are sent to instead of being asked in the client.
    pub page: Option<Box<Page>>,
}

/// A page where a call is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its address. Opening it takes the operator's own token.
    pub url: String,
    /// The id of the call there.
    pub id: Arc<str>,
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
    /// The call waits for an operator; the caller has to call again.
    Pending(Box<PendingApproval>),
    /// An operator said no, and who.
    Disapproved(Arc<str>),
    /// There is no yes, and why.
    Unconfirmed(Unconfirmed),
    /// What came with the call is refused, or nothing could be made for it to come with.
    State(StateFault, Brought),
    /// Arguments that a human should have given and nobody did.
    Missing(Vec<String>),
}

/// What came with a call to prove that somebody agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Brought {
    /// The state of a question.
    State,
    /// A token.
    Token,
    /// Neither.
    Nothing,
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
            Self::Pending(_) => "approval_pending",
            Self::Disapproved(_) => "approval_denied",
            Self::Unconfirmed(Unconfirmed::Declined) => "declined",
            Self::Unconfirmed(Unconfirmed::Cancelled) => "cancelled",
            Self::Unconfirmed(Unconfirmed::Late) => "late",
            Self::Unconfirmed(Unconfirmed::Unanswered) => "unanswered",
            Self::Unconfirmed(Unconfirmed::Unreachable) => "unreachable",
            Self::Unconfirmed(Unconfirmed::Denied) => "denied",
            Self::State(StateFault::Forged, _) => "state_forged",
            Self::State(StateFault::OtherCall, _) => "state_of_other_call",
            Self::State(StateFault::Expired, _) => "state_expired",
            Self::State(StateFault::Used, _) => "state_used",
            Self::State(StateFault::Busy, _) => "state_store_full",
            Self::State(StateFault::TooLong, _) => "state_too_long",
            Self::Missing(_) => "missing_answers",
        }
    }
}

/// Seconds since 1970; passed in, so that a test can let time pass.
pub type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// The clock of the system.
#[must_use]
pub fn system_clock() -> Clock {
    Arc::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(u64::MAX, |since| since.as_secs())
    })
}

/// Makes and checks what stands for a human's yes. One for all calls.
pub struct Gate {
    settings: Settings,
    key: Secret,
    spent: Arc<dyn Spent>,
    pending: Arc<dyn Pending>,
    /// Where operators decide; calls wait for them from then on.
    page: OnceLock<String>,
    clock: Clock,
}

/// The system gives no randomness for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system has no randomness for a signing key: set one")]
pub struct NoKey;

impl Gate {
    /// A gate that remembers here what was used and what waits.
    ///
    /// # Errors
    /// [`NoKey`] when there is neither a key nor randomness.
    pub fn new(
        settings: Settings,
        spent: Arc<dyn Spent>,
        pending: Arc<dyn Pending>,
    ) -> Result<Self, NoKey> {
        Self::with(settings, spent, pending, system_clock())
    }

    /// A gate with a clock of one's own.
    ///
    /// # Errors
    /// [`NoKey`] when there is neither a key nor randomness.
    pub fn with(
        settings: Settings,
        spent: Arc<dyn Spent>,
        pending: Arc<dyn Pending>,
        clock: Clock,
    ) -> Result<Self, NoKey> {
        let key = match &settings.key {
            Some(key) => key.clone(),
            None => Secret::random().ok_or(NoKey)?,
        };
        Ok(Self {
            settings,
            key,
            spent,
            pending,
            page: OnceLock::new(),
            clock,
        })
    }

    /// Tells where operators decide, for instance `http://127.0.0.1:8080/approvals`. Until then no call waits for
    /// them; only the first place counts.
    pub fn open_page(&self, url: &str) {
        let url = url.trim_end_matches('/').to_owned();
        // A second one is somebody's mistake, and harmless.
        let _ = self.page.set(url);
    }

    /// A key for something else than confirmations, the same wherever the key is the same.
    #[must_use]
    pub fn key_for(&self, purpose: &str) -> Secret {
        let tag = state::sign(self.key.expose().as_bytes(), purpose);
        let tag = hmac::Mac::finalize(tag).into_bytes();
        Secret::new(HEXLOWER.encode(&tag))
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
