//! Profiles keep their keywords, take what the whole schema takes, and end.

use serde_json::{Value, json};

use super::*;

const ALL: [SchemaProfile; 4] = [
    SchemaProfile::Default,
    SchemaProfile::Openai,
    SchemaProfile::Gemini,
    SchemaProfile::Simple,
];

fn of(whole: &Value, profile: SchemaProfile) -> Value {
    let whole = Json::from_value(whole);
    listed(&whole, profile).unwrap_or(whole).parse()
}

fn accepts(schema: &Value, value: &Value) -> bool {
    let compiled = jsonschema::draft202012::new(schema);
    compiled
        .unwrap_or_else(|error| panic!("{error}: {schema}"))
        .is_valid(value)
}

/// The keywords a schema uses, with the places that hold no schemas left out.
fn keywords(schema: &Value, found: &mut Vec<String>) {
    let Value::Object(map) = schema else { return };
    for (keyword, value) in map {
        found.push(keyword.clone());
        match (keyword.as_str(), value) {
            ("properties" | "$defs", Value::Object(named)) => {
                named.values().for_each(|one| keywords(one, found));
            }
            ("anyOf", Value::Array(list)) => list.iter().for_each(|one| keywords(one, found)),
            ("items", one) => keywords(one, found),
            _ => {}
        }
    }
}

fn property(schema: &Value) -> Value {
    json!({"type": "object", "properties": {"x": schema}, "additionalProperties": false})
}

/// Schemas of one property `x`, and values of it that they take.
fn cases() -> Vec<(Value, Vec<Value>)> {
    let mut cases = single();
    cases.extend(composed());
    cases
}

fn single() -> Vec<(Value, Vec<Value>)> {
    vec![
        (
            json!({"type": "string", "format": "uuid", "pattern": "^a", "minLength": 2}),
            vec![json!("ab")],
        ),
        (
            json!({"type": ["string", "null"], "default": "a"}),
            vec![json!("a")],
        ),
        (
            json!({"type": ["string", "integer"]}),
            vec![json!("a"), json!(1)],
        ),
        (json!({"type": "integer", "enum": [1, 2]}), vec![json!(1)]),
        (
            json!({"enum": ["a", "", null]}),
            vec![json!("a"), json!("")],
        ),
        (json!({"enum": ["a", 1]}), vec![json!("a"), json!(1)]),
        (json!({"const": "only"}), vec![json!("only")]),
        (
            json!({"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}}),
            vec![json!(["a", 1]), json!([])],
        ),
        (
            json!({"type": "object", "patternProperties": {"^x": {"type": "string"}}, "additionalProperties": false}),
            vec![json!({"xa": "b"})],
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            vec![json!({"a": 1})],
        ),
    ]
}

fn composed() -> Vec<(Value, Vec<Value>)> {
    vec![
        (
            json!({"allOf": [
                {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                {"type": "object", "properties": {"b": {"type": "integer"}, "a": {"description": "A"}}},
            ]}),
            vec![json!({"a": "b", "b": 1, "c": []})],
        ),
        (
            json!({"oneOf": [
                {"type": "object", "properties": {"kind": {"const": "cat"}, "meow": {"type": "boolean"}}, "required": ["kind"]},
                {"type": "object", "properties": {"kind": {"const": "dog"}, "bark": {"type": "integer"}}, "required": ["kind"]},
            ]}),
            vec![
                json!({"kind": "cat", "meow": true}),
                json!({"kind": "dog", "bark": 1, "meow": "says nothing"}),
            ],
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}], "description": "D"}),
            vec![json!("a"), json!(["a"])],
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            vec![json!("a")],
        ),
        (
            json!({"not": {"type": "string"}, "if": {"type": "integer"}, "then": {"minimum": 3}}),
            vec![json!(4), json!([])],
        ),
        (
            json!({"type": "object", "properties": {"a": {}}, "unevaluatedProperties": false, "minProperties": 1}),
            vec![json!({"a": 1})],
        ),
        (
            json!({"type": "object", "required": ["undeclared"]}),
            vec![json!({"undeclared": 1})],
        ),
        (Value::Bool(true), vec![json!(1), json!({})]),
        (
            json!({"type": "number", "multipleOf": 0.5, "exclusiveMinimum": 0}),
            vec![json!(1.5)],
        ),
    ]
}

