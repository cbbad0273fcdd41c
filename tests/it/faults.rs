//! Upstreams that refuse, hang, break off, lie and never end.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::support::{Answer, Bridge, Upstream, configured, document, serve_answering, text};

/// A server that does `behave` with each connection after the request's head was read.
fn raw_server(
    behave: impl Fn(TcpStream) + Send + Sync + 'static,
) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let ended = Arc::new(AtomicUsize::new(0));
    let (behave, count) = (Arc::new(behave), ended.clone());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (behave, count) = (behave.clone(), count.clone());
            std::thread::spawn(move || {
                let mut head = [0; 4096];
                let _ = (&stream).read(&mut head);
                behave(stream);
                count.fetch_add(1, Ordering::SeqCst);
            });
        }
    });
    (address, ended)
}

fn bridge(address: SocketAddr, more: &[&str]) -> Bridge {
    let file = document(
        "  /x:\n    get: {operationId: x, responses: {'200': {description: ok}}}\n",
        "",
    );
    let base = format!("http://{address}");
    let path = file.path().display().to_string();
    Bridge::start([path.as_str(), "--base-url", &base].iter().chain(more))
}

#[tokio::test]
async fn each_fault_is_an_error_result_and_the_bridge_goes_on() {
    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let refused = bridge(nobody, &[]);
    let result = refused.call("x", json!({})).await;
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("could not be reached"), "{result}");
    assert!(
        !result.to_string().contains(&nobody.port().to_string()),
        "no internals: {result}"
    );

    let (address, _) = raw_server(|_stream| {});
    let result = bridge(address, &[]).call("x", json!({})).await;
    assert_eq!(
        result["isError"], true,
        "closed without an answer: {result}"
    );

    let (address, _) = raw_server(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{\"half\":");
    });
    let result = bridge(address, &[]).call("x", json!({})).await;
    assert_eq!(result["isError"], true, "shorter than announced: {result}");

    let (address, _) = raw_server(|mut stream| {
        let _ = stream.write_all(b"SSH-2.0-nothing like http\r\n");
    });
    let result = bridge(address, &[]).call("x", json!({})).await;
    assert_eq!(result["isError"], true, "not http: {result}");
    assert!(!refused.call("x", json!({})).await.is_null(), "still up");
}

#[tokio::test]
async fn a_hanging_upstream_meets_the_deadline() {
    let (address, _) = raw_server(|stream| {
        std::thread::sleep(Duration::from_secs(10));
        drop(stream);
    });
    let bridge = bridge(address, &["--timeout", "300ms"]);
    let result = bridge.call("x", json!({})).await;
    assert_eq!(result["isError"], true);
    assert!(
        text(&result).contains("0.3"),
        "the limit is named: {result}"
    );
}

#[tokio::test]
async fn an_endless_answer_is_cut_with_a_notice() {
    let (address, _) = raw_server(|mut stream| {
        let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
        if stream.write_all(head).is_err() {
            return;
        }
        let chunk = format!("400\r\n[\"{}\"\r\n", "x".repeat(0x3fd));
        for _ in 0..100_000 {
            if stream.write_all(chunk.as_bytes()).is_err() {
                return;
            }
        }
    });
    let config = crate::support::DocumentFile::new("limits: {reply: 64KiB}\n", ".yaml");
    let bridge = bridge(address, &["--config", &config.path().display().to_string()]);
    let result = bridge.call("x", json!({})).await;
    let whole = result.to_string();
    assert!(whole.len() < 300_000, "{}", whole.len());
    assert!(
        whole.contains("cut") || whole.contains("truncated"),
        "{}",
        &whole[whole.len() - 500..]
    );
    assert!(
        whole.contains("65536") || whole.contains("64 KiB"),
        "the limit is named"
    );
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let paths = "  /x:\n    get: {operationId: x, responses: {'200': {description: ok}}}\n";
    let (upstream, bridge) = serve_answering(paths, "", |_| {
        Answer::new(302, "text/plain", "")
            .with("location", "http://169.254.169.254/latest?token=hunter2")
    })
    .await;
    let result = bridge.call("x", json!({})).await;
    assert_eq!(result["isError"], true, "{result}");
    assert!(text(&result).contains("302"), "{result}");
    assert!(!result.to_string().contains("hunter2"), "{result}");
    assert_eq!(upstream.seen().len(), 1);
}

#[tokio::test]
async fn a_client_that_leaves_ends_the_upstream_call() {
    let (address, ended) = raw_server(|mut stream| {
        // Ends when the bridge closes its side.
        let mut rest = [0; 16];
        stream
            .set_read_timeout(Some(Duration::from_secs(15)))
            .unwrap();
        let _ = stream.read(&mut rest);
    });
    let bridge = bridge(address, &[]);
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x", "arguments": {}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}});
    let request = bridge
        .http()
        .post(&bridge.url)
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "x")
        .body(message.to_string())
        .timeout(Duration::from_millis(400))
        .send();
    assert!(request.await.is_err(), "the client gave up");
    let waited = async {
        while ended.load(Ordering::SeqCst) == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(8), waited)
        .await
        .expect("the upstream call was dropped");
    let logged = async {
        while !bridge.log().contains("abandoned") {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), logged)
        .await
        .expect("the call was recorded");
}

/// Whoever reads that it may have been carried out nevertheless would look in vain.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_server_that_takes_too_long_is_no_slow_service() {
    let upstream = Upstream::start(|seen| {
        if seen.target == "/token" {
            std::thread::sleep(Duration::from_secs(3));
        }
        Answer::json("{}")
    })
    .await;
    let paths = "  /order: {post: {operationId: order, security: [{oauth: []}], responses: {default: {description: any}}}}\n";
    let schemes = format!(
        "  securitySchemes: {{oauth: {{type: oauth2, flows: {{clientCredentials: {{tokenUrl: '{}/token', scopes: {{}}}}}}}}}}\n",
        upstream.url()
    );
    let settings = "credentials: {oauth: {client_id: me, client_secret: planted-client-66}}\ntimeouts: {call: 300ms}\n";
    let bridge = configured(&document(paths, &schemes), &upstream.url(), settings);
    let result = bridge.call("order", json!({})).await;
    assert_eq!(result["isError"], true);
    let told = text(&result);
    assert!(
        told.contains("credentials for the service") && told.contains("nothing was sent"),
        "{told}"
    );
    assert!(upstream.seen().iter().all(|one| one.target == "/token"));
    bridge
        .logged("the token server gave no token within 0.3 s")
        .await;
}
