//! The settings of human confirmation as written.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::credentials::SecretEntry;
use crate::discovery::Rule;
use crate::policy::confirm;

/// When and how a human has to agree to a call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Confirm {
    /// Every tool that may destroy something needs a yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Operations that match one of these need a yes; members as in `tools.include`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
    /// What the user reads; `{tool}`, `{method}`, `{url}`, `{headers}` and `{body}` are filled in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// How long a question and a token are good for, for instance `5m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<String>,
    /// What a client gets that cannot ask its user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Fallback>,
    /// Calls wait for an operator, who decides on a page of the bridge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approvals: Option<Approvals>,
    /// A file with the signing key, at least 32 characters; needed only where several instances
    /// answer for each other. `MCPINVOKE_CONFIRM_KEY` holds the key itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_file: Option<PathBuf>,
}

/// Who decides about calls that wait, and where.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Approvals {
    /// The token of the one operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<SecretEntry>,
    /// The name of the one operator in records; `operator` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Several operators: names, and the SHA-256 of their tokens.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operators: Vec<OperatorKey>,
    /// A listener of the page's own, for instance `127.0.0.1:8081`. Needed over stdio, and where the endpoint
    /// listens on an address that others reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listen: Option<String>,
    /// How people reach the page, for instance `https://ops.example/approvals`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Every yes is an operator's, also where a client could ask its own user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// How long a call that is made again waits for the decision before it is told to come once more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<String>,
    /// Calls that wait at once; one caller has at most half of the places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_pending: Option<usize>,
}

/// Somebody who decides, and the token that shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct OperatorKey {
    /// The name in records.
    pub name: String,
    /// The SHA-256 of a long random token, in hex: `printf %s TOKEN | sha256sum`.
    pub hash: String,
}

/// What a client gets that cannot ask its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// A token to make the call again with.
    Token,
    /// An operator's decision; the default where there are `approvals`.
    Approvals,
    /// A refusal.
    Deny,
}

impl From<Fallback> for confirm::Fallback {
    fn from(fallback: Fallback) -> Self {
        match fallback {
            Fallback::Token => Self::Token,
            Fallback::Approvals => Self::Approvals,
            Fallback::Deny => Self::Deny,
        }
    }
}

impl From<confirm::Fallback> for Fallback {
    fn from(fallback: confirm::Fallback) -> Self {
        match fallback {
            confirm::Fallback::Token => Self::Token,
            confirm::Fallback::Approvals => Self::Approvals,
            confirm::Fallback::Deny => Self::Deny,
        }
    }
}
