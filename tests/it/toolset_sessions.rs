//! Programs that go on after their answer belong to who started them.
#![cfg(unix)]

use serde_json::{Value, json};

use crate::support::toolset::{Toolset, Work, gone};
use crate::support::{Bridge, hash};

const WORK: Work = Work {
    properties: "sessionId: {type: string}",
    actions: "
          Serve: {run: [{background: always, words: [serve]}]}
          Logs: {effect: read, result: value, builtin: session-logs}
          Stop: {result: value, builtin: stop-session}",
};

async fn call(bridge: &Bridge, who: &str, arguments: Value) -> Value {
    let params = json!({"name": "work", "arguments": arguments});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let bearer = format!("Bearer key-of-{who}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    let (status, text) = bridge.post(body.to_string(), &headers).await;
    assert_eq!(status, 200, "{text}");
    let answer: Value = serde_json::from_str(&text).unwrap();
    answer["result"].clone()
}

#[tokio::test]
async fn to_others_they_do_not_exist() {
    let toolset = Toolset::new(&WORK);
    let [anna, ben] = ["key-of-anna", "key-of-ben"].map(hash);
    toolset.append(&format!(
        "access: {{keys: [{{name: anna, hash: {anna}}}, {{name: ben, hash: {ben}}}]}}"
    ));
    let bridge = toolset.bridge();
    let started = call(&bridge, "anna", json!({"action": "Serve"})).await;
    let id = started["structuredContent"]["sessionId"].as_str().unwrap();
    let group = toolset.group().await;
    let with = |action: &str, id: &str| json!({"action": action, "sessionId": id});
    for action in ["Logs", "Stop"] {
        let refused = call(&bridge, "ben", with(action, id)).await;
        let unknown = call(&bridge, "ben", with(action, "no-such-session")).await;
        assert_eq!(refused["isError"], true, "{refused}");
        // Neither that it is there nor that there are others is told.
        assert_eq!(refused, unknown);
        assert!(!refused.to_string().contains(id), "{refused}");
        let own = call(&bridge, "anna", with(action, "no-such-session")).await;
        assert!(own.to_string().contains(id), "{own}");
    }
    let logs = call(&bridge, "anna", with("Logs", id)).await;
    assert_eq!(logs["structuredContent"]["status"], "running", "{logs}");
    let stopped = call(&bridge, "anna", with("Stop", id)).await;
    assert_ne!(stopped["isError"], true, "{stopped}");
    gone(group).await;
}
