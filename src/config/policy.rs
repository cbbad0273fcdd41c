//! The rules around calls as written: what is masked, recorded and allowed.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is masked beyond what always is: the operator's own credentials everywhere, and in errors and logs
/// whatever looks like a secret.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Redact {
    /// Mask answers of operations that succeeded as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<bool>,
    /// Names of members to mask, in any case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// JSON pointers of values to mask; `*` stands for any one member.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pointers: Vec<String>,
    /// Regular expressions; a match is masked as a whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<String>,
}

/// One JSON line for each call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Audit {
    /// Where the lines go; `-` is standard output, over HTTP only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Before a longer file is moved to `FILE.1`, for instance `64MiB`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<String>,
    /// How many moved files are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<u32>,
    /// How arguments are recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<AuditArguments>,
}

/// How arguments are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuditArguments {
    /// As they are, secrets masked.
    Redacted,
    /// Their length and SHA-256.
    Digest,
    /// Not at all.
    Off,
}

/// How many calls are allowed, for instance `60/m`; as many may come at once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Rates {
    /// Requests the HTTP endpoint takes, whatever they ask for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<String>,
    /// Of one caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// Of one tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Of all callers and tools together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<String>,
    /// Calls of one upstream at a time; further ones wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// How long they wait, for instance `10s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<String>,
}
