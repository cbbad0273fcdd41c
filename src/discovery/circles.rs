//! Which definitions lead round in a circle.

use std::collections::HashMap;
use std::hash::Hash;

use serde_json::Value;

use super::defs::{Definitions, reference_of};
use super::keywords::{Kind, kind};

/// The strongly connected components of a graph, found as they are asked for: Tarjan's algorithm,
/// without recursion. Each node is looked at once, whatever leads to it.
#[derive(Debug)]
pub(super) struct Circles<K> {
    /// The node's number in the order of discovery.
    numbers: HashMap<K, usize>,
    /// By number: the component, once it is complete.
    components: Vec<Option<Component>>,
    /// By number: the smallest number reached.
    lows: Vec<usize>,
    /// By number: the node leads to itself.
    loops: Vec<bool>,
    /// Numbers whose component is not complete.
    open: Vec<usize>,
}

/// Nodes that all lead to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Component {
    number: usize,
    /// There is a way from each of its nodes back to it.
    pub(super) circular: bool,
}

/// A node whose edges are being followed.
struct Frame<K> {
    number: usize,
    targets: Vec<K>,
}

impl<K> Default for Circles<K> {
    fn default() -> Self {
        Self {
            numbers: HashMap::new(),
            components: Vec::new(),
            lows: Vec::new(),
            loops: Vec::new(),
            open: Vec::new(),
        }
    }
}

impl<K: Clone + Eq + Hash> Circles<K> {
    /// The component of a node, given what each node leads to.
    pub(super) fn component(
        &mut self,
        node: &K,
        targets: &mut dyn FnMut(&K) -> Vec<K>,
    ) -> Option<Component> {
        if !self.numbers.contains_key(node) {
            let mut frames = vec![self.enter(node, targets)];
            while !frames.is_empty() {
                self.step(&mut frames, targets);
            }
        }
        let number = *self.numbers.get(node)?;
        self.components.get(number).copied().flatten()
    }

    fn enter(&mut self, node: &K, targets: &mut dyn FnMut(&K) -> Vec<K>) -> Frame<K> {
        let number = self.components.len();
        let targets = targets(node);
        self.numbers.insert(node.clone(), number);
        self.components.push(None);
        self.lows.push(number);
        self.loops.push(targets.contains(node));
        self.open.push(number);
        Frame { number, targets }
    }

    fn step(&mut self, frames: &mut Vec<Frame<K>>, targets: &mut dyn FnMut(&K) -> Vec<K>) {
        let Some(frame) = frames.last_mut() else {
            return;
        };
        let number = frame.number;
        if let Some(target) = frame.targets.pop() {
            match self.numbers.get(&target) {
                None => frames.push(self.enter(&target, targets)),
                Some(&known) if self.components[known].is_none() => {
                    self.lows[number] = self.lows[number].min(known);
                }
                Some(_) => {}
            }
            return;
        }
        frames.pop();
        if let Some(parent) = frames.last() {
            self.lows[parent.number] = self.lows[parent.number].min(self.lows[number]);
        }
        if self.lows[number] == number {
            self.complete(number);
        }
    }

    fn complete(&mut self, number: usize) {
        let circular = self.open.last() != Some(&number) || self.loops[number];
        let component = Component { number, circular };
        while let Some(member) = self.open.pop() {
            self.components[member] = Some(component);
            if member == number {
                break;
            }
        }
    }
}

/// The definitions that describe the same value as `schema`, each once.
pub(super) fn same_value(schema: &Value, definitions: &Definitions<'_>) -> Vec<String> {
    let mut found = same_value_uses(schema, definitions);
    found.sort_unstable();
    found.dedup();
    found
}

/// The definitions that describe the same value as `schema` (`$ref`, `allOf`, `not`, `if`, ...), not
/// a part of it; each as often as it is used.
pub(super) fn same_value_uses(schema: &Value, definitions: &Definitions<'_>) -> Vec<String> {
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
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_lead_to_each_other_are_one_component() {
        // 0 -> 1 -> 2 -> 0, 2 -> 3 -> 4, 5 -> 5, and a chain too long for recursion.
        let mut targets = |node: &usize| match *node {
            0 => vec![1],
            1 => vec![2],
            2 => vec![0, 3],
            3 => vec![4],
            5 => vec![5],
            100..500_000 => vec![node + 1],
            _ => Vec::new(),
        };
        let mut circles = Circles::default();
        let found = [3, 1, 0, 2, 4, 5, 100].map(|node| circles.component(&node, &mut targets));
        let found = found.map(Option::unwrap);
        assert_eq!(found[1], found[2]);
        assert_eq!(found[1], found[3]);
        assert_ne!(found[0], found[1]);
        let circular = found.map(|component| component.circular);
        assert_eq!(circular, [false, true, true, true, false, true, false]);
    }
}