#[test]
fn every_profile_takes_what_the_whole_schema_takes() {
    for (schema, values) in cases() {
        let whole = property(&schema);
        for profile in ALL {
            let listed = of(&whole, profile);
            assert!(jsonschema::draft202012::meta::is_valid(&listed), "{listed}");
            assert_eq!(listed["type"], "object");
            for value in &values {
                let arguments = json!({ "x": value });
                assert!(
                    accepts(&whole, &arguments),
                    "the case itself: {whole} {value}"
                );
                assert!(
                    accepts(&listed, &arguments),
                    "{profile:?}: {listed} {value}"
                );
            }
            assert!(accepts(&listed, &json!({})), "{profile:?}: {listed}");
        }
    }
}

#[test]
fn every_profile_keeps_its_keywords() {
    let openai: &[&str] = &[
        "type",
        "properties",
        "required",
        "items",
        "enum",
        "description",
        "anyOf",
        "$ref",
        "$defs",
        "additionalProperties",
    ];
    let gemini: &[&str] = &[
        "type",
        "properties",
        "required",
        "items",
        "enum",
        "description",
        "anyOf",
        "format",
    ];
    let simple: &[&str] = &[
        "type",
        "properties",
        "required",
        "items",
        "enum",
        "description",
    ];
    for (profile, allowed) in [
        (SchemaProfile::Openai, openai),
        (SchemaProfile::Gemini, gemini),
        (SchemaProfile::Simple, simple),
    ] {
        for (schema, _) in cases() {
            let listed = of(&property(&schema), profile);
            let mut found = Vec::new();
            keywords(&listed, &mut found);
            for keyword in found {
                assert!(allowed.contains(&keyword.as_str()), "{keyword}: {listed}");
            }
        }
    }
}

#[test]
fn what_is_lost_is_said() {
    let x = |schema: Value, profile| of(&property(&schema), profile)["properties"]["x"].clone();
    let id = json!({"type": "string", "format": "uuid", "description": "The id."});
    assert_eq!(
        x(id, SchemaProfile::Openai),
        json!({"type": "string", "description": "The id. (format uuid)"})
    );
    let number = json!({"type": "integer", "enum": [1, 2], "default": 1});
    assert_eq!(
        x(number, SchemaProfile::Gemini),
        json!({"type": "integer", "description": "Default 1; one of 1, 2"})
    );
    let date = json!({"type": "string", "format": "date-time"});
    assert_eq!(x(date.clone(), SchemaProfile::Gemini), date);
}

#[test]
fn forms_of_single_keywords() {
    let x = |schema: &Value, profile| of(&property(schema), profile)["properties"]["x"].clone();
    let union = json!({"description": "D", "anyOf": [{"type": "string"}, {"type": "integer"}]});
    assert_eq!(x(&union, SchemaProfile::Openai)["anyOf"], union["anyOf"]);
    // Nothing beside `anyOf`.
    assert_eq!(
        x(&union, SchemaProfile::Gemini),
        json!({"anyOf": [{"type": "string", "description": "D"}, {"type": "integer", "description": "D"}]})
    );
    assert_eq!(
        x(&union, SchemaProfile::Simple),
        json!({"description": "D"})
    );
    let nullable = json!({"anyOf": [{"type": "string"}, {"type": "null"}]});
    assert_eq!(
        x(&nullable, SchemaProfile::Gemini),
        json!({"type": "string"})
    );
    let list = json!({"type": "array"});
    assert_eq!(
        x(&list, SchemaProfile::Simple),
        json!({"type": "array", "items": {}})
    );
}

