//! Wire forms for people: what the commands print is what a client of the newest revision gets.

use super::content::write_outcome;
use super::listing::{definition, definitions};
use super::payload::Writer;
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
    let mut writer = Writer::default();
    writer.out.push(b'{');
    write_outcome(&mut writer, outcome, Revision::V2026_07_28, false);
    writer.out.push(b'}');
    let text = writer.finish().into_bytes();
    String::from_utf8(text.into()).unwrap_or_default()
}
