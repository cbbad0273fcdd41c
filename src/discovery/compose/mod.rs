//! Compositions in the form that models read best, with the same meaning: parts of an object as one
//! object, constants as one enumeration, and what a discriminator says of each branch in that branch.

mod discriminator;
mod heirs;
mod parts;
mod repeat;

pub(super) use heirs::Heirs;
pub(super) use repeat::Repeats;

use serde_json::{Map, Value};

use super::defs::{Definitions, reference_of};
use super::keywords::{Kind, kind};

type Schema = Map<String, Value>;

/// A definition with more values in it than this is referred to rather than repeated where a place
/// only describes it anew.
const MAX_REPEATED: usize = 24;
/// A constant's title, in characters.
const MAX_TITLE: usize = 120;

/// Keywords that say nothing about which values are taken; the outermost one counts.
const NOTES: [&str; 7] = [
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// A schema in a better form.
pub(super) struct Composed {
    pub(super) schema: Schema,
    /// Definitions are repeated in it.
    pub(super) repeats: bool,
}

impl<'d> Definitions<'d> {
    /// The schema in a better form; nothing where it has one. `within`: it is part of what is repeated.
    pub(super) fn composed(&self, map: &Schema, within: bool) -> Option<Composed> {
        if !["allOf", "oneOf", "anyOf", "discriminator"]
            .iter()
            .any(|keyword| map.contains_key(*keyword))
        {
            return None;
        }
        let heirs = self.heirs(map);
        let is_heir = self.is_heir(map);
        let mut repeats = false;
        let better = notes_lifted(map);
        let better = self
            .only_part(better.as_ref().unwrap_or(map), is_heir, &mut repeats)
            .or(better);
        let better = self
            .merged(better.as_ref().unwrap_or(map), within, &mut repeats)
            .or(better);
        let better = self.told_apart(better.as_ref().unwrap_or(map)).or(better);
        let better = self.enumerated(better.as_ref().unwrap_or(map)).or(better);
        let better = match heirs {
            Some(heirs) => Some(self.with_heirs(better.as_ref().unwrap_or(map), heirs)),
            None => better,
        };
        better.map(|schema| Composed { schema, repeats })
    }

    /// `allOf` of one part beside nothing but notes is that part.
    fn only_part(&self, map: &Schema, is_heir: bool, repeats: &mut bool) -> Option<Schema> {
        let Some(Value::Array(parts)) = map.get("allOf") else {
            return None;
        };
        let [Value::Object(part)] = parts.as_slice() else {
            return None;
        };
        let only_notes = map.keys().all(|key| key == "allOf" || note(key));
        if !only_notes {
            return None;
        }
        let reference = reference_of(&parts[0]);
        let target = reference.and_then(|it| self.schemas.get(it));
        let target = target.and_then(Value::as_object);
        // An heir has its own members only; anybody else means the base with all its heirs.
        let base = target.is_some_and(heirs::is_base);
        if base && is_heir {
            return None;
        }
        let mut part = part;
        let refers = part.keys().all(|key| key == "$ref" || note(key));
        if refers
            && part.len() == 1
            && !base
            && let Some(target) = target
            && target.values().all({
                let mut left = MAX_REPEATED;
                move |value| small(value, &mut left)
            })
            && reference.is_some_and(|reference| !self.leads_back(reference))
            && self.repeat(target)
        {
            part = target;
            *repeats = true;
        }
        let mut whole: Schema = map.clone();
        whole.shift_remove("allOf");
        for (keyword, value) in part {
            whole.entry(keyword).or_insert_with(|| value.clone());
        }
        Some(whole)
    }

    /// A choice between constants as an enumeration; their titles go to the description.
    fn enumerated(&self, map: &Schema) -> Option<Schema> {
        if map.contains_key("enum") || map.contains_key("const") {
            return None;
        }
        let keyword = ["oneOf", "anyOf"]
            .into_iter()
            .find(|keyword| map.contains_key(*keyword))?;
        let branches = map.get(keyword)?.as_array()?;
        if branches.len() < 2 {
            return None;
        }
        let (mut values, mut said, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
        for branch in branches {
            let branch = branch.as_object()?;
            let known = |key: &String| key == "const" || key == "type" || note(key);
            let value = branch.get("const")?;
            if !branch.keys().all(known) || values.contains(value) {
                return None;
            }
            let title = branch.get("title").or_else(|| branch.get("description"));
            if let Some(title) = title.and_then(Value::as_str) {
                let title: String = title.chars().take(MAX_TITLE).collect();
                said.push(format!("`{}`: {}", shown(value), title.trim()));
            }
            kinds.push(branch.get("type"));
            values.push(value.clone());
        }
        let mut whole = map.clone();
        whole.shift_remove(keyword);
        if let [Some(first), rest @ ..] = kinds.as_slice() {
            let same = rest.iter().all(|other| *other == Some(*first));
            if same && !whole.contains_key("type") {
                whole.insert("type".to_owned(), (*first).clone());
            } else if !same {
                return None;
            }
        } else if kinds.iter().any(Option::is_some) {
            return None;
        }
        whole.insert("enum".to_owned(), values.into());
        if !said.is_empty() {
            let text = whole.get("description").and_then(Value::as_str);
            let text = text.map_or_else(String::new, |text| format!("{} ", text.trim_end()));
            let text = format!("{text}{}.", said.join(", "));
            whole.insert("description".to_owned(), text.into());
        }
        Some(whole)
    }
}

/// Parts of `allOf` that only say something of the schema, said by it.
fn notes_lifted(map: &Schema) -> Option<Schema> {
    let parts = map.get("allOf")?.as_array()?;
    let says_only = |part: &Value| {
        let part = part.as_object();
        part.is_some_and(|part| part.keys().all(|key| note(key)))
    };
    if !parts.iter().any(says_only) {
        return None;
    }
    let (notes, rest): (Vec<&Value>, Vec<&Value>) = parts.iter().partition(|part| says_only(part));
    let mut whole = map.clone();
    if rest.is_empty() {
        whole.shift_remove("allOf");
    } else {
        let rest: Vec<Value> = rest.into_iter().cloned().collect();
        whole.insert("allOf".to_owned(), rest.into());
    }
    for (keyword, value) in notes.into_iter().filter_map(Value::as_object).flatten() {
        whole.entry(keyword).or_insert_with(|| value.clone());
    }
    Some(whole)
}

/// Whether a keyword says nothing about which values are taken.
fn note(keyword: &str) -> bool {
    NOTES.contains(&keyword) || ignored(keyword)
}

/// Whether a keyword is not published at all.
fn ignored(keyword: &str) -> bool {
    kind(keyword) == Kind::Dropped && !matches!(keyword, "$defs" | "$dynamicRef" | "$id")
}

fn opens(value: &Value) -> bool {
    *value == Value::Bool(true) || value.as_object().is_some_and(Map::is_empty)
}

/// Whether a value has at most `left` values in it.
fn small(value: &Value, left: &mut usize) -> bool {
    let Some(less) = left.checked_sub(1) else {
        return false;
    };
    *left = less;
    match value {
        Value::Object(map) => map.values().all(|value| small(value, left)),
        Value::Array(list) => list.iter().all(|value| small(value, left)),
        _ => true,
    }
}

/// A value as people read it: a text without its quotes.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
