//! Where references lead: those by pointer to a place, those by name to an anchor or to whatever is
//! bound.

use std::collections::HashMap;

use serde_json::Value;

use super::super::super::super::finding::Place;
use super::super::super::super::reference::decoded;
use super::{Anchor, Name, Resources, Target, Word};

impl Resources<'_> {
    /// Finds what references by pointer lead to. What is no resource yet becomes one.
    pub(super) fn connect(&mut self) {
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
    pub(super) fn bind(&mut self) {
        // The first of a name and how many there are, and the first in each resource.
        let mut anchors: HashMap<&str, (usize, usize)> = HashMap::new();
        let mut inner: HashMap<(usize, &str), usize> = HashMap::new();
        for (number, anchor) in self.anchors.iter().enumerate() {
            anchors.entry(&anchor.name).or_insert((number, 0)).1 += 1;
            let key = (anchor.resource, anchor.name.as_str());
            inner.entry(key).or_insert(number);
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
                let first = anchors.get(name);
                let own = inner.get(&(id, name));
                let stated = resource.plain.get(name).filter(|_| own.is_none());
                let several = first.is_some_and(|(_, count)| *count > 1);
                if site.word == Word::Dynamic && several && stated.is_none() {
                    let next = Name::try_from(names.len()).unwrap_or(Name::MAX);
                    let bound = *names.entry(name).or_insert(next);
                    found.push((id, number, Target::Bound(bound)));
                    continue;
                }
                let dynamic = own.or(first.map(|(anchor, _)| anchor));
                let dynamic = dynamic.map(|anchor| self.anchors[*anchor].place());
                let place = stated.map(|at| (id, at.as_str())).or(dynamic);
                if let Some((resource, at)) = place.or(plain.get(name).copied()) {
                    found.push((id, number, Target::Place(resource, at.to_owned(), true)));
                }
            }
        }
        self.names = names.len();
        let owned = |anchor: &Anchor| names.get(anchor.name.as_str()).copied();
        let bound: Vec<Option<Name>> = self.anchors.iter().map(owned).collect();
        for (id, number, target) in found {
            self.list[id].sites[number].target = target;
        }
        self.take(&bound);
    }

    /// Notes what each resource binds names to. `names` are those of the anchors.
    fn take(&mut self, names: &[Option<Name>]) {
        for (number, name) in names.iter().enumerate() {
            if let Some(name) = name {
                let resource = self.anchors[number].resource;
                self.list[resource].own.push((*name, Some(number)));
            }
        }
        for resource in &mut self.list {
            resource.own.sort_unstable();
            resource.own.dedup_by(|later, first| {
                let same = later.0 == first.0;
                if same {
                    first.1 = None;
                }
                same
            });
        }
    }
}
