//! What is accepted, what is put right, and how each kind of fault is worded.

mod unasserted;
mod wording;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn check(schema: &Value, mut arguments: Value) -> Result<Value, Vec<Fault>> {
    let validator = Validator::compile(&Json::from_value(schema)).unwrap();
    validator
        .check(&mut arguments, |_, _| false)
        .map(|()| arguments)
}

fn faults(schema: &Value, arguments: Value) -> Vec<(String, String, String)> {
    check(schema, arguments)
        .unwrap_err()
        .into_iter()
        .map(|fault| (fault.path, fault.keyword, fault.message))
        .collect()
}

fn only(schema: &Value, arguments: Value) -> (String, String, String) {
    let faults = faults(schema, arguments);
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults.into_iter().next().unwrap()
}

fn property(schema: Value) -> Value {
    let mut root = json!({"type": "object", "properties": {}, "additionalProperties": false});
    root["properties"]["x"] = schema;
    root
}

#[test]
fn a_missing_argument_is_named_with_its_type() {
    let schema = json!({
        "type": "object",
        "properties": {"petId": {"$ref": "#/$defs/Id"}, "body": {
            "type": "object", "properties": {"name": {"type": ["string", "null"]}}, "required": ["name"]
        }},
        "required": ["petId"],
        "$defs": {"Id": {"type": "integer"}}
    });
    let found = faults(&schema, json!({"body": {}}));
    let missing =
        |path: &str, message: &str| (path.to_owned(), "required".to_owned(), message.to_owned());
    assert!(
        found.contains(&missing(
            "/petId",
            "missing required argument `petId` (integer)"
        )),
        "{found:?}"
    );
    assert!(
        found.contains(&missing(
            "/body/name",
            "missing required property `name` (string or null)"
        )),
        "{found:?}"
    );
    assert_eq!(found.len(), 2);
    assert_eq!(faults(&schema, Value::Null).len(), 1);
}

#[test]
fn an_unknown_argument_is_answered_with_what_was_meant() {
    let schema = json!({
        "type": "object",
        "properties": {"petId": {}, "limit": {}},
        "additionalProperties": false
    });
    let cases = [
        ("petid", "unknown argument `petid`; did you mean `petId`?"),
        ("pet_id", "unknown argument `pet_id`; did you mean `petId`?"),
        ("limti", "unknown argument `limti`; did you mean `limit`?"),
        (
            "colour",
            "unknown argument `colour`; known: `petId`, `limit`",
        ),
    ];
    for (name, message) in cases {
        let (path, keyword, found) = only(&schema, json!({name: 1}));
        assert_eq!(
            (path.as_str(), keyword.as_str()),
            (format!("/{name}").as_str(), "additionalProperties")
        );
        assert_eq!(found, message);
    }
    let empty = json!({"type": "object", "additionalProperties": false});
    assert_eq!(
        only(&empty, json!({"a": 1})).2,
        "unknown argument `a`; none is expected here"
    );
    let nested = property(empty);
    let found = faults(&nested, json!({"x": {"a": 1, "b": 2}}));
    let paths: Vec<_> = found.iter().map(|fault| fault.0.as_str()).collect();
    assert_eq!(paths, ["/x/a", "/x/b"]);
}

#[test]
fn values_of_secret_fields_are_never_shown() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": {"type": "string", "format": "password", "minLength": 20, "pattern": "^x"},
            "b": {"$ref": "#/$defs/Secret"},
            "c": {"allOf": [{"enum": ["hunter1"]}], "writeOnly": true},
            "d": {"writeOnly": true, "anyOf": [{"type": "integer"}, {"type": "object", "properties": {"k": {"type": "integer"}}}]},
            "e": {"type": "integer", "format": "password"},
            "f": {"type": "string", "maxLength": 3, "pattern": "^x", "x-sensitive": true}
        },
        "$defs": {"Secret": {"format": "password", "const": "hunter1"}}
    });
    let found = faults(
        &schema,
        json!({
            "a": "hunter2", "b": "hunter2", "c": "hunter2", "d": {"k": "hunter2"}, "e": "hunter2", "f": "hunter2"
        }),
    );
    assert!(found.len() >= 8, "{found:?}");
    for (path, _, message) in &found {
        assert!(!message.contains("hunter2"), "{path}: {message}");
    }
}

