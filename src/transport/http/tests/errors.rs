//! The error table: each row as it looks over HTTP.

use serde_json::{Value, json};

use super::super::Settings;
use super::{modern_headers, read, site, site_with};
use crate::mcp::Settings as McpSettings;
use crate::mcp::testing::{modern, request};

type Headers = Vec<(&'static str, &'static str)>;

fn with(mut headers: Headers, name: &'static str, value: &'static str) -> Headers {
    headers.retain(|(known, _)| *known != name);
    if !value.is_empty() {
        headers.push((name, value));
    }
    headers
}

async fn refused(headers: Headers, body: Value, status: u16, code: i64) {
    let reply = site().post(&headers, &body).await;
    let found = (reply.status.as_u16(), reply.body["error"]["code"].as_i64());
    assert_eq!(
        found,
        (status, Some(code)),
        "{headers:?} {body} {}",
        reply.body
    );
}

fn list() -> Value {
    modern("tools/list", json!({}))
}

fn list_headers() -> Headers {
    modern_headers("tools/list", "")
}

#[tokio::test]
async fn modern_metadata_and_its_headers() {
    let (version, method) = ("mcp-protocol-version", "mcp-method");
    let future = |version| {
        let mut future = list();
        future["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(version);
        future
    };
    let bare = request("tools/list", json!({}));
    let meta = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}});
    let half = request("tools/list", meta);
    refused(list_headers(), bare, 400, -32602).await;
    refused(list_headers(), half, 400, -32602).await;
    refused(list_headers(), future("2027-03-01"), 400, -32020).await;
    let headers = with(list_headers(), version, "2027-03-01");
    refused(headers, future("2027-03-01"), 400, -32022).await;
    refused(with(list_headers(), version, ""), list(), 400, -32020).await;
    refused(with(list_headers(), method, ""), list(), 400, -32020).await;
    refused(
        with(list_headers(), method, "Tools/List"),
        list(),
        400,
        -32020,
    )
    .await;
    let padded = with(list_headers(), method, "  tools/list ");
    assert_eq!(site().post(&padded, &list()).await.status, 200);
    let mut twice = list_headers();
    twice.push((method, "tools/list"));
    refused(twice, list(), 400, -32020).await;
}

#[tokio::test]
async fn modern_methods_and_envelopes() {
    for method in [
        "initialize",
        "ping",
        "first",
        "prompts/list",
        "resources/subscribe",
    ] {
        refused(
            modern_headers(method, ""),
            modern(method, json!({})),
            404,
            -32601,
        )
        .await;
    }
    let no_id = json!({"jsonrpc": "2.0", "id": null, "method": "tools/list"});
    let response = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    refused(list_headers(), json!([]), 400, -32600).await;
    refused(list_headers(), no_id, 400, -32600).await;
    refused(list_headers(), response, 400, -32600).await;
    let cursor = modern("tools/list", json!({"cursor": "x"}));
    refused(list_headers(), cursor, 200, -32602).await;
    for params in [json!([1]), json!("x"), json!(5)] {
        let without_members = request("tools/list", params);
        refused(list_headers(), without_members, 400, -32602).await;
    }
}

#[tokio::test]
async fn modern_calls() {
    let headers = |name| modern_headers("tools/call", name);
    let call = |params| modern("tools/call", params);
    let first = || call(json!({"name": "first"}));
    refused(with(headers("first"), "mcp-name", ""), first(), 400, -32020).await;
    refused(headers("First"), first(), 400, -32020).await;
    refused(headers("first"), call(json!({"name": 7})), 200, -32602).await;
    let array = call(json!({"name": "first", "arguments": []}));
    refused(headers("first"), array, 200, -32602).await;
    refused(headers("x"), call(json!({"name": "x"})), 200, -32602).await;
    refused(
        headers("sampler"),
        call(json!({"name": "sampler"})),
        400,
        -32021,
    )
    .await;
    let regional = || call(json!({"name": "regional", "arguments": {"region": "eu"}}));
    let region = |value| with(headers("regional"), "mcp-param-region", value);
    refused(region(""), regional(), 400, -32020).await;
    refused(region("us"), regional(), 400, -32020).await;
    let fits = region("=?base64?ZXU=?=");
    assert!(site().post(&fits, &regional()).await.body["result"].is_object());
}

