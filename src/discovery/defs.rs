//! A document's shared schemas: each is converted once, named once, and put under `$defs` of the
//! tools that reach it.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::circles::{Circles, same_value};
use super::fragment::{Fragment, Hole, Piece};
use super::naming::name_of;
use crate::openapi::Schemas;

/// Definitions up to this size stand where they are used when nothing else uses them.
const INLINE_ONCE: usize = 4096;
/// Definitions without references up to this size always stand where they are used.
const INLINE_ALWAYS: usize = 96;
/// No definition stands where it is used when brackets would stand deeper than this within each
/// other: parsers have limits.
const INLINE_LEVEL: usize = 60;
/// Stands for a definition that is left out.
const STUB: &str =
    r#"{"description":"Any value; its description was left out because the schema is too large."}"#;

/// Which way values go; it decides whether `readOnly` or `writeOnly` properties vanish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// Arguments.
    Input,
    /// Answers.
    Output,
}

/// A document's definitions as seen in one direction.
#[derive(Debug)]
pub(super) struct Definitions<'d> {
    pub(super) schemas: &'d Schemas,
    pub(super) direction: Direction,
    /// Sentences for people, each once.
    pub(super) notes: Vec<String>,
    noted: HashSet<String>,
    /// Regular expressions met so far, and whether they can be used.
    pub(super) patterns: HashMap<String, bool>,
    pub(super) anchors: HashSet<String>,
    /// The `$defs` of the schema that is being written as a root, with a number of its own.
    local: Option<(usize, &'d Map<String, Value>)>,
    ids: HashMap<String, usize>,
    names: HashSet<String>,
    entries: Vec<Entry<'d>>,
    /// Over references: which describe the same value.
    same: Circles<String>,
    /// Over definitions: which reach themselves.
    reach: Circles<usize>,
}

#[derive(Debug)]
struct Entry<'d> {
    reference: String,
    name: String,
    source: &'d Value,
    fragment: Option<Fragment>,
    /// Has an anchor, so it must stand exactly once.
    pinned: bool,
}

/// What a schema reaches.
#[derive(Debug, Default)]
struct Closure {
    /// Definition to the number of its uses.
    uses: HashMap<usize, usize>,
    /// Left out, because the whole would be too large.
    stubs: HashSet<usize>,
    size: usize,
}

impl<'d> Definitions<'d> {
    pub(super) fn new(schemas: &'d Schemas, direction: Direction) -> Self {
        Self {
            schemas,
            direction,
            notes: Vec::new(),
            noted: HashSet::new(),
            patterns: HashMap::new(),
            anchors: HashSet::new(),
            local: None,
            ids: HashMap::new(),
            names: HashSet::new(),
            entries: Vec::new(),
            same: Circles::default(),
            reach: Circles::default(),
        }
    }

    /// Notes a sentence, once.
    pub(super) fn note(&mut self, note: String) {
        if self.noted.insert(note.clone()) {
            self.notes.push(note);
        }
    }

