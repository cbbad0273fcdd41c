//! Clients that send what no client should.

use serde_json::{Value, json};

use crate::support::{Answer, serve, serve_answering, text};

const X: &str = "  /x:
    post:
      operationId: x
      parameters: [{name: X-Note, in: header, schema: {type: string}}, {name: q, in: query, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {}}}}
      responses: {'200': {description: ok}}
";

/// A text in a text in a text, each of which a reader could take for JSON that stands there.
fn nested(longest: usize) -> String {
    let mut text = String::from("[]");
    loop {
        let inner = Value::from(format!("{}{text}{}", "[".repeat(100), "]".repeat(100)));
        let next = format!("{{\"$serde_json::private::RawValue\":{inner}}}");
        if next.len() > longest {
            return text;
        }
        text = next;
    }
}

#[tokio::test]
async fn texts_that_the_json_library_takes_for_its_own_do_no_harm() {
    let (upstream, mut bridge) = serve(X, "").await;
    let nested = nested(1 << 20);
    for params in [
        format!(
            r#"{{"protocolVersion":"2025-06-18","capabilities":{{"a":{nested}}},"clientInfo":{{"name":"x","version":"1"}}}}"#
        ),
        format!(
            r#"{{"protocolVersion":"2025-06-18","capabilities":{nested},"clientInfo":{{"name":"x","version":"1"}}}}"#
        ),
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}"#);
        bridge.post(body, &[]).await;
        assert!(bridge.is_alive());
    }
    for arguments in [format!(r#"{{"body":{nested}}}"#), nested.clone()] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"x","arguments":{arguments}}}}}"#
        );
        bridge.post(body, &[]).await;
        assert!(bridge.is_alive());
    }
    assert!(upstream.seen().is_empty());
}

#[tokio::test]
async fn answers_that_the_json_library_takes_for_its_own_do_no_harm() {
    let nested = nested(1 << 18);
    let problem = nested.clone();
    let (_upstream, mut bridge) = serve_answering(X, "", move |_| {
        Answer::new(500, "application/problem+json", problem.as_bytes())
    })
    .await;
    // Not read as JSON here either.
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"body":1}}}"#;
    let (status, text) = bridge.post(body, &[]).await;
    assert_eq!(status, 200);
    assert!(text.contains(r#""isError":true"#), "{text:.200}");
    assert!(bridge.is_alive());
}

#[tokio::test]
async fn malformed_messages_get_the_documented_errors() {
    let (upstream, mut bridge) = serve(X, "").await;
    let cases: [(&str, u16, i64); 12] = [
        ("{ invalid json }", 400, -32700),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/ca",
            400,
            -32700,
        ),
        ("", 400, -32700),
        ("5", 400, -32600),
        ("null", 400, -32600),
        ("\"text\"", 400, -32600),
        ("{\"id\":1,\"method\":\"ping\"}", 400, -32600),
        (
            "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
            400,
            -32600,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
            400,
            -32600,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
            400,
            -32600,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
            400,
            -32600,
        ),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", 400, -32600),
    ];
    for (body, status, code) in cases {
        let (found, answer) = bridge.post(body, &[]).await;
        let answer: Value =
            serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{body}: {answer}"));
        assert_eq!(
            (found, answer["error"]["code"].as_i64()),
            (status, Some(code)),
            "{body}: {answer}"
        );
    }
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"x\",\"arguments\":{{\"body\":{}{}}}}}}}",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    let (_, answer) = bridge.post(deep, &[]).await;
    assert!(
        answer.contains("-32700") || answer.contains("-32602"),
        "{answer}"
    );
    for params in [
        json!({"arguments": {}}),
        json!({"name": 5}),
        json!({"name": "x", "arguments": []}),
        json!([1]),
    ] {
        let answer = bridge.legacy("tools/call", params.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{params}: {answer}");
    }
    let answer = bridge
        .legacy("tools/call", json!({"name": "nothing"}))
        .await;
    assert_eq!(answer["error"]["code"], -32602);
    let answer = bridge.legacy("no/such/method", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601);
    assert!(upstream.seen().is_empty());
    assert!(bridge.is_alive());
}

#[tokio::test]
async fn a_body_of_fifty_megabytes_is_refused_and_its_client_told() {
    let (upstream, mut bridge) = serve(X, "").await;
    let big = vec![b' '; 50 * 1024 * 1024];
    let response = bridge.request(big).send().await.unwrap();
    assert_eq!(response.status(), 413);
    let answer = response.text().await.unwrap();
    assert!(answer.contains("larger than"), "{answer}");
    assert!(bridge.is_alive());
    assert!(upstream.seen().is_empty());
    bridge.call("x", json!({})).await;
    assert_eq!(upstream.seen().len(), 1);
}

#[tokio::test]
async fn header_values_cannot_add_lines() {
    let (upstream, bridge) = serve(X, "").await;
    for value in ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\0b"] {
        let result = bridge.call("x", json!({"X-Note": value})).await;
        assert_eq!(result["isError"], true, "{value:?}: {result}");
        assert!(text(&result).contains("X-Note"), "{result}");
    }
    assert!(upstream.seen().is_empty());
    bridge
        .call(
            "x",
            json!({"X-Note": "he said \"x\" 100%", "q": "a b&c=d#e\r\n"}),
        )
        .await;
    let seen = upstream.only();
    assert!(seen.header("x-note").unwrap().contains("he said"));
    assert!(seen.header("x-evil").is_none());
    assert_eq!(seen.target, "/x?q=a%20b%26c%3Dd%23e%0D%0A");
}

