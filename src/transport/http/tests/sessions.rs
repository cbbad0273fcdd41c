//! Requests of clients that have agreed on something, or say so.

use futures_util::FutureExt as _;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::mcp::testing::{server_of, tool};
use crate::tool::Target;

/// A site whose tool `first` is with a service that never answers.
async fn silent_site() -> (Site, TcpListener) {
    let service = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut silent = tool("first");
    if let Target::Http(target) = &mut silent.target {
        let base = format!("http://{}/", service.local_addr().unwrap());
        target.base = base.parse().unwrap();
    }
    let (server, _) = server_of(vec![silent], McpSettings::default());
    let settings = Settings::default();
    let router = router(Arc::clone(&server), &settings, Readiness::given());
    (Site { router, server }, service)
}

async fn session(site: &Site) -> String {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}});
    let reply = site.post(&[], &request("initialize", params)).await;
    reply.headers["mcp-session-id"].to_str().unwrap().to_owned()
}

/// What a client gets for a call when `end` has happened to it.
async fn ended<F: Future<Output = ()>>(
    accept: &str,
    end: impl FnOnce(Site, String) -> F,
) -> (StatusCode, String, String) {
    let (site, service) = silent_site().await;
    let id = session(&site).await;
    let other = Site {
        router: site.router.clone(),
        server: Arc::clone(&site.server),
    };
    let headers = [("mcp-session-id", id.as_str()), ("accept", accept)];
    let call = json!({"name": "first", "arguments": {"id": 1}});
    let call = request("tools/call", call).to_string();
    let call = site.send("POST", "/mcp", &headers, call);
    let end = async {
        let connection: (TcpStream, _) = service.accept().await.unwrap();
        end(other, id.clone()).await;
        connection
    };
    let (response, _connection) = tokio::join!(call, end);
    let status = response.status();
    let kind = response.headers()["content-type"]
        .to_str()
        .unwrap()
        .to_owned();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, kind, String::from_utf8(body.to_vec()).unwrap())
}

/// 2025-11-25, transports: a request that was POSTed is answered with a stream or with JSON.
#[tokio::test]
async fn a_cancelled_call_has_an_answer() {
    async fn cancel(site: Site, id: String) {
        let message = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
        let reply = site.post(&[("mcp-session-id", &id)], &message).await;
        assert_eq!(reply.status, 202);
    }
    async fn delete(site: Site, id: String) {
        let headers = [("mcp-session-id", id.as_str())];
        let response = site.send("DELETE", "/mcp", &headers, "").await;
        assert_eq!(response.status(), 204);
    }
    let both = "application/json, text/event-stream";
    let (status, kind, body) = ended(both, cancel).await;
    assert_eq!((status.as_u16(), kind.as_str()), (200, "text/event-stream"));
    assert_eq!(body, "");
    let (status, kind, body) = ended("application/json", cancel).await;
    assert_eq!((status.as_u16(), kind.as_str()), (200, "application/json"));
    assert!(
        body.contains("\"id\":7") && body.contains("cancelled"),
        "{body}"
    );
    let (status, kind, body) = ended(both, delete).await;
    assert_eq!((status.as_u16(), kind.as_str()), (404, "application/json"));
    assert!(
        body.contains("\"id\":7") && body.contains("initialize"),
        "{body}"
    );
}

/// 2025-06-18, transports, protocol version header.
#[tokio::test]
async fn a_version_that_is_not_there_is_refused_without_a_body_too() {
    let site = site();
    let id = session(&site).await;
    for method in ["GET", "DELETE"] {
        for version in ["1999-01-01", "2027-01-01", "latest", "\u{e9}"] {
            let headers = [
                ("mcp-session-id", id.as_str()),
                ("mcp-protocol-version", version),
            ];
            let reply = read(site.send(method, "/mcp", &headers, "").await).await;
            assert_eq!(reply.status, 400, "{method} {version}");
            assert!(reply.body["error"].is_object() && reply.body.get("id").is_none());
        }
    }
    let headers = [
        ("mcp-session-id", id.as_str()),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    let response = site.send("DELETE", "/mcp", &headers, "").await;
    assert_eq!(response.status(), 204);
}

#[tokio::test]
async fn a_batch_in_an_unknown_session_is_told_so() {
    let batch = json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]);
    let reply = site().post(&[("mcp-session-id", "unknown")], &batch).await;
    assert_eq!(reply.status, 404);
}

#[tokio::test]
async fn an_answer_to_nothing_is_refused_without_an_id() {
    let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "no"}});
    let reply = site().post(&[], &error).await;
    assert_eq!(reply.status, 400);
    assert!(reply.body["error"].is_object() && reply.body.get("id").is_none());
}

/// 2025-11-25, transports, multiple connections.
#[tokio::test]
async fn of_several_streams_the_newest_one_is_told() {
    let site = site();
    let id = session(&site).await;
    let headers = [("mcp-session-id", id.as_str())];
    let mut streams = Vec::new();
    for _ in 0..3 {
        let response = site.send("GET", "/mcp", &headers, "").await;
        streams.push(response.into_body().into_data_stream());
    }
    // The one that is told is gone afterwards, and the one before it takes its place.
    while let Some(mut newest) = streams.pop() {
        site.server.tools_changed();
        for other in &mut streams {
            assert!(other.next().now_or_never().is_none());
        }
        let event = newest.next().now_or_never().unwrap().unwrap().unwrap();
        assert!(event.ends_with(b"list_changed\"}\n\n"), "{event:?}");
        assert!(newest.next().now_or_never().is_none());
    }
}