    /// What a reference names, references found there followed; `None` where they lead nowhere or
    /// round in a circle.
    pub(super) fn resolve<'s>(&self, mut schema: &'s Value) -> Option<&'s Value>
    where
        'd: 's,
    {
        for _ in 0..32 {
            match reference_of(schema) {
                None => return Some(schema),
                Some(reference) => schema = self.schemas.get(reference)?,
            }
        }
        None
    }

    /// The definition a reference names; `None` where it leads nowhere.
    pub(super) fn id(&mut self, reference: &str) -> Option<usize> {
        if let Some(&id) = self.ids.get(reference) {
            return Some(id);
        }
        match self.schemas.get(reference) {
            Some(source) if source.is_object() || source.is_boolean() => {
                Some(self.define(reference, source))
            }
            _ => self.local_id(reference.strip_prefix("#/$defs/")?),
        }
    }

    /// Some documents mean the schema's own `$defs` where they refer to the document's.
    fn local_id(&mut self, name: &str) -> Option<usize> {
        let (number, own) = self.local?;
        let key = format!("{number}/{name}");
        if let Some(&id) = self.ids.get(&key) {
            return Some(id);
        }
        let source = own.get(name).filter(|schema| schema.is_object())?;
        Some(self.define(&key, source))
    }

    /// Whether a definition describes the same value as the one at `within`, by way of references
    /// and compositions alone, and the other way round. A validator would follow such a circle for
    /// ever.
    pub(super) fn describes_same(&mut self, id: usize, within: &str) -> bool {
        let from = self.entries[id].reference.clone();
        if from == within {
            return true;
        }
        let mut circles = std::mem::take(&mut self.same);
        let mut targets = |key: &String| match self.lookup(key) {
            Some((_, schema)) => same_value(schema, self),
            None => Vec::new(),
        };
        let from = circles.component(&from, &mut targets);
        let same = from.is_some() && from == circles.component(&within.to_owned(), &mut targets);
        self.same = circles;
        same
    }

    /// What a reference is known by, and its schema; defines nothing.
    pub(super) fn lookup(&self, reference: &str) -> Option<(String, &'d Value)> {
        if let Some(source) = self.schemas.get(reference) {
            return source.is_object().then(|| (reference.to_owned(), source));
        }
        let own = |number: usize, name: &str| {
            let (known, own) = self.local.filter(|(known, _)| *known == number)?;
            Some((format!("{known}/{name}"), own.get(name)?))
        };
        match reference.strip_prefix("#/$defs/") {
            Some(name) => own(self.local?.0, name),
            None => {
                let (number, name) = reference.split_once('/')?;
                own(number.parse().ok()?, name)
            }
        }
    }

    /// Makes the `$defs` of `map` known while it is written as a root.
    pub(super) fn enter(&mut self, map: &'d Map<String, Value>) {
        let own = map.get("$defs").and_then(Value::as_object);
        self.local = own.map(|own| (self.entries.len(), own));
    }

    fn define(&mut self, reference: &str, source: &'d Value) -> usize {
        let base = name_of(reference);
        let mut name = base.clone();
        let mut number = 2_u32;
        while !self.names.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        let pinned = source.get("$anchor").is_some();
        let id = self.entries.len();
        self.entries.push(Entry {
            reference: reference.to_owned(),
            name,
            source,
            fragment: None,
            pinned,
        });
        self.ids.insert(reference.to_owned(), id);
        id
    }

    /// The definitions of the entered schema's own `$defs`, which it leaves.
    pub(super) fn leave(&mut self) -> Vec<usize> {
        let Some((_, own)) = self.local else {
            return Vec::new();
        };
        let mut pins = Vec::new();
        for (name, schema) in own {
            let same = |entry: &Entry<'_>| entry.name == *name && entry.source == schema;
            let known = self.entries.iter().position(same);
            pins.extend(known.or_else(|| self.local_id(name)));
        }
        self.local = None;
        pins
    }

    /// Whether a definition reaches itself.
    pub(super) fn recursive(&mut self, id: usize) -> bool {
        let mut circles = std::mem::take(&mut self.reach);
        let component = circles.component(&id, &mut |&id| {
            let mut targets: Vec<usize> = self
                .fragment(id)
                .holes()
                .map(|hole| hole.definition)
                .collect();
            targets.sort_unstable();
            targets.dedup();
            targets
        });
        self.reach = circles;
        component.is_some_and(|component| component.circular)
    }

    /// A definition's text, converted when first asked for.
    fn fragment(&mut self, id: usize) -> &Fragment {
        if self.entries[id].fragment.is_none() {
            let source = self.entries[id].source;
            let reference = self.entries[id].reference.clone();
            let mut fragment = Fragment::default();
            self.write_definition(source, &reference, &mut fragment);
            self.entries[id].fragment = Some(fragment);
        }
        self.entries[id]
            .fragment
            .as_ref()
            .expect("it was written just above")
    }

    /// The JSON text of `root`, an object without its closing brace, with `$defs` for what it
    /// reaches. What lies beyond `limit` bytes is left out; the flag tells that something was.
    /// `pins` are definitions that stand there whether or not something refers to them.
    pub(super) fn assemble(
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
    pub(super) fn assemble_within(&mut self, root: &Fragment, limit: usize) -> Option<String> {
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
        small
            || (once
                && fragment.size <= INLINE_ONCE
                && level + hole.level + fragment.depth <= INLINE_LEVEL)
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

/// The reference of a schema that has one.
pub(super) fn reference_of(schema: &Value) -> Option<&str> {
    schema.get("$ref").and_then(Value::as_str)
}
