//! The schema resources of a document, their anchors and their references.
//!
//! A resource is a schema with `$id`, a named schema of `components`, or the outermost inline
//! schema. To the letter all without `$id` are one resource; that is how hardly anybody writes.

mod bind;
mod scan;

use std::collections::HashMap;

use serde_json::Value;

use super::super::super::finding::Place;

/// Bytes of the places of all resources and references together.
const MOST_BYTES: usize = 64 << 20;

/// A name that is bound differently from way to way, by its number.
pub(super) type Name = u32;

/// What holds a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    /// `$ref`.
    Reference,
    /// `$dynamicRef`.
    Dynamic,
    /// `discriminator.mapping` at this value.
    Mapping(String),
}

/// Where a reference leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// Nowhere that counts here.
    Elsewhere,
    /// To a place in a resource, relative to it. True where it is written by an anchor's name.
    Place(usize, String, bool),
    /// To whatever is bound to a name.
    Bound(Name),
}

/// A reference.
#[derive(Debug)]
pub(super) struct Site {
    /// The pointer of the schema that holds it, relative to the resource.
    pub(super) at: String,
    pub(super) word: Word,
    /// As written.
    pub(super) text: String,
    pub(super) target: Target,
}

/// A schema with a `$dynamicAnchor`.
#[derive(Debug)]
pub(super) struct Anchor {
    name: String,
    pub(super) resource: usize,
    /// Its pointer, relative to the resource.
    pub(super) at: String,
    /// The site of its `$ref` in the resource, where it says nothing else.
    pub(super) alias: Option<usize>,
}

impl Anchor {
    /// Its resource, and where it stands in it.
    fn place(&self) -> (usize, &str) {
        (self.resource, &self.at)
    }
}

/// A schema resource.
#[derive(Debug, Default)]
pub(super) struct Resource {
    pub(super) pointer: String,
    /// Operations come in here.
    pub(super) entry: bool,
    /// It stands within another one.
    pub(super) inner: bool,
    /// The resources that stand directly within this one.
    pub(super) nested: Vec<usize>,
    pub(super) sites: Vec<Site>,
    /// Names it binds to anchors; nothing where several of one name contradict each other.
    pub(super) own: Vec<(Name, Option<usize>)>,
    /// Where `$anchor` and `$dynamicAnchor` stand, relative to the resource.
    pub(super) anchored: Vec<String>,
    /// Places by `$anchor`.
    plain: HashMap<String, String>,
}

/// The resources of a document.
#[derive(Debug)]
pub(super) struct Resources<'a> {
    root: &'a Value,
    pub(super) list: Vec<Resource>,
    pub(super) anchors: Vec<Anchor>,
    /// How many names have several anchors and a dynamic reference.
    pub(super) names: usize,
    by_pointer: HashMap<String, usize>,
    /// Bytes that places may still take; none where they did not suffice.
    pub(super) room: usize,
}

impl<'a> Resources<'a> {
    /// Finds them, and where their references lead.
    pub(super) fn of(root: &'a Value) -> Self {
        let mut all = Self {
            root,
            list: Vec::new(),
            anchors: Vec::new(),
            names: 0,
            by_pointer: HashMap::new(),
            room: MOST_BYTES,
        };
        all.document(root, &mut Place::default());
        let components = root.get("components");
        let others = components.and_then(|components| components.get("x-external"));
        for (number, tree) in others.and_then(Value::as_object).into_iter().flatten() {
            let pointer = format!("/components/x-external/{number}");
            all.other(tree, &mut Place::at(&pointer));
        }
        all.connect();
        all.bind();
        all
    }

    /// How much the places of a resource's references weigh in every copy, as so many values.
    pub(super) fn text(&self, id: usize) -> usize {
        let resource = &self.list[id];
        let own = resource.sites.iter();
        let own: usize = own
            .map(|site| (resource.pointer.len() + site.at.len()) / 256)
            .sum();
        let inner = resource.nested.iter().map(|inner| self.text(*inner));
        own + inner.sum::<usize>()
    }

    /// Takes anchors for one that stand for the same plain schema, so that templates of it are
    /// made once.
    pub(super) fn unite(&mut self, needs: &[Vec<Name>]) {
        let mut first: HashMap<(usize, &str), usize> = HashMap::new();
        let mut same: Vec<usize> = (0..self.anchors.len()).collect();
        for (number, anchor) in self.anchors.iter().enumerate() {
            let owner = &self.list[anchor.resource];
            let stands_for = anchor.alias.map(|site| &owner.sites[site].target);
            if let Some(Target::Place(other, rest, _)) = stands_for
                && needs[*other].is_empty()
            {
                same[number] = *first.entry((*other, rest)).or_insert(number);
            }
        }
        for resource in &mut self.list {
            for anchor in resource
                .own
                .iter_mut()
                .filter_map(|(_, anchor)| anchor.as_mut())
            {
                *anchor = same[*anchor];
            }
        }
    }
}
