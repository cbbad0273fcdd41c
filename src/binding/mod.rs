//! Arguments to a plan (pure: no I/O): validate them all, then write each where it goes.

pub mod command;
mod http;
mod plan;
mod refused;
mod validate;

pub use http::bind;
pub use plan::HttpPlan;
pub use refused::refused;
pub use validate::{SchemaError, Validator};

use serde::Serialize;

use crate::pointer;

/// More faults are only counted.
const MAX_FAULTS: usize = 20;

/// One thing that is wrong with the arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// JSON pointer into the arguments; empty for the arguments as a whole.
    pub path: String,
    /// The JSON Schema keyword that refused it, or the binder's own rule.
    pub keyword: String,
    /// What was expected and what was found; the values of secret fields are masked.
    pub message: String,
}

impl Fault {
    /// A required argument that is not there.
    pub(crate) fn missing(argument: &str) -> Self {
        Self {
            path: pointer::member("", argument),
            keyword: "required".to_owned(),
            message: format!("missing required argument `{argument}`"),
        }
    }

    /// At most twenty, then how many more there are, `unlisted` among them: arguments can have a million faults.
    fn listed(mut faults: Vec<Self>, unlisted: usize) -> Vec<Self> {
        let more = faults.len().saturating_sub(MAX_FAULTS) + unlisted;
        if more > 0 {
            faults.truncate(MAX_FAULTS);
            faults.push(Self {
                path: String::new(),
                keyword: "more".to_owned(),
                message: format!("{more} more faults are not listed"),
            });
        }
        faults
    }

    /// Whether it stands for others.
    fn is_count(&self) -> bool {
        self.keyword == "more" && self.path.is_empty()
    }
}
