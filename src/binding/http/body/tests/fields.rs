//! Form and multipart bodies.

use super::*;
use crate::tool::PartKind;

#[test]
fn forms_are_written_by_their_encodings() {
    let form = |encodings: Vec<FieldEncoding>, value| {
        bytes(
            BodyCodec::Form(encodings),
            "application/x-www-form-urlencoded",
            value,
        )
    };
    let value = json!({"a": [1, "b c"], "o": {"k": [1]}, "l": [{"x": 1}, {"x": 2}], "n": null, "e": [], "t": "&=+"});
    assert_eq!(
        form(Vec::new(), value),
        "a=1&a=b%20c&o=%7B%22k%22%3A%5B1%5D%7D&l=%7B%22x%22%3A1%7D&l=%7B%22x%22%3A2%7D&t=%26%3D%2B"
    );
    let styled = |style, explode| {
        vec![FieldEncoding {
            style: Some(style),
            explode,
            ..encoding("a")
        }]
    };
    assert_eq!(
        form(
            styled(Style::DeepObject, true),
            json!({"a": {"b": [{"c": 1}], "d": ["x"]}})
        ),
        "a%5Bb%5D%5B0%5D%5Bc%5D=1&a%5Bd%5D%5B%5D=x"
    );
    assert_eq!(
        form(styled(Style::Form, false), json!({"a": [1, 2]})),
        "a=1,2"
    );
    assert_eq!(
        form(styled(Style::Form, true), json!({"a": {"x": 1}})),
        "x=1"
    );
    assert_eq!(
        form(
            styled(Style::Form, true),
            json!({"a": {"x": 1, "y": [2]}, "b": {"z": 1}})
        ),
        "a=%7B%22x%22%3A1%2C%22y%22%3A%5B2%5D%7D&b=%7B%22z%22%3A1%7D"
    );
    assert_eq!(
        form(
            styled(Style::SpaceDelimited, false),
            json!({"a": ["x+y", "z"]})
        ),
        "a=x%2By%20z"
    );
    let json_field = vec![FieldEncoding {
        content_type: Some("application/json".to_owned()),
        ..encoding("a")
    }];
    assert_eq!(
        form(json_field, json!({"a": [1, "x"]})),
        "a=%5B1%2C%22x%22%5D"
    );
}

#[test]
fn a_form_refuses_what_it_cannot_hold() {
    let fault = sent(
        &body(BodyCodec::Form(Vec::new()), "x/y"),
        &json!({"body": [1]}),
    )
    .unwrap_err();
    assert_eq!(fault.path, "/body");
    let encodings = vec![FieldEncoding {
        style: Some(Style::SpaceDelimited),
        explode: false,
        ..encoding("a")
    }];
    // No reader could tell the space in an item from the one between items.
    let spaced = BodyCodec::Form(encodings);
    let refused = sent(&body(spaced, "x/y"), &json!({"body": {"a": ["x y", "z"]}})).unwrap_err();
    assert_eq!(refused.path, "/body/a");
    assert!(refused.message.contains("a space"), "{}", refused.message);
}

#[test]
fn multipart_parts_carry_their_types_and_names() {
    let file = |kind| FieldEncoding {
        kind,
        content_type: Some("image/png".to_owned()),
        ..encoding("f\"i")
    };
    let value = json!({
        "t": "text ü", "n": 1.5, "o": {"k": 1}, "l": ["a", "b"], "x": null,
        "f\"i": {"data": "AAE=", "filename": "a\"b\r\n.png"}
    });
    let written = write(
        Some(&body(
            BodyCodec::Multipart(vec![file(PartKind::File)]),
            "multipart/form-data",
        )),
        &[],
        json!({"body": value}).as_object().unwrap(),
    );
    let (media_type, bytes) = written.unwrap().unwrap();
    assert_eq!(
        media_type,
        "multipart/form-data; boundary=mcpinvoke-boundary-0000000000000000"
    );
    let b = "--mcpinvoke-boundary-0000000000000000";
    let expected = format!(
        "{b}\r\nContent-Disposition: form-data; name=\"t\"\r\n\r\ntext ü\r\n\
         {b}\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n1.5\r\n\
         {b}\r\nContent-Disposition: form-data; name=\"o\"\r\nContent-Type: application/json\r\n\r\n{{\"k\":1}}\r\n\
         {b}\r\nContent-Disposition: form-data; name=\"l\"\r\n\r\na\r\n\
         {b}\r\nContent-Disposition: form-data; name=\"l\"\r\n\r\nb\r\n\
         {b}\r\nContent-Disposition: form-data; name=\"f%22i\"; filename=\"a%22b%0D%0A.png\"\r\nContent-Type: image/png\r\n\r\n\0\u{1}\r\n\
         {b}--\r\n"
    );
    assert_eq!(String::from_utf8(bytes.to_vec()).unwrap(), expected);
}

