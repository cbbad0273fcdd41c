//! `mcpinvoke call`: one call from the shell.

mod words;

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use clap::builder::BoolishValueParser;
use serde_json::{Map, Value};

use super::terminal::{Terminal, explain};
use super::{Failure, prepare_any, print};
use crate::app::{App, Orders};
use crate::config::{Config, DocumentFlags, ServeFlags};
use crate::discovery::Skipped;
use crate::invoke::CallError;
use crate::mcp;
use crate::tool::{CallId, Caller, Content, NoProgress, Outcome, Tool, ToolCall, TraceContext};

const EXAMPLES: &str = "\
Examples:
  mcpinvoke call shop.yaml getPet --arg petId=7
  mcpinvoke call shop.yaml listPets --arg tags=small --arg tags=brown
  mcpinvoke call shop.yaml createPet --arg body='{\"name\": \"Rex\", \"tags\": [\"small\"]}'";

/// Calls a tool.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Call {
    /// Documents, then the tool's name
    #[arg(required = true, value_name = "DOC... TOOL")]
    words: Vec<String>,
    /// The arguments as a JSON object
    #[arg(long, value_name = "JSON")]
    args: Option<String>,
    /// One argument: `key=value`, the value as JSON or else as text; repeatable, also for the items of a list
    #[arg(long = "arg", value_name = "KEY=VALUE")]
    arg: Vec<String>,
    /// Print the whole result as JSON
    #[arg(long)]
    json: bool,
    /// Make the call without asking, where it needs a confirmation
    #[arg(long)]
    yes: bool,
    /// Give up after this long, for instance `30s`
    #[arg(long, value_name = "DURATION", env = "MCPINVOKE_TIMEOUT")]
    timeout: Option<String>,
    /// Read settings from this YAML file
    #[arg(long, value_name = "FILE", env = "MCPINVOKE_CONFIG")]
    config: Option<std::path::PathBuf>,
    /// Change the documents by this OpenAPI Overlay first; repeatable
    #[arg(long = "overlay", value_name = "FILE")]
    overlays: Vec<String>,
    /// Send the call here instead of to the document's own server
    #[arg(long, value_name = "URL", env = "MCPINVOKE_BASE_URL")]
    base_url: Option<String>,
    /// Let the operation run the .NET command line; without a document, one of the tools that ship
    #[arg(long, env = "MCPINVOKE_DOTNET", value_parser = BoolishValueParser::new())]
    dotnet: bool,
    /// Where programs may work, instead of the current folder; repeatable
    /// [env: MCPINVOKE_ROOTS, separated by spaces or commas]
    #[arg(long = "root", value_name = "DIR")]
    roots: Vec<std::path::PathBuf>,
    /// What is logged on stderr
    #[arg(long, value_name = "FILTER", env = "MCPINVOKE_LOG")]
    log: Option<String>,
}

impl Call {
    pub(super) async fn run(mut self) -> Result<(), Failure> {
        let name = self.words.pop().unwrap_or_default();
        let documents = self.documents();
        let flags = ServeFlags {
            timeout: self.timeout.take(),
            ..ServeFlags::default()
        };
        let (config, _logging) = prepare_any(&documents, &flags)?;
        if config.documents.is_empty() {
            return Err(Failure::Usage(words::incomplete(&name)));
        }
        // Programs lead groups of their own: what interrupts this process does not reach them.
        let orders = Orders::from_signals(false);
        let interrupted = || Failure::Work("interrupted".to_owned());
        let app = App::empty(&config)?;
        let skipped = tokio::select! {
            skipped = app.fill(&config) => skipped?,
            () = orders.stopped() => return Err(interrupted()),
        };
        let Some(tool) = app.tool(&name) else {
            return Err(unknown(&name, &config, &app, &skipped));
        };
        let arguments = self.arguments(&tool)?;
        let call = ToolCall {
            id: CallId(1),
            caller: Caller::anonymous("shell"),
            name,
            arguments,
            progress: Arc::new(NoProgress),
            trace: TraceContext::default(),
            forwarded: Vec::new(),
        };
        let terminal = Terminal { yes: self.yes };
        let result = tokio::select! {
            result = app.call(call, &terminal) => Some(result),
            () = orders.stopped() => None,
        };
        app.finish_under(&orders).await;
        let result = result.ok_or_else(interrupted)?;
        let outcome = result.map_err(|error| {
            Failure::Work(match &error {
                CallError::Stopped(stopped) => explain(stopped),
                other => other.to_string(),
            })
        })?;
        if self.json {
            print(mcp::call_result(&outcome))?;
        } else {
            show(&outcome)?;
        }
        if outcome.is_error {
            Err(Failure::Told)
        } else {
            Ok(())
        }
    }

    fn documents(&mut self) -> DocumentFlags {
        DocumentFlags {
            documents: std::mem::take(&mut self.words),
            config: self.config.take(),
            base_url: self.base_url.take(),
            overlays: std::mem::take(&mut self.overlays),
            dotnet: self.dotnet,
            roots: std::mem::take(&mut self.roots),
            log: Some(self.log.take().unwrap_or_else(|| "warn".to_owned())),
            ..DocumentFlags::default()
        }
    }

    fn arguments(&self, tool: &Tool) -> Result<Map<String, Value>, Failure> {
        let mut arguments = match &self.args {
            None => Map::new(),
            Some(text) => serde_json::from_str(text).map_err(|error| {
                Failure::Usage(format!(
                    "--args: expected a JSON object, found `{text}`: {error}"
                ))
            })?,
        };
        arguments.extend(words::arguments(&self.arg, &tool.input_schema.parse())?);
        Ok(arguments)
    }
}

/// What to tell somebody whose tool is not there.
fn unknown(name: &str, config: &Config, app: &App, skipped: &[Skipped]) -> Failure {
    if let Some(one) = skipped.iter().find(|one| one.name.as_deref() == Some(name)) {
        return Failure::Work(format!(
            "{name} ({}) is no tool: {}",
            one.operation, one.reason
        ));
    }
    let documents = config.documents.iter();
    let documents: Vec<String> = documents.map(|one| one.source.to_string()).collect();
    words::unknown(name, &documents, &app.tool_names())
}

fn show(outcome: &Outcome) -> Result<(), Failure> {
    for content in &outcome.content {
        match content {
            Content::Text(text) | Content::Document { text, .. } => print(text.as_str())?,
            Content::Image { data, .. }
            | Content::Audio { data, .. }
            | Content::Blob { data, .. } => {
                print(STANDARD.encode(data))?;
            }
            Content::Link { uri, .. } => print(uri)?,
        }
    }
    Ok(())
}
