//! What each kind of answer becomes.

mod failures;
mod long;

use std::time::Duration;

use ::http::{HeaderMap, Method, StatusCode};
use bytes::Bytes;
use url::Url;

use super::*;
use crate::handler::{Cut, CutBy, HandleError, HttpReply};
use crate::tool::{Content, HttpTarget, Outcome, Structured, Text};

fn target(method: Method) -> HttpTarget {
    HttpTarget {
        base: Url::parse("http://internal.test:9/").unwrap(),
        ..HttpTarget::bare(method, "/pets/{id}")
    }
}

fn reply(status: u16, headers: &[(&str, &str)], body: impl Into<Bytes>) -> HttpReply {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name = ::http::HeaderName::try_from(*name).unwrap();
        map.append(name, value.parse().unwrap());
    }
    HttpReply {
        status: StatusCode::from_u16(status).unwrap(),
        headers: map,
        body: body.into(),
        cut: None,
    }
}

fn typed(status: u16, content_type: &str, body: &'static [u8]) -> HttpReply {
    reply(status, &[("content-type", content_type)], body)
}

fn read(reply: HttpReply) -> Outcome {
    http_reply(&target(Method::GET), false, reply, Limits::default()).outcome
}

fn published(reply: HttpReply) -> Outcome {
    http_reply(&target(Method::GET), true, reply, Limits::default()).outcome
}

fn texts(outcome: &Outcome) -> Vec<&str> {
    outcome
        .content
        .iter()
        .map(|content| match content {
            Content::Text(text) => text.as_str(),
            other => panic!("expected text, found {other:?}"),
        })
        .collect()
}

fn structured(outcome: &Outcome) -> Option<String> {
    outcome.structured.as_ref().map(Structured::to_text)
}

#[test]
fn json_is_text_as_received_and_data() {
    let body = "{ \"n\": 12345678901234567890123, \"d\": 99.990,\n \"s\": \"\\u00fc\" }";
    for media_type in [
        "application/json",
        "application/hal+json; charset=utf-8",
        "TEXT/JSON",
        "application/problem+json",
    ] {
        let outcome = read(typed(200, media_type, body.as_bytes()));
        assert_eq!(texts(&outcome), [body]);
        assert_eq!(structured(&outcome).as_deref(), Some(body));
        assert!(!outcome.is_error);
        assert_eq!(outcome.status, Some(200));
    }
}

