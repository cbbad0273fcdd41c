//! An object schema seen through its references and `allOf`: which properties a value has, and
//! which of them go in the direction at hand.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::convert::At;
use super::defs::{Definitions, Direction, reference_of};

/// What an object schema says of its properties.
#[derive(Debug, Default)]
pub(super) struct ObjectView<'s> {
    /// Properties in the document's order, each once, without those that do not go this way.
    pub(super) fields: Vec<(&'s str, &'s Value)>,
    /// The names that must be there.
    pub(super) required: Vec<&'s str>,
    /// The first `additionalProperties` found.
    pub(super) additional: Option<&'s Value>,
    /// `oneOf`, `anyOf`, `if`, ... say more than the fields do.
    pub(super) conditional: bool,
    /// `enum`, `dependentRequired`, ... say more of the object as a whole.
    pub(super) bound: bool,
    /// `minProperties`.
    pub(super) at_least: u64,
    /// Something says that values are objects.
    is_object: bool,
    /// The names among the fields and the required ones.
    known: HashSet<&'s str>,
    needed: HashSet<&'s str>,
}

/// The most schemas looked at for one object: members of members multiply.
const MAX_LOOKS: usize = 1000;

impl<'d> Definitions<'d> {
    /// The view of `schema`; `None` where values need not be objects.
    pub(super) fn object<'s>(&self, schema: &'s Value) -> Option<ObjectView<'s>>
    where
        'd: 's,
    {
        let mut view = ObjectView::default();
        let mut looks = MAX_LOOKS;
        self.look(schema, 0, &mut looks, &mut view);
        let hidden = self
            .resolve(schema)
            .and_then(Value::as_object)
            .map(|map| self.hidden(map, At::default()))
            .unwrap_or_default();
        view.fields
            .retain(|(name, schema)| !hidden.contains(*name) && !self.hides(schema));
        view.required.retain(|name| !hidden.contains(*name));
        view.is_object.then_some(view)
    }

    /// The names of the properties that do not go in this direction, those of `allOf` included: a
    /// `required` beside them may name them.
    pub(super) fn hidden(&self, map: &Map<String, Value>, at: At<'_>) -> HashSet<String> {
        let mut hidden = at.hidden.cloned().unwrap_or_default();
        let mut looks = MAX_LOOKS;
        self.collect_hidden(map, 0, &mut looks, &mut hidden);
        hidden
    }

    fn collect_hidden(
        &self,
        map: &Map<String, Value>,
        depth: usize,
        left: &mut usize,
        hidden: &mut HashSet<String>,
    ) {
        if let Some(Value::Object(properties)) = map.get("properties") {
            let names = properties.iter().filter(|(_, schema)| self.hides(schema));
            hidden.extend(names.map(|(name, _)| name.clone()));
        }
        if let Some(Value::Array(list)) = map.get("allOf")
            && depth < 4
        {
            for member in list {
                if *left == 0 {
                    return;
                }
                *left -= 1;
                if let Some(Value::Object(member)) = self.resolve(member) {
                    self.collect_hidden(member, depth + 1, left, hidden);
                }
            }
        }
    }

    /// Whether a property does not go in this direction, references followed.
    pub(super) fn hides(&self, schema: &Value) -> bool {
        let flag = match self.direction {
            Direction::Input => "readOnly",
            Direction::Output => "writeOnly",
        };
        let mut schema = schema;
        for _ in 0..32 {
            if schema.get(flag) == Some(&Value::Bool(true)) {
                return true;
            }
            match reference_of(schema).and_then(|reference| self.schemas.get(reference)) {
                Some(target) => schema = target,
                None => return false,
            }
        }
        false
    }

    fn look<'s>(&self, schema: &'s Value, depth: usize, left: &mut usize, view: &mut ObjectView<'s>)
    where
        'd: 's,
    {
        if depth > 8 || *left == 0 {
            return;
        }
        *left -= 1;
        let Some(Value::Object(map)) = self.resolve(schema) else {
            return;
        };
        self.look_at(map, view);
        if let Some(Value::Array(members)) = map.get("allOf") {
            for member in members {
                self.look(member, depth + 1, left, view);
            }
        }
    }

    fn look_at<'s>(&self, map: &'s Map<String, Value>, view: &mut ObjectView<'s>) {
        view.is_object |= is_object_type(map.get("type"));
        if let Some(Value::Object(properties)) = map.get("properties") {
            view.is_object |= !map.contains_key("type");
            for (name, schema) in properties {
                if view.known.insert(name) {
                    view.fields.push((name, schema));
                }
            }
        }
        if let Some(Value::Array(names)) = map.get("required") {
            for name in names.iter().filter_map(Value::as_str) {
                if view.needed.insert(name) {
                    view.required.push(name);
                }
            }
        }
        if let Some(additional) = map.get("additionalProperties") {
            view.additional.get_or_insert(additional);
        }
        view.conditional |= ["oneOf", "anyOf", "not", "if", "dependentSchemas"]
            .iter()
            .any(|keyword| map.contains_key(*keyword));
        view.bound |= [
            "maxProperties",
            "dependentRequired",
            "patternProperties",
            "propertyNames",
            "enum",
            "const",
        ]
        .iter()
        .any(|keyword| map.contains_key(*keyword));
        let at_least = map.get("minProperties").and_then(Value::as_u64);
        view.at_least = view.at_least.max(at_least.unwrap_or(0));
    }
}

fn is_object_type(value: Option<&Value>) -> bool {
    match value {
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => {
            names.iter().any(|name| name == "object")
                && names.iter().all(|name| name == "object" || name == "null")
        }
        _ => false,
    }
}
