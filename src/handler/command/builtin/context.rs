//! What a part of the bridge may use of the call it serves.

use std::path::PathBuf;
use std::time::SystemTime;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::super::{CommandError, Ran};

/// One call, as a built-in part sees it. Whoever runs commands implements it; the tests have their own.
pub(in crate::handler::command) trait Context: Send + Sync {
    /// `given`, taken relative to the working directory, canonical; its last part need not exist.
    ///
    /// # Errors
    /// It lies outside the roots, or a folder on the way is missing; `parameter` is named.
    fn path(&self, parameter: &str, given: &str) -> Result<PathBuf, CommandError>;

    /// Runs the allowed program with these words in the working directory, until it ends.
    ///
    /// # Errors
    /// It cannot be started.
    fn run(&self, words: Vec<String>) -> BoxFuture<'_, Result<Ran, CommandError>>;

    /// The session of this name, if it is kept.
    fn session(&self, id: &str) -> Option<SessionView>;

    /// Ends a session with everything it started and forgets it.
    fn stop<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Option<SessionView>>;

    /// Every kept session, the oldest first, without lines.
    fn sessions(&self) -> Vec<SessionView>;

    /// Calls since the start or the last reset, by tool.
    fn calls(&self) -> Vec<CallCounts>;

    /// Sets all counts to zero.
    fn reset_calls(&self);

    /// The tools of this document: name and actions.
    fn tools(&self) -> Vec<(String, Vec<String>)>;

    /// Facts that only the outside knows, as a JSON object: `protocolVersion`, and `supports` with one
    /// boolean for each feature.
    fn facts(&self) -> Value;
}

/// A program that goes on after the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::handler::command) struct SessionView {
    /// Its name.
    pub(in crate::handler::command) id: String,
    /// What it does: the lock's operation, for instance `run`.
    pub(in crate::handler::command) operation: String,
    /// On what.
    pub(in crate::handler::command) target: String,
    /// The process at the head of its group.
    pub(in crate::handler::command) process: u32,
    /// Since when.
    pub(in crate::handler::command) started: SystemTime,
    /// It has ended; with its exit status, `None` where a signal ended it.
    pub(in crate::handler::command) ended: Option<Option<i32>>,
    /// Its last lines, the oldest first.
    pub(in crate::handler::command) lines: Vec<SessionLine>,
    /// Lines that were given up for newer ones.
    pub(in crate::handler::command) dropped: u64,
}

/// A line that a session wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::handler::command) struct SessionLine {
    /// When.
    pub(in crate::handler::command) time: SystemTime,
    /// On standard error.
    pub(in crate::handler::command) error: bool,
    /// Without its end.
    pub(in crate::handler::command) text: String,
}

/// The calls of one tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::handler::command) struct CallCounts {
    /// The tool.
    pub(in crate::handler::command) tool: String,
    /// All of them.
    pub(in crate::handler::command) calls: u64,
    /// Those that failed.
    pub(in crate::handler::command) failures: u64,
    /// How long all of them took together, in milliseconds.
    pub(in crate::handler::command) milliseconds: f64,
}
