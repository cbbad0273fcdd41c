//! Headers of answers: a caller is told of those that the document describes.

use serde_json::{Value, json};

use crate::support::{Answer, serve_answering};

const PATHS: &str = "  /x:
    get:
      operationId: x
      responses:
        '200':
          description: ok
          headers:
            X-Total-Count: {schema: {type: integer}}
            etag: {$ref: '#/components/headers/Tag'}
            Set-Cookie: {schema: {type: string}}
            X-Api-Key: {schema: {type: string}}
            Content-Type: {schema: {type: string}}
        '429': {description: slow down, headers: {X-RateLimit-Remaining: {schema: {type: integer}}}}
";
const COMPONENTS: &str = "  headers: {Tag: {schema: {type: string}}}\n";

fn texts(result: &Value) -> String {
    let blocks = result["content"].as_array().unwrap();
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|one| one["text"].as_str())
        .collect();
    texts.join("\n")
}

#[tokio::test]
async fn headers_that_the_document_describes_are_told() {
    for status in [200, 204, 429] {
        let body = if status == 204 { "" } else { "{}" };
        let answer = Answer::json(body)
            .status(status)
            .with("x-total-count", "412")
            .with("x-total-count", &"9".repeat(5000))
            .with("etag", "\"abc\"")
            .with("set-cookie", "sid=private1")
            .with("x-api-key", "private2")
            .with("x-ratelimit-remaining", "3")
            .with("x-undescribed", "private3");
        let (_upstream, bridge) = serve_answering(PATHS, COMPONENTS, move |_| answer.clone()).await;
        let told = texts(&bridge.call("x", json!({})).await);
        for line in [
            "x-total-count: 412",
            "etag: \"abc\"",
            "x-ratelimit-remaining: 3",
        ] {
            assert_eq!(told.matches(line).count(), 1, "{status}: {told}");
        }
        assert!(told.len() < 4096 + 1000 && told.contains("999…"), "{told}");
        assert!(!told.contains("private"), "{told}");
    }
}
