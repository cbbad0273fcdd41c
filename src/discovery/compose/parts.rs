//! Parts of an object (`allOf`) as one object.
//!
//! Generators for languages with classes close each part on its own (`additionalProperties: false`),
//! so that to the letter no value fits two of them. What is meant is one object that is closed: that
//! is made of them. It takes every value that the parts take to the letter.

use serde_json::{Value, json};

use super::{Definitions, NOTES, Schema, ignored, note, opens};
use crate::discovery::defs::reference_of;

/// Parts of parts are looked into so deep.
const MAX_DEPTH: usize = 8;
/// The most parts looked at for one schema: parts of parts multiply.
const MAX_LOOKS: usize = 200;

/// Keywords that mean the same wherever in one schema they stand, as long as they stand there once.
const ALONE: [&str; 19] = [
    "type",
    "enum",
    "const",
    "format",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "contentEncoding",
    "contentMediaType",
];
/// Keywords that close an object.
const CLOSING: [&str; 2] = ["additionalProperties", "unevaluatedProperties"];

/// How much more is looked at for one schema, and how.
struct Looks {
    left: usize,
    /// The schema is part of what is repeated.
    within: bool,
    /// Something was taken from a definition.
    repeats: bool,
}

impl Looks {
    /// False where nothing is left.
    fn one(&mut self) -> bool {
        let some = self.left > 0;
        self.left = self.left.saturating_sub(1);
        some
    }
}

/// A schema whose parts are in it.
struct Merged {
    whole: Schema,
    /// The schema or one of its parts was closed; `whole` does not say so.
    closed: bool,
}

impl<'d> Definitions<'d> {
    /// Parts of `allOf` that only add properties and notes, in the schema itself. Where one of them is
    /// closed, the whole is closed instead.
    pub(super) fn merged(&self, map: &Schema, within: bool, repeats: &mut bool) -> Option<Schema> {
        let mut looks = Looks {
            left: MAX_LOOKS,
            within,
            repeats: false,
        };
        let Merged { mut whole, closed } = self.merge(map, 0, &mut looks)?;
        // What is repeated counts with all that was merged into it.
        if looks.repeats && !self.repeat(&whole) {
            return None;
        }
        *repeats |= looks.repeats;
        if closed {
            let rest = whole.get("allOf").and_then(Value::as_array);
            let all_here = rest.is_none_or(|rest| rest.iter().all(|part| names_nothing(part, 0)));
            let keyword = CLOSING[usize::from(!all_here)];
            whole.insert(keyword.to_owned(), false.into());
        }
        Some(whole)
    }

    /// Whether parts of `map`, itself included, are closed to properties of other parts.
    pub(in crate::discovery) fn shuts_out(&self, map: &Schema) -> bool {
        self.shuts_out_within(map, 0, &mut MAX_LOOKS.clone())
    }

    fn shuts_out_within(&self, map: &Schema, depth: usize, left: &mut usize) -> bool {
        let Some(Value::Array(parts)) = map.get("allOf") else {
            return false;
        };
        let Some(less) = left.checked_sub(1).filter(|_| depth <= MAX_DEPTH) else {
            return false;
        };
        *left = less;
        let parts = parts
            .iter()
            .filter_map(|part| self.resolve(part)?.as_object());
        let parts: Vec<&Schema> = parts.take(MAX_LOOKS).collect();
        if is_closed(map) || parts.iter().any(|part| is_closed(part)) {
            let names = self.names(map, true);
            let shut = |part: &Schema| {
                let own = self.names(part, false);
                is_closed(part) && names.iter().any(|name| !own.contains(name))
            };
            if shut(map) || parts.iter().any(|part| shut(part)) {
                return true;
            }
        }
        parts
            .iter()
            .any(|part| self.shuts_out_within(part, depth + 1, left))
    }

