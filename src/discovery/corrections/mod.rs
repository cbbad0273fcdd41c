//! Where arguments are put right before they are checked: the places of members that the service sets
//! itself (`readOnly`) and of integers, along the schemas of a document.
//!
//! A place is known by the schemas that describe the value there. The tools of a document share its places,
//! so that each schema is looked at once, and schemas that lead back to themselves end.

mod arguments;
mod members;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use self::members::Members;
use super::defs::{Definitions, reference_of};
use crate::tool::{Corrections, Place};

/// The most schemas that describe one value; further ones are not looked at.
const MAX_SCHEMAS: usize = 64;
/// The most places of a document, and the most members looked at; what lies beyond is sent as it is given.
const MAX_PLACES: usize = 20_000;
const MAX_MEMBERS: usize = 1_000_000;
/// The place where nothing is put right.
const NOWHERE: usize = 0;

/// What is put right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// `readOnly` members are left out (OpenAPI 3.0, section 4.7.24.1).
    ReadOnly,
    /// Integers are spelled as integers.
    Integers,
}

/// A schema that describes a value: for sure, or as one of several alternatives.
#[derive(Debug, Clone, Copy)]
struct Said<'d> {
    schema: &'d Value,
    surely: bool,
}

/// Gathers a document's places.
#[derive(Debug)]
pub(super) struct Corrector<'d> {
    wanted: Wanted,
    places: Vec<Place>,
    /// By the addresses of the schemas: documents do not move while they are looked at.
    known: HashMap<Vec<(usize, bool)>, usize>,
    /// Places that are not written yet.
    open: Vec<(usize, Vec<Said<'d>>)>,
    /// Places from which nothing is to be put right.
    idle: HashSet<usize>,
    members: usize,
    shared: Arc<OnceLock<Vec<Place>>>,
}

impl<'d> Corrector<'d> {
    pub(super) fn new(wanted: Wanted) -> Self {
        Self {
            wanted,
            places: vec![Place::default()],
            known: HashMap::new(),
            open: Vec::new(),
            idle: HashSet::new(),
            members: 0,
            shared: Arc::default(),
        }
    }

    /// The place of a value that this schema describes; nothing where there is nothing to be put right.
    fn of(&mut self, schema: &'d Value, definitions: &Definitions<'d>) -> Option<usize> {
        let said = Said {
            schema,
            surely: true,
        };
        let place = self.number(vec![said], definitions)?;
        while let Some((number, said)) = self.open.pop() {
            self.places[number] = self.place(&said, definitions);
        }
        self.leads_somewhere(place).then_some(place)
    }

    /// A place that no schema is known for.
    fn add(&mut self, place: Place) -> usize {
        self.places.push(place);
        self.places.len() - 1
    }

    /// The corrections of a tool with these arguments.
    fn corrections(&mut self, arguments: Place) -> Corrections {
        Corrections {
            root: self.add(arguments),
            places: Arc::clone(&self.shared),
        }
    }

    /// Gives all tools their places, without those that lead nowhere.
    pub(super) fn finish(mut self) {
        let mut towards: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut open = Vec::new();
        for (number, place) in self.places.iter().enumerate() {
            if place.integer || !place.left_out.is_empty() {
                open.push(number);
            }
            for next in nexts(place) {
                towards.entry(next).or_default().push(number);
            }
        }
        let mut live: HashSet<usize> = open.iter().copied().collect();
        while let Some(number) = open.pop() {
            for &before in towards.get(&number).into_iter().flatten() {
                if live.insert(before) {
                    open.push(before);
                }
            }
        }
        for place in &mut self.places {
            place.others = place.others.filter(|next| live.contains(next));
            place.items = place.items.filter(|next| live.contains(next));
            if place.others.is_none() {
                place.properties.retain(|(_, next)| live.contains(next));
            }
            place.properties.sort();
            place.properties.shrink_to_fit();
        }
        // Nobody else writes there.
        let _ = self.shared.set(self.places);
    }

    fn leads_somewhere(&mut self, from: usize) -> bool {
        let mut seen = HashSet::from([from]);
        let mut open = vec![from];
        while let Some(number) = open.pop() {
            let place = &self.places[number];
            if place.integer || !place.left_out.is_empty() {
                return true;
            }
            let new = nexts(place).filter(|next| !self.idle.contains(next) && seen.insert(*next));
            open.extend(new);
        }
        self.idle.extend(seen);
        false
    }

    /// The number of the place that these schemas describe.
    fn number(&mut self, said: Vec<Said<'d>>, definitions: &Definitions<'d>) -> Option<usize> {
        let mut said: Vec<Said<'d>> = said
            .into_iter()
            .map(|one| one.followed(definitions))
            .filter(|one| !self.is_plain(one.schema))
            .collect();
        said.sort_by_key(Said::key);
        said.dedup_by_key(|one| one.key());
        if said.is_empty() || said.len() > MAX_SCHEMAS {
            return None;
        }
        let key: Vec<(usize, bool)> = said.iter().map(Said::key).collect();
        if let Some(&number) = self.known.get(&key) {
            return Some(number);
        }
        if self.places.len() >= MAX_PLACES || self.members >= MAX_MEMBERS {
            return None;
        }
        let number = self.add(Place::default());
        self.known.insert(key, number);
        self.open.push((number, said));
        Some(number)
    }

