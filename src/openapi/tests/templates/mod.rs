//! Schemas with `$dynamicRef` and several anchors of its name.

mod bounds;
mod components;
mod files;
mod random;

use serde_json::{Value, json};

use super::super::Document;
use super::load;

const TEMPLATES: &str = "#/components/x-specialised";

/// A document of these named schemas.
fn with_schemas(schemas: &Value) -> Value {
    json!({"openapi": "3.1.1", "paths": {}, "components": {"schemas": schemas}})
}

/// Whether a named schema takes a value, after loading.
fn takes(document: &Document, name: &str, value: &Value) -> bool {
    let components = document.schemas.get("#/components").unwrap();
    takes_at(components, &format!("#/components/schemas/{name}"), value)
}

fn takes_at(components: &Value, reference: &str, value: &Value) -> bool {
    let schema = json!({"$ref": reference, "components": components});
    let validator = jsonschema::draft202012::new(&schema);
    validator
        .unwrap_or_else(|error| panic!("{error}: {schema}"))
        .is_valid(value)
}

/// Whether a schema with this `$id` takes a value, by a validator that knows dynamic scopes.
fn takes_as_written(schemas: &Value, id: &str, value: &Value) -> bool {
    let schema = json!({"$id": "https://a.test/", "$ref": id, "$defs": schemas});
    jsonschema::draft202012::new(&schema)
        .unwrap()
        .is_valid(value)
}

/// No dynamic reference is left, and no copy has an anchor.
fn assert_plain(document: &Document) {
    let components = document.schemas.get("#/components").unwrap();
    assert!(!components.to_string().contains("$dynamicRef"));
    let copies = document.schemas.get(TEMPLATES).map(Value::to_string);
    assert!(!copies.unwrap_or_default().contains("nchor\""));
}

/// Each schema takes after loading what it takes as written.
fn check(schemas: &Value, table: &[(&str, &[Value])]) {
    let document = load(&with_schemas(schemas));
    assert!(document.findings.is_empty(), "{:?}", document.findings);
    assert_plain(&document);
    for (name, values) in table {
        let id = schemas[name]["$id"].as_str().unwrap();
        let mut both = [false; 2];
        for value in *values {
            let expected = takes_as_written(schemas, id, value);
            both[usize::from(expected)] = true;
            let components = document.schemas.get("#/components").unwrap();
            assert_eq!(
                takes(&document, name, value),
                expected,
                "{name}: {value}: {components}"
            );
        }
        assert_eq!(both, [true; 2], "{name}: the values show no difference");
    }
}

#[test]
fn a_generic_array_has_the_items_that_its_user_binds() {
    let list = |id: &str, kind: &str| json!({"$id": id, "$ref": "fully_generic", "$defs": {"only": {"$dynamicAnchor": "element", "type": kind}}});
    let data = |kind: &str, list: &str| json!({"properties": {"dataType": {"const": kind}, "data": {"$ref": list}}});
    let schemas = json!({
        "Generic": {
            "$id": "fully_generic", "type": "array", "items": {"$dynamicRef": "#element"},
            "$defs": {"any": {"$dynamicAnchor": "element"}},
        },
        "Numbers": list("of_numbers", "number"),
        "Strings": list("of_strings", "string"),
        "Object": {
            "$id": "object", "type": "object", "required": ["dataType", "data"],
            "oneOf": [data("string", "of_strings"), data("number", "of_numbers")],
        },
    });
    check(
        &schemas,
        &[
            ("Generic", &[json!([1, "a"]), json!(1)]),
            ("Numbers", &[json!([1]), json!(["a"])]),
            ("Strings", &[json!(["a"]), json!([1])]),
            (
                "Object",
                &[
                    json!({"dataType": "string", "data": ["a"]}),
                    json!({"dataType": "string", "data": [1]}),
                    json!({"dataType": "number", "data": [1]}),
                    json!({"dataType": "number", "data": ["a"]}),
                ],
            ),
        ],
    );
    let document = load(&with_schemas(&schemas));
    let copies = document
        .schemas
        .get(TEMPLATES)
        .unwrap()
        .as_object()
        .unwrap();
    let names: Vec<_> = copies.keys().collect();
    assert_eq!(names, ["Generic-only", "Generic-only_2"]);
}

#[test]
fn templates_within_templates_have_what_the_outermost_binds() {
    let schemas = json!({
        "Page": {
            "$id": "page", "required": ["items"],
            "properties": {"items": {"type": "array", "items": {"$dynamicRef": "#item"}}},
            "$defs": {"none": {"$dynamicAnchor": "item", "not": {}}},
        },
        "Envelope": {
            "$id": "envelope", "required": ["data"],
            "properties": {"data": {"$dynamicRef": "#content"}},
            "$defs": {"none": {"$dynamicAnchor": "content", "not": {}}},
        },
        "EnvelopePage": {
            "$id": "envelope-page", "$ref": "page",
            "$defs": {"item": {"$dynamicAnchor": "item", "$ref": "envelope"}},
        },
        "Numbers": {
            "$id": "numbers", "$ref": "envelope-page",
            "$defs": {"content": {"$dynamicAnchor": "content", "type": "number"}},
        },
        "Texts": {
            "$id": "texts", "properties": {"page": {"$ref": "envelope-page"}, "one": {"$ref": "envelope"}},
            "$defs": {"content": {"$dynamicAnchor": "content", "type": "string"}},
        },
        // Who comes first decides, whatever is bound later.
        "Outer": {
            "$id": "outer", "items": {"$ref": "numbers"},
            "$defs": {"content": {"$dynamicAnchor": "content", "type": "boolean"}},
        },
    });
    let page = |value: Value| json!({"items": [{"data": value}]});
    check(
        &schemas,
        &[
            ("Page", &[json!({"items": []}), json!({"items": [1]})]),
            ("Envelope", &[json!({}), json!({"data": 1}), json!(1)]),
            ("EnvelopePage", &[json!({"items": []}), page(json!(1))]),
            (
                "Numbers",
                &[
                    page(json!(1)),
                    page(json!("a")),
                    json!({"items": [1]}),
                    json!({"items": [{}]}),
                ],
            ),
            (
                "Texts",
                &[
                    json!({"page": page(json!("a")), "one": {"data": "a"}}),
                    json!({"page": page(json!(1))}),
                    json!({"one": {"data": 1}}),
                ],
            ),
            (
                "Outer",
                &[json!([page(json!(true))]), json!([page(json!(1))])],
            ),
        ],
    );
}

