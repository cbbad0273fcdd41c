//! Secrets that an upstream repeats where its answer is cut: no part of one shows.

use serde_json::{Value, json};

use crate::support::{Answer, Bridge, Seen, Upstream, configured, document};

/// No four characters of it are anywhere else.
const KEY: &str = "kQ7-zebra+77-lion_55-tiger";
const PATHS: &str = "
  /{kind}/{offset}:
    get:
      operationId: cut
      security: [{key: []}]
      parameters:
        - {name: kind, in: path, required: true, schema: {type: string}}
        - {name: offset, in: path, required: true, schema: {type: integer}}
      responses: {default: {description: any}}
";
const SCHEMES: &str = "  securitySchemes: {key: {type: apiKey, in: header, name: X-Api-Key}}";

/// The key behind so much padding, in a text of more than the limits.
fn answer(seen: &Seen, most: usize) -> Answer {
    let mut steps = seen.target.split('/').skip(1);
    let (kind, offset) = (steps.next().unwrap(), steps.next().unwrap());
    let key = seen.header("x-api-key").unwrap();
    let text = format!(
        "{}{key}{}",
        ".".repeat(offset.parse().unwrap()),
        ".".repeat(most)
    );
    let utf16 = || {
        text.encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<u8>>()
    };
    match kind {
        "text" => Answer::new(200, "text/plain", text),
        "wide" => Answer::new(200, "text/plain; charset=utf-16le", utf16()),
        "hidden" => Answer::new(200, "text/plain", text.replace('-', "\u{1}-")),
        "json" => Answer::json(&json!({"a": 1, "b": [text]}).to_string()),
        "escaped" => Answer::json(&json!([text]).to_string().replace('+', "\\u002B")),
        "lines" => Answer::new(200, "application/x-ndjson", format!("{{}}\n\"{text}\"\n")),
        "bytes" => Answer::new(200, "application/octet-stream", text),
        "parts" => {
            let parts = format!("--b\r\n\r\none\r\n--b\r\n\r\n{text}\r\n--b--");
            Answer::new(200, "multipart/mixed; boundary=b", parts)
        }
        "error" => Answer::new(500, "text/plain", text),
        _ => Answer::new(
            400,
            "application/problem+json",
            json!({"title": text}).to_string(),
        ),
    }
}

async fn bridge(most: usize, limits: &str) -> (Upstream, Bridge) {
    let upstream = Upstream::start(move |seen| answer(seen, most)).await;
    let settings = format!("credentials: {{key: {{value: '{KEY}'}}}}\n{limits}\n");
    let bridge = configured(&document(PATHS, SCHEMES), &upstream.url(), &settings);
    (upstream, bridge)
}

/// The answer, and all that can be read of it later.
async fn shown(bridge: &Bridge, kind: &str, offset: usize) -> String {
    use base64::Engine as _;
    let result = bridge
        .call("cut", json!({"kind": kind, "offset": offset}))
        .await;
    let mut shown = result.to_string();
    let content = result["content"].as_array().unwrap();
    for link in content
        .iter()
        .filter(|block| block["type"] == "resource_link")
    {
        let read = json!({"uri": link["uri"]});
        let answer = bridge.legacy("resources/read", read).await;
        let kept: &Value = &answer["result"]["contents"][0];
        shown.push_str(kept["text"].as_str().unwrap_or_default());
        let bytes = kept["blob"].as_str().unwrap_or_default();
        let bytes = base64::engine::general_purpose::STANDARD.decode(bytes);
        shown.push_str(&String::from_utf8_lossy(&bytes.unwrap()));
    }
    shown
}

fn has_a_part(shown: &str) -> Option<&str> {
    let parts = (4..=KEY.len()).map(|end| &KEY[end - 4..end]);
    parts.into_iter().find(|part| shown.contains(part))
}

#[tokio::test]
async fn no_part_of_a_key_shows_where_an_answer_is_cut() {
    // Shown are 1024 bytes, or 2048; received are 4096, and of an error's text 16 KiB are shown.
    let limits = "limits: {text: 1024, reply: 2048, kept_reply: 4096}";
    let (_upstream, bridge) = bridge(20_000, limits).await;
    let near = |cut: usize| (cut - 40..cut + 2).step_by(3);
    for (kind, cuts) in [
        ("text", &[1024, 2048, 4096][..]),
        ("wide", &[512, 1024, 2048]),
        ("hidden", &[1024, 4096]),
        ("json", &[1024, 2048, 4096]),
        ("escaped", &[1024]),
        ("lines", &[1024, 4096]),
        ("bytes", &[2048, 4096]),
        ("parts", &[1024, 4096]),
        ("error", &[1024, 4096]),
        ("problem", &[1024, 4096]),
    ] {
        for offset in cuts.iter().flat_map(|cut| near(*cut)) {
            let shown = shown(&bridge, kind, offset).await;
            assert_eq!(has_a_part(&shown), None, "{kind} {offset}: {shown}");
        }
    }
}

#[tokio::test]
async fn no_part_of_a_key_shows_at_the_usual_limits() {
    let (_upstream, bridge) = bridge(300_000, "redact: {answers: true}").await;
    for kind in ["text", "json"] {
        for offset in (262_144 - 40..262_144).step_by(8) {
            let shown = shown(&bridge, kind, offset).await;
            assert_eq!(has_a_part(&shown), None, "{kind} {offset}");
        }
    }
    for offset in (16_384 - 40..16_384).step_by(8) {
        let shown = shown(&bridge, "error", offset).await;
        assert_eq!(has_a_part(&shown), None, "error {offset}");
    }
}
