//! Discovery (pure): every operation becomes a tool, or a reason why not.

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
}

/// An operation that did not become a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The document's name.
    pub document: String,
    /// `METHOD /path`.
    pub operation: String,
    /// Why.
    pub reason: String,
}

/// How to discover; see the fields.
#[derive(Debug, Clone, Default)]
pub struct Settings {}

/// A document with what the operator says of it.
#[derive(Debug)]
pub struct Source<'a> {
    /// The loaded document.
    pub document: &'a Document,
    /// Put before each tool name, with an underscore between.
    pub prefix: Option<String>,
    /// Wins over the document's `servers`.
    pub base_url: Option<url::Url>,
}

/// Turns the documents' operations into tools.
#[must_use]
pub fn discover(sources: &[Source<'_>], settings: &Settings) -> Discovery {
    let _ = (sources, settings);
    Discovery::default()
}
