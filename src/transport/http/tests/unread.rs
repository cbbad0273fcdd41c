//! Requests that are answered before their body is read: the answer arrives, and what follows it too.

use std::num::NonZeroU32;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::connections::{Running, read_until, run};
use crate::secret::Fingerprint;
use crate::transport::access::Key;
use crate::transport::http::{Requests, Settings};

const BODY: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const KEY: &str = "Authorization: Bearer k\r\n";

fn keyed() -> Settings {
    Settings {
        keys: vec![Key {
            name: "ann".into(),
            key: Fingerprint::of("k"),
            tools: None,
        }],
        max_body_bytes: 100_000,
        ..Settings::default()
    }
}

async fn connect(running: &Running) -> TcpStream {
    let stream = TcpStream::connect(running.address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

fn head(line: &str, headers: &str, length: usize) -> String {
    let host = match headers.contains("Host:") {
        true => "",
        false => "Host: localhost\r\n",
    };
    format!("{line} HTTP/1.1\r\n{host}{headers}Content-Length: {length}\r\n\r\n")
}

/// The answer's head and body, however its length is told.
async fn answer(stream: &mut TcpStream) -> String {
    let mut text = read_until(stream, "\r\n\r\n").await.to_lowercase();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let length = head.split_once("content-length: ").unwrap().1;
    let length: usize = length.lines().next().unwrap().parse().unwrap();
    let mut rest = vec![0; length.saturating_sub(body.len())];
    stream.read_exact(&mut rest).await.unwrap();
    text.push_str(&String::from_utf8(rest).unwrap());
    text
}

#[tokio::test]
async fn a_connection_goes_on_after_a_refusal_that_did_not_need_the_body() {
    let once = Requests {
        count: NonZeroU32::MIN,
        per: Duration::from_secs(3600),
    };
    let evil = format!("{KEY}Host: evil.test\r\n");
    let text = format!("{KEY}Content-Type: text/plain\r\n");
    let preflight = "Origin: http://a.test\r\nAccess-Control-Request-Method: POST\r\n";
    let cases = [
        ("POST /mcp", "", 401),
        ("POST /mcp", evil.as_str(), 403),
        ("POST /nothing", KEY, 404),
        ("PUT /mcp", KEY, 405),
        ("GET /mcp", KEY, 405),
        ("DELETE /mcpinvoke", KEY, 405),
        ("POST /mcp", text.as_str(), 415),
        ("POST /mcpinvoke", text.as_str(), 415),
        ("POST /mcp", KEY, 429),
        ("POST /api/discovery/tools", KEY, 200),
        ("OPTIONS /mcp", preflight, 204),
    ];
    for (line, headers, status) in cases {
        let settings = Settings {
            requests: (status == 429).then_some(once),
            allowed_origins: vec!["http://a.test".to_owned()],
            ..keyed()
        };
        let running = run(settings).await;
        let mut stream = connect(&running).await;
        let ping = head("POST /mcp", KEY, BODY.len()) + BODY;
        if status == 429 {
            stream.write_all(ping.as_bytes()).await.unwrap();
            answer(&mut stream).await;
        }
        let body = "x".repeat(60_000);
        let head = head(line, headers, body.len());
        stream.write_all(head.as_bytes()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
        stream.write_all(body.as_bytes()).await.unwrap();
        let refusal = if status == 204 {
            read_until(&mut stream, "\r\n\r\n").await
        } else {
            answer(&mut stream).await
        };
        assert!(
            refusal
                .to_lowercase()
                .starts_with(&format!("http/1.1 {status}")),
            "{line} {refusal}"
        );
        assert!(!refusal.contains("connection: close"), "{line} {refusal}");
        stream.write_all(ping.as_bytes()).await.unwrap();
        let next = answer(&mut stream).await;
        let expected = if status == 429 { "429" } else { "200" };
        assert!(next.starts_with(&format!("http/1.1 {expected}")), "{next}");
    }
}

#[tokio::test]
async fn a_client_that_sends_it_all_before_it_reads_gets_the_answer() {
    let running = run(keyed()).await;
    let body = vec![b'x'; 20_000_000];
    let chunks = format!("{:x}\r\n", body.len());
    let chunked = "Host: localhost\r\nTransfer-Encoding: chunked\r\n";
    let cases = [
        (head("POST /mcp", KEY, body.len()), String::new(), 413),
        (head("POST /mcp", "", body.len()), String::new(), 401),
        (
            format!("POST /mcp HTTP/1.1\r\n{KEY}{chunked}\r\n"),
            chunks.clone(),
            413,
        ),
        (
            format!("POST /mcp HTTP/1.1\r\n{chunked}\r\n"),
            chunks.clone(),
            401,
        ),
        (
            format!("POST /nothing HTTP/1.1\r\n{KEY}{chunked}\r\n"),
            chunks,
            404,
        ),
    ];
    for (head, chunk, status) in cases {
        let mut stream = connect(&running).await;
        for part in [head.as_bytes(), chunk.as_bytes(), &body] {
            stream.write_all(part).await.expect(&head);
        }
        let text = answer(&mut stream).await;
        assert!(text.starts_with(&format!("http/1.1 {status}")), "{text}");
        assert!(text.contains("connection: close\r\n"), "{text}");
    }
}

#[tokio::test]
async fn a_body_that_is_malformed_or_breaks_off_is_told_so() {
    let running = run(keyed()).await;
    let chunked = "Host: localhost\r\nTransfer-Encoding: chunked\r\n";
    let chunked = format!("POST /mcp HTTP/1.1\r\n{KEY}{chunked}\r\nnonsense\r\n{BODY}\r\n");
    let short = head("POST /mcp", KEY, 100) + BODY;
    for text in [chunked, short] {
        let mut stream = connect(&running).await;
        stream.write_all(text.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let text = answer(&mut stream).await;
        assert!(text.starts_with("http/1.1 400"), "{text}");
        assert!(text.contains("connection: close\r\n"), "{text}");
        assert!(text.contains("breaks off"), "{text}");
    }
}

#[tokio::test]
async fn nobody_is_waited_for_without_end() {
    let settings = Settings {
        max_connections: 1,
        ..keyed()
    };
    let running = run(settings).await;
    let mut stream = connect(&running).await;
    let head = head("POST /mcp", "", 40);
    stream.write_all(head.as_bytes()).await.unwrap();
    let text = answer(&mut stream).await;
    assert!(text.starts_with("http/1.1 401"), "{text}");
    assert!(text.contains("connection: close\r\n"), "{text}");
    assert_eq!(read_until(&mut stream, "more").await, "");
    // The client keeps its side open, and the one place there is becomes free all the same.
    let mut next = connect(&running).await;
    next.write_all(head.as_bytes()).await.unwrap();
    assert!(answer(&mut next).await.starts_with("http/1.1 401"));
    drop(stream);
}

#[tokio::test]
async fn whoever_waits_to_be_asked_for_the_body_is_refused_without_it() {
    let running = run(keyed()).await;
    for (headers, length, status) in [("", 40, 401), (KEY, 200_000, 413)] {
        let mut stream = connect(&running).await;
        let headers = format!("{headers}Expect: 100-continue\r\n");
        let head = head("POST /mcp", &headers, length);
        stream.write_all(head.as_bytes()).await.unwrap();
        let text = answer(&mut stream).await;
        assert!(text.starts_with(&format!("http/1.1 {status}")), "{text}");
        assert!(text.contains("connection: close\r\n"), "{text}");
    }
}
