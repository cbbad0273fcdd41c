//! Outcomes as results: written once, straight into the answer's buffer.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::payload::{SHARED, Writer};
use super::revision::Revision;
use crate::tool::{Content, Outcome, Structured, escape_json_into};

/// Appends the members of a `CallToolResult`, without the braces around them.
///
/// `publishes_output`: the client has seen an `outputSchema` for the tool. SDK clients check
/// `structuredContent` against it even where the result is an error, so an error has none then.
pub(crate) fn write_outcome(
    writer: &mut Writer,
    outcome: &Outcome,
    revision: Revision,
    publishes_output: bool,
) {
    writer.out.extend_from_slice(b"\"content\":[");
    for (index, content) in outcome.content.iter().enumerate() {
        if index > 0 {
            writer.out.push(b',');
        }
        write_content(&mut writer.out, content, revision);
    }
    writer.out.push(b']');
    if let Some(structured) = &outcome.structured {
        let shape = revision.has_any_structured() || structured.is_object();
        let honest = !(outcome.is_error && publishes_output && revision.has_title());
        if revision.has_structured() && shape && honest {
            write_structured(writer, structured);
        }
    }
    writer.out.extend_from_slice(if outcome.is_error {
        b",\"isError\":true"
    } else {
        b",\"isError\":false"
    });
}

fn text_block(out: &mut Vec<u8>, text: &[u8]) {
    member(out, b"{\"type\":\"text\",\"text\":\"", text);
    out.push(b'}');
}

fn write_structured(writer: &mut Writer, structured: &Structured) {
    let json = structured.json().clone().into_bytes();
    let trimmed = json.trim_ascii();
    if trimmed.is_empty() {
        return;
    }
    let (before, behind) = structured.frame();
    writer.out.extend_from_slice(b",\"structuredContent\":");
    writer.out.extend_from_slice(before.as_bytes());
    writer.share(json.slice_ref(trimmed));
    writer.out.extend_from_slice(behind.as_bytes());
}

/// About how many bytes the outcome takes that are not shared.
pub(crate) fn size_of(outcome: &Outcome) -> usize {
    let blocks: usize = outcome.content.iter().map(block_size).sum();
    let structured = outcome.structured.as_ref();
    let short = structured.map_or(0, |data| data.json().as_bytes().len().min(SHARED));
    128 + blocks + short
}

fn block_size(content: &Content) -> usize {
    match content {
        // JSON in a text has quotes to escape: about one byte in five.
        Content::Text(text) => 32 + text.as_bytes().len() * 6 / 5,
        Content::Document { uri, text, .. } => 128 + uri.len() + text.as_bytes().len() * 9 / 8,
        Content::Image { data, .. } | Content::Audio { data, .. } => 96 + data.len() / 3 * 4,
        Content::Blob { uri, data, .. } => 128 + uri.len() + data.len() / 3 * 4,
        Content::Link { .. } => 512,
    }
}

fn write_content(out: &mut Vec<u8>, content: &Content, revision: Revision) {
    match content {
        Content::Text(text) => text_block(out, text.as_bytes()),
        Content::Image { data, media_type } => {
            media(out, b"{\"type\":\"image\",\"data\":\"", data, media_type);
        }
        Content::Audio { data, media_type } if revision.has_audio() => {
            media(out, b"{\"type\":\"audio\",\"data\":\"", data, media_type);
        }
        Content::Audio { data, media_type } => blob(out, "mcpinvoke:audio", data, media_type),
        Content::Blob {
            uri,
            data,
            media_type,
        } => blob(out, uri, data, media_type),
        Content::Document {
            uri,
            text,
            media_type,
        } => {
            resource(out, uri, media_type);
            member(out, b",\"text\":\"", text.as_bytes());
            out.extend_from_slice(b"}}");
        }
        Content::Link {
            uri,
            name,
            description,
            media_type,
            size,
        } if revision.has_resource_links() => {
            member(
                out,
                b"{\"type\":\"resource_link\",\"uri\":\"",
                uri.as_bytes(),
            );
            member(out, b",\"name\":\"", name.as_bytes());
            member(out, b",\"description\":\"", description.as_bytes());
            member(out, b",\"mimeType\":\"", media_type.as_bytes());
            if let Some(size) = size {
                out.extend_from_slice(format!(",\"size\":{size}").as_bytes());
            }
            out.push(b'}');
        }
        Content::Link {
            uri, description, ..
        } => {
            text_block(out, format!("{description} ({uri})").as_bytes());
        }
    }
}

/// Appends `head`, which ends with an open quote, the escaped text and the closing quote.
fn member(out: &mut Vec<u8>, head: &[u8], text: &[u8]) {
    out.extend_from_slice(head);
    escape_json_into(out, text);
    out.push(b'"');
}

fn media(out: &mut Vec<u8>, head: &[u8], data: &[u8], media_type: &str) {
    out.extend_from_slice(head);
    base64_into(out, data);
    member(out, b"\",\"mimeType\":\"", media_type.as_bytes());
    out.push(b'}');
}

fn blob(out: &mut Vec<u8>, uri: &str, data: &[u8], media_type: &str) {
    resource(out, uri, media_type);
    out.extend_from_slice(b",\"blob\":\"");
    base64_into(out, data);
    out.extend_from_slice(b"\"}}");
}

