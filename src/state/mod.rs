//! What several replicas would have to share, behind one narrow interface; in this process's memory, and bounded.
//!
//! Everything else the bridge keeps is either derived from its configuration or belongs to an open connection.
//! A [`State`] is handed in at one place, when the application is put together. Whoever writes another one keeps
//! each trait's promise; what breaks without it:
//!
//! | part | without sharing it, behind a load balancer |
//! |---|---|
//! | [`Spent`] | a confirmation could be used once on each replica |
//! | [`Pending`] | a call has to come back to the replica that lists it |
//! | [`Kept`] | a long answer is read from the replica that has it |
//! | [`Counters`] | each replica allows the whole limit |
//! | [`Handshakes`] | a session (revisions until 2025-11-25) lives on one replica |
//!
//! [`Spent`] and [`Pending`] decide whether a call is made, so they may take their time: they are asynchronous.
//! The others are asked on the way of every call and answer at once; a shared one works on a local copy.

mod counters;
mod handshakes;
mod id;
mod kept;
mod pending;
mod spent;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

pub use counters::{Counters, Governed, Quota, Quotas, Rate, UsedUp};
pub use handshakes::{Handshakes, HandshakesInMemory};
pub use id::fresh_id;
pub use kept::{Answer, Kept, KeptInMemory, SCHEME, Settings as KeptSettings, uri_of};
pub use pending::{Ask, Entry, Full, Pending, PendingInMemory, Stage, Undecidable, Verdict};
pub use spent::{Nonce, Spending, Spent, SpentInMemory};

/// Used states and tokens remembered at once.
const MOST_SPENT: usize = 100_000;

/// What an operation of a store resolves to.
pub type Reply<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// All of it.
#[derive(Debug, Clone)]
pub struct State {
    /// Confirmations that were used.
    pub spent: Arc<dyn Spent>,
    /// Calls that wait for an operator.
    pub pending: Arc<dyn Pending>,
    /// Long answers; none are kept where absent.
    pub kept: Option<Arc<dyn Kept>>,
    /// What was called how often.
    pub counters: Arc<dyn Counters>,
    /// What clients with a session agreed on.
    pub handshakes: Arc<dyn Handshakes>,
}

/// How much of it there may be.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Long answers.
    pub kept: KeptSettings,
    /// Calls in a time.
    pub quotas: Quotas,
    /// Calls that wait for an operator at once.
    pub max_pending: usize,
    /// Sessions at once.
    pub max_sessions: usize,
    /// A session nobody used for so long is gone.
    pub session_idle: Duration,
}

impl State {
    /// State in the memory of this process.
    #[must_use]
    pub fn in_memory(settings: &Settings) -> Self {
        let kept = (settings.kept.max_bytes > 0)
            .then(|| -> Arc<dyn Kept> { Arc::new(KeptInMemory::new(settings.kept)) });
        Self {
            spent: Arc::new(SpentInMemory::new(MOST_SPENT)),
            pending: Arc::new(PendingInMemory::new(settings.max_pending)),
            kept,
            counters: Arc::new(Governed::new(&settings.quotas)),
            handshakes: Arc::new(HandshakesInMemory::new(
                settings.max_sessions,
                settings.session_idle,
            )),
        }
    }
}
