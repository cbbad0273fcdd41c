//! Calls that wait for an operator's yes, and what became of them.

mod memory;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use super::Reply;
pub use memory::PendingInMemory;

/// A call that needs a yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The same for calls that one yes is good for.
    pub subject: String,
    /// Who calls. One caller takes at most half of the places.
    pub owner: String,
    /// What the operator is shown, as text of whoever asks.
    pub shown: Arc<str>,
    /// When nobody can decide any more; seconds since 1970, like every time here.
    pub expires: u64,
}

/// A call that needs or needed a yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// 32 hex digits that nobody can guess.
    pub id: Arc<str>,
    /// What was asked.
    pub ask: Ask,
    /// When.
    pub created: u64,
    /// When it is over, whatever its stage.
    pub expires: u64,
    /// How far it is.
    pub stage: Stage,
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// Nobody has decided.
    Open,
    /// It may be made, once.
    Approved(Verdict),
    /// It may not.
    Denied(Verdict),
    /// It was made.
    Used(Verdict),
    /// Whoever asked does not want it any more.
    Withdrawn,
    /// Nobody decided in time.
    Expired,
}

/// What an operator decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Yes or no.
    pub approved: bool,
    /// Who.
    pub by: Arc<str>,
    /// When.
    pub at: u64,
    /// Until when it counts.
    pub until: u64,
}

/// There are too many already, of this caller or in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Full;

/// Why nothing can be decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undecidable {
    /// There is no such call, or not any more.
    Unknown,
    /// Somebody was faster, or it is over.
    Over(Box<Entry>),
}

/// Remembers calls until they are decided and made, or until they expire. Of several decisions on one call the
/// first counts, and of several attempts to take one yes exactly one succeeds, whichever task or replica makes them.
pub trait Pending: Send + Sync + fmt::Debug {
    /// The call of the same subject that is neither made nor over, or this one, entered now; whether it is new.
    fn enter(&self, ask: Ask, now: u64) -> Reply<'_, Result<(Entry, bool), Full>>;

    /// A call by its id, one that is over lately included.
    fn find(&self, id: &str, now: u64) -> Reply<'_, Option<Entry>>;

    /// Decides an open call.
    fn decide(&self, id: &str, verdict: Verdict, now: u64)
    -> Reply<'_, Result<Entry, Undecidable>>;

    /// Uses the yes to a call; false where there is none, or none any more.
    fn take(&self, id: &str, now: u64) -> Reply<'_, bool>;

    /// Gives an open call up.
    fn withdraw(&self, id: &str, now: u64) -> Reply<'_, ()>;

    /// Resolves when a call is not open any more. May wait for ever where it expires.
    fn settled(&self, id: &str) -> Reply<'_, ()>;

    /// Those that wait, the oldest first, and those that are over or decided, the latest first.
    fn list(&self, now: u64) -> Reply<'_, (Vec<Entry>, Vec<Entry>)>;
}
