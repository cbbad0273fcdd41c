//! How each kind of fault is worded.

use super::*;

/// Schema of `x`, its value, and the fault: place, keyword, message.
const WORDINGS: [(&str, &str, &str, &str, &str); 22] = [
    (
        r#"{"type":"integer"}"#,
        "\"42\"",
        "/x",
        "type",
        "expected integer, found the string \"42\"",
    ),
    (
        r#"{"type":"integer"}"#,
        "3.70",
        "/x",
        "type",
        "expected integer, found 3.70",
    ),
    (
        r#"{"type":["string","null"]}"#,
        "true",
        "/x",
        "type",
        "expected null or string, found true",
    ),
    (
        r#"{"type":"object"}"#,
        "[1,2]",
        "/x",
        "type",
        "expected object, found an array of 2",
    ),
    (
        r#"{"enum":["Active","Inactive"]}"#,
        "\"actve\"",
        "/x",
        "enum",
        "expected one of \"Active\", \"Inactive\", found the string \"actve\"; did you mean \"Active\"?",
    ),
    (
        r#"{"enum":[0,1]}"#,
        "99",
        "/x",
        "enum",
        "expected one of 0, 1, found 99",
    ),
    (
        r#"{"const":"a"}"#,
        "\"b\"",
        "/x",
        "const",
        "expected \"a\", found the string \"b\"",
    ),
    (
        r#"{"minimum":1}"#,
        "0",
        "/x",
        "minimum",
        "expected at least 1, found 0",
    ),
    (
        r#"{"maximum":1}"#,
        "2",
        "/x",
        "maximum",
        "expected at most 1, found 2",
    ),
    (
        r#"{"exclusiveMinimum":1}"#,
        "1",
        "/x",
        "exclusiveMinimum",
        "expected more than 1, found 1",
    ),
    (
        r#"{"exclusiveMaximum":1}"#,
        "1",
        "/x",
        "exclusiveMaximum",
        "expected less than 1, found 1",
    ),
    (
        r#"{"multipleOf":5}"#,
        "7",
        "/x",
        "multipleOf",
        "expected a multiple of 5, found 7",
    ),
    (
        r#"{"minLength":2}"#,
        "\"ü\"",
        "/x",
        "minLength",
        "expected at least 2 characters, found 1",
    ),
    (
        r#"{"maxLength":1}"#,
        "\"abc\"",
        "/x",
        "maxLength",
        "expected at most 1 character, found 3",
    ),
    (
        r#"{"minItems":1}"#,
        "[]",
        "/x",
        "minItems",
        "expected at least 1 item, found 0",
    ),
    (
        r#"{"maxItems":1}"#,
        "[1,2]",
        "/x",
        "maxItems",
        "expected at most 1 item, found 2",
    ),
    (
        r#"{"uniqueItems":true}"#,
        "[1,1]",
        "/x",
        "uniqueItems",
        "expected items that all differ",
    ),
    (
        r#"{"maxProperties":0}"#,
        "{\"a\":1}",
        "/x",
        "maxProperties",
        "expected at most 0 members, found 1",
    ),
    (
        r#"{"pattern":"^a+$"}"#,
        "\"b\"",
        "/x",
        "pattern",
        "expected a text that matches `^a+$`, found the string \"b\"",
    ),
    (
        r#"{"not":{"const":1}}"#,
        "1",
        "/x",
        "not",
        "expected another value, found 1, which is excluded",
    ),
    (
        r#"{"items":{"type":"integer"}}"#,
        "[1,true]",
        "/x/1",
        "type",
        "expected integer, found true",
    ),
    (
        r#"{"properties":{"a/b":{"type":"integer"}}}"#,
        "{\"a/b\":true}",
        "/x/a~1b",
        "type",
        "expected integer, found true",
    ),
];

#[test]
fn each_fault_names_its_place_its_keyword_and_what_was_expected() {
    for (schema, value, path, keyword, message) in WORDINGS {
        let schema = property(serde_json::from_str(schema).unwrap());
        let value: Value = serde_json::from_str(value).unwrap();
        let found = only(&schema, json!({ "x": value }));
        assert_eq!(
            (found.0.as_str(), found.1.as_str(), found.2.as_str()),
            (path, keyword, message)
        );
    }
    let long = only(
        &property(json!({"type": "integer"})),
        json!({"x": "y".repeat(200)}),
    );
    assert_eq!(
        long.2,
        format!(
            "expected integer, found the string \"{}...\"",
            "y".repeat(80)
        )
    );
}

#[test]
fn alternatives_are_explained_by_the_closest_one() {
    let nullable = property(json!({"anyOf": [
        {"type": "object", "properties": {"n": {"type": "integer"}}}, {"type": "null"}
    ]}));
    let (path, keyword, message) = only(&nullable, json!({"x": {"n": "a"}}));
    assert_eq!((path.as_str(), keyword.as_str()), ("/x/n", "type"));
    assert_eq!(message, "expected integer, found the string \"a\"");
    let (path, _, message) = only(&nullable, json!({"x": 5}));
    assert_eq!(
        (path.as_str(), message.as_str()),
        ("/x", "expected object or null, found 5")
    );

    let union = property(json!({"oneOf": [
        {"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}
    ]}));
    let mut union = union;
    union["$defs"] = json!({
        "Cat": {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}}},
        "Dog": {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "dog"}, "tail": {"type": "string"}, "age": {"type": "integer"}}}
    });
    let found = faults(
        &union,
        json!({"x": {"kind": "dog", "tail": 1, "age": "old"}}),
    );
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0].0, "/x/tail");
    assert_eq!(
        found[0].2,
        "expected string, found 1 (in the closest of 2 alternatives)"
    );
    assert_eq!(found[1].0, "/x/age");

    let several = property(json!({"oneOf": [{"type": "integer"}, {"type": "number"}]}));
    assert_eq!(only(&several, json!({"x": 1})).1, "oneOf");
}
