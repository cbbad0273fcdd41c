//! What an operator can choose about the protocol.

use std::time::Duration;

/// How the server presents itself and what it allows.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `serverInfo.name`.
    pub name: String,
    /// `serverInfo.title`, for people.
    pub title: Option<String>,
    /// `serverInfo.version`.
    pub version: String,
    /// What a model should know before it uses the tools.
    pub instructions: Option<String>,
    /// Whether the tools are listed, or found by searching.
    pub tools_mode: ToolsMode,
    /// What a list of tools may cost a model, in tokens; 0 is no limit.
    pub budget: usize,
    /// Tools on one page of `tools/list`; at least 1.
    pub page_size: usize,
    /// How long a client of 2026-07-28 may keep a list.
    pub ttl: Duration,
    /// Every caller sees the same list, so caches may share it (`cacheScope: public`).
    pub shared_lists: bool,
    /// The tools can change while the server runs, and clients are told.
    pub list_changed: bool,
    /// A method that is a tool's name is a call of it (handshake revisions only).
    pub direct_invocation: bool,
    /// When `initialize` over HTTP mints a session.
    pub sessions: Sessions,
    /// Sessions kept at once; beyond it clients are served without one.
    pub max_sessions: usize,
    /// A session nobody used for so long is gone.
    pub session_idle: Duration,
    /// Streams of change notifications open at once.
    pub max_streams: usize,
    /// Messages in one batch (2025-03-26).
    pub max_batch: usize,
    /// Bytes of its answers together; once there are more, the requests that are left are refused.
    pub max_batch_bytes: usize,
    /// Progress of one call is reported at most once in this time.
    pub progress_interval: Duration,
    /// Clients that can are sent to the page where calls are approved.
    pub approvals: bool,
    /// Advertise resources: long answers that are kept for a while.
    pub resources: bool,
}

/// Whether the tools are listed, or found by searching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolsMode {
    /// Listed in the fullest form that the budget allows; searched where it allows none.
    #[default]
    Auto,
    /// Listed, whatever it costs.
    List,
    /// Three tools find, describe and call the others.
    Search,
}

/// When a session is minted for a client of a handshake revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sessions {
    /// For clients that declare elicitation: only they cannot do without one. Without a session nobody can tell whose
    /// request a `notifications/cancelled` names, so that clients without one cancel by closing the connection.
    #[default]
    Auto,
    /// For every client.
    Always,
    /// For none.
    Never,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            name: "mcpinvoke".to_owned(),
            title: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: None,
            tools_mode: ToolsMode::Auto,
            budget: 0,
            page_size: 500,
            ttl: Duration::from_secs(60),
            shared_lists: true,
            list_changed: true,
            direct_invocation: true,
            sessions: Sessions::Auto,
            max_sessions: 1000,
            session_idle: Duration::from_secs(30 * 60),
            max_streams: 1000,
            max_batch: 100,
            max_batch_bytes: 16 * 1024 * 1024,
            progress_interval: Duration::from_millis(20),
            approvals: false,
            resources: false,
        }
    }
}
