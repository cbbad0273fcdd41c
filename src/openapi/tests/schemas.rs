//! Tables: a schema as written, and as it is in 2020-12.

use serde_json::{Value, json};

use super::{load, load_at, rules};

/// The schema after loading, and the rules of the findings.
fn upgraded(version: &str, schema: &Value) -> (Value, Vec<&'static str>) {
    let document = load(&json!({
        "openapi": version,
        "paths": {},
        "components": {"schemas": {"S": schema, "Pet": {"type": "object"}}},
    }));
    let found = document
        .schemas
        .get("#/components/schemas/S")
        .unwrap()
        .clone();
    let told = rules(&document.findings)
        .into_iter()
        .map(|(_, rule, _)| rule)
        .collect();
    (found, told)
}

fn check(version: &str, table: &[(Value, Value, &[&str])]) {
    for (written, expected, told) in table {
        let (found, rules) = upgraded(version, written);
        assert_eq!(&found, expected, "{written}");
        assert_eq!(&rules, told, "{written}");
        // What a second reference to the same place would do.
        assert_eq!(&upgraded(version, &found).0, expected, "{written}");
    }
}

const REF: &str = "#/components/schemas/Pet";

#[test]
fn schemas_of_3_0_are_translated() {
    let text = include_str!("../../../tests/fixtures/openapi/schemas-3.0.json");
    let groups: Value = serde_json::from_str(text).unwrap();
    for case in groups
        .as_object()
        .unwrap()
        .values()
        .flat_map(|group| group.as_array().unwrap())
    {
        let told: Vec<_> = case["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        check(
            "3.0.3",
            &[(case["written"].clone(), case["normal"].clone(), &told)],
        );
    }
}

#[test]
fn siblings_of_a_reference_follow_the_version() {
    let written = json!({"$ref": REF, "type": "object", "maxProperties": 3, "description": "d"});
    let reduced = json!({"$ref": REF, "description": "d"});
    check(
        "3.0.3",
        &[(written.clone(), reduced, &["reference-sibling"])],
    );
    check("3.1.0", &[(written.clone(), written, &[])]);
}

#[test]
fn plain_values_stay_as_they_are() {
    let data = json!({"nullable": true, "type": "file", "exclusiveMinimum": true, "$ref": "#/nowhere", "required": true});
    let schema =
        json!({"default": data, "const": data, "enum": [data], "examples": [data], "x-data": data});
    check("3.1.0", &[(schema.clone(), schema, &[])]);
}

#[test]
fn keywords_of_2020_12_stay() {
    let schema = json!({
        "$defs": {"a": {"$anchor": "here"}}, "prefixItems": [{"type": "string"}], "unevaluatedProperties": false,
        "if": {"type": "string"}, "then": {"minLength": 1}, "patternProperties": {"^x": {"type": ["string", "null"]}},
        "contentMediaType": "image/png", "contentEncoding": "base64", "dependentSchemas": {"a": true},
        "minimum": 1.50, "unknown": {"nullable": true}
    });
    check("3.1.0", &[(schema.clone(), schema, &[])]);
}

#[test]
fn anchors_become_pointers() {
    let document = load(&json!({
        "openapi": "3.1.0",
        "components": {"schemas": {
            "A": {"$defs": {"a/b": {"$anchor": "here", "type": "string"}}},
            "B": {"items": {"$ref": "#here"}},
            "C": {"$ref": "#nowhere"},
        }},
    }));
    let get = |reference: &str| document.schemas.get(reference).unwrap();
    let target = get("#/components/schemas/B")["items"]["$ref"]
        .as_str()
        .unwrap();
    assert_eq!(target, "#/components/schemas/A/$defs/a~1b");
    assert_eq!(get(target)["type"], "string");
    assert_eq!(get("#/components/schemas/C"), &json!({}));
    assert_eq!(document.findings.len(), 1);
}

#[test]
fn schemas_are_known_by_their_ids() {
    let document = load(&json!({
        "openapi": "3.1.0",
        "components": {"schemas": {
            "Address": {
                "$id": "https://a.test/schemas/address",
                "properties": {
                    "country": {"$ref": "#/$defs/country"},
                    "other": {"$ref": "#/components/schemas/Plain"},
                },
                "$defs": {"country": {"maxLength": 2}},
            },
            "Customer": {"$id": "https://a.test/schemas/customer", "items": {"$ref": "address"}},
            "Relative": {"$id": "relative", "not": {"$ref": "relative#/$defs/x"}, "$defs": {"x": true}},
            "Plain": {
                "properties": {"$id": {"type": "string"}, "$ref": {"type": "string"}},
                "items": {"$ref": "https://a.test/schemas/address#/$defs/country"},
                "examples": [{"$id": "https://a.test/none", "$ref": "address"}],
            },
        }},
    }));
    let get = |name: &str, at: &str| {
        let reference = format!("#/components/schemas/{name}{at}");
        document.schemas.get(&reference).unwrap().clone()
    };
    let country = "#/components/schemas/Address/$defs/country";
    for (name, at, expected) in [
        ("Address", "/properties/country", country),
        ("Address", "/properties/other", "#/components/schemas/Plain"),
        ("Customer", "/items", "#/components/schemas/Address"),
        ("Relative", "/not", "#/components/schemas/Relative/$defs/x"),
        ("Plain", "/items", country),
    ] {
        assert_eq!(get(name, at)["$ref"], expected, "{name}{at}");
    }
    assert_eq!(get("Plain", "/examples/0")["$ref"], "address");
    assert!(document.findings.is_empty(), "{:?}", document.findings);
}

