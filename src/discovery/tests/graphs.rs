//! Schemas that refer to each other at random: whatever they are made of, what is published of them has bounds.

use proptest::prelude::*;
use serde_json::Map;

use super::*;

/// Bytes that are published of a few small schemas, at most.
const MOST: usize = 200_000;

fn reference() -> BoxedStrategy<Value> {
    let name = |number: usize| json!({ "$ref": format!("#/components/schemas/S{number}") });
    (0..6_usize).prop_map(name).boxed()
}

/// A reference, mostly with something beside it.
fn part() -> BoxedStrategy<Value> {
    let beside = prop_oneof![
        2 => Just(json!({ "description": "a note" })),
        2 => Just(json!({ "properties": { "more": { "type": "integer" } } })),
        1 => reference(),
    ];
    let keyword = prop::sample::select(vec!["allOf", "allOf", "allOf", "anyOf", "oneOf"]);
    prop_oneof![
        1 => Just(json!({ "type": "string" })),
        1 => reference(),
        1 => reference().prop_map(|items| json!({ "type": "array", "items": items })),
        4 => (keyword, reference(), beside).prop_map(|(keyword, one, beside)| json!({ keyword: [one, beside] })),
    ]
    .boxed()
}

/// An object of parts, or a part.
fn schema() -> BoxedStrategy<Value> {
    let named = prop::collection::vec(("[a-f]", part()), 1..6);
    let object = named.prop_map(|named| {
        let named: Map<String, Value> = named.into_iter().collect();
        json!({ "type": "object", "properties": named })
    });
    prop_oneof![4 => object, 1 => part()].boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_published_has_bounds(schemas in prop::collection::vec(schema(), 6)) {
        let named = schemas.into_iter().enumerate();
        let named: Map<String, Value> = named.map(|(at, one)| (format!("S{at}"), one)).collect();
        let body = json!({ "type": "object", "properties": { "a": { "$ref": "#/components/schemas/S0" } } });
        let mut post = json_body(body);
        let content = vec![media("application/json", json!({ "$ref": "#/components/schemas/S1" }))];
        post.responses = vec![response("200", content)];
        let document = document(vec![post], &Value::Object(named));
        for tool in run(&document, &Settings::default()).tools {
            let schemas = [Some(&tool.input_schema), tool.output_schema.as_ref()];
            for schema in schemas.into_iter().flatten() {
                prop_assert!(schema.get().len() < MOST);
            }
        }
    }
}
