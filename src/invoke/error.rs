//! Why a call was not carried out, as the caller and as the record hear of it.

use crate::binding::{Fault, SchemaError};
use crate::policy::confirm::Stopped;

/// Why a call was not carried out. Whatever happens after the request was sent is an [`Outcome`](crate::tool::Outcome).
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// There is no tool of this name, or not for this caller.
    #[error("unknown tool: {0}")]
    UnknownTool(String),
    /// The caller's token lacks scopes; one with all of these would do.
    #[error("the token's scopes do not allow this: it takes {}", .0.join(" "))]
    MissingScope(Vec<String>),
    /// The arguments do not fit; nothing was sent.
    #[error("{}", list(.0))]
    InvalidArguments(Vec<Fault>),
    /// The tool cannot be called because its schema is broken.
    #[error("the tool cannot be used")]
    Unusable(#[source] SchemaError),
    /// A human has not agreed, or not yet.
    #[error("the call is not confirmed")]
    Stopped(Stopped),
}

impl From<Stopped> for CallError {
    fn from(stopped: Stopped) -> Self {
        let Stopped::Missing(names) = stopped else {
            return Self::Stopped(stopped);
        };
        let missing = names.iter().map(|name| Fault::missing(name));
        Self::InvalidArguments(missing.collect())
    }
}

/// All faults in one line, for the caller.
fn list(faults: &[Fault]) -> String {
    let lines: Vec<String> = faults
        .iter()
        .map(|fault| match fault.path.as_str() {
            "" => fault.message.clone(),
            path => format!("{path}: {}", fault.message),
        })
        .collect();
    format!("invalid arguments: {}", lines.join("; "))
}

/// Where arguments do not fit, and by which rule: a record never repeats what was found there.
pub(super) fn places(faults: &[Fault]) -> String {
    let place = |fault: &Fault| match fault.path.as_str() {
        "" => fault.keyword.clone(),
        path => format!("{path}: {}", fault.keyword),
    };
    let places: Vec<String> = faults.iter().map(place).collect();
    format!("invalid arguments: {}", places.join("; "))
}
