//! Documents over HTTP, from a server in this process.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::super::{LoadError, Settings, Source, load};

const DOCUMENT: &str = "openapi: 3.1.0\nservers: [{url: ../v1}]\npaths:\n  /a: {get: {}}\ncomponents:\n  schemas:\n    A: {$ref: other.yaml}\n    B: {$ref: moved.yaml}\n";

/// Status, a header line or nothing, and body of a path.
fn answer(path: &str) -> (u16, &'static str, String) {
    let document = |text: &str| (200, "", text.to_owned());
    match path {
        "/docs/api.yaml" => document(DOCUMENT),
        "/docs/other.yaml" => document("type: string\nnullable: true\n"),
        "/docs/moved.yaml" => (307, "Location: /docs/other.yaml\r\n", String::new()),
        "/moved" => (307, "Location: /docs/api.yaml\r\n", String::new()),
        "/loop" => (307, "Location: /loop\r\n", String::new()),
        "/page" => (
            200,
            "Content-Type: text/html\r\n",
            "<!doctype html><html></html>".into(),
        ),
        "/empty" => document(""),
        "/locked" => (401, "", String::new()),
        "/large" => document(&"x".repeat(10_000)),
        _ => (404, "", "not here".into()),
    }
}

async fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(one(stream));
        }
    });
    format!("http://{address}")
}

/// One request of one connection.
async fn one(mut stream: TcpStream) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8_lossy(&head);
    let path = head.split([' ', '?']).nth(1).unwrap_or_default();
    if path == "/slow" {
        tokio::time::sleep(Duration::from_secs(60)).await;
    }
    let (status, line, body) = answer(path);
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status} X\r\n{line}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    let _ = stream.write_all(text.as_bytes()).await;
}

fn settings() -> Settings {
    Settings {
        max_bytes: 5_000,
        timeout: Duration::from_millis(500),
        ..Settings::default()
    }
}

#[tokio::test]
async fn documents_are_fetched_with_what_they_refer_to() {
    let origin = serve().await;
    for path in ["/docs/api.yaml", "/moved"] {
        let source = Source::parse(&format!("{origin}{path}?key=secret")).unwrap();
        let document = load(&source, &settings()).await.unwrap();
        assert_eq!(
            document.operations[0].servers[0].as_str(),
            format!("{origin}/v1")
        );
        assert!(!document.name.contains("secret"), "{}", document.name);
        let reference = document.schemas.get("#/components/schemas/A").unwrap()["$ref"]
            .as_str()
            .unwrap();
        assert_eq!(
            document.schemas.get(reference).unwrap(),
            &json!({"type": ["string", "null"]})
        );
        // References do not follow redirects: they could lead anywhere.
        assert_eq!(
            document.schemas.get("#/components/schemas/B").unwrap(),
            &json!({})
        );
    }
}

#[tokio::test]
async fn what_is_no_document_is_named() {
    let origin = serve().await;
    let table = [
        ("/none", "expected status 200, found 404"),
        ("/locked", "found 401; the document needs credentials"),
        ("/page", "an HTML page"),
        ("/empty", "is empty"),
        ("/large", "larger than 5000 bytes"),
        ("/slow", "no complete answer in time"),
        ("/loop", "redirect"),
    ];
    for (path, expected) in table {
        let source = Source::parse(&format!("{origin}{path}?key=secret")).unwrap();
        let error = load(&source, &settings()).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{path}: {error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    let source = Source::parse("http://127.0.0.1:1/x").unwrap();
    assert!(matches!(
        load(&source, &settings()).await,
        Err(LoadError::Fetch { .. })
    ));
}
