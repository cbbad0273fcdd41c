//! What the arguments say of the test runner.

use serde_json::{Map, Value};

use crate::tool::{Action, TestRunner, Work};

/// The runner that is asked for, and by which argument; only where the action has command lines of several.
pub(super) fn asked(
    action: &Action,
    arguments: &Map<String, Value>,
) -> Option<(TestRunner, &'static str)> {
    let Work::Runs(runs) = &action.work else {
        return None;
    };
    if runs.iter().all(|run| run.runner.is_none()) {
        return None;
    }
    if arguments.get("useLegacyProjectArgument") == Some(&Value::Bool(true)) {
        return Some((TestRunner::VsTest, "useLegacyProjectArgument-parameter"));
    }
    let named = arguments.get("testRunner").and_then(Value::as_str)?;
    let named: String = named
        .chars()
        .filter(char::is_ascii_alphabetic)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    let runner = match named.as_str() {
        "vstest" => TestRunner::VsTest,
        "microsofttestingplatform" | "mtp" => TestRunner::Platform,
        _ => return None,
    };
    Some((runner, "testRunner-parameter"))
}
