//! Discovery (pure): every operation becomes a tool, or a reason why not.

mod arguments;
mod ask;
mod body;
mod build;
mod choice;
mod chosen;
mod circles;
mod command;
mod compose;
mod confirm;
mod convert;
mod corrections;
mod defs;
mod extension;
mod extra;
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
mod owned;
mod parameters;
mod parts;
mod path;
mod pattern;
mod profile;
mod security;
mod select;
mod settings;
mod takes;
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

use std::collections::HashSet;
use std::sync::Arc;

use crate::openapi::Document;
use crate::tool::Tool;

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
    /// The security schemes for which the operator has a credential.
    pub credentials: HashSet<String>,
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
