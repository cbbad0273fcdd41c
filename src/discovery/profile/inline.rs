//! A schema keyword by keyword into what a profile knows; references followed where it knows none.

use std::collections::HashSet;

use serde_json::Value;

use super::combine::{both, either, for_lists};
use super::{Rules, Schema, words};

/// Deeper schemas accept anything.
const MAX_DEPTH: usize = 48;
/// References followed within references, at most.
const MAX_HOPS: usize = 6;
/// With more schemas than this, fewer references are followed.
const MAX_SCHEMAS: usize = 3_000;
/// What only describes may stand beside a reference without changing what it takes.
const NOTES: [&str; 6] = [
    "description",
    "title",
    "default",
    "examples",
    "deprecated",
    "x-mcp-header",
];

/// Writes `whole`. Where references are followed, as deep as the number of schemas allows.
pub(super) fn write(rules: Rules, definitions: &Schema, whole: &Value) -> Schema {
    let mut hops = if rules.references { 0 } else { MAX_HOPS };
    loop {
        let mut inline = Inline {
            rules,
            definitions,
            hops,
            active: Vec::new(),
            schemas: 0,
        };
        let mut written = inline.schema(whole, 0);
        if inline.schemas > MAX_SCHEMAS && hops > 0 {
            hops -= 1;
            continue;
        }
        if rules.references {
            inline.add_definitions(&mut written);
        }
        tidy(&mut written, rules, 0);
        return written;
    }
}

struct Inline<'d> {
    rules: Rules,
    definitions: &'d Schema,
    hops: usize,
    /// The definitions being followed, outermost first.
    active: Vec<&'d str>,
    schemas: usize,
}

impl<'d> Inline<'d> {
    fn schema(&mut self, value: &Value, depth: usize) -> Schema {
        self.schemas += 1;
        // The first try that is too large ends here, the last one has no references to follow.
        let over = self.schemas > MAX_SCHEMAS && self.hops > 0;
        let Value::Object(map) = value else {
            return Schema::new();
        };
        if depth > MAX_DEPTH || over {
            return Schema::new();
        }
        let mut out = self.keywords(map, depth);
        if let Some(Value::Array(parts)) = map.get("allOf") {
            for part in parts {
                let part = self.schema(part, depth + 1);
                out = both(out, part);
            }
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(parts)) = map.get(keyword) {
                out = self.union(out, parts, depth);
            }
        }
        if let Some(Value::String(reference)) = map.get("$ref") {
            out = self.reference(map, out, reference, depth);
        }
        for_lists(&mut out);
        let said = words::lost(map, &out);
        words::append(&mut out, &said);
        out
    }

    fn keywords(&mut self, map: &Schema, depth: usize) -> Schema {
        let mut out = Schema::new();
        for (keyword, value) in map {
            match (keyword.as_str(), value) {
                ("type", Value::String(name)) if name == "null" && !self.rules.types => {}
                ("type", Value::String(_)) => {
                    out.insert(keyword.clone(), value.clone());
                }
                ("type", Value::Array(names)) => self.types(names, value, &mut out),
                ("description", Value::String(_)) => {
                    out.insert(keyword.clone(), value.clone());
                }
                ("required", Value::Array(names)) if !names.is_empty() => {
                    out.insert(keyword.clone(), value.clone());
                }
                ("properties", Value::Object(named)) => {
                    let mut written = Schema::new();
                    for (name, schema) in named {
                        let schema = self.schema(schema, depth + 1);
                        written.insert(name.clone(), Value::Object(schema));
                    }
                    out.insert(keyword.clone(), Value::Object(written));
                }
                ("items", schema) => {
                    // What follows a tuple says nothing of its beginning.
                    let tuple = map.contains_key("prefixItems");
                    let items = if tuple {
                        Schema::new()
                    } else {
                        self.schema(schema, depth + 1)
                    };
                    out.insert(keyword.clone(), Value::Object(items));
                }
                ("additionalProperties", Value::Bool(false))
                    if !map.contains_key("patternProperties") =>
                {
                    out.insert(keyword.clone(), value.clone());
                }
                ("format", Value::String(name)) if self.rules.dates && name == "date-time" => {
                    out.insert(keyword.clone(), value.clone());
                }
                _ => {}
            }
        }
        self.values(map, &mut out);
        out
    }

    /// Several types, where only one can be named.
    fn types(&self, names: &[Value], value: &Value, out: &mut Schema) {
        if self.rules.types {
            out.insert("type".to_owned(), value.clone());
            return;
        }
        let names: Vec<&Value> = names.iter().filter(|name| *name != "null").collect();
        match names.as_slice() {
            [] => {}
            [only] => {
                out.insert("type".to_owned(), (*only).clone());
            }
            several if self.rules.any_of => {
                let branch = |name: &&Value| {
                    let mut branch = Schema::new();
                    branch.insert("type".to_owned(), (*name).clone());
                    for_lists(&mut branch);
                    Value::Object(branch)
                };
                out.insert("anyOf".to_owned(), several.iter().map(branch).collect());
            }
            _ => {}
        }
    }

    /// `enum`, and `const` as an enumeration of one.
    fn values(&self, map: &Schema, out: &mut Schema) {
        let values: Vec<Value> = match (map.get("const"), map.get("enum")) {
            (Some(value), _) => vec![value.clone()],
            (None, Some(Value::Array(values))) => values.clone(),
            _ => return,
        };
        if self.rules.any_enum {
            out.insert("enum".to_owned(), values.into());
            return;
        }
        let values: Vec<Value> = values
            .into_iter()
            .filter(|value| !value.is_null())
            .collect();
        // Gemini refuses an empty text in an enumeration.
        let texts = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
        if !values.is_empty() && values.iter().all(texts) {
            out.shift_remove("anyOf");
            out.insert("type".to_owned(), "string".into());
            out.insert("enum".to_owned(), values.into());
        }
    }

    fn union(&mut self, out: Schema, parts: &[Value], depth: usize) -> Schema {
        let null = |part: &&Value| part.get("type").is_some_and(|name| name == "null");
        let parts = parts.iter().filter(|part| self.rules.types || !null(part));
        let parts: Vec<&Value> = parts.filter(|part| **part != Value::Bool(false)).collect();
        let mut branches: Vec<Schema> = Vec::new();
        for part in parts {
            let branch = self.schema(part, depth + 1);
            if !branches.contains(&branch) {
                branches.push(branch);
            }
        }
        if branches.len() == 1 {
            return both(out, branches.swap_remove(0));
        }
        if !self.rules.any_of {
            let union = branches.into_iter().reduce(either);
            return both(out, union.unwrap_or_default());
        }
        // A branch that takes anything makes the union say nothing, and one union is enough.
        let says = branches
            .iter()
            .all(|branch| branch.keys().any(|key| key != "description"));
        let mut out = out;
        if says && !branches.is_empty() && !out.contains_key("anyOf") {
            let branches: Vec<Value> = branches.into_iter().map(Value::Object).collect();
            out.insert("anyOf".to_owned(), branches.into());
        }
        out
    }

    fn reference(&mut self, map: &Schema, out: Schema, reference: &str, depth: usize) -> Schema {
        let definitions = self.definitions;
        let known = reference
            .strip_prefix("#/$defs/")
            .and_then(|name| definitions.get_key_value(name));
        let Some((name, target)) = known else {
            return out;
        };
        let alone = map
            .keys()
            .all(|key| key == "$ref" || NOTES.contains(&key.as_str()));
        let circle = self.active.contains(&name.as_str());
        if self.rules.references && (alone || circle) {
            let mut refers = Schema::new();
            refers.insert("$ref".to_owned(), reference.into());
            if out.is_empty() {
                return refers;
            }
            // Nothing may stand beside a reference.
            let mut out = out;
            let only = vec![Value::Object(refers)];
            out.entry("anyOf").or_insert_with(|| only.into());
            return out;
        }
        if circle || self.active.len() >= self.hops.max(usize::from(self.rules.references)) {
            return both(out, stub(target));
        }
        self.active.push(name.as_str());
        let target = self.schema(target, depth + 1);
        self.active.pop();
        both(out, target)
    }

    /// The definitions that `written` refers to, and those that they refer to.
    fn add_definitions(&mut self, written: &mut Schema) {
        let (mut added, mut seen) = (Schema::new(), HashSet::new());
        let mut open = Vec::new();
        references(&Value::Object(written.clone()), &mut open);
        while let Some(name) = open.pop() {
            let Some(source) = self.definitions.get(&name) else {
                continue;
            };
            if !seen.insert(name.clone()) {
                continue;
            }
            let definition = Value::Object(self.schema(source, 0));
            references(&definition, &mut open);
            added.insert(name, definition);
        }
        if !added.is_empty() {
            written.insert("$defs".to_owned(), Value::Object(added));
        }
    }
}

