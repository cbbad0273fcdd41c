//! A secret in every place that can hold one, and every place that can show one looked through: logs at the
//! finest level, records, answers, pages, printed configuration, and what is said when nothing works.

use std::collections::BTreeMap;
use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::support::{Answer, Bridge, DocumentFile, Seen, Upstream, hash, run_in};

/// What the operator holds, and what a service says of its own: nobody may ever see it.
const SECRETS: [&str; 15] = [
    "planted-header-a1",
    "planted-query-b2",
    "planted-cookie-c3",
    "planted-password-d4",
    "planted-environment-e5",
    "planted-file-f6",
    "planted-client-g7",
    "planted-token-h8",
    "planted-refresh-i9",
    "planted-page-j10",
    "planted-location-k11",
    "planted-detail-l12",
    "planted-userinfo-m13",
    "planted-inbound-n14",
    "planted-forwarded-o15",
];
/// What the model itself sends: it may get it back, but nobody else.
const ARGUMENTS: [&str; 3] = ["planted-pin-p16", "planted-note-q17", "planted-extra-r18"];

/// Every crate on the way, at its finest.
const FINEST: &str =
    "trace,hyper=trace,hyper_util=trace,reqwest=trace,h2=trace,rustls=trace,tower=trace";

const TOOLS: [&str; 12] = [
    "header",
    "query",
    "cookie",
    "basic",
    "environment",
    "file",
    "oauth",
    "page",
    "location",
    "detail",
    "body",
    "broken",
];

fn paths(dead: &str) -> String {
    let operation = |name: &str, scheme: &str| {
        format!(
            "  /{name}: {{get: {{operationId: {name}, security: [{{{scheme}: []}}], responses: {{default: {{description: any}}}}}}}}\n"
        )
    };
    let mut text = String::new();
    for name in [
        "header",
        "query",
        "cookie",
        "basic",
        "environment",
        "file",
        "oauth",
    ] {
        text.push_str(&operation(name, name));
    }
    for name in ["page", "location", "detail"] {
        text.push_str(&operation(name, "header"));
    }
    text.push_str("  /body: {post: {operationId: body, requestBody: {content: {application/json: {schema: {type: object, additionalProperties: false, properties: {pin: {type: string, writeOnly: true, maxLength: 20}, note: {type: string, x-sensitive: true}}}}}}, responses: {default: {description: any}}}}\n");
    text.push_str(&format!("  /broken: {{servers: [{{url: '{dead}'}}], get: {{operationId: broken, security: [{{header: []}}], responses: {{default: {{description: any}}}}}}}}\n"));
    text
}

fn document(upstream: &str, dead: &str) -> String {
    format!(
        "openapi: 3.0.3\ninfo: {{title: Test, version: '1'}}\nservers: [{{url: '{}'}}]\npaths:\n{}components:
  securitySchemes:
    header: {{type: apiKey, in: header, name: X-Key}}
    query: {{type: apiKey, in: query, name: key}}
    cookie: {{type: apiKey, in: cookie, name: session}}
    basic: {{type: http, scheme: basic}}
    environment: {{type: http, scheme: bearer}}
    file: {{type: http, scheme: bearer}}
    oauth: {{type: oauth2, flows: {{clientCredentials: {{tokenUrl: '{upstream}/token?hint=planted-userinfo-m13', scopes: {{}}}}}}}}
",
        with_user(upstream),
        paths(dead)
    )
}

fn with_user(url: &str) -> String {
    url.replace("http://", "http://ann:planted-userinfo-m13@")
}

/// Repeats everything it was sent, and adds what it should not.
fn careless(seen: &Seen) -> Answer {
    let headers: BTreeMap<&str, &str> = seen
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
        .collect();
    let echo = json!({"target": seen.target, "headers": headers, "body": seen.text()}).to_string();
    let path = seen.target.split('?').next().unwrap_or_default();
    match path {
        "/token" => Answer::json(
            r#"{"access_token":"planted-token-h8","refresh_token":"planted-refresh-i9","expires_in":60}"#,
        ),
        "/page" => Answer::new(
            500,
            "text/html",
            format!("<h1>Fault</h1><pre>Server=db;Password=planted-page-j10;\n{echo}</pre>"),
        ),
        "/location" => Answer::new(302, "text/plain", "").with(
            "location",
            "http://u:planted-location-k11@127.0.0.1:9/x?token=planted-location-k11",
        ),
        "/detail" => Answer::new(
            400,
            "application/problem+json",
            r#"{"title":"no","detail":"the token=planted-detail-l12 of X-Key planted-header-a1 is wrong","client_secret":"planted-detail-l12"}"#,
        ),
        "/body" => Answer::new(500, "application/json", echo),
        _ => Answer::json(&echo).with("set-cookie", "session=planted-cookie-c3"),
    }
}

