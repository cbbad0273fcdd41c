//! Documents that declare a key twice, as a security scheme and as a parameter of each operation.

use serde_json::{Value, json};

use crate::support::{Upstream, configured, document};

const PATHS: &str = "
  /cards/{id}:
    delete:
      operationId: drop
      security: [{queryKey: []}, {queryToken: []}]
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
        - {name: key, in: query, required: true, schema: {type: string}}
        - {name: token, in: query, required: true, schema: {type: string}}
        - {name: X-Account, in: header, required: true, schema: {type: string}}
      responses: {'200': {description: ok}}
  /open:
    get:
      operationId: open
      parameters: [{name: X-Account, in: header, required: true, schema: {type: string}}]
      responses: {'200': {description: ok}}
";
const SCHEMES: &str = "  securitySchemes:
    queryKey: {type: apiKey, in: query, name: key}
    queryToken: {type: apiKey, in: query, name: token}
    account: {type: apiKey, in: header, name: x-account}
";
const CONFIRM: &str =
    "confirm: {rules: [{methods: [DELETE]}]}\nlog: {filter: 'trace,hyper=trace,reqwest=trace'}\n";

fn arguments(tools: &[Value], name: &str) -> Value {
    let tool = crate::support::tool(tools, name);
    tool["inputSchema"]["properties"].clone()
}

#[tokio::test]
async fn the_operators_keys_all_go_out_and_none_is_an_argument() {
    let upstream = Upstream::ok().await;
    let settings = "credentials: {queryKey: {value: planted-key-1}, queryToken: {value: planted-token-2}, account: {value: planted-account-3}}\n";
    let bridge = configured(&document(PATHS, SCHEMES), &upstream.url(), settings);
    let tools = bridge.tools().await;
    let properties = arguments(&tools, "drop");
    let names: Vec<&String> = properties.as_object().unwrap().keys().collect();
    // No alternative of this operation names the account: it is the document's own parameter there.
    assert_eq!(names, ["id", "X-Account"]);
    let done = bridge
        .call("drop", json!({"id": "c1", "X-Account": "mine"}))
        .await;
    assert_eq!(done["isError"], false, "{done}");
    let done = bridge.call("open", json!({})).await;
    assert_eq!(done["isError"], false, "{done}");
    let seen = upstream.seen();
    // Either would do by the document's alternatives; its parameters say that both are wanted.
    assert_eq!(
        seen[0].target,
        "/cards/c1?key=planted-key-1&token=planted-token-2"
    );
    assert_eq!(seen[0].header("x-account"), Some("mine"));
    assert_eq!(seen[1].header("x-account"), Some("planted-account-3"));
}

#[tokio::test]
async fn a_key_that_nobody_configured_is_a_secret_argument() {
    let upstream = Upstream::ok().await;
    let bridge = configured(&document(PATHS, SCHEMES), &upstream.url(), CONFIRM);
    let tools = bridge.tools().await;
    let properties = arguments(&tools, "drop");
    for name in ["key", "token"] {
        assert_eq!(
            properties[name],
            json!({"type": "string", "writeOnly": true})
        );
    }
    let given =
        json!({"id": "c1", "key": "k-planted-one", "token": "t-planted-two", "X-Account": "mine"});
    let asked = bridge.call("drop", given.clone()).await;
    let (shown, told) = (&asked["structuredContent"], asked.to_string());
    assert_eq!(shown["status"], "confirmation_required", "{asked}");
    assert!(
        told.contains("/cards/c1?key=") && !told.contains("planted"),
        "{told}"
    );

    let params = json!({"name": "drop", "arguments": given, "_meta": {"mcpinvoke/confirmation": shown["token"]}});
    let done = bridge.legacy("tools/call", params).await;
    assert_eq!(done["result"]["isError"], false, "{done}");
    assert_eq!(
        upstream.only().target,
        "/cards/c1?key=k-planted-one&token=t-planted-two"
    );
    let log = bridge.logged("status=200").await;
    assert!(!log.contains("planted"), "{log}");
    // The header is no argument of the other operation, and nobody gives it.
    assert!(
        log.contains("1 tools ask for credentials of account,"),
        "{log}"
    );
    assert!(!log.contains("queryKey"), "{log}");
}
