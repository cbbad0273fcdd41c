//! One record per call, whatever became of it, and never a secret in it.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Answer, Bridge, Seen, Upstream, configured, document, hash, text};
#[cfg(unix)]
use crate::support::{signal, terminate};

const PATHS: &str = "
  /pets: {post: {operationId: add, requestBody: {required: true, content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}, pin: {type: string, writeOnly: true}, password: {type: string, minLength: 3}}}}}}, responses: {default: {description: any}}}}
  /fail: {get: {operationId: fail, parameters: [{name: q, in: query, schema: {type: string}}], responses: {default: {description: any}}}}
  /slow: {get: {operationId: slow, responses: {default: {description: any}}}}
";

fn respond(seen: &Seen) -> Answer {
    match seen.target.split('?').next() {
        Some("/fail") => Answer::json(
            r#"{"detail":"Server=x;Password=planted-error-1;","token":"planted-error-2"}"#,
        )
        .status(500),
        Some("/slow") => {
            std::thread::sleep(Duration::from_secs(3));
            Answer::json("{}")
        }
        _ => Answer::json(r#"{"ok":true,"token":"planted-answer-3"}"#),
    }
}

async fn setting(settings: &str) -> (Upstream, Bridge, tempfile::TempDir) {
    let upstream = Upstream::start(respond).await;
    let folder = tempfile::tempdir().unwrap();
    let settings = settings.replace("FOLDER", folder.path().to_str().unwrap());
    let settings = format!("{settings}\nlog: {{filter: trace}}\n");
    let bridge = configured(&document(PATHS, ""), &upstream.url(), &settings);
    (upstream, bridge, folder)
}

/// The records once there are so many.
async fn records(path: &Path, count: usize) -> Vec<Value> {
    for _ in 0..400 {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let lines: Vec<Value> = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        if lines.len() >= count {
            return lines;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{}", std::fs::read_to_string(path).unwrap_or_default());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_leaves_a_record_without_secrets() {
    let (_upstream, bridge, folder) = setting("audit: {file: FOLDER/audit.jsonl}\n").await;
    let body =
        json!({"body": {"name": "Rex", "pin": "planted-pin", "password": "planted-password"}});
    bridge.call("add", body).await;
    let failed = bridge
        .call("fail", json!({"q": "token=planted-query"}))
        .await;
    let refused = bridge
        .call(
            "add",
            json!({"body": {"password": "planted-invalid", "pin": 5}}),
        )
        .await;
    assert_eq!(refused["isError"], true);
    bridge
        .legacy(
            "tools/call",
            json!({"name": "nothing", "arguments": {"secret": "planted-unknown"}}),
        )
        .await;
    let records = records(&folder.path().join("audit.jsonl"), 4).await;
    let member = |name: &str| {
        records
            .iter()
            .map(|one| one[name].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(member("tool"), ["add", "fail", "add", "nothing"]);
    assert_eq!(member("outcome"), ["done", "failed", "refused", "refused"]);
    assert_eq!(
        member("operation"),
        [
            json!("POST /pets"),
            json!("GET /fail"),
            json!("POST /pets"),
            Value::Null
        ]
    );
    assert_eq!(
        member("status"),
        [json!(200), json!(500), Value::Null, Value::Null]
    );
    let first = &records[0];
    assert_eq!(
        first["arguments"]["body"],
        json!({"name": "Rex", "pin": "[REDACTED]", "password": "[REDACTED]"})
    );
    assert_eq!(
        (&first["principal"], &first["transport"]),
        (&json!("anonymous"), &json!("http"))
    );
    let time = first["time"].as_str().unwrap();
    assert!(time.len() == 24 && time.ends_with('Z'), "{time}");
    assert!(first["bytes"].as_u64().unwrap() > 0 && first["duration_ms"].is_number());
    let last = |record: &Value| record["steps"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last(first)["step"], "send");
    assert_eq!(last(&records[2])["step"], "validate");
    assert!(
        last(&records[2])["reason"]
            .as_str()
            .unwrap()
            .contains("name")
    );
    assert_eq!(last(&records[3])["step"], "find");
    let all = format!("{records:?}{}", bridge.log());
    assert!(!all.contains("planted"), "{all}");
    assert!(
        text(&failed).contains("500") && !failed.to_string().contains("planted"),
        "{failed}"
    );
}

/// What logrotate does, and a limit to the size of files.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn records_outlive_the_file_and_the_process_its_limits() {
    let (_upstream, mut bridge, folder) = setting("audit: {file: FOLDER/audit.jsonl}\n").await;
    let path = folder.path().join("audit.jsonl");
    bridge.call("add", json!({"body": {"name": "Rex"}})).await;
    records(&path, 1).await;
    std::fs::rename(&path, folder.path().join("away")).unwrap();
    bridge.call("fail", json!({})).await;
    assert_eq!(records(&path, 1).await[0]["tool"], "fail");
    bridge.logged("records go into a new one").await;
    signal(bridge.id(), "XFSZ");
    bridge.call("add", json!({"body": {"name": "Rex"}})).await;
    assert_eq!(records(&path, 2).await[1]["tool"], "add");
    assert!(bridge.is_alive());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_call_repeats_no_secret_argument() {
    let upstream = Upstream::start(respond).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let paths = "
  /users: {post: {operationId: join, requestBody: {content: {application/json: {schema: {type: object, properties: {
    age: {type: integer}, pin: {type: string, pattern: '^x', x-sensitive: true}, userPassword: {type: string, pattern: '^x'},
    ssn: {type: string, maxLength: 3, pattern: '^x'}, bank: {type: object, properties: {iban: {enum: [a]}, name: {enum: [a]}}},
    tags: {type: object, patternProperties: {'^hidden_': {type: integer, writeOnly: true}}},
    either: {allOf: [{format: password}, {pattern: '^x'}]}, note: {maxLength: 9, pattern: '^x'}}}}}}, responses: {default: {description: any}}}}
";
    let settings = format!(
        "audit: {{file: {}}}\nredact: {{names: [ssn], pointers: [/body/bank/iban]}}\nlog: {{filter: trace}}\n",
        file.display()
    );
    let bridge = configured(&document(paths, ""), &upstream.url(), &settings);
    let body = json!({
        "age": "shown-age", "pin": "planted-pin", "userPassword": "planted-password", "ssn": "planted-ssn",
        "bank": {"iban": "planted-iban", "name": "shown-name"}, "tags": {"hidden_1": "planted-hidden"},
        "either": "planted-either", "note": "Password=planted-note;"
    });
    let arguments = json!({"body": body});
    let answers = [
        bridge.call("join", arguments.clone()).await,
        bridge
            .legacy(
                "tools/call",
                json!({"name": "join", "arguments": arguments}),
            )
            .await,
        bridge.legacy("join", arguments).await,
        bridge
            .call("join", json!({"body": "{\"pin\": \"planted-text\","}))
            .await,
    ];
    for answer in &answers[..3] {
        let answer = answer.to_string();
        assert!(
            answer.contains("shown-age") && answer.contains("shown-name"),
            "{answer}"
        );
        assert!(answer.contains("/body/pin"), "{answer}");
    }
    let answers = format!("{answers:?}");
    assert!(!answers.contains("planted"), "{answers}");
    let records = records(&file, 4).await;
    let reason = records[0]["steps"].as_array().unwrap().last().unwrap()["reason"].clone();
    assert_eq!(
        reason,
        "invalid arguments: /body/age: type; /body/pin: pattern; /body/userPassword: pattern; /body/ssn: maxLength; \
         /body/ssn: pattern; /body/bank/iban: enum; /body/bank/name: enum; /body/tags/hidden_1: type; \
         /body/either: pattern; /body/note: maxLength; /body/note: pattern"
    );
    for record in &records {
        let steps = record["steps"].to_string();
        assert!(
            !steps.contains("shown") && !steps.contains("planted"),
            "{steps}"
        );
    }
    let all = format!("{:?}{}", &records[..3], bridge.log());
    assert!(!all.contains("planted"), "{all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_nobody_waits_for_is_recorded() {
    let (_upstream, bridge, folder) =
        setting("audit: {file: FOLDER/audit.jsonl, arguments: off}\n").await;
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "slow", "arguments": {}}});
    let request = bridge.request(message.to_string());
    let sent = request.timeout(Duration::from_millis(500)).send().await;
    assert!(sent.is_err());
    let records = records(&folder.path().join("audit.jsonl"), 1).await;
    assert_eq!(records[0]["outcome"], "abandoned");
    assert!(records[0].get("arguments").is_none());
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn records_are_written_before_the_process_ends() {
    let (_upstream, mut bridge, folder) =
        setting("audit: {file: FOLDER/audit.jsonl, arguments: digest}\n").await;
    for _ in 0..20 {
        bridge
            .call("add", json!({"body": {"name": "planted-name"}}))
            .await;
    }
    terminate(bridge.id());
    assert_eq!(bridge.wait(), Some(0));
    let text = std::fs::read_to_string(folder.path().join("audit.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 20);
    assert!(
        text.contains("sha256") && !text.contains("planted"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_masked_on_request() {
    let (_upstream, bridge, _folder) =
        setting("redact: {answers: true, patterns: ['R[e]x']}\n").await;
    let result = bridge.call("add", json!({"body": {"name": "Rex"}})).await;
    assert_eq!(
        result["structuredContent"],
        json!({"ok": true, "token": "[REDACTED]"})
    );
    assert!(!result.to_string().contains("planted"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limited_call_says_how_long_to_wait_and_is_not_sent() {
    let (upstream, bridge, folder) =
        setting("rate: {tool: 1/1h}\naudit: {file: FOLDER/audit.jsonl}\n").await;
    let arguments = json!({"body": {"name": "Rex"}});
    bridge.call("add", arguments.clone()).await;
    let limited = bridge.call("add", arguments).await;
    assert_eq!(limited["isError"], true);
    assert!(text(&limited).contains("wait 3"), "{limited}");
    // Counted before anything is looked at.
    let invalid = bridge.call("add", json!({})).await;
    assert!(text(&invalid).contains("wait"), "{invalid}");
    assert_eq!(upstream.seen().len(), 1);
    let records = records(&folder.path().join("audit.jsonl"), 3).await;
    assert_eq!(records[1]["outcome"], "refused");
    assert_eq!(records[1]["steps"][1]["step"], "rate");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_asked_for_where_keys_are_configured() {
    let settings = format!(
        "access: {{keys: [{{name: ann, hash: {}}}]}}\naudit: {{file: FOLDER/audit.jsonl}}\n",
        hash("key-of-ann")
    );
    let (upstream, bridge, folder) = setting(&settings).await;
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add", "arguments": {"body": {"name": "Rex"}}}});
    let send = async |path: &str, key: Option<&str>| {
        let mut request = bridge
            .http()
            .post(format!("{}{path}", bridge.origin()))
            .header("content-type", "application/json");
        if let Some(key) = key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        request.body(message.to_string()).send().await.unwrap()
    };
    for (path, key, challenge) in [
        ("/mcp", None, "Bearer realm=\"mcpinvoke\""),
        (
            "/mcp",
            Some("other"),
            "Bearer realm=\"mcpinvoke\", error=\"invalid_token\"",
        ),
        (
            "/mcpinvoke",
            Some("other"),
            "Bearer realm=\"mcpinvoke\", error=\"invalid_token\"",
        ),
        ("/api/discovery/tools", None, "Bearer realm=\"mcpinvoke\""),
    ] {
        let refused = send(path, key).await;
        assert_eq!(refused.status(), 401);
        assert_eq!(refused.headers()["www-authenticate"], challenge);
    }
    assert_eq!(upstream.seen().len(), 0);
    let answered = send("/mcp", Some("key-of-ann")).await;
    assert_eq!(answered.status(), 200);
    // The key is the bridge's own affair.
    assert_eq!(upstream.only().header("authorization"), None);
    let records = records(&folder.path().join("audit.jsonl"), 1).await;
    assert_eq!(records[0]["principal"], "ann");
    let alive = bridge.http().get(format!("{}/healthz", bridge.origin()));
    assert_eq!(alive.send().await.unwrap().status(), 200);
    assert!(!bridge.log().contains("key-of-ann"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_endpoint_takes_so_many_requests_and_says_when_to_come_again() {
    let (_upstream, bridge, _folder) = setting("rate: {requests: 1/1h}\n").await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    assert_eq!(bridge.post(ping.clone(), &[]).await.0, 200);
    let limited = bridge.request(ping).send().await.unwrap();
    assert_eq!(limited.status(), 429);
    let wait: u64 = limited.headers()["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((3500..=3600).contains(&wait), "{wait}");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_counted_by_outcome_and_nothing_else() {
    let (_upstream, bridge, _folder) = setting("metrics: true\nrate: {tool: 2/h}\n").await;
    let counts = async |bridge: &Bridge| {
        let page = format!("{}/metrics", bridge.origin());
        let response = bridge.http().get(page).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    };
    bridge.call("add", json!({"body": {"name": "Rex"}})).await;
    bridge.call("add", json!({"body": {"name": 5}})).await;
    for _ in 0..3 {
        bridge.call("fail", json!({"q": "planted-query"})).await;
    }
    let (status, text) = counts(&bridge).await;
    assert_eq!(status, 200);
    for (outcome, count) in [
        ("done", 1),
        ("refused", 1),
        ("failed", 2),
        ("limited", 1),
        ("abandoned", 0),
    ] {
        let line = format!("mcpinvoke_calls_total{{outcome=\"{outcome}\"}} {count}");
        assert!(text.lines().any(|found| found == line), "{line} in {text}");
    }
    assert!(text.contains("mcpinvoke_tools 3"), "{text}");
    for name in ["planted", "fail\"", "add", "anonymous"] {
        assert!(!text.contains(name), "{text}");
    }
    let (_upstream, without, _folder) = setting("").await;
    assert_eq!(counts(&without).await.0, 404);
    let hash = hash("key-of-ann");
    let keys = format!("metrics: true\naccess: {{keys: [{{name: a, hash: {hash}}}]}}");
    let (_upstream, with_keys, _folder) = setting(&keys).await;
    assert_eq!(counts(&with_keys).await.0, 401);
}
