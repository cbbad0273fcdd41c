//! Which arguments are secret, by their schema, so that a preview does not show them.

use std::collections::HashMap;

use regex::Regex;
use serde_json::{Map, Value};

use crate::tool::is_secret;

/// What stands in the place of a secret.
const MASK: &str = "***";
/// Schemas and values looked at for one call; what is beyond it is masked unseen.
const BUDGET: u32 = 20_000;
/// Schemas within schemas.
const DEEPEST: u32 = 64;
/// Patterns for members' names that one schema may have; with more, all its members are masked.
const MOST_PATTERNS: usize = 64;

/// Masks in `arguments` what `schema` marks with `format: password`, `writeOnly` or
/// `x-sensitive`, at any depth; whether anything was masked.
pub fn mask(arguments: &mut Value, schema: &Value) -> bool {
    let mut walk = Walk {
        root: schema,
        budget: BUDGET,
        masked: false,
        patterns: HashMap::new(),
    };
    walk.value(arguments, schema, 0);
    walk.masked
}

struct Walk<'a> {
    root: &'a Value,
    budget: u32,
    masked: bool,
    /// Compiled once, since a list may ask for one at each of its items.
    patterns: HashMap<&'a str, Option<Regex>>,
}

impl<'a> Walk<'a> {
    fn value(&mut self, value: &mut Value, schema: &'a Value, depth: u32) {
        if self.budget == 0 || depth > DEEPEST || is_secret(schema) {
            *value = MASK.into();
            self.masked = true;
            return;
        }
        self.budget -= 1;
        let root = self.root;
        if let Some(target) = schema.get("$ref").and_then(|to| follow(root, to)) {
            self.value(value, target, depth + 1);
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for branch in schema
                .get(keyword)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                self.value(value, branch, depth + 1);
            }
        }
        for keyword in ["if", "then", "else"] {
            if let Some(branch) = schema.get(keyword) {
                self.value(value, branch, depth + 1);
            }
        }
        // Whether the member they depend on is there makes no difference: a secret is not shown for want of it.
        for keyword in ["dependentSchemas", "dependencies"] {
            let branches = schema.get(keyword).and_then(Value::as_object);
            for branch in branches.into_iter().flat_map(Map::values) {
                self.value(value, branch, depth + 1);
            }
        }
        match value {
            Value::Object(members) => self.members(members, schema, depth),
            Value::Array(items) => {
                let first = schema.get("prefixItems").and_then(Value::as_array);
                for (index, item) in items.iter_mut().enumerate() {
                    let own = first.and_then(|first| first.get(index));
                    let others = || schema.get("items").or(schema.get("unevaluatedItems"));
                    if let Some(own) = own.or_else(others) {
                        self.value(item, own, depth + 1);
                    }
                    if let Some(one) = schema.get("contains") {
                        self.value(item, one, depth + 1);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn members(&mut self, members: &mut Map<String, Value>, schema: &'a Value, depth: u32) {
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        if patterns.is_some_and(|patterns| patterns.len() > MOST_PATTERNS) {
            for member in members.values_mut() {
                *member = MASK.into();
                self.masked = true;
            }
            return;
        }
        let patterns: Vec<(Option<Regex>, &Value)> = patterns
            .into_iter()
            .flatten()
            .map(|(pattern, own)| (self.pattern(pattern), own))
            .collect();
        for (name, member) in members {
            let own = schema.get("properties").and_then(|all| all.get(name));
            let mut known = own.is_some();
            if let Some(own) = own {
                self.value(member, own, depth + 1);
            }
            for (pattern, own) in &patterns {
                // What this engine cannot read may mean every name.
                if pattern.as_ref().is_none_or(|one| one.is_match(name)) {
                    known |= pattern.is_some();
                    self.value(member, own, depth + 1);
                }
            }
            if !known {
                for keyword in ["additionalProperties", "unevaluatedProperties"] {
                    if let Some(own) = schema.get(keyword) {
                        self.value(member, own, depth + 1);
                    }
                }
            }
        }
    }

    fn pattern(&mut self, pattern: &'a str) -> Option<Regex> {
        let compile = || Regex::new(pattern).ok();
        self.patterns.entry(pattern).or_insert_with(compile).clone()
    }
}

/// The schema a reference within the document means.
fn follow<'a>(root: &'a Value, to: &Value) -> Option<&'a Value> {
    root.pointer(to.as_str()?.strip_prefix('#')?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_masked_wherever_the_schema_has_them() {
        let schema = json!({
            "properties": {
                "plain": {"type": "string"},
                "pin": {"type": "integer", "writeOnly": true},
                "body": {"$ref": "#/$defs/user"},
                "list": {"items": {"x-sensitive": true}, "prefixItems": [{}]},
                "either": {"anyOf": [{"type": "null"}, {"format": "password"}]}
            },
            "$defs": {"user": {
                "allOf": [{"properties": {"password": {"format": "password"}}}],
                "properties": {"friend": {"$ref": "#/$defs/user"}},
                "additionalProperties": {"writeOnly": true}
            }}
        });
        let mut value = json!({
            "plain": "a", "pin": 7, "list": [1, 2], "either": "x",
            "body": {"password": "p", "friend": {"password": "q", "other": 1}}
        });
        assert!(mask(&mut value, &schema));
        assert_eq!(
            value,
            json!({
                "plain": "a", "pin": "***", "list": [1, "***"], "either": "***",
                "body": {"password": "***", "friend": {"password": "***", "other": "***"}}
            })
        );
    }

    #[test]
    fn members_are_masked_by_patterns_of_their_names() {
        let schema = json!({"properties": {"settings": {
            "patternProperties": {
                "^SECRET_": {"type": "string", "writeOnly": true},
                "^(?!free)inner": {"properties": {"pin": {"format": "password"}}}
            },
            "additionalProperties": {"properties": {"key": {"x-sensitive": true}}}
        }}});
        let mut value = json!({"settings": {
            "SECRET_1": "a", "inner": {"pin": 1, "name": "n"}, "other": {"key": "k", "name": "n"}
        }});
        assert!(mask(&mut value, &schema));
        assert_eq!(
            value,
            json!({"settings": {
                "SECRET_1": "***", "inner": {"pin": "***", "name": "n"}, "other": {"key": "***", "name": "n"}
            }})
        );
    }

    #[test]
    fn members_and_items_are_masked_by_whatever_applies_to_them() {
        let pin = json!({"properties": {"pin": {"format": "password"}}});
        for (schema, value, masked) in [
            (
                json!({"dependentSchemas": {"kind": &pin}}),
                json!({"kind": "a", "pin": "p"}),
                json!({"kind": "a", "pin": "***"}),
            ),
            (
                json!({"properties": {"body": {"allOf": [{"dependentSchemas": {"kind": &pin}}]}}}),
                json!({"body": {"kind": "a", "pin": "p"}}),
                json!({"body": {"kind": "a", "pin": "***"}}),
            ),
            (
                json!({"dependencies": {"pin": ["kind"], "kind": &pin}}),
                json!({"kind": "a", "pin": "p"}),
                json!({"kind": "a", "pin": "***"}),
            ),
            (
                json!({"contains": &pin}),
                json!([{"kind": "a"}, {"kind": "b", "pin": "p"}]),
                json!([{"kind": "a"}, {"kind": "b", "pin": "***"}]),
            ),
            (
                json!({"prefixItems": [{}], "unevaluatedItems": {"writeOnly": true}}),
                json!(["a", "b"]),
                json!(["a", "***"]),
            ),
        ] {
            let mut shown = value.clone();
            assert!(mask(&mut shown, &schema), "{schema}");
            assert_eq!(shown, masked, "{schema}");
        }
    }

    #[test]
    fn a_schema_that_never_ends_masks_instead() {
        let schema = json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]});
        let mut value = json!({"a": 1});
        assert!(mask(&mut value, &schema));
        assert_eq!(value, json!("***"));
        let mut value = json!({"a": 1});
        assert!(!mask(
            &mut value,
            &json!({"properties": {"a": {"type": "integer"}}})
        ));
    }
}
