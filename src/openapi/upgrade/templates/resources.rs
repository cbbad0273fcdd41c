//! The schema resources of a document, their anchors and their references.
//!
//! A resource is a schema with `$id`, a named schema of `components`, or the outermost inline
//! schema. To the letter all without `$id` are one resource; that is how hardly anybody writes.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::super::super::external::{holds_names, is_data};
use super::super::super::finding::Place;
use super::super::super::reference::decoded;

/// Members of `components` that operations refer to.
const PARTS: [&str; 6] = [
    "parameters",
    "requestBodies",
    "responses",
    "headers",
    "mediaTypes",
    "pathItems",
];
/// Every parser stops at 128 levels; what is deeper came together from several files.
const DEEPEST: usize = 512;

/// A name that is bound differently from way to way, by its place in [`Resources::names`].
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
    /// Names with several anchors that a dynamic reference has.
    pub(super) names: Vec<String>,
    by_pointer: HashMap<String, usize>,
}

impl<'a> Resources<'a> {
    /// Finds them, and where their references lead.
    pub(super) fn of(root: &'a Value) -> Self {
        let mut all = Self {
            root,
            list: Vec::new(),
            anchors: Vec::new(),
            names: Vec::new(),
            by_pointer: HashMap::new(),
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

    fn document(&mut self, root: &Value, place: &mut Place) {
        let components = root.get("components");
        let members = |name: &str| {
            let part = components.and_then(|components| components.get(name));
            part.and_then(Value::as_object).into_iter().flatten()
        };
        place.within("components", |place| {
            for (name, schema) in members("schemas") {
                place.within("schemas", |place| {
                    place.within(name, |place| self.outermost(schema, place, false));
                });
            }
            for part in PARTS {
                for (name, node) in members(part) {
                    place.within(part, |place| {
                        place.within(name, |place| self.structure(node, place, false, 0));
                    });
                }
            }
        });
        if let Some(paths) = root.get("paths") {
            place.within("paths", |place| self.structure(paths, place, false, 0));
        }
    }

    /// Another file: a document, one schema, or a part of a document.
    fn other(&mut self, tree: &Value, place: &mut Place) {
        let is_schema = ["$id", "$defs", "$dynamicAnchor", "type", "allOf", "items"];
        if tree.get("components").is_some() || tree.get("paths").is_some() {
            self.document(tree, place);
        } else if is_schema.iter().any(|key| tree.get(key).is_some()) {
            self.outermost(tree, place, false);
        } else {
            self.structure(tree, place, false, 0);
        }
    }

    /// What is no schema, and the schemas in it.
    fn structure(&mut self, node: &Value, place: &mut Place, names: bool, depth: usize) {
        match node {
            _ if depth > DEEPEST => {}
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    place.item(index, |place| self.structure(item, place, false, depth + 1));
                }
            }
            Value::Object(map) => {
                for (key, member) in map {
                    place.within(key, |place| match key.as_str() {
                        "schema" | "itemSchema" if !names => self.outermost(member, place, true),
                        "callbacks" | "schemas" if !names => {}
                        key if !names && is_data(key) => {}
                        key => {
                            let inner = !names && holds_names(key);
                            self.structure(member, place, inner, depth + 1);
                        }
                    });
                }
            }
            _ => {}
        }
    }

    fn outermost(&mut self, schema: &Value, place: &mut Place, entry: bool) {
        if !schema.is_object() || self.by_pointer.contains_key(place.pointer()) {
            return;
        }
        let id = self.begin(place);
        self.list[id].entry = entry;
        self.schema(schema, place, id, false, 0);
    }

    fn begin(&mut self, place: &Place) -> usize {
        let id = self.list.len();
        let pointer = place.pointer().to_owned();
        self.by_pointer.insert(pointer.clone(), id);
        self.list.push(Resource {
            pointer,
            ..Resource::default()
        });
        id
    }

