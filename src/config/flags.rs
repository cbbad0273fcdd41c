//! Flags as typed. Every one is optional here; what it means is decided in `resolve`.

use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{Args, ValueEnum};

use super::file::ToolsMode;

/// Which documents, and how to read them. Shared by all commands.
#[derive(Debug, Clone, Default, Args)]
pub struct DocumentFlags {
    /// OpenAPI or Swagger documents: paths, URLs, or `-` for stdin; `PREFIX=DOC` puts a prefix
    /// before the names of its tools [env: MCPINVOKE_DOCUMENTS, separated by spaces or commas]
    #[arg(value_name = "DOC")]
    pub documents: Vec<String>,

    /// Read settings from this YAML file; flags and environment win over it
    #[arg(long, value_name = "FILE", env = "MCPINVOKE_CONFIG")]
    pub config: Option<PathBuf>,

    /// Send all calls here instead of to the documents' own servers
    #[arg(long, value_name = "URL", env = "MCPINVOKE_BASE_URL")]
    pub base_url: Option<String>,

    /// Change the documents by this OpenAPI Overlay first; repeatable
    /// [env: MCPINVOKE_OVERLAYS, separated by spaces or commas]
    #[arg(long = "overlay", value_name = "FILE")]
    pub overlays: Vec<String>,

    /// Let operations run the .NET command line; without a document, serve the one that ships
    #[arg(long, env = "MCPINVOKE_DOTNET", value_parser = BoolishValueParser::new())]
    pub dotnet: bool,

    /// Where programs may work, instead of the current folder; repeatable
    /// [env: MCPINVOKE_ROOTS, separated by spaces or commas]
    #[arg(long = "root", value_name = "DIR")]
    pub roots: Vec<PathBuf>,

    /// Whether tools are listed, or found by searching
    #[arg(long, value_name = "MODE", env = "MCPINVOKE_TOOLS_MODE")]
    pub tools_mode: Option<ToolsMode>,

    /// What a list of tools may cost a model, in tokens; a longer one is cut or replaced by a search
    #[arg(long, value_name = "TOKENS", env = "MCPINVOKE_TOOLS_BUDGET")]
    pub tools_budget: Option<usize>,

    /// Whose rules the published input schemas keep
    #[arg(long, value_name = "PROFILE", env = "MCPINVOKE_SCHEMA_PROFILE")]
    pub schema_profile: Option<Profile>,

    /// What is logged on stderr: a level, or a filter such as `info,mcpinvoke::call=off`
    #[arg(long, value_name = "FILTER", env = "MCPINVOKE_LOG")]
    pub log: Option<String>,

    /// The form of log lines
    #[arg(long, value_name = "FORMAT", env = "MCPINVOKE_LOG_FORMAT")]
    pub log_format: Option<LogFormat>,
}

/// How to serve.
#[derive(Debug, Clone, Default, Args)]
pub struct ServeFlags {
    /// Serve stdin and stdout instead of HTTP
    #[arg(long, env = "MCPINVOKE_STDIO", value_parser = BoolishValueParser::new())]
    pub stdio: bool,

    /// Where to listen; loopback unless told otherwise
    #[arg(long, value_name = "ADDRESS", env = "MCPINVOKE_LISTEN")]
    pub listen: Option<String>,

    /// The path of the MCP endpoint
    #[arg(long, value_name = "PATH", env = "MCPINVOKE_PATH")]
    pub path: Option<String>,

    /// Accept this Host header besides loopback names and the listen address; repeatable, `*` for any
    #[arg(
        long,
        value_name = "HOST",
        env = "MCPINVOKE_ALLOWED_HOSTS",
        value_delimiter = ','
    )]
    pub allowed_host: Vec<String>,

    /// Let web pages of this origin call and read the answers, besides the endpoint's own; repeatable, `*` for any
    #[arg(
        long,
        value_name = "ORIGIN",
        env = "MCPINVOKE_ALLOWED_ORIGINS",
        value_delimiter = ','
    )]
    pub allowed_origin: Vec<String>,

    /// Give up a call after this long, for instance `30s` or `500ms`
    #[arg(long, value_name = "DURATION", env = "MCPINVOKE_TIMEOUT")]
    pub timeout: Option<String>,

    /// How long calls under way may take to finish at shutdown, `5s` by default; one more signal ends it at once
    #[arg(long, value_name = "DURATION", env = "MCPINVOKE_DRAIN")]
    pub drain: Option<String>,
}

/// Whose rules the published input schemas keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// All of JSON Schema 2020-12, nothing composed at the root
    Default,
    /// The keywords that OpenAI's function calling knows
    Openai,
    /// The keywords that Gemini's function calling knows, without references
    Gemini,
    /// Types, properties, items, enums and descriptions alone
    Simple,
}

impl From<Profile> for crate::discovery::SchemaProfile {
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::Default => Self::Default,
            Profile::Openai => Self::Openai,
            Profile::Gemini => Self::Gemini,
            Profile::Simple => Self::Simple,
        }
    }
}

/// The form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// One readable line
    Text,
    /// One JSON object a line
    Json,
}
