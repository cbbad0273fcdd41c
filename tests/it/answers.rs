//! Answers of every kind, as they arrive at a client: several parts, streams, long ones, coded ones.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::{
    Answer, Bridge, DocumentFile, Stdio, Upstream, configured, document, serve_answering, text,
};

const PATHS: &str = "  /x:\n    get: {operationId: x, responses: {'200': {description: ok}}}\n";
/// Publishes an output schema.
const TYPED: &str = "  /x:\n    get: {operationId: x, responses: {'200': {description: ok, content: {application/json: {schema: {type: array, items: {type: integer}}}}}}}\n";

/// A bridge with these settings in front of an upstream that always answers so.
async fn answering(paths: &str, settings: &str, answer: Answer) -> (Upstream, Bridge) {
    let upstream = Upstream::start(move |_| answer.clone()).await;
    let bridge = bridge(&upstream.url(), paths, settings);
    (upstream, bridge)
}

fn bridge(base: &str, paths: &str, settings: &str) -> Bridge {
    configured(&document(paths, ""), base, settings)
}

/// The last block's text.
fn last(result: &Value) -> &Value {
    result["content"].as_array().unwrap().last().unwrap()
}

#[tokio::test]
async fn each_part_is_a_block() {
    let body = b"--cut\r\nContent-Type: text/plain\r\n\r\nhello\r\n\
        --cut\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n\
        --cut\r\nContent-Type: application/json\r\n\r\n{\"n\":1.50}\r\n\
        --cut\r\nContent-Type: application/pdf\r\n\r\n%PDF\r\n--cut--\r\n";
    let mixed = Answer::new(200, "multipart/mixed; boundary=\"cut\"", &body[..]);
    let (_upstream, bridge) = serve_answering(PATHS, "", move |_| mixed.clone()).await;
    let expected = json!([
        {"type": "text", "text": "hello"},
        {"type": "image", "data": "iVBORw==", "mimeType": "image/png"},
        {"type": "text", "text": "{\"n\":1.50}"},
        {"type": "resource", "resource": {"uri": "mcpinvoke://reply/x/4", "mimeType": "application/pdf", "blob": "JVBERg=="}},
    ]);
    let call = json!({"name": "x", "arguments": {}});
    assert_eq!(bridge.call("x", json!({})).await["content"], expected);
    let (_, answer) = bridge.modern("tools/call", call).await;
    assert_eq!(answer["result"]["content"], expected);
}

#[tokio::test]
async fn a_broken_multipart_body_is_text() {
    let broken = Answer::new(200, "multipart/mixed; boundary=cut", "--cut\r\nno end");
    let (_upstream, bridge) = serve_answering(PATHS, "", move |_| broken.clone()).await;
    let result = bridge.call("x", json!({})).await;
    assert_eq!(
        result["content"],
        json!([{"type": "text", "text": "--cut\r\nno end"}])
    );
    assert_eq!(result["isError"], false);
}

#[tokio::test]
async fn gathered_streams_are_data() {
    let cases = [
        (
            "application/x-ndjson",
            "{\"n\":1}\n[2]\n",
            Some(json!({"items": [{"n": 1}, [2]]})),
        ),
        (
            "text/event-stream",
            "data: {\"n\":1}\n\ndata: [DONE]\n\n",
            Some(json!({"events": [{"n": 1}]})),
        ),
        ("text/event-stream", "data: hello\n\n", None),
    ];
    for (media_type, body, expected) in cases {
        for paths in [PATHS, TYPED] {
            let answer = Answer::new(200, media_type, body);
            let (_upstream, bridge) = serve_answering(paths, "", move |_| answer.clone()).await;
            let result = bridge.call("x", json!({})).await;
            assert_eq!(text(&result), body);
            let structured = match &expected {
                None if paths == TYPED => Some(json!({"result": body})),
                other => other.clone(),
            };
            assert_eq!(
                result.get("structuredContent"),
                structured.as_ref(),
                "{media_type}"
            );
        }
    }
}

/// An upstream that sends three events and then nothing more.
async fn endless() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let _ = stream.read(&mut [0; 4096]).await;
                let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
                let _ = stream.write_all(head).await;
                for event in 1..=3 {
                    tokio::time::sleep(std::time::Duration::from_millis(60)).await;
                    let _ = stream
                        .write_all(format!("data: {event}\n\n").as_bytes())
                        .await;
                }
                let _ = stream.write_all(b"data: 4").await;
                std::future::pending::<()>().await;
            });
        }
    });
    url
}

