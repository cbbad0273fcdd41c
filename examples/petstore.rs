//! A service, the bridge in front of it, and a client, in one process.
//!
//! `cargo run --example petstore`

use std::error::Error;

use axum::Router;
use axum::extract::Path;
use axum::routing::get;
use mcpinvoke::app::App;
use mcpinvoke::config::{Config, DocumentFlags, ServeFlags};
use tokio::net::TcpListener;

const DOCUMENT: &str = r#"
openapi: 3.1.0
info: {title: Pets, version: '1'}
paths:
  /pets/{petId}:
    get:
      operationId: getPet
      summary: Get a pet
      parameters:
        - {name: petId, in: path, required: true, schema: {type: integer, minimum: 1}}
      responses:
        '200':
          description: The pet.
          content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}
"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    for answer in run().await? {
        writeln(&answer)?;
    }
    Ok(())
}

/// Calls the tool twice, once with arguments that do not fit; the two answers.
pub async fn run() -> Result<Vec<String>, Box<dyn Error>> {
    // The service: it knows nothing of MCP.
    let service = Router::new().route("/pets/{pet}", get(pet));
    let base = spawn(service).await?;

    // The bridge, in front of it.
    let config = Config::resolve_any(&DocumentFlags::default(), &ServeFlags::default())?;
    let app = App::from_texts(&config, &[("pets.yaml", DOCUMENT)], Some(&base.parse()?))?;
    let bridge = spawn(app.router(&config)).await?;

    // A client: two calls as any MCP client would make them.
    let client = reqwest::Client::builder().no_proxy().build()?;
    let mut answers = Vec::new();
    for arguments in [r#"{"petId": 1}"#, r#"{"petId": "one"}"#] {
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"getPet","arguments":{arguments}}}}}"#
        );
        let request = client
            .post(format!("{bridge}/mcp"))
            .header("content-type", "application/json")
            .header("mcp-protocol-version", "2025-11-25");
        answers.push(request.body(call).send().await?.text().await?);
    }
    Ok(answers)
}

async fn pet(Path(pet): Path<u64>) -> ([(&'static str, &'static str); 1], String) {
    let body = format!(r#"{{"id":{pet},"name":"Rex"}}"#);
    ([("content-type", "application/json")], body)
}

async fn spawn(router: Router) -> Result<String, Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(format!("http://{address}"))
}

fn writeln(text: &str) -> std::io::Result<()> {
    use std::io::Write;
    writeln!(std::io::stdout(), "{text}")
}