#[test]
fn a_document_knows_its_own_address() {
    for base in [None, Some("https://mirror.test/x.json")] {
        let document = load_at(
            &json!({
                "openapi": "3.2.0", "$self": "https://a.test/docs/openapi.json",
                "components": {"schemas": {
                    "A": {"type": "string"},
                    "B": {"$ref": "https://a.test/docs/openapi.json#/components/schemas/A"},
                    "C": {"$ref": "openapi.json#/components/schemas/A"},
                }},
            }),
            base,
        );
        for name in ["B", "C"] {
            let reference = format!("#/components/schemas/{name}");
            let found = &document.schemas.get(&reference).unwrap()["$ref"];
            assert_eq!(found, "#/components/schemas/A", "{name}");
        }
        assert!(document.findings.is_empty(), "{:?}", document.findings);
    }
}

#[test]
fn references_to_odd_places_are_upgraded_and_those_to_nowhere_taken_out() {
    let document = load(&json!({
        "openapi": "3.0.0",
        "paths": {"/a b": {"get": {"responses": {"200": {"description": "d", "content": {"application/json": {
            "schema": {"type": "string", "nullable": true}}}}}}}},
        "x-schemas": {"Odd": {"type": "integer", "nullable": true}},
        "components": {"schemas": {
            "A": {"$ref": "#/paths/~1a%20b/get/responses/200/content/application~1json/schema"},
            "B": {"properties": {"odd": {"$ref": "#/x-schemas/Odd"}}},
            "C": {"items": {"$ref": "#/components/schemas/None"}, "type": "array"},
            "D": {"$ref": "other.yaml#/D"},
        }},
    }));
    let get = |reference: &str| document.schemas.get(reference).unwrap();
    let target = get("#/components/schemas/A")["$ref"].as_str().unwrap();
    assert_eq!(get(target), &json!({"type": ["string", "null"]}));
    assert_eq!(
        get("#/x-schemas/Odd"),
        &json!({"type": ["integer", "null"]})
    );
    assert_eq!(
        get("#/components/schemas/C"),
        &json!({"items": {}, "type": "array"})
    );
    assert_eq!(get("#/components/schemas/D"), &json!({}));
    let pointers: Vec<_> = rules(&document.findings)
        .into_iter()
        .map(|(_, rule, at)| (rule, at))
        .collect();
    assert_eq!(
        pointers,
        [
            ("unresolved-reference", "/components/schemas/C/items"),
            ("unresolved-reference", "/components/schemas/D"),
        ]
    );
}

#[test]
fn constants_of_a_list_are_those_of_its_items() {
    let told: &[&str] = &["enum-type"];
    check(
        "3.1.0",
        &[
            (
                json!({"type": "array", "items": {"type": "string"}, "enum": ["a", "b"]}),
                json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}),
                told,
            ),
            (
                json!({"type": ["array", "null"], "items": {"type": "integer"}, "enum": ["1", null]}),
                json!({"type": ["array", "null"], "items": {"type": "integer", "enum": [1]}}),
                &["enum-type", "enum-type"],
            ),
            (
                json!({"type": "array", "const": "a"}),
                json!({"type": "array", "items": {"enum": ["a"]}}),
                told,
            ),
            (
                json!({"type": "array", "items": {"enum": ["b", "c"]}, "enum": ["a", "b"]}),
                json!({"type": "array", "items": {"enum": ["b", "c"]}}),
                told,
            ),
            (
                json!({"type": "array", "enum": [["a"], "b"]}),
                json!({"type": "array", "enum": [["a"], "b"]}),
                &[],
            ),
            (
                json!({"type": "object", "properties": {"k": {}}, "enum": ["a"]}),
                json!({"type": "object", "properties": {"k": {}}}),
                told,
            ),
            (
                json!({"type": "object", "enum": ["a"]}),
                json!({"enum": ["a"]}),
                told,
            ),
            (
                json!({"type": "object", "enum": [{"a": 1}, null]}),
                json!({"type": "object", "enum": [{"a": 1}, null]}),
                &[],
            ),
        ],
    );
}