    fn merge(&self, map: &Schema, depth: usize, looks: &mut Looks) -> Option<Merged> {
        let Some(Value::Array(parts)) = map.get("allOf") else {
            return None;
        };
        // What these say depends on which properties stand beside them.
        let additional = map.get("additionalProperties");
        let plain = additional.is_none_or(|value| opens(value) || *value == Value::Bool(false));
        if !plain || map.contains_key("patternProperties") || depth > MAX_DEPTH {
            return None;
        }
        let mut closed = additional == Some(&Value::Bool(false));
        let mut whole = map.clone();
        whole.shift_remove("allOf");
        if closed {
            whole.shift_remove("additionalProperties");
        }
        let mut rest = Vec::new();
        for part in parts {
            if !looks.one() {
                return None;
            }
            let added = self.plain_part(part, depth, looks).and_then(|part| {
                let mut tried = whole.clone();
                add(&mut tried, &part.whole, 0).then_some((tried, part.closed))
            });
            match added {
                Some((added, part_closed)) => {
                    whole = added;
                    closed |= part_closed;
                }
                None => rest.push(part.clone()),
            }
        }
        for part in &mut rest {
            if let Some(opened) = self.opened(part, depth, looks) {
                *part = opened;
                closed = true;
            }
        }
        if rest.len() == parts.len() && !closed {
            return None;
        }
        if !rest.is_empty() {
            whole.insert("allOf".to_owned(), rest.into());
        }
        Some(Merged { whole, closed })
    }

    /// A part with its references and its own parts resolved; nothing where something else is in it.
    fn plain_part(&self, part: &Value, depth: usize, looks: &mut Looks) -> Option<Merged> {
        let map = part.as_object()?;
        let reference = reference_of(part);
        let refers = reference.is_some();
        if reference.is_some_and(|reference| !self.may_repeat(reference, looks.within)) {
            return None;
        }
        if refers && map.keys().any(|key| key != "$ref" && !note(key)) {
            return None;
        }
        let target = if refers {
            self.resolve(part)?.as_object()?
        } else {
            map
        };
        let mut merged = if target.contains_key("allOf") {
            self.merge(target, depth + 1, looks)?
        } else {
            Merged {
                whole: target.clone(),
                closed: false,
            }
        };
        merged.closed |= open(&mut merged.whole);
        let whole = &mut merged.whole;
        if refers {
            let said = map.iter().filter(|(key, _)| NOTES.contains(&key.as_str()));
            whole.extend(said.map(|(key, value)| (key.clone(), value.clone())));
        }
        let object = whole.get("type").is_none_or(|name| name == "object");
        let plain = whole.iter().all(|(key, value)| match key.as_str() {
            "type" | "properties" | "required" | "minProperties" | "maxProperties" => true,
            "additionalProperties" => opens(value),
            key => note(key),
        });
        looks.repeats |= object && plain && refers;
        (object && plain).then_some(merged)
    }

    /// A part that is no plain one without what closes it; nothing where nothing does.
    fn opened(&self, part: &Value, depth: usize, looks: &mut Looks) -> Option<Value> {
        if depth > MAX_DEPTH || !looks.one() {
            return None;
        }
        let mut whole = part.as_object()?.clone();
        let mut changed = open(&mut whole);
        if let Some(Value::Array(parts)) = whole.get_mut("allOf") {
            for part in parts {
                if let Some(opened) = self.opened(part, depth + 1, looks) {
                    *part = opened;
                    changed = true;
                }
            }
        }
        let reference = reference_of(part);
        let reference = reference.filter(|reference| self.may_repeat(reference, looks.within));
        let target = reference.and_then(|_| self.resolve(part));
        if let Some(target) = target.and_then(|target| self.opened(target, depth + 1, looks)) {
            looks.repeats = true;
            whole.shift_remove("$ref");
            match whole.get_mut("allOf") {
                Some(Value::Array(parts)) => parts.push(target),
                _ => drop(whole.insert("allOf".to_owned(), json!([target]))),
            }
            changed = true;
        }
        changed.then_some(Value::Object(whole))
    }

