//! Requests of 2026-07-28, and what lasts longer than a request.

use futures_util::StreamExt as _;
use serde_json::{Value, json};

use super::super::testing::{modern, request};
use super::super::{Accepted, Answer, Settings};
use super::Client;

#[tokio::test]
async fn modern_answers_carry_what_the_revision_wants() {
    let client = Client::new(Settings::default());
    let answer = client.ask(&modern("server/discover", json!({}))).await;
    let result = &answer["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["supportedVersions"][0], "2026-07-28");
    assert_eq!(
        result["capabilities"],
        json!({"tools": {"listChanged": true}})
    );
    assert_eq!(result["cacheScope"], "public");
    let info = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(info["name"], "mcpinvoke");
    let answer = client
        .ask(&modern(
            "tools/call",
            json!({"name": "first", "arguments": {"id": 1}}),
        ))
        .await;
    assert_eq!(answer["result"]["resultType"], "complete");
    assert!(answer["result"]["_meta"].is_object());
    let removed = [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "prompts/list",
    ];
    for method in removed {
        let answer = client.ask(&modern(method, json!({}))).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}");
    }
}

#[tokio::test]
async fn modern_metadata_is_checked_in_order() {
    let client = Client::new(Settings::default());
    let version = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    let cases = [
        (json!({version: "2027-03-01", capabilities: 7}), -32022),
        (json!({version: "2025-11-25", capabilities: {}}), -32022),
        (json!({version: 7, capabilities: {}}), -32602),
        (json!({version: "2026-07-28"}), -32602),
        (json!({version: "2026-07-28", capabilities: []}), -32602),
    ];
    for (meta, code) in cases {
        let answer = client
            .ask(&request("tools/list", json!({"_meta": meta})))
            .await;
        assert_eq!(answer["error"]["code"], code, "{meta}");
    }
    let answer = client.ask(&request("server/discover", json!({}))).await;
    assert_eq!(answer["error"]["code"], -32602);
}

#[tokio::test]
async fn undeclared_capabilities_are_not_relied_on() {
    let client = Client::new(Settings::default());
    let mut call = modern(
        "tools/call",
        json!({"name": "sampler", "arguments": {"id": 1}}),
    );
    let answer = client.ask(&call).await;
    assert_eq!(answer["error"]["code"], -32021);
    let required = json!({"requiredCapabilities": {"sampling": {}}});
    assert_eq!(answer["error"]["data"], required);
    call["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"sampling": {}});
    assert!(client.ask(&call).await["result"].is_object());
    let call = request(
        "tools/call",
        json!({"name": "sampler", "arguments": {"id": 1}}),
    );
    assert_eq!(client.ask(&call).await["result"]["isError"], true);
    client
        .initialize("2025-06-18", json!({"sampling": {}}))
        .await;
    let answer = client.ask(&call).await;
    assert!(
        !answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("sampling")
    );
}

#[tokio::test]
async fn a_cancelled_call_is_not_answered() {
    let client = Client::new(Settings::default());
    for call in [
        request(
            "tools/call",
            json!({"name": "first", "arguments": {"id": 1}}),
        ),
        modern(
            "tools/call",
            json!({"name": "first", "arguments": {"id": 1}}),
        ),
    ] {
        let Accepted::Later(work) = client.accept(&call) else {
            panic!("answered too early");
        };
        let params = json!({"requestId": 7, "reason": "no more"});
        let cancel = json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params
        });
        assert!(matches!(client.answer(&cancel).await, Answer::Nothing));
        assert!(matches!(work.finish().await, Answer::Nothing));
    }
}

#[tokio::test]
async fn a_subscription_tells_of_changes_and_of_its_end() {
    let client = Client::new(Settings::default());
    let wish = json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true}});
    let Answer::Stream(mut messages) = client.answer(&modern("subscriptions/listen", wish)).await
    else {
        panic!("no stream");
    };
    let mut next = async || -> Option<Value> {
        let message = messages.next().await?;
        Some(serde_json::from_slice(&message).unwrap())
    };
    let first = next().await.unwrap();
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(
        first["params"]["notifications"],
        json!({"toolsListChanged": true})
    );
    let tag = json!({"io.modelcontextprotocol/subscriptionId": 7});
    assert_eq!(first["params"]["_meta"], tag);
    client.server.tools_changed();
    let changed = next().await.unwrap();
    assert_eq!(changed["method"], "notifications/tools/list_changed");
    assert_eq!(changed["params"]["_meta"], tag);
    client.server.close();
    assert_eq!(next().await.unwrap()["method"], "notifications/cancelled");
    let last = next().await.unwrap();
    assert_eq!(last["result"]["resultType"], "complete");
    let meta = &last["result"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/subscriptionId"], 7);
    let server = &meta["io.modelcontextprotocol/serverInfo"];
    assert_eq!(server["name"], "mcpinvoke");
    assert_eq!(next().await, None);
}

#[tokio::test]
async fn streams_are_bounded() {
    let client = Client::new(Settings {
        max_streams: 2,
        ..Settings::default()
    });
    // One stands for a place; the connection's own announcements were given up.
    let listen = modern("subscriptions/listen", json!({"notifications": {}}));
    let one = client.answer(&listen).await;
    let two = client.answer(&listen).await;
    assert!(matches!(
        (&one, &two),
        (Answer::Stream(_), Answer::Stream(_))
    ));
    assert_eq!(client.ask(&listen).await["error"]["code"], -32603);
    drop(one);
    assert!(matches!(client.answer(&listen).await, Answer::Stream(_)));
}

#[tokio::test]
async fn a_change_that_is_null_is_not_asked_for() {
    let client = Client::new(Settings::default());
    for (notifications, granted) in [
        (json!({"toolsListChanged": null}), json!({})),
        (json!({"toolsListChanged": false}), json!({})),
        (
            json!({"toolsListChanged": true, "x": null}),
            json!({"toolsListChanged": true}),
        ),
    ] {
        let listen = modern(
            "subscriptions/listen",
            json!({ "notifications": notifications }),
        );
        let Answer::Stream(mut messages) = client.answer(&listen).await else {
            panic!("no stream for {notifications}");
        };
        let first = messages.next().await.unwrap();
        let first: Value = serde_json::from_slice(&first).unwrap();
        assert_eq!(first["params"]["notifications"], granted);
    }
    let listen = modern(
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": 1}}),
    );
    assert_eq!(client.ask(&listen).await["error"]["code"], -32602);
}
