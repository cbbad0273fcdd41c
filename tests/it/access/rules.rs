//! Sessions, patterns, the caller over stdio, and what the page of the manual shows.

use serde_json::json;

use super::{Site, TOOLS, stdio};
use crate::support::{Bridge, DocumentFile, Stdio, run};

#[tokio::test(flavor = "multi_thread")]
async fn the_caller_over_stdio_is_whom_the_file_names_or_anybody() {
    let site = Site::new("list", "  stdio: {name: desk, tools: [read_audit]}\n").await;
    assert_eq!(stdio(&site, None).await.listed().await, ["read_audit"]);
    let reader = stdio(&site, Some("key-of-reader")).await.listed().await;
    assert_eq!(reader, ["list_pets", "get_pet"]);
    let site = Site::new("list", "").await;
    assert_eq!(stdio(&site, None).await.listed().await, TOOLS);
    let (code, lines) = Stdio::start_as(Some("key-of-nobody"), site.arguments()).finish();
    assert_eq!((code, lines), (Some(2), Vec::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_its_owner_s_alone() {
    let site = Site::new("list", "").await;
    let bridge = Bridge::start(site.arguments());
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "t", "version": "1"}});
    let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let begin = bridge.request(message.to_string());
    let begun = begin.bearer_auth("key-of-root").send().await.unwrap();
    let session = begun.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let end = async |key: &str| {
        let request = bridge.http().delete(&bridge.url).bearer_auth(key);
        let request = request.header("mcp-session-id", &session);
        request.send().await.unwrap().status().as_u16()
    };
    let ping = async |key: &str| {
        let bearer = format!("Bearer {key}");
        let headers = [
            ("authorization", bearer.as_str()),
            ("mcp-session-id", session.as_str()),
        ];
        bridge
            .post(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, &headers)
            .await
            .0
    };
    assert_eq!(
        (ping("key-of-root").await, ping("key-of-reader").await),
        (200, 404)
    );
    assert_eq!(
        (end("key-of-reader").await, end("key-of-root").await),
        (404, 204)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pattern_that_fits_no_tool_is_named() {
    let site = Site::new("list", "  stdio: {tools: [get_cat]}\n").await;
    let bridge = Bridge::start(site.arguments());
    let log = bridge.logged("no tool's name fits `get_cat`").await;
    assert!(!log.contains("fits `list_*`"), "{log}");
}

#[test]
fn what_the_page_shows_is_a_configuration() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/access.md");
    let page = std::fs::read_to_string(path).unwrap();
    let blocks: Vec<&str> = page
        .split("```yaml\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    assert_eq!(blocks.len(), 4);
    for block in blocks {
        let file = DocumentFile::new(block, ".yaml");
        let path = file.path().display().to_string();
        let output = run(&["config", "--config", &path]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{block}{errors}");
        // What is printed can be used again.
        let file = DocumentFile::new(&String::from_utf8(output.stdout).unwrap(), ".yaml");
        let again = run(&["config", "--config", &file.path().display().to_string()]);
        assert!(
            again.status.success(),
            "{}",
            String::from_utf8_lossy(&again.stderr)
        );
    }
    let schema = String::from_utf8(run(&["config", "--schema"]).stdout).unwrap();
    for key in ["oauth", "jwks_url", "implied", "resource"] {
        assert!(schema.contains(&format!("\"{key}\"")), "{key}");
    }
    let file = DocumentFile::new(
        "access: {oauth: {resource: 'https://a.test/mcp', issuers: [{issuer: 'https://b.test', algos: []}], scope: {}}, kees: []}",
        ".yaml",
    );
    let output = run(&["config", "--config", &file.path().display().to_string()]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    for key in ["algos", "access.oauth.scope`", "kees"] {
        assert!(errors.contains(key), "{key} in {errors}");
    }
}
