//! Answers that are not as the document describes them.

use serde_json::json;

use crate::support::{Answer, Upstream, configured, document};

const PATHS: &str = "  /x:\n    get: {operationId: x, responses: {'200': {description: ok, content: {application/json: {schema: {type: array, items: {type: integer}}}}}}}\n";

#[tokio::test]
async fn an_answer_that_is_not_as_described_is_delivered_counted_and_told_once() {
    let answer = Answer::new(200, "application/json", r#"[1, "planted", 3]"#);
    let upstream = Upstream::start(move |_| answer.clone()).await;
    let bridge = configured(&document(PATHS, ""), &upstream.url(), "metrics: true\n");
    for _ in 0..3 {
        let result = bridge.call("x", json!({})).await;
        assert_eq!(result["isError"], json!(false), "{result}");
        assert_eq!(
            result["structuredContent"],
            json!({"result": [1, "planted", 3]})
        );
    }
    let page = format!("{}/metrics", bridge.origin());
    let page = bridge.http().get(page).send().await.unwrap();
    let page = page.text().await.unwrap();
    assert!(
        page.contains("mcpinvoke_output_deviations_total 1\n"),
        "{page}"
    );
    let log = bridge.logged("as its document describes").await;
    let told: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("as its document describes"))
        .collect();
    let [told] = told[..] else {
        panic!("{log}");
    };
    for word in ["WARN", "`x`", "/1", "expected integer"] {
        assert!(told.contains(word), "no {word} in {told}");
    }
    assert!(!log.contains("planted"), "{log}");
}
