//! Patterns whose cost grows faster than the text: those with look-around or back references, which no automaton can
//! decide. They are checked for arguments that people send; for larger ones the upstream checks them.

use std::cell::Cell;

use jsonschema::PatternOptions;
use serde_json::{Value, json};

use super::{options, schema};

/// What all texts of the arguments may cost together: where a pattern may begin anywhere, each text costs the square
/// of its length, in bytes.
const MOST: u64 = 10_000_000;
/// What a short text costs, since a pattern may go over it many times.
const LEAST: u64 = 1_000;

/// The schema without such patterns; nothing where it has none.
pub(super) fn without(tree: &Value) -> Option<Value> {
    let found = Cell::new(false);
    let mut rest = tree.clone();
    schema::drop_patterns(&mut rest, &|pattern| {
        let backtracks = options()
            .with_pattern_options(PatternOptions::regex())
            .build(&json!({ "pattern": pattern }))
            .is_err();
        found.set(found.get() || backtracks);
        backtracks
    });
    found.get().then_some(rest)
}

/// Whether all texts and names in the arguments can be matched in little time.
pub(super) fn is_affordable(arguments: &Value) -> bool {
    cost(arguments) <= MOST
}

/// As deep as the arguments are, which the parser bounds.
fn cost(value: &Value) -> u64 {
    match value {
        Value::String(text) => text_cost(text),
        Value::Array(items) => items.iter().map(cost).fold(0, u64::saturating_add),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| text_cost(name).saturating_add(cost(value)))
            .fold(0, u64::saturating_add),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

fn text_cost(text: &str) -> u64 {
    let length = text.len() as u64;
    length.saturating_mul(length).max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::super::Validator;
    use super::*;
    use crate::tool::Json;

    fn takes(schema: &Value, mut arguments: Value) -> bool {
        let validator = Validator::compile(&Json::from_value(schema)).unwrap();
        validator.check(&mut arguments, |_, _| false).is_ok()
    }

    #[test]
    fn only_patterns_that_an_automaton_cannot_decide_are_left_out() {
        let plain = json!({"properties": {"a": {"pattern": "^[a-z]+(x|y)*$"}}});
        assert_eq!(without(&plain), None);
        let both = json!({"properties": {"a": {"pattern": "a(?!b)"}, "b": {"pattern": "^b$"}}});
        let rest = json!({"properties": {"a": {}, "b": {"pattern": "^b$"}}});
        assert_eq!(without(&both), Some(rest));
    }

    #[test]
    fn a_long_text_is_left_to_the_upstream() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "string", "pattern": "(?=.*a)(?=.*b).*c$"},
            "b": {"type": "integer"}
        }});
        assert!(takes(&schema, json!({"a": "abc"})));
        assert!(!takes(&schema, json!({"a": "a".repeat(2_000)})));
        // Whatever else is wrong is found all the same.
        let long = "a".repeat(1 << 20);
        assert!(takes(&schema, json!({"a": long})));
        assert!(!takes(&schema, json!({"a": long, "b": "x"})));
        let many: Vec<String> = (0..200_000).map(|n| n.to_string()).collect();
        let items = json!({"type": "object", "properties": {
            "a": {"items": {"type": "string", "pattern": "(?=.*a)"}}
        }});
        assert!(takes(&items, json!({"a": many})));
    }

    #[test]
    fn names_are_left_to_the_upstream_too() {
        let schema = json!({"type": "object", "patternProperties": {"(?=.*a)(?=.*b).*c$": {}},
            "additionalProperties": false});
        assert!(takes(&schema, json!({"abc": 1})));
        assert!(!takes(&schema, json!({"x": 1})));
        assert!(takes(&schema, json!({"a".repeat(1 << 16): 1})));
    }
}