#[test]
fn constants_are_of_the_declared_type_where_that_loses_nothing() {
    let told: &[&str] = &["enum-type"];
    let number = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    check(
        "3.1.0",
        &[
            (
                json!({"type": "string", "enum": [1, number("2.50"), true, "1"], "default": 1}),
                json!({"type": "string", "enum": ["1", "2.50", "true"], "default": "1"}),
                told,
            ),
            (
                json!({"type": ["integer", "null"], "enum": ["1", "02", null]}),
                json!({"type": ["integer", "null"], "enum": [1, "02", null]}),
                told,
            ),
            (
                json!({"type": "number", "enum": ["1.50"]}),
                json!({"type": "number", "enum": [number("1.50")]}),
                told,
            ),
            (
                json!({"type": "boolean", "const": "true"}),
                json!({"type": "boolean", "const": true}),
                told,
            ),
            // What none of the values can be is not what is meant.
            (
                json!({"type": "integer", "enum": ["a", "b"]}),
                json!({"enum": ["a", "b"]}),
                told,
            ),
            (
                json!({"type": "integer", "enum": [1, number("2.0"), number("1e3")]}),
                json!({"type": "integer", "enum": [1, number("2.0"), number("1e3")]}),
                &[],
            ),
            (
                json!({"type": ["string", "integer"], "enum": [1, "a"]}),
                json!({"type": ["string", "integer"], "enum": [1, "a"]}),
                &[],
            ),
            (
                json!({"type": "object", "enum": [{"a": 1}]}),
                json!({"type": "object", "enum": [{"a": 1}]}),
                &[],
            ),
        ],
    );
    check(
        "3.0.3",
        &[(
            json!({"type": "string", "nullable": true, "enum": [1]}),
            json!({"type": ["string", "null"], "enum": ["1", null]}),
            told,
        )],
    );
}

#[test]
fn slashes_around_a_pattern_are_no_part_of_it() {
    let told: &[&str] = &["pattern-delimiters"];
    for (written, expected, told) in [
        ("/^[a-z]+$/", Some("^[a-z]+$"), told),
        ("/^a\\/b/gu", Some("^a\\/b"), told),
        ("/[0-9]$/", Some("[0-9]$"), told),
        ("/^[a-z]+$/i", None, told),
        ("/^.$/s", None, told),
        // These may be meant as they stand.
        ("/api/v1", Some("/api/v1"), &[]),
        ("/x/", Some("/x/"), &[]),
        ("/a|b$/", Some("/a|b$/"), &[]),
        ("/price\\$/", Some("/price\\$/"), &[]),
        ("^/a/$", Some("^/a/$"), &[]),
        ("/", Some("/"), &[]),
    ] {
        let mut normal = json!({"type": "string"});
        if let Some(pattern) = expected {
            normal["pattern"] = json!(pattern);
        }
        let schema = json!({"type": "string", "pattern": written});
        check("3.1.0", &[(schema, normal, told)]);
    }
}

#[test]
fn a_dynamic_reference_with_one_anchor_is_a_plain_one() {
    let document = load(&json!({
        "openapi": "3.1.0",
        "paths": {},
        "components": {"schemas": {
            "Node": {"$dynamicAnchor": "node", "properties": {"children": {"items": {"$dynamicRef": "#node"}}}},
            "One": {"$dynamicAnchor": "T"},
            "Other": {"$dynamicAnchor": "T"},
            // Nobody comes here by way of one of the two.
            "List": {"items": {"$dynamicRef": "#T"}},
            "Lost": {"items": {"$dynamicRef": "#nowhere"}},
            "Pointer": {"items": {"$dynamicRef": "#/components/schemas/One"}},
            "Plain": {"items": {"$ref": "#node"}},
        }},
    }));
    let get = |name: &str| {
        let reference = format!("#/components/schemas/{name}");
        document.schemas.get(&reference).unwrap().clone()
    };
    let node = json!({"$ref": "#/components/schemas/Node"});
    assert_eq!(get("Node")["properties"]["children"]["items"], node);
    assert_eq!(get("Plain")["items"], node);
    assert_eq!(get("Pointer")["items"]["$ref"], "#/components/schemas/One");
    assert_eq!(get("List")["items"], json!({}));
    let pointers: Vec<_> = rules(&document.findings)
        .into_iter()
        .map(|(_, rule, at)| (rule, at))
        .collect();
    assert_eq!(
        pointers,
        [
            ("unresolved-reference", "/components/schemas/List/items"),
            ("unresolved-reference", "/components/schemas/Lost/items"),
        ]
    );
}
