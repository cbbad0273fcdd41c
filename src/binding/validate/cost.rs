//! Whether naming what is wrong with arguments ends in time.
//!
//! Whether arguments fit is decided once for each value and definition. Each alternative's faults are
//! worth collecting apart from the others', though, so with alternatives that contain each other their
//! number doubles with every level of the arguments. It is counted here before it is paid.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::schema::target;

/// Places that are looked at for faults, schema by value; far above what people's documents need.
const MOST_LOOKS: u64 = 200_000;
/// Pairs of a schema and a value that are told apart; what has more is not counted further.
const MOST_PAIRS: usize = 300_000;
/// How deep a schema and its references are followed for one value.
const MAX_DEPTH: usize = 2_000;

/// Whether collecting every fault of `arguments` takes a bounded number of looks.
pub(super) fn is_affordable(schema: &Value, arguments: &Value) -> bool {
    let mut count = Count {
        root: schema,
        known: HashMap::new(),
    };
    count.looks(schema, arguments, 0) <= MOST_LOOKS
}

struct Count<'a> {
    root: &'a Value,
    /// By the places of schema and value; nothing while it is being counted.
    known: HashMap<(*const Value, *const Value), u64>,
}

impl Count<'_> {
    fn looks(&mut self, schema: &Value, value: &Value, depth: usize) -> u64 {
        let Value::Object(keywords) = schema else {
            return 1;
        };
        if depth > MAX_DEPTH || self.known.len() > MOST_PAIRS {
            return MOST_LOOKS + 1;
        }
        let pair = (std::ptr::from_ref(schema), std::ptr::from_ref(value));
        if let Some(known) = self.known.get(&pair) {
            return *known;
        }
        // A schema that leads back to itself for the same value is looked at once.
        self.known.insert(pair, 0);
        let looks = self.same(keywords, value, depth + 1) + self.parts(keywords, value, depth + 1);
        let looks = looks.saturating_add(1).min(MOST_LOOKS + 1);
        self.known.insert(pair, looks);
        looks
    }

    /// Schemas of the value itself.
    fn same(&mut self, keywords: &Map<String, Value>, value: &Value, depth: usize) -> u64 {
        let mut looks = 0;
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str)
            && let Some(target) = target(self.root, reference)
        {
            looks += self.looks(target, value, depth);
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for schema in list(keywords, keyword) {
                looks += self.looks(schema, value, depth);
            }
        }
        for keyword in ["if", "then", "else", "not"] {
            if let Some(schema) = keywords.get(keyword) {
                looks += self.looks(schema, value, depth);
            }
        }
        for (_, schema) in members(keywords, "dependentSchemas") {
            looks += self.looks(schema, value, depth);
        }
        looks
    }

    /// Schemas of what is in the value.
    fn parts(&mut self, keywords: &Map<String, Value>, value: &Value, depth: usize) -> u64 {
        let mut looks = 0;
        let mut look = |schema: Option<&Value>, part: &Value| {
            looks += schema.map_or(0, |schema| self.looks(schema, part, depth));
        };
        match value {
            Value::Object(parts) => {
                for (name, part) in parts {
                    let own = members(keywords, "properties").find(|(known, _)| *known == name);
                    look(own.map(|(_, schema)| schema), part);
                    if own.is_none() {
                        look(keywords.get("additionalProperties"), part);
                    }
                    look(keywords.get("unevaluatedProperties"), part);
                    for (_, schema) in members(keywords, "patternProperties") {
                        look(Some(schema), part);
                    }
                }
            }
            Value::Array(parts) => {
                let first = list(keywords, "prefixItems");
                for (index, part) in parts.iter().enumerate() {
                    look(first.get(index).or_else(|| keywords.get("items")), part);
                    look(keywords.get("contains"), part);
                    look(keywords.get("unevaluatedItems"), part);
                }
            }
            _ => {}
        }
        looks
    }
}

fn list<'a>(keywords: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    match keywords.get(keyword) {
        Some(Value::Array(schemas)) => schemas,
        _ => &[],
    }
}

fn members<'a>(
    keywords: &'a Map<String, Value>,
    keyword: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let named = keywords.get(keyword).and_then(Value::as_object);
    named.into_iter().flatten()
}