#[test]
fn data_is_what_clients_can_read() {
    let cut = read(typed(200, "application/json", br#"{"name":"cut \ud83d"}"#));
    assert_eq!(texts(&cut), [r#"{"name":"cut \ud83d"}"#]);
    assert_eq!(
        structured(&cut).as_deref(),
        Some(r#"{"name":"cut \ufffd"}"#)
    );
    let deep = format!("{}1{}", "[".repeat(121), "]".repeat(121));
    let deep = read(reply(200, &[("content-type", "application/json")], deep));
    assert_eq!(structured(&deep), None);
}

#[test]
fn headers_that_lead_on_are_told_beside_the_body() {
    let next = "<http://internal.test:9/pets?page=2>; rel=\"next\"";
    let headers = [
        ("content-type", "application/json"),
        ("link", next),
        ("location", "/pets/7?sig=abc"),
        ("x-request-id", "1"),
        ("retry-after", "3"),
    ];
    let told = read(reply(201, &headers, "{}"));
    let expected = format!("link: {next}\nlocation: /pets/7?...\nretry-after: 3");
    assert_eq!(texts(&told), ["{}", &expected]);
    let silent = read(typed(200, "application/json", b"{}"));
    assert_eq!(texts(&silent), ["{}"]);
}

#[test]
fn every_json_value_is_an_object_where_an_output_is_published() {
    let cases = [
        ("{\"a\":1}", "{\"a\":1}"),
        (" {}", " {}"),
        ("[1,2.50]", "{\"result\":[1,2.50]}"),
        ("\"x\"", "{\"result\":\"x\"}"),
        ("5", "{\"result\":5}"),
        ("null", "{\"result\":null}"),
    ];
    for (body, expected) in cases {
        let outcome = published(typed(200, "application/json", body.as_bytes()));
        assert_eq!(texts(&outcome), [body]);
        assert_eq!(structured(&outcome).as_deref(), Some(expected));
        let plain = read(typed(200, "application/json", body.as_bytes()));
        assert_eq!(structured(&plain).as_deref(), Some(body));
    }
}

#[test]
fn what_only_claims_to_be_json_is_text() {
    for body in ["{\"a\":", "not json", "{} {}", "[1,]", "NaN", "\"a\u{1}\""] {
        let outcome = read(typed(200, "application/json", body.as_bytes()));
        assert_eq!((texts(&outcome), structured(&outcome)), (vec![body], None));
    }
    let outcome = published(typed(200, "application/json", b"say \"hi\""));
    assert_eq!(
        structured(&outcome).as_deref(),
        Some("{\"result\":\"say \\\"hi\\\"\"}")
    );
    let marked = read(typed(200, "application/json", b"\xef\xbb\xbf{}"));
    assert_eq!(structured(&marked).as_deref(), Some("{}"));
}

#[test]
fn texts_are_decoded_by_their_charset() {
    let cases: [(&str, &[u8], &str); 8] = [
        ("text/plain", "ü".as_bytes(), "ü"),
        ("text/plain; charset=iso-8859-1", b"\xfc", "ü"),
        (
            "text/csv; header=present; charset=\"windows-1251\"",
            b"\xcf",
            "П",
        ),
        ("text/plain", b"\xfc", "ü"),
        ("text/plain; charset=utf-8", b"a\xff", "a\u{fffd}"),
        ("application/xml", b"<a/>", "<a/>"),
        ("image/svg+xml", b"<svg/>", "<svg/>"),
        ("application/x-ndjson", b"{}\nx\n", "{}\nx\n"),
    ];
    for (media_type, body, expected) in cases {
        let outcome = read(typed(200, media_type, body));
        assert_eq!(
            (texts(&outcome), structured(&outcome)),
            (vec![expected], None),
            "{media_type}"
        );
    }
    let wide = read(typed(
        200,
        "application/json; charset=utf-16le",
        b"[\x001\x00]\x00",
    ));
    assert_eq!(structured(&wide).as_deref(), Some("[1]"));
}

#[test]
fn bytes_keep_their_kind() {
    let bytes = Bytes::from_static(b"\x89PNG\0\xff");
    let image = read(reply(
        200,
        &[("content-type", "image/PNG; x=y")],
        bytes.clone(),
    ));
    assert_eq!(
        image.content,
        [Content::Image {
            data: bytes.clone(),
            media_type: "image/png".to_owned()
        }]
    );
    let audio = published(reply(200, &[("content-type", "audio/mpeg")], bytes.clone()));
    assert_eq!(
        audio.content,
        [Content::Audio {
            data: bytes.clone(),
            media_type: "audio/mpeg".to_owned()
        }]
    );
    assert_eq!(structured(&audio).as_deref(), Some("{\"result\":null}"));
    let headers = [
        ("content-type", "application/pdf"),
        (
            "content-disposition",
            "attachment; filename=\"../my report.pdf\"",
        ),
    ];
    let blob = read(reply(200, &headers, bytes.clone()));
    let uri = "mcpinvoke://reply/my%20report.pdf".to_owned();
    assert_eq!(
        blob.content,
        [Content::Blob {
            uri,
            data: bytes,
            media_type: "application/pdf".to_owned()
        }]
    );
}

#[test]
fn a_body_without_a_type_is_looked_at() {
    assert_eq!(
        structured(&read(reply(200, &[], "{\"a\":1}"))).as_deref(),
        Some("{\"a\":1}")
    );
    assert_eq!(texts(&read(reply(200, &[], "plain"))), ["plain"]);
    let blob = read(reply(200, &[], &b"\xff\0"[..]));
    assert!(
        matches!(&blob.content[..], [Content::Blob { uri, media_type, .. }]
        if media_type == "application/octet-stream" && uri == "mcpinvoke://reply/pets/%7Bid%7D")
    );
}

#[test]
fn no_body_is_a_success_with_the_status_as_text() {
    for (status, text) in [
        (204, "204 No Content"),
        (205, "205 Reset Content"),
        (304, "304 Not Modified"),
        (200, "200 OK"),
        (299, "299"),
    ] {
        let outcome = read(reply(status, &[], ""));
        assert_eq!(texts(&outcome), [text]);
        assert!(!outcome.is_error);
        assert_eq!(structured(&outcome), None);
        assert_eq!(
            structured(&published(reply(status, &[], ""))).as_deref(),
            Some("{\"result\":null}")
        );
    }
    let created = read(reply(201, &[("location", "/pets/7?sig=secret")], ""));
    assert_eq!(texts(&created), ["201 Created\nlocation: /pets/7?..."]);
    let head = reply(
        200,
        &[("content-length", "12"), ("etag", "\"a\""), ("server", "x")],
        "",
    );
    let head = http_reply(&target(Method::HEAD), false, head, Limits::default()).outcome;
    assert_eq!(texts(&head), ["200 OK\ncontent-length: 12\netag: \"a\""]);
}

#[test]
fn a_cut_answer_never_passes_for_a_whole_one() {
    let cut = |media_type: &str, body: &'static [u8]| HttpReply {
        cut: Some(Cut {
            by: CutBy::Length(5),
            announced: Some(99),
        }),
        ..typed(200, media_type, body)
    };
    // Even where the piece happens to be valid JSON.
    let outcome = read(cut("application/json", b"12345"));
    assert_eq!(texts(&outcome)[0], "12345");
    assert!(texts(&outcome)[1].contains("of 99 bytes is longer than the limit of 5 bytes"));
    assert_eq!(structured(&outcome), None);
    let outcome = published(cut("application/json", b"12345"));
    assert_eq!(
        structured(&outcome).as_deref(),
        Some("{\"result\":null,\"truncated\":true}")
    );
    assert_eq!(texts(&read(cut("text/plain", b"abc\xc3")))[0], "abc");
    let image = read(cut("image/png", b"\x89PNG\0"));
    assert_eq!(
        texts(&image),
        [
            "[the answer of 99 bytes (image/png) is longer than the limit of 5 bytes and is left out]"
        ]
    );
}
