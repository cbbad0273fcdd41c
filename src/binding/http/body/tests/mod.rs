//! The bytes of each kind of body, and what is refused.

mod fields;
mod xml;

use serde_json::{Map, Value, json};

use super::*;
use crate::tool::{FieldEncoding, FlatField, Location, PartKind, Style, XmlNames, XmlText};

fn body(codec: BodyCodec, media_type: &str) -> Body {
    Body {
        argument: BodyArgument::Whole("body".to_owned()),
        required: false,
        media: vec![BodyMedia {
            media_type: media_type.to_owned(),
            codec,
        }],
        choice: None,
        files_apart: false,
        by_type: Vec::new(),
    }
}

/// A parameter of the path that takes the argument `id`.
fn path_id() -> Parameter {
    Parameter::bare("id", Location::Path)
}

fn sent(body: &Body, arguments: &Value) -> Result<Option<(String, String)>, Fault> {
    let empty = Map::new();
    let written = write(
        Some(body),
        &[path_id()],
        arguments.as_object().unwrap_or(&empty),
    )
    .map_err(|mut faults| faults.remove(0))?;
    Ok(written.map(|(media, bytes)| (media, String::from_utf8(bytes.to_vec()).unwrap())))
}

fn bytes(codec: BodyCodec, media_type: &str, value: Value) -> String {
    let mut arguments = Map::new();
    arguments.insert("body".to_owned(), value);
    let sent = sent(&body(codec, media_type), &Value::Object(arguments));
    sent.unwrap().unwrap().1
}

fn encoding(property: &str) -> FieldEncoding {
    FieldEncoding {
        property: property.to_owned(),
        style: None,
        explode: true,
        allow_reserved: false,
        content_type: None,
        kind: PartKind::Value,
        literal: false,
        xml: None,
        headers: Vec::new(),
    }
}

#[test]
fn json_keeps_digits_order_and_nulls() {
    let text = r#"{"z":12345678901234567890123,"a":[99.990,null,{"ü":"\n"}]}"#;
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(bytes(BodyCodec::Json, "application/json", value), text);
    for (value, expected) in [
        (json!(null), "null"),
        (json!({}), "{}"),
        (json!("x"), "\"x\""),
    ] {
        assert_eq!(bytes(BodyCodec::Json, "application/json", value), expected);
    }
}

#[test]
fn a_body_that_is_not_given_is_no_body_unless_it_is_required() {
    let mut optional = body(BodyCodec::Json, "application/json");
    assert_eq!(sent(&optional, &json!({})).unwrap(), None);
    optional.required = true;
    let fault = sent(&optional, &json!({})).unwrap_err();
    assert_eq!(
        (fault.path.as_str(), fault.keyword.as_str()),
        ("/body", "required")
    );
    assert_eq!(
        sent(&body(BodyCodec::Text, "text/plain"), &json!({"body": null})).unwrap(),
        None
    );
}

#[test]
fn flat_fields_are_gathered_under_their_own_names() {
    let mut flat = body(BodyCodec::Json, "application/json");
    flat.argument = BodyArgument::Flat(vec![
        FlatField {
            argument: "id_body".to_owned(),
            property: "id".to_owned(),
            needed: false,
        },
        FlatField {
            argument: "name".to_owned(),
            property: "na\"me".to_owned(),
            needed: false,
        },
    ]);
    let text = |body: &Body, arguments: Value| sent(body, &arguments).unwrap().map(|sent| sent.1);
    assert_eq!(
        text(&flat, json!({"name": null, "id_body": 1, "id": 2})).unwrap(),
        r#"{"id":1,"na\"me":null}"#
    );
    assert_eq!(text(&flat, json!({"id": 2})), None);
    flat.required = true;
    assert_eq!(text(&flat, json!({})).unwrap(), "{}");
    flat.media[0].codec = BodyCodec::Form(Vec::new());
    assert_eq!(
        text(&flat, json!({"name": "a b", "id_body": 1})).unwrap(),
        "id=1&na%22me=a%20b"
    );
    flat.media[0].codec = BodyCodec::Binary;
    assert!(sent(&flat, &json!({"name": "a"})).is_err());
}

