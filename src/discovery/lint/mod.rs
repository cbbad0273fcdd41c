//! What somebody who publishes documents as tools should know of them, beside the loader's findings.

mod checks;
mod rules;
#[cfg(test)]
mod tests;

pub use rules::RULES;

use std::collections::HashMap;

use super::overrides::place;
use super::{Discovery, Settings, Source, discover};
use crate::openapi::{Finding, Operation, Severity};
use crate::tool::Tool;

/// Findings about the documents as tools.
#[derive(Debug, Default)]
pub struct Diagnosis {
    /// Of each source, in their order; the documents' own findings are not repeated.
    pub documents: Vec<Vec<Finding>>,
    /// What concerns no single document, for instance an override that fits no operation.
    pub general: Vec<Finding>,
}

/// Looks at everything that discovery did, and at what a model and a client will make of it.
#[must_use]
pub fn diagnose(sources: &[Source<'_>], settings: &Settings) -> Diagnosis {
    let together = discover(sources, settings);
    let mut notes = together.notes;
    let mut diagnosis = Diagnosis::default();
    for source in sources {
        let alone = discover(std::slice::from_ref(source), settings);
        let mut findings = Vec::new();
        left_out(source, &alone, &mut findings);
        // What the documents' discovery says together counts: names differ in it.
        for note in &alone.notes {
            if let Some(index) = notes.iter().position(|one| one == note) {
                notes.remove(index);
                findings.push(of_note("discovery-note", source, note));
            }
        }
        let warnings = alone.warnings.iter();
        findings.extend(warnings.map(|warning| of_note("invalid-extension", source, warning)));
        checks::document(source, settings, &tools(&alone), &mut findings);
        diagnosis.documents.push(findings);
    }
    let notes = notes
        .into_iter()
        .map(|note| finding("discovery-note", "", note));
    let idle = together.idle.into_iter();
    let idle = idle.map(|rule| finding("rule-without-effect", "", rule));
    diagnosis.general = notes.chain(idle).collect();
    diagnosis
}

/// A finding with the severity and the hint of its rule.
fn finding(rule: &'static str, pointer: &str, message: String) -> Finding {
    let known = RULES.iter().find(|known| known.name == rule);
    debug_assert!(known.is_some(), "`{rule}` is not in rules.rs");
    Finding {
        severity: known.map_or(Severity::Note, |rule| rule.severity),
        rule,
        pointer: pointer.to_owned(),
        message,
        hint: known.map(|rule| rule.remedy.to_owned()),
    }
}

/// The tools of one document by method and path template.
type Tools<'a> = HashMap<(String, &'a str), &'a Tool>;

fn tools(discovery: &Discovery) -> Tools<'_> {
    let named = discovery.tools.iter().map(|tool| {
        let (method, path) = tool.target.endpoint();
        ((method.to_owned(), path), tool)
    });
    named.collect()
}

/// Operations that were understood and did not become tools.
fn left_out(source: &Source<'_>, discovery: &Discovery, findings: &mut Vec<Finding>) {
    let lost: Vec<&str> = source
        .document
        .findings
        .iter()
        .filter(|one| one.severity == Severity::Error)
        .map(|one| one.message.as_str())
        .collect();
    let mut without_server: Vec<Finding> = Vec::new();
    for skipped in &discovery.skipped {
        if lost.contains(&skipped.reason.as_str()) {
            continue;
        }
        let operation = operation_of(source, |one| place(one) == skipped.operation);
        let nowhere =
            operation.is_some_and(|one| one.servers.is_empty()) && source.base_url.is_none();
        let pointer = operation.map_or("", |one| one.pointer.as_str());
        let text = format!("{} is no tool: {}", skipped.operation, skipped.reason);
        if nowhere && skipped.reason.contains("server") {
            without_server.push(finding("operation-without-server", pointer, text));
        } else {
            findings.push(finding("operation-excluded", pointer, text));
        }
    }
    // Usually none has one; that is one fault, not hundreds.
    if without_server.len() > 1 {
        let text = format!(
            "{} operations are no tools: the document names no absolute server URL",
            without_server.len()
        );
        without_server = vec![finding("operation-without-server", "/servers", text)];
    }
    findings.append(&mut without_server);
}

/// A note is a sentence; the operation it names says where it belongs.
fn of_note(rule: &'static str, source: &Source<'_>, note: &str) -> Finding {
    let text = note
        .strip_prefix(source.document.name.as_str())
        .and_then(|rest| rest.strip_prefix(": "))
        .unwrap_or(note);
    let named = source
        .document
        .operations
        .iter()
        .filter(|one| text.contains(&place(one)))
        .max_by_key(|one| one.path.len());
    finding(
        rule,
        named.map_or("", |one| one.pointer.as_str()),
        text.to_owned(),
    )
}

fn operation_of<'a>(
    source: &Source<'a>,
    fits: impl Fn(&Operation) -> bool,
) -> Option<&'a Operation> {
    source.document.operations.iter().find(|one| fits(one))
}
