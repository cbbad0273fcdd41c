//! The end of the bridge: whatever ends it, no program outlives it.
#![cfg(target_os = "linux")]

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::toolset::{Toolset, members};
use crate::support::{interrupt_twice, signal, start, terminate};
use crate::toolset_life::{WORK, build, build_request, is_conflict, send_call};

#[tokio::test]
async fn shutdown_leaves_nothing() {
    let toolset = Toolset::new(&WORK);
    let mut bridge = toolset.bridge();
    let result = bridge
        .call(
            "work",
            json!({"action": "Serve", "project": "app/app.csproj"}),
        )
        .await;
    assert!(
        !result["structuredContent"]["sessionId"].is_null(),
        "{result}"
    );
    let session = toolset.group().await;
    // It holds nothing back.
    let restore = json!({"action": "Restore", "project": "app/app.csproj"});
    assert!(!is_conflict(&bridge.call("work", restore).await));
    assert!(!members(session).is_empty());
    toolset.forget();
    let request = build_request(&bridge);
    let call = tokio::spawn(request.send());
    let group = toolset.group().await;
    let began = Instant::now();
    terminate(bridge.id());
    tokio::task::spawn_blocking(move || bridge.wait())
        .await
        .unwrap();
    assert!(members(session).is_empty() && members(group).is_empty());
    assert!(began.elapsed() < Duration::from_secs(60));
    call.abort();
}

/// Sends SIGTERM until the process has ended, as an impatient client does.
async fn insist<T: Send + 'static>(id: u32, wait: impl FnOnce() -> T + Send + 'static) -> T {
    let waited = tokio::task::spawn_blocking(wait);
    while !waited.is_finished() {
        terminate(id);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    waited.await.unwrap()
}

#[tokio::test]
async fn a_signal_ends_the_wait_for_calls() {
    let toolset = Toolset::new(&WORK);
    toolset.append("timeouts: {drain: 1h}");
    let mut stdio = toolset.session();
    send_call(&mut stdio, 1, &build("app/app.csproj"));
    let group = toolset.group().await;
    // What clients do to a server they started: its input ends, and when that is not enough a signal comes.
    stdio.close();
    let id = stdio.id();
    let (code, rest) = insist(id, move || stdio.finish()).await;
    assert!(members(group).is_empty(), "{:?}", members(group));
    assert_eq!(code, Some(0), "{rest:?}");

    toolset.forget();
    let mut bridge = toolset.bridge();
    let call = tokio::spawn(build_request(&bridge).send());
    let group = toolset.group().await;
    let id = bridge.id();
    assert_eq!(insist(id, move || bridge.wait()).await, Some(0));
    assert!(members(group).is_empty(), "{:?}", members(group));
    call.abort();
}

#[tokio::test]
async fn an_interrupted_command_leaves_nothing() {
    let toolset = Toolset::new(&WORK);
    let flags = toolset.flags();
    let mut arguments = vec!["call", "work", "--arg", "action=Build"];
    arguments.extend(flags.iter().map(String::as_str));
    for name in ["TERM", "HUP", "QUIT"] {
        toolset.forget();
        let mut command = start(&arguments);
        let group = toolset.group().await;
        signal(command.id(), name);
        let ended = tokio::task::spawn_blocking(move || command.wait());
        assert_eq!(ended.await.unwrap().unwrap().code(), Some(1), "{name}");
        assert!(members(group).is_empty(), "{:?}", members(group));
    }
}

#[tokio::test]
async fn no_signal_ends_a_session_and_leaves_its_programs() {
    let toolset = Toolset::new(&WORK);
    for name in ["HUP", "QUIT"] {
        toolset.forget();
        let mut stdio = toolset.session();
        send_call(&mut stdio, 1, &build("app/app.csproj"));
        let group = toolset.group().await;
        signal(stdio.id(), name);
        let ended = tokio::task::spawn_blocking(move || stdio.wait());
        assert_eq!(ended.await.unwrap(), Some(0), "{name}");
        assert!(members(group).is_empty(), "{:?}", members(group));
    }
}

#[tokio::test]
async fn a_second_interrupt_waits_for_no_program() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    let request = build_request(&bridge);
    let call = tokio::spawn(request.send());
    let group = toolset.group().await;
    interrupt_twice(&bridge).await;
    let mut bridge = bridge;
    let ended = tokio::task::spawn_blocking(move || bridge.wait());
    assert_eq!(ended.await.unwrap(), Some(0));
    assert!(members(group).is_empty(), "{:?}", members(group));
    call.abort();
}
