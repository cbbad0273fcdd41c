//! The operator's credentials reach the upstream, each where its scheme wants it, and nothing else
//! ever shows one.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::{Answer, Bridge, Seen, Upstream, configured, document, text};

const PATHS: &str = "
  /header: {get: {operationId: header, security: [{headerKey: []}], responses: {default: {description: any}}}}
  /query: {get: {operationId: query, security: [{queryKey: []}], parameters: [{name: q, in: query, schema: {type: string}}, {name: key, in: query, schema: {type: string}}], responses: {default: {description: any}}}}
  /cookie: {get: {operationId: cookie, security: [{cookieKey: []}], responses: {default: {description: any}}}}
  /basic: {get: {operationId: basic, security: [{login: []}], responses: {default: {description: any}}}}
  /bearer: {get: {operationId: bearer, security: [{bearer: []}], responses: {default: {description: any}}}}
  /both: {get: {operationId: both, security: [{nothing: []}, {headerKey: [], queryKey: []}], responses: {default: {description: any}}}}
  /open: {get: {operationId: open, responses: {default: {description: any}}}}
  /lacking: {get: {operationId: lacking, security: [{nothing: []}], responses: {default: {description: any}}}}
  /oauth: {get: {operationId: oauth, security: [{oauth: ['pets:read']}], responses: {default: {description: any}}}}
  /redirect: {get: {operationId: redirect, security: [{headerKey: []}], responses: {default: {description: any}}}}
  /error: {get: {operationId: error, security: [{headerKey: []}], responses: {default: {description: any}}}}
";

fn schemes(upstream: &Upstream) -> String {
    format!(
        "  securitySchemes:
    headerKey: {{type: apiKey, in: header, name: X-Key}}
    queryKey: {{type: apiKey, in: query, name: key}}
    cookieKey: {{type: apiKey, in: cookie, name: session}}
    login: {{type: http, scheme: basic}}
    bearer: {{type: http, scheme: bearer}}
    nothing: {{type: http, scheme: bearer}}
    oauth: {{type: oauth2, flows: {{clientCredentials: {{tokenUrl: '{}/token', scopes: {{}}}}}}}}
",
        upstream.url()
    )
}

const SECRETS: [&str; 7] = [
    "planted-header-11",
    "planted-query-22",
    "planted-cookie-33",
    "planted-password-44",
    "planted-bearer-55",
    "planted-client-66",
    "planted-token-77",
];

struct Setting {
    upstream: Upstream,
    bridge: Bridge,
    key_file: tempfile::NamedTempFile,
}

