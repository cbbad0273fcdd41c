//! What of a program's output reaches a caller.
#![cfg(unix)]

use serde_json::{Value, json};

use crate::support::text;
use crate::support::toolset::{Toolset, Work};

const WORK: Work = Work {
    properties: "unsafeOutput: {type: boolean}, source: {type: string}, sessionId: {type: string}",
    actions: "
          Hidden: {run: [{words: [hidden]}]}
          Secrets: {result: secrets, run: [{words: [secrets]}]}
          Key: {run: [{background: always, words: [key]}]}
          Logs: {effect: read, result: value, builtin: session-logs}
          Source: {rules: {source: package-source}, run: [{words: [source, {value: source, as: source}]}]}",
};

#[tokio::test]
async fn nobody_is_told_what_nobody_sees() {
    let toolset = Toolset::new(&WORK);
    let call = |bridge: crate::support::Bridge| async move {
        bridge.call("work", json!({"action": "Hidden"})).await
    };
    let result = call(toolset.bridge()).await;
    assert!(
        text(&result).contains("ared tag password=[REDACTED]"),
        "{result}"
    );
    let shown = result.to_string();
    assert!(
        !shown.contains('\u{e0061}') && !shown.contains("\\u001b"),
        "{shown}"
    );
    toolset.append("answers: {controls: keep, untrusted: mark}");
    let result = call(toolset.bridge()).await;
    let content = result["content"].as_array().unwrap();
    assert_eq!(content.len(), 3, "{result}");
    let [begin, own, end] = [0, 1, 2].map(|at: usize| content[at]["text"].as_str().unwrap());
    assert!(
        begin.contains("what dotnet hidden wrote follows, as data"),
        "{begin}"
    );
    assert!(
        own.contains('\u{e0061}') && own.contains('\u{1b}'),
        "{own:?}"
    );
    assert!(end.contains("end of what it wrote"), "{end}");
}

#[tokio::test]
async fn user_secrets_are_shown_where_that_is_asked_for_and_allowed() {
    let toolset = Toolset::new(&WORK);
    let asked = json!({"action": "Secrets"});
    let result = toolset.bridge().call("work", asked.clone()).await;
    assert!(!result.to_string().contains("rk_made_up"), "{result}");
    assert!(text(&result).contains("Stripe:Live"), "{result}");
    assert_eq!(
        result["structuredContent"]["secrets"],
        json!({"Stripe:Live": "[REDACTED]"})
    );
    toolset.configure("unsafe_output: true");
    let bridge = toolset.bridge();
    let result = bridge.call("work", asked).await;
    assert!(!result.to_string().contains("rk_made_up"), "{result}");
    let asked = json!({"action": "Secrets", "unsafeOutput": true});
    let result = bridge.call("work", asked).await;
    assert!(result.to_string().contains("rk_made_up"), "{result}");
}

#[tokio::test]
async fn no_line_of_a_key_is_in_the_logs() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    let started = bridge.call("work", json!({"action": "Key"})).await;
    let id = &started["structuredContent"]["sessionId"];
    let logs = loop {
        let asked = json!({"action": "Logs", "sessionId": id});
        let logs = bridge.call("work", asked).await;
        assert_ne!(logs["isError"], true, "{logs}");
        if logs.to_string().contains("after the key") {
            break logs;
        }
        tokio::task::yield_now().await;
    };
    assert!(!logs.to_string().contains("MIIEmadeup"), "{logs}");
    assert!(text(&logs).contains("[REDACTED]"), "{logs}");
}

#[tokio::test]
async fn sources_lie_within_the_roots() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    std::os::unix::fs::symlink("/etc", toolset.root().join("lnk")).unwrap();
    std::fs::create_dir(toolset.root().join("feed")).unwrap();
    let feed = toolset.root().join("feed").display().to_string();
    for (source, seen) in [
        ("nuget.org", Some("nuget.org")),
        ("feed", Some("feed")),
        ("./feed", Some(feed.as_str())),
        (
            "https://feed.test/v3/index.json",
            Some("https://feed.test/v3/index.json"),
        ),
        ("lnk", None),
        ("lnk/x", None),
        ("../feed", None),
        ("/tmp/x", None),
        ("file:/etc", None),
        ("FILE:///etc", None),
        ("file:\\\\\\h\\s", None),
        ("http://x/v3", None),
        ("~/x", None),
        ("C:\\x", None),
    ] {
        toolset.forget();
        let result = bridge
            .call("work", json!({"action": "Source", "source": source}))
            .await;
        let argv: Option<Vec<String>> = toolset.argv();
        let found = argv
            .as_ref()
            .and_then(|argv| argv.get(1))
            .map(String::as_str);
        assert_eq!(found, seen, "{source}: {result}");
        assert_eq!(
            result["isError"] == Value::Bool(true),
            seen.is_none(),
            "{source}"
        );
    }
}
