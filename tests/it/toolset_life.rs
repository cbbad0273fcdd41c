//! Programs that run: one at a time on one thing, and none left over, however a call ends.
#![cfg(target_os = "linux")]

use std::time::Duration;

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::support::toolset::{Toolset, Work, gone, members};
use crate::support::{Bridge, Stdio, text};

/// The timeouts are those that the tests wait for.
pub(crate) const WORK: Work = Work {
    properties: "project: {type: string}, \
        sessionId: {type: string}, \
        tailLines: {type: integer}",
    actions: "
          Build: {lock: {operation: build, target: [project]}, run: [{words: [wait]}]}
          Restore: {lock: {operation: restore, target: [project]}, run: [{words: [restore]}]}
          Install: {lock: {operation: workload_install, global: true}, run: [{words: [wait]}]}
          Update: {lock: {operation: workload_update, global: true}, run: [{words: [update]}]}
          Late: {lock: {operation: build, target: [project]}, timeout: 700ms, run: [{words: [wait]}, {words: [never]}]}
          Stubborn: {lock: {operation: build, target: [project]}, timeout: 500ms, run: [{words: [stubborn]}]}
          Flood: {timeout: 8s, run: [{words: [flood]}]}
          Orphan: {run: [{words: [orphan]}]}
          Serve: {lock: {operation: run, target: [project]}, run: [{background: always, words: [serve]}]}
          Tail: {run: [{background: always, words: [lines]}]}
          Logs: {effect: read, result: value, builtin: session-logs}
          Stop: {result: value, builtin: stop-session}
          Read: {effect: read, run: [{words: [read]}]}",
};

pub(crate) fn build(project: &str) -> Value {
    json!({"action": "Build", "project": project})
}

pub(crate) fn build_request(bridge: &Bridge) -> RequestBuilder {
    let params = json!({"name": "work", "arguments": build("app/app.csproj")});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let request = bridge.request(body.to_string());
    request.header("mcp-protocol-version", "2025-11-25")
}

pub(crate) fn send_call(stdio: &mut Stdio, id: u32, arguments: &Value) {
    let params = json!({"name": "work", "arguments": arguments});
    let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
    stdio.send(&message.to_string());
}

pub(crate) fn is_conflict(result: &Value) -> bool {
    result["structuredContent"]
        .to_string()
        .contains("CONCURRENCY_CONFLICT")
}

#[tokio::test]
async fn one_build_runs_and_nineteen_conflict() {
    let toolset = Toolset::new(&WORK);
    let mut stdio = toolset.session();
    std::os::unix::fs::symlink(toolset.root().join("app"), toolset.root().join("alias")).unwrap();
    // In a folder of two projects the CLI picks none, and a link leads to the project that is built.
    std::fs::create_dir(toolset.root().join("two")).unwrap();
    for name in ["a", "b"] {
        let place = toolset.root().join(format!("two/{name}.csproj"));
        std::os::unix::fs::symlink(toolset.root().join("app/app.csproj"), place).unwrap();
    }
    let absolute = toolset.root().join("app/app.csproj").display().to_string();
    let spellings = [
        "app/app.csproj",
        "./app/../app/app.csproj",
        "alias/app.csproj",
        &absolute,
    ];
    for id in 1..=20 {
        let spelling = spellings[id as usize % spellings.len()];
        send_call(&mut stdio, id, &build(spelling));
    }
    for _ in 0..19 {
        let answer = stdio.receive();
        assert!(
            is_conflict(&answer["result"]) && answer["result"]["isError"] == true,
            "{answer}"
        );
    }
    let group = toolset.group().await;
    assert_eq!(toolset.starts(), 1);
    // Another kind of change of the same project, from another folder; and what is not the same.
    for (id, arguments, conflicts) in [
        (
            30,
            json!({"action": "Restore", "project": "app.csproj", "workingDirectory": "app"}),
            true,
        ),
        (
            31,
            json!({"action": "Restore", "project": "other.csproj", "workingDirectory": "app"}),
            false,
        ),
        (
            32,
            json!({"action": "Restore", "workingDirectory": "app"}),
            true,
        ),
        (33, json!({"action": "Restore", "project": "app"}), true),
        (34, json!({"action": "Restore", "project": "two"}), false),
        (35, json!({"action": "Restore"}), false),
        (36, json!({"action": "Read"}), false),
    ] {
        send_call(&mut stdio, id, &arguments);
        let answer = stdio.receive();
        assert_eq!(is_conflict(&answer["result"]), conflicts, "{answer}");
    }
    let (code, rest) = stdio.finish();
    assert_eq!(code, Some(0), "{rest:?}");
    gone(group).await;
}

#[tokio::test]
async fn global_locks_are_for_the_machine() {
    let toolset = Toolset::new(&WORK);
    let mut stdio = toolset.session();
    send_call(&mut stdio, 1, &json!({"action": "Install"}));
    let group = toolset.group().await;
    send_call(
        &mut stdio,
        2,
        &json!({"action": "Update", "workingDirectory": "app"}),
    );
    let answer = stdio.receive();
    assert!(is_conflict(&answer["result"]), "{answer}");
    send_call(&mut stdio, 3, &json!({"action": "Restore"}));
    assert!(!is_conflict(&stdio.receive()["result"]));
    stdio.finish();
    gone(group).await;
}

