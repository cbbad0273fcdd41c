//! Differences of arguments, and of what is inside of them.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::List;

/// Deeper differences are told of the level above.
const DEEPEST: usize = 12;
/// More differences of one tool than a person reads.
const MOST: usize = 500;

/// Compares two input schemas.
pub(super) fn arguments(old: &Value, new: &Value, list: &mut List<'_>) {
    let mut pair = Pair {
        roots: (old, new),
        start: list.changes.len(),
        list,
    };
    pair.object(old, new, "", 0);
    if pair.list.changes.len() == pair.start {
        let text = "the input schema changed where it is not compared: examples, defaults, titles";
        list.add("input-changed", false, text.to_owned());
    }
}

/// Two schemas and what their references point into.
struct Pair<'a, 'l> {
    roots: (&'a Value, &'a Value),
    start: usize,
    list: &'a mut List<'l>,
}

impl<'a> Pair<'a, '_> {
    fn object(&mut self, old: &'a Value, new: &'a Value, path: &str, depth: usize) {
        let (before, after) = (properties(old), properties(new));
        let (needed, needs) = (required(old), required(new));
        let empty = Map::new();
        let (before_map, after_map) = (before.unwrap_or(&empty), after.unwrap_or(&empty));
        for name in before_map
            .keys()
            .filter(|name| !after_map.contains_key(*name))
        {
            // What is still let through is not refused, but no longer means anything.
            self.add(
                "argument-removed",
                true,
                format!("argument `{path}{name}` removed"),
            );
        }
        for name in after_map
            .keys()
            .filter(|name| !before_map.contains_key(*name))
        {
            let must = needs.contains(name.as_str());
            let word = if must { "required" } else { "optional" };
            self.add(
                "argument-added",
                must,
                format!("{word} argument `{path}{name}` added"),
            );
        }
        let (Some(before), Some(after)) = (before, after) else {
            return;
        };
        for (name, old) in before {
            let Some(new) = after.get(name) else {
                continue;
            };
            match (
                needed.contains(name.as_str()),
                needs.contains(name.as_str()),
            ) {
                (false, true) => self.add(
                    "argument-required",
                    true,
                    format!("argument `{path}{name}` became required"),
                ),
                (true, false) => self.add(
                    "argument-optional",
                    false,
                    format!("argument `{path}{name}` became optional"),
                ),
                _ => {}
            }
            self.value(old, new, &format!("{path}{name}"), depth + 1);
        }
    }

    fn value(&mut self, old: &'a Value, new: &'a Value, path: &str, depth: usize) {
        if depth > DEEPEST || self.list.changes.len() - self.start > MOST {
            return;
        }
        let (old, new) = (follow(old, self.roots.0), follow(new, self.roots.1));
        self.kind(old, new, path);
        self.choices(old, new, path);
        self.bounds(old, new, path);
        for keyword in COMPOSITION {
            let (before, after) = (old.get(keyword), new.get(keyword));
            if before != after {
                let text = format!("{keyword} of `{path}` changed");
                self.add("composition-changed", after.is_some(), text);
            }
        }
        let described = |schema: &'a Value| schema.get("description");
        if described(old) != described(new) {
            self.add(
                "argument-description-changed",
                false,
                format!("description of `{path}` changed"),
            );
        }
        if properties(old).is_some() || properties(new).is_some() {
            self.object(old, new, &format!("{path}."), depth);
        }
        if let (Some(old), Some(new)) = (old.get("items"), new.get("items")) {
            self.value(old, new, &format!("{path}[]"), depth + 1);
        }
    }

    /// Types that are gone refuse what was valid.
    fn kind(&mut self, old: &Value, new: &Value, path: &str) {
        let (before, after) = (types(old), types(new));
        if before == after {
            return;
        }
        let shown = |types: &Option<BTreeSet<String>>| match types {
            Some(types) => types
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(" or "),
            None => "any type".to_owned(),
        };
        let text = format!(
            "type of `{path}` is {} instead of {}",
            shown(&after),
            shown(&before)
        );
        let narrower = match (&before, &after) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(before), Some(after)) => before.iter().any(|one| {
                // Every integer is a number.
                !(after.contains(one) || one == "integer" && after.contains("number"))
            }),
        };
        self.add("type-changed", narrower, text);
    }

    fn choices(&mut self, old: &Value, new: &Value, path: &str) {
        let list = |schema: &Value| -> Option<BTreeSet<String>> {
            let list = schema.get("enum")?.as_array()?;
            Some(list.iter().map(Value::to_string).collect())
        };
        let shown = |values: BTreeSet<&String>| {
            let words: Vec<&str> = values.into_iter().map(String::as_str).collect();
            words.join(", ")
        };
        match (list(old), list(new)) {
            (Some(before), Some(after)) => {
                let (gone, come): (BTreeSet<_>, BTreeSet<_>) = (
                    before.difference(&after).collect(),
                    after.difference(&before).collect(),
                );
                if !gone.is_empty() {
                    self.add(
                        "enum-values-removed",
                        true,
                        format!("`{path}` no longer accepts {}", shown(gone)),
                    );
                }
                if !come.is_empty() {
                    self.add(
                        "enum-values-added",
                        false,
                        format!("`{path}` accepts {} as well", shown(come)),
                    );
                }
            }
            (None, Some(after)) => {
                let text = format!(
                    "`{path}` accepts only {} now",
                    shown(after.iter().collect())
                );
                self.add("enum-values-removed", true, text);
            }
            (Some(_), None) => {
                self.add(
                    "enum-values-added",
                    false,
                    format!("`{path}` accepts more than its old list"),
                );
            }
            (None, None) => {}
        }
    }

    /// Whether a bound is tighter is told by the keyword's direction where both are numbers;
    /// anything else that is new or different is taken as breaking.
    fn bounds(&mut self, old: &Value, new: &Value, path: &str) {
        for (keyword, is_floor) in BOUNDS {
            let (before, after) = (old.get(keyword), new.get(keyword));
            if before == after {
                continue;
            }
            let tighter = match (before, after, is_floor) {
                (_, None, _) => false,
                (Some(before), Some(after), Some(floor)) => {
                    match (before.as_f64(), after.as_f64()) {
                        (Some(before), Some(after)) => (after > before) == *floor,
                        _ => true,
                    }
                }
                _ => true,
            };
            let shown = |value: Option<&Value>| value.map_or("absent".to_owned(), Value::to_string);
            self.add(
                "constraint-changed",
                tighter,
                format!(
                    "{keyword} of `{path}` is {} instead of {}",
                    shown(after),
                    shown(before)
                ),
            );
        }
    }

    fn add(&mut self, kind: &'static str, breaking: bool, text: String) {
        self.list.add(kind, breaking, text);
    }
}

