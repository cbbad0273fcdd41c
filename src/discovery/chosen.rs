//! Which operations become tools, what the calls of each go to, and why the others are skipped.

use super::command;
use super::defs::{Definitions, Direction};
use super::extension::Notes;
use super::overrides::{self, place};
use super::settings::{Exclude, Override, Settings};
use super::{NO_SERVER, Skipped, Source, body, naming, select, target};
use crate::openapi::{Document, Operation, Severity};
use crate::pointer;
use crate::tool::CommandTarget;

/// An operation that becomes a tool.
pub(super) struct Chosen<'a> {
    pub(super) operation: &'a Operation,
    pub(super) over: Override,
    pub(super) becomes: Becomes,
}

/// What the calls of an operation go to.
pub(super) enum Becomes {
    /// A service at this base.
    Http(url::Url),
    /// A program.
    Command(CommandTarget),
}

/// The operations that become tools; the others are added to `skipped`.
pub(super) fn choose<'a>(
    source: &'a Source<'a>,
    settings: &Settings,
    notes: &mut Notes,
    skipped: &mut Vec<Skipped>,
) -> Vec<Chosen<'a>> {
    let mut chosen = Vec::new();
    for operation in &source.document.operations {
        let over = overrides::of_operation(operation, &settings.overrides, notes);
        let excluded = match &over.exclude {
            Some(Exclude::Plain(true)) => Some("it is marked as excluded".to_owned()),
            Some(Exclude::Reason(reason)) => Some(reason.clone()),
            _ => select::refusal(operation, &settings.select),
        };
        let becomes = match excluded {
            Some(reason) => Err(reason),
            None => becomes(source, operation),
        };
        match becomes {
            Ok(becomes) => chosen.push(Chosen {
                operation,
                over,
                becomes,
            }),
            Err(reason) => skipped.push(Skipped {
                document: source.document.name.clone(),
                operation: place(operation),
                name: Some(candidate(source, operation, &over).wish(settings.max_name_length)),
                reason,
            }),
        }
    }
    chosen
}

fn becomes(source: &Source<'_>, operation: &Operation) -> Result<Becomes, String> {
    if let Some(target) = command::target(operation, &source.commands)? {
        return Ok(Becomes::Command(target));
    }
    let definitions = Definitions::new(&source.document.schemas, Direction::Input);
    if body::is_unsendable(operation, &definitions) {
        return Err(body::WITHOUT_FIELDS.to_owned());
    }
    let base = target::base(source.base_url.as_ref(), operation);
    base.map(Becomes::Http).ok_or_else(|| NO_SERVER.to_owned())
}

/// What an operation's tool can be named after.
pub(super) fn candidate(
    source: &Source<'_>,
    operation: &Operation,
    over: &Override,
) -> naming::Candidate {
    let named = over.name.as_ref().or(operation.operation_id.as_ref());
    naming::Candidate {
        preferred: named.cloned(),
        method: operation.method.to_string(),
        path: operation.path.clone(),
        prefix: source.prefix.clone(),
    }
}

/// What the loader had to leave out.
pub(super) fn lost(document: &Document) -> impl Iterator<Item = Skipped> {
    let errors = document
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| Skipped {
        document: document.name.clone(),
        operation: operation_at(&finding.pointer),
        name: None,
        reason: finding.message.clone(),
    })
}

/// `/paths/~1pets/get/...` as `GET /pets`; other pointers as they are.
fn operation_at(pointer: &str) -> String {
    let mut names = pointer::names(pointer);
    match (names.next().as_deref(), names.next(), names.next()) {
        (Some("paths"), Some(path), method) => {
            let method = method
                .map(|method| method.to_uppercase())
                .unwrap_or_default();
            format!("{method} {path}").trim_start().to_owned()
        }
        _ => pointer.to_owned(),
    }
}
