//! What a run of `dotnet` means (pure): its replies and refusals become outcomes by the contract of
//! the dotnet tools: text for people, structured content, and envelopes for failures.

mod catalogue;
mod classify;
mod diagnostics;
mod envelope;
mod outcome;
mod reading;
mod refusal;
mod shapes;
mod utc;
mod words;

pub use refusal::{ArgumentFault, Refusal};

use std::fmt;

use serde_json::{Map, Value};

use crate::handler::command::CommandReply;
use crate::tool::{Action, CommandTarget, Outcome};

/// One call of a command, as far as its answer needs it.
#[derive(Clone, Copy)]
pub struct CommandCall<'a> {
    /// The tool's name, for messages.
    pub tool: &'a str,
    /// What the tool does.
    pub target: &'a CommandTarget,
    /// Which of its actions was asked for; `None` where the selector names none.
    pub action: Option<&'a Action>,
    /// The call's arguments.
    pub arguments: &'a Map<String, Value>,
    /// Masks secrets. It is applied before anything is cut, so that no half of a secret is left over;
    /// the outcome as a whole has to be masked as well.
    pub mask: &'a dyn Fn(&str) -> String,
    /// The value (second) of what has this name (first) as it may be shown, masked where the name says that it is a
    /// secret. A user secret has the name `secret`, whatever its key is.
    pub mask_named: &'a dyn Fn(&str, &str) -> String,
}

impl fmt::Debug for CommandCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandCall")
            .field("tool", &self.tool)
            .field("action", &self.action.map(|action| &action.name))
            .finish_non_exhaustive()
    }
}

impl CommandCall<'_> {
    /// The name of the result's shape.
    fn shape(&self) -> &str {
        self.action
            .map_or("minimal", |action| action.result.as_str())
    }

    /// The argument's text, where it is given and not blank.
    fn text(&self, argument: &str) -> Option<&str> {
        let text = self.arguments.get(argument)?.as_str()?.trim();
        (!text.is_empty()).then_some(text)
    }

    /// Whether the argument is true.
    fn is_set(&self, argument: &str) -> bool {
        self.arguments.get(argument) == Some(&Value::Bool(true))
    }

    /// Whether the caller wants the envelope as text (version 1 of the contract).
    fn machine_readable(&self) -> bool {
        self.is_set("machineReadable")
    }
}

/// What a carried out plan means: its success or failure, and for a program that was ended before its
/// time the cancellation with what it had written so far.
#[must_use]
pub fn command_reply(call: &CommandCall<'_>, reply: &CommandReply) -> Outcome {
    let reading = shapes::read(call, reply);
    outcome::of_reply(call, reply, reading)
}

/// Why a call was not carried out, or not to its end.
#[must_use]
pub fn command_refused(call: &CommandCall<'_>, refusal: &Refusal) -> Outcome {
    refusal::outcome(call, refusal)
}