/// Keywords that bound a value, and whether a higher number is the tighter one.
const BOUNDS: &[(&str, Option<bool>)] = &[
    ("minimum", Some(true)),
    ("exclusiveMinimum", Some(true)),
    ("maximum", Some(false)),
    ("exclusiveMaximum", Some(false)),
    ("minLength", Some(true)),
    ("maxLength", Some(false)),
    ("minItems", Some(true)),
    ("maxItems", Some(false)),
    ("minProperties", Some(true)),
    ("maxProperties", Some(false)),
    ("uniqueItems", None),
    ("multipleOf", None),
    ("pattern", None),
    ("format", None),
    ("const", None),
    ("additionalProperties", None),
];

/// What is compared as a whole: whether a change of these breaks is more than a list can tell, so
/// only their end is harmless.
const COMPOSITION: &[&str] = &[
    "oneOf",
    "anyOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "prefixItems",
];

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}

fn required(schema: &Value) -> BTreeSet<&str> {
    let list = schema.get("required").and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

fn types(schema: &Value) -> Option<BTreeSet<String>> {
    match schema.get("type")? {
        Value::String(one) => Some([one.clone()].into()),
        Value::Array(list) => Some(
            list.iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
        ),
        _ => None,
    }
}

/// A local reference's schema. One that leads to another reference is followed a few steps.
fn follow<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut current = schema;
    for _ in 0..8 {
        let next = current
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| root.pointer(reference.strip_prefix('#')?));
        match next {
            Some(next) => current = next,
            None => return current,
        }
    }
    current
}
