//! The commands: exit codes, what goes to stdout, what to stderr, and how serving ends.

use std::process::Output;
#[cfg(unix)]
use std::time::Duration;

use serde_json::{Value, json};

#[cfg(unix)]
use crate::support::serve_answering;
use crate::support::{Answer, Bridge, DocumentFile, Stdio, Upstream, document, run, spec};

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn tools_lists_and_says_why_not() {
    let path = spec("awkward.yaml").display().to_string();
    let output = run(&["tools", &path, "--why"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    for expected in [
        "get_users_by_userId_todos",
        "skipped",
        "POST /broken/reference",
        "GET /hidden",
    ] {
        assert!(text.contains(expected), "no {expected} in {text}");
    }
    let output = run(&["tools", &path, "--json"]);
    let tools: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert!(
        tools
            .as_array()
            .unwrap()
            .iter()
            .all(|tool| tool["inputSchema"]["type"] == "object")
    );
    assert!(stdout(&run(&["tools", &path, "--cost"])).contains("tokens"));
}

#[tokio::test]
async fn call_prints_the_result_and_fails_with_it() {
    let upstream = Upstream::start(|seen| match seen.target.as_str() {
        "/pets/7" => Answer::json(r#"{"id":7}"#),
        _ => Answer::new(404, "application/json", r#"{"error":"no such pet"}"#),
    })
    .await;
    let path = spec("petstore.yaml").display().to_string();
    let url = upstream.url();
    let call = |arguments: &[&str]| {
        let words: Vec<String> = ["call", &path, "getPet", "--base-url", &url]
            .iter()
            .chain(arguments)
            .map(|word| (*word).to_owned())
            .collect();
        tokio::task::spawn_blocking(move || {
            run(&words.iter().map(String::as_str).collect::<Vec<_>>())
        })
    };
    let output = call(&["--arg", "petId=7"]).await.unwrap();
    assert_eq!(stdout(&output).trim(), r#"{"id":7}"#, "{}", stderr(&output));
    let output = call(&["--args", r#"{"petId":8}"#]).await.unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("no such pet"));
    let output = call(&["--args", "nonsense"]).await.unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let output = call(&["--arg", "petId=x"]).await.unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("petId"));
    let output = call(&["--json", "--arg", "petId=7"]).await.unwrap();
    let result: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(result["isError"], false);
}

#[test]
fn configuration_faults_are_reported_all_at_once() {
    let file = DocumentFile::new(
        "listen: nowhere\ntimeouts: {call: soon}\nlimits: {reply: big}\n",
        ".yaml",
    );
    let path = file.path().display().to_string();
    let output = run(&[
        "serve",
        "a.yaml",
        "--config",
        &path,
        "--base-url",
        "not a url",
    ]);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    for expected in ["nowhere", "soon", "big", "not a url"] {
        assert!(text.contains(expected), "no {expected} in {text}");
    }
    assert_eq!(run(&["serve"]).status.code(), Some(2), "no document");
    assert_eq!(run(&["nonsense"]).status.code(), Some(2));
}

#[test]
fn config_prints_a_file_that_means_the_same() {
    let file = DocumentFile::new(
        "documents: [{source: a.yaml, prefix: shop}]\nlisten: 127.0.0.1:9999\ntimeouts: {call: 5s}\nbase_url: 'http://ann:hunter2@api.test/v1'\n",
        ".yaml",
    );
    let path = file.path().display().to_string();
    let output = run(&["config", "--config", &path, "--log", "debug"]);
    let text = stdout(&output);
    for expected in ["9999", "5s", "shop", "debug"] {
        assert!(text.contains(expected), "no {expected} in {text}");
    }
    assert!(!text.contains("hunter2"), "{text}");
    let again = DocumentFile::new(&text, ".yaml");
    let output = run(&["config", "--config", &again.path().display().to_string()]);
    assert_eq!(stdout(&output), text, "{}", stderr(&output));

    let schema: Value = serde_json::from_str(&stdout(&run(&["config", "--schema"]))).unwrap();
    assert!(schema["properties"]["listen"].is_object());
    jsonschema::meta::validate(&schema).unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn shutdown_finishes_what_is_under_way() {
    let paths = "  /slow:\n    get: {operationId: slow, responses: {'200': {description: ok}}}\n";
    let (upstream, bridge) = serve_answering(paths, "", |_| {
        std::thread::sleep(Duration::from_millis(700));
        Answer::json("{\"late\":true}")
    })
    .await;
    let id = bridge.id();
    let call = bridge.call("slow", json!({}));
    let stop = async {
        upstream.reached().await;
        crate::support::terminate(id);
    };
    let (result, ()) = tokio::join!(call, stop);
    assert_eq!(result["isError"], false, "{result}");
    let mut bridge = bridge;
    assert_eq!(bridge.wait(), Some(0), "{}", bridge.log());
}

#[tokio::test]
async fn health_and_readiness_answer() {
    let bridge = Bridge::start([spec("petstore.yaml")]);
    // A call waits until the documents are there.
    bridge.tools().await;
    for path in ["/healthz", "/readyz"] {
        let response = bridge
            .http()
            .get(format!("{}{path}", bridge.origin()))
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 200, "{path}");
    }
}

// The upstream needs a thread of its own while this one waits for a line.
#[tokio::test(flavor = "multi_thread")]
async fn stdio_answers_line_by_line_and_ends_with_its_input() {
    let upstream = Upstream::ok().await;
    let file = document(
        "  /x:\n    get: {operationId: x, responses: {'200': {description: ok}}}\n",
        "",
    );
    let mut stdio = Stdio::start([
        file.path().into_os_string(),
        "--base-url".into(),
        upstream.url().into(),
    ]);
    stdio.send(r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#);
    let hello = stdio.receive();
    assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
    stdio.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    stdio.send("{ not json");
    assert_eq!(stdio.receive()["error"]["code"], -32700);
    stdio.send(
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","arguments":{}}}"#,
    );
    assert_eq!(stdio.receive()["result"]["isError"], false);
    let modern = json!({"jsonrpc": "2.0", "id": 3, "method": "server/discover", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}});
    stdio.send(&modern.to_string());
    assert_eq!(stdio.receive()["result"]["resultType"], "complete");
    let (code, rest) = stdio.finish();
    assert_eq!((code, rest), (Some(0), vec![]));
    assert_eq!(upstream.seen().len(), 1);
}
