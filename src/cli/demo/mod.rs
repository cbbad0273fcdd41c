//! `mcpinvoke demo`: a pet-store service and the bridge in front of it, in one process.

mod query;
mod service;
mod store;

use std::io::{self, IsTerminal, Write};
use std::net::{Ipv4Addr, SocketAddr};

use clap::Args;
use tokio::net::TcpListener;

use super::terminal::Terminal;
use super::{Failure, prepare_any};
use crate::app::{App, Orders};
use crate::config::{DocumentFlags, ServeFlags};
use crate::tool::{CallId, Caller, Content, NoProgress, ToolCall, TraceContext};

const PET_STORE: &str = include_str!("../../../specs/petstore.yaml");

/// The port that is tried first, so that an address once configured goes on working.
const USUAL_PORT: u16 = 8080;

/// Runs the demo.
#[derive(Debug, Args)]
pub(super) struct Demo {
    /// Serve MCP on this port; 8080 or any free one by default
    #[arg(long, env = "MCPINVOKE_DEMO_PORT")]
    port: Option<u16>,

    /// Serve MCP over stdin and stdout instead
    #[arg(long)]
    stdio: bool,

    /// What is logged on stderr: a level or a filter
    #[arg(long, value_name = "FILTER", env = "MCPINVOKE_LOG")]
    log: Option<String>,
}

impl Demo {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let orders = Orders::from_signals(false);
        let store = listen(0).await?;
        let base = format!("http://{}/api/v1", address(&store)?);
        tokio::spawn(async move { axum::serve(store, service::routes()).await });

        let documents = DocumentFlags {
            log: Some(
                self.log
                    .unwrap_or_else(|| "warn,mcpinvoke::call=info".to_owned()),
            ),
            ..DocumentFlags::default()
        };
        let flags = ServeFlags {
            stdio: self.stdio,
            ..ServeFlags::default()
        };
        let (config, _logging) = prepare_any(&documents, &flags)?;
        let app = App::from_texts(
            &config,
            &[("petstore.yaml", PET_STORE)],
            base.parse().ok().as_ref(),
        )?;
        if self.stdio {
            return tokio::select! {
                result = app.serve_stdio(&config, orders.stopped()) => Ok(result?),
                () = orders.stopped_now() => Ok(()),
            };
        }
        let bridge = match self.port {
            Some(port) => listen(port).await?,
            None => match listen(USUAL_PORT).await {
                Ok(listener) => listener,
                Err(_) => listen(0).await?,
            },
        };
        let url = format!("http://{}/mcp", address(&bridge)?);
        let called = first_call(&app).await?;
        tell(&base, &url, app.tool_count(), &called);
        tokio::select! {
            () = app.serve_http(bridge, &config, orders.stopped()) => {}
            () = orders.stopped_now() => {}
        }
        Ok(())
    }
}

/// Calls the bridge once as a client would, so that the demo shows a result before anybody connects.
async fn first_call(app: &App) -> Result<String, Failure> {
    let arguments = serde_json::json!({"petId": 1});
    let call = ToolCall {
        id: CallId(0),
        caller: Caller::anonymous("demo"),
        name: "getPet".to_owned(),
        arguments: arguments.as_object().cloned().unwrap_or_default(),
        progress: std::sync::Arc::new(NoProgress),
        trace: TraceContext::default(),
        forwarded: Vec::new(),
    };
    let outcome = app
        .call(call, &Terminal { yes: false })
        .await
        .map_err(|error| Failure::Work(error.to_string()))?;
    match outcome.content.first() {
        Some(Content::Text(text)) if !outcome.is_error => Ok(text.as_str().to_owned()),
        other => Err(Failure::Work(format!(
            "the demo's own call failed: {other:?}"
        ))),
    }
}

fn tell(base: &str, url: &str, tools: usize, called: &str) {
    let bold = |text: &str| {
        if io::stderr().is_terminal() {
            format!("\u{1b}[1m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    };
    let text = format!(
        r#"
pet store   {base}
bridge      {url}  ({tools} tools)

{first}
    getPet {{"petId": 1}}
    {called}

{own}
    {command}

{claude}
    claude mcp add --transport http petstore {url}

{code}
    {{"servers": {{"petstore": {{"type": "http", "url": "{url}"}}}}}}

listening on {url}; stop with Ctrl-C
"#,
        first = bold("A first call, made through the bridge"),
        own = bold("A call of your own"),
        command = own_call(url, cfg!(windows)),
        claude = bold("Claude Code"),
        code = bold("VS Code, in .vscode/mcp.json"),
    );
    // Nobody is left to tell when stderr is gone.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// A call for people to copy: by curl, or on Windows by PowerShell, which hands on no quotation marks to curl.
fn own_call(url: &str, is_windows: bool) -> String {
    const CALL: &str = r#"'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"listPets","arguments":{"status":["available"]}}}'"#;
    if is_windows {
        return format!(
            "Invoke-RestMethod {url} -Method Post -ContentType 'application/json' `\n      -Body {CALL} | ConvertTo-Json -Depth 9"
        );
    }
    format!("curl -s {url} -H 'content-type: application/json' \\\n      -d {CALL}")
}

async fn listen(port: u16) -> Result<TcpListener, Failure> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpListener::bind(address)
        .await
        .map_err(|error| Failure::Work(format!("cannot listen on {address}: {error}")))
}

fn address(listener: &TcpListener) -> Result<SocketAddr, Failure> {
    listener
        .local_addr()
        .map_err(|error| Failure::Work(format!("the listener has no address: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_to_copy_is_for_the_shell_at_hand() {
        let url = "http://127.0.0.1:8080/mcp";
        let curl = own_call(url, false);
        assert!(curl.starts_with(&format!("curl -s {url} ")) && curl.contains("\\\n"));
        let shell = own_call(url, true);
        assert!(shell.starts_with(&format!("Invoke-RestMethod {url} ")));
        for command in [curl, shell] {
            let body = command.split('\'').find(|part| part.starts_with('{'));
            let call: serde_json::Value = serde_json::from_str(body.unwrap()).unwrap();
            assert_eq!(call["params"]["name"], "listPets");
        }
    }
}
