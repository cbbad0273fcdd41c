//! One schema of any dialect to JSON Schema 2020-12: the walk through its subschemas.

use serde_json::{Map, Value};

use super::super::finding::{Findings, Place};
use super::super::reference::kind;
use super::composition;
use super::keywords::{self, Shape, shape};

/// Every parser stops at 128 levels; what is deeper came together from several files.
const DEEPEST: usize = 512;

/// What a walk over schemas collects and must know.
pub(super) struct Schemas<'a> {
    /// Faults.
    pub(super) findings: &'a mut Findings,
    /// Keywords beside `$ref` count for nothing.
    pub(super) ignores_siblings: bool,
    /// Called with every reference; false removes it.
    pub(super) reference: &'a mut dyn FnMut(&mut String, &Place, &mut Findings) -> bool,
    /// Schemas left to visit, so that a document of references into references ends.
    pub(super) budget: &'a mut usize,
}

impl Schemas<'_> {
    /// Turns `value` into a valid 2020-12 schema.
    pub(super) fn normalise(&mut self, value: &mut Value, place: &mut Place, depth: usize) {
        if *self.budget == 0 || depth > DEEPEST {
            *value = Value::Bool(true);
            self.findings.warn(
                "schema-too-large",
                place.pointer(),
                format!("expected at most {DEEPEST} levels and a bounded number of schemas"),
                "split or simplify the schema; anything is accepted here",
            );
            return;
        }
        *self.budget -= 1;
        match value {
            Value::Bool(_) => {}
            Value::Object(map) => self.object(map, place, depth),
            _ => {
                let found = kind(value);
                *value = Value::Bool(true);
                self.findings.warn(
                    "invalid-schema",
                    place.pointer(),
                    format!("expected a schema object, found {found}"),
                    "write a schema; anything is accepted here",
                );
            }
        }
    }

    fn object(&mut self, map: &mut Map<String, Value>, place: &mut Place, depth: usize) {
        if !self.ignores_siblings {
            dynamic(map);
        }
        self.follow_reference(map, place);
        keywords::clean(map, place, self.findings);
        if map.keys().any(|key| key == "additionalItems")
            || map.get("items").is_some_and(Value::is_array)
        {
            draft_items(map);
        }
        for (key, value) in map.iter_mut() {
            match (shape(key), value) {
                (Some(Shape::Schema), value) => {
                    place.within(key, |place| self.normalise(value, place, depth + 1));
                }
                (Some(Shape::SchemaByName), Value::Object(members)) => {
                    place.within(key, |place| {
                        members.retain(|name, value| self.member(name, value, place, depth));
                    });
                }
                (Some(Shape::Schemas), Value::Array(list)) => place.within(key, |place| {
                    for (index, value) in list.iter_mut().enumerate() {
                        place.item(index, |place| self.normalise(value, place, depth + 1));
                    }
                }),
                _ => {}
            }
        }
        if map
            .keys()
            .any(|key| key == "nullable" || key == "x-nullable")
        {
            composition::nullable(map);
        }
    }

    fn follow_reference(&mut self, map: &mut Map<String, Value>, place: &Place) {
        let Some(reference) = map.get_mut("$ref") else {
            return;
        };
        let Value::String(target) = reference else {
            map.shift_remove("$ref");
            self.findings.warn(
                "invalid-keyword",
                &place.member("$ref"),
                "expected a text as $ref".to_owned(),
                "the reference is ignored",
            );
            return;
        };
        if !(self.reference)(target, place, self.findings) {
            map.shift_remove("$ref");
        } else if self.ignores_siblings && map.len() > 1 {
            keywords::drop_siblings(map, place, self.findings);
        }
    }

    /// Whether a named schema stays. A boolean `required` inside a property (draft 3) counts for
    /// nothing: the service may well do without, and no valid call may be refused.
    fn member(&mut self, name: &str, value: &mut Value, place: &mut Place, depth: usize) -> bool {
        if !matches!(value, Value::Object(_) | Value::Bool(_)) {
            self.findings.warn(
                "invalid-schema",
                &place.member(name),
                format!("expected a schema object, found {}", kind(value)),
                "a keyword may stand one level too deep; the entry is ignored",
            );
            return false;
        }
        place.within(name, |place| self.normalise(value, place, depth + 1));
        true
    }
}

/// What a `$dynamicRef` refers to begins with this until its anchor is found.
pub(super) const DYNAMIC: &str = "#dynamic:";

/// `$dynamicRef` as `$ref`: with one `$dynamicAnchor` of its name they mean the same (JSON Schema
/// 2020-12, Core, section 8.2.3.2). Those of a name with several were settled before where somebody
/// binds it (`templates`).
fn dynamic(map: &mut Map<String, Value>) {
    let Some(Value::String(target)) = map.get("$dynamicRef") else {
        return;
    };
    let target = match target.strip_prefix('#') {
        Some(name) if !name.is_empty() && !name.starts_with('/') => format!("{DYNAMIC}{name}"),
        _ => target.clone(),
    };
    map.shift_remove("$dynamicRef");
    map.entry("$ref").or_insert(Value::String(target));
}

fn draft_items(map: &mut Map<String, Value>) {
    if matches!(map.get("items"), Some(Value::Array(_))) {
        let listed = map.shift_remove("items");
        if let Some(rest) = map.shift_remove("additionalItems") {
            map.insert("items".into(), rest);
        }
        if let Some(Value::Array(list)) = listed
            && !list.is_empty()
        {
            map.entry("prefixItems").or_insert(Value::Array(list));
        }
    } else {
        map.shift_remove("additionalItems");
    }
}
