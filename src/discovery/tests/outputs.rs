//! Output schemas.

use super::*;

#[test]
fn output_schemas_accept_every_object() {
    let pet = json!({ "type": "object", "required": ["id"], "additionalProperties": false,
        "properties": { "id": { "type": "integer" } } });
    for (schema, place) in [
        (pet.clone(), "/properties/id/anyOf/0/type"),
        (
            json!({ "type": "array", "items": pet }),
            "/properties/result/anyOf/0/items",
        ),
        (
            json!({ "type": "string" }),
            "/properties/result/anyOf/0/type",
        ),
        (
            json!({ "type": "object", "additionalProperties": { "type": "integer" } }),
            "/patternProperties/.*/anyOf/0/type",
        ),
        (
            json!({ "type": "object", "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
            "/type",
        ),
    ] {
        let mut get = operation("GET", "/x");
        get.responses = vec![
            response(
                "default",
                vec![media("application/json", json!({ "title": "Error" }))],
            ),
            response("204", Vec::new()),
            response(
                "200",
                vec![
                    media("text/html", json!({})),
                    media("application/json", schema.clone()),
                ],
            ),
        ];
        let output = only(get, &json!({})).output_schema.unwrap().parse();
        assert!(output.pointer(place).is_some(), "{output}");
        for real in [
            json!({}),
            json!({ "id": "x", "extra": null }),
            json!({ "result": 7 }),
        ] {
            assert!(accepts(&output, &real), "{output} {real}");
        }
    }
}

#[test]
fn what_an_answer_is_beside_its_schema_is_known() {
    let pet = json!({ "type": "object", "required": ["id", "pin"], "properties": {
        "id": { "type": "integer" }, "pin": { "type": "string", "writeOnly": true } } });
    let list = json!({ "type": "array", "items": {} });
    let promise = |status: Option<u16>, required: &[&str], is_wrapped| {
        Some(crate::tool::Promise {
            status,
            required: required.iter().map(|name| (*name).to_owned()).collect(),
            is_wrapped,
        })
    };
    let plain = "application/json";
    for (statuses, media_type, schema, expected) in [
        (
            &["200", "default"][..],
            plain,
            &pet,
            promise(Some(200), &["id"], false),
        ),
        (&["2XX"], plain, &list, promise(None, &[], true)),
        (
            &["default"],
            "a/b+json",
            &pet,
            promise(None, &["id"], false),
        ),
        // Some answers of this kind are another response's.
        (&["2XX", "204"], plain, &pet, None),
        // Not one value.
        (&["200"], "application/x-ndjson", &list, None),
        (&["200"], "*/*", &list, None),
    ] {
        let mut get = operation("GET", "/x");
        let content = |first: bool| first.then(|| media(media_type, schema.clone()));
        let responses = statuses.iter().enumerate();
        let responses =
            responses.map(|(at, status)| response(status, content(at == 0).into_iter().collect()));
        get.responses = responses.collect();
        let tool = only(get, &json!({}));
        assert!(tool.output_schema.is_some());
        assert_eq!(target(&tool).promise, expected, "{statuses:?} {media_type}");
    }
}

#[test]
fn output_schemas_are_left_out() {
    let mut get = operation("GET", "/x");
    let long =
        json!({ "type": "object", "properties": { "a": { "description": "x".repeat(20_000) } } });
    get.responses = vec![response("200", vec![media("application/json", long)])];
    let both = document(vec![get.clone(), operation("GET", "/y")], &json!({}));
    let found = run(&both, &Settings::default());
    assert!(found.tools.iter().all(|tool| tool.output_schema.is_none()));
    assert!(
        found.notes[0].contains("1 output schemas left out"),
        "{:?}",
        found.notes
    );

    get.responses = vec![response(
        "200",
        vec![media("application/json", json!({ "type": "object" }))],
    )];
    assert!(only(get.clone(), &json!({})).output_schema.is_some());
    let off = Settings {
        output_schemas: OutputSchemas::Off,
        ..Settings::default()
    };
    let found = run(&document(vec![get], &json!({})), &off);
    assert_eq!(found.tools[0].output_schema, None);
}
