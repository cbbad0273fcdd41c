//! What is shown of a call before it is made is what is sent: nothing in an argument hides another.

use serde_json::{Value, json};

use crate::support::{Bridge, Upstream, configured, document};

const PATHS: &str = "
  /pay:
    post:
      operationId: pay
      parameters:
        - {name: note, in: query, schema: {type: string}}
        - {name: X-Note, in: header, schema: {type: string}}
        - {name: amount, in: query, schema: {type: integer}}
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {'200': {description: ok}}
";
const OPERATOR: &str = "a-long-token-of-the-operator";

async fn world(confirm: &str) -> (Upstream, Bridge) {
    let upstream = Upstream::ok().await;
    let settings = format!("confirm: {{rules: [{{methods: [POST]}}]{confirm}}}\n");
    let bridge = configured(&document(PATHS, ""), &upstream.url(), &settings);
    (upstream, bridge)
}

#[tokio::test]
async fn nothing_is_cut_from_what_an_operator_decides() {
    let approvals = format!(", fallback: approvals, approvals: {{token: {OPERATOR}, wait: 1s}}");
    let (_upstream, bridge) = world(&approvals).await;
    let long = "Lunch for the team. ".repeat(60);
    let arguments = json!({"note": long, "X-Note": format!("{long}urgent-7"), "amount": 1_000_000});
    let asked = bridge.call("pay", arguments).await;
    // Shown to the model and to its user: short, with the end.
    let told = asked["content"][0]["text"].as_str().unwrap();
    assert!(
        told.contains("amount=1000000") && told.contains("more characters"),
        "{told}"
    );
    assert!(told.contains("urgent-7"), "{told}");
    let url = asked["structuredContent"]["url"].as_str().unwrap();
    let page = bridge
        .http()
        .get(url)
        .bearer_auth(OPERATOR)
        .send()
        .await
        .unwrap();
    let page: Value = serde_json::from_str(&page.text().await.unwrap()).unwrap();
    let page = page.to_string();
    assert!(
        page.contains("&amount=1000000") && page.contains("urgent-7"),
        "{page}"
    );
    assert!(!page.contains("more characters"), "{page}");
}

#[tokio::test]
async fn what_looks_like_a_secret_hides_nothing_else() {
    let (upstream, bridge) = world("").await;
    for (body, shown) in [
        (
            json!({"query": "/* -----BEGIN PRIVATE KEY----- */ DROP TABLE users; GRANT ALL TO evil"}),
            r#"{"query":"/* [REDACTED] */ DROP TABLE users; GRANT ALL TO evil"}"#,
        ),
        (
            json!({"rows": [["select password="], [42, 43, 44], ["x"]]}),
            r#"{"rows":[["select password="],[42,43,44],["x"]]}"#,
        ),
        (
            json!({"note": "password=hunter-planted22", "amount": 7}),
            r#"{"note":"password=[REDACTED]","amount":7}"#,
        ),
    ] {
        upstream.forget();
        let asked = bridge.call("pay", json!({"body": body})).await;
        let data = &asked["structuredContent"];
        assert_eq!(data["preview"]["body"], shown);
        let says_so = data["preview"]["headers"]
            .to_string()
            .contains("characters are masked");
        assert_eq!(says_so, shown.contains("[REDACTED]"), "{asked}");
        let params = json!({
            "name": "pay", "arguments": {"body": body},
            "_meta": {"mcpinvoke/confirmation": data["token"]},
        });
        let done = bridge.legacy("tools/call", params).await;
        assert_eq!(done["result"]["isError"], false, "{done}");
        let sent: Value = serde_json::from_str(&upstream.only().text()).unwrap();
        assert_eq!(sent, body);
    }
}
