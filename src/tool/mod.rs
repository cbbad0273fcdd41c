//! The vocabulary every stage speaks: tools, their targets, calls and outcomes.
//!
//! Pure data. No I/O, no protocol, no document: a stage that turns one of these into another
//! lives elsewhere and imports from here.

mod ask;
mod call;
mod closest;
mod command;
mod command_use;
mod corrections;
mod escape;
mod grant;
mod json;
mod json_type;
mod media;
mod name;
mod outcome;
pub(crate) mod rounds;
mod secrecy;
mod security;
mod target;
mod upload;

pub use ask::{Asked, Question};
pub use call::{CallId, Caller, NoProgress, Progress, ToolCall, TraceContext};
pub use closest::closest;
pub use command::{
    Action, CommandTarget, Condition, Effect, Encoding, Input, LockRule, RunTemplate, TestRunner,
    Word, Work, is_given,
};
pub use corrections::{Corrections, Place};
pub use escape::{escape_json_into, has_escape};
pub use grant::{Grant, InvalidPattern, Pattern, SubjectToken};
pub use json::Json;
pub use json_type::JsonType;
pub use media::{essence, is_json_lines, is_json_sequence};
pub use name::{InvalidToolName, ToolName};
pub use outcome::{Content, Outcome, Structured, Text};
pub use secrecy::is_secret;
pub use security::{SchemeKind, Security, SecurityNeed, SecurityScheme};
pub use target::{
    Body, BodyArgument, BodyCodec, BodyMedia, FRAMING_HEADERS, FieldEncoding, FlatField,
    HttpTarget, Location, Parameter, PartKind, PathPart, PathTemplate, Promise, Style, Target,
    XmlNames, XmlText,
};
pub use upload::{is_upload, upload_schema};

use serde::Serialize;

/// One operation as an MCP client sees it, and what a call of it is turned into.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Unique within a registry.
    pub name: ToolName,
    /// A short human name, if the document has one.
    pub title: Option<String>,
    /// Never empty.
    pub description: String,
    /// JSON Schema 2020-12 with `type: object` at the root.
    pub input_schema: Json,
    /// What is published instead of `input_schema`, where that differs: a form that a model's provider
    /// accepts. It takes all that `input_schema` takes; calls are always checked against the latter.
    pub listed_schema: Option<Json>,
    /// JSON Schema 2020-12 with `type: object` at the root; absent where none is published.
    pub output_schema: Option<Json>,
    /// What a client may assume of a call.
    pub annotations: Annotations,
    /// The object under `_meta`: everything of the operation that has no place of its own.
    pub meta: Json,
    /// What a call becomes.
    pub target: Target,
    /// Client capabilities without which the operation may not be called, for instance `sampling`.
    pub requires: Vec<String>,
    /// Whether a human has to agree before each call.
    pub confirm: bool,
    /// The forms by which a human is asked for arguments that a call lacks, in their order.
    pub ask: Vec<Question>,
}

impl Tool {
    /// The input schema as it is published.
    #[must_use]
    pub fn published_schema(&self) -> &Json {
        self.listed_schema.as_ref().unwrap_or(&self.input_schema)
    }
}

/// The hints of MCP's `ToolAnnotations`. Absent members mean the protocol's defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// A human name; repeated here for clients that know no `title` on the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The call changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// The call may destroy something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Calling twice has the effect of calling once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// The call reaches an open world of things.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
    /// The operation's tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

#[cfg(test)]
impl Tool {
    /// A tool with a name, an operation and nothing else.
    pub(crate) fn bare(name: &str, target: HttpTarget) -> Self {
        Self {
            name: ToolName::new(name).unwrap(),
            title: None,
            description: name.to_owned(),
            input_schema: Json::from_value(&serde_json::json!({ "type": "object" })),
            listed_schema: None,
            output_schema: None,
            annotations: Annotations::default(),
            meta: Json::from_value(&serde_json::json!({})),
            target: Target::Http(Box::new(target)),
            requires: Vec::new(),
            confirm: false,
            ask: Vec::new(),
        }
    }
}
