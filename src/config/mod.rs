//! Configuration: flags, environment and one YAML file, as written and as resolved.
//!
//! Each module owns its `Settings`; this one fills them. Only `app`, `cli` and `main` may know it.

mod access;
mod commands;
mod confirm;
mod credentials;
mod faults;
mod file;
mod flags;
mod outbound;
mod policy;
mod quantity;
mod resolve;
mod server;

pub use file::{File, FileFaults, ToolsMode};
pub use flags::{DocumentFlags, LogFormat, Profile, ServeFlags};

use std::fmt;

use http::HeaderName;
use url::Url;

use crate::openapi::Source;
use crate::secret::Secret;
use crate::{discovery, handler, interpret, mcp, openapi, state, telemetry, transport};

/// Everything the application needs to know, checked.
#[derive(Debug, Clone)]
pub struct Config {
    /// The documents in their order.
    pub documents: Vec<DocumentSource>,
    /// How documents are read.
    pub openapi: openapi::Settings,
    /// How operations become tools.
    pub discovery: discovery::Settings,
    /// How calls are sent.
    pub http: handler::http::Settings,
    /// How much of an answer is handed on.
    pub answers: interpret::Limits,
    /// What is done to their texts.
    pub cleaning: interpret::Cleaning,
    /// How long answers are kept.
    pub kept: state::KeptSettings,
    /// The rules around calls.
    pub policy: crate::policy::Settings,
    /// How the protocol is spoken.
    pub mcp: mcp::Settings,
    /// Which programs may run, and where.
    pub commands: Commands,
    /// How a human is asked.
    pub confirm: crate::policy::confirm::Settings,
    /// Where operators decide, if they do.
    pub approvals: Option<crate::approvals::Settings>,
    /// How HTTP is served.
    pub listener: transport::http::Settings,
    /// Serve stdin and stdout instead of HTTP.
    pub stdio: bool,
    /// How stdin and stdout are served.
    pub stdio_settings: transport::stdio::Settings,
    /// What is logged.
    pub telemetry: telemetry::Settings,
    /// The same as a file, every value filled in and secrets masked.
    written: File,
}

/// Which programs may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commands {
    /// The operator named them: documents other than the one that ships may say what they run.
    pub named: bool,
    /// Callers may ask for output that is not masked.
    pub unsafe_output: bool,
    /// Where and how.
    pub handler: handler::command::Settings,
}

/// A document and what the operator says of it.
#[derive(Debug, Clone)]
pub struct DocumentSource {
    /// Where it is.
    pub source: Source,
    /// Put before the names of its tools.
    pub prefix: Option<String>,
    /// Where its calls go instead of to its own servers.
    pub base_url: Option<Url>,
    /// Overlays that change it before it is read, in their order.
    pub overlays: Vec<Source>,
    /// What its own place is shown when it is fetched.
    pub headers: Vec<(HeaderName, Secret)>,
}

/// Every fault of the configuration, one a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFaults(pub Vec<String>);

impl fmt::Display for ConfigFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for ConfigFaults {}

impl Config {
    /// Resolves flags, environment and the file they name. Flags win over the environment, the
    /// environment over the file, the file over the defaults.
    ///
    /// # Errors
    /// [`ConfigFaults`] with every fault at once.
    pub fn resolve(documents: &DocumentFlags, serve: &ServeFlags) -> Result<Self, ConfigFaults> {
        let config = Self::resolve_any(documents, serve)?;
        if config.documents.is_empty() {
            let text = "no document to serve: name a path, a URL or `-`, or list `documents` in the configuration file";
            return Err(ConfigFaults(vec![text.to_owned()]));
        }
        Ok(config)
    }

    /// The same for commands that need no document.
    ///
    /// # Errors
    /// [`ConfigFaults`] with every fault at once.
    pub fn resolve_any(
        documents: &DocumentFlags,
        serve: &ServeFlags,
    ) -> Result<Self, ConfigFaults> {
        resolve::resolve(documents, serve, &|name| {
            std::env::var_os(name)?.into_string().ok()
        })
    }

    /// Whether it can be served: over stdio no document can come from stdin, which is the client's.
    ///
    /// # Errors
    /// [`ConfigFaults`] where one does.
    pub fn check_stdin(&self) -> Result<(), ConfigFaults> {
        let is_stdin = |document: &DocumentSource| matches!(document.source, Source::Stdin);
        if self.stdio && self.documents.iter().any(is_stdin) {
            let text = "documents: `-` is standard input, which belongs to the stdio transport: name a file or a URL";
            return Err(ConfigFaults(vec![text.to_owned()]));
        }
        Ok(())
    }

    /// How this document is read: like all, with what its own place alone is shown.
    #[must_use]
    pub fn reading(&self, document: &DocumentSource) -> openapi::Settings {
        let own = match &document.source {
            Source::Url(url) => Some(openapi::OwnPlace {
                url: url.clone(),
                headers: document.headers.clone(),
            }),
            _ => None,
        };
        openapi::Settings {
            own,
            ..self.openapi.clone()
        }
    }

    /// How much state the bridge may hold.
    #[must_use]
    pub fn state(&self) -> state::Settings {
        state::Settings {
            kept: self.kept,
            quotas: self.policy.rate.quotas.clone(),
            max_pending: self.approvals.as_ref().map_or(0, |page| page.max_pending),
            max_sessions: self.mcp.max_sessions,
            session_idle: self.mcp.session_idle,
        }
    }

    /// The configuration as a file that means the same, secrets masked.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        serde_yaml::to_string(&self.written).unwrap_or_else(|error| format!("# {error}"))
    }
}

/// The JSON Schema of the configuration file.
#[must_use]
pub fn schema() -> String {
    serde_json::to_string_pretty(&File::schema()).unwrap_or_default()
}
