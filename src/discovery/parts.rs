//! Documents one by one: what each becomes, and all of them together.
//!
//! Names are settled by all documents, so a document's tools get theirs only when they are joined. Everything else of
//! a tool is its document's alone: a document that comes later, or comes again, costs none of the others a second
//! reading, and its tree is gone as soon as its tools are made.

use std::sync::Arc;

use super::build::{Build, Changes};
use super::chosen::{Chosen, candidate, choose, lost};
use super::extension::Notes;
use super::idle;
use super::naming::{self, Candidate};
use super::settings::Settings;
use super::{Skipped, Source};
use crate::openapi::Operation;
use crate::tool::{Tool, ToolName};

/// What one document becomes.
#[derive(Debug)]
pub struct Part {
    document: String,
    /// Named as if there were no other document.
    tools: Vec<Arc<Tool>>,
    /// What each can be named after.
    candidates: Vec<Candidate>,
    skipped: Vec<Skipped>,
    /// Of extensions that could not be understood.
    notes: Notes,
    changes: Changes,
    /// Its operations as rules know them, where there are any rules.
    operations: Vec<Operation>,
}

/// All documents together.
#[derive(Debug, Default)]
pub struct Joined {
    /// The tools, in the documents' order, with unique names. Those whose name stayed are shared with their [`Part`].
    pub tools: Vec<Arc<Tool>>,
    /// What was changed on the way, for people.
    pub notes: Vec<String>,
    /// What the documents' extensions say and could not be understood; an operator should hear of it.
    pub warnings: Vec<String>,
    /// The operator's rules and overrides that fit no operation of these documents; he should hear of it.
    pub idle: Vec<String>,
}

impl Part {
    /// What this document becomes.
    #[must_use]
    pub fn of(source: &Source<'_>, settings: &Settings) -> Self {
        let (mut notes, mut skipped) = (Notes::default(), Vec::new());
        let chosen = choose(source, settings, &mut notes, &mut skipped);
        skipped.extend(lost(source.document));
        let named = |one: &Chosen<'_>| candidate(source, one.operation, &one.over);
        let candidates: Vec<Candidate> = chosen.iter().map(named).collect();
        let (names, _) = naming::assign(&candidates, settings.max_name_length);
        let mut build = Build::new(source, settings);
        let tools = chosen.iter().zip(names).enumerate();
        let tools = tools.map(|(at, (chosen, name))| Arc::new(build.tool(chosen, name, at)));
        let tools = tools.collect();
        let operations = source.document.operations.iter();
        let operations = operations.filter(|_| idle::has_rules(settings));
        Self {
            document: source.document.name.clone(),
            tools,
            candidates,
            skipped,
            notes: notes.of_document(&source.document.name),
            changes: build.finish(),
            operations: operations.map(idle::outline).collect(),
        }
    }

    /// Its tools, in its order; of names that another document has as well, only one stays.
    #[must_use]
    pub fn tools(&self) -> &[Arc<Tool>] {
        &self.tools
    }

    /// What did not become a tool.
    #[must_use]
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// The same, and nothing else of it stays.
    pub(super) fn into_skipped(self) -> Vec<Skipped> {
        self.skipped
    }
}

/// Puts documents together, in their order.
#[must_use]
pub fn join(parts: &[&Part], settings: &Settings) -> Joined {
    let parts = || parts.iter().copied();
    let candidates = parts().flat_map(|part| &part.candidates);
    let (names, given) = naming::assign(candidates, settings.max_name_length);
    let mut joined = Joined {
        notes: given,
        ..Joined::default()
    };
    let (mut tools, mut rest) = (Vec::with_capacity(names.len()), names.as_slice());
    for part in parts() {
        let (own, others) = rest.split_at(part.tools.len().min(rest.len()));
        rest = others;
        tools.extend(
            part.tools
                .iter()
                .zip(own)
                .map(|(tool, name)| named(tool, name)),
        );
        for said in [&part.notes, &part.changes.notes] {
            joined.notes.extend_from_slice(&said.notes);
            joined.warnings.extend_from_slice(&said.warnings);
        }
        let left_out = part.changes.left_out(&part.document, own, settings);
        joined.notes.extend(left_out);
    }
    joined.tools = tools;
    let operations: Vec<&Operation> = parts().flat_map(|part| &part.operations).collect();
    joined.idle = idle::rules(&operations, settings);
    joined
}

fn named(tool: &Arc<Tool>, name: &ToolName) -> Arc<Tool> {
    if tool.name == *name {
        return Arc::clone(tool);
    }
    let mut tool = Tool::clone(tool);
    tool.name = name.clone();
    Arc::new(tool)
}
