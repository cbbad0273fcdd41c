//! Media types and how bodies are written.

use super::*;

#[test]
fn media_types_are_ranked_and_offered() {
    let object = json!({ "type": "object" });
    let text = json!({ "type": "string" });
    let bytes = json!({ "type": "string", "format": "binary" });
    for (content, sent, choice) in [
        (
            vec![("application/xml", &object), ("application/json", &object)],
            "application/json",
            true,
        ),
        (
            vec![
                ("text/json", &object),
                ("application/json", &object),
                ("application/*+json", &object),
            ],
            "application/json",
            false,
        ),
        (
            vec![
                ("multipart/form-data", &object),
                ("application/x-www-form-urlencoded", &object),
            ],
            "application/x-www-form-urlencoded",
            true,
        ),
        (
            vec![("application/vnd.x+json", &object), ("text/plain", &text)],
            "application/vnd.x+json",
            true,
        ),
        // Nothing says how the object would be a text.
        (
            vec![("application/json", &object), ("text/plain", &object)],
            "application/json",
            false,
        ),
        (
            vec![("application/json", &bytes), ("image/png", &bytes)],
            "application/json",
            true,
        ),
        (
            vec![("text/plain", &text), ("text/markdown", &text)],
            "text/plain",
            true,
        ),
        (vec![("*/*", &object)], "application/json", false),
        (vec![("*/*", &bytes)], "application/octet-stream", false),
        (vec![("", &object)], "application/json", false),
        (
            vec![("image/png", &bytes), ("image/jpeg", &bytes)],
            "image/png",
            true,
        ),
        (
            vec![("application/json; charset=utf-8", &object)],
            "application/json; charset=utf-8",
            false,
        ),
    ] {
        let content = content
            .into_iter()
            .map(|(name, schema)| media(name, schema.clone()));
        let tool = only(with_body(content.collect()), &json!({}));
        let body = target(&tool).body.as_ref().unwrap();
        assert_eq!(body.media[0].media_type, sent);
        assert_eq!(body.choice.is_some(), choice, "{sent}");
        assert_eq!(body.media.len() > 1, choice, "{sent}");
        let properties = &tool.input_schema.parse()["properties"];
        assert_eq!(properties.get("contentType").is_some(), choice, "{sent}");
    }
}

#[test]
fn bytes_are_base64() {
    let schema = input(with_body(vec![media("image/png", json!(true))]), &json!({}));
    let body = &schema["properties"]["body"];
    assert_eq!(body["contentEncoding"], "base64");
    assert!(body["description"].as_str().unwrap().contains("base64"));
}

#[test]
fn files_of_a_multipart_body() {
    let file = json!({ "type": "string", "format": "binary", "description": "The photo" });
    let mut form = media(
        "multipart/form-data",
        json!({ "type": "object", "required": ["photo"], "properties": {
        "photo": { "$ref": "#/components/schemas/File" },
        "more": { "type": "array", "items": { "$ref": "#/components/schemas/File" } },
        "icon": {},
        "hash": { "type": "string", "contentEncoding": "base64", "contentMediaType": "image/png" },
        "title": { "type": "string" },
    } }),
    );
    form.encoding = vec![(
        "icon".to_owned(),
        Encoding {
            content_type: Some("image/png, image/jpeg".to_owned()),
            style: None,
            explode: true,
            allow_reserved: false,
            headers: Vec::new(),
        },
    )];
    let tool = only(with_body(vec![form]), &json!({ "File": file }));
    let Some(BodyCodec::Multipart(fields)) =
        target(&tool).body.as_ref().map(|body| &body.media[0].codec)
    else {
        panic!("the body is multipart");
    };
    let kinds: Vec<(&str, PartKind)> = fields
        .iter()
        .map(|one| (&*one.property, one.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("photo", PartKind::File),
            ("more", PartKind::Files),
            ("icon", PartKind::File)
        ]
    );
    let schema = tool.input_schema.parse();
    let properties = &schema["properties"]["body"]["properties"];
    assert!(properties["photo"]["anyOf"][1]["properties"]["data"].is_object());
    assert!(properties["more"]["items"]["anyOf"].is_array());
    assert_eq!(properties["title"], json!({ "type": "string" }));
    for photo in [
        json!("R0lG"),
        json!({ "data": "R0lG", "filename": "a.gif" }),
    ] {
        assert!(accepts(&schema, &json!({ "body": { "photo": photo } })));
    }
    assert!(!accepts(&schema, &json!({ "body": {} })));
}

