//! What a composition may repeat of other definitions. Merged parts stand in each place that is made of them, and so do
//! theirs: without bounds a schema that leads back to itself would be written again and again.

use serde_json::{Map, Value};

use super::{Definitions, small};
use crate::discovery::circles::Circles;
use crate::discovery::defs::reference_of;
use crate::discovery::keywords::{Kind, kind};

/// So many values of definitions are repeated for one document; afterwards compositions stay as they are written.
const MAX_VALUES: usize = 1_000_000;

/// How definitions lead to each other, and what is left to repeat of them.
#[derive(Debug)]
pub(in crate::discovery) struct Repeats {
    left: usize,
    circles: Circles<String>,
}

impl Default for Repeats {
    fn default() -> Self {
        Self {
            left: MAX_VALUES,
            circles: Circles::default(),
        }
    }
}

impl Definitions<'_> {
    /// Whether what a reference names may stand in its place. `within`: the reference itself is repeated there.
    pub(super) fn may_repeat(&self, reference: &str, within: bool) -> bool {
        !(within && self.leads_back(reference))
    }

    /// Notes that a schema stands in the place of a reference; false where there is no room for it.
    pub(super) fn repeat(&self, schema: &Map<String, Value>) -> bool {
        let mut repeats = self.repeats.borrow_mut();
        let mut left = repeats.left;
        let fits = schema.values().all(|value| small(value, &mut left));
        if fits {
            repeats.left = left;
        }
        fits
    }

    /// Whether a definition reaches itself, by whatever way.
    pub(super) fn leads_back(&self, reference: &str) -> bool {
        let mut targets = |key: &String| match self.lookup(key) {
            Some((_, schema)) => self.references(schema),
            None => Vec::new(),
        };
        let mut repeats = self.repeats.borrow_mut();
        let component = repeats
            .circles
            .component(&reference.to_owned(), &mut targets);
        component.is_some_and(|component| component.circular)
    }

    /// The definitions that a schema refers to, each once.
    fn references(&self, schema: &Value) -> Vec<String> {
        let (mut found, mut open) = (Vec::new(), vec![schema]);
        while let Some(schema) = open.pop() {
            let Value::Object(map) = schema else { continue };
            let target = reference_of(schema).and_then(|reference| self.lookup(reference));
            found.extend(target.map(|(key, _)| key));
            for (keyword, value) in map {
                match (kind(keyword), value) {
                    (Kind::Schema { .. } | Kind::Schemas, Value::Array(list)) => open.extend(list),
                    (Kind::Schema { .. }, value) => open.push(value),
                    (Kind::Properties | Kind::Named { .. }, Value::Object(map)) => {
                        open.extend(map.values());
                    }
                    _ => {}
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
