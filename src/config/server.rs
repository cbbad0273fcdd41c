//! How the server introduces itself, as the file has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the server introduces itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Server {
    /// The name clients are told; one for each bridge, where a client has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What a model is told about all tools together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// When to open a session for clients of the revisions that know them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Sessions>,
    /// Whether a request whose method is a tool's name is a call of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direct_invocation: Option<bool>,
}

/// When to open a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sessions {
    /// Where the client can do something only a session makes possible.
    Auto,
    /// For every client that initializes.
    Always,
    /// For none.
    Never,
}

impl From<Sessions> for crate::mcp::Sessions {
    fn from(sessions: Sessions) -> Self {
        match sessions {
            Sessions::Auto => Self::Auto,
            Sessions::Always => Self::Always,
            Sessions::Never => Self::Never,
        }
    }
}

impl From<crate::mcp::Sessions> for Sessions {
    fn from(sessions: crate::mcp::Sessions) -> Self {
        match sessions {
            crate::mcp::Sessions::Auto => Self::Auto,
            crate::mcp::Sessions::Always => Self::Always,
            crate::mcp::Sessions::Never => Self::Never,
        }
    }
}