#[test]
fn an_xml_part_has_the_names_of_its_schema() {
    let thing =
        json!({ "type": "object", "properties": { "id": { "xml": { "attribute": true } } } });
    let mut form = media(
        "multipart/form-data",
        json!({ "type": "object", "properties": {
            "one": { "$ref": "#/components/schemas/Thing" },
            "many": { "type": "array", "items": thing },
            "json": thing,
        } }),
    );
    let encoding = |kind: &str| Encoding {
        content_type: Some(kind.to_owned()),
        style: None,
        explode: true,
        allow_reserved: false,
        headers: Vec::new(),
    };
    form.encoding = vec![
        ("one".to_owned(), encoding("application/xml; charset=utf-8")),
        ("many".to_owned(), encoding("text/xml")),
        ("json".to_owned(), encoding("application/json")),
    ];
    let tool = only(with_body(vec![form]), &json!({ "Thing": thing }));
    let Some(BodyCodec::Multipart(fields)) =
        target(&tool).body.as_ref().map(|body| &body.media[0].codec)
    else {
        panic!("the body is multipart");
    };
    let names: Vec<_> = fields.iter().map(|one| one.xml.as_ref()).collect();
    assert_eq!(names[0].unwrap().name, "Thing");
    assert_eq!(names[1].unwrap().name, "many");
    assert!(names[1].unwrap().properties[0].1.attribute);
    assert!(names[2].is_none());
}

#[test]
fn a_sequence_is_a_list_of_its_items() {
    let item = json!({ "type": "object", "required": ["k"] });
    let mut stream = media("application/json-seq", json!(true));
    stream.item_schema = Some(item);
    let tool = only(with_body(vec![stream]), &json!({}));
    let codec = &target(&tool).body.as_ref().unwrap().media[0].codec;
    assert_eq!(*codec, BodyCodec::JsonLines);
    let schema = tool.input_schema.parse();
    assert!(accepts(&schema, &json!({ "body": [{ "k": 1 }] })));
    assert!(!accepts(&schema, &json!({ "body": [{}] })));
    // Nothing says what is in it.
    let raw = only(
        with_body(vec![media("application/json-seq", json!(true))]),
        &json!({}),
    );
    let codec = &target(&raw).body.as_ref().unwrap().media[0].codec;
    assert_eq!(*codec, BodyCodec::Binary);
}

#[test]
fn parts_without_names_are_not_sent() {
    let mut stream = media("multipart/mixed", json!(true));
    stream.item_schema = Some(json!({ "type": "object" }));
    let operation = with_body(vec![stream.clone()]);
    let found = run(&document(vec![operation], &json!({})), &Settings::default());
    assert!(found.tools.is_empty());
    assert!(found.skipped[0].reason.contains("no fields to send"));
    let also = with_body(vec![stream, media("application/json", json!(true))]);
    let tool = only(also, &json!({}));
    let media = &target(&tool).body.as_ref().unwrap().media;
    assert_eq!((media.len(), &media[0].codec), (1, &BodyCodec::Json));
}

#[test]
fn a_file_that_may_be_null_stays_so() {
    let file = json!({ "type": "string", "format": "binary" });
    let list = json!({ "type": "array", "items": file });
    let none = json!({ "type": "null" });
    let form = json!({ "type": "object", "properties": {
        "one": { "anyOf": [file, none] },
        "typed": { "type": ["string", "null"], "format": "binary" },
        "many": { "anyOf": [list, none] },
        "must": file,
        "all": list,
    } });
    let schema = input(
        with_body(vec![media("multipart/form-data", form)]),
        &json!({}),
    );
    for (name, taken) in [
        ("one", true),
        ("typed", true),
        ("many", true),
        ("must", false),
        ("all", false),
    ] {
        assert_eq!(
            accepts(&schema, &json!({ "body": { name: null } })),
            taken,
            "{name}"
        );
    }
    assert!(accepts(
        &schema,
        &json!({ "body": { "one": "aGk=", "many": ["aGk="] } })
    ));
    assert!(!accepts(&schema, &json!({ "body": { "many": [null] } })));
}

