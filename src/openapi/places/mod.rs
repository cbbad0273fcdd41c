//! From JSON pointers to lines and columns of a text, so that a finding can be shown where it stands.

mod json;
mod yaml;

use std::collections::{HashMap, HashSet};

use serde::de::IgnoredAny;

use crate::pointer;

/// More containers open at once than any document that loads has.
const DEEPEST: usize = 10_000;
/// More repeated keys than a person reads.
const MOST_DUPLICATES: usize = 100;

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

/// Where the nodes stand that JSON pointers name.
#[derive(Debug, Default)]
pub struct Places {
    nodes: Vec<Node>,
    duplicates: Vec<(String, Position)>,
}

/// A node of the tree of pointers that were asked for.
#[derive(Debug, Default)]
struct Node {
    children: HashMap<String, usize>,
    position: Option<Position>,
}

impl Places {
    /// Looks up `pointers` in the text of a JSON or YAML document. Memory is bounded by what is
    /// asked for, not by the text; a text that cannot be parsed gives the places before its fault.
    pub fn locate<'a>(bytes: &[u8], pointers: impl IntoIterator<Item = &'a str>) -> Self {
        let mut places = Self::default();
        places.nodes.push(Node::default());
        for pointer in pointers {
            places.ask(pointer);
        }
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let Ok(text) = std::str::from_utf8(bytes) else {
            return places;
        };
        let mut tracker = Tracker {
            places,
            open: Vec::new(),
            tells_duplicates: false,
        };
        // The same choice as the loader's.
        if serde_json::from_str::<IgnoredAny>(text).is_ok() {
            tracker.tells_duplicates = true;
            json::scan(text, &mut tracker);
        } else {
            yaml::scan(text, &mut tracker);
        }
        tracker.places
    }

    fn ask(&mut self, pointer: &str) {
        let mut at = 0;
        for name in pointer::names(pointer) {
            let next = self.nodes.len();
            let Some(node) = self.nodes.get_mut(at) else {
                return;
            };
            at = *node.children.entry(name.into_owned()).or_insert(next);
            if at == next {
                self.nodes.push(Node::default());
            }
        }
    }

    /// Where a member's key or an item begins; the nearest thing around it where it is not in the
    /// text, for instance because it came through a merge key. Only for pointers that were asked
    /// for.
    #[must_use]
    pub fn find(&self, pointer: &str) -> Option<Position> {
        let mut node = self.nodes.first()?;
        let mut best = node.position;
        for name in pointer::names(pointer) {
            let Some(next) = node.children.get(&*name) else {
                break;
            };
            node = self.nodes.get(*next)?;
            best = node.position.or(best);
        }
        best
    }

    /// JSON object keys that occurred before in their object, with their place; the first hundred.
    /// Those of YAML are findings of the loader.
    #[must_use]
    pub fn duplicates(&self) -> &[(String, Position)] {
        &self.duplicates
    }
}

/// Follows a scanner through the text.
struct Tracker {
    places: Places,
    open: Vec<Open>,
    tells_duplicates: bool,
}

/// A container that is not closed yet.
struct Open {
    /// The node of the container, if anything in it was asked for.
    node: Option<usize>,
    kind: Kind,
}

enum Kind {
    Array {
        next: usize,
    },
    Object {
        key: Option<String>,
        seen: HashSet<String>,
    },
}

impl Tracker {
    /// Whether the next text is a key.
    fn awaits_key(&self) -> bool {
        let top = self.open.last().map(|open| &open.kind);
        matches!(top, Some(Kind::Object { key: None, .. }))
    }

    fn key(&mut self, text: String, at: Position) {
        let Some(top) = self.open.last_mut() else {
            return;
        };
        let Kind::Object { key, seen } = &mut top.kind else {
            return;
        };
        let repeated = self.tells_duplicates && !seen.insert(text.clone());
        if let Some(child) = child(&self.places.nodes, top.node, &text) {
            // The last of equal keys counts.
            set(&mut self.places.nodes, child, at, true);
        }
        *key = Some(text);
        if repeated && self.places.duplicates.len() < MOST_DUPLICATES {
            let pointer = self.pointer();
            self.places.duplicates.push((pointer, at));
        }
    }

    /// A scalar, or a container where `kind` says so. False where the nesting is out of bounds.
    fn value(&mut self, at: Position, kind: Option<Kind>) -> bool {
        let node = match self.open.last_mut() {
            None => Some(0),
            Some(Open { node, kind }) => match kind {
                Kind::Array { next } => {
                    *next += 1;
                    node.and_then(|_| child(&self.places.nodes, *node, &(*next - 1).to_string()))
                }
                Kind::Object { key, .. } => {
                    let node = *node;
                    // A container keeps its key until it is closed, for the pointer.
                    key.as_ref()
                        .and_then(|key| child(&self.places.nodes, node, key))
                }
            },
        };
        if let Some(node) = node {
            set(&mut self.places.nodes, node, at, false);
        }
        match kind {
            Some(kind) => self.open.push(Open { node, kind }),
            None => self.settle(),
        }
        self.open.len() <= DEEPEST
    }

    fn close(&mut self) {
        self.open.pop();
        self.settle();
    }

    /// A member's value has ended: a key follows.
    fn settle(&mut self) {
        if let Some(Open {
            kind: Kind::Object { key, .. },
            ..
        }) = self.open.last_mut()
        {
            *key = None;
        }
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for open in &self.open {
            match &open.kind {
                Kind::Array { next } => {
                    pointer::push(&mut pointer, &next.saturating_sub(1).to_string())
                }
                Kind::Object { key: Some(key), .. } => pointer::push(&mut pointer, key),
                Kind::Object { key: None, .. } => {}
            }
        }
        pointer
    }
}

impl Kind {
    fn array() -> Self {
        Self::Array { next: 0 }
    }

    fn object() -> Self {
        Self::Object {
            key: None,
            seen: HashSet::new(),
        }
    }
}

fn child(nodes: &[Node], parent: Option<usize>, token: &str) -> Option<usize> {
    nodes.get(parent?)?.children.get(token).copied()
}

fn set(nodes: &mut [Node], index: usize, at: Position, again: bool) {
    if let Some(node) = nodes.get_mut(index)
        && (again || node.position.is_none())
    {
        node.position = Some(at);
    }
}

#[cfg(test)]
mod tests;
