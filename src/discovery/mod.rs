//! Discovery (pure): every operation becomes a tool, or a reason why not.

mod arguments;
mod ask;
mod body;
mod build;
mod circles;
mod command;
mod compose;
mod confirm;
mod convert;
mod defs;
mod extension;
#[cfg(test)]
mod fixture;
mod fragment;
mod hints;
mod idle;
mod input;
mod keys;
mod keywords;
mod lint;
mod methods;
mod multipart;
mod naming;
mod nearest;
mod object;
mod output;
mod overrides;
mod parameters;
mod parts;
mod path;
mod pattern;
mod profile;
mod security;
mod select;
mod settings;
mod target;
#[cfg(test)]
mod tests;
mod text;
mod ways;
mod xml;

pub use command::{Allowed, Commands, DOTNET_DOCUMENT, data as command_data};
pub use lint::{Diagnosis, RULES, diagnose};
pub use parts::{Joined, Part, join};
pub use settings::{
    Ask, BodyShape, ConfirmRules, Exclude, Form, Hints, OutputSchemas, Override, ParameterOverride,
    Rule, SchemaProfile, Select, Settings,
};

use std::sync::Arc;

use crate::openapi::{Document, Operation, ParameterLocation, Severity};
use crate::pointer;
use crate::tool::{CommandTarget, Tool};
use defs::{Definitions, Direction};
use extension::Notes;
use overrides::place;

/// What discovery makes of the documents.
#[derive(Debug, Default)]
pub struct Discovery {
    /// The tools, in the documents' order, with unique names.
    pub tools: Vec<Tool>,
    /// What did not become a tool.
    pub skipped: Vec<Skipped>,
    /// What was changed on the way, for people: renamed duplicates, dropped schemas, ...
    pub notes: Vec<String>,
    /// What the documents' extensions say and could not be understood; an operator should hear of it.
    pub warnings: Vec<String>,
    /// The operator's rules and overrides that fit no operation; he should hear of it.
    pub idle: Vec<String>,
}

/// An operation that did not become a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The document's name.
    pub document: String,
    /// `METHOD /path`.
    pub operation: String,
    /// What its tool would be called, where that is known.
    pub name: Option<String>,
    /// Why.
    pub reason: String,
}

/// Why an operation is skipped whose calls would have nowhere to go.
pub const NO_SERVER: &str = "the document names no absolute server URL: give one with --base-url";

/// A document with what the operator says of it.
#[derive(Debug)]
pub struct Source<'a> {
    /// The loaded document.
    pub document: &'a Document,
    /// Its number in the configuration, by which the operator's credentials find it.
    pub number: usize,
    /// Put before each tool name, with an underscore between.
    pub prefix: Option<String>,
    /// Wins over the document's `servers`.
    pub base_url: Option<url::Url>,
    /// Whether its operations may run programs.
    pub commands: Commands,
}

/// Turns the documents' operations into tools.
#[must_use]
pub fn discover(sources: &[Source<'_>], settings: &Settings) -> Discovery {
    let parts = sources.iter().map(|source| Part::of(source, settings));
    Discovery::of_parts(parts.collect(), settings)
}

impl Discovery {
    /// What these documents make together, in their order.
    #[must_use]
    pub fn of_parts(parts: Vec<Part>, settings: &Settings) -> Self {
        let joined = join(&parts.iter().collect::<Vec<_>>(), settings);
        let skipped = parts.into_iter().flat_map(Part::into_skipped).collect();
        Self {
            // Nobody else has them any more.
            tools: joined.tools.into_iter().map(Arc::unwrap_or_clone).collect(),
            skipped,
            notes: joined.notes,
            warnings: joined.warnings,
            idle: joined.idle,
        }
    }
}

/// An operation that becomes a tool.
struct Chosen<'a> {
    operation: &'a Operation,
    over: Override,
    becomes: Becomes,
}

/// What the calls of an operation go to.
enum Becomes {
    /// A service at this base.
    Http(url::Url),
    /// A program.
    Command(CommandTarget),
}

/// What an operation's tool can be named after.
fn candidate(source: &Source<'_>, operation: &Operation, over: &Override) -> naming::Candidate {
    let named = over.name.as_ref().or(operation.operation_id.as_ref());
    naming::Candidate {
        preferred: named.cloned(),
        method: operation.method.to_string(),
        path: operation.path.clone(),
        prefix: source.prefix.clone(),
    }
}

/// The names of the operation's path parameters.
fn in_path(operation: &Operation) -> Vec<&str> {
    let parameters = operation.parameters.iter();
    parameters
        .filter(|one| one.location == ParameterLocation::Path)
        .map(|one| one.name.as_str())
        .collect()
}

/// What the loader had to leave out.
fn lost(document: &Document) -> impl Iterator<Item = Skipped> {
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
    let mut tokens = pointer.split('/').skip(1);
    match (tokens.next(), tokens.next(), tokens.next()) {
        (Some("paths"), Some(path), method) => {
            let path = pointer::unescape(path);
            let method = method.map(str::to_uppercase).unwrap_or_default();
            format!("{method} {path}").trim_start().to_owned()
        }
        _ => pointer.to_owned(),
    }
}

/// The operations that become tools; the others are added to `skipped`.
fn choose<'a>(
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
