//! `mcpinvoke call`: one call from the shell.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use serde_json::{Map, Value};

use super::terminal::{Terminal, explain};
use super::{Failure, prepare, print};
use crate::app::{App, Orders};
use crate::config::{DocumentFlags, ServeFlags};
use crate::discovery::Skipped;
use crate::invoke::CallError;
use crate::mcp;
use crate::tool::{CallId, Caller, Content, NoProgress, Outcome, Tool, ToolCall, TraceContext};

/// Calls a tool.
#[derive(Debug, Args)]
pub(super) struct Call {
    /// Documents, then the tool's name
    #[arg(required = true, value_name = "DOC... TOOL")]
    words: Vec<String>,
    /// The arguments as a JSON object
    #[arg(long, value_name = "JSON")]
    args: Option<String>,
    /// One argument: `key=value`, the value as JSON or else as text; repeatable
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
    #[arg(long, env = "MCPINVOKE_DOTNET")]
    dotnet: bool,
    /// Where programs may work, instead of the current folder; repeatable
    #[arg(long = "root", value_name = "DIR")]
    roots: Vec<std::path::PathBuf>,
    /// What is logged on stderr
    #[arg(long, value_name = "FILTER", env = "MCPINVOKE_LOG")]
    log: Option<String>,
}

impl Call {
    pub(super) async fn run(mut self) -> Result<(), Failure> {
        let name = self.words.pop().unwrap_or_default();
        let documents = DocumentFlags {
            documents: std::mem::take(&mut self.words),
            config: self.config.take(),
            base_url: self.base_url.take(),
            overlays: std::mem::take(&mut self.overlays),
            dotnet: self.dotnet,
            roots: std::mem::take(&mut self.roots),
            log: Some(self.log.take().unwrap_or_else(|| "warn".to_owned())),
            ..DocumentFlags::default()
        };
        let flags = ServeFlags {
            timeout: self.timeout.take(),
            ..ServeFlags::default()
        };
        let (config, _logging) = prepare(&documents, &flags)?;
        // Programs lead groups of their own: what interrupts this process does not reach them.
        let orders = Orders::from_signals(false);
        let interrupted = || Failure::Work("interrupted".to_owned());
        let app = App::empty(&config)?;
        let skipped = tokio::select! {
            skipped = app.fill(&config) => skipped?,
            () = orders.stopped() => return Err(interrupted()),
        };
        let arguments = self.arguments(app.tool(&name).as_deref())?;
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
                CallError::UnknownTool(name) => unknown(name, &skipped),
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

    fn arguments(&self, tool: Option<&Tool>) -> Result<Map<String, Value>, Failure> {
        let mut arguments = match &self.args {
            None => Map::new(),
            Some(text) => serde_json::from_str(text).map_err(|error| {
                Failure::Usage(format!(
                    "--args: expected a JSON object, found `{text}`: {error}"
                ))
            })?,
        };
        let schema = tool.map(|tool| tool.input_schema.parse());
        for pair in &self.arg {
            let Some((key, text)) = pair.split_once('=') else {
                return Err(Failure::Usage(format!(
                    "--arg: expected KEY=VALUE, found `{pair}`"
                )));
            };
            let wanted = schema
                .as_ref()
                .map(|schema| &schema["properties"][key]["type"]);
            arguments.insert(key.to_owned(), value(text, wanted));
        }
        Ok(arguments)
    }
}

/// What to tell somebody whose tool is not there.
fn unknown(name: &str, skipped: &[Skipped]) -> String {
    match skipped.iter().find(|one| one.name.as_deref() == Some(name)) {
        Some(one) => format!("{name} ({}) is no tool: {}", one.operation, one.reason),
        None => CallError::UnknownTool(name.to_owned()).to_string(),
    }
}

/// JSON where it is JSON, text otherwise, and text where the schema wants nothing else: the
/// identifier `007` must stay what it is.
fn value(text: &str, wanted: Option<&Value>) -> Value {
    if wanted.is_some_and(|kind| kind == "string") {
        return text.into();
    }
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_is_json_unless_text_is_wanted() {
        assert_eq!(value("7", Some(&json!("integer"))), json!(7));
        assert_eq!(value("[1,2]", None), json!([1, 2]));
        assert_eq!(value("007", Some(&json!("string"))), json!("007"));
        assert_eq!(value("two words", None), json!("two words"));
    }
}