#[tokio::test]
async fn an_endless_stream_is_its_beginning_and_each_event_is_progress() {
    let bridge = bridge(&endless().await, PATHS, "timeouts: {stream: 2s}\n");
    let params = json!({"name": "x", "arguments": {}, "_meta": {"progressToken": "t"}});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let headers = [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    let (status, stream) = bridge.post(message.to_string(), &headers).await;
    assert_eq!(status, 200, "{stream}");
    let messages: Vec<Value> = stream
        .lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data:")?).ok())
        .collect();
    let told: Vec<&str> = messages
        .iter()
        .filter_map(|message| message["params"]["message"].as_str())
        .filter(|message| message.starts_with("event "))
        .collect();
    assert_eq!(told, ["event 1", "event 2", "event 3"]);
    let result = &messages.last().unwrap()["result"];
    assert_eq!(text(result), "data: 1\n\ndata: 2\n\ndata: 3\n\n");
    assert_eq!(result["structuredContent"], json!({"events": [1, 2, 3]}));
    assert_eq!(result["isError"], false);
    let notice = last(result)["text"].as_str().unwrap();
    assert!(notice.contains("had not ended after 2 s"), "{notice}");
    assert!(notice.contains("3 complete events"), "{notice}");
}

/// `{"total":5000,"items":[0,1,...]}`
fn long() -> String {
    let items: Vec<String> = (0..5000).map(|item| item.to_string()).collect();
    format!("{{\"total\":5000,\"items\":[{}]}}", items.join(","))
}

#[tokio::test]
async fn a_long_answer_stays_json_and_the_whole_can_be_read() {
    let (_upstream, bridge) =
        answering(PATHS, "limits: {text: 1KiB}\n", Answer::json(&long())).await;
    let result = bridge.call("x", json!({})).await;
    let shown: Value = serde_json::from_str(text(&result)).unwrap();
    let count = shown["items"].as_array().unwrap().len();
    assert!(text(&result).len() <= 1024 && count > 100, "{count}");
    assert_eq!(shown["total"], 5000);
    assert_eq!(result["structuredContent"], shown);
    let notice = result["content"][1]["text"].as_str().unwrap();
    let missing = format!("/items: … 4,{} more items", 1000 - count);
    assert!(notice.contains(&missing), "{notice} lacks {missing}");
    let link = last(&result);
    assert_eq!(link["type"], "resource_link", "{result}");
    assert_eq!(link["size"], long().len());
    let uri = link["uri"].as_str().unwrap();
    let answer = bridge.legacy("resources/read", json!({"uri": uri})).await;
    let content = &answer["result"]["contents"][0];
    assert_eq!(
        (content["text"].as_str().unwrap(), &content["mimeType"]),
        (&*long(), &json!("application/json"))
    );
    let part = json!({"uri": format!("{uri}?offset=1&length=7")});
    let answer = bridge.legacy("resources/read", part).await;
    let content = &answer["result"]["contents"][0];
    assert_eq!(content["text"], "\"total\"");
    let next = format!("{uri}?offset=8&length=7");
    assert_eq!(content["_meta"]["mcpinvoke/range"]["next"], next);
}

#[tokio::test]
async fn resources_are_served_in_both_eras() {
    let (_upstream, bridge) =
        answering(PATHS, "limits: {text: 1KiB}\n", Answer::json(&long())).await;
    let answer = bridge.legacy("resources/list", json!({})).await;
    assert_eq!(answer["result"], json!({"resources": []}));
    for (method, cursor) in [
        ("resources/list", json!("x")),
        ("resources/templates/list", json!(7)),
    ] {
        let answer = bridge.legacy(method, json!({"cursor": cursor})).await;
        assert_eq!(answer["error"]["code"], -32602, "{method} {answer}");
    }
    let (_, answer) = bridge.modern("resources/templates/list", json!({})).await;
    let template = &answer["result"]["resourceTemplates"][0]["uriTemplate"];
    assert_eq!(template, "mcpinvoke://kept/{id}{?offset,length}");
    assert_eq!(answer["result"]["cacheScope"], "private");
    let (_, discovered) = bridge.modern("server/discover", json!({})).await;
    assert!(discovered["result"]["capabilities"]["resources"].is_object());
    let unknown = json!({"uri": "mcpinvoke://kept/00000000000000000000000000000000"});
    let answer = bridge.legacy("resources/read", unknown.clone()).await;
    assert_eq!(answer["error"]["code"], -32002);
    let result = bridge.call("x", json!({})).await;
    for (uri, expected) in [(&unknown["uri"], -32602), (&last(&result)["uri"], 0)] {
        let uri = uri.as_str().unwrap();
        let params = json!({"uri": uri, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}}});
        let message =
            json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": params});
        let headers = [
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "resources/read"),
            ("mcp-name", uri),
        ];
        let (_, text) = bridge.post(message.to_string(), &headers).await;
        let answer: Value = serde_json::from_str(&text).unwrap();
        if expected == 0 {
            assert_eq!(answer["result"]["contents"][0]["text"], long());
            assert_eq!(answer["result"]["cacheScope"], "private");
            assert!(answer["result"]["ttlMs"].as_u64().unwrap() > 0);
        } else {
            assert_eq!(answer["error"]["code"], expected);
            assert_eq!(answer["error"]["data"]["uri"], uri);
        }
    }
}

