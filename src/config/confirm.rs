//! The settings of human confirmation as written.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// Operations that match one of these need a yes.
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
    /// A file with the signing key, at least 32 characters; needed only where several instances
    /// answer for each other. `MCPINVOKE_CONFIRM_KEY` holds the key itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_file: Option<PathBuf>,
}

/// What a client gets that cannot ask its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// A token to make the call again with.
    Token,
    /// A refusal.
    Deny,
}

impl From<Fallback> for confirm::Fallback {
    fn from(fallback: Fallback) -> Self {
        match fallback {
            Fallback::Token => Self::Token,
            Fallback::Deny => Self::Deny,
        }
    }
}

impl From<confirm::Fallback> for Fallback {
    fn from(fallback: confirm::Fallback) -> Self {
        match fallback {
            confirm::Fallback::Token => Self::Token,
            confirm::Fallback::Deny => Self::Deny,
        }
    }
}
