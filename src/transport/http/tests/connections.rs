//! What only a real connection shows.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::super::{Entrance, Settings, serve};
use super::{Site, site_with};
use crate::mcp::Settings as McpSettings;
use crate::mcp::testing::modern;
use crate::transport::Readiness;
use serde_json::json;

pub(super) struct Running {
    site: Site,
    pub(super) address: std::net::SocketAddr,
    stop: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

pub(super) async fn run(settings: Settings) -> Running {
    let site = site_with(McpSettings::default(), &settings);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let server = std::sync::Arc::clone(&site.server);
    let entrance = Entrance::new(server, &settings, Readiness::given());
    let served = tokio::spawn(async move {
        serve(listener, entrance, &settings, async { drop(stopped.await) }).await;
    });
    Running {
        site,
        address,
        stop,
        served,
    }
}

fn post(headers: &str, body: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

pub(super) async fn read_until(stream: &mut TcpStream, end: &str) -> String {
    let mut text = Vec::new();
    let mut chunk = [0; 4096];
    while !String::from_utf8_lossy(&text).contains(end) {
        let length = stream.read(&mut chunk).await.unwrap();
        if length == 0 {
            break;
        }
        text.extend_from_slice(&chunk[..length]);
    }
    String::from_utf8(text).unwrap()
}

/// What comes back for this text, up to the end of the connection.
pub(super) async fn exchange(running: &Running, text: &str) -> String {
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    read_until(&mut stream, "the end").await
}

#[tokio::test]
async fn a_connection_is_used_again_and_ended_in_order() {
    let running = run(Settings::default()).await;
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    for _ in 0..2 {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        stream.write_all(post("", ping).as_bytes()).await.unwrap();
        let text = read_until(&mut stream, "\"result\":{}}").await;
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
        assert!(text.contains("content-length: 36\r\n"), "{text}");
    }
    let listen = modern("subscriptions/listen", json!({"notifications": {}})).to_string();
    let headers = "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n";
    stream
        .write_all(post(headers, &listen).as_bytes())
        .await
        .unwrap();
    read_until(&mut stream, "acknowledged").await;
    running.site.server.close();
    running.stop.send(()).unwrap();
    let rest = read_until(&mut stream, "\r\n0\r\n\r\n").await;
    assert!(rest.contains("\"resultType\":\"complete\""), "{rest}");
    running.served.await.unwrap();
    assert!(TcpStream::connect(running.address).await.is_err());
}

#[tokio::test]
async fn a_huge_body_is_refused_before_it_is_read() {
    let running = run(Settings::default()).await;
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000000\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    let text = read_until(&mut stream, "}}").await;
    assert!(text.starts_with("HTTP/1.1 413"), "{text}");
    assert!(text.contains("-32600"), "{text}");
}

#[tokio::test]
async fn what_is_under_way_is_dropped_after_the_drain_or_when_it_is_given_up() {
    for (drain, given_up) in [(0, false), (24 * 3600, true)] {
        drop_a_stream(std::time::Duration::from_secs(drain), given_up).await;
    }
}

async fn drop_a_stream(drain: std::time::Duration, given_up: bool) {
    let running = run(Settings {
        drain,
        ..Settings::default()
    })
    .await;
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    let listen = modern("subscriptions/listen", json!({"notifications": {}})).to_string();
    let headers = "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n";
    stream
        .write_all(post(headers, &listen).as_bytes())
        .await
        .unwrap();
    read_until(&mut stream, "acknowledged").await;
    running.stop.send(()).unwrap();
    if given_up {
        running.site.server.abandon();
    }
    running.served.await.unwrap();
    assert_eq!(
        read_until(&mut stream, "never").await.find("complete"),
        None
    );
}

/// A client may have nothing more to say and still listen (RFC 9112, section 9.6).
#[tokio::test]
async fn an_answer_goes_out_to_a_client_that_has_closed_its_side() {
    let running = run(Settings::default()).await;
    let ping = post("", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    let cases = [
        (ping.clone(), 1),
        (ping.replace("HTTP/1.1", "HTTP/1.0"), 1),
        (ping.replace("Host", "Connection: close\r\nHost"), 1),
        (ping.repeat(5), 5),
        (
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(),
            1,
        ),
    ];
    for (text, answers) in cases {
        for _ in 0..5 {
            let mut stream = TcpStream::connect(running.address).await.unwrap();
            stream.write_all(ping.as_bytes()).await.unwrap();
            read_until(&mut stream, "\"result\":{}}").await;
            // Without a pause, so that the end is there when the request is read.
            assert_eq!(stream.try_write(text.as_bytes()).unwrap(), text.len());
            let stream = stream.into_std().unwrap();
            stream.shutdown(std::net::Shutdown::Write).unwrap();
            let mut stream = TcpStream::from_std(stream).unwrap();
            let answer = read_until(&mut stream, "the end").await;
            assert_eq!(answer.matches(" 200 OK\r\n").count(), answers, "{text}");
        }
    }
}

#[tokio::test]
async fn a_long_head_is_refused_and_one_below_the_limit_is_read() {
    let running = run(Settings::default()).await;
    for (length, status) in [(60_000, "200 OK"), (66_000, "431 "), (300_000, "431 ")] {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let head = format!("X-Long: {}\r\nConnection: close\r\n", "x".repeat(length));
        let text = exchange(&running, &post(&head, ping)).await;
        assert!(
            text.starts_with(&format!("HTTP/1.1 {status}")),
            "{length}: {text}"
        );
    }
}