fn settings(upstream: &str, folder: &std::path::Path) -> String {
    format!(
        "documents: [{{source: '{}/openapi.yaml?key=planted-userinfo-m13'}}]
credentials:
  header: {{value: planted-header-a1}}
  query: {{value: planted-query-b2}}
  cookie: {{value: planted-cookie-c3}}
  basic: {{username: ann, password: planted-password-d4}}
  environment: {{env: PLANTED}}
  file: {{file: {folder}/secret}}
  oauth: {{client_id: me, client_secret: planted-client-g7}}
audit: {{file: {folder}/audit.jsonl}}
forward_headers: [X-Access-Token]
metrics: true
access: {{keys: [{{name: ci, hash: {}}}]}}
log: {{filter: '{FINEST}'}}
",
        with_user(upstream),
        hash("planted-inbound-n14"),
        folder = folder.display()
    )
}

/// A secret as it is, and as base64, URLs and JSON would spell it.
fn spellings(secret: &str) -> Vec<String> {
    let login = STANDARD.encode(format!("ann:{secret}"));
    vec![
        secret.to_owned(),
        secret.replace('-', "%2D"),
        secret.replace('-', "\\u002d"),
        STANDARD.encode(secret),
        login,
    ]
}

fn assert_absent(secrets: &[&str], place: &str, text: &str) {
    for secret in secrets {
        for spelling in spellings(secret) {
            let line = text.lines().find(|line| line.contains(&spelling));
            assert!(line.is_none(), "{spelling} in {place}: {line:?}");
        }
    }
}

struct World {
    upstream: Upstream,
    folder: tempfile::TempDir,
    settings: DocumentFile,
}

const ENVIRONMENT: [(&str, &str); 1] = [("PLANTED", "planted-environment-e5")];