#[tokio::test]
async fn foreign_hosts_and_origins_are_refused() {
    let (_upstream, bridge) = serve(X, "").await;
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for header in [
        ("host", "evil.test"),
        ("origin", "http://evil.test"),
        ("origin", "null"),
    ] {
        let (status, _) = bridge.post(ping, &[header]).await;
        assert_eq!(status, 403, "{header:?}");
    }
    let own = bridge.origin().to_owned();
    let (status, answer) = bridge.post(ping, &[("origin", &own)]).await;
    assert_eq!(status, 200, "{answer}");
}

#[tokio::test]
async fn secrets_do_not_reach_the_log_at_any_level() {
    let upstream = crate::support::Upstream::start(|_| {
        Answer::new(401, "application/json", r#"{"error":"denied"}"#)
            .with("set-cookie", "sid=reply-s3cret")
    })
    .await;
    let file = crate::support::document(X, "");
    let base = upstream.url().replace("http://", "http://ann:base-s3cret@");
    let bridge = crate::support::Bridge::start([
        file.path().into_os_string(),
        "--base-url".into(),
        base.into(),
        "--log".into(),
        "trace".into(),
    ]);
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "x", "arguments": {"q": "query-s3cret", "X-Note": "header-s3cret", "body": {"password": "body-s3cret"}}}});
    let (_, answer) = bridge
        .post(
            message.to_string(),
            &[
                ("authorization", "Bearer inbound-s3cret"),
                ("cookie", "sid=inbound-s3cret"),
            ],
        )
        .await;
    assert!(answer.contains("401"), "{answer}");
    let seen = upstream.only();
    assert!(
        seen.header("authorization")
            .is_none_or(|value| !value.contains("inbound")),
        "never passed on"
    );
    bridge.logged("outcome").await;
    assert!(!bridge.log().contains("s3cret"), "{}", bridge.log());
}

#[tokio::test]
async fn a_hundred_calls_at_once_keep_their_ids() {
    let (_upstream, bridge) = serve_answering(X, "", |seen| {
        let delay = seen.target.len() as u64 % 7;
        std::thread::sleep(std::time::Duration::from_millis(delay * 5));
        Answer::json(&json!({"target": seen.target}).to_string())
    })
    .await;
    let bridge = &bridge;
    let calls = (0..100).map(|number: usize| async move {
        let id = if number.is_multiple_of(2) {
            json!(number)
        } else {
            json!(format!("s{number}"))
        };
        let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "x", "arguments": {"q": "y".repeat(number)}}});
        let revision = [("mcp-protocol-version", "2025-11-25")];
        let (_, answer) = bridge.post(message.to_string(), &revision).await;
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["id"], id);
        let wanted = format!("/x?q={}", "y".repeat(number));
        assert_eq!(answer["result"]["structuredContent"]["target"], wanted);
    });
    futures_util::future::join_all(calls).await;
}
