//! What is wrong with a configuration file, all at once and in words for people: the file is held against the
//! schema of the configuration before it is read.

mod rest;

use std::collections::BTreeSet;

use serde_json::Value as Schema;
use serde_yaml::{Mapping, Value};

pub(super) use rest::Rest;

use super::access::AT_LEAST_ONE;
use crate::openapi::Places;
use crate::pointer;
use crate::tool::closest;

/// More alternatives, references and values inside each other than the schema has, and files need.
const DEEPEST: usize = 128;
/// Longer lists of names are read in the schema.
const MOST_NAMES: usize = 12;

/// A node of the file: how people name it, and its JSON pointer.
#[derive(Clone, Default)]
struct Place {
    shown: String,
    pointer: String,
    depth: usize,
    /// Below a value that may be of several kinds, a number is no text: what a value is was decided by its looks.
    strict: bool,
}

impl Place {
    fn member(&self, name: &str) -> Self {
        let dot = if self.shown.is_empty() { "" } else { "." };
        Self {
            shown: format!("{}{dot}{name}", self.shown),
            pointer: pointer::member(&self.pointer, name),
            depth: self.depth + 1,
            strict: self.strict,
        }
    }

    fn item(&self, index: usize) -> Self {
        Self {
            shown: format!("{}[{index}]", self.shown),
            pointer: format!("{}/{index}", self.pointer),
            depth: self.depth + 1,
            strict: self.strict,
        }
    }
}

/// Every key that is none and every value of a wrong kind, in the order of the file. No value is repeated: one in
/// the wrong place may be a secret. With them, what is left of the file.
pub(super) fn of(text: &str, file: Value, schema: &Schema) -> (Vec<String>, Option<Rest>) {
    let found = Check::of(&file, schema);
    if found.is_empty() {
        return (Vec::new(), None);
    }
    let told = told(text, &found);
    let places = found.into_iter().map(|(place, _)| place).collect();
    (told, Rest::of(file, schema, places))
}

fn told(text: &str, found: &[(Place, String)]) -> Vec<String> {
    let pointers = found.iter().map(|(place, _)| place.pointer.as_str());
    let places = Places::locate(text.as_bytes(), pointers);
    let mut found: Vec<(usize, String)> = found
        .iter()
        .map(|(place, fault)| match places.find(&place.pointer) {
            Some(position) => (position.line, format!("line {}: {fault}", position.line)),
            None => (0, fault.clone()),
        })
        .collect();
    found.sort_by_key(|(line, _)| *line);
    found.into_iter().map(|(_, fault)| fault).collect()
}

struct Check<'a> {
    schema: &'a Schema,
    found: Vec<(Place, String)>,
}

impl<'a> Check<'a> {
    fn of(file: &Value, schema: &'a Schema) -> Vec<(Place, String)> {
        let mut check = Self {
            schema,
            found: Vec::new(),
        };
        check.value(Place::default(), file, schema);
        check.found
    }

    fn value(&mut self, mut place: Place, value: &Value, schema: &'a Schema) {
        if place.depth > DEEPEST || rest::is_gone(value) {
            return;
        }
        let value = match value {
            Value::Tagged(tagged) => &tagged.value,
            plain => plain,
        };
        let branches = self.branches(schema, 0);
        let kinds = branches.iter().filter(|branch| branch["type"] != "null");
        let several = kinds.filter(|branch| words(branch).is_empty()).count() > 1;
        place.strict |= several;
        let fitting: Vec<&Schema> = branches
            .iter()
            .copied()
            .filter(|branch| fits(value, branch, place.strict))
            .collect();
        let meant = fitting
            .iter()
            .find(|branch| self.takes_first(value, branch));
        let Some(branch) = meant.or(fitting.first()).copied() else {
            self.refuse(place, value, &branches);
            return;
        };
        match value {
            Value::Mapping(mapping) => self.members(&place, mapping, branch),
            Value::Sequence(items) => {
                let nothing = items.iter().all(rest::is_gone);
                if nothing && (!items.is_empty() || branch["minItems"] == 1) {
                    let fault = format!("{} {AT_LEAST_ONE}", subject(&place));
                    self.found.push((place.clone(), fault));
                }
                for (index, item) in items.iter().enumerate() {
                    self.value(place.item(index), item, &branch["items"]);
                }
            }
            _ => {}
        }
    }

