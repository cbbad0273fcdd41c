//! Putting a schema's text together: the fragment itself, and the definitions it needs.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::{Closure, Definitions};
use crate::discovery::fragment::{Fragment, Hole, MAX_LEVEL, Piece};

/// Definitions up to this size stand where they are used when nothing else uses them.
const INLINE_ONCE: usize = 4096;
/// Definitions without references up to this size always stand where they are used.
const INLINE_ALWAYS: usize = 96;
/// No definition stands where it is used when brackets would stand deeper than this within each
/// other: parsers have limits.
const INLINE_LEVEL: usize = 60;
/// Stands for a definition that is left out.
pub(super) const STUB: &str =
    r#"{"description":"Any value; its description was left out because the schema is too large."}"#;

impl Definitions<'_> {
    /// The JSON text of `root`, an object without its closing brace, with `$defs` for what it
    /// reaches. What lies beyond `limit` bytes is left out; the flag tells that something was.
    /// `pins` are definitions that stand there whether or not something refers to them.
    pub(in crate::discovery) fn assemble(
        &mut self,
        root: &Fragment,
        limit: usize,
        pins: &[usize],
    ) -> (String, bool) {
        for &pin in pins {
            self.entries[pin].pinned = true;
            self.fragment(pin);
        }
        let closure = self.close(root, limit, false);
        let mut text = String::with_capacity(closure.size + 64);
        let mut open = Vec::new();
        self.render(root, &closure, 0, &mut open, &mut text);
        open.extend(pins);
        let mut written = HashSet::new();
        let mut any = false;
        let mut next = 0;
        while next < open.len() {
            let id = open[next];
            next += 1;
            if !written.insert(id) {
                continue;
            }
            text.push_str(if any { "," } else { ",\"$defs\":{" });
            any = true;
            let entry = &self.entries[id];
            text.push_str(&Value::from(entry.name.as_str()).to_string());
            text.push(':');
            match &entry.fragment {
                Some(fragment) if !closure.stubs.contains(&id) => {
                    self.render(fragment, &closure, 0, &mut open, &mut text);
                }
                _ => text.push_str(STUB),
            }
        }
        text.push_str(if any { "}}" } else { "}" });
        (text, !closure.stubs.is_empty())
    }

    /// As [`Self::assemble`], but nothing at all where the whole is longer than `limit`.
    pub(in crate::discovery) fn assemble_within(
        &mut self,
        root: &Fragment,
        limit: usize,
    ) -> Option<String> {
        let closure = self.close(root, limit, true);
        if closure.size > limit {
            return None;
        }
        let (text, _) = self.assemble(root, limit, &[]);
        (text.len() <= limit).then_some(text)
    }

    /// Breadth first, so that what is left out is what lies farthest.
    fn close(&mut self, root: &Fragment, limit: usize, stop: bool) -> Closure {
        let mut closure = Closure {
            size: root.size,
            ..Closure::default()
        };
        let mut open: Vec<usize> = Vec::new();
        count(root.holes(), &mut closure.uses, &mut open);
        let mut next = 0;
        while next < open.len() {
            let id = open[next];
            next += 1;
            let fragment = self.fragment(id);
            let size = fragment.size + 16;
            if closure.size + size > limit {
                if stop {
                    closure.size += size;
                    return closure;
                }
                closure.stubs.insert(id);
                continue;
            }
            closure.size += size;
            count(fragment.holes(), &mut closure.uses, &mut open);
        }
        closure
    }

    fn render(
        &self,
        fragment: &Fragment,
        closure: &Closure,
        level: usize,
        open: &mut Vec<usize>,
        text: &mut String,
    ) {
        for piece in &fragment.pieces {
            let hole = match piece {
                Piece::Text(piece) => {
                    text.push_str(piece);
                    continue;
                }
                Piece::Hole(hole) => *hole,
            };
            let entry = &self.entries[hole.definition];
            match &entry.fragment {
                Some(fragment) if self.stands_here(hole, closure, level) => {
                    self.render(fragment, closure, level + hole.level, open, text);
                }
                _ => {
                    open.push(hole.definition);
                    // Names need no escaping: name_of() leaves a safe alphabet.
                    let reference = format!("\"#/$defs/{}\"", entry.name);
                    if hole.alone {
                        text.push_str("{\"$ref\":");
                        text.push_str(&reference);
                        text.push('}');
                    } else {
                        text.push_str(&reference);
                    }
                }
            }
        }
    }

    /// Whether a definition stands where it is used. A circle never closes this way: whatever a
    /// circle is entered by is used twice.
    fn stands_here(&self, hole: Hole, closure: &Closure, level: usize) -> bool {
        let entry = &self.entries[hole.definition];
        let Some(fragment) = &entry.fragment else {
            return false;
        };
        if !hole.alone || entry.pinned || closure.stubs.contains(&hole.definition) {
            return false;
        }
        let once = closure.uses.get(&hole.definition) == Some(&1);
        let small = fragment.size <= INLINE_ALWAYS && fragment.holes().next().is_none();
        let end = level + hole.level + fragment.depth;
        small && end <= MAX_LEVEL || once && fragment.size <= INLINE_ONCE && end <= INLINE_LEVEL
    }
}

fn count(
    holes: impl Iterator<Item = Hole>,
    uses: &mut HashMap<usize, usize>,
    open: &mut Vec<usize>,
) {
    for hole in holes {
        let uses = uses.entry(hole.definition).or_insert(0);
        *uses += 1;
        if *uses == 1 {
            open.push(hole.definition);
        }
    }
}