#[test]
fn an_optional_flat_body_is_whole_or_not_there() {
    let mut flat = body(BodyCodec::Json, "application/json");
    let fields = [("kind", true), ("name_body", true), ("note", false)];
    let fields = fields.map(|(argument, needed)| FlatField {
        argument: argument.to_owned(),
        property: argument.trim_end_matches("_body").to_owned(),
        needed,
    });
    flat.argument = BodyArgument::Flat(fields.to_vec());
    let lacking = |flat: &Body, arguments: Value| -> Vec<String> {
        let written = write(Some(flat), &[path_id()], arguments.as_object().unwrap());
        let faults = written.err().unwrap_or_default();
        faults.into_iter().map(|fault| fault.path).collect()
    };
    for (arguments, expected) in [
        (json!({"id": 1}), &[][..]),
        (json!({"note": "x"}), &["/kind", "/name_body"]),
        (json!({"further": "x", "kind": 1}), &["/name_body"]),
        (json!({"kind": null, "name_body": "n"}), &[]),
    ] {
        assert_eq!(lacking(&flat, arguments.clone()), expected, "{arguments}");
    }
    assert_eq!(sent(&flat, &json!({"id": 1})).unwrap(), None);
    let fault = sent(&flat, &json!({"kind": 1})).unwrap_err();
    assert!(fault.message.contains("`name_body`"), "{}", fault.message);
    assert_eq!(fault.keyword, "required");
    // What a body that must be there needs is the input schema's to say.
    flat.required = true;
    assert!(lacking(&flat, json!({"note": "x"})).is_empty());
}

#[test]
fn every_member_that_cannot_be_written_is_told_at_its_argument() {
    let mut files = body(BodyCodec::Multipart(Vec::new()), "multipart/form-data");
    files.media[0].codec = BodyCodec::Multipart(
        ["a", "b"]
            .map(|name| FieldEncoding {
                kind: PartKind::File,
                ..encoding(name)
            })
            .to_vec(),
    );
    let places = |body: &Body, arguments: Value| -> Vec<String> {
        let faults = write(Some(body), &[], arguments.as_object().unwrap()).unwrap_err();
        faults.into_iter().map(|fault| fault.path).collect()
    };
    let wrong = json!({"a": "not base64!", "b": 1, "c": 2});
    assert_eq!(
        places(&files, json!({ "body": wrong })),
        ["/body/a", "/body/b"]
    );
    files.choice = Some("as".to_owned());
    let fields = ["a", "b"].map(|name| FlatField {
        argument: format!("{name}_body"),
        property: name.to_owned(),
        needed: true,
    });
    files.argument = BodyArgument::Flat(fields.to_vec());
    assert_eq!(
        places(&files, json!({"a_body": "not base64!", "b_body": "AA=="})),
        ["/a_body"]
    );
    assert_eq!(
        places(&files, json!({"a_body": "AA==", "as": "x/y"})),
        ["/b_body", "/as"]
    );
}