#[tokio::test]
async fn over_stdio_the_whole_can_be_read_too() {
    let upstream = Upstream::start(|_| Answer::json(&long())).await;
    let document = document(TYPED, "");
    let config = DocumentFile::new("limits: {text: 1KiB}\n", ".yaml");
    let url = upstream.url();
    let answers = tokio::task::spawn_blocking(move || {
        let mut stdio = Stdio::start([
            document.path().into_os_string(),
            "--base-url".into(),
            url.into(),
            "--config".into(),
            config.path().into_os_string(),
        ]);
        let mut ask = |method: &str, params: Value| {
            let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            stdio.send(&message.to_string());
            stdio.receive()
        };
        let client = json!({"name": "t", "version": "1"});
        ask(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}),
        );
        let call = ask("tools/call", json!({"name": "x", "arguments": {}}));
        let uri = last(&call["result"])["uri"].clone();
        let read = ask("resources/read", json!({"uri": uri}));
        (call, read)
    });
    let (call, read) = answers.await.unwrap();
    assert_eq!(call["result"]["structuredContent"]["total"], 5000);
    assert_eq!(read["result"]["contents"][0]["text"], long());
}

#[tokio::test]
async fn nothing_is_kept_where_that_is_turned_off() {
    let settings = "limits: {text: 1KiB, kept_reply: 0}\n";
    let (_upstream, bridge) = answering(TYPED, settings, Answer::json(&long())).await;
    let result = bridge.call("x", json!({})).await;
    assert_eq!(last(&result)["type"], "text");
    assert!(result["structuredContent"].is_object());
    let answer = bridge.legacy("resources/list", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601);
}

#[tokio::test]
async fn content_codings_are_undone() {
    // Made by encoders that are not ours.
    let body = "{\"greeting\":\"grüße\",\"n\":12345678901234567890.50}";
    let codings = [
        (
            "gzip",
            "H4sIAAAAAAAAA6tWSi9KTS3JzEtXslJKLzq85/D8VCUdpTwlK0MjYxNTM3MLSwMES8/UoBYAcjwX8DIAAAA=",
        ),
        (
            "deflate",
            "eJyrVkovSk0tycxLV7JSSi86vOfw/FQlHaU8JStDI2MTUzNzC0sDBEvP1KAWALDSDvQ=",
        ),
        (
            "br",
            "ixiAeyJncmVldGluZyI6Imdyw7zDn2UiLCJuIjoxMjM0NTY3ODkwMTIzNDU2Nzg5MC41MH0D",
        ),
        (
            "zstd",
            "KLUv/QRYfQEAhAJ7ImdyZWV0aW5nIjoiZ3LDvMOfZSIsIm4iOjEyMzQ1Njc4OTAuNTB9AQDsVp698Tsx",
        ),
    ];
    for (coding, packed) in codings {
        let packed = STANDARD.decode(packed).unwrap();
        let answer = Answer::new(200, "application/json", packed).with("content-encoding", coding);
        let (upstream, bridge) = serve_answering(PATHS, "", move |_| answer.clone()).await;
        let result = bridge.call("x", json!({})).await;
        assert_eq!(text(&result), body, "{coding}");
        let asked = upstream
            .only()
            .header("accept-encoding")
            .unwrap()
            .to_owned();
        assert!(asked.contains(coding), "{asked}");
    }
}