/// What stands for a definition that is not followed.
fn stub(target: &Value) -> Schema {
    let mut stub = Schema::new();
    if let Some(name) = target.get("type").filter(|name| name.is_string()) {
        stub.insert("type".to_owned(), name.clone());
    }
    let text = match target.get("description").and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => "Described no further here.".to_owned(),
    };
    stub.insert("description".to_owned(), text.into());
    for_lists(&mut stub);
    stub
}

fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            let reference = map.get("$ref").and_then(Value::as_str);
            let name = reference.and_then(|text| text.strip_prefix("#/$defs/"));
            found.extend(name.map(str::to_owned));
            map.values().for_each(|value| references(value, found));
        }
        Value::Array(list) => list.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

/// What had to stay until everything was combined goes, and what providers want to agree agrees.
fn tidy(schema: &mut Schema, rules: Rules, depth: usize) {
    if !rules.closed {
        schema.shift_remove("additionalProperties");
    }
    let named: HashSet<String> = match schema.get("properties") {
        Some(Value::Object(named)) => named.keys().cloned().collect(),
        _ => HashSet::new(),
    };
    if let Some(Value::Array(names)) = schema.get_mut("required") {
        names.retain(|name| name.as_str().is_some_and(|name| named.contains(name)));
        if names.is_empty() {
            schema.shift_remove("required");
        }
    }
    if !rules.types && depth > 0 {
        spread(schema);
    }
    for (keyword, value) in schema.iter_mut() {
        match (keyword.as_str(), value) {
            ("properties" | "$defs", Value::Object(named)) => {
                for one in named.values_mut().filter_map(Value::as_object_mut) {
                    tidy(one, rules, depth + 1);
                }
            }
            ("items", Value::Object(items)) => tidy(items, rules, depth + 1),
            ("anyOf", Value::Array(list)) => {
                for one in list.iter_mut().filter_map(Value::as_object_mut) {
                    tidy(one, rules, depth + 1);
                }
            }
            _ => {}
        }
    }
}

/// Gemini wants nothing beside `anyOf`: each branch says it itself.
fn spread(schema: &mut Schema) {
    let Some(Value::Array(branches)) = schema.shift_remove("anyOf") else {
        return;
    };
    if schema.is_empty() {
        schema.insert("anyOf".to_owned(), branches.into());
        return;
    }
    let rest = std::mem::take(schema);
    let branches = branches.into_iter().filter_map(|branch| match branch {
        Value::Object(branch) => Some(Value::Object(both(branch, rest.clone()))),
        _ => None,
    });
    schema.insert("anyOf".to_owned(), branches.collect());
}
