//! Operations that are called on behalf of the caller: its own token is exchanged for one of the upstream
//! (RFC 8693), and nothing else ever stands in for it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use mcpinvoke::app::App;
use mcpinvoke::config::{Config, DocumentFlags, ServeFlags};
use mcpinvoke::tool::{Caller, SubjectToken};
use serde_json::{Value, json};

use crate::support::{Answer, DocumentFile, Seen, Upstream, configured, document, text};

const PATHS: &str = "
  /mine: {get: {operationId: mine, security: [{oauth: ['orders:read']}], responses: {default: {description: any}}}}
";

fn schemes() -> &'static str {
    "  securitySchemes: {oauth: {type: oauth2, flows: {authorizationCode: {authorizationUrl: 'https://id.test/a', tokenUrl: 'https://id.test/t', scopes: {}}}}}"
}

fn settings(upstream: &Upstream) -> String {
    format!(
        "credentials:
  oauth:
    grant: token_exchange
    client_id: bridge
    client_secret: planted-client-secret
    token_url: {}/token
    audience: orders
    resource: https://orders.test
",
        upstream.url()
    )
}

fn form(seen: &Seen) -> HashMap<String, String> {
    url::form_urlencoded::parse(&seen.body)
        .into_owned()
        .collect()
}

/// A token server that names the token after its subject, and a service that says whose call it is.
fn exchange(seen: &Seen) -> Answer {
    if seen.target == "/token" {
        let subject = form(seen)["subject_token"].clone();
        let token = subject.replace("inbound", "outbound");
        return Answer::json(&json!({"access_token": token, "issued_token_type": "urn:ietf:params:oauth:token-type:access_token", "token_type": "Bearer", "expires_in": 300}).to_string());
    }
    Answer::json("{}")
}

/// The bridge in an application that recognises callers by `X-Test-Token`.
struct Served {
    url: String,
    client: reqwest::Client,
}

impl Served {
    async fn start(upstream: &Upstream) -> Self {
        let document = document(PATHS, schemes());
        let settings = DocumentFile::new(&settings(upstream), ".yaml");
        let flags = DocumentFlags {
            documents: vec![document.path().display().to_string()],
            config: Some(settings.path()),
            base_url: Some(upstream.url()),
            ..DocumentFlags::default()
        };
        let config = Config::resolve(&flags, &ServeFlags::default()).unwrap();
        let app = App::load(&config).await.unwrap();
        let recognise = async |mut request: Request, next: Next| {
            let token = request.headers().get("x-test-token").cloned();
            let subject_token = token.map(|token| SubjectToken::new(token.to_str().unwrap()));
            let caller = Caller {
                subject_token,
                ..Caller::anonymous("http")
            };
            request.extensions_mut().insert(caller);
            next.run(request).await
        };
        let router = app.router(&config).layer(from_fn(recognise));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { url, client }
    }

