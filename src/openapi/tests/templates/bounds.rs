//! Templates made to hurt.

use serde_json::json;

use super::super::{load, rules};
use super::{TEMPLATES, assert_plain, with_schemas};

#[test]
fn many_binders_of_many_templates_are_bounded() {
    let mut schemas = json!({});
    let padding = vec!["x"; 200];
    for n in 0..1_000 {
        let mut all = vec![json!({"$dynamicRef": format!("#T{}", n % 20)})];
        for step in 1..20 {
            all.push(json!({"$ref": format!("#/components/schemas/S{}", (n * 7 + step) % 1_000)}));
        }
        schemas[format!("S{n}")] = json!({
            "anyOf": all, "enum": padding,
            "$defs": {"x": {"$dynamicAnchor": format!("T{}", n % 20), "title": n.to_string()}},
        });
    }
    let document = load(&with_schemas(&schemas));
    let told = rules(&document.findings);
    assert!(told.iter().any(|(_, rule, _)| *rule == "schema-too-large"));
    let copies = document
        .schemas
        .get(TEMPLATES)
        .unwrap()
        .as_object()
        .unwrap();
    assert!(copies.len() < 10_000);
    assert_plain(&document);
}

#[test]
fn many_names_are_bounded() {
    let mut schemas = json!({});
    for n in 0..3_000 {
        schemas[format!("S{n}")] = json!({
            "$ref": format!("#/components/schemas/S{}", (n + 1) % 3_000),
            "items": {"$dynamicRef": format!("#T{n}")},
            "$defs": {"x": {"$dynamicAnchor": format!("T{n}")}, "y": {"$id": "y", "$dynamicAnchor": format!("T{n}")}},
        });
    }
    let document = load(&with_schemas(&schemas));
    let told = rules(&document.findings);
    assert!(told.iter().any(|(_, rule, _)| *rule == "schema-too-large"));
}

#[test]
fn long_keys_are_not_written_into_every_reference() {
    let long = "k".repeat(200_000);
    let all = vec![json!({"$dynamicRef": "#T"}); 2_000];
    let plain = vec![json!({"$ref": "#a"}); 2_000];
    let document = load(&with_schemas(&json!({
        "Other": {"$dynamicAnchor": "T"},
        "Long": {"properties": {&long: {"$dynamicAnchor": "T", "$anchor": "a", "anyOf": all}}, "prefixItems": all},
        "User": {"allOf": [{"$ref": "#/components/schemas/Long"}], "$dynamicAnchor": "T", "prefixItems": plain},
    })));
    let components = document.schemas.get("#/components").unwrap();
    assert!(components.to_string().len() < 2_000_000);
}

#[test]
fn ways_that_double_with_each_step_are_bounded() {
    const STEPS: usize = 40;
    let at = |name: &str, step: usize| format!("#/components/schemas/{name}{step}");
    let mut schemas = json!({});
    let mut last = Vec::new();
    for step in 0..STEPS {
        let name = format!("T{step}");
        last.push(json!({"$dynamicRef": format!("#{name}")}));
        schemas[format!("A{step}")] =
            json!({"anyOf": [{"$ref": at("B", step)}, {"$ref": at("C", step)}]});
        for other in ["B", "C"] {
            let next = if step + 1 < STEPS {
                at("A", step + 1)
            } else {
                at("Last", 0)
            };
            schemas[format!("{other}{step}")] = json!({"items": {"$ref": next}, "$defs": {"x": {"$dynamicAnchor": name, "title": other}}});
        }
    }
    schemas["Last0"] = json!({"anyOf": last});
    let document = load(&with_schemas(&schemas));
    let told = rules(&document.findings);
    assert!(told.iter().any(|(_, rule, _)| *rule == "schema-too-large"));
    let copies = document
        .schemas
        .get(TEMPLATES)
        .unwrap()
        .as_object()
        .unwrap();
    assert!(copies.len() <= 10_000);
    assert_plain(&document);
}