#[test]
fn files_come_as_base64_or_text_and_lists_of_them_as_parts() {
    let codec = || {
        BodyCodec::Multipart(vec![FieldEncoding {
            kind: PartKind::Files,
            ..encoding("f")
        }])
    };
    let text = bytes(
        codec(),
        "multipart/form-data",
        json!({"f": ["YQ==", {"text": "b", "contentType": "text/css"}]}),
    );
    assert!(
        text.contains(
            "name=\"f\"; filename=\"f\"\r\nContent-Type: application/octet-stream\r\n\r\na\r\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("Content-Type: text/css\r\n\r\nb\r\n"),
        "{text}"
    );
    for (value, at) in [
        (json!({"f": "no base64!"}), "/body/f"),
        (json!({"f": {"filename": "a"}}), "/body/f"),
        (json!({"f": 5}), "/body/f"),
        (
            json!({"f": {"text": "a", "contentType": "a/b\r\nX: y"}}),
            "/body/f",
        ),
    ] {
        assert_eq!(
            sent(
                &body(codec(), "multipart/form-data"),
                &json!({"body": value})
            )
            .unwrap_err()
            .path,
            at
        );
    }
}

#[test]
fn a_boundary_occurs_in_no_part() {
    let codec = || BodyCodec::Multipart(Vec::new());
    let taken = "mcpinvoke-boundary-0000000000000000 mcpinvoke-boundary-0000000000000001 mcpinvoke-boundary-0000000000000003";
    let value = json!({"body": {"a": taken, "mcpinvoke-boundary-0000000000000002": 1}});
    let (media_type, _) = sent(&body(codec(), "multipart/form-data"), &value)
        .unwrap()
        .unwrap();
    assert!(
        media_type.ends_with("boundary=mcpinvoke-boundary-0000000000000004"),
        "{media_type}"
    );
    let again = sent(&body(codec(), "multipart/form-data"), &value)
        .unwrap()
        .unwrap();
    assert_eq!(media_type, again.0);
}

#[test]
fn a_list_within_a_list_is_one_part() {
    let codec = BodyCodec::Multipart(Vec::new());
    let body = bytes(codec, "multipart/form-data", json!({"n": [[1, 2], [], 3]}));
    for part in [
        "application/json\r\n\r\n[1,2]\r\n",
        "application/json\r\n\r\n[]\r\n",
        "name=\"n\"\r\n\r\n3\r\n",
    ] {
        assert!(body.contains(part), "{part} in {body}");
    }
    assert_eq!(body.matches("name=\"n\"").count(), 3, "{body}");
}

/// JSON, or multipart with a file.
fn json_or_upload() -> Body {
    let file = FieldEncoding {
        kind: PartKind::File,
        ..encoding("file")
    };
    let mut choice = body(BodyCodec::Json, "application/json");
    choice.media.push(BodyMedia {
        media_type: "multipart/form-data".to_owned(),
        codec: BodyCodec::Multipart(vec![file]),
    });
    choice.choice = Some("contentType".to_owned());
    choice
}

#[test]
fn a_file_goes_as_multipart_where_the_caller_names_nothing() {
    let mut choice = json_or_upload();
    for (arguments, multipart) in [
        (json!({"body": {"file": "aGk=", "t": 1}}), true),
        (json!({"body": {"file": {"text": "hi"}}}), true),
        (json!({"body": {"t": 1}}), false),
        (json!({"body": {"file": null}}), false),
        (
            json!({"body": {"file": "aGk="}, "contentType": "application/json"}),
            false,
        ),
        (
            json!({"body": {"t": 1}, "contentType": "multipart/form-data"}),
            true,
        ),
    ] {
        let (media_type, _) = sent(&choice, &arguments).unwrap().unwrap();
        assert_eq!(
            media_type.starts_with("multipart/"),
            multipart,
            "{arguments}"
        );
    }
    choice.argument = BodyArgument::Flat(vec![FlatField {
        argument: "f".to_owned(),
        property: "file".to_owned(),
        needed: false,
    }]);
    for (arguments, multipart) in [(json!({"f": "aGk="}), true), (json!({"f": null}), false)] {
        let (media_type, _) = sent(&choice, &arguments).unwrap().unwrap();
        assert_eq!(
            media_type.starts_with("multipart/"),
            multipart,
            "{arguments}"
        );
    }
}

#[test]
fn the_value_tells_which_media_type_is_meant() {
    let mut choice = json_or_upload();
    // What is no file is the other type's, where that means something else by it.
    for (value, apart, multipart) in [
        (json!("aGk="), true, true),
        (json!({"text": "hi"}), true, true),
        (json!({"url": "u"}), true, false),
        (json!("not one!"), true, false),
        (json!("not one!"), false, true),
    ] {
        choice.files_apart = apart;
        let sent = sent(&choice, &json!({"body": {"file": value}}));
        let is_multipart = match &sent {
            Ok(sent) => sent.as_ref().unwrap().0.starts_with("multipart/"),
            Err(fault) => fault.message.contains("expected base64"),
        };
        assert_eq!(is_multipart, multipart, "{value}, {apart}");
    }
    choice.files_apart = false;
    // What the best type does not take is another's.
    choice.media.push(BodyMedia {
        media_type: "text/plain".to_owned(),
        codec: BodyCodec::Text,
    });
    choice.by_type = vec![(JsonType::String, 2)];
    for (value, expected) in [
        (json!("text"), "text/plain"),
        (json!({"t": 1}), "application/json"),
        (json!(["text"]), "application/json"),
        (json!("{}"), "application/json"),
    ] {
        let (media_type, _) = sent(&choice, &json!({"body": value})).unwrap().unwrap();
        assert_eq!(media_type, expected, "{value}");
    }
}

#[test]
fn a_part_may_be_xml_and_have_headers_of_its_own() {
    let names = XmlNames {
        name: "item".to_owned(),
        ..XmlNames::default()
    };
    let field = FieldEncoding {
        content_type: Some("application/xml".to_owned()),
        xml: Some(names),
        headers: vec![("X-Req".to_owned(), "one".to_owned())],
        ..encoding("a")
    };
    let multipart = |value| {
        let codec = BodyCodec::Multipart(vec![field.clone()]);
        bytes(codec, "multipart/form-data", value)
    };
    let head = "form-data; name=\"a\"\r\nContent-Type: application/xml\r\nX-Req: one\r\n\r\n";
    let xml = |text: &str| format!("{head}<?xml version=\"1.0\" encoding=\"UTF-8\"?>{text}\r\n");
    let written = multipart(json!({"a": {"x": "<y>"}, "b": 1}));
    assert!(
        written.contains(&xml("<item><x>&lt;y&gt;</x></item>")),
        "{written}"
    );
    assert_eq!(written.matches("X-Req").count(), 1, "{written}");
    let written = multipart(json!({"a": [{"x": 1}, {"x": 2}]}));
    assert!(written.contains(&xml("<item><x>1</x></item>")), "{written}");
    assert!(written.contains(&xml("<item><x>2</x></item>")), "{written}");
    let written = multipart(json!({"a": "<done/>"}));
    assert!(written.contains(&format!("{head}<done/>\r\n")), "{written}");
}
