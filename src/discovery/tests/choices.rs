//! The choice among media types whose bodies differ.

use super::*;

/// A schema of this body, and the media types in their groups.
fn offered(content: &[(&str, Value)], shape: BodyShape) -> (Value, Vec<String>) {
    let content = content
        .iter()
        .map(|(name, schema)| media(name, schema.clone()));
    let document = document(vec![with_body(content.collect())], &json!({}));
    let settings = Settings {
        body: shape,
        ..Settings::default()
    };
    let tool = run(&document, &settings).tools.remove(0);
    let media = &target(&tool).body.as_ref().unwrap().media;
    let names = media.iter().map(|one| one.media_type.clone()).collect();
    (tool.input_schema.parse(), names)
}

#[test]
fn bodies_of_different_kinds_are_checked_by_the_chosen_one() {
    let link = json!({ "type": "object", "required": ["url"], "properties": { "url": { "type": "string" } } });
    let upload = json!({ "type": "object", "required": ["file"], "properties": {
        "file": { "type": "string", "format": "binary" }, "url": { "type": "integer" } } });
    let content = [
        ("multipart/form-data", upload),
        ("application/json", link),
        ("text/plain", json!({ "type": "string" })),
    ];
    let (schema, names) = offered(&content, BodyShape::Whole);
    assert_eq!(
        names,
        ["application/json", "multipart/form-data", "text/plain"]
    );
    let url = json!({ "url": "u" });
    let file = json!({ "file": "aGk=", "url": 1 });
    for (body, choice, fits) in [
        (&url, None, true),
        (&url, Some("application/json"), true),
        (&url, Some("multipart/form-data"), false),
        (&url, Some("text/plain"), false),
        (&file, None, true),
        (&file, Some("multipart/form-data"), true),
        (&file, Some("application/json"), false),
        (&json!({ "url": "u", "file": null }), None, true),
        (&json!({ "url": "u", "file": "aGk=" }), None, false),
        (&json!("text"), None, true),
        (&json!("{\"url\": 1}"), None, false),
        (&json!(["text"]), None, false),
        (&json!("text"), Some("text/plain"), true),
        (&json!("text"), Some("multipart/form-data"), false),
    ] {
        let mut arguments = json!({ "body": body });
        if let Some(choice) = choice {
            arguments["contentType"] = choice.into();
        }
        assert_eq!(accepts(&schema, &arguments), fits, "{arguments}");
    }
}

#[test]
fn the_type_of_a_body_tells_which_media_type_is_meant() {
    let binary = json!({ "type": "string", "format": "binary" });
    let upload = json!({ "type": "object", "properties": { "media": binary } });
    let lines = json!({ "type": "array", "items": { "type": "integer" } });
    let content = [
        ("multipart/form-data", upload),
        ("application/octet-stream", binary),
        ("application/x-ndjson", lines),
    ];
    let (schema, names) = offered(&content, BodyShape::Whole);
    assert_eq!(
        names,
        [
            "multipart/form-data",
            "application/x-ndjson",
            "application/octet-stream"
        ]
    );
    for (body, fits) in [
        (json!({ "media": "aGk=" }), true),
        (json!("aGk="), true),
        (json!([1, 2]), true),
        (json!(["a"]), false),
        (json!(5), false),
    ] {
        assert_eq!(accepts(&schema, &json!({ "body": body })), fits, "{body}");
    }
    let choice = &schema["properties"]["contentType"];
    assert!(choice.get("default").is_none(), "{choice}");
    let told = choice["description"].as_str().unwrap();
    assert!(
        told.contains("Without it: `application/x-ndjson` where it is of type array, `application/octet-stream` where it is of type string, else `multipart/form-data`."),
        "{told}"
    );
}

