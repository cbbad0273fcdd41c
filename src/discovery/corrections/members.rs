//! What schemas say of an object's members: which there are, and which do not go in.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::{Said, has_type};
use crate::discovery::defs::Definitions;

/// The members of an object, by all the schemas that describe it.
#[derive(Debug, Default)]
pub(super) struct Members<'d> {
    pub(super) list: Vec<Member<'d>>,
    by_name: HashMap<&'d str, usize>,
    /// By these a reader tells alternatives apart, so he needs them whatever else is said of them.
    pub(super) telling: HashSet<&'d str>,
    /// An alternative takes members of any name.
    pub(super) open: bool,
}

#[derive(Debug)]
pub(super) struct Member<'d> {
    pub(super) name: &'d str,
    pub(super) said: Vec<Said<'d>>,
    /// Surely, or in an alternative, it does not go in this direction; or it does.
    surely_hidden: bool,
    hidden: bool,
    goes: bool,
}

impl<'d> Members<'d> {
    /// Takes what a schema says; gives how many members that were.
    pub(super) fn take(
        &mut self,
        map: &'d Map<String, Value>,
        surely: bool,
        definitions: &Definitions<'d>,
    ) -> usize {
        let telling = map
            .get("discriminator")
            .and_then(|it| it.get("propertyName"));
        self.telling.extend(telling.and_then(Value::as_str));
        self.open |= !surely && takes_any_name(map);
        let Some(properties) = map.get("properties").and_then(Value::as_object) else {
            return 1;
        };
        for (name, schema) in properties {
            let at = *self.by_name.entry(name).or_insert(self.list.len());
            if at == self.list.len() {
                self.list.push(Member::new(name));
            }
            let (member, hides) = (&mut self.list[at], definitions.hides(schema));
            member.surely_hidden |= hides && surely;
            member.hidden |= hides;
            member.goes |= !hides;
            member.said.push(Said { schema, surely });
        }
        properties.len() + 1
    }
}

impl<'d> Member<'d> {
    fn new(name: &'d str) -> Self {
        Self {
            name,
            said: Vec::new(),
            surely_hidden: false,
            hidden: false,
            goes: false,
        }
    }

    /// What some alternative takes is sent: it cannot be told from here which of them is meant.
    pub(super) fn is_left_out(&self, any_name_goes: bool) -> bool {
        self.surely_hidden || self.hidden && !self.goes && !any_name_goes
    }
}

/// Whether an object of this schema is more of a map than a thing with properties.
fn takes_any_name(map: &Map<String, Value>) -> bool {
    let bare = !["properties", "$ref", "allOf", "oneOf", "anyOf"]
        .iter()
        .any(|keyword| map.contains_key(*keyword));
    let additional = map.get("additionalProperties");
    additional.is_some_and(|schema| *schema != Value::Bool(false))
        || map.contains_key("patternProperties")
        || bare && has_type(map, "object") && additional.is_none()
}
