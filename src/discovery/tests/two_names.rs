//! An operation that the configuration names twice: by operationId and by place.

use super::*;

/// `POST /pay`, `pay` by its operationId, with what both entries say of it.
fn twice(by_id: Value, by_place: Value) -> Discovery {
    let mut pay = operation("POST", "/pay");
    pay.operation_id = Some("pay".to_owned());
    pay.parameters = ["tier", "limit"]
        .map(|name| parameter(name, Query, json!({})))
        .into();
    let entries = [("pay", by_id), ("POST /pay", by_place)];
    let entries = entries.map(|(key, over)| (key.to_owned(), over));
    let settings = Settings {
        overrides: entries
            .map(|(key, over)| (key, serde_json::from_value(over).unwrap()))
            .into(),
        ..Settings::default()
    };
    let found = run(&document(vec![pay], &json!({})), &settings);
    assert_eq!(found.warnings, [""; 0], "both entries fit the operation");
    found
}

#[test]
fn both_entries_count_and_the_operation_id_says_more() {
    let by_id = json!({ "title": "Pay", "parameters": { "limit": { "description": "By id." } } });
    let by_place = json!({
        "title": "Pays", "description": "By place.", "annotations": { "idempotentHint": true },
        "parameters": { "limit": { "description": "No.", "default": 5 }, "tier": { "value": "basic" } },
    });
    let tool = twice(by_id, by_place).tools.remove(0);
    assert_eq!(tool.title.as_deref(), Some("Pay"));
    assert!(tool.description.contains("By place."), "{tool:?}");
    assert_eq!(tool.annotations.idempotent_hint, Some(true));
    let properties = tool.input_schema.parse()["properties"].take();
    assert!(properties.get("tier").is_none(), "{properties}");
    assert_eq!(properties["limit"]["description"], "By id.");
    assert_eq!(properties["limit"]["default"], 5);
}

#[test]
fn neither_entry_takes_back_what_the_other_restricts() {
    let (yes, no) = (json!({ "confirm": true }), json!({ "confirm": false }));
    for (by_id, by_place, expected) in [
        (&yes, &no, true),
        (&no, &yes, true),
        (&json!({ "title": "Pay" }), &yes, true),
        (&no, &no, false),
    ] {
        let tools = twice(by_id.clone(), by_place.clone()).tools;
        assert_eq!(tools[0].confirm, expected, "{by_id} {by_place}");
    }
    for (by_id, by_place, expected) in [
        (json!(false), json!("not yet"), Some("not yet")),
        (json!("not yet"), json!(false), Some("not yet")),
        (json!("mine"), json!(true), Some("mine")),
        (json!(false), json!(false), None),
    ] {
        let entry = |exclude| json!({ "exclude": exclude });
        let found = twice(entry(by_id), entry(by_place));
        let reason = found.skipped.first().map(|one| one.reason.as_str());
        assert_eq!(reason, expected);
    }
}
