//! A service that is busy: the call has to wait, and keeps the yes that somebody gave it.

use std::sync::{Arc, Mutex, mpsc};

use serde_json::{Value, json};

use crate::support::{Answer, Bridge, Upstream, configured, document, text};

const PATHS: &str = "
  /slow: {get: {operationId: slow, responses: {'200': {description: ok}}}}
  /pay: {post: {operationId: pay, parameters: [{name: amount, in: query, schema: {type: integer}}], responses: {'200': {description: ok}}}}
";
const OPERATOR: &str = "a-long-token-of-the-operator";

/// A service with one place, which `slow` holds until the sender goes.
struct World {
    upstream: Upstream,
    bridge: Arc<Bridge>,
}

impl World {
    async fn new(confirm: &str) -> (Self, mpsc::Sender<()>) {
        let (free, held) = mpsc::channel::<()>();
        let held = Mutex::new(held);
        let upstream = Upstream::start(move |seen| {
            if seen.target == "/slow" {
                // Nothing ever comes: it ends with the sender.
                let _ = held.lock().unwrap().recv();
            }
            Answer::json("{}")
        })
        .await;
        let settings = format!(
            "confirm: {{rules: [{{methods: [POST]}}]{confirm}}}\nrate: {{concurrency: 1, patience: 50ms}}\n"
        );
        let bridge = configured(&document(PATHS, ""), &upstream.url(), &settings);
        let bridge = Arc::new(bridge);
        (Self { upstream, bridge }, free)
    }

    /// Holds the only place; ends when it is free again.
    async fn hold(&self) -> tokio::task::JoinHandle<Value> {
        let bridge = Arc::clone(&self.bridge);
        let task = tokio::spawn(async move { bridge.call("slow", json!({})).await });
        self.upstream.reached().await;
        task
    }

    async fn pay(&self, more: &Value) -> Value {
        let mut params = json!({"name": "pay", "arguments": {"amount": 7}});
        for (name, value) in more.as_object().unwrap() {
            params[name] = value.clone();
        }
        let capabilities = match more.get("inputResponses") {
            Some(_) => json!({"elicitation": {}}),
            None => json!({}),
        };
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let headers = [
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "pay"),
        ];
        let (_, answer) = self.bridge.post(message.to_string(), &headers).await;
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let found = answer.get("result").or(answer.get("error"));
        found.unwrap().clone()
    }

    /// With this yes, the call waits in vain, is made afterwards, and not once more.
    async fn keeps(&self, free: mpsc::Sender<()>, yes: &Value) {
        let slow = self.hold().await;
        let told = self.pay(yes).await;
        assert!(text(&told).contains("too many calls"), "{told}");
        drop(free);
        slow.await.unwrap();
        let done = self.pay(yes).await;
        assert_eq!(done["isError"], false, "{done}");
        assert_eq!(self.upstream.targets(), ["/slow", "/pay?amount=7"]);
    }
}

#[tokio::test]
async fn a_token_is_not_used_up_by_a_call_that_had_to_wait() {
    let (world, free) = World::new("").await;
    let asked = world.pay(&json!({})).await;
    let token = &asked["structuredContent"]["token"];
    let yes = json!({"_meta": {"mcpinvoke/confirmation": token}});
    world.keeps(free, &yes).await;
    let again = world.pay(&yes).await;
    assert_eq!(again["code"], -32602, "{again}");
}

#[tokio::test]
async fn an_answer_is_not_used_up_by_a_call_that_had_to_wait() {
    let (world, free) = World::new("").await;
    let asked = world.pay(&json!({"inputResponses": {}})).await;
    let yes = json!({
        "inputResponses": {"confirm": {"action": "accept", "content": {}}},
        "requestState": asked["requestState"],
    });
    world.keeps(free, &yes).await;
    let again = world.pay(&yes).await;
    assert_eq!(again["code"], -32602, "{again}");
}

#[tokio::test]
async fn an_approval_is_not_used_up_by_a_call_that_had_to_wait() {
    let approvals = format!(", fallback: approvals, approvals: {{token: {OPERATOR}, wait: 1s}}");
    let (world, free) = World::new(&approvals).await;
    let asked = world.pay(&json!({})).await;
    let url = asked["structuredContent"]["url"].as_str().unwrap();
    let http = world.bridge.http();
    let decided = http
        .post(url)
        .bearer_auth(OPERATOR)
        .header("content-type", "application/json")
        .body(r#"{"decision":"approve"}"#);
    assert_eq!(decided.send().await.unwrap().status(), 200);
    let slow = world.hold().await;
    let told = world.pay(&json!({})).await;
    assert!(text(&told).contains("too many calls"), "{told}");
    let page = http.get(url).bearer_auth(OPERATOR).send().await.unwrap();
    let page: Value = serde_json::from_str(&page.text().await.unwrap()).unwrap();
    assert_eq!(page["status"], "approved", "{page}");
    drop(free);
    slow.await.unwrap();
    let done = world.pay(&json!({})).await;
    assert_eq!(done["isError"], false, "{done}");
}