#[test]
fn what_the_caller_of_the_check_hides_is_not_repeated() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "string", "pattern": "^x"},
        "list": {"items": {"enum": ["hunter1"]}}
    }});
    let validator = Validator::compile(&Json::from_value(&schema)).unwrap();
    let mut arguments = json!({"a": "plain", "list": ["hunter2", "hunter3"]});
    let hidden = |place: &str, value: &Value| place == "/list/0" || value == "plain";
    let faults = validator.check(&mut arguments, hidden).unwrap_err();
    let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "expected a text that matches `^x`, found a string (masked)",
            "expected \"hunter1\", found a string (masked)",
            "expected \"hunter1\", found the string \"hunter3\"; did you mean \"hunter1\"?"
        ]
    );
}

#[test]
fn a_json_text_becomes_what_is_wanted_and_nothing_else_does() {
    let schema = json!({
        "type": "object",
        "properties": {
            "object": {"type": "object", "properties": {"inner": {"type": "array"}}},
            "list": {"type": ["array", "null"]},
            "either": {"anyOf": [{"type": "object"}, {"type": "null"}]},
            "text": {"type": "string"},
            "both": {"type": ["object", "string"]},
            "number": {"type": "integer"}
        }
    });
    let repaired = check(
        &schema,
        json!({
            "object": r#"{"inner": "[1, 20000000000000000000001]", "n": 1.50}"#,
            "list": "[1]",
            "either": "{\"a\":1}",
            "text": "{\"a\":1}",
            "both": "{\"a\":1}"
        }),
    );
    let expected: Value = serde_json::from_str(
        r#"{"object": {"inner": [1, 20000000000000000000001], "n": 1.50}, "list": [1],
            "either": {"a": 1}, "text": "{\"a\":1}", "both": "{\"a\":1}"}"#,
    )
    .unwrap();
    assert_eq!(repaired.unwrap(), expected);
    for (name, value) in [
        ("object", "[1]"),
        ("list", "{}"),
        ("object", "not json"),
        ("number", "42"),
    ] {
        assert_eq!(only(&schema, json!({name: value})).1, "type");
    }
}

#[test]
fn null_for_an_optional_argument_is_as_good_as_none() {
    let schema = json!({
        "type": "object",
        "properties": {
            "optional": {"type": "string"},
            "nullable": {"type": ["string", "null"]},
            "required": {"type": "string"},
            "body": {"type": "object", "properties": {"n": {"type": "string"}}}
        },
        "required": ["required"]
    });
    let kept = check(
        &schema,
        json!({"optional": null, "nullable": null, "required": "r"}),
    )
    .unwrap();
    assert_eq!(kept, json!({"nullable": null, "required": "r"}));
    assert_eq!(only(&schema, json!({"required": null})).1, "required");
    // What is null inside a body was meant to be.
    assert_eq!(
        only(&schema, json!({"required": "r", "body": {"n": null}})).0,
        "/body/n"
    );
}

#[test]
fn very_many_faults_are_soon_counted() {
    let schema = json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false});
    let unknown: Map<String, Value> = (0..150_000).map(|n| (format!("x{n}"), json!(1))).collect();
    let found = faults(&schema, Value::Object(unknown));
    assert_eq!(found.len(), 21);
    assert_eq!(found[20].2, "149980 more faults are not listed");
}

#[test]
fn what_belongs_within_another_argument_is_told_so() {
    let member = json!({"type": "object", "properties": {"customer": {}}});
    let schema = json!({"type": "object", "additionalProperties": false,
        "properties": {"id": {}, "body": {"$ref": "#/$defs/B"}}, "$defs": {"B": member}});
    let (place, _, message) = only(&schema, json!({"customer": 1}));
    assert_eq!(place, "/customer");
    let expected =
        "unknown argument `customer`; `body` has a member of this name: give it within that";
    assert_eq!(message, expected);
    // Where several have one, it is not known which was meant.
    let schema = json!({"type": "object", "additionalProperties": false,
        "properties": {"a": member, "b": member}});
    let (_, _, message) = only(&schema, json!({"customer": 1}));
    assert_eq!(message, "unknown argument `customer`; known: `a`, `b`");
}

#[test]
fn many_faults_are_counted_and_not_listed() {
    let schema = property(json!({"items": {"type": "integer"}}));
    let items: Vec<Value> = (0..70).map(|_| json!("a")).collect();
    let found = faults(&schema, json!({"x": items}));
    assert_eq!(found.len(), 21);
    assert_eq!(found[20].2, "50 more faults are not listed");
}

#[test]
fn a_pattern_that_cannot_be_compiled_costs_only_itself() {
    let schema = json!({
        "type": "object",
        "properties": {
            "x": {"type": "string", "pattern": "(?<bad", "maxLength": 3},
            "y": {"type": "string", "pattern": "^[a-z]+$"},
            "pattern": {"type": "string"}
        },
        "patternProperties": {"[": {"type": "integer"}}
    });
    assert!(check(&schema, json!({"x": "any", "y": "a", "pattern": "("})).is_ok());
    let found = faults(&schema, json!({"x": "four", "y": "1"}));
    let keywords: Vec<_> = found.iter().map(|fault| fault.1.as_str()).collect();
    assert_eq!(keywords, ["maxLength", "pattern"]);
}

