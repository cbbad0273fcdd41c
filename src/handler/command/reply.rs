//! What became of a program, not yet understood.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::tool::TestRunner;

/// What a carried out plan left.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CommandReply {
    /// One for each command line that was run, in order.
    pub runs: Vec<Ran>,
    /// What a built-in part made.
    pub value: Option<Value>,
    /// The lock that was held.
    pub lock: Option<LockInfo>,
    /// Which test runner was selected, where that mattered.
    pub runner: Option<RunnerChoice>,
    /// The session that goes on, where one was started.
    pub session: Option<String>,
}

/// A command line that was run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ran {
    /// The program and its words as people may see them, secrets masked.
    pub command: String,
    /// The exit status; `None` where a signal ended it.
    pub exit: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Why it ended.
    pub ended: Ended,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// How long it ran.
    pub duration: Duration,
    /// Files it left in its fresh folder: name and text, bounded.
    pub files: Vec<(String, String)>,
}

/// Why a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ended {
    /// By itself.
    #[default]
    Exited,
    /// Its time was up; it was ended.
    TimedOut,
    /// The bridge is shutting down; it was ended.
    Stopped,
}

/// Output of a program: head and tail where it was long.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    /// The text; undecodable bytes replaced. A marker line stands where something was left out.
    pub text: String,
    /// Bytes left out.
    pub dropped: u64,
}

/// What was locked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockInfo {
    /// `project`, `solution`, `workingDirectory` or `global`.
    pub scope: &'static str,
    /// The canonical absolute path, letter case kept.
    pub key: String,
}

/// Which test runner, and who said so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunnerChoice {
    /// Which.
    pub runner: TestRunner,
    /// `useLegacyProjectArgument-parameter`, `testRunner-parameter`, `global.json` or `default`.
    pub source: &'static str,
}

/// Why a plan was not carried out to its end. The texts are for the caller.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The program is not on this machine, or cannot be started.
    #[error("the command `{program}` could not be started")]
    NotStarted {
        /// Its name.
        program: String,
        /// The command line as people may see it.
        command: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A value that only the machine can judge does not hold: a directory that is not there, a path outside the roots.
    #[error("{message}")]
    Refused {
        /// The argument.
        parameter: String,
        /// A short reason: `not found`, `outside the allowed roots`, `invalid value`.
        reason: &'static str,
        /// For people.
        message: String,
    },
    /// Something else runs on the same thing.
    #[error("a conflicting operation is already in progress: {running} on {}", .lock.key)]
    Conflict {
        /// What was asked for.
        operation: String,
        /// On what, as the caller named it.
        target: String,
        /// What runs.
        running: String,
        /// Since when.
        since: SystemTime,
        /// What is locked.
        lock: Box<LockInfo>,
    },
}

impl CommandError {
    /// The reason of a path that is refused for where it leads.
    pub const OUTSIDE: &'static str = "outside the allowed roots";
}
