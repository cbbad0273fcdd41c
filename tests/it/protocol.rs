//! Both eras of the protocol on one endpoint, end to end.

use serde_json::{Value, json};

use crate::support::{serve, text};

const X: &str = "  /x/{id}:
    get:
      operationId: x
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses:
        '200': {description: ok, content: {application/json: {schema: {type: object, properties: {ok: {type: boolean}}}}}}
";

#[tokio::test]
async fn the_older_revisions_are_agreed_on_by_initialize() {
    let (_upstream, bridge) = serve(X, "").await;
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        let (status, answer) = bridge.post(message.to_string(), &[]).await;
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(
            (status, &answer["result"]["protocolVersion"]),
            (200, &json!(agreed)),
            "{answer}"
        );
        assert!(answer["result"]["capabilities"]["tools"].is_object());
        assert!(answer["result"]["serverInfo"]["name"].is_string());
    }
    let (status, body) = bridge
        .post(
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            &[],
        )
        .await;
    assert_eq!((status, body.as_str()), (202, ""));
}

#[tokio::test]
async fn results_are_shaped_for_their_revision() {
    let (_upstream, bridge) = serve(X, "").await;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x", "arguments": {"id": 1}}});
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    for (revision, structured) in [
        ("2024-11-05", false),
        ("2025-03-26", false),
        ("2025-06-18", true),
        ("2025-11-25", true),
    ] {
        let headers = [("mcp-protocol-version", revision)];
        let (_, answer) = bridge.post(call.to_string(), &headers).await;
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(
            answer["result"].get("structuredContent").is_some(),
            structured,
            "{revision}: {answer}"
        );
        assert!(answer["result"].get("resultType").is_none(), "{answer}");
        let (_, listed) = bridge.post(list.to_string(), &headers).await;
        assert_eq!(
            listed.contains("outputSchema"),
            structured,
            "{revision}: {listed}"
        );
    }
    let (status, answer) = bridge
        .modern("tools/call", json!({"name": "x", "arguments": {"id": 1}}))
        .await;
    assert_eq!(
        (status, &answer["result"]["resultType"]),
        (200, &json!("complete")),
        "{answer}"
    );
    assert_eq!(answer["result"]["structuredContent"], json!({"ok": true}));
    let (_, listed) = bridge.modern("tools/list", json!({})).await;
    assert!(
        listed["result"]["ttlMs"].is_u64() && listed["result"]["cacheScope"].is_string(),
        "{listed}"
    );
    let (status, answer) = bridge.modern("x", json!({"id": 1})).await;
    assert_eq!(
        (status, &answer["error"]["code"]),
        (404, &json!(-32601)),
        "{answer}"
    );
    let (_, answer) = bridge
        .modern(
            "tools/call",
            json!({"name": "x", "arguments": {"id": "one"}}),
        )
        .await;
    assert_eq!(answer["result"]["isError"], true);
    assert!(text(&answer["result"]).contains("/id"), "{answer}");
}

#[tokio::test]
async fn batches_belong_to_one_revision() {
    let (upstream, bridge) = serve(X, "").await;
    let call = |id: u64| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "x", "arguments": {"id": id}}});
    let batch = json!([call(1), {"jsonrpc": "2.0", "method": "notifications/initialized"}, call(2), {"jsonrpc": "2.0", "id": 3, "method": "ping"}]);
    let (status, answer) = bridge
        .post(batch.to_string(), &[("mcp-protocol-version", "2025-03-26")])
        .await;
    let answers: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(status, 200);
    let mut ids: Vec<u64> = answers
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a["id"].as_u64().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3]);
    assert_eq!(upstream.seen().len(), 2);
    for revision in ["2025-06-18", "2025-11-25"] {
        let (status, answer) = bridge
            .post(batch.to_string(), &[("mcp-protocol-version", revision)])
            .await;
        assert_eq!(status, 400, "{revision}: {answer}");
        assert!(answer.contains("-32600"));
    }
}

#[tokio::test]
async fn sessions_are_opened_where_a_client_needs_one() {
    let (_upstream, bridge) = serve(X, "").await;
    let initialize = |capabilities: Value| {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        bridge.request(message.to_string()).send()
    };
    assert!(
        initialize(json!({}))
            .await
            .unwrap()
            .headers()
            .get("mcp-session-id")
            .is_none()
    );
    let opened = initialize(json!({"elicitation": {}})).await.unwrap();
    let session = opened.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let ping = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
    assert_eq!(
        bridge.post(ping, &[("mcp-session-id", &session)]).await.0,
        200
    );
    assert_eq!(
        bridge.post(ping, &[("mcp-session-id", "unknown")]).await.0,
        404
    );
    let end = |id: String| {
        bridge
            .http()
            .delete(&bridge.url)
            .header("mcp-session-id", id)
            .send()
    };
    assert!(end(session.clone()).await.unwrap().status().is_success());
    assert_eq!(
        bridge.post(ping, &[("mcp-session-id", &session)]).await.0,
        404
    );
    assert_eq!(
        bridge
            .http()
            .get(&bridge.url)
            .send()
            .await
            .unwrap()
            .status(),
        405
    );
}