#[test]
fn arguments_that_nobody_claims_are_further_properties_of_a_flat_body() {
    let mut flat = body(BodyCodec::Json, "application/json");
    flat.argument = BodyArgument::Flat(vec![FlatField {
        argument: "filter_id".to_owned(),
        property: "filter[id]".to_owned(),
        needed: false,
    }]);
    flat.choice = Some("contentType".to_owned());
    for (arguments, expected) in [
        (
            json!({"filter_id": "x", "zzz": 4, "id": 2, "contentType": "application/json"}),
            r#"{"filter[id]":"x","zzz":4}"#,
        ),
        (json!({"zzz": [1.50, null]}), r#"{"zzz":[1.5,null]}"#),
    ] {
        let (_, text) = sent(&flat, &arguments).unwrap().unwrap();
        assert_eq!(text, expected);
    }
    // Two members of one name would be read differently by different readers.
    let fault = sent(&flat, &json!({"filter_id": 1, "filter[id]": 2})).unwrap_err();
    assert_eq!(fault.path, "/filter[id]");
    assert!(fault.message.contains("`filter_id`"), "{}", fault.message);
}

#[test]
fn the_caller_may_choose_the_media_type() {
    let mut choice = body(BodyCodec::Json, "application/json");
    choice.media.push(BodyMedia {
        media_type: "text/plain".to_owned(),
        codec: BodyCodec::Text,
    });
    choice.choice = Some("content_type".to_owned());
    let first = sent(&choice, &json!({"body": "x"})).unwrap().unwrap();
    assert_eq!(first, ("application/json".to_owned(), "\"x\"".to_owned()));
    let second = sent(&choice, &json!({"body": "x", "content_type": "text/plain"}))
        .unwrap()
        .unwrap();
    assert_eq!(second, ("text/plain".to_owned(), "x".to_owned()));
    let fault = sent(&choice, &json!({"body": "x", "content_type": "a/b"})).unwrap_err();
    assert_eq!(
        (fault.path.as_str(), fault.keyword.as_str()),
        ("/content_type", "enum")
    );
    assert!(fault.message.contains("application/json, text/plain"));
}

#[test]
fn media_ranges_become_media_types() {
    let cases = [
        (BodyCodec::Json, "*/*", json!({}), "application/json"),
        (BodyCodec::Text, "text/*", json!("a"), "text/plain"),
        (
            BodyCodec::Text,
            "text/csv",
            json!("ü"),
            "text/csv; charset=utf-8",
        ),
        (
            BodyCodec::Text,
            "text/csv; header=present",
            json!("ü"),
            "text/csv; header=present",
        ),
        (
            BodyCodec::Binary,
            "image/*",
            json!("AA=="),
            "application/octet-stream",
        ),
        (
            BodyCodec::Form(Vec::new()),
            "application/x-www-form-urlencoded",
            json!({}),
            "application/x-www-form-urlencoded",
        ),
        (
            BodyCodec::Xml(XmlNames::default()),
            "text/xml",
            json!({}),
            "text/xml",
        ),
    ];
    for (codec, media_type, value, expected) in cases {
        let (sent, _) = write(
            Some(&body(codec, media_type)),
            &[],
            json!({"body": value}).as_object().unwrap(),
        )
        .unwrap()
        .unwrap();
        assert_eq!(sent, expected);
    }
}

#[test]
fn json_lines_are_one_value_a_line() {
    let lines = bytes(
        BodyCodec::JsonLines,
        "application/x-ndjson",
        json!([{"a": "x\ny"}, 2, null]),
    );
    assert_eq!(lines, "{\"a\":\"x\\ny\"}\n2\nnull\n");
    assert_eq!(
        bytes(
            BodyCodec::JsonLines,
            "application/x-ndjson",
            json!({"a": 1})
        ),
        "{\"a\":1}\n"
    );
}

#[test]
fn a_sequence_separates_its_records() {
    let sequence = |value| bytes(BodyCodec::JsonLines, "Application/json-seq; a=b", value);
    assert_eq!(sequence(json!([{"a": 1}, 2])), "\u{1e}{\"a\":1}\n\u{1e}2\n");
    assert_eq!(sequence(json!({"a": 1})), "\u{1e}{\"a\":1}\n");
    let suffix = bytes(BodyCodec::JsonLines, "application/geo+json-seq", json!([1]));
    assert_eq!(suffix, "\u{1e}1\n");
}

#[test]
fn base64_is_taken_in_every_spelling_and_nothing_else_is() {
    let plain = vec![0xfb, 0xff, 0xfe, b'a'];
    for text in [
        "+//+YQ==",
        "-__-YQ",
        "+//+\r\n YQ==",
        "data:image/png;base64,+//+YQ==",
    ] {
        let written = write(
            Some(&body(BodyCodec::Binary, "a/b")),
            &[],
            json!({"body": text}).as_object().unwrap(),
        );
        assert_eq!(written.unwrap().unwrap().1, plain, "{text}");
    }
    for value in [json!("not base64!"), json!("A"), json!({"a": 1}), json!(5)] {
        let fault = sent(&body(BodyCodec::Binary, "a/b"), &json!({"body": value})).unwrap_err();
        assert_eq!(fault.path, "/body");
        assert!(fault.message.contains("base64"), "{}", fault.message);
    }
}