#[test]
fn references_are_followed_to_an_end() {
    let whole = json!({
        "type": "object",
        "properties": {
            "node": {"$ref": "#/$defs/Node", "description": "The root."},
            "bare": {"$ref": "#/$defs/Node"},
        },
        "$defs": {
            "Node": {"type": "object", "properties": {
                "name": {"type": "string"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                "leaf": {"$ref": "#/$defs/Leaf"},
            }},
            "Leaf": {"type": "string", "format": "byte"},
            "Unused": {"type": "string"},
        },
    });
    let tree = json!({"node": {"name": "a", "children": [{"name": "b", "children": []}]}});
    for profile in ALL {
        assert!(accepts(&of(&whole, profile), &tree), "{profile:?}");
    }
    let openai = of(&whole, SchemaProfile::Openai);
    assert_eq!(
        openai["properties"]["bare"],
        json!({"$ref": "#/$defs/Node"})
    );
    assert_eq!(
        openai["properties"]["node"],
        json!({"description": "The root.", "anyOf": [{"$ref": "#/$defs/Node"}]})
    );
    assert_eq!(openai["$defs"].as_object().unwrap().len(), 2, "{openai}");
    let gemini = of(&whole, SchemaProfile::Gemini);
    assert!(!gemini.to_string().contains("$ref"), "{gemini}");
    let node = &gemini["properties"]["node"];
    assert_eq!(node["description"], "The root.");
    assert_eq!(node["properties"]["children"]["items"]["type"], "object");
}

#[test]
fn a_bomb_of_references_stays_small() {
    let mut definitions = Map::new();
    for level in 0..30 {
        let next = json!({"$ref": format!("#/$defs/L{}", level + 1)});
        let named: Map<String, Value> = (0..10).map(|n| (format!("p{n}"), next.clone())).collect();
        definitions.insert(
            format!("L{level}"),
            json!({"type": "object", "properties": named}),
        );
    }
    definitions.insert("L30".to_owned(), json!({"type": "string"}));
    let whole = json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/L0"}}, "$defs": definitions});
    for profile in ALL {
        let listed = of(&whole, profile).to_string();
        assert!(listed.len() < 400_000, "{profile:?}: {}", listed.len());
    }
}

#[test]
fn nothing_is_composed_at_the_root() {
    let whole = json!({
        "type": "object",
        "properties": {"always": {"type": "string"}},
        "oneOf": [
            {"$ref": "#/$defs/Card"},
            {"type": "object", "properties": {"kind": {"const": "cash"}}, "required": ["kind"]},
        ],
        "allOf": [{"properties": {"also": {"type": "integer"}}, "required": ["also"]}],
        "unevaluatedProperties": false,
        "$defs": {"Card": {"type": "object", "properties": {
            "kind": {"const": "card"}, "number": {"type": "string"}}, "required": ["kind", "number"]}},
    });
    for arguments in [
        json!({"also": 1, "kind": "cash"}),
        json!({"also": 1, "kind": "card", "number": "7", "always": "a"}),
    ] {
        assert!(accepts(&whole, &arguments));
        for profile in ALL {
            let listed = of(&whole, profile);
            for keyword in ["anyOf", "oneOf", "allOf", "not"] {
                assert!(listed.get(keyword).is_none(), "{profile:?}: {listed}");
            }
            assert!(accepts(&listed, &arguments), "{profile:?}: {listed}");
            assert_eq!(listed["required"], json!(["also", "kind"]), "{profile:?}");
            assert!(
                listed["properties"]["number"].is_object(),
                "{profile:?}: {listed}"
            );
        }
    }
    // Nothing is to be done where nothing is composed.
    let plain = Json::from_value(&property(&json!({"anyOf": [{"type": "string"}]})));
    assert!(listed(&plain, SchemaProfile::Default).is_none());
}
