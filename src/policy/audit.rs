//! One record per call, from one place; a call that nobody waited for is recorded as well.

use std::time::Instant;

use crate::tool::{CallId, Caller};

/// Writes its record when dropped: with the ending it was told, or as abandoned.
#[derive(Debug)]
pub struct CallRecord {
    id: CallId,
    caller: Caller,
    tool: String,
    started: Instant,
    ending: Ending,
    status: Option<i32>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The operation succeeded.
    Done,
    /// The operation answered with an error, or not at all.
    Failed,
    /// The bridge refused the call before anything was sent.
    Refused,
    /// The caller left, or the call was cancelled.
    Abandoned,
}

impl Ending {
    fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::Abandoned => "abandoned",
        }
    }
}

impl CallRecord {
    /// Starts the record of a call that has just arrived.
    #[must_use]
    pub fn start(id: CallId, caller: &Caller, tool: &str) -> Self {
        // A name from outside is shortened, so that no caller can fill the log with one call.
        let tool = tool.chars().filter(|c| !c.is_control()).take(128).collect();
        Self {
            id,
            caller: caller.clone(),
            tool,
            started: Instant::now(),
            ending: Ending::Abandoned,
            status: None,
        }
    }

    /// Says how the call ended, with the upstream's status if there was one, and writes the record.
    pub fn end(mut self, ending: Ending, status: Option<i32>) {
        self.ending = ending;
        self.status = status;
    }
}

impl Drop for CallRecord {
    fn drop(&mut self) {
        tracing::info!(
            target: "mcpinvoke::call",
            id = %self.id,
            tool = %self.tool,
            caller = %self.caller.principal,
            client = self.caller.client.as_deref(),
            transport = self.caller.transport,
            outcome = self.ending.word(),
            status = self.status,
            ms = self.started.elapsed().as_micros() as f64 / 1000.0,
            "call"
        );
    }
}