    /// Whether nothing can be put right in values of a schema.
    fn is_plain(&self, schema: &Value) -> bool {
        let Value::Object(map) = schema else {
            return true;
        };
        let scalar = match map.get("type").and_then(Value::as_str) {
            Some("string" | "boolean" | "null" | "number") => true,
            Some("integer") => self.wanted == Wanted::ReadOnly,
            _ => false,
        };
        scalar && !map.contains_key("$ref")
    }

    fn place(&mut self, said: &[Said<'d>], definitions: &Definitions<'d>) -> Place {
        let described = described(said, definitions);
        let mut members = Members::default();
        for (map, surely) in &described {
            self.members += members.take(map, *surely, definitions);
        }
        let mut place = Place::default();
        if self.wanted == Wanted::Integers {
            let named = |name| described.iter().any(|(map, _)| has_type(map, name));
            place.integer = named("integer") && !named("number");
        }
        for member in members.list {
            if self.wanted == Wanted::ReadOnly
                && member.is_left_out(members.open)
                && !members.telling.contains(member.name)
            {
                place.left_out.push(member.name.into());
            } else {
                // Its name is known even so: it is none of the others.
                let next = self.number(member.said, definitions).unwrap_or(NOWHERE);
                place.properties.push((member.name.into(), next));
            }
        }
        place.others = self.number(parts(&described, &OTHERS), definitions);
        if place.others.is_none() {
            place.properties.retain(|(_, next)| *next != NOWHERE);
        }
        place.items = self.number(parts(&described, &ITEMS), definitions);
        place
    }
}

/// Keywords with schemas of members that have no name, and of items.
const OTHERS: [&str; 3] = [
    "additionalProperties",
    "unevaluatedProperties",
    "patternProperties",
];
const ITEMS: [&str; 3] = ["items", "unevaluatedItems", "prefixItems"];

/// The parts that these keywords speak of. Where a keyword has several schemas, each is an alternative.
fn parts<'d>(described: &[(&'d Map<String, Value>, bool)], keywords: &[&str]) -> Vec<Said<'d>> {
    let mut found = Vec::new();
    for (map, surely) in described {
        let alone = keywords
            .iter()
            .filter(|one| map.contains_key(**one))
            .count()
            == 1;
        for keyword in keywords {
            let surely = *surely && alone;
            match map.get(*keyword) {
                Some(Value::Object(named)) if *keyword == "patternProperties" => {
                    let alternative = |schema| Said {
                        schema,
                        surely: false,
                    };
                    found.extend(named.values().map(alternative));
                }
                Some(Value::Array(list)) => {
                    let alternative = |schema| Said {
                        schema,
                        surely: false,
                    };
                    found.extend(list.iter().map(alternative));
                }
                Some(schema) => found.push(Said { schema, surely }),
                None => {}
            }
        }
    }
    found
}

/// The schemas that describe one value, references, parts and alternatives included.
fn described<'d>(
    said: &[Said<'d>],
    definitions: &Definitions<'d>,
) -> Vec<(&'d Map<String, Value>, bool)> {
    let mut found: Vec<(&'d Map<String, Value>, bool)> = Vec::new();
    let mut open: Vec<Said<'d>> = said.to_vec();
    while let Some(Said { schema, surely }) = open.pop() {
        let Value::Object(map) = schema else {
            continue;
        };
        let same = |(known, _): &(&Map<String, Value>, bool)| std::ptr::eq(*known, map);
        match found.iter().position(same) {
            Some(at) if found[at].1 || !surely => continue,
            Some(at) => found[at].1 = true,
            None if found.len() >= MAX_SCHEMAS => continue,
            None => found.push((map, surely)),
        }
        let mut also = |schema, surely| open.push(Said { schema, surely });
        if let Some(target) = reference_of(schema).and_then(|it| definitions.schemas.get(it)) {
            also(target, surely);
        }
        for (keyword, surely) in [("allOf", surely), ("oneOf", false), ("anyOf", false)] {
            let list = map.get(keyword).and_then(Value::as_array);
            list.into_iter().flatten().for_each(|one| also(one, surely));
        }
        for keyword in ["then", "else"] {
            map.get(keyword)
                .into_iter()
                .for_each(|one| also(one, false));
        }
        let named = map.get("dependentSchemas").and_then(Value::as_object);
        let named = named.into_iter().flatten();
        named.for_each(|(_, one)| also(one, false));
        let heirs = definitions.heir_schemas(map);
        heirs.into_iter().for_each(|one| also(one, false));
    }
    found
}

fn has_type(map: &Map<String, Value>, name: &str) -> bool {
    match map.get("type") {
        Some(Value::String(one)) => one == name,
        Some(Value::Array(several)) => several.iter().any(|one| one == name),
        _ => false,
    }
}

fn nexts(place: &Place) -> impl Iterator<Item = usize> {
    let named = place.properties.iter().map(|(_, next)| *next);
    named.chain(place.others).chain(place.items)
}

impl<'d> Said<'d> {
    /// What a schema that only refers refers to.
    fn followed(self, definitions: &Definitions<'d>) -> Self {
        let only_refers = self.schema.as_object().is_some_and(|map| map.len() == 1);
        let target = reference_of(self.schema)
            .filter(|_| only_refers)
            .and_then(|reference| definitions.schemas.get(reference));
        Self {
            schema: target.unwrap_or(self.schema),
            surely: self.surely,
        }
    }

    fn key(&self) -> (usize, bool) {
        (std::ptr::from_ref(self.schema).addr(), self.surely)
    }
}