    /// Of lists of different things, the first item says which one is meant.
    fn takes_first(&self, value: &Value, list: &'a Schema) -> bool {
        let Some(first) = value
            .as_sequence()
            .and_then(|items| items.iter().find(|item| !rest::is_gone(item)))
        else {
            return true;
        };
        let mut branches = self.branches(&list["items"], 0).into_iter();
        branches.any(|branch| fits(first, branch, true))
    }

    fn members(&mut self, place: &Place, mapping: &Mapping, schema: &'a Schema) {
        let known = schema["properties"].as_object();
        let others = &schema["additionalProperties"];
        for (key, value) in mapping {
            let Some(name) = key_text(key) else {
                let fault = format!("{} expected texts as keys", subject(place));
                self.found.push((place.clone(), fault));
                continue;
            };
            let place = place.member(&name);
            match known.and_then(|known| known.get(&name)) {
                Some(member) => self.value(place, value, member),
                None if *others == Schema::Bool(false) => {
                    let names = known.into_iter().flat_map(|known| known.keys());
                    let fault = unknown(
                        &place,
                        &name,
                        &names.map(String::as_str).collect::<Vec<_>>(),
                    );
                    self.found.push((place, fault));
                }
                None => self.value(place, value, others),
            }
        }
        let required = schema["required"].as_array().into_iter().flatten();
        for name in required.filter_map(Schema::as_str) {
            if !mapping.contains_key(name) {
                let fault = format!("{} lacks `{name}`", subject(place));
                self.found.push((place.clone(), fault));
            }
        }
    }

