//! The HTTP service behind the bridge when the official MCP conformance suite runs against it.
//!
//! `cargo run --example upstream_conformance -- --port 8082`
//!
//! Every answer exists to make one scenario possible; `specs/conformance.yaml` says which tool is
//! which, and this service serves that document at `/openapi.yaml`. Port 0 picks a free one. The
//! address goes to stdout, in a line of its own.

use std::convert::Infallible;
use std::error::Error;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use futures_util::stream;
use http::{StatusCode, Uri, header};
use serde_json::{Value, json};
use tokio::net::TcpListener;

const DOCUMENT: &str = include_str!("../specs/conformance.yaml");

/// Added to the document while the switch is on; `paths` is followed by `components`.
const EXTRA_PATH: &str = "  /extra:
    get:
      operationId: test_extra_tool
      summary: Comes and goes
      responses:
        '204': {description: nothing}
components:
";

/// Whether the document has its extra operation.
type Switch = Arc<AtomicBool>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind(("127.0.0.1", port_flag()?)).await?;
    let address = listener.local_addr()?;
    writeln!(std::io::stdout(), "listening on http://{address}")?;
    axum::serve(listener, router(Switch::default())).await?;
    Ok(())
}

fn port_flag() -> Result<u16, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    match (
        arguments.next().as_deref(),
        arguments.next(),
        arguments.next(),
    ) {
        (None, None, None) => Ok(8082),
        (Some("--port"), Some(port), None) => Ok(port.parse()?),
        _ => Err("usage: upstream_conformance [--port PORT]".into()),
    }
}

fn router(switch: Switch) -> Router {
    Router::new()
        .route("/openapi.yaml", get(document))
        .route(
            "/text",
            get(|| async { media("text/plain", "This is a simple text response.") }),
        )
        .route("/image", get(|| async { media("image/png", PIXEL) }))
        // The parameter is there because real services send one; it must not reach the client.
        .route(
            "/audio",
            get(|| async { media("audio/wav; codecs=1", silence()) }),
        )
        .route("/resource", get(|| async { media("application/pdf", PDF) }))
        .route("/mixed", get(mixed))
        .route("/error", get(error))
        .route("/progress", get(progress))
        .route("/document/toggle", post(toggle))
        .fallback(echo)
        .with_state(switch)
}

async fn document(State(switch): State<Switch>) -> Response {
    let text = if switch.load(Ordering::Relaxed) {
        DOCUMENT.replacen("components:\n", EXTRA_PATH, 1)
    } else {
        DOCUMENT.to_owned()
    };
    media("application/yaml", text)
}

async fn toggle(State(switch): State<Switch>, uri: Uri) -> Response {
    switch.fetch_xor(true, Ordering::Relaxed);
    echo(uri, Bytes::new()).await
}

/// Answers what was asked for; all operations without a handler of their own end here.
async fn echo(uri: Uri, body: Bytes) -> Response {
    let body = match serde_json::from_slice(&body) {
        Ok(value) => value,
        Err(_) if body.is_empty() => Value::Null,
        Err(_) => String::from_utf8_lossy(&body).into(),
    };
    let answer = json!({"operation": uri.path(), "query": uri.query(), "body": body});
    media("application/json", answer.to_string())
}

async fn error() -> Response {
    let problem = json!({
        "type": "about:blank",
        "title": "Conflict",
        "status": 409,
        "detail": "this operation always fails",
    });
    let mut response = media("application/problem+json", problem.to_string());
    *response.status_mut() = StatusCode::CONFLICT;
    response
}

/// Text, a picture and a document, as RFC 2046 separates them.
async fn mixed() -> Response {
    let mut body = Vec::new();
    let parts: [(&str, &[u8]); 3] = [
        ("text/plain", b"Multiple content types test:"),
        ("image/png", PIXEL),
        ("application/pdf", PDF),
    ];
    for (kind, bytes) in parts {
        body.extend_from_slice(b"--cut-here\r\nContent-Type: ");
        body.extend_from_slice(kind.as_bytes());
        body.extend_from_slice(b"\r\n\r\n");
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--cut-here--\r\n");
    media("multipart/mixed; boundary=cut-here", body)
}

/// Five lines, each in a chunk of its own.
async fn progress() -> Response {
    let lines = stream::unfold(1_u32, |line| async move {
        if line > 5 {
            return None;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        let text = format!("{}\n", json!({"progress": line * 20, "total": 100}));
        Some((Ok::<_, Infallible>(text), line + 1))
    });
    media("application/x-ndjson", Body::from_stream(lines))
}

fn media(content_type: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    let value = header::HeaderValue::from_static(content_type);
    response.headers_mut().insert(header::CONTENT_TYPE, value);
    response
}

/// A hundredth of a second of eight-bit silence at 8 kHz in a RIFF file.
fn silence() -> Vec<u8> {
    let samples = [128_u8; 80];
    let mut file = Vec::with_capacity(44 + samples.len());
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&116_u32.to_le_bytes());
    file.extend_from_slice(b"WAVEfmt ");
    file.extend_from_slice(&16_u32.to_le_bytes());
    // PCM, one channel.
    file.extend_from_slice(&1_u16.to_le_bytes());
    file.extend_from_slice(&1_u16.to_le_bytes());
    file.extend_from_slice(&8000_u32.to_le_bytes());
    file.extend_from_slice(&8000_u32.to_le_bytes());
    // One byte a frame, eight bits a sample.
    file.extend_from_slice(&1_u16.to_le_bytes());
    file.extend_from_slice(&8_u16.to_le_bytes());
    file.extend_from_slice(b"data");
    file.extend_from_slice(&80_u32.to_le_bytes());
    file.extend_from_slice(&samples);
    file
}

const PDF: &[u8] = b"%PDF-1.4\n%%EOF\n";

/// One grey pixel.
const PIXEL: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\x0aIDATx\x9cch\x00\x00\x00\x82\x00\x81w\xcdr\xb6\x00\x00\x00\x00IEND\xaeB`\x82";
