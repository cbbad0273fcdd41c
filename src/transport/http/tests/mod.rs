//! Requests against the router.

mod connections;
mod errors;
mod interop;
mod origins;
mod sessions;
mod turns;
mod unread;
mod writes;

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use futures_util::StreamExt as _;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::*;
use crate::mcp::Settings as McpSettings;
use crate::mcp::testing::{modern, request, server};

/// A router and the server behind it.
pub(super) struct Site {
    pub(super) router: Router,
    pub(super) server: Arc<Server>,
}

pub(super) fn site_with(mcp: McpSettings, settings: &Settings) -> Site {
    let server = server(mcp);
    let router = router(Arc::clone(&server), settings, Readiness::given());
    Site { router, server }
}

pub(super) fn site() -> Site {
    site_with(McpSettings::default(), &Settings::default())
}

pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
}

impl Site {
    pub(super) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Response {
        let mut request = Request::builder().method(method).uri(path);
        if !headers.iter().any(|(name, _)| *name == "host") {
            request = request.header("host", "localhost:8080");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(body.into()).unwrap();
        self.router.clone().oneshot(request).await.unwrap()
    }

    pub(super) async fn post(&self, headers: &[(&str, &str)], body: &Value) -> Reply {
        read(self.send("POST", "/mcp", headers, body.to_string()).await).await
    }
}

/// The headers of a modern request, and its body.
pub(super) fn modern_headers<'a>(method: &'a str, name: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut headers = vec![
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", method),
    ];
    if !name.is_empty() {
        headers.push(("mcp-name", name));
    }
    headers
}

pub(super) async fn read(response: Response) -> Reply {
    let (status, headers) = (response.status(), response.headers().clone());
    let body = response.into_body().collect().await.unwrap().to_bytes();
    Reply {
        status,
        headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    }
}

#[tokio::test]
async fn a_client_without_handshake_is_served() {
    let site = site();
    let reply = site.post(&[], &request("tools/list", json!({}))).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.headers["content-type"], "application/json");
    assert_eq!(reply.headers["cache-control"], "no-store");
    assert_eq!(reply.headers["x-content-type-options"], "nosniff");
    assert!(reply.body["result"]["tools"][0].get("title").is_none());
    let headers = [("mcp-protocol-version", "2025-06-18")];
    let reply = site.post(&headers, &request("tools/list", json!({}))).await;
    assert!(reply.body["result"]["tools"][0].get("title").is_some());
    let reply = site.post(&[], &request("first", json!({"id": 1}))).await;
    assert!(reply.body["result"]["content"].is_array());
    for path in ["/mcp", "/mcpinvoke", "/mcp/", "/mcpinvoke/"] {
        let body = request("ping", json!({})).to_string();
        let reply = read(site.send("POST", path, &[], body).await).await;
        assert_eq!(reply.body["result"], json!({}));
    }
}

#[tokio::test]
async fn the_endpoint_s_path_may_end_with_a_slash() {
    for (path, taken) in [
        ("/mcp/", &["/mcp", "/mcp/", "/mcpinvoke", "/mcpinvoke/"][..]),
        ("/", &["/", "/mcpinvoke/"]),
        ("/mcpinvoke", &["/mcpinvoke", "/mcpinvoke/"]),
        ("/mcpinvoke/", &["/mcpinvoke", "/mcpinvoke/"]),
    ] {
        let settings = Settings {
            path: path.to_owned(),
            ..Settings::default()
        };
        let site = site_with(McpSettings::default(), &settings);
        for name in taken {
            let body = request("ping", json!({})).to_string();
            let reply = read(site.send("POST", name, &[], body).await).await;
            assert_eq!(reply.body["result"], json!({}), "{path} {name}");
        }
        let response = site.send("POST", "/mcpinvoke//", &[], "").await;
        assert_eq!(response.status(), 404);
    }
}

#[tokio::test]
async fn notifications_get_202_and_no_body() {
    let site = site();
    let message = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let response = site.send("POST", "/mcp", &[], message.to_string()).await;
    assert_eq!(response.status(), 202);
    assert!(
        response
            .into_body()
            .collect()
            .await
            .unwrap()
            .to_bytes()
            .is_empty()
    );
}

