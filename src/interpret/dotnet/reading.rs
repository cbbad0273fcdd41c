//! What was read out of a reply.

use serde_json::{Map, Value};

use super::outcome::Failed;
use super::words;

/// What a shape found.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// The structured content of a success, complete but for the lock and the metadata; of a failure, what
    /// stands beside the envelope.
    pub(super) members: Map<String, Value>,
    /// Why it is no success.
    pub(super) failure: Option<Failed>,
    /// The text for people instead of all that the program wrote.
    pub(super) text: Option<String>,
    /// The output in the success envelope instead of all that the program wrote.
    pub(super) output: Option<String>,
    /// How it was done; texts only.
    pub(super) metadata: Map<String, Value>,
}

impl Reading {
    /// A reading action's answer.
    pub(super) fn of<const N: usize>(pairs: [(&str, Option<Value>); N]) -> Self {
        Self {
            members: words::members(pairs),
            ..Self::default()
        }
    }

    /// A changing action's answer: it succeeded, in a sentence, and what else is known.
    pub(super) fn done<const N: usize>(
        summary: impl Into<String>,
        pairs: [(&str, Option<Value>); N],
    ) -> Self {
        let summary = summary.into();
        let mut members = words::members([
            ("success", Some(true.into())),
            ("summary", Some(summary.into())),
        ]);
        members.extend(words::members(pairs));
        Self {
            members,
            ..Self::default()
        }
    }

    /// The same, failed for these reasons.
    pub(super) fn failing(mut self, failure: Failed) -> Self {
        self.members.remove("success");
        self.members.remove("summary");
        self.failure = Some(failure);
        self
    }

    /// With another text for people.
    pub(super) fn telling(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }
}

impl From<Failed> for Reading {
    fn from(failure: Failed) -> Self {
        Self {
            failure: Some(failure),
            ..Self::default()
        }
    }
}