#[test]
fn a_pattern_that_explodes_is_given_up_not_followed() {
    let schema = property(json!({"type": "string", "pattern": r"^(a|a)*(?=b)c$"}));
    assert!(check(&schema, json!({"x": "a".repeat(5_000)})).is_ok());
}

/// Alternatives that all contain the same again: their faults double with every level.
#[test]
fn deep_alternatives_are_decided_and_explained_in_time() {
    let branch = |name: &str| json!({"required": [name], "properties": {"a": {"$ref": "#/$defs/S"}, "b": {"items": {"$ref": "#/$defs/S"}}}});
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let recursive = json!({
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/S"}},
            "$defs": {"S": {keyword: [branch("x"), branch("y"), branch("z")]}},
        });
        // The same without a circle: each definition contains the next one twice.
        let mut chain = recursive.clone();
        for level in 0..60 {
            let mut text = json!({keyword: [branch("x"), branch("y")]}).to_string();
            text = text.replace("$defs/S", &format!("$defs/S{}", level + 1));
            chain["$defs"][format!("S{level}")] = serde_json::from_str(&text).unwrap();
        }
        chain["$defs"]["S60"] = json!({"required": ["w"]});
        chain["properties"]["a"] = json!({"$ref": "#/$defs/S0"});
        for schema in [recursive, chain] {
            for (depth, many) in [(60, false), (60, true), (3, false)] {
                let mut value = json!({});
                for level in 0..depth {
                    value = match many && level % 2 == 0 {
                        true => json!({"x": 1, "b": [value, {"x": 1}]}),
                        false => json!({"x": 1, "a": value}),
                    };
                }
                let found = check(&schema, json!({ "a": value }));
                if let Err(faults) = found {
                    let unsaid = faults.iter().any(|fault| fault.keyword == "schema");
                    assert_eq!(unsaid, depth == 60, "{keyword} {depth} {faults:?}");
                }
            }
        }
    }
}

#[test]
fn a_schema_that_is_none_is_refused_with_its_place() {
    let broken =
        Json::from_value(&json!({"type": "object", "properties": {"a": {"type": "strnig"}}}));
    let error = Validator::compile(&broken).unwrap_err();
    assert!(error.pointer.starts_with("/properties/a"), "{error}");
    let remote = Json::from_value(&json!({"$ref": "http://192.0.2.1/schema.json"}));
    assert!(Validator::compile(&remote).is_err());
}

#[test]
fn numbers_are_compared_in_all_their_digits() {
    let schema: Value = serde_json::from_str(
        r#"{"properties": {"x": {"maximum": 20000000000000000000001}, "y": {"multipleOf": 0.01}}}"#,
    )
    .unwrap();
    let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert!(
        check(
            &schema,
            parse(r#"{"x": 20000000000000000000001, "y": 99.99}"#)
        )
        .is_ok()
    );
    let found = only(&schema, parse(r#"{"x": 20000000000000000000002}"#));
    assert_eq!(
        found.2,
        "expected at most 20000000000000000000001, found 20000000000000000000002"
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[ -~]{0,6}".prop_map(Value::from),
        Just(json!("{\"next\":{}}")),
        Just(json!("[1,\"[]\"]")),
    ];
    scalar.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::hash_map("next|list|name|secret|x", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_comes_is_accepted_repaired_or_explained(arguments in any_json()) {
        let schema = json!({
            "$ref": "#/$defs/Node", "type": "object",
            "$defs": {"Node": {
                "properties": {
                    "next": {"anyOf": [{"$ref": "#/$defs/Node", "type": "object"}, {"type": "null"}]},
                    "list": {"type": "array", "items": {"oneOf": [{"type": "integer"}, {"type": "array", "maxItems": 2}]}},
                    "name": {"type": "string", "enum": ["a", "b"]},
                    "secret": {"type": "string", "writeOnly": true, "maxLength": 2}
                },
                "required": ["name"], "unevaluatedProperties": false
            }}
        });
        let validator = Validator::compile(&Json::from_value(&schema)).unwrap();
        let before = arguments.clone();
        let mut after = arguments;
        match validator.check(&mut after, |_, _| false) {
            Ok(()) => prop_assert!(validator.compiled.is_valid(&after)),
            Err(faults) => prop_assert!(!faults.is_empty() && faults.len() <= 21),
        }
        if validator.compiled.is_valid(&before) {
            prop_assert_eq!(before, after);
        }
    }
}