#[tokio::test]
async fn batches_over_http() {
    let site = site();
    let batch = json!([
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "first"}}
    ]);
    for headers in [&[][..], &[("mcp-protocol-version", "2025-03-26")]] {
        let reply = site.post(headers, &batch).await;
        assert_eq!(reply.body.as_array().unwrap().len(), 2);
    }
    for version in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        let reply = site
            .post(&[("mcp-protocol-version", version)], &batch)
            .await;
        assert_eq!(
            (reply.status.as_u16(), &reply.body["error"]["code"]),
            (400, &json!(-32600))
        );
    }
}

#[tokio::test]
async fn a_session_is_minted_found_and_ended() {
    let site = site();
    let initialize = |capabilities| {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities});
        request("initialize", params)
    };
    let reply = site.post(&[], &initialize(json!({}))).await;
    assert!(reply.headers.get("mcp-session-id").is_none());
    let reply = site
        .post(&[], &initialize(json!({"elicitation": {}})))
        .await;
    let id = reply.headers["mcp-session-id"].to_str().unwrap().to_owned();
    let session = [("mcp-session-id", id.as_str())];
    let reply = site.post(&session, &request("tools/list", json!({}))).await;
    assert!(reply.body["result"]["tools"][0].get("title").is_some());
    let answer = json!({"jsonrpc": "2.0", "id": 0, "result": {"action": "accept"}});
    assert_eq!(site.post(&session, &answer).await.status, 202);
    assert_eq!(site.post(&[], &answer).await.status, 400);

    let response = site.send("GET", "/mcp", &session, "").await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut events = response.into_body().into_data_stream();
    site.server.tools_changed();
    let event = events.next().await.unwrap().unwrap();
    let expected = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n";
    assert_eq!(event, expected.as_bytes());

    assert_eq!(
        site.send("DELETE", "/mcp", &session, "").await.status(),
        204
    );
    assert!(events.next().await.is_none());
    assert_eq!(
        site.send("DELETE", "/mcp", &session, "").await.status(),
        404
    );
    assert_eq!(site.send("GET", "/mcp", &session, "").await.status(), 404);
    assert_eq!(
        site.post(&session, &request("ping", json!({})))
            .await
            .status,
        404
    );
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled"});
    assert_eq!(site.post(&session, &cancel).await.status, 404);
    // Modern requests have no sessions, whatever they bring along.
    let mut headers = modern_headers("tools/list", "");
    headers.push(("mcp-session-id", &id));
    assert_eq!(
        site.post(&headers, &modern("tools/list", json!({})))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn sessions_can_be_for_all_or_for_none() {
    let params = |capabilities| json!({"protocolVersion": "x", "capabilities": capabilities});
    for (sessions, capabilities, minted) in [
        (crate::mcp::Sessions::Always, json!({}), true),
        (
            crate::mcp::Sessions::Never,
            json!({"elicitation": {}}),
            false,
        ),
    ] {
        let mcp = McpSettings {
            sessions,
            ..McpSettings::default()
        };
        let site = site_with(mcp, &Settings::default());
        let reply = site
            .post(&[], &request("initialize", params(capabilities)))
            .await;
        assert_eq!(reply.headers.contains_key("mcp-session-id"), minted);
        // Who has no stream cannot be told.
        let told = &reply.body["result"]["capabilities"]["tools"]["listChanged"];
        assert_eq!(told.as_bool(), minted.then_some(true), "{}", reply.body);
    }
}

#[tokio::test]
async fn a_subscription_is_a_stream_of_events() {
    let site = site();
    let headers = modern_headers("subscriptions/listen", "");
    let wish = modern(
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true}}),
    );
    let response = site.send("POST", "/mcp", &headers, wish.to_string()).await;
    assert_eq!(response.headers()["x-accel-buffering"], "no");
    let mut events = response.into_body().into_data_stream();
    let mut next = async || -> Option<Value> {
        let event = events.next().await?.unwrap();
        let data = event.strip_prefix(b"event: message\ndata: ").unwrap();
        Some(serde_json::from_slice(data).unwrap())
    };
    let first = next().await.unwrap();
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    site.server.tools_changed();
    assert_eq!(
        next().await.unwrap()["method"],
        "notifications/tools/list_changed"
    );
    site.server.close();
    assert_eq!(next().await.unwrap()["result"]["resultType"], "complete");
    assert_eq!(next().await, None);
}

