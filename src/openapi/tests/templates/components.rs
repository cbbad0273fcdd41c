//! Templates among named schemas without `$id`, as most people write them.

use serde_json::{Value, json};

use super::super::{load, rules};
use super::{TEMPLATES, assert_plain, takes, takes_at, with_schemas};

/// Two types, a page of either without `$id`s, and operations that use them in all places.
fn pages() -> Value {
    let page = |name: &str| {
        json!({
            "$ref": "#/components/schemas/Page",
            "$defs": {"T": {"$dynamicAnchor": "T", "$ref": format!("#/components/schemas/{name}")}},
        })
    };
    let content = |schema: Value| json!({"content": {"application/json": {"schema": schema}}});
    let users = json!({"$ref": "#/components/schemas/UserPage"});
    json!({
        "openapi": "3.1.0",
        "paths": {
            "/users": {
                "get": {"responses": {"200": content(users)}},
                "put": {"requestBody": content(page("User")), "responses": {}},
            },
            "/pets": {"put": {
                "parameters": [{"in": "query", "name": "q", "schema": page("Pet")}],
                "requestBody": content(page("Pet")),
                "responses": {},
            }},
        },
        "components": {"schemas": {
            "User": {"type": "object", "required": ["name"]},
            "Pet": {"type": "object", "required": ["kind"]},
            // It has no anchor of its own, and is no fault by itself.
            "Page": {"type": "object", "properties": {
                "items": {"type": "array", "items": {"$dynamicRef": "#T"}},
                "next": {"$ref": "#/components/schemas/Page/properties/cursor"},
                "cursor": {"type": "string"},
            }},
            "UserPage": page("User"),
        }},
    })
}

#[test]
fn schemas_of_components_count_as_resources_of_their_own() {
    let document = load(&pages());
    assert!(document.findings.is_empty(), "{:?}", document.findings);
    assert_plain(&document);
    let copies = document.schemas.get(TEMPLATES).unwrap();
    let names: Vec<_> = copies.as_object().unwrap().keys().collect();
    assert_eq!(names, ["Page-User", "Page-Pet"]);
    let components = document.schemas.get("#/components").unwrap();
    let user = json!({"items": [{"name": 1}]});
    let pet = json!({"items": [{"kind": 1}]});
    let mut seen = 0;
    for operation in &document.operations {
        let bodies = operation.request_body.iter().map(|body| &body.content);
        let answers = operation.responses.iter().map(|answer| &answer.content);
        let media = bodies.chain(answers).flatten().map(|media| &media.schema);
        for schema in media.chain(operation.parameters.iter().map(|one| &one.schema)) {
            let reference = schema["$ref"].as_str().unwrap();
            let of_users = operation.path == "/users";
            assert_eq!(takes_at(components, reference, &user), of_users);
            assert_eq!(takes_at(components, reference, &pet), !of_users);
            seen += 1;
        }
    }
    assert_eq!(seen, 4);
    let page = document.schemas.get("#/components/schemas/Page").unwrap();
    assert_eq!(page["properties"]["items"]["items"], json!({}));
}

#[test]
fn a_name_that_nobody_binds_is_told_where_it_stands() {
    let page = json!({"properties": {"items": {"items": {"$dynamicRef": "#T"}}}});
    let twice = json!({"allOf": [{"$ref": "#/components/schemas/Page"}],
        "$defs": {"a": {"$dynamicAnchor": "T"}, "b": {"$dynamicAnchor": "T", "type": "string"}}});
    let document = load(&json!({
        "openapi": "3.1.0",
        "paths": {"/a": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Page"}}}}}}}},
        "components": {"schemas": {
            "Page": page, "Twice": twice,
            "Users": {"$ref": "#/components/schemas/Page", "$defs": {"T": {"$dynamicAnchor": "T", "type": "object"}}},
            "Lost": {"items": {"$dynamicRef": "#nowhere"}},
        }},
    }));
    let pointers: Vec<_> = rules(&document.findings)
        .into_iter()
        .map(|(_, rule, at)| (rule, at))
        .collect();
    // The operation gets to the template itself; two anchors in one schema contradict each other.
    assert_eq!(
        pointers,
        [
            (
                "unresolved-reference",
                "/components/schemas/Page/properties/items/items"
            ),
            ("unresolved-reference", "/components/schemas/Lost/items"),
        ]
    );
    assert!(!takes(&document, "Users", &json!({"items": [1]})));
    for name in ["Page", "Twice"] {
        assert!(takes(&document, name, &json!({"items": [1]})), "{name}");
    }
}

#[test]
fn references_beside_dynamic_ones_and_mappings_stay_true() {
    let document = load(&with_schemas(&json!({
        "Both": {"$ref": "#/components/schemas/Base", "$dynamicRef": "#T", "$defs": {"x": {"$dynamicAnchor": "T"}}},
        "Base": {"required": ["base"]},
        "Bound": {"$ref": "#/components/schemas/Both", "$defs": {"x": {"$dynamicAnchor": "T", "required": ["bound"]}}},
        "Any": {
            "oneOf": [{"$ref": "#/components/schemas/Bound"}, {"$ref": "#/components/schemas/Both"}],
            "discriminator": {"propertyName": "p", "mapping": {"a": "#/components/schemas/Both", "b": "Base"}},
            "$defs": {"x": {"$dynamicAnchor": "T", "required": ["any"]}},
        },
    })));
    let any = document.schemas.get("#/components/schemas/Any").unwrap();
    assert_eq!(
        any["discriminator"]["mapping"]["a"],
        any["oneOf"][1]["$ref"]
    );
    assert_eq!(any["discriminator"]["mapping"]["b"], "Base");
    assert!(takes(&document, "Bound", &json!({"base": 1, "bound": 1})));
    assert!(!takes(&document, "Bound", &json!({"base": 1})));
    assert!(!takes(&document, "Bound", &json!({"bound": 1})));
    assert_plain(&document);
}

#[test]
fn faults_of_a_template_are_told_once() {
    let page = |kind: &str| json!({"$ref": "#/components/schemas/Page", "$defs": {"T": {"$dynamicAnchor": "T", "type": kind}}});
    let document = load(&with_schemas(&json!({
        "Page": {"items": {"$dynamicRef": "#T"}, "minItems": -1},
        "A": page("string"), "B": page("number"),
    })));
    assert_eq!(document.findings.len(), 1, "{:?}", document.findings);
    assert_eq!(
        document.findings[0].pointer,
        "/components/schemas/Page/minItems"
    );
}
