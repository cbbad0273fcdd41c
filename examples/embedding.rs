//! The bridge mounted in an axum application of your own, beside its other routes.
//!
//! `cargo run --example embedding`, then connect a client to <http://127.0.0.1:8090/mcp>

use std::error::Error;

use axum::Router;
use axum::routing::get;
use mcpinvoke::app::App;
use mcpinvoke::config::{Config, DocumentFlags, ServeFlags};
use tokio::net::TcpListener;

const DOCUMENT: &str = r#"
openapi: 3.0.3
info: {title: Clock, version: '1'}
paths:
  /now:
    get:
      operationId: now
      summary: Say what time it is
      responses:
        '200': {description: The time., content: {text/plain: {schema: {type: string}}}}
"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:8090").await?;
    let base = format!("http://{}", listener.local_addr()?);
    axum::serve(listener, application(&base)?).await?;
    Ok(())
}

/// An application that serves `/now`, and over MCP its own `/now` as a tool.
pub fn application(base: &str) -> Result<Router, Box<dyn Error>> {
    let config = Config::resolve_any(&DocumentFlags::default(), &ServeFlags::default())?;
    let bridge = App::from_texts(&config, &[("clock.yaml", DOCUMENT)], Some(&base.parse()?))?;
    let own = Router::new().route("/now", get(async || "half past nine"));
    Ok(own.merge(bridge.router(&config)))
}
