//! The examples run as they stand.

#![allow(dead_code, reason = "an example's main is not called here")]

#[cfg(unix)]
#[path = "../../examples/dotnet_build.rs"]
mod dotnet_build;
#[path = "../../examples/embedding.rs"]
mod embedding;
#[path = "../../examples/petstore.rs"]
mod petstore;
#[path = "../../examples/stdio_client.rs"]
mod stdio_client;

use serde_json::{Value, json};

#[tokio::test]
async fn petstore_answers_and_refuses() {
    let answers = petstore::run().await.unwrap();
    let answer: Value = serde_json::from_str(&answers[0]).unwrap();
    assert_eq!(
        answer["result"]["structuredContent"],
        json!({"id": 1, "name": "Rex"})
    );
    let refusal: Value = serde_json::from_str(&answers[1]).unwrap();
    assert_eq!(refusal["result"]["isError"], true);
}

#[tokio::test]
async fn embedding_serves_both_its_routes_and_mcp() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let application = embedding::application(&base).unwrap();
    tokio::spawn(async move { axum::serve(listener, application).await });
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let own = client.get(format!("{base}/now")).send().await.unwrap();
    assert_eq!(own.text().await.unwrap(), "half past nine");
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now"}}"#;
    let called = client
        .post(format!("{base}/mcp"))
        .header("content-type", "application/json")
        .body(message)
        .send();
    let answer: Value = serde_json::from_str(&called.await.unwrap().text().await.unwrap()).unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], "half past nine");
}

#[test]
fn stdio_client_lists_and_calls() {
    let lines = stdio_client::run(env!("CARGO_BIN_EXE_mcpinvoke")).unwrap();
    assert!(lines.contains(&"\"getPet\"".to_owned()), "{lines:?}");
    assert!(lines.last().unwrap().contains("Rex"), "{lines:?}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_build_that_fails_says_where_and_what_to_do() {
    let seen = dotnet_build::run().await.unwrap();
    assert!(seen.is_error, "{seen:?}");
    let error = &seen.structured["errors"][0];
    assert_eq!(error["code"], "CS0246", "{seen:?}");
    assert_eq!(error["line"], 3);
    assert!(error["file"].as_str().unwrap().ends_with("Other.cs"));
    assert!(error["message"].as_str().unwrap().contains("NoSuchType"));
    assert!(error["hint"].is_string(), "{error}");
    assert!(seen.text.contains("CS0246"), "{}", seen.text);
    assert_eq!(seen.structured["errors"].as_array().unwrap().len(), 1);
}