#[tokio::test]
async fn requests_of_the_revisions_before() {
    let cases: Vec<(Headers, Value, u16, i64)> = vec![
        (vec![], request("nothing", json!({})), 200, -32601),
        (
            vec![],
            request("tools/call", json!({"name": "nobody"})),
            200,
            -32602,
        ),
        (vec![], request("tools/call", json!({})), 200, -32602),
        (
            vec![("mcp-protocol-version", "1999-01-01")],
            request("ping", json!({})),
            400,
            -32022,
        ),
        (
            vec![("mcp-protocol-version", "latest")],
            request("ping", json!({})),
            400,
            -32022,
        ),
        (
            vec![("mcp-session-id", "gone")],
            request("ping", json!({})),
            404,
            -32600,
        ),
        (vec![], json!("text"), 400, -32600),
        (
            vec![],
            json!({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}),
            400,
            -32600,
        ),
    ];
    for (headers, body, status, code) in cases {
        let reply = site().post(&headers, &body).await;
        let found = (reply.status.as_u16(), reply.body["error"]["code"].as_i64());
        assert_eq!(
            found,
            (status, Some(code)),
            "{headers:?} {body} {}",
            reply.body
        );
    }
}

#[tokio::test]
async fn bodies_that_are_no_messages() {
    let settings = Settings {
        max_body_bytes: 1000,
        ..Settings::default()
    };
    let site = site_with(McpSettings::default(), &settings);
    let ping = request("ping", json!({})).to_string();
    let deep = format!("{}1{}", "{\"a\":".repeat(150), "}".repeat(150));
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"first","arguments":{deep}}}}}"#
    );
    let long = "x".repeat(1001);
    let json = "application/json; charset=utf-8";
    let cases: [(&str, &str, u16, i64); 9] = [
        (json, "", 400, -32700),
        (json, "{ invalid json }", 400, -32700),
        (json, &ping[..20], 400, -32700),
        (json, &deep, 200, -32602),
        (json, &long, 413, -32600),
        ("text/plain", &ping, 415, -32600),
        ("application/x-www-form-urlencoded", &ping, 415, -32600),
        ("application/json-rpc", &ping, 200, 0),
        ("application/vnd.api+json", &ping, 200, 0),
    ];
    for (kind, body, status, code) in cases {
        let headers = [("content-type", kind)];
        let reply = read(site.send("POST", "/mcp", &headers, body.to_owned()).await).await;
        assert_eq!(reply.status, status, "{kind} {body}");
        let found = reply.body["error"]["code"].as_i64().unwrap_or_default();
        assert_eq!(found, code, "{kind} {body}");
    }
}

#[tokio::test]
async fn other_methods_and_strangers() {
    let site = site();
    let some = "GET, POST, DELETE";
    let without = site_with(
        McpSettings {
            sessions: crate::mcp::Sessions::Never,
            ..McpSettings::default()
        },
        &Settings::default(),
    );
    for (site, method, allow) in [
        (&site, "GET", "POST"),
        (&site, "DELETE", "POST"),
        (&site, "PUT", some),
        (&site, "OPTIONS", some),
        (&without, "PUT", "POST"),
    ] {
        let response = site.send(method, "/mcp", &[], "").await;
        assert_eq!(response.status(), 405, "{method}");
        assert_eq!(response.headers()["allow"], allow, "{method}");
    }
    let ping = request("ping", json!({})).to_string();
    for headers in [
        [("host", "evil.example"), ("origin", "http://evil.example")],
        [
            ("host", "localhost:8080"),
            ("origin", "http://evil.example"),
        ],
    ] {
        let response = site.send("POST", "/mcp", &headers, ping.clone()).await;
        assert_eq!(response.status(), 403, "{headers:?}");
    }
    let own = [
        ("host", "localhost:8080"),
        ("origin", "http://localhost:8080"),
    ];
    assert_eq!(site.send("POST", "/mcp", &own, ping).await.status(), 200);
}
