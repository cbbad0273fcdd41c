//! Refusals that never become calls, and what a human fills in: all of it is in the records.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Bridge, Upstream, configured, document, hash};

const PATHS: &str = "
  /open: {get: {operationId: open, responses: {default: {description: any}}}}
  /hidden: {get: {operationId: hidden, parameters: [{name: pin, in: query, schema: {type: string, format: password}}], responses: {default: {description: any}}}}
  /grave: {get: {operationId: grave, x-mcp: {requires: [sampling]}, responses: {default: {description: any}}}}
  /asked: {get: {operationId: asked, x-mcp: {ask: [why]}, parameters: [{name: why, in: query, required: true, schema: {type: string}}], responses: {default: {description: any}}}}
";

struct Place {
    _upstream: Upstream,
    bridge: Bridge,
    folder: tempfile::TempDir,
}

async fn place(more: &str) -> Place {
    let upstream = Upstream::ok().await;
    let folder = tempfile::tempdir().unwrap();
    let settings = format!(
        "audit: {{file: '{}/audit.jsonl'}}\naccess: {{keys: [{{name: bot, hash: {}, tools: [open, grave, asked, search_tools]}}]}}\n{more}",
        folder.path().display(),
        hash("key-of-bot")
    );
    let bridge = configured(&document(PATHS, ""), &upstream.url(), &settings);
    Place {
        _upstream: upstream,
        bridge,
        folder,
    }
}

/// A call as revision 2026-07-28 makes it, with this `Mcp-Name`.
async fn modern(bridge: &Bridge, header: &str, mut params: Value, capabilities: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let headers = [
        ("authorization", "Bearer key-of-bot"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", header),
    ];
    let (_, text) = bridge.post(body.to_string(), &headers).await;
    serde_json::from_str(&text).unwrap()
}

/// The records once there are so many.
async fn records(folder: &Path, count: usize) -> Vec<Value> {
    let path = folder.join("audit.jsonl");
    for _ in 0..400 {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let lines = text.lines().map(|line| serde_json::from_str(line).ok());
        let lines: Vec<Value> = lines.flatten().collect();
        if lines.len() >= count {
            return lines;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{}", std::fs::read_to_string(path).unwrap_or_default());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_never_becomes_a_call_is_recorded() {
    let place = place("").await;
    let direct =
        json!({"jsonrpc": "2.0", "id": 1, "method": "hidden", "params": {"pin": "planted-pin-1"}});
    let headers = [("authorization", "Bearer key-of-bot")];
    let (_, text) = place.bridge.post(direct.to_string(), &headers).await;
    let told: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(told["error"]["code"], -32601, "{told}");
    let call = |name: &str| json!({"name": name, "arguments": {"note": 1}});
    let told = modern(&place.bridge, "grave", call("open"), json!({})).await;
    assert_eq!(told["error"]["code"], -32020, "{told}");
    let told = modern(&place.bridge, "grave", call("grave"), json!({})).await;
    assert!(told.get("error").is_some(), "{told}");
    let records = records(place.folder.path(), 3).await;
    for (record, (tool, step)) in records.iter().zip([
        ("hidden", "access"),
        ("open", "headers"),
        ("grave", "capabilities"),
    ]) {
        assert_eq!(
            (&record["tool"], &record["outcome"], &record["principal"]),
            (&json!(tool), &json!("refused"), &json!("bot"))
        );
        assert_eq!(record["steps"][0]["step"], step, "{record}");
        assert_eq!(record["steps"][0]["decision"], "refused", "{record}");
        assert!(record["arguments"].is_object(), "{record}");
    }
    assert!(!format!("{records:?}").contains("planted-pin-1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_human_fills_in_is_recorded() {
    let place = place("").await;
    let call = json!({"name": "asked", "arguments": {}, "inputResponses": {
        "asked": {"action": "accept", "content": {"why": "spring"}},
        "ask": {"action": "accept", "content": {"why": "spring"}},
        "arguments": {"action": "accept", "content": {"why": "spring"}},
    }});
    let forms = json!({"elicitation": {}});
    let told = modern(&place.bridge, "asked", call.clone(), forms.clone()).await;
    let mut call = call;
    if let Some(asked) = told["result"]["inputRequests"].as_object() {
        let name = asked.keys().next().unwrap();
        call["inputResponses"][name] = json!({"action": "accept", "content": {"why": "spring"}});
        if let Some(state) = told["result"].get("requestState") {
            call["requestState"] = state.clone();
        }
        modern(&place.bridge, "asked", call, forms).await;
    }
    let mut found = records(place.folder.path(), 1).await;
    if found[0]["outcome"] != "done" {
        found = records(place.folder.path(), 2).await;
    }
    let last = found.last().unwrap();
    assert_eq!(last["outcome"], "done", "{found:?}");
    assert_eq!(last["arguments"], json!({"why": "spring"}), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_are_recorded_with_what_was_looked_for() {
    let place = place("tools: {mode: search}\n").await;
    let call = json!({"name": "search_tools", "arguments": {"query": "open"}});
    modern(&place.bridge, "search_tools", call, json!({})).await;
    let records = records(place.folder.path(), 1).await;
    assert_eq!(records[0]["arguments"]["query"], "open", "{records:?}");
    let steps = records[0]["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 2, "{records:?}");
}