async fn world() -> World {
    let place = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
    let own = std::sync::Arc::clone(&place);
    let upstream = Upstream::start(move |seen| match seen.target.split('?').next() {
        Some("/openapi.yaml") => {
            let dead = "http://ann:planted-userinfo-m13@127.0.0.1:1/x";
            Answer::new(200, "application/yaml", document(own.get().unwrap(), dead))
        }
        _ => careless(seen),
    })
    .await;
    place.set(upstream.url()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut file = std::fs::File::create(folder.path().join("secret")).unwrap();
    file.write_all(b"planted-file-f6\n").unwrap();
    let settings = DocumentFile::new(&settings(&upstream.url(), folder.path()), ".yaml");
    World {
        upstream,
        folder,
        settings,
    }
}

/// A file once it has so many lines: records are gathered for a moment.
async fn written(file: &std::path::Path, lines: usize) -> String {
    for _ in 0..400 {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if text.lines().count() >= lines {
            return text;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    panic!("no {lines} lines in {}", file.display());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_shows_anywhere() {
    let World {
        upstream,
        folder,
        settings,
    } = world().await;
    let bridge = Bridge::start_in(
        &ENVIRONMENT,
        ["--config".into(), settings.path().into_os_string()],
    );
    let headers = [
        ("authorization", "Bearer planted-inbound-n14"),
        ("x-access-token", "planted-forwarded-o15"),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    let mut answers = String::new();
    let ask = async |method: &str, params: serde_json::Value| {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let (status, answer) = bridge.post(message.to_string(), &headers).await;
        assert_eq!(status, 200, "{answer}");
        answer + "\n"
    };
    answers += &ask("tools/list", json!({})).await;
    for tool in TOOLS {
        let arguments = match tool {
            "body" => json!({"body": {"pin": "planted-pin-p16", "note": "planted-note-q17"}}),
            _ => json!({}),
        };
        answers += &ask("tools/call", json!({"name": tool, "arguments": arguments})).await;
    }
    // Refused, and repeated in the refusal.
    let wrong = json!({"body": {"pin": "planted-pin-p16-which-is-too-long", "password": "planted-extra-r18"}});
    let refusal = ask("tools/call", json!({"name": "body", "arguments": wrong})).await;
    assert_absent(&ARGUMENTS, "a refusal", &refusal);
    answers += &bridge
        .post("{}", &[("authorization", "Bearer planted-inbound-n14-x")])
        .await
        .1;
    assert!(answers.matches("[REDACTED]").count() > 10, "{answers}");
    for page in [
        "/healthz",
        "/readyz",
        "/metrics",
        "/.well-known/mcp-context",
        "/api/discovery/tools",
    ] {
        let request = bridge.http().get(format!("{}{page}", bridge.origin()));
        let response = request
            .bearer_auth("planted-inbound-n14")
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 200, "{page}");
        answers += &format!(
            "{:?} {}",
            response.headers().clone(),
            response.text().await.unwrap()
        );
    }
    // The upstream did get all of them.
    let seen = format!("{:?}", upstream.seen());
    for secret in &SECRETS[..3] {
        assert!(seen.contains(secret), "{secret}");
    }
    for secret in [
        "planted-environment-e5",
        "planted-file-f6",
        "planted-token-h8",
        "planted-forwarded-o15",
    ] {
        assert!(seen.contains(secret), "{secret}");
    }
    let log = bridge.logged("tool=\"broken\"").await;
    for word in ["TRACE", "Http::connect"] {
        assert!(log.contains(word), "{word}");
    }
    let file = folder.path().join("audit.jsonl");
    let records = written(&file, TOOLS.len() + 1).await;
    drop(bridge);
    assert!(records.lines().count() > TOOLS.len());
    for (place, text) in [
        ("an answer", &answers),
        ("the log", &log),
        ("a record", &records),
    ] {
        assert_absent(&SECRETS, place, text);
    }
    assert_absent(&ARGUMENTS, "the log", &log);
    assert_absent(&ARGUMENTS, "a record", &records);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_command_prints_a_secret() {
    let World {
        settings, upstream, ..
    } = world().await;
    let config = settings.path().display().to_string();
    for words in [
        &["config"][..],
        &["tools", "--json"],
        &["tools", "--why", "--cost"],
        &["check"],
        &["check", "--format", "json"],
        &["call", "page", "--log", FINEST],
        &["call", "oauth", "--log", FINEST],
    ] {
        let mut arguments = words.to_vec();
        arguments.extend(["--config", &config]);
        let output = run_in(&ENVIRONMENT, &arguments);
        let text = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8(bytes).unwrap())
            .concat();
        assert!(!text.contains("Usage:"), "{words:?}: {text}");
        assert!(text.len() > 20, "{words:?}: {text}");
        assert_absent(&SECRETS, &words.join(" "), &text);
    }
    // Nothing that fails tells more.
    let base = with_user(&upstream.url());
    let place = format!("{base}/nothing?key=planted-query-b2");
    for (text, expected) in [
        (format!("documents: ['{}']", place.replace("/nothing", "/token")), 1),
        (format!("documents: ['{}']", place.replace("http:", "https:")), 1),
        (format!("documents: [x.yaml]\nbase_url: '{place}'"), 2),
        (format!("documents: [x.yaml]\nbase_url: '{}'", place.replace("http:", "ftp:")), 2),
        ("credentials: {header: {value: planted-header-a1, env: NOT_SET}}".to_owned(), 2),
        ("credentials: {header: planted-header-a1}".to_owned(), 2),
        ("credentials: {header: {value: [planted-header-a1]}}".to_owned(), 2),
        ("credentials: {oauth: {client_id: a, client_secret: planted-client-g7, token_url: 'x://a:planted-userinfo-m13@b'}}".to_owned(), 2),
        ("access: {keys: [{name: a, hash: planted-inbound-n14}]}".to_owned(), 2),
    ] {
        let file = DocumentFile::new(&text, ".yaml");
        let file = file.path().display().to_string();
        let output = run_in(&ENVIRONMENT, &["tools", "--config", &file, "--log", FINEST]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(expected), "{text}: {errors}");
        assert_absent(&SECRETS, &text, &errors);
    }
}
