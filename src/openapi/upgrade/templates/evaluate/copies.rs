//! The copies of templates: whether there is room for one, and its name.

use serde_json::Value;

use super::super::resources::Target;
use super::super::{COPIES, last_name};
use super::{Bindings, Evaluation, Instance, MOST_COPIES};

/// Bindings that a copy's name tells.
const MOST_TOLD: usize = 3;

impl Evaluation<'_> {
    pub(super) fn copy(&mut self, key: (usize, Bindings)) -> Option<usize> {
        let (id, bindings) = &key;
        let root = self.root;
        let pointer = &self.resources.list[*id].pointer;
        let size = *self
            .sizes
            .entry(*id)
            .or_insert_with(|| root.pointer(pointer).map_or(0, size) + self.resources.text(*id));
        if self.made >= MOST_COPIES {
            return None;
        }
        self.values = self.values.checked_sub(size + bindings.len())?;
        self.made += 1;
        let name = self.name(*id, bindings);
        let number = self.instances.len();
        self.instances.push(Instance {
            resource: *id,
            bindings: bindings.clone(),
            place: format!("{COPIES}/{name}"),
            copy: Some(name),
            within: None,
            visited: false,
        });
        self.known.insert(key, number);
        Some(number)
    }

    /// The template's name and those of what is bound: `Page-User`.
    fn name(&mut self, id: usize, bindings: &Bindings) -> String {
        let resources = self.resources;
        let resource = &resources.list[id];
        let mut base = last_name(&resource.pointer);
        let others = bindings
            .iter()
            .filter(|bound| !resource.own.contains(bound));
        for anchor in others.filter_map(|(_, anchor)| *anchor).take(MOST_TOLD) {
            let anchor = &resources.anchors[anchor];
            let owner = &resources.list[anchor.resource];
            let stands_for = match anchor.alias.map(|site| &owner.sites[site].target) {
                Some(Target::Place(other, rest, _)) if rest.is_empty() => {
                    last_name(&resources.list[*other].pointer)
                }
                Some(Target::Place(_, rest, _)) => last_name(rest),
                _ if anchor.at.is_empty() => last_name(&owner.pointer),
                _ => last_name(&anchor.at),
            };
            base.push('-');
            base.push_str(&stands_for);
        }
        let mut name = base.clone();
        while self.names.contains_key(&name) {
            let used = self.names.entry(base.clone()).or_default();
            *used += 1;
            name = format!("{base}_{used}");
        }
        self.names.insert(name.clone(), 1);
        name
    }
}

/// How many values a tree has; long texts count more.
fn size(value: &Value) -> usize {
    let inner = match value {
        Value::String(text) => text.len() / 256,
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => {
            let members = members.iter();
            members
                .map(|(key, value)| key.len() / 256 + size(value))
                .sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    inner + 1
}