    async fn call(&self, token: Option<&str>) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "mine", "arguments": {}}});
        let mut request = self
            .client
            .post(&self.url)
            .header("content-type", "application/json")
            .header("mcp-protocol-version", "2025-11-25")
            .body(body.to_string());
        if let Some(token) = token {
            request = request.header("x-test-token", token);
        }
        let answer = request.send().await.unwrap().text().await.unwrap();
        serde_json::from_str::<Value>(&answer).unwrap()["result"].clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_caller_gets_a_token_of_its_own() {
    let upstream = Upstream::start(exchange).await;
    let served = Served::start(&upstream).await;
    let calls = (0..12).map(|number| served.call(Some(["inbound-ann", "inbound-bob"][number % 2])));
    for result in futures_util::future::join_all(calls).await {
        assert_ne!(result["isError"], true, "{result}");
        assert!(!result.to_string().contains("bound-"), "{result}");
    }
    let seen = upstream.seen();
    let asked: Vec<&Seen> = seen.iter().filter(|one| one.target == "/token").collect();
    assert_eq!(asked.len(), 2, "one flight for each caller");
    let form = form(asked[0]);
    for (name, value) in [
        (
            "grant_type",
            "urn:ietf:params:oauth:grant-type:token-exchange",
        ),
        (
            "subject_token_type",
            "urn:ietf:params:oauth:token-type:access_token",
        ),
        ("audience", "orders"),
        ("resource", "https://orders.test"),
        ("scope", "orders:read"),
    ] {
        assert_eq!(form[name], value);
    }
    assert!(
        asked[0]
            .header("authorization")
            .unwrap()
            .starts_with("Basic ")
    );
    for name in ["ann", "bob"] {
        let shown = format!("Bearer outbound-{name}");
        let used = seen
            .iter()
            .filter(|one| one.header("authorization") == Some(&shown));
        assert_eq!(used.count(), 6, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_without_a_token_is_told_and_nothing_is_sent() {
    let upstream = Upstream::start(exchange).await;
    let served = Served::start(&upstream).await;
    let result = served.call(None).await;
    assert_eq!(result["isError"], true);
    assert!(
        text(&result).contains("showed no access token of its own"),
        "{result}"
    );
    // The same where the endpoint itself asks for nothing.
    let document = document(PATHS, schemes());
    let bridge = configured(&document, &upstream.url(), &settings(&upstream));
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "mine", "arguments": {}}});
    let headers = [("authorization", "Bearer inbound-nobody-checked")];
    let (_, answer) = bridge.post(body.to_string(), &headers).await;
    assert!(
        answer.contains("showed no access token of its own"),
        "{answer}"
    );
    assert_eq!(upstream.arrived(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_token_is_exchanged_again_once() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let upstream = Upstream::start(move |seen| match seen.target.as_str() {
        "/token" => exchange(seen),
        _ if counted.fetch_add(1, Ordering::SeqCst) == 0 => {
            Answer::new(401, "text/plain", "revoked")
        }
        _ => Answer::json("{}"),
    })
    .await;
    let served = Served::start(&upstream).await;
    assert_ne!(served.call(Some("inbound-ann")).await["isError"], true);
    assert_eq!(upstream.targets(), ["/token", "/mine", "/token", "/mine"]);
    // And no more than once.
    let upstream = Upstream::start(|seen| match seen.target.as_str() {
        "/token" => exchange(seen),
        _ => Answer::new(401, "text/plain", "never"),
    })
    .await;
    let served = Served::start(&upstream).await;
    assert_eq!(served.call(Some("inbound-ann")).await["isError"], true);
    assert_eq!(upstream.targets(), ["/token", "/mine", "/token", "/mine"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_has_ended_is_not_used_again() {
    let upstream = Upstream::start(|seen| match seen.target.as_str() {
        "/token" => Answer::json(r#"{"access_token":"short-lived-token","expires_in":0}"#),
        _ => Answer::json("{}"),
    })
    .await;
    let served = Served::start(&upstream).await;
    for _ in 0..2 {
        served.call(Some("inbound-ann")).await;
    }
    assert_eq!(upstream.targets(), ["/token", "/mine", "/token", "/mine"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_bearer_token_and_refusals_cost_the_call_and_show_nothing() {
    for answer in [
        Answer::json(r#"{"access_token":"planted-bound-token","token_type":"DPoP"}"#),
        Answer::json(r#"{"access_token":"planted-identity-token","token_type":"N_A"}"#),
        Answer::new(
            400,
            "application/json",
            r#"{"error":"invalid_target","error_description":"inbound-ann may not"}"#,
        ),
    ] {
        let upstream = Upstream::start(move |_| answer.clone()).await;
        let served = Served::start(&upstream).await;
        let result = served.call(Some("inbound-ann")).await;
        assert_eq!(result["isError"], true);
        let shown = result.to_string();
        assert!(
            !shown.contains("planted") && !shown.contains("inbound"),
            "{shown}"
        );
        assert_eq!(upstream.targets(), ["/token"]);
    }
}