#[tokio::test]
async fn the_pages_beside_the_endpoint() {
    let site = site();
    for (method, path) in [
        ("GET", "/api/discovery/tools"),
        ("POST", "/api/discovery/tools"),
        ("GET", "/.well-known/mcp-context"),
    ] {
        let reply = read(site.send(method, path, &[], "").await).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.body["tools"].as_array().unwrap().len(), 5);
        assert!(reply.body["tools"][0]["inputSchema"].is_object());
        assert!(reply.body["tools"][0]["outputSchema"].is_object());
    }
    let probe = [("host", "10.0.0.7:8080")];
    assert_eq!(site.send("GET", "/healthz", &probe, "").await.status(), 200);
    assert_eq!(site.send("GET", "/readyz", &probe, "").await.status(), 200);
    assert_eq!(site.send("GET", "/nothing", &[], "").await.status(), 404);
}

#[tokio::test]
async fn nothing_is_served_before_the_tools_are_loaded() {
    let settings = Settings {
        ready_wait: Duration::ZERO,
        ..Settings::default()
    };
    let server = server(McpSettings::default());
    let (ready, readiness) = Readiness::pending();
    let router = router(Arc::clone(&server), &settings, readiness);
    let site = Site { router, server };
    for early in ["ping", "server/discover"] {
        let reply = site.post(&[], &request(early, json!({}))).await;
        assert_ne!(reply.status.as_u16(), 503, "{early}: {}", reply.body);
    }
    let reply = site.post(&[], &request("tools/list", json!({}))).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.body["error"]["code"]),
        (503, &json!(-32603))
    );
    assert_eq!(reply.headers["retry-after"], "1");
    assert_eq!(site.send("GET", "/readyz", &[], "").await.status(), 503);
    assert_eq!(site.send("GET", "/healthz", &[], "").await.status(), 200);
    assert_eq!(
        site.send("GET", "/api/discovery/tools", &[], "")
            .await
            .status(),
        503
    );
    ready.lacks(vec!["http://a.test/x".to_owned()]);
    let reply = read(site.send("GET", "/readyz", &[], "").await).await;
    let missing = json!(["http://a.test/x"]);
    assert_eq!(
        (reply.status.as_u16(), reply.body),
        (503, json!({"status": "loading", "missing": missing}))
    );
    ready.set(true);
    assert_eq!(
        site.post(&[], &request("tools/list", json!({})))
            .await
            .status,
        200
    );
    // One document that is not there takes nothing from the others.
    let reply = read(site.send("GET", "/readyz", &[], "").await).await;
    assert_eq!(
        (reply.status.as_u16(), reply.body),
        (200, json!({"status": "ready", "missing": missing}))
    );
    ready.lacks(Vec::new());
    let reply = read(site.send("GET", "/readyz", &[], "").await).await;
    assert_eq!(reply.body, json!({"status": "ready"}));
}

#[tokio::test]
async fn the_first_requests_all_see_the_same_list() {
    let site = site();
    let list = request("tools/list", json!({}));
    let replies = futures_util::future::join_all((0..50).map(|_| site.post(&[], &list))).await;
    assert!(replies.iter().all(|reply| reply.body == replies[0].body));
    assert_eq!(
        replies[0].body["result"]["tools"].as_array().unwrap().len(),
        5
    );
}

#[test]
fn a_request_takes_little_room_while_it_waits() {
    let entrance = Entrance::new(
        server(McpSettings::default()),
        &Settings::default(),
        Readiness::given(),
    );
    let answer = Arc::new(entrance).answer(Request::new(Body::empty()));
    // Moved into place for each request, and cold by the time of the next one where there are many connections.
    assert!(size_of_val(&answer) <= 3 * 1024, "{}", size_of_val(&answer));
}