#[test]
fn an_extended_tree_has_extended_children() {
    let schemas = json!({
        "Tree": {
            "$id": "tree", "$dynamicAnchor": "node", "type": "object",
            "properties": {"data": true, "children": {"type": "array", "items": {"$dynamicRef": "#node"}}},
        },
        "Strict": {"$id": "strict", "$dynamicAnchor": "node", "$ref": "tree", "unevaluatedProperties": false},
        "Stricter": {
            "$id": "stricter", "$dynamicAnchor": "node", "$ref": "strict",
            "properties": {"data": {"type": "string"}},
        },
        "Forest": {"$id": "forest", "type": "array", "items": {"$ref": "tree"}},
    });
    let child = |child: Value| json!({"children": [{"children": [child]}]});
    let wrong = json!({"daat": 1});
    check(
        &schemas,
        &[
            ("Tree", &[child(wrong.clone()), child(json!(1))]),
            ("Strict", &[child(json!({"data": 1})), child(wrong.clone())]),
            (
                "Stricter",
                &[
                    child(json!({"data": "a"})),
                    child(json!({"data": 1})),
                    child(wrong.clone()),
                ],
            ),
            ("Forest", &[json!([child(wrong)]), json!([child(json!(1))])]),
        ],
    );
}

#[test]
fn resources_within_others_and_in_parts_are_entered() {
    let schemas = json!({
        "Bundle": {
            "$id": "bundle", "$ref": "list",
            "$defs": {
                "numbers": {"$dynamicAnchor": "T", "type": "number"},
                "list": {
                    "$id": "list", "items": {"$dynamicRef": "#T"},
                    "$defs": {"default": {"$dynamicAnchor": "T", "type": "string"}},
                },
            },
        },
        "Plain": {"$id": "plain", "$ref": "list"},
        "Part": {
            "$id": "part", "properties": {"a": {"$ref": "deep#/properties/list"}},
            "$defs": {"b": {"$dynamicAnchor": "T", "type": "boolean"}},
        },
        "Deep": {"$id": "deep", "properties": {"list": {"items": {"$ref": "list"}}, "own": {"$id": "own", "$ref": "#/$defs/x", "$defs": {"x": {"$dynamicRef": "#T"}, "y": {"$dynamicAnchor": "T", "type": "null"}}}}},
        "DeepPart": {
            "$id": "deep-part", "$ref": "deep",
            "$defs": {"b": {"$dynamicAnchor": "T", "type": "boolean"}},
        },
        // `$anchor` is no dynamic one: this leads where it says.
        "Still": {
            "$id": "still", "items": {"$dynamicRef": "#T"},
            "$defs": {"x": {"$anchor": "T", "type": "integer"}},
        },
        "StillPart": {
            "$id": "still-part", "$ref": "still",
            "$defs": {"b": {"$dynamicAnchor": "T", "type": "boolean"}},
        },
    });
    let all = [json!([1]), json!(["a"]), json!([true]), json!([null])];
    check(
        &schemas,
        &[
            ("Bundle", &all),
            ("Plain", &all),
            ("Part", &[json!({"a": [[true]]}), json!({"a": [[1]]})]),
            (
                "Deep",
                &[
                    json!({"own": null}),
                    json!({"own": true}),
                    json!({"list": [["a"]]}),
                    json!({"list": [[true]]}),
                ],
            ),
            (
                "DeepPart",
                &[
                    json!({"own": null}),
                    json!({"own": true}),
                    json!({"list": [["a"]]}),
                    json!({"list": [[true]]}),
                ],
            ),
            ("Still", &all),
            ("StillPart", &all),
        ],
    );
}

#[test]
fn anchors_of_one_name_are_told_apart_by_the_address_before_them() {
    let schemas = json!({
        "One": {"$id": "one", "items": {"$ref": "#x"}, "$defs": {"x": {"$anchor": "x", "type": "string"}}},
        "Two": {"$id": "two", "items": {"$ref": "#x"}, "$defs": {"x": {"$dynamicAnchor": "x", "type": "number"}}},
        "Three": {"$id": "three", "items": {"$ref": "one#x"}},
        "Four": {"$id": "four", "items": {"$ref": "two#x"}},
    });
    let values = [json!(["a"]), json!([1])];
    let all = ["One", "Two", "Three", "Four"];
    check(&schemas, &all.map(|name| (name, &values[..])));
}
