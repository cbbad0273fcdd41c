//! What is left of a file without its faulty members: it is resolved all the same, so that faults of values are told
//! together with those of the file's shape.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Schema;
use serde_yaml::value::{Tag, TaggedValue};
use serde_yaml::{Mapping, Value};

use super::{Check, DEEPEST, Place, key_text};
use crate::config::file::File;
use crate::pointer;

/// Stands in a list where an item was, so that the others keep their numbers while faults are looked for.
const GONE: &str = "mcpinvoke-gone";

/// A file without its faulty members.
#[derive(Debug)]
pub(in crate::config) struct Rest {
    pub(in crate::config) file: Box<File>,
    /// By a list as it is left: the places its items had in the file.
    lists: BTreeMap<String, Vec<usize>>,
    /// What was taken out, and what is around it but for lists, whose other items are no worse without one: a fault
    /// there may be what the taking out made.
    touched: BTreeSet<String>,
    /// What else may be wanted: lists that items were taken out of.
    lessened: BTreeSet<String>,
}

impl Rest {
    /// `faulty` are the places of the faults; nothing where the rest cannot be read.
    pub(super) fn of(mut file: Value, schema: &Schema, mut faulty: Vec<Place>) -> Option<Self> {
        let (mut touched, mut lessened) = (BTreeSet::new(), BTreeSet::new());
        // What lacks something without its faulty members is no better.
        for _ in 0..DEEPEST {
            if faulty.is_empty() {
                break;
            }
            for place in &faulty {
                take_out(&mut file, &place.pointer);
                let before = |border| place.shown.match_indices(border).map(|(end, _)| end);
                let named = |end| place.shown[..end].to_owned();
                touched.extend(before('.').chain([place.shown.len()]).map(named));
                lessened.extend(before('[').map(named));
            }
            let found = Check::of(&file, schema);
            faulty = found.into_iter().map(|(place, _)| place).collect();
        }
        if !faulty.is_empty() {
            return None;
        }
        let mut lists = BTreeMap::new();
        close_up(&mut file, "", &mut lists);
        // By way of a text, since a number is read as a text there where one is wanted.
        let text = serde_yaml::to_string(&file).ok()?;
        let file = match file {
            Value::Null => File::default(),
            _ => serde_yaml::from_str(&text).ok()?,
        };
        Some(Self {
            file: Box::new(file),
            lists,
            touched,
            lessened,
        })
    }

    /// The faults of the rest's values, their places as in the file, without those that may come from what is missing.
    pub(in crate::config) fn told(&self, faults: Vec<String>) -> impl Iterator<Item = String> {
        let placed = faults.into_iter().map(|fault| self.placed(&fault));
        placed.filter(|fault| !self.follows(fault))
    }

    /// Whether a fault is of something that members were taken out of, or names it as what it needs. Of a document,
    /// no member needs another.
    fn follows(&self, fault: &str) -> bool {
        let (setting, message) = fault.split_once(": ").unwrap_or((fault, ""));
        let mut needed = self.touched.union(&self.lessened);
        let stands_alone = setting.starts_with("documents[") && setting.ends_with(']');
        (self.touched.contains(setting) && !stands_alone)
            || needed.any(|name| name.contains('.') && message.contains(name.as_str()))
    }

    /// A fault with the numbers that the items of its setting have in the file.
    fn placed(&self, fault: &str) -> String {
        let (setting, message) = fault.split_once(": ").unwrap_or((fault, ""));
        let mut placed = String::new();
        let mut done = 0;
        for (start, _) in setting.match_indices('[') {
            let number = |end| setting.get(start + 1..end)?.parse::<usize>().ok();
            let end = setting[start..].find(']').map(|length| start + length);
            let numbers = self.lists.get(&setting[..start]);
            if let (Some(end), Some(numbers)) = (end, numbers)
                && let Some(number) = number(end)
                && let Some(number) = numbers.get(number)
            {
                placed.push_str(&setting[done..=start]);
                placed.push_str(&number.to_string());
                done = end;
            }
        }
        placed.push_str(&setting[done..]);
        match message {
            "" => placed,
            message => format!("{placed}: {message}"),
        }
    }
}

/// Whether an item stands where one was taken out.
pub(super) fn is_gone(value: &Value) -> bool {
    matches!(value, Value::Tagged(tagged) if tagged.tag == GONE)
}

fn gone() -> Value {
    Value::Tagged(Box::new(TaggedValue {
        tag: Tag::new(GONE),
        value: Value::Null,
    }))
}

fn untagged(value: &mut Value) -> &mut Value {
    match value {
        Value::Tagged(tagged) => &mut tagged.value,
        plain => plain,
    }
}

fn take_out(file: &mut Value, pointer: &str) {
    let Some((around, last)) = pointer.rsplit_once('/') else {
        *file = Value::Null;
        return;
    };
    let mut node = untagged(file);
    for name in pointer::names(around) {
        let below = match node {
            Value::Mapping(members) => member(members, &name).and_then(|key| members.get_mut(&key)),
            Value::Sequence(items) => name.parse().ok().and_then(|at: usize| items.get_mut(at)),
            _ => None,
        };
        let Some(below) = below else { return };
        node = untagged(below);
    }
    let last = pointer::unescape(last);
    match node {
        Value::Mapping(members) => {
            if let Some(key) = member(members, &last) {
                members.remove(&key);
            }
        }
        Value::Sequence(items) => {
            let at = last.parse().ok();
            if let Some(item) = at.and_then(|at: usize| items.get_mut(at)) {
                *item = gone();
            }
        }
        _ => {}
    }
}

/// The key that people know by this name.
fn member(members: &Mapping, name: &str) -> Option<Value> {
    let key = |key: &&Value| key_text(key).is_some_and(|text| text == name);
    members.keys().find(key).cloned()
}

/// Takes the gaps out of lists, and keeps where their items were.
fn close_up(value: &mut Value, shown: &str, lists: &mut BTreeMap<String, Vec<usize>>) {
    match untagged(value) {
        Value::Mapping(members) => {
            for (key, member) in members.iter_mut() {
                let place = Place {
                    shown: shown.to_owned(),
                    ..Place::default()
                };
                let place = place.member(&key_text(key).unwrap_or_default());
                close_up(member, &place.shown, lists);
            }
        }
        Value::Sequence(items) => {
            let all = std::mem::take(items).into_iter().enumerate();
            let (numbers, mut kept): (Vec<usize>, Vec<Value>) =
                all.filter(|(_, item)| !is_gone(item)).unzip();
            for (index, item) in kept.iter_mut().enumerate() {
                close_up(item, &format!("{shown}[{index}]"), lists);
            }
            *items = kept;
            lists.insert(shown.to_owned(), numbers);
        }
        _ => {}
    }
}
