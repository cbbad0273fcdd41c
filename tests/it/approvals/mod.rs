//! Approvals end to end: nothing reaches the upstream before an operator's yes, one request after it.

mod browser;
mod ways;

use std::time::Duration;

use reqwest::redirect::Policy;
use serde_json::{Value, json};

use crate::support::{Bridge, Upstream, configured, document, hash, text};

const PETS: &str = "  /pets/{id}:
    delete:
      operationId: removePet
      x-mcp: {confirm: true}
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer}}
        - {name: reason, in: query, schema: {type: string}}
        - {name: pin, in: query, schema: {type: string, format: password}}
      responses: {'200': {description: ok}}
";
const TOKEN: &str = "a-long-token-of-the-operator";

/// A bridge with approvals, and what stands before and behind it.
struct World {
    upstream: Upstream,
    bridge: Bridge,
}

/// `more` are further settings of `confirm`, indented by two.
async fn world(more: &str) -> World {
    let (ann, bob) = (hash("key-of-ann"), hash("key-of-bob"));
    let settings = format!(
        "access: {{keys: [{{name: ann, hash: {ann}}}, {{name: bob, hash: {bob}}}]}}\n\
         confirm:\n  approvals: {{token: {TOKEN}, name: olga, wait: 1s}}\n{more}\n"
    );
    with_settings(&settings).await
}

async fn with_settings(settings: &str) -> World {
    let upstream = Upstream::ok().await;
    let bridge = configured(&document(PETS, ""), &upstream.url(), settings);
    World { upstream, bridge }
}

fn remove(id: u64) -> Value {
    json!({"name": "removePet", "arguments": {"id": id, "pin": "hunter2"}})
}

fn with_token(mut call: Value, token: &Value) -> Value {
    call["_meta"]["mcpinvoke/confirmation"] = token.clone();
    call
}

impl World {
    /// A call of revision 2026-07-28; the answer's `result` or `error`.
    async fn call(&self, who: &str, capabilities: Value, mut params: Value) -> Value {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let authorization = format!("Bearer key-of-{who}");
        let headers = [
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "removePet"),
            ("authorization", authorization.as_str()),
        ];
        let (_, text) = self.bridge.post(message.to_string(), &headers).await;
        let answer: Value = serde_json::from_str(&text).unwrap();
        let found = answer.get("result").or(answer.get("error"));
        found.unwrap().clone()
    }

    async fn plain(&self, params: Value) -> Value {
        self.call("ann", json!({}), params).await
    }

    fn page(&self) -> String {
        format!("{}/approvals", self.bridge.origin())
    }

    async fn listed(&self) -> Value {
        listed(&self.page()).await
    }

    async fn decide(&self, id: &Value, decision: &str) -> (u16, Value) {
        decide(&self.page(), id, decision).await
    }
}

async fn listed(page: &str) -> Value {
    let request = client().get(page).bearer_auth(TOKEN);
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    serde_json::from_str(&response.text().await.unwrap()).unwrap()
}

async fn decide(page: &str, id: &Value, decision: &str) -> (u16, Value) {
    let response = client()
        .post(format!("{page}/{}", id.as_str().unwrap()))
        .bearer_auth(TOKEN)
        .header("content-type", "application/json")
        .body(json!({ "decision": decision }).to_string())
        .send()
        .await
        .unwrap();
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    (status, serde_json::from_str(&text).unwrap())
}

/// A client that stays where it is sent.
fn client() -> reqwest::Client {
    let builder = reqwest::Client::builder()
        .no_proxy()
        .redirect(Policy::none());
    builder.timeout(Duration::from_secs(20)).build().unwrap()
}

