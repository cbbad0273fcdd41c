//! The bridge beside a bare reverse proxy, in one process and one run, as a ratio:
//! `cargo bench --bench end_to_end`. Loopback only; ends by itself after half a minute.

use std::error::Error;
use std::io::Write;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::routing::{any, get};
use mcpinvoke::app::App;
use mcpinvoke::config::{Config, DocumentFlags, ServeFlags};
use tokio::net::TcpListener;

const ROUND: Duration = Duration::from_secs(2);
const ROUNDS: usize = 3;
const CONNECTIONS: usize = 32;

const DOCUMENT: &str = r#"
openapi: 3.1.0
info: {title: Pets, version: '1'}
paths:
  /pet:
    get: {operationId: getPet, responses: {'200': {description: ok, content: {application/json: {schema: {type: object}}}}}}
  /pets:
    get: {operationId: listPets, responses: {'200': {description: ok, content: {application/json: {schema: {type: object}}}}}}
"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let upstream = spawn(service()).await?;
    let config = Config::resolve_any(&DocumentFlags::default(), &ServeFlags::default())?;
    let base = upstream.parse()?;
    let app = App::from_texts(&config, &[("pets.yaml", DOCUMENT)], Some(&base))?;
    let bridge = spawn(app.router(&config)).await?;
    let proxy = spawn(proxy(&upstream)?).await?;
    for (path, tool) in [("/pet", "getPet"), ("/pets", "listPets")] {
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}"#
        );
        let (mut bare, mut bridged) = (0, 0);
        for _ in 0..ROUNDS {
            bare += load(&format!("{proxy}{path}"), &call).await?;
            bridged += load(&format!("{bridge}/mcp"), &call).await?;
        }
        let ratio = bridged as f64 / bare.max(1) as f64;
        writeln!(
            std::io::stdout(),
            "{tool}: {bridged} calls through the bridge, {bare} through a bare proxy: ratio {ratio:.2}"
        )?;
    }
    Ok(())
}

/// Requests answered in one round.
async fn load(url: &str, body: &str) -> Result<usize, Box<dyn Error>> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let until = Instant::now() + ROUND;
    let mut clients = Vec::new();
    for _ in 0..CONNECTIONS {
        let (client, url, body) = (client.clone(), url.to_owned(), body.to_owned());
        clients.push(tokio::spawn(async move {
            let mut answered = 0;
            while Instant::now() < until {
                let request = client
                    .post(&url)
                    .header("content-type", "application/json")
                    .header("mcp-protocol-version", "2025-11-25");
                match request.body(body.clone()).send().await {
                    Ok(response) if response.status() == 200 => {
                        answered += usize::from(response.bytes().await.is_ok());
                    }
                    _ => {}
                }
            }
            answered
        }));
    }
    let mut answered = 0;
    for client in clients {
        answered += client.await?;
    }
    Ok(answered)
}

fn service() -> Router {
    let json = |body: String| ([("content-type", "application/json")], body);
    let pet = r#"{"id":1,"name":"Rex"}"#;
    let pets = format!("{{\"items\":[{}]}}", vec![pet; 3000].join(","));
    Router::new()
        .route("/pet", get(async move || json(pet.to_owned())))
        .route("/pets", get(async move || json(pets.clone())))
}

/// What any proxy has to do: read the request, make another, pass the answer on.
fn proxy(upstream: &str) -> Result<Router, Box<dyn Error>> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let state = (client, upstream.to_owned());
    Ok(Router::new().fallback(any(forward)).with_state(state))
}

async fn forward(
    State((client, upstream)): State<(reqwest::Client, String)>,
    request: http::Request<Body>,
) -> http::Response<Body> {
    let url = format!("{upstream}{}", request.uri().path());
    // What the client sends has to be read by any proxy.
    let _ = axum::body::to_bytes(request.into_body(), 1 << 20).await;
    let answer = async { client.get(url).send().await?.bytes().await };
    match answer.await {
        Ok(body) => http::Response::new(Body::from(body)),
        Err(_) => {
            let mut response = http::Response::new(Body::empty());
            *response.status_mut() = http::StatusCode::BAD_GATEWAY;
            response
        }
    }
}

async fn spawn(router: Router) -> Result<String, Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(format!("http://{address}"))
}
