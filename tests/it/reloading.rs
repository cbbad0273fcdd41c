//! Documents that come late, go, and come again while the bridge runs.
#![cfg(unix)]

use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{
    Answer, Authority, Bridge, DocumentFile, Stdio, TlsUpstream, Upstream, interrupt_twice, run,
    signal, start_ignoring_hangups,
};

/// A document whose operations have these names.
fn named(operations: &[&str]) -> String {
    let paths = operations
        .iter()
        .map(|name| (format!("/{name}"), json!({"get": {"operationId": name}})));
    let paths: serde_json::Map<String, Value> = paths.collect();
    json!({
        "openapi": "3.0.3",
        "info": {"title": "t", "version": "1"},
        "servers": [{"url": "http://127.0.0.1:9"}],
        "paths": paths,
    })
    .to_string()
}

/// Where nobody listens, until somebody does.
async fn free_address() -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap()
}

async fn readiness(bridge: &Bridge) -> (u16, Value) {
    let url = format!("{}/readyz", bridge.origin());
    let response = bridge.http().get(url).send().await.unwrap();
    let status = response.status().as_u16();
    (status, response.json().await.unwrap())
}

async fn names(bridge: &Bridge) -> Vec<String> {
    let tools = bridge.tools().await;
    let names = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned());
    names.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_is_not_there_is_told_at_once_and_waited_for() {
    let address = free_address().await;
    let url = format!("http://{address}/x.json");
    let bridge = Bridge::start_early([&url]);
    let log = bridge.logged("trying again for 30 s").await;
    assert!(log.contains("WARN") && log.contains(&url), "{log}");
    let expected = json!({"status": "loading", "missing": [url]});
    assert_eq!(readiness(&bridge).await, (503, expected));
    let _service = Upstream::start_at(address, |_| Answer::json(&named(&["late"]))).await;
    bridge.logged("tools are ready").await;
    assert_eq!(readiness(&bridge).await, (200, json!({"status": "ready"})));
    assert_eq!(names(&bridge).await, ["late"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plain_mistake_is_told_soon() {
    let empty = Upstream::start(|_| Answer::json("{}").status(404)).await;
    let untrusted = TlsUpstream::start(&Authority::new().issue("127.0.0.1"), None).await;
    for (url, expected, tried) in [
        (
            format!("{}/wrong.json", empty.url()),
            "404",
            "trying again for 3 s",
        ),
        (format!("{}/x.json", untrusted.url()), "certificate", ""),
    ] {
        let arguments = ["serve", &url, "--listen", "127.0.0.1:0"].map(str::to_owned);
        let output =
            tokio::task::spawn_blocking(move || run(&arguments.each_ref().map(String::as_str)));
        let output = output.await.unwrap();
        let log = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{log}");
        assert!(log.contains(expected) && log.contains(tried), "{log}");
        assert!(!log.contains("30 s"), "{log}");
        assert_eq!(log.contains("trying again"), !tried.is_empty(), "{log}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_not_there_keeps_none_of_the_others_waiting() {
    let address = free_address().await;
    let url = format!("http://{address}/x.json");
    let good = DocumentFile::new(&named(&["same", "good"]), ".json");
    // The late one comes first: it has the first claim on names.
    let bridge = Bridge::start([url.clone(), good.path().display().to_string()]);
    let log = bridge.logged("serving what is").await;
    assert!(log.contains("tools=2"), "{log}");
    let expected = json!({"status": "ready", "missing": [url]});
    assert_eq!(readiness(&bridge).await, (200, expected));
    assert_eq!(names(&bridge).await, ["same", "good"]);
    let _service = Upstream::start_at(address, |_| Answer::json(&named(&["same"]))).await;
    bridge.logged("tools=3").await;
    assert_eq!(readiness(&bridge).await, (200, json!({"status": "ready"})));
    assert_eq!(names(&bridge).await, ["same", "get_same", "good"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_is_told_of_tools_that_come_late() {
    let address = free_address().await;
    let good = DocumentFile::new(&named(&["good"]), ".json");
    let mut stdio = Stdio::start([
        good.path().display().to_string(),
        format!("http://{address}/x.json"),
    ]);
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    stdio.send(&hello.to_string());
    let answer = stdio.receive();
    assert_eq!(
        answer["result"]["capabilities"]["tools"]["listChanged"],
        true
    );
    stdio.send(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
    let list = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#;
    stdio.send(list);
    assert_eq!(
        stdio.receive()["result"]["tools"].as_array().unwrap().len(),
        1
    );
    let _service = Upstream::start_at(address, |_| Answer::json(&named(&["late"]))).await;
    let stdio = tokio::task::spawn_blocking(move || {
        let told = stdio.receive();
        assert_eq!(told["method"], "notifications/tools/list_changed");
        stdio.send(list);
        assert_eq!(
            stdio.receive()["result"]["tools"].as_array().unwrap().len(),
            2
        );
        stdio
    });
    let (code, _) = stdio.await.unwrap().finish();
    assert_eq!(code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_is_greeted_before_there_are_documents_and_what_is_wrong_is_told() {
    let empty = Upstream::start(|_| Answer::json("{}").status(404)).await;
    let mut stdio = Stdio::start([format!("{}/wrong.json", empty.url())]);
    let ended = tokio::task::spawn_blocking(move || {
        stdio.send(r#"{"jsonrpc": "2.0", "id": 0, "method": "ping"}"#);
        assert_eq!(stdio.receive()["result"], json!({}));
        stdio.send(r#"{"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}}"#);
        assert_eq!(stdio.receive()["error"]["code"], -32602);
        stdio.finish()
    });
    let (code, rest) = ended.await.unwrap();
    assert_eq!((code, rest), (Some(1), Vec::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hangup_reads_the_documents_again() {
    let first = DocumentFile::new(&named(&["one", "two"]), ".json");
    let second = DocumentFile::new(&named(&["three"]), ".json");
    let bridge = Bridge::start([first.path(), second.path()]);
    std::fs::write(first.path(), named(&["two", "new", "newer"])).unwrap();
    signal(bridge.id(), "HUP");
    let log = bridge.logged("were read again").await;
    assert!(
        log.contains("added=2 removed=1 changed=0 failed=0"),
        "{log}"
    );
    assert_eq!(names(&bridge).await, ["two", "new", "newer", "three"]);

    // One that is broken keeps its tools, and the other is exchanged all the same.
    std::fs::write(first.path(), "{").unwrap();
    std::fs::write(second.path(), named(&["four"])).unwrap();
    signal(bridge.id(), "HUP");
    let log = bridge.logged("added=1 removed=1 changed=0 failed=1").await;
    assert!(
        log.contains("ERROR") && log.contains("its old tools stay"),
        "{log}"
    );
    assert_eq!(names(&bridge).await, ["two", "new", "newer", "four"]);
    assert_eq!(readiness(&bridge).await, (200, json!({"status": "ready"})));
}

/// A service whose answers wait until the test lets go.
async fn held_back() -> (Upstream, std::sync::mpsc::Sender<()>) {
    let (go, wait) = channel();
    let wait = Mutex::new(wait);
    let upstream = Upstream::start(move |_| {
        // Ends with the test as well.
        let _ = wait.lock().unwrap().recv();
        Answer::json(r#"{"ok":true}"#)
    });
    (upstream.await, go)
}

/// The same with a bridge in front.
async fn with_a_call_under_way() -> (Upstream, Bridge, std::sync::mpsc::Sender<()>, DocumentFile) {
    let (upstream, go) = held_back().await;
    let document = DocumentFile::new(&named(&["slow"]), ".json");
    let path = document.path().display().to_string();
    let bridge = Bridge::start([path.as_str(), "--base-url", &upstream.url()]);
    (upstream, bridge, go, document)
}

async fn until_it_arrives(upstream: &Upstream) {
    while upstream.arrived() == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_under_way_keeps_its_tool() {
    let (upstream, bridge, go, document) = with_a_call_under_way().await;
    let exchange = async {
        until_it_arrives(&upstream).await;
        std::fs::write(document.path(), named(&["other"])).unwrap();
        signal(bridge.id(), "HUP");
        bridge.logged("added=1 removed=1").await;
        go.send(()).unwrap();
    };
    let (result, ()) = tokio::join!(bridge.call("slow", json!({})), exchange);
    assert_eq!(result["structuredContent"]["ok"], true, "{result}");
    assert_eq!(names(&bridge).await, ["other"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_interrupt_ends_the_drain() {
    let (upstream, bridge, go, _document) = with_a_call_under_way().await;
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "slow"}});
    let call = tokio::spawn(bridge.request(body.to_string()).send());
    until_it_arrives(&upstream).await;
    interrupt_twice(&bridge).await;
    let mut bridge = bridge;
    assert_eq!(bridge.wait(), Some(0));
    assert!(
        !call
            .await
            .unwrap()
            .is_ok_and(|answer| answer.status() == 200)
    );
    drop(go);
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_hangup_that_is_to_be_ignored_is_ignored() {
    let (upstream, go) = held_back().await;
    let document = DocumentFile::new(&named(&["slow"]), ".json");
    let path = document.path().display().to_string();
    let mut command =
        start_ignoring_hangups(&["call", &path, "slow", "--base-url", &upstream.url()]);
    until_it_arrives(&upstream).await;
    signal(command.id(), "HUP");
    tokio::time::sleep(Duration::from_millis(200)).await;
    go.send(()).unwrap();
    let ended = tokio::task::spawn_blocking(move || command.wait());
    assert!(ended.await.unwrap().unwrap().success());
}
