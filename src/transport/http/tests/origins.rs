//! Web pages of other origins.

use super::connections::{exchange, run};
use super::*;

fn settings() -> Settings {
    Settings {
        allowed_origins: vec!["https://tools.example".to_owned()],
        ..Settings::default()
    }
}

const PREFLIGHT: [(&str, &str); 3] = [
    ("origin", "https://tools.example"),
    ("access-control-request-method", "POST"),
    (
        "access-control-request-headers",
        "content-type,mcp-param-region",
    ),
];

#[tokio::test]
async fn a_page_that_is_named_may_read_the_answers() {
    let site = site_with(McpSettings::default(), &settings());
    let reply = read(site.send("OPTIONS", "/mcp", &PREFLIGHT, "").await).await;
    assert_eq!(reply.status, 204);
    let header = |reply: &Reply, name: &str| {
        let value = reply.headers.get(name);
        value.map(|value| value.to_str().unwrap().to_owned())
    };
    let allowed = header(&reply, "access-control-allow-headers").unwrap();
    assert!(allowed.contains("mcp-param-region"), "{allowed}");
    assert!(
        header(&reply, "access-control-allow-methods")
            .unwrap()
            .contains("DELETE")
    );
    let ping = request("ping", json!({}));
    let reply = site.post(&PREFLIGHT[..1], &ping).await;
    assert_eq!(reply.body["result"], json!({}));
    let origin = header(&reply, "access-control-allow-origin");
    assert_eq!(origin.as_deref(), Some("https://tools.example"));
    assert_eq!(header(&reply, "vary").as_deref(), Some("Origin"));
    let readable = header(&reply, "access-control-expose-headers").unwrap();
    assert!(readable.contains("Mcp-Session-Id"), "{readable}");
}

#[tokio::test]
async fn nobody_else_is_told_anything() {
    let site = site_with(McpSettings::default(), &settings());
    let ping = request("ping", json!({}));
    for (origin, status) in [
        (None, 200),
        (Some("http://localhost:8080"), 200),
        (Some("https://evil.example"), 403),
    ] {
        let headers: Vec<_> = origin
            .map(|origin| ("origin", origin))
            .into_iter()
            .collect();
        let reply = site.post(&headers, &ping).await;
        assert_eq!(reply.status, status);
        assert!(!reply.headers.contains_key("access-control-allow-origin"));
    }
    let headers = [("origin", "http://localhost:8080"), PREFLIGHT[1]];
    let reply = read(site.send("OPTIONS", "/mcp", &headers, "").await).await;
    assert_eq!(reply.status, 405);
}

/// The same without a router in between.
#[tokio::test]
async fn over_a_connection_too() {
    let running = run(settings()).await;
    let ask = "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nOrigin: https://tools.example\r\nAccess-Control-Request-Method: POST\r\n\r\n";
    let text = exchange(&running, ask).await;
    assert!(text.starts_with("HTTP/1.1 204"), "{text}");
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let post = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nOrigin: https://tools.example\r\nContent-Length: {}\r\n\r\n{ping}",
        ping.len()
    );
    let text = exchange(&running, &post).await;
    assert!(
        text.contains("access-control-allow-origin: https://tools.example\r\n"),
        "{text}"
    );
}