    /// The names of an object's properties; with those of its parts, or where `whole` is false only
    /// those that its own `additionalProperties` knows.
    fn names<'s>(&self, map: &'s Schema, whole: bool) -> Vec<&'s str>
    where
        'd: 's,
    {
        let mut names = Vec::new();
        let mut open = vec![map];
        let mut left = MAX_LOOKS;
        while let Some(map) = open.pop() {
            let properties = map.get("properties").and_then(Value::as_object);
            names.extend(
                properties
                    .into_iter()
                    .flatten()
                    .map(|(name, _)| name.as_str()),
            );
            let parts = map.get("allOf").and_then(Value::as_array);
            for part in parts.into_iter().flatten().filter(|_| whole) {
                let Some(less) = left.checked_sub(1) else {
                    return names;
                };
                left = less;
                open.extend(self.resolve(part).and_then(Value::as_object));
            }
        }
        names
    }
}

/// Takes out what closes an object; whether something did.
fn open(map: &mut Schema) -> bool {
    let mut closed = false;
    for keyword in CLOSING {
        if map.get(keyword) == Some(&Value::Bool(false)) {
            map.shift_remove(keyword);
            closed = true;
        }
    }
    closed
}

fn is_closed(map: &Schema) -> bool {
    map.get("additionalProperties") == Some(&Value::Bool(false))
}

/// Whether a schema knows no property that its owner does not.
fn names_nothing(schema: &Value, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    match schema {
        Value::Object(map) => map.iter().all(|(key, value)| {
            let names = ["$ref", "properties", "patternProperties"].contains(&key.as_str());
            !names && !CLOSING.contains(&key.as_str()) && names_nothing(value, depth + 1)
        }),
        Value::Array(list) => list.iter().all(|value| names_nothing(value, depth + 1)),
        _ => true,
    }
}

/// Adds a part to a schema; false, and nonsense in it, where they have no common form.
fn add(whole: &mut Schema, part: &Schema, depth: usize) -> bool {
    for (keyword, value) in part {
        match (keyword.as_str(), whole.get_mut(keyword)) {
            ("additionalProperties", _) if opens(value) => {}
            (key, _) if ignored(key) => {}
            (key, Some(_)) if NOTES.contains(&key) => {}
            ("properties", Some(Value::Object(known))) => {
                let Value::Object(more) = value else {
                    return false;
                };
                for (name, schema) in more {
                    match known.get_mut(name) {
                        Some(own) => meet(own, schema, depth),
                        None => {
                            known.insert(name.clone(), schema.clone());
                        }
                    }
                }
            }
            ("required", Some(Value::Array(known))) => {
                for name in value.as_array().into_iter().flatten() {
                    if !known.contains(name) {
                        known.push(name.clone());
                    }
                }
            }
            (key, None) if note(key) || ALONE.contains(&key) => {
                whole.insert(keyword.clone(), value.clone());
            }
            ("properties" | "required", None) => {
                whole.insert(keyword.clone(), value.clone());
            }
            (_, Some(own)) if own == value => {}
            _ => return false,
        }
    }
    true
}

/// One property of two parts: both hold.
fn meet(own: &mut Value, other: &Value, depth: usize) {
    if own == other {
        return;
    }
    if let (Value::Object(mine), Value::Object(theirs)) = (&*own, other) {
        let simple = |map: &Schema| {
            let known = |key: &String| note(key) || ALONE.contains(&key.as_str());
            map.keys().all(known)
        };
        let mut tried = mine.clone();
        if depth < MAX_DEPTH && simple(mine) && simple(theirs) && add(&mut tried, theirs, depth + 1)
        {
            *own = Value::Object(tried);
            return;
        }
    }
    *own = json!({ "allOf": [own.take(), other] });
}