#[tokio::test]
async fn a_cancelled_build_is_gone_and_the_next_runs() {
    let toolset = Toolset::new(&WORK);
    let mut stdio = toolset.session();
    for id in 1..=3 {
        toolset.forget();
        send_call(&mut stdio, id, &build("app/app.csproj"));
        let group = toolset.group().await;
        assert!(!members(group).is_empty());
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        stdio.send(&cancel.to_string());
        // At once, while the group is still being ended.
        send_call(
            &mut stdio,
            10 + id,
            &json!({"action": "Restore", "project": "app/app.csproj"}),
        );
        let answer = stdio.receive();
        assert_eq!(answer["id"], 10 + id, "{answer}");
        assert!(text(&answer["result"]).contains("ran restore"), "{answer}");
        assert!(members(group).is_empty(), "{:?}", members(group));
    }
    let (_, rest) = stdio.finish();
    assert!(rest.is_empty(), "{rest:?}");
}

#[tokio::test]
async fn a_dropped_connection_ends_the_build() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    let request = build_request(&bridge);
    let call = tokio::spawn(async move { request.send().await.map(|answer| answer.status()) });
    let group = toolset.group().await;
    call.abort();
    gone(group).await;
    let restore = json!({"action": "Restore", "project": "app/app.csproj"});
    let result = bridge.call("work", restore).await;
    assert!(text(&result).contains("ran restore"), "{result}");
}

#[tokio::test]
async fn a_deadline_ends_the_group_and_tells_what_came() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    let result = bridge
        .call(
            "work",
            json!({"action": "Late", "project": "app/app.csproj"}),
        )
        .await;
    let group = toolset.group().await;
    assert!(members(group).is_empty(), "{:?}", members(group));
    assert_eq!(result["isError"], true);
    let told = result.to_string();
    assert!(
        told.contains("OPERATION_CANCELLED") && told.contains("started"),
        "{result}"
    );
    // What would have come next did not.
    assert_eq!(toolset.argv().unwrap(), ["wait"]);
    let restore = json!({"action": "Restore", "project": "app/app.csproj"});
    assert!(!is_conflict(&bridge.call("work", restore).await));
}

#[tokio::test]
async fn programs_that_ignore_signals_are_killed() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    let result = bridge.call("work", json!({"action": "Stubborn"})).await;
    let group = toolset.group().await;
    assert!(members(group).is_empty(), "{:?}", members(group));
    assert!(
        result.to_string().contains("OPERATION_CANCELLED"),
        "{result}"
    );
}

#[tokio::test]
async fn what_a_program_leaves_behind_is_ended() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    let result = bridge.call("work", json!({"action": "Orphan"})).await;
    assert!(text(&result).contains("left"), "{result}");
    assert_ne!(result["isError"], true, "{result}");
    let group = toolset.group().await;
    assert!(members(group).is_empty(), "{:?}", members(group));
}

#[tokio::test]
async fn endless_output_is_bounded() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    bridge.call("work", json!({"action": "Read"})).await;
    let before = peak(&bridge);
    let result = bridge.call("work", json!({"action": "Flood"})).await;
    let grown = peak(&bridge) - before;
    let shown = text(&result);
    assert!(
        shown.contains("first") && shown.contains("bytes left out"),
        "{}",
        &shown[..200]
    );
    assert!(grown < 40_000, "{grown} kB more");
    let group = toolset.group().await;
    assert!(members(group).is_empty(), "{:?}", members(group));
}

/// The most memory the bridge ever had, in kB.
fn peak(bridge: &Bridge) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", bridge.id())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// What a session says once it is as wanted.
async fn hear(bridge: &Bridge, logs: &Value, wanted: impl Fn(&Value) -> bool) -> Value {
    let mut heard = Value::Null;
    for _ in 0..400 {
        heard = bridge.call("work", logs.clone()).await;
        if wanted(&heard) {
            return heard;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the session never got that far: {heard}");
}

#[tokio::test]
async fn sessions_are_heard_of_and_stopped() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    let started = bridge.call("work", json!({"action": "Serve"})).await;
    let id = started["structuredContent"]["sessionId"]
        .as_str()
        .unwrap_or_else(|| panic!("{started}"));
    let group = toolset.group().await;
    let logs = json!({"action": "Logs", "sessionId": id, "tailLines": 1});
    let heard = hear(&bridge, &logs, |heard| heard.to_string().contains("tick")).await;
    assert_eq!(heard["structuredContent"]["status"], "running", "{heard}");
    let stop = json!({"action": "Stop", "sessionId": id});
    let stopped = bridge.call("work", stop.clone()).await;
    assert_eq!(stopped["structuredContent"]["success"], true, "{stopped}");
    assert!(members(group).is_empty(), "{:?}", members(group));
    let again = bridge.call("work", stop).await;
    assert_eq!(again["isError"], true, "{again}");
}

#[tokio::test]
async fn the_last_words_of_a_session_are_kept() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    let started = bridge.call("work", json!({"action": "Tail"})).await;
    let id = started["structuredContent"]["sessionId"].clone();
    let logs = json!({"action": "Logs", "sessionId": id});
    let ended = |heard: &Value| heard["structuredContent"]["status"] != "running";
    let heard = hear(&bridge, &logs, ended).await;
    assert_eq!(heard["structuredContent"]["exitCode"], 0, "{heard}");
    assert!(heard.to_string().contains("three"), "{heard}");
}

#[tokio::test]
async fn sessions_are_bounded() {
    let toolset = Toolset::new(&WORK);
    toolset.configure("sessions: 2");
    let bridge = toolset.bridge();
    for expected in [false, false, true] {
        let started = bridge
            .call(
                "work",
                json!({"action": "Serve", "workingDirectory": "app"}),
            )
            .await;
        assert_eq!(started["isError"] == true, expected, "{started}");
    }
    // The second may take a moment until it says so.
    for _ in 0..400 {
        if toolset.starts() == 2 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("{} were started", toolset.starts());
}
