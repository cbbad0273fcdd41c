//! Questions to a client that can no longer be answered.

use serde_json::{Value, json};

use crate::support::{Bridge, question, serve};
#[cfg(unix)]
use crate::support::{DocumentFile, Stdio, Upstream, document, terminate};

const PETS: &str = "  /pets/{id}:
    delete:
      operationId: removePet
      x-mcp: {confirm: true}
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses: {'200': {description: ok}}
";

fn initialize() -> String {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "t", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string()
}

fn remove() -> String {
    let params = json!({"name": "removePet", "arguments": {"id": 1}});
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}).to_string()
}

/// A call whose question is out.
async fn ask(bridge: &Bridge) -> (String, reqwest::Response, Value) {
    let opened = bridge.request(initialize()).send().await.unwrap();
    let session = opened.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let request = bridge.request(remove());
    let request = request.header("mcp-session-id", &session);
    let mut stream = request.send().await.unwrap();
    let question = question(&mut stream).await;
    (session, stream, question)
}

#[tokio::test]
async fn a_question_is_withdrawn_with_its_call() {
    let (upstream, bridge) = serve(PETS, "").await;
    let (session, stream, question) = ask(&bridge).await;
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}});
    bridge
        .post(cancel.to_string(), &[("mcp-session-id", &session)])
        .await;
    let rest = stream.text().await.unwrap();
    let withdrawn = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": question["id"]}});
    assert!(rest.contains(&withdrawn.to_string()), "{rest}");
    assert!(!rest.contains("\"id\":2"), "{rest}");
    assert_eq!(upstream.arrived(), 0);
}

#[cfg(unix)]
#[tokio::test]
async fn a_question_does_not_outlive_who_could_answer_it() {
    let upstream = Upstream::ok().await;
    let patient = DocumentFile::new("timeouts: {drain: 1h}\n", ".yaml");
    let document = document(PETS, "");
    let path = |file: &DocumentFile| file.path().to_str().unwrap().to_owned();
    let arguments = [
        path(&document),
        "--config".to_owned(),
        path(&patient),
        "--base-url".to_owned(),
        upstream.url(),
    ];
    let mut bridge = Bridge::start(&arguments);
    let (_, stream, _) = ask(&bridge).await;
    terminate(bridge.id());
    let rest = stream.text().await.unwrap();
    assert!(
        rest.contains("Not confirmed") && rest.contains("Nothing was sent"),
        "{rest}"
    );
    let code = tokio::task::spawn_blocking(move || bridge.wait()).await;
    assert_eq!(code.unwrap(), Some(0));

    let lines = tokio::task::spawn_blocking(move || {
        let mut bridge = Stdio::start(&arguments);
        for line in [initialize(), remove()] {
            bridge.send(&line);
            bridge.receive();
        }
        bridge.finish()
    });
    let (code, lines) = lines.await.unwrap();
    assert_eq!(code, Some(0));
    assert!(
        lines.iter().any(|line| line.contains("Not confirmed")),
        "{lines:?}"
    );
    assert_eq!(upstream.arrived(), 0);
}