    /// The alternatives of a schema, references followed.
    fn branches(&self, schema: &'a Schema, depth: usize) -> Vec<&'a Schema> {
        if depth > DEEPEST {
            return Vec::new();
        }
        if let Some(reference) = schema["$ref"].as_str() {
            let pointer = reference.strip_prefix('#').unwrap_or_default();
            let target = self.schema.pointer(pointer);
            return target.map_or_else(Vec::new, |target| self.branches(target, depth + 1));
        }
        let several = [&schema["anyOf"], &schema["oneOf"]];
        let several = several.into_iter().find_map(Schema::as_array);
        match several {
            Some(several) => several
                .iter()
                .flat_map(|one| self.branches(one, depth + 1))
                .collect(),
            None => vec![schema],
        }
    }

    fn refuse(&mut self, place: Place, value: &Value, branches: &[&Schema]) {
        let words: Vec<&str> = branches.iter().flat_map(|branch| words(branch)).collect();
        let kinds: BTreeSet<&str> = branches.iter().flat_map(|branch| kinds(branch)).collect();
        let mut expected: Vec<String> = Vec::new();
        if !words.is_empty() {
            let named = words.iter().map(|word| format!("`{word}`"));
            expected.push(listed(named.collect()));
        }
        let texts = words.is_empty();
        let takes_text = texts && kinds.contains("string");
        let kinds = kinds.into_iter().filter(|kind| texts || *kind != "string");
        expected.extend(kinds.filter(|kind| *kind != "null").map(|kind| {
            let object = branches.iter().find(|branch| branch["type"] == "object");
            named(kind, object.copied())
        }));
        let meant = value
            .as_str()
            .and_then(|text| closest(text, words.iter().copied()));
        let hint = match (meant, value) {
            (Some(meant), _) => format!("; did you mean `{meant}`?"),
            (None, Value::Number(_) | Value::Bool(_)) if takes_text => {
                " (write it in quotes)".to_owned()
            }
            (None, Value::Null) => "; leave it out where its default is meant".to_owned(),
            _ => String::new(),
        };
        let fault = format!(
            "{} expected {}, found {}{hint}",
            subject(&place),
            expected.join(" or "),
            found(value, !words.is_empty()),
        );
        self.found.push((place, fault));
    }
}

fn subject(place: &Place) -> String {
    match place.shown.as_str() {
        "" => "the file".to_owned(),
        shown => format!("`{shown}`"),
    }
}

fn unknown(place: &Place, name: &str, known: &[&str]) -> String {
    let place = &place.shown;
    if let Some(meant) = closest(name, known.iter().copied()) {
        return format!("`{place}` is not a setting; did you mean `{meant}`?");
    }
    if known.len() > MOST_NAMES {
        return format!("`{place}` is not a setting; `mcpinvoke config --schema` lists all");
    }
    let known = known.iter().map(|name| format!("`{name}`")).collect();
    format!("`{place}` is not a setting; expected {}", listed(known))
}

/// Whether a value is of the kind this alternative wants. What a text without quotes looks like is no matter: it is
/// read as a text where one is wanted.
fn fits(value: &Value, schema: &Schema, strict: bool) -> bool {
    if *schema == Schema::Bool(true) || schema.as_object().is_some_and(|all| all.is_empty()) {
        return true;
    }
    let words = words(schema);
    if !words.is_empty() {
        return value.as_str().is_some_and(|text| words.contains(&text));
    }
    let kinds = kinds(schema);
    if kinds.is_empty() {
        return true;
    }
    let has = |kind| kinds.contains(&kind);
    match value {
        // Whoever writes a name and nothing after it means something by it, and the default may be the opposite: a
        // section whose lines are all commented out would restrict nothing.
        Value::Null => false,
        Value::Bool(_) => has("boolean") || (!strict && has("string")),
        Value::Number(number) => {
            let whole = number.is_u64() || (number.is_i64() && schema["minimum"] != 0);
            has("number") || (!strict && has("string")) || (has("integer") && whole)
        }
        Value::String(_) => has("string"),
        Value::Sequence(_) => has("array"),
        Value::Mapping(_) => has("object"),
        Value::Tagged(tagged) => fits(&tagged.value, schema, strict),
    }
}

/// The words of which this alternative takes one.
fn words(schema: &Schema) -> Vec<&str> {
    let several = schema["enum"].as_array().into_iter().flatten();
    let one = schema.get("const").into_iter();
    several.chain(one).filter_map(Schema::as_str).collect()
}

fn kinds(schema: &Schema) -> Vec<&str> {
    match &schema["type"] {
        Schema::String(kind) => vec![kind],
        Schema::Array(kinds) => kinds.iter().filter_map(Schema::as_str).collect(),
        _ => Vec::new(),
    }
}

/// A kind in words; a small mapping with its keys.
fn named(kind: &str, object: Option<&Schema>) -> String {
    let plain = match kind {
        "string" => "text",
        "boolean" => "true or false",
        "integer" => "a whole number of at least 0",
        "array" => "a list",
        "object" => {
            let members = object.and_then(|object| object["properties"].as_object());
            return match members {
                Some(members) if members.len() <= 2 * MOST_NAMES => {
                    let names = members.keys().map(|name| format!("`{name}`"));
                    format!("a mapping with {}", listed(names.collect()))
                }
                _ => "a mapping".to_owned(),
            };
        }
        _ => "a number",
    };
    plain.to_owned()
}

/// What was found, without telling a value: only a word among words cannot be a secret.
fn found(value: &Value, among_words: bool) -> String {
    let kind = match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(number) if number.is_f64() || number.is_u64() => "a number",
        Value::Number(_) => "a negative number",
        Value::String(text) if among_words => {
            let short: String = text.chars().take(40).collect();
            return format!("`{short}`");
        }
        Value::String(_) => "text",
        Value::Sequence(_) => "a list",
        Value::Mapping(_) => "a mapping",
        Value::Tagged(tagged) => return found(&tagged.value, among_words),
    };
    kind.to_owned()
}

fn key_text(key: &Value) -> Option<String> {
    match key {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

fn listed(mut names: Vec<String>) -> String {
    match names.pop() {
        None => "nothing".to_owned(),
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} or {last}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests;