#[test]
fn what_is_no_file_is_the_best_types() {
    let file = json!({ "type": "string", "format": "binary" });
    let link = json!({ "type": "object", "required": ["image"], "properties": {
        "image": { "type": ["object", "string"], "properties": { "url": { "type": "string" } }, "required": ["url"] },
        "more": { "type": "string" } } });
    let upload = json!({ "type": "object", "required": ["image", "size"], "properties": {
        "image": file, "more": file, "size": { "type": "integer" } } });
    let content = [("application/json", link), ("multipart/form-data", upload)];
    let (schema, _) = offered(&content, BodyShape::Whole);
    for (body, fits) in [
        (json!({ "image": { "url": "u" } }), true),
        (json!({ "image": "https://a.test/i.png" }), true),
        (json!({ "image": { "src": "u" } }), false),
        // These are files, and lack a size.
        (json!({ "image": "aGk=" }), false),
        (json!({ "image": { "text": "hi" } }), false),
        (json!({ "image": { "text": "hi" }, "size": 1 }), true),
        (
            json!({ "image": "aGk=", "more": { "data": "aGk=" }, "size": 1 }),
            true,
        ),
        // One of the two is none.
        (json!({ "image": "aGk=", "more": "not one!" }), true),
    ] {
        let arguments = json!({ "body": body });
        assert_eq!(accepts(&schema, &arguments), fits, "{arguments}");
    }
}

#[test]
fn one_schema_with_files_tells_json_from_multipart() {
    let schema = json!({ "type": "object", "properties": {
        "title": { "type": "string" },
        "file": { "type": "string", "format": "binary" },
        "more": { "type": "array", "items": { "type": "string", "format": "binary" } } } });
    let names = [
        "application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ];
    let content = names.map(|name| (name, schema.clone()));
    for shape in [BodyShape::Whole, BodyShape::Flat] {
        let (found, media) = offered(&content, shape);
        assert_eq!(media, names);
        let choice = &found["properties"]["contentType"];
        assert_eq!(choice["enum"], json!(names));
        // The default rests on the body.
        assert!(choice.get("default").is_none(), "{choice}");
        let told = choice["description"].as_str().unwrap();
        assert!(
            told.contains("`multipart/form-data` where the body holds a file"),
            "{told}"
        );
        let fields = match found["properties"].get("body") {
            Some(body) => &body["properties"],
            None => &found["properties"],
        };
        assert!(
            fields["file"]["anyOf"][1]["properties"]["data"].is_object(),
            "{found}"
        );
    }
    let (found, _) = offered(&content, BodyShape::Whole);
    for (body, choice, fits) in [
        (
            json!({ "file": { "data": "aGk=" } }),
            "multipart/form-data",
            true,
        ),
        (
            json!({ "file": { "data": "aGk=" } }),
            "application/json",
            false,
        ),
        (
            json!({ "more": [{ "data": "aGk=" }] }),
            "application/json",
            false,
        ),
        (
            json!({ "file": "a", "more": ["a"] }),
            "application/json",
            true,
        ),
    ] {
        let arguments = json!({ "body": body, "contentType": choice });
        assert_eq!(accepts(&found, &arguments), fits, "{arguments}");
    }
}

#[test]
fn flat_properties_are_of_one_kind_unless_another_has_files() {
    let object =
        |name: &str, schema: Value| json!({ "type": "object", "properties": { name: schema } });
    let json = ("application/json", object("a", json!({ "type": "string" })));
    let form = (
        "application/x-www-form-urlencoded",
        object("b", json!({ "type": "string" })),
    );
    let file = json!({ "type": "string", "format": "binary" });
    let upload = ("multipart/form-data", object("f", file));
    let (schema, names) = offered(&[json.clone(), form], BodyShape::Flat);
    assert_eq!(names, ["application/json"]);
    assert!(schema["properties"].get("a").is_some(), "{schema}");
    let (schema, names) = offered(&[json, upload], BodyShape::Flat);
    assert_eq!(names, ["application/json", "multipart/form-data"]);
    assert!(schema["properties"].get("body").is_some(), "{schema}");
}