#[tokio::test]
async fn an_empty_answer_is_in_no_coding_whatever_its_head_says() {
    for (status, is_error) in [
        (200, false),
        (201, false),
        (204, false),
        (304, false),
        (401, true),
    ] {
        let answer =
            Answer::new(status, "application/json", Vec::new()).with("content-encoding", "gzip");
        let (_upstream, bridge) = serve_answering(PATHS, "", move |_| answer.clone()).await;
        let result = bridge.call("x", json!({})).await;
        assert_eq!(result["isError"], is_error, "{status}: {result}");
        assert!(text(&result).contains(&status.to_string()), "{result}");
    }
}

#[tokio::test]
async fn several_codings_are_undone_in_their_order_and_unknown_ones_are_no_text() {
    let body = "{\"greeting\":\"grüße\",\"n\":12345678901234567890.50}";
    for (coding, packed, is_undone) in [
        // Bare data, without the format around it.
        (
            "deflate",
            "q1ZKL0pNLcnMS1eyAjIP7zk8P1VJRylPycrQyNjE1MzcwtIAwdIzNagFAA==",
            true,
        ),
        (
            "gzip, gzip",
            "H4sIAAAAAAACA5Pv5mAAASbm1WFe+l6+uifPeIdvYjLif29pYx/q6a7pf/LUhRM3jlw5c+fQJYaDl4xNV7AyFNmIfzACagIAghcg2j0AAAA=",
            true,
        ),
        (
            "deflate, identity,GZIP",
            "H4sIAAAAAAACAwExAM7/eJyrVkovSk0tycxLV7ICMg/vOTw/VUlHKU/JytDI2MTUzNzC0gDB0jM1qAUAsNIO9HXu/B8xAAAA",
            true,
        ),
        ("gzip, gzip, gzip, gzip, gzip", "H4sI/w==", false),
        ("compress, gzip", "H4sI/w==", false),
    ] {
        let packed = STANDARD.decode(packed).unwrap();
        let answer = Answer::new(200, "application/json", packed).with("content-encoding", coding);
        let (_upstream, bridge) = serve_answering(PATHS, "", move |_| answer.clone()).await;
        let result = bridge.call("x", json!({})).await;
        assert_eq!(result["isError"], false, "{coding}: {result}");
        if is_undone {
            assert_eq!(text(&result), body, "{coding}");
        } else {
            assert_eq!(
                last(&result)["resource"]["blob"],
                "H4sI/w==",
                "{coding}: {result}"
            );
        }
    }
}

#[tokio::test]
async fn a_decompression_bomb_stays_bounded() {
    // 512 MiB of `x` in a few hundred bytes.
    const BOMB: &str = "z///fwAk8OKxQHLv//n//w+ABEAcFoDu/T////8BkACIwwLQvf/n//8/ABIAcVgAuvf//P//B0ACIA4LQPf+n////wBIAMRhAeje//P//x8ACYA4LADd+3/+//8DIAEQhwWge//P//9/ACQA4rAAdO//+f//D4AEQBwWgO79P////wGQAIjDAtC9/+f//z8AEgBxWAC69//8//8HQAIgDgtA9/6f////AEgAxGEB6N7/8///HwAJgDgsAN37f/7//wMgARCHBaB7/8///38AJADisAB07//5//8PgARAHBaA7v0/////AZAAiMMC0L3/5///PwASAHFYALr3//z//wdAAiAOC0D3/p////8ASADEYQHo3v/z//8fAAmAOCwA3ft//v//AyABEIcFoHv/z///fwAkAOKwAHTv//n//w+ABEAcFoDu/T////8BkACIwwLQvf/n//8/ABIAcVgAuvf//P//B0ACIA4LQPf+n////wBIAMRhAeje//P//x8ACYA4LADd+//8//8HIAEQhwWge/8P";
    let packed = STANDARD.decode(BOMB).unwrap();
    let answer = Answer::new(200, "text/plain", packed).with("content-encoding", "br");
    let (_upstream, bridge) = answering(PATHS, "limits: {kept_reply: 16MiB}\n", answer).await;
    let result = bridge.call("x", json!({})).await;
    assert_eq!(text(&result).len(), 256 * 1024);
    assert!(
        result["content"][1]["text"]
            .as_str()
            .unwrap()
            .contains("truncated")
    );
    assert_eq!(last(&result)["size"], 16 * 1024 * 1024);
}