#[tokio::test]
async fn a_call_waits_for_the_operator_and_is_made_once() {
    let world = world("").await;
    let told = world.plain(remove(1)).await;
    let data = &told["structuredContent"];
    assert_eq!(
        (&told["isError"], &data["status"]),
        (&json!(true), &json!("approval_pending")),
        "{told}"
    );
    assert_eq!(told["_meta"]["mcpinvoke/confirmation"], data["token"]);
    let url = data["url"].as_str().unwrap();
    assert!(
        url.starts_with(&world.page()) && text(&told).contains(url),
        "{told}"
    );
    assert!(!told.to_string().contains("hunter2"));
    let token = &data["token"];

    let list = world.listed().await;
    let item = &list["pending"][0];
    assert_eq!(list["pending"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&item["principal"], &item["transport"]),
        (&json!("ann"), &json!("http"))
    );
    assert!(url.ends_with(item["id"].as_str().unwrap()));
    let shown = item["preview"]["url"].as_str().unwrap();
    assert!(shown.ends_with("/pets/1?pin=***"), "{shown}");

    // It is one call however often it is made, and nobody else's.
    assert_eq!(
        world.plain(remove(1)).await["structuredContent"]["url"],
        data["url"]
    );
    let mut tampered = token.as_str().unwrap().to_owned().into_bytes();
    tampered[40] = if tampered[40] == b'A' { b'B' } else { b'A' };
    let tampered = json!(String::from_utf8(tampered).unwrap());
    for (who, call) in [
        ("bob", with_token(remove(1), token)),
        ("ann", with_token(remove(2), token)),
        ("ann", with_token(remove(1), &tampered)),
    ] {
        let error = world.call(who, json!({}), call).await;
        assert_eq!(error["code"], -32602, "{error}");
    }
    let other = world.call("bob", json!({}), remove(1)).await;
    assert_ne!(other["structuredContent"]["url"], data["url"]);
    assert_eq!(world.upstream.arrived(), 0);

    let (status, decided) = world.decide(&item["id"], "approve").await;
    assert_eq!(
        (status, &decided["decidedBy"]),
        (200, &json!("olga")),
        "{decided}"
    );
    assert_eq!(world.decide(&item["id"], "deny").await.0, 409);
    // Bob's same call still waits.
    let bobs = world.call("bob", json!({}), remove(1)).await;
    assert_eq!(bobs["structuredContent"]["status"], "approval_pending");
    assert_eq!(world.upstream.arrived(), 0);
    let both = tokio::join!(
        world.plain(with_token(remove(1), token)),
        world.plain(with_token(remove(1), token))
    );
    let won = [&both.0, &both.1]
        .iter()
        .filter(|one| one["isError"] == false)
        .count();
    assert_eq!(won, 1, "{both:?}");
    assert_eq!(world.upstream.only().target, "/pets/1?pin=hunter2");
    let replay = world.plain(with_token(remove(1), token)).await;
    assert_eq!(replay["code"], -32602, "{replay}");
    let again = world.plain(remove(1)).await;
    assert_eq!(
        again["structuredContent"]["status"], "approval_pending",
        "{again}"
    );
    assert_ne!(again["structuredContent"]["url"], data["url"]);
    assert_eq!(world.upstream.arrived(), 1);
    for word in [
        "approval_pending",
        "state_forged",
        "state_of_other_call",
        "state_used",
        "approved",
        "olga",
    ] {
        world.bridge.logged(word).await;
    }
    assert!(!world.bridge.log().contains("hunter2"));
    assert_eq!(world.listed().await["recent"][0]["status"], "called");
}

#[tokio::test]
async fn a_no_counts_until_it_is_over_and_an_old_question_is_no_yes() {
    let world = world("  ttl: 2s\n").await;
    world.plain(remove(1)).await;
    let id = world.listed().await["pending"][0]["id"].clone();
    assert_eq!(world.decide(&id, "maybe").await.0, 400);
    assert_eq!(world.decide(&json!("0"), "approve").await.0, 404);
    assert_eq!(world.decide(&id, "deny").await.0, 200);
    let denied = world.plain(remove(1)).await;
    assert!(
        text(&denied).contains("denied") && denied["isError"] == true,
        "{denied}"
    );
    assert!(!denied.to_string().contains("olga"));
    world.bridge.logged("approval_denied").await;

    let late = world.plain(remove(2)).await["structuredContent"]["token"].clone();
    let id = world.listed().await["pending"][0]["id"].clone();
    tokio::time::sleep(Duration::from_millis(2100)).await;
    assert_eq!(world.decide(&id, "approve").await.0, 409);
    let told = world.plain(with_token(remove(2), &late)).await;
    assert!(text(&told).contains("in time"), "{told}");
    assert_eq!(world.upstream.arrived(), 0);
    let recent = world.listed().await["recent"].clone();
    assert_eq!(recent[0]["status"], "expired", "{recent}");
}

#[tokio::test]
async fn forms_stay_the_users_own_unless_every_yes_is_the_operators() {
    let forms = || json!({"elicitation": {}});
    let open = world("").await;
    let asked = open.call("ann", forms(), remove(1)).await;
    let params = &asked["inputRequests"]["confirm"]["params"];
    assert_eq!(params["mode"], "form", "{asked}");
    drop(open);
    let settings =
        format!("confirm: {{approvals: {{token: {TOKEN}, required: true, wait: 1s}}}}\n");
    let world = with_settings(&settings).await;
    for capabilities in [forms(), json!({})] {
        let told = world.call("ann", capabilities, remove(1)).await;
        assert_eq!(
            told["structuredContent"]["status"], "approval_pending",
            "{told}"
        );
    }
    let id = world.listed().await["pending"][0]["id"].clone();
    world.decide(&id, "approve").await;
    assert_eq!(
        world.call("ann", forms(), remove(1)).await["isError"],
        false
    );
    assert_eq!(world.upstream.arrived(), 1);
}