async fn setting(respond: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Setting {
    let upstream = Upstream::start(respond).await;
    let document = document(PATHS, &schemes(&upstream));
    let mut key_file = tempfile::NamedTempFile::new().unwrap();
    key_file.write_all(b"planted-header-11\n").unwrap();
    let settings = format!(
        "credentials:
  headerKey: {{file: {}}}
  queryKey: {{value: planted-query-22}}
  cookieKey: {{value: planted-cookie-33}}
  login: {{username: annabella, password: planted-password-44}}
  bearer: {{value: planted-bearer-55}}
  oauth: {{client_id: me, client_secret: planted-client-66}}
log: {{filter: 'trace,hyper=trace,hyper_util=trace,reqwest=trace,h2=trace,rustls=trace,tower=trace'}}
",
        key_file.path().display()
    );
    let bridge = configured(&document, &upstream.url(), &settings);
    Setting {
        upstream,
        bridge,
        key_file,
    }
}

fn token(lifetime: &str) -> Answer {
    Answer::json(&format!(
        r#"{{"access_token":"planted-token-77","token_type":"Bearer","expires_in":{lifetime}}}"#
    ))
}

/// Repeats everything it was sent, as careless services do.
fn careless(seen: &Seen) -> Answer {
    if seen.target == "/token" {
        return token("3600");
    }
    let headers: Vec<String> = seen
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    let body = json!({"target": seen.target, "headers": headers}).to_string();
    match seen.target.as_str() {
        "/redirect" => Answer::new(302, "application/json", body)
            .with("location", "http://127.0.0.1:9/x?key=planted-header-11"),
        "/error" => Answer::new(500, "text/html", format!("<h1>{body}</h1>")),
        _ => Answer::json(&body),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_scheme_gets_its_credential() {
    let Setting {
        upstream,
        bridge,
        key_file,
    } = setting(careless).await;
    let call = async |tool: &str, arguments: Value| {
        bridge.call(tool, arguments).await;
        upstream.seen().last().unwrap().clone()
    };
    let seen = call("header", json!({})).await;
    assert_eq!(seen.header("x-key"), Some("planted-header-11"));
    let seen = call("query", json!({"q": "a b"})).await;
    assert!(
        seen.target.ends_with("&key=planted-query-22"),
        "{}",
        seen.target
    );
    assert_eq!(seen.header("x-key"), None);
    let seen = call("cookie", json!({})).await;
    assert_eq!(seen.header("cookie"), Some("session=planted-cookie-33"));
    let seen = call("basic", json!({})).await;
    assert_eq!(
        seen.header("authorization"),
        Some("Basic YW5uYWJlbGxhOnBsYW50ZWQtcGFzc3dvcmQtNDQ=")
    );
    let seen = call("bearer", json!({})).await;
    assert_eq!(
        seen.header("authorization"),
        Some("Bearer planted-bearer-55")
    );
    // Of the alternatives, the first that is configured as a whole.
    let seen = call("both", json!({})).await;
    assert_eq!(seen.header("x-key"), Some("planted-header-11"));
    assert!(seen.target.contains("key=planted"));
    assert_eq!(seen.header("authorization"), None);
    for tool in ["open", "lacking"] {
        let seen = call(tool, json!({})).await;
        assert_eq!(seen.header("authorization"), None);
        assert_eq!(seen.header("x-key"), None);
    }
    bridge.logged("credentials of nothing").await;
    // What a scheme owns is no argument.
    let tools = bridge.tools().await;
    let query = tools.iter().find(|tool| tool["name"] == "query").unwrap();
    assert!(query["inputSchema"]["properties"].get("key").is_none());
    // A changed file counts from the next call on.
    std::fs::write(key_file.path(), "a-newer-header-value").unwrap();
    let seen = call("header", json!({})).await;
    assert_eq!(seen.header("x-key"), Some("a-newer-header-value"));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_in_a_log_or_an_answer() {
    let Setting { bridge, .. } = setting(careless).await;
    let tools = json!(bridge.tools().await).to_string();
    let mut answers = String::new();
    for tool in [
        "header", "query", "cookie", "basic", "bearer", "both", "oauth", "redirect", "error",
    ] {
        answers.push_str(&bridge.call(tool, json!({})).await.to_string());
        answers.push('\n');
    }
    assert!(answers.contains("[REDACTED]"), "{answers}");
    // The record of the last call is the last line.
    let log = bridge.logged("tool=\"error\"").await;
    assert!(log.contains("TRACE"), "the finest level was asked for");
    for secret in SECRETS {
        assert!(!answers.contains(secret), "{secret} in {answers}");
        assert!(!tools.contains(secret), "{secret} in {tools}");
        assert!(!log.contains(secret), "{secret} in the log");
        let encoded = secret.replace('-', "%2D");
        assert!(
            !answers.contains(&encoded) && !log.contains(&encoded),
            "{encoded}"
        );
    }
    let pair = "YW5uYWJlbGxhOnBsYW50ZWQtcGFzc3dvcmQtNDQ=";
    assert!(!answers.contains(pair) && !log.contains(pair));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_token_serves_many_calls() {
    let Setting {
        upstream, bridge, ..
    } = setting(careless).await;
    let calls = (0..8).map(|_| bridge.call("oauth", json!({})));
    futures_util::future::join_all(calls).await;
    let seen = upstream.seen();
    let asked: Vec<&Seen> = seen.iter().filter(|one| one.target == "/token").collect();
    assert_eq!(asked.len(), 1, "one flight at a time");
    assert_eq!(
        asked[0].text(),
        "grant_type=client_credentials&scope=pets%3Aread"
    );
    assert_eq!(
        asked[0].header("authorization"),
        Some("Basic bWU6cGxhbnRlZC1jbGllbnQtNjY=")
    );
    let used = seen.iter().filter(|one| one.target == "/oauth");
    assert_eq!(
        used.filter(|one| one.header("authorization") == Some("Bearer planted-token-77"))
            .count(),
        8
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_token_is_replaced_once() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let Setting {
        upstream, bridge, ..
    } = setting(move |seen| match seen.target.as_str() {
        "/token" => token("\"3600\""),
        _ if counted.fetch_add(1, Ordering::SeqCst) == 0 => {
            Answer::new(401, "text/plain", "expired: planted-token-77")
        }
        _ => Answer::json("{}"),
    })
    .await;
    let result = bridge.call("oauth", json!({})).await;
    assert!(
        result.get("isError").is_none_or(|value| value == false),
        "{result}"
    );
    let targets = upstream.targets();
    assert_eq!(targets, ["/token", "/oauth", "/token", "/oauth"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_has_ended_is_asked_for_again() {
    let Setting {
        upstream, bridge, ..
    } = setting(|seen| match seen.target.as_str() {
        "/token" => token("0"),
        _ => Answer::json("{}"),
    })
    .await;
    for _ in 0..2 {
        bridge.call("oauth", json!({})).await;
    }
    let targets = upstream.targets();
    assert_eq!(targets, ["/token", "/oauth", "/token", "/oauth"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_server_that_refuses_costs_the_call_and_shows_nothing() {
    let Setting {
        upstream, bridge, ..
    } = setting(|_| {
        Answer::new(
            400,
            "application/json",
            r#"{"error":"invalid_client","error_description":"secret planted-client-66 is wrong"}"#,
        )
    })
    .await;
    let result = bridge.call("oauth", json!({})).await;
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("operator"), "{result}");
    assert!(!result.to_string().contains("planted"), "{result}");
    assert!(upstream.seen().iter().all(|one| one.target == "/token"));
    let log = bridge.logged("invalid_client").await;
    assert!(
        log.contains("invalid_client") && !log.contains("planted-client-66"),
        "{log}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn only_named_headers_are_handed_on() {
    let upstream = Upstream::ok().await;
    let document = document(PATHS, &schemes(&upstream));
    let settings = "forward_headers: [X-Tenant, X-Key]\ncredentials: {headerKey: {value: planted-header-11}}\n";
    let bridge = configured(&document, &upstream.url(), settings);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "header", "arguments": {}}});
    let headers = [
        ("x-tenant", "t-1"),
        ("x-other", "o-1"),
        ("x-key", "the caller's own"),
        ("authorization", "Bearer of-the-caller"),
        ("cookie", "of=the-caller"),
    ];
    bridge.post(body.to_string(), &headers).await;
    let seen = upstream.only();
    assert_eq!(seen.header("x-tenant"), Some("t-1"));
    // The operator's credential wins over a header that was handed on.
    assert_eq!(seen.header("x-key"), Some("planted-header-11"));
    for name in ["x-other", "authorization", "cookie"] {
        assert_eq!(seen.header(name), None, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_of_the_client_are_shown_and_agreed_to() {
    let upstream = Upstream::ok().await;
    let paths =
        "  /pay: {post: {operationId: pay, responses: {'200': {description: ok}}}}\n".to_owned();
    let settings =
        "forward_headers: [X-Tenant, X-Access-Token]\nconfirm: {rules: [{operations: [pay]}]}\n";
    let bridge = configured(&document(&paths, ""), &upstream.url(), settings);
    let call = async |tenant: &str, token: &str| -> Value {
        let mut body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "pay", "arguments": {}, "_meta": {"mcpinvoke/confirmation": token}}});
        if token.is_empty() {
            body["params"]["_meta"] = json!({});
        }
        let headers = [
            ("mcp-protocol-version", "2025-11-25"),
            ("x-tenant", tenant),
            ("x-access-token", "caller-value-1"),
        ];
        let (_, text) = bridge.post(body.to_string(), &headers).await;
        serde_json::from_str(&text).unwrap()
    };
    let asked = call("test", "").await;
    let asked = &asked["result"]["structuredContent"];
    assert_eq!(
        asked["preview"]["headers"],
        json!(["x-tenant: test", "x-access-token: ***"]),
        "{asked}"
    );
    let token = asked["token"].as_str().unwrap();
    let other = call("PRODUCTION", token).await;
    assert_eq!(other["error"]["code"], -32602, "{other}");
    assert_eq!(upstream.arrived(), 0);
    let done = call("test", token).await;
    assert_eq!(done["result"]["isError"], false, "{done}");
    assert_eq!(upstream.only().header("x-tenant"), Some("test"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_callers_header_hides_nothing_but_itself_in_its_own_answer() {
    let upstream = Upstream::start(|seen| {
        let token = seen.header("x-access-token").unwrap_or_default();
        let text = json!({"token": token, "account": "account-of-eve"}).to_string();
        Answer::new(200, "application/json", text)
    })
    .await;
    let paths = "  /pay: {post: {operationId: pay, parameters: [{name: to, in: query, schema: {type: string}}], responses: {'200': {description: ok}}}}\n  /look: {get: {operationId: look, responses: {'200': {description: ok}}}}\n";
    let settings = "forward_headers: [X-Access-Token]\nconfirm: {rules: [{operations: [pay]}]}\n";
    let bridge = configured(&document(paths, ""), &upstream.url(), settings);
    let call = async |name: &str, arguments: Value, token: Option<&str>| -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": name, "arguments": arguments}});
        let mut headers = vec![("mcp-protocol-version", "2025-11-25")];
        headers.extend(token.map(|token| ("x-access-token", token)));
        let (_, text) = bridge.post(body.to_string(), &headers).await;
        serde_json::from_str(&text).unwrap()
    };
    // What somebody is to agree to is shown.
    let asked = call(
        "pay",
        json!({"to": "account-of-eve"}),
        Some("account-of-eve"),
    )
    .await;
    let url = &asked["result"]["structuredContent"]["preview"]["url"];
    assert!(
        url.as_str().unwrap().ends_with("/pay?to=account-of-eve"),
        "{asked}"
    );
    // A token is masked in its caller's answer, and nothing is in that of another.
    let mine = text(&call("look", json!({}), Some("of-the-caller")).await["result"]).to_owned();
    assert!(!mine.contains("of-the-caller"), "{mine}");
    let other = text(&call("look", json!({}), Some("other-caller")).await["result"]).to_owned();
    assert!(other.contains("account-of-eve"), "{other}");
    let none = text(&call("look", json!({}), None).await["result"]).to_owned();
    assert!(none.contains("account-of-eve"), "{none}");
}
