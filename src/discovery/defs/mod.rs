//! A document's shared schemas: each is converted once, named once, and put under `$defs` of the
//! tools that reach it.

mod assemble;

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::circles::{Circles, same_value};
use super::compose::{Heirs, Repeats};
use super::fragment::Fragment;
use super::naming::name_of;
use super::ways::{MAX_WAYS, Ways};
use crate::openapi::Schemas;
pub(super) use crate::openapi::reference_of;

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
    /// What is being written, for notes: an operation, or a named schema.
    place: String,
    /// Regular expressions met so far, and whether they can be used.
    pub(super) patterns: HashMap<String, bool>,
    pub(super) anchors: HashSet<String>,
    /// The `$defs` of the schema that is being written as a root, with a number of its own.
    local: Option<(usize, &'d Map<String, Value>)>,
    ids: HashMap<String, usize>,
    names: HashMap<String, Named>,
    entries: Vec<Entry<'d>>,
    /// Over references: which describe the same value.
    same: Circles<String>,
    /// Over definitions: which reach themselves.
    reach: Circles<usize>,
    /// How often one value is looked at.
    pub(super) ways: Ways,
    /// Who inherits from whom.
    pub(super) heirs: OnceCell<Heirs>,
    /// What compositions repeat.
    pub(super) repeats: RefCell<Repeats>,
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

/// What a name stands for.
#[derive(Debug)]
struct Named {
    definition: usize,
    /// The number for the next one that wants the name: looking for a free one from the start each time
    /// would take a document of many such names for ever.
    next: u32,
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
            place: String::new(),
            patterns: HashMap::new(),
            anchors: HashSet::new(),
            local: None,
            ids: HashMap::new(),
            names: HashMap::new(),
            entries: Vec::new(),
            same: Circles::default(),
            reach: Circles::default(),
            ways: Ways::new(),
            heirs: OnceCell::new(),
            repeats: RefCell::default(),
        }
    }

    /// Notes a sentence, once.
    pub(super) fn note(&mut self, note: String) {
        if self.noted.insert(note.clone()) {
            self.notes.push(note);
        }
    }

    /// Notes a sentence on what is being written, once.
    pub(super) fn note_here(&mut self, note: &str) {
        self.note(format!("{}: {note}", self.place));
    }

    /// What is written from now on stands here.
    pub(super) fn write_for(&mut self, place: String) {
        self.place = place;
    }

    /// The same for what a reference names, while that is looked at.
    pub(super) fn within<T>(
        &mut self,
        reference: Option<&str>,
        look: impl FnOnce(&mut Self) -> T,
    ) -> T {
        // A root's own definitions are known by names that nobody has written.
        let Some(reference) = reference.filter(|one| one.starts_with('#')) else {
            return look(self);
        };
        let inner = format!("the schema `{reference}`");
        let around = std::mem::replace(&mut self.place, inner);
        let found = look(self);
        self.place = around;
        found
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
        let id = self.entries.len();
        let name = self.name(name_of(reference), id);
        let pinned = source.get("$anchor").is_some();
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

    /// A name for the definition `id` that no other has.
    fn name(&mut self, base: String, id: usize) -> String {
        let mut name = base.clone();
        if let Some(mut number) = self.names.get(&base).map(|named| named.next) {
            while self.names.contains_key(&name) {
                name = format!("{base}_{number}");
                number += 1;
            }
            self.names
                .entry(base)
                .and_modify(|named| named.next = number);
        }
        let named = Named {
            definition: id,
            next: 2,
        };
        self.names.insert(name.clone(), named);
        name
    }

    /// The definitions of the entered schema's own `$defs`, which it leaves.
    pub(super) fn leave(&mut self) -> Vec<usize> {
        let Some((_, own)) = self.local else {
            return Vec::new();
        };
        let mut pins = Vec::new();
        for (name, schema) in own {
            let known = self.names.get(name).map(|named| named.definition);
            let known = known.filter(|&id| self.entries[id].source == schema);
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
            if self.ways(&reference) > MAX_WAYS {
                let name = self.entries[id].name.clone();
                self.note(format!(
                    "the schema {name} composes others so often that checking it would not end: any value is taken"
                ));
                fragment.raw(assemble::STUB);
            } else {
                self.within(Some(&reference), |this| {
                    this.write_definition(source, &reference, &mut fragment);
                });
            }
            self.entries[id].fragment = Some(fragment);
        }
        self.entries[id]
            .fragment
            .as_ref()
            .expect("it was written just above")
    }
}
