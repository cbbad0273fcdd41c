//! Actions that no command line of the program carries out: parts of the bridge, by name.

mod clock;
mod context;
mod evaluate;
mod file;
mod frameworks;
mod global_json;
mod project;
mod server;
mod sessions;
mod solution;
#[cfg(test)]
mod testing;

use serde_json::{Map, Value};

pub(in crate::handler::command) use context::{CallCounts, Context, SessionLine, SessionView};

use super::{CommandError, Ran};

/// What a part made.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::handler::command) struct Made {
    /// The structured result: an object, whose member `text` is for people where it has one; null where a program
    /// it needed failed, which is then the last of `runs`.
    pub(in crate::handler::command) value: Value,
    /// What it ran.
    pub(in crate::handler::command) runs: Vec<Ran>,
}

impl Made {
    fn of(value: Value) -> Self {
        Self {
            value,
            runs: Vec::new(),
        }
    }
}

/// Carries out the part `name` (one that [`known`] knows) with the call's checked arguments.
///
/// # Errors
/// What only the machine can judge does not hold, or the program cannot be started.
pub(in crate::handler::command) async fn run(
    name: &str,
    arguments: &Map<String, Value>,
    context: &dyn Context,
) -> Result<Made, CommandError> {
    match name {
        "set-property" => project::set_property(arguments, context).await,
        "remove-property" => project::remove_property(arguments, context).await,
        "add-item" => project::add_item(arguments, context).await,
        "remove-item" => project::remove_item(arguments, context).await,
        "configure-global-json" => global_json::configure(arguments, context).await,
        "framework-info" => frameworks::info(arguments, context).await,
        "cache-metrics" => Ok(server::cache_metrics()),
        "clear-template-cache" => Ok(server::clear_cache()),
        "analyze-solution" => solution::analyze(arguments, context).await,
        "solution-dependencies" => solution::dependencies(arguments, context).await,
        "validate-solution" => solution::validate(arguments, context).await,
        "stop-session" => sessions::stop(arguments, context).await,
        "session-logs" => sessions::logs(arguments, context),
        "capabilities" => server::capabilities(context).await,
        "server-info" => Ok(server::info(context)),
        "metrics" => Ok(server::metrics(context)),
        "reset-metrics" => Ok(server::reset_metrics(context)),
        "token-savings" => Ok(server::token_savings("No workflow was estimated.")),
        "reset-token-savings" => Ok(server::token_savings("There was nothing to reset.")),
        _ => Err(file::refused(
            "action",
            "invalid value",
            format!("there is no part `{name}`"),
        )),
    }
}

/// Whether there is a part of this name.
#[must_use]
pub fn known(name: &str) -> bool {
    PARTS.contains(&name)
}

/// The names of all parts.
const PARTS: &[&str] = &[
    "set-property",
    "remove-property",
    "add-item",
    "remove-item",
    "configure-global-json",
    "framework-info",
    "cache-metrics",
    "clear-template-cache",
    "analyze-solution",
    "solution-dependencies",
    "validate-solution",
    "stop-session",
    "session-logs",
    "capabilities",
    "server-info",
    "metrics",
    "reset-metrics",
    "token-savings",
    "reset-token-savings",
];

/// An argument that has to be there and not blank.
fn text<'a>(arguments: &'a Map<String, Value>, parameter: &str) -> Result<&'a str, CommandError> {
    optional_text(arguments, parameter).ok_or_else(|| {
        let message = format!("Parameter '{parameter}' is required and cannot be empty");
        file::refused(parameter, "required", message)
    })
}

fn optional_text<'a>(arguments: &'a Map<String, Value>, parameter: &str) -> Option<&'a str> {
    let text = arguments.get(parameter).and_then(Value::as_str);
    text.filter(|text| !text.trim().is_empty())
}
