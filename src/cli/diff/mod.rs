//! What a new document means for those who call the tools of the old one (pure).
//!
//! Breaking is what makes a call that was valid fail or mean something else.

mod schema;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};

use crate::tool::Tool;

/// A difference of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    /// The tool's name; the new one where it was renamed.
    pub(super) tool: String,
    /// What kind of difference, as a stable word.
    pub(super) kind: &'static str,
    /// The same in a sentence.
    pub(super) text: String,
    /// Whether calls of the old tool may fail now.
    pub(super) breaking: bool,
}

/// All differences: tools in the new order, then those that are gone.
pub(super) fn compare(old: &[Tool], new: &[Tool]) -> Vec<Change> {
    let names: HashMap<&str, &Tool> = old.iter().map(|tool| (tool.name.as_str(), tool)).collect();
    let kept: BTreeSet<&str> = new.iter().map(|tool| tool.name.as_str()).collect();
    // Only a tool whose own name is gone can have been renamed.
    let mut gone: Vec<&Tool> = old
        .iter()
        .filter(|tool| !kept.contains(tool.name.as_str()))
        .collect();
    let mut changes = Vec::new();
    for tool in new {
        let mut list = List {
            tool: tool.name.to_string(),
            changes: &mut changes,
        };
        if let Some(before) = names.get(tool.name.as_str()) {
            list.tool(before, tool);
        } else if let Some(index) = gone.iter().position(|one| endpoint(one) == endpoint(tool)) {
            let before = gone.remove(index);
            list.add(
                "tool-renamed",
                true,
                format!("renamed from {}", before.name),
            );
            list.tool(before, tool);
        } else {
            list.add("tool-added", false, format!("added ({})", endpoint(tool)));
        }
    }
    for tool in gone {
        let mut list = List {
            tool: tool.name.to_string(),
            changes: &mut changes,
        };
        list.add(
            "tool-removed",
            true,
            format!("removed ({})", endpoint(tool)),
        );
    }
    changes
}

/// `METHOD /path`.
fn endpoint(tool: &Tool) -> String {
    tool.target.operation()
}

/// The changes of one tool.
struct List<'a> {
    tool: String,
    changes: &'a mut Vec<Change>,
}

impl List<'_> {
    fn add(&mut self, kind: &'static str, breaking: bool, text: String) {
        self.changes.push(Change {
            tool: self.tool.clone(),
            kind,
            text,
            breaking,
        });
    }

    fn tool(&mut self, old: &Tool, new: &Tool) {
        let (before, after) = (endpoint(old), endpoint(new));
        if before != after {
            self.add(
                "endpoint-changed",
                false,
                format!("calls {after} instead of {before}"),
            );
        }
        if old.description != new.description {
            self.add(
                "description-changed",
                false,
                "description changed".to_owned(),
            );
        }
        if old.title != new.title {
            self.add("title-changed", false, "title changed".to_owned());
        }
        self.hints(old, new);
        if !old.confirm && new.confirm {
            self.add(
                "confirm-added",
                true,
                "a human has to confirm calls now".to_owned(),
            );
        } else if old.confirm && !new.confirm {
            self.add(
                "confirm-removed",
                false,
                "no human has to confirm calls any more".to_owned(),
            );
        }
        if old.input_schema != new.input_schema {
            schema::arguments(&old.input_schema.parse(), &new.input_schema.parse(), self);
        }
        match (&old.output_schema, &new.output_schema) {
            (Some(_), None) => self.add(
                "output-removed",
                true,
                "the output schema is gone".to_owned(),
            ),
            (None, Some(_)) => self.add(
                "output-added",
                false,
                "there is an output schema now".to_owned(),
            ),
            (Some(old), Some(new)) if old != new => {
                self.add(
                    "output-changed",
                    false,
                    "the output schema changed".to_owned(),
                );
            }
            _ => {}
        }
    }

    fn hints(&mut self, old: &Tool, new: &Tool) {
        let (old, new) = (&old.annotations, &new.annotations);
        for (name, before, after) in [
            ("readOnlyHint", old.read_only_hint, new.read_only_hint),
            (
                "destructiveHint",
                old.destructive_hint,
                new.destructive_hint,
            ),
            ("idempotentHint", old.idempotent_hint, new.idempotent_hint),
            ("openWorldHint", old.open_world_hint, new.open_world_hint),
        ] {
            if before != after {
                let word =
                    |hint: Option<bool>| hint.map_or("absent".to_owned(), |hint| hint.to_string());
                self.add(
                    "hint-changed",
                    false,
                    format!("{name} is {} instead of {}", word(after), word(before)),
                );
            }
        }
        if old.tags != new.tags {
            self.add("tags-changed", false, "tags changed".to_owned());
        }
    }
}

/// One line a change, breaking ones marked; a summary at the end.
pub(super) fn text(changes: &[Change]) -> String {
    let mut out = String::new();
    let mut tool = "";
    for change in changes {
        if change.tool != tool {
            tool = &change.tool;
            out.push_str(&format!("{tool}\n"));
        }
        let mark = if change.breaking { "breaking" } else { "" };
        out.push_str(&format!("  {mark:<8}  {}\n", change.text));
    }
    let breaking = breaking(changes);
    let plural = if changes.len() == 1 { "" } else { "s" };
    out.push_str(&format!(
        "{} change{plural}, {breaking} breaking",
        changes.len()
    ));
    out
}

/// One object with the changes and how many there are.
pub(super) fn json(changes: &[Change]) -> String {
    let list: Vec<Value> = changes
        .iter()
        .map(|change| {
            json!({
                "tool": change.tool,
                "kind": change.kind,
                "breaking": change.breaking,
                "text": change.text,
            })
        })
        .collect();
    let whole = json!({"changes": list, "breaking": breaking(changes)});
    format!("{whole:#}")
}

/// How many changes are breaking.
pub(super) fn breaking(changes: &[Change]) -> usize {
    changes.iter().filter(|change| change.breaking).count()
}
