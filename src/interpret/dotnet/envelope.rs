//! The envelopes of the contract's version 1: one entry for each error, and what stands around them.

use serde::Serialize;
use serde_json::{Map, Value};

use super::catalogue::{self, Known};
use super::words;

/// `data.stderr` has at most this many characters, the marker included.
const MAX_STDERR: usize = 1000;
const MARKER: &str = "... (truncated)";

/// JSON-RPC's codes as the contract uses them.
pub(super) mod rpc {
    /// The parameters do not fit.
    pub(in super::super) const INVALID_PARAMS: i32 = -32602;
    /// Anything else.
    pub(in super::super) const INTERNAL: i32 = -32603;
    /// Something that has to be there is not.
    pub(in super::super) const NOT_AVAILABLE: i32 = -32001;
}

/// The contract's categories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) enum Category {
    Validation,
    Compilation,
    Build,
    Package,
    Runtime,
    Capability,
    Concurrency,
    Cancellation,
    Unknown,
}

/// One error; the members of both versions of the contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    pub(super) code: String,
    pub(super) message: String,
    pub(super) category: Category,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) severity: Option<&'static str>,
    #[serde(flatten)]
    pub(super) place: Place,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) explanation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) documentation_url: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) suggested_fixes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) alternatives: Vec<String>,
    pub(super) raw_output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mcp_error_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) data: Option<Data>,
}

/// Where an error is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target_framework: Option<String>,
}

/// What a program did to fail.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Data {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stderr: Option<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) additional_data: Map<String, Value>,
}

impl Entry {
    /// An entry with a code, and what the catalogue knows of it.
    pub(super) fn new(code: &str, message: impl Into<String>, category: Category) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            category,
            severity: None,
            place: Place::default(),
            hint: None,
            explanation: None,
            documentation_url: None,
            suggested_fixes: Vec::new(),
            alternatives: Vec::new(),
            raw_output: String::new(),
            mcp_error_code: None,
            data: None,
        }
    }

    /// An entry for a code of a compiler or of a tool; `failed` where its process failed.
    pub(super) fn coded(code: &str, message: impl Into<String>, failed: bool) -> Self {
        let mut entry = Self::new(code, message, catalogue::category(code));
        match catalogue::find(code) {
            Some(known) => entry.explain(known),
            None => entry.hint = Some(catalogue::hint(entry.category).to_owned()),
        }
        entry.mcp_error_code = entry
            .mcp_error_code
            .or_else(|| (entry.category == Category::Unknown && failed).then_some(rpc::INTERNAL));
        entry
    }

    fn explain(&mut self, known: &Known) {
        self.category = known.category;
        self.hint = Some(known.hint.clone());
        self.explanation = Some(known.explanation.clone());
        self.documentation_url = Some(known.documentation_url.clone());
        self.suggested_fixes.clone_from(&known.suggested_fixes);
        self.mcp_error_code = known.mcp_error_code;
    }

    /// Keeps of the catalogue only the hint: the rest stands at another entry with this code.
    pub(super) fn shorten(&mut self) {
        self.explanation = None;
        self.documentation_url = None;
        self.suggested_fixes.clear();
    }

    pub(super) fn with_hint(mut self, hint: &str) -> Self {
        self.hint = Some(hint.to_owned());
        self
    }

    pub(super) fn with_data(mut self, data: Data) -> Self {
        self.data = Some(data);
        self
    }

    pub(super) fn with_rpc(mut self, code: i32) -> Self {
        self.mcp_error_code = Some(code);
        self
    }
}

impl Data {
    /// For what failed before any program ran.
    pub(super) fn before(additional: &[(&str, &str)]) -> Self {
        let additional_data = additional
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
            .collect();
        Self {
            exit_code: Some(-1),
            additional_data,
            ..Self::default()
        }
    }

    /// With what was written to stderr; nothing where that is blank.
    pub(super) fn with_stderr(mut self, masked: &str) -> Self {
        let text = masked.trim();
        self.stderr = (!text.is_empty()).then(|| words::cut(text, MAX_STDERR, MARKER));
        self
    }
}

/// The error envelope: at least one error, the exit code (-1 where nothing ran or the status says nothing).
pub(super) fn failure(
    errors: &[Entry],
    exit_code: i32,
    metadata: &Map<String, Value>,
) -> Map<String, Value> {
    let mut envelope = Map::new();
    envelope.insert("success".to_owned(), false.into());
    let errors = serde_json::to_value(errors).unwrap_or_default();
    envelope.insert("errors".to_owned(), errors);
    envelope.insert("exitCode".to_owned(), exit_code.into());
    add_metadata(&mut envelope, metadata);
    envelope
}

/// The success envelope.
pub(super) fn success(
    command: Option<&str>,
    output: &str,
    metadata: &Map<String, Value>,
) -> Map<String, Value> {
    let mut envelope = Map::new();
    envelope.insert("success".to_owned(), true.into());
    if let Some(command) = command {
        envelope.insert("command".to_owned(), command.into());
    }
    envelope.insert("output".to_owned(), output.into());
    envelope.insert("exitCode".to_owned(), 0.into());
    add_metadata(&mut envelope, metadata);
    envelope
}

fn add_metadata(envelope: &mut Map<String, Value>, metadata: &Map<String, Value>) {
    if !metadata.is_empty() {
        envelope.insert("metadata".to_owned(), metadata.clone().into());
    }
}
