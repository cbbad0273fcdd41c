//! Which definitions describe the same value round in a circle.

use std::collections::HashMap;

use serde_json::Value;

use super::defs::{Definitions, reference_of};
use super::keywords::{Kind, kind};

/// The strongly connected components of the graph whose edges are references that describe the
/// value itself (`$ref`, `allOf`, `not`, `if`, ...), not a part of it. Each definition is looked at
/// once per document, whatever refers to it: Tarjan's algorithm, without recursion.
#[derive(Debug, Default)]
pub(super) struct Circles {
    /// The definition's number in the order of discovery.
    numbers: HashMap<String, usize>,
    /// By number: the component, once it is complete.
    components: Vec<Option<usize>>,
    /// By number: the smallest number reached.
    lows: Vec<usize>,
    /// Numbers whose component is not complete.
    open: Vec<usize>,
}

/// A definition whose edges are being followed.
struct Frame {
    number: usize,
    targets: Vec<String>,
}

impl Circles {
    /// Whether `a` leads to `b` and `b` to `a`.
    pub(super) fn joins(&mut self, a: &str, b: &str, definitions: &Definitions<'_>) -> bool {
        let (a, b) = (
            self.component(a, definitions),
            self.component(b, definitions),
        );
        a.is_some() && a == b
    }

    fn component(&mut self, reference: &str, definitions: &Definitions<'_>) -> Option<usize> {
        if !self.numbers.contains_key(reference) {
            let frame = self.enter(reference, definitions);
            self.follow(frame, definitions);
        }
        let number = *self.numbers.get(reference)?;
        self.components.get(number).copied().flatten()
    }

    fn enter(&mut self, key: &str, definitions: &Definitions<'_>) -> Frame {
        let number = self.components.len();
        self.numbers.insert(key.to_owned(), number);
        self.components.push(None);
        self.lows.push(number);
        self.open.push(number);
        let targets = definitions
            .lookup(key)
            .map(|(_, schema)| targets(schema, definitions))
            .unwrap_or_default();
        Frame { number, targets }
    }

    fn follow(&mut self, first: Frame, definitions: &Definitions<'_>) {
        let mut frames = vec![first];
        while let Some(frame) = frames.last_mut() {
            let number = frame.number;
            if let Some(target) = frame.targets.pop() {
                match self.numbers.get(&target) {
                    None => frames.push(self.enter(&target, definitions)),
                    Some(&known) if self.components[known].is_none() => {
                        self.lows[number] = self.lows[number].min(known);
                    }
                    Some(_) => {}
                }
                continue;
            }
            frames.pop();
            if let Some(parent) = frames.last() {
                self.lows[parent.number] = self.lows[parent.number].min(self.lows[number]);
            }
            if self.lows[number] == number {
                while let Some(member) = self.open.pop() {
                    self.components[member] = Some(number);
                    if member == number {
                        break;
                    }
                }
            }
        }
    }
}

/// The definitions that describe the same value as `schema`, each once.
fn targets(schema: &Value, definitions: &Definitions<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        let Value::Object(map) = schema else { continue };
        found.extend(
            reference_of(schema)
                .and_then(|reference| definitions.lookup(reference))
                .map(|(key, _)| key),
        );
        for (keyword, value) in map {
            match (kind(keyword), value) {
                (Kind::Schema { same: true }, value) => open.push(value),
                (Kind::Schemas, Value::Array(list)) if keyword != "prefixItems" => {
                    open.extend(list);
                }
                (Kind::Named { same: true }, Value::Object(map)) => open.extend(map.values()),
                _ => {}
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