#[test]
fn an_encoding_that_changes_nothing_is_a_file() {
    for (schema, kind) in [
        (
            json!({ "type": "string", "contentEncoding": "binary" }),
            PartKind::File,
        ),
        (json!({ "contentEncoding": "Binary" }), PartKind::File),
        (
            json!({ "type": "array", "items": { "type": "string", "contentEncoding": "binary" } }),
            PartKind::Files,
        ),
        (
            json!({ "type": "string", "contentMediaType": "image/png", "contentEncoding": "8bit" }),
            PartKind::File,
        ),
        (
            json!({ "type": "string", "contentEncoding": "7bit" }),
            PartKind::Value,
        ),
        (
            json!({ "type": "string", "contentMediaType": "image/png", "contentEncoding": "base64" }),
            PartKind::Value,
        ),
    ] {
        let form = json!({ "type": "object", "properties": { "f": schema } });
        let tool = only(
            with_body(vec![media("multipart/form-data", form)]),
            &json!({}),
        );
        let Some(BodyCodec::Multipart(fields)) =
            target(&tool).body.as_ref().map(|body| &body.media[0].codec)
        else {
            panic!("the body is multipart");
        };
        let found = fields.first().map_or(PartKind::Value, |field| field.kind);
        assert_eq!(found, kind, "{schema}");
        let literal = fields.first().is_some_and(|field| field.literal);
        let plain = schema.get("contentMediaType").is_none();
        assert_eq!(literal, plain && kind != PartKind::Value, "{schema}");
    }
    let bytes = json!({ "type": "string", "contentEncoding": "binary" });
    let tool = only(with_body(vec![media("*/*", bytes)]), &json!({}));
    let body = target(&tool).body.as_ref().unwrap();
    assert_eq!(body.media[0].codec, BodyCodec::Binary);
}

#[test]
fn xml_names_follow_the_value() {
    let components = json!({ "Pet": { "type": "object", "xml": { "name": "pet" }, "properties": {
        "id": { "type": "integer", "xml": { "attribute": true } },
        "tags": { "type": "array", "xml": { "wrapped": true }, "items": { "xml": { "name": "tag" } } },
        "mother": { "$ref": "#/components/schemas/Pet" },
        "name": { "type": "string" },
        "said": { "type": "string", "xml": { "nodeType": "text" } },
        "raw": { "type": "string", "xml": { "nodeType": "cdata" } },
    } } });
    let tool = only(
        with_body(vec![media(
            "application/xml",
            json!({ "$ref": "#/components/schemas/Pet" }),
        )]),
        &components,
    );
    let Some(BodyCodec::Xml(names)) = target(&tool).body.as_ref().map(|body| &body.media[0].codec)
    else {
        panic!("the body is xml");
    };
    assert_eq!(names.name, "pet");
    let told: Vec<&str> = names.properties.iter().map(|(name, _)| &**name).collect();
    assert_eq!(told, ["id", "tags", "mother", "said", "raw"]);
    assert_eq!(names.properties[3].1.text, Some(XmlText::Plain));
    assert_eq!(names.properties[4].1.text, Some(XmlText::Cdata));
    assert!(names.properties[0].1.attribute && names.properties[1].1.wrapped);
    assert_eq!(names.properties[1].1.items.as_ref().unwrap().name, "tag");
}

#[test]
fn a_form_without_fields_is_not_sent() {
    let text = json!({ "type": "string" });
    let list = json!({ "$ref": "#/components/schemas/List" });
    let components = json!({ "List": { "type": "array", "items": {} } });
    let object = json!({ "type": ["object", "null"] });
    for (content, required, tools, sent) in [
        (
            vec![("application/x-www-form-urlencoded", &list)],
            true,
            0,
            false,
        ),
        (
            vec![("application/x-www-form-urlencoded", &list)],
            false,
            1,
            false,
        ),
        // Who describes a form as a text means its fields as they are sent.
        (
            vec![("application/x-www-form-urlencoded", &text)],
            true,
            1,
            true,
        ),
        (vec![("multipart/form-data", &list)], true, 0, false),
        (vec![("multipart/mixed", &list)], true, 0, false),
        (
            vec![("multipart/form-data", &list), ("application/xml", &list)],
            true,
            1,
            true,
        ),
        (vec![("multipart/form-data", &object)], true, 1, true),
        (vec![("multipart/form-data", &json!({}))], true, 1, true),
        (vec![("application/json", &list)], true, 1, true),
    ] {
        let content = content
            .into_iter()
            .map(|(name, schema)| media(name, schema.clone()));
        let mut post = with_body(content.collect());
        post.request_body.as_mut().unwrap().required = required;
        let document = document(vec![post], &components);
        let found = run(&document, &Settings::default());
        assert_eq!(found.tools.len(), tools);
        for tool in &found.tools {
            assert_eq!(target(tool).body.is_some(), sent);
        }
        let reasons = found.skipped.iter().map(|one| one.reason.as_str());
        let said = reasons.chain(found.notes.iter().map(String::as_str));
        let told = said
            .filter(|text| text.contains("no fields to send"))
            .count();
        assert_eq!(told, usize::from(!sent), "{:?}", found.notes);
    }
}