fn resource(out: &mut Vec<u8>, uri: &str, media_type: &str) {
    let head = b"{\"type\":\"resource\",\"resource\":{\"uri\":\"";
    member(out, head, uri.as_bytes());
    member(out, b",\"mimeType\":\"", media_type.as_bytes());
}

fn base64_into(out: &mut Vec<u8>, data: &[u8]) {
    let start = out.len();
    out.resize(start + data.len().div_ceil(3) * 4, 0);
    match STANDARD.encode_slice(data, &mut out[start..]) {
        Ok(length) => out.truncate(start + length),
        // The room above is exactly what the encoding takes.
        Err(_) => out.truncate(start),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::Text;
    use bytes::Bytes;
    use serde_json::{Value, json};

    fn written(outcome: &Outcome, revision: Revision, publishes: bool) -> Bytes {
        let mut writer = Writer::default();
        writer.out.push(b'{');
        write_outcome(&mut writer, outcome, revision, publishes);
        writer.out.push(b'}');
        writer.finish().into_bytes()
    }

    fn wire(outcome: &Outcome, revision: Revision, publishes: bool) -> Value {
        serde_json::from_slice(&written(outcome, revision, publishes)).unwrap()
    }

    fn with(content: Content) -> Outcome {
        Outcome {
            content: vec![content],
            structured: None,
            is_error: false,
            status: None,
        }
    }

    #[test]
    fn each_block_has_its_form() {
        let data = Bytes::from_static(b"\x00\xffab");
        let media_type = || "audio/wav".to_owned();
        let newest = Revision::V2026_07_28;
        let cases = [
            (
                Content::Text(Text::from("a \"b\"\n")),
                json!({"type": "text", "text": "a \"b\"\n"}),
            ),
            (
                Content::Audio {
                    data: data.clone(),
                    media_type: media_type(),
                },
                json!({"type": "audio", "data": "AP9hYg==", "mimeType": "audio/wav"}),
            ),
            (
                Content::Image {
                    data: data.clone(),
                    media_type: "image/png".to_owned(),
                },
                json!({"type": "image", "data": "AP9hYg==", "mimeType": "image/png"}),
            ),
            (
                Content::Blob {
                    uri: "x:y".to_owned(),
                    data,
                    media_type: "a/b".to_owned(),
                },
                json!({"type": "resource", "resource": {"uri": "x:y", "mimeType": "a/b", "blob": "AP9hYg=="}}),
            ),
            (
                Content::Document {
                    uri: "x:y".to_owned(),
                    text: Text::from("t"),
                    media_type: "a/b".to_owned(),
                },
                json!({"type": "resource", "resource": {"uri": "x:y", "mimeType": "a/b", "text": "t"}}),
            ),
            (
                Content::Link {
                    uri: "x:y".to_owned(),
                    name: "n".to_owned(),
                    description: "d".to_owned(),
                    media_type: "a/b".to_owned(),
                    size: Some(9),
                },
                json!({"type": "resource_link", "uri": "x:y", "name": "n", "description": "d", "mimeType": "a/b", "size": 9}),
            ),
        ];
        for (content, expected) in cases {
            let value = wire(&with(content), newest, false);
            assert_eq!(value, json!({"content": [expected], "isError": false}));
        }
    }

    #[test]
    fn old_revisions_get_what_they_know() {
        let audio = with(Content::Audio {
            data: Bytes::from_static(b"a"),
            media_type: "audio/wav".to_owned(),
        });
        assert_eq!(
            wire(&audio, Revision::V2024_11_05, false)["content"][0]["type"],
            "resource"
        );
        assert_eq!(
            wire(&audio, Revision::V2025_03_26, false)["content"][0]["type"],
            "audio"
        );
        let link = with(Content::Link {
            uri: "x:y".to_owned(),
            name: "n".to_owned(),
            description: "the rest".to_owned(),
            media_type: "a/b".to_owned(),
            size: None,
        });
        let old = wire(&link, Revision::V2025_03_26, false);
        assert_eq!(
            old["content"][0],
            json!({"type": "text", "text": "the rest (x:y)"})
        );
    }

    #[test]
    fn structured_content_follows_the_revision() {
        let outcome = |text: &'static str, is_error| Outcome {
            content: Vec::new(),
            structured: Some(text.into()),
            is_error,
            status: None,
        };
        let has = |outcome: &Outcome, revision, publishes| {
            wire(outcome, revision, publishes)
                .get("structuredContent")
                .is_some()
        };
        let object = outcome(" {\"a\":12345678901234567890.50}\n", false);
        let array = outcome("[1]", false);
        let error = outcome("{}", true);
        assert!(!has(&object, Revision::V2025_03_26, false));
        assert!(has(&object, Revision::V2025_06_18, true));
        assert!(!has(&array, Revision::V2025_11_25, false));
        assert!(has(&array, Revision::V2026_07_28, false));
        assert!(has(&error, Revision::V2026_07_28, false));
        assert!(!has(&error, Revision::V2026_07_28, true));
        let out = written(&object, Revision::V2026_07_28, false);
        let text = std::str::from_utf8(&out).unwrap();
        assert!(
            text.contains("\"structuredContent\":{\"a\":12345678901234567890.50},"),
            "{text}"
        );
    }
}
