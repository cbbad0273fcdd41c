//! What is wrong with the arguments of a command, for the caller.

use serde_json::{Map, Value};

use super::rules::RuleFault;
use crate::tool::CommandTarget;

/// Why a call cannot be planned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandFault {
    /// The selector names no action.
    #[error("{}", action_message(.parameter, .provided.as_deref(), .valid))]
    Action {
        /// The selector.
        parameter: String,
        /// What it says, if anything.
        provided: Option<String>,
        /// What it could say.
        valid: Vec<String>,
    },
    /// An argument does not do.
    #[error(transparent)]
    Argument(#[from] ArgumentFault),
}

/// An argument that does not do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ArgumentFault {
    /// The argument; of several of which one is needed, the first.
    pub parameter: String,
    /// `required`, `invalid value` or `invalid characters`.
    pub reason: &'static str,
    /// For people; the value is not repeated, since it may be secret.
    pub message: String,
    /// What would do, where that is a short list.
    pub allowed: Vec<&'static str>,
    /// What to do about it.
    pub hint: Option<String>,
}

fn action_message(parameter: &str, provided: Option<&str>, valid: &[String]) -> String {
    let valid = valid.join(", ");
    match provided {
        Some(provided) => {
            format!("'{provided}' is not a value of '{parameter}': expected one of {valid}")
        }
        None => format!("Parameter '{parameter}' is required: expected one of {valid}"),
    }
}

/// Nothing of the document fits the selector's value.
pub(super) fn no_action(target: &CommandTarget, arguments: &Map<String, Value>) -> CommandFault {
    let parameter = target.selector.clone().unwrap_or_default();
    let provided = match arguments.get(&parameter) {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) if text.trim().is_empty() => None,
        Some(Value::String(text)) => Some(text.clone()),
        Some(other) => Some(other.to_string()),
    };
    CommandFault::Action {
        parameter,
        provided,
        valid: target.actions.iter().map(|one| one.name.clone()).collect(),
    }
}

impl ArgumentFault {
    /// None of these was given.
    pub(super) fn required(group: &[String]) -> Self {
        let quoted: Vec<String> = group.iter().map(|name| format!("'{name}'")).collect();
        let message = match quoted.as_slice() {
            [one] => format!("Parameter {one} is required and cannot be empty"),
            several => format!("One of the parameters {} is required", several.join(", ")),
        };
        Self::new(
            group.first().map_or("", String::as_str),
            "required",
            message,
        )
    }

    /// A value that `what` is said of, for instance `must not begin with a dash`.
    pub(super) fn invalid(parameter: &str, what: &str) -> Self {
        Self::new(
            parameter,
            "invalid value",
            format!("Parameter '{parameter}' {what}"),
        )
    }

    /// A value with characters that must not be in it.
    pub(super) fn characters(parameter: &str, what: &str) -> Self {
        Self::new(
            parameter,
            "invalid characters",
            format!("Parameter '{parameter}' {what}"),
        )
    }

    /// An argument that this action would pass over; `users` go by it.
    pub(super) fn passed_over(parameter: &str, action: &str, users: &[&str]) -> Self {
        let users = users.join(", ");
        let what =
            format!("is not for action '{action}', which would be done as if it were not given");
        Self {
            hint: Some(format!(
                "Leave '{parameter}' out, or use what {action} takes; '{parameter}' is for {users}"
            )),
            ..Self::invalid(parameter, &what)
        }
    }

    pub(super) fn of_rule(parameter: &str, broken: RuleFault) -> Self {
        Self {
            allowed: broken.allowed,
            hint: broken.hint,
            ..Self::new(parameter, broken.reason, broken.message)
        }
    }

    fn new(parameter: &str, reason: &'static str, message: String) -> Self {
        Self {
            parameter: parameter.to_owned(),
            reason,
            message,
            allowed: Vec::new(),
            hint: None,
        }
    }
}