    fn schema(
        &mut self,
        node: &Value,
        place: &mut Place,
        mut id: usize,
        names: bool,
        depth: usize,
    ) {
        match node {
            _ if depth > DEEPEST => {}
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    place.item(index, |place| {
                        self.schema(item, place, id, false, depth + 1)
                    });
                }
            }
            Value::Object(map) => {
                if !names && place.pointer() != self.list[id].pointer {
                    let known = self.by_pointer.get(place.pointer()).copied();
                    if known.is_some() || identified(map) {
                        let outer = std::mem::replace(&mut id, known.unwrap_or(self.list.len()));
                        if known.is_none() {
                            self.begin(place);
                        }
                        self.list[id].inner = true;
                        self.list[outer].nested.push(id);
                    }
                    if known.is_some() {
                        return;
                    }
                }
                if !names {
                    self.keywords(map, place, id);
                }
                for (key, member) in map {
                    let skipped = key == "discriminator" || is_data(key);
                    if names || !skipped {
                        let inner = !names && holds_names(key);
                        place.within(key, |place| {
                            self.schema(member, place, id, inner, depth + 1);
                        });
                    }
                }
            }
            _ => {}
        }
    }

    fn keywords(&mut self, map: &Map<String, Value>, place: &Place, id: usize) {
        let resource = &mut self.list[id];
        let at = place.pointer().get(resource.pointer.len()..);
        let at = at.unwrap_or_default().to_owned();
        let text = |key: &str| map.get(key).and_then(Value::as_str);
        let mut site = |word: Word, text: &str| {
            resource.sites.push(Site {
                at: at.clone(),
                word,
                text: text.to_owned(),
                target: Target::Elsewhere,
            });
            resource.sites.len() - 1
        };
        let reference = text("$ref").map(|text| site(Word::Reference, text));
        text("$dynamicRef").map(|text| site(Word::Dynamic, text));
        let mapping = map
            .get("discriminator")
            .and_then(|node| node.get("mapping"));
        for (value, to) in mapping.and_then(Value::as_object).into_iter().flatten() {
            if let Some(to) = to.as_str().filter(|to| to.starts_with('#')) {
                site(Word::Mapping(value.clone()), to);
            }
        }
        if let Some(name) = text("$anchor") {
            resource.plain.insert(name.to_owned(), at.clone());
            resource.anchored.push(at.clone());
        }
        if let Some(name) = text("$dynamicAnchor") {
            let silent =
                |key: &String| matches!(key.as_str(), "$dynamicAnchor" | "$ref" | "$comment");
            resource.anchored.push(at.clone());
            self.anchors.push(Anchor {
                name: name.to_owned(),
                resource: id,
                at,
                alias: reference.filter(|_| map.keys().all(silent)),
            });
        }
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

    /// Finds what references by pointer lead to. What is no resource yet becomes one.
    fn connect(&mut self) {
        let mut id = 0;
        while id < self.list.len() {
            for number in 0..self.list[id].sites.len() {
                let Some(pointer) = self.written_pointer(&self.list[id].sites[number].text) else {
                    continue;
                };
                let (resource, rest) = self.owner(&pointer);
                self.list[id].sites[number].target = Target::Place(resource, rest, false);
            }
            id += 1;
        }
    }

    /// The pointer of a schema that is there.
    fn written_pointer(&self, text: &str) -> Option<String> {
        let fragment = text.strip_prefix('#')?;
        let known = |pointer: &str| self.root.pointer(pointer).is_some_and(Value::is_object);
        if !fragment.starts_with('/') {
            return None;
        }
        let plain = decoded(fragment);
        if known(&plain) {
            return Some(plain.into_owned());
        }
        known(fragment).then(|| fragment.to_owned())
    }

    fn owner(&mut self, pointer: &str) -> (usize, String) {
        let mut length = pointer.len();
        loop {
            let (start, rest) = pointer.split_at(length);
            if let Some(id) = self.by_pointer.get(start) {
                return (*id, rest.to_owned());
            }
            match start.rfind('/') {
                Some(shorter) => length = shorter,
                None => break,
            }
        }
        let id = self.list.len();
        if let Some(schema) = self.root.pointer(pointer) {
            self.outermost(schema, &mut Place::at(pointer), false);
        }
        (id, String::new())
    }

    /// Finds what references by name lead to, and which names mean more than one thing.
    fn bind(&mut self) {
        let mut anchors: HashMap<&str, Vec<usize>> = HashMap::new();
        for (number, anchor) in self.anchors.iter().enumerate() {
            anchors.entry(&anchor.name).or_default().push(number);
        }
        let mut plain: HashMap<&str, (usize, &str)> = HashMap::new();
        for (id, resource) in self.list.iter().enumerate() {
            for (name, at) in &resource.plain {
                plain.entry(name).or_insert((id, at));
            }
        }
        let mut names: HashMap<&str, Name> = HashMap::new();
        let mut found = Vec::new();
        for (id, resource) in self.list.iter().enumerate() {
            for (number, site) in resource.sites.iter().enumerate() {
                let name = site.text.strip_prefix('#').unwrap_or_default();
                if name.is_empty() || name.starts_with('/') {
                    continue;
                }
                let several = anchors.get(name).map_or(&[][..], Vec::as_slice);
                let own = several
                    .iter()
                    .find(|anchor| self.anchors[**anchor].resource == id);
                let own_plain = resource.plain.get(name).map(|at| (id, at.as_str()));
                let stated = own_plain.filter(|_| own.is_none());
                if site.word == Word::Dynamic && several.len() > 1 && stated.is_none() {
                    let next = Name::try_from(names.len()).unwrap_or(Name::MAX);
                    let bound = *names.entry(name).or_insert(next);
                    found.push((id, number, Target::Bound(bound)));
                    continue;
                }
                let dynamic = own.or(several.first()).map(|anchor| {
                    let anchor = &self.anchors[*anchor];
                    (anchor.resource, anchor.at.as_str())
                });
                let place = stated.or(dynamic).or(plain.get(name).copied());
                if let Some((resource, at)) = place {
                    found.push((id, number, Target::Place(resource, at.to_owned(), true)));
                }
            }
        }
        let mut listed = vec![String::new(); names.len()];
        let mut own = Vec::new();
        for (name, number) in names {
            name.clone_into(&mut listed[number as usize]);
            own.extend(anchors[name].iter().map(|anchor| (number, *anchor)));
        }
        self.names = listed;
        for (id, number, target) in found {
            self.list[id].sites[number].target = target;
        }
        own.sort_unstable();
        for (name, anchor) in own {
            let bound = &mut self.list[self.anchors[anchor].resource].own;
            match bound.last_mut() {
                Some((last, several)) if *last == name => *several = None,
                _ => bound.push((name, Some(anchor))),
            }
        }
    }
}

/// Whether a schema has an address of its own. One with a fragment is the anchor of old drafts.
fn identified(map: &Map<String, Value>) -> bool {
    let id = map.get("$id").and_then(Value::as_str);
    id.is_some_and(|id| !id.is_empty() && !id.trim_end_matches('#').contains('#'))
}
