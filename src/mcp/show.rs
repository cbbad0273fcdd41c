//! Wire forms for people: what the commands print is what a client of the newest revision gets.

use super::content::write_outcome;
use super::listing::{definition, definitions};
use super::revision::Revision;
use super::settings::Settings;
use crate::tool::{Outcome, Tool};

/// A tool as `tools/list` lists it, as JSON text.
#[must_use]
pub fn tool_definition(tool: &Tool) -> String {
    definition(tool, Revision::V2026_07_28)
}

/// Tools as `tools/list` lists them under these settings, each as JSON text.
#[must_use]
pub fn tool_definitions<'a>(
    tools: impl IntoIterator<Item = &'a Tool> + Clone,
    settings: &Settings,
) -> Vec<String> {
    definitions(tools, settings, Revision::V2026_07_28)
}

/// A `CallToolResult` as JSON text.
#[must_use]
pub fn call_result(outcome: &Outcome) -> String {
    let mut out = vec![b'{'];
    write_outcome(&mut out, outcome, Revision::V2026_07_28, false);
    out.push(b'}');
    String::from_utf8(out).unwrap_or_default()
}
