//! Compositions in the form that models read best, with the same meaning: parts of an object as one
//! object, constants as one enumeration, and what a discriminator says of each branch in that branch.

use serde_json::{Map, Value, json};

use super::defs::{Definitions, reference_of};
use super::keywords::{Kind, kind};

type Schema = Map<String, Value>;

/// Parts of parts are looked into so deep.
const MAX_DEPTH: usize = 8;
/// The most parts looked at for one schema: parts of parts multiply.
const MAX_LOOKS: usize = 200;
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

impl<'d> Definitions<'d> {
    /// The schema in a better form; nothing where it has one.
    pub(super) fn composed(&self, map: &Schema) -> Option<Schema> {
        if !["allOf", "oneOf", "anyOf"]
            .iter()
            .any(|keyword| map.contains_key(*keyword))
        {
            return None;
        }
        let mut better = None;
        for step in [
            Self::only_part,
            Self::merged,
            Self::told_apart,
            Self::enumerated,
        ] {
            let changed = step(self, better.as_ref().unwrap_or(map));
            better = changed.or(better);
        }
        better
    }

    /// `allOf` of one part beside nothing but notes is that part.
    fn only_part(&self, map: &Schema) -> Option<Schema> {
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
        let mut part = part;
        let refers = part.keys().all(|key| key == "$ref" || note(key));
        if refers
            && part.len() == 1
            && let Some(Value::Object(target)) =
                reference_of(&parts[0]).and_then(|it| self.schemas.get(it))
            && target.values().all({
                let mut left = MAX_REPEATED;
                move |value| small(value, &mut left)
            })
        {
            part = target;
        }
        let mut whole: Schema = map.clone();
        whole.shift_remove("allOf");
        for (keyword, value) in part {
            whole.entry(keyword).or_insert_with(|| value.clone());
        }
        Some(whole)
    }

    /// Parts of `allOf` that only add properties and notes, in the schema itself.
    fn merged(&self, map: &Schema) -> Option<Schema> {
        self.merge(map, 0, &mut MAX_LOOKS.clone())
    }

    fn merge(&self, map: &Schema, depth: usize, left: &mut usize) -> Option<Schema> {
        let Some(Value::Array(parts)) = map.get("allOf") else {
            return None;
        };
        // What these say depends on which properties stand beside them.
        let open = map.get("additionalProperties").is_none_or(opens);
        if !open || map.contains_key("patternProperties") || depth > MAX_DEPTH {
            return None;
        }
        let mut whole = map.clone();
        whole.shift_remove("allOf");
        let mut rest = Vec::new();
        for part in parts {
            if *left == 0 {
                return None;
            }
            *left -= 1;
            let added = self.plain_part(part, depth, left).and_then(|part| {
                let mut tried = whole.clone();
                add(&mut tried, &part, 0).then_some(tried)
            });
            match added {
                Some(added) => whole = added,
                None => rest.push(part.clone()),
            }
        }
        if rest.len() == parts.len() {
            return None;
        }
        if !rest.is_empty() {
            whole.insert("allOf".to_owned(), rest.into());
        }
        Some(whole)
    }

    /// A part with its references and its own parts resolved; nothing where something else is in it.
    fn plain_part(&self, part: &Value, depth: usize, left: &mut usize) -> Option<Schema> {
        let map = part.as_object()?;
        let reference = reference_of(part);
        if reference.is_some() && map.keys().any(|key| key != "$ref" && !ignored(key)) {
            return None;
        }
        let map = match reference {
            Some(_) => self.resolve(part)?.as_object()?,
            None => map,
        };
        let object = map.get("type").is_none_or(|name| name == "object");
        let whole = if map.contains_key("allOf") {
            self.merge(map, depth + 1, left)?
        } else {
            map.clone()
        };
        let plain = whole.iter().all(|(key, value)| match key.as_str() {
            "type" | "properties" | "required" | "minProperties" | "maxProperties" => true,
            "additionalProperties" => opens(value),
            key => note(key),
        });
        (object && plain).then_some(whole)
    }

    /// Each branch with the constant by which the discriminator knows it (OpenAPI 3.2, section
    /// 4.25): a mapping's values, or else the name of the branch's schema.
    fn told_apart(&self, map: &Schema) -> Option<Schema> {
        let discriminator = map.get("discriminator")?;
        let property = discriminator.get("propertyName")?.as_str()?;
        let mapping = discriminator.get("mapping").and_then(Value::as_object);
        let keyword = ["oneOf", "anyOf"]
            .into_iter()
            .find(|keyword| map.contains_key(*keyword))?;
        let branches = map.get(keyword)?.as_array()?;
        let mut changed = false;
        let told = branches.iter().map(|branch| {
            let told = self.told(branch, property, mapping);
            changed |= told.is_some();
            told.unwrap_or_else(|| branch.clone())
        });
        let told: Vec<Value> = told.collect();
        if !changed {
            return None;
        }
        let mut whole = map.clone();
        whole.insert(keyword.to_owned(), told.into());
        Some(whole)
    }

    fn told(&self, branch: &Value, property: &str, mapping: Option<&Schema>) -> Option<Value> {
        let reference = reference_of(branch)?;
        if branch.as_object()?.len() != 1 {
            return None;
        }
        let name = reference.rsplit('/').next().unwrap_or_default();
        let mut values: Vec<&str> = mapping
            .into_iter()
            .flatten()
            .filter(|(_, target)| *target == reference || *target == name)
            .map(|(value, _)| value.as_str())
            .collect();
        if values.is_empty() {
            values.push(name);
        }
        let view = self.object(branch)?;
        let (_, field) = view.fields.iter().find(|(known, _)| *known == property)?;
        let field = self.resolve(field)?;
        if field.get("const").is_some() || field.get("type").is_some_and(|name| name != "string") {
            return None;
        }
        if let Some(Value::Array(known)) = field.get("enum") {
            // Where the branch's own word differs, it knows better.
            values.retain(|value| known.iter().any(|one| one == value));
            if values.is_empty() || known.len() == 1 {
                return None;
            }
        }
        let values = match values.as_slice() {
            [only] => json!({ "const": only }),
            several => json!({ "enum": several }),
        };
        Some(json!({ "$ref": reference, "properties": { property: values } }))
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
