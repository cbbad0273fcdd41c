//! One schema of a document, keyword by keyword, into what a tool publishes.
//!
//! Only JSON Schema 2020-12's keywords go through, and only with values the meta-schema allows:
//! one bad tool makes clients refuse the whole list. OpenAPI's own (`discriminator`, `xml`,
//! `example`, `externalDocs`, `x-`) say nothing to a validator and are dropped.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

use super::compose::Composed;
use super::defs::{Definitions, reference_of};
use super::extra::Extra;
use super::fragment::{Fragment, MAX_VALUE, Members};
use super::keywords::{Kind, kind, lists_without_items, plain};
use super::pattern;

/// Deeper schemas accept anything. Texts are parsed with a limit of 128 levels, each schema takes two
/// of them at most.
const MAX_DEPTH: usize = 56;

/// Where the writer is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct At<'a> {
    depth: usize,
    /// The definition being written, as long as its own value is described, not a part of it.
    within: Option<&'a str>,
    /// `$anchor` may stay.
    anchor: bool,
    /// What is written is repeated here, and is a definition elsewhere.
    repeated: bool,
    /// Properties of the same value that do not go in this direction.
    pub(super) hidden: Option<&'a HashSet<String>>,
}

impl At<'_> {
    fn part(self) -> Self {
        At {
            depth: self.depth + 1,
            repeated: self.repeated,
            ..At::default()
        }
    }

    fn same(self) -> Self {
        At {
            depth: self.depth + 1,
            anchor: false,
            ..self
        }
    }
}

impl<'d> Definitions<'d> {
    /// Writes a definition.
    pub(super) fn write_definition(&mut self, source: &Value, reference: &str, out: &mut Fragment) {
        let at = At {
            within: Some(reference),
            anchor: true,
            ..At::default()
        };
        self.write(source, Extra::default(), at, out);
    }

    /// Writes the schema of one argument: it stands there itself, not as a reference, unless it
    /// is circular.
    pub(super) fn write_argument(&mut self, schema: &Value, extra: Extra<'_>, out: &mut Fragment) {
        let reference = reference_of(schema);
        let schema = self.stand_in(schema);
        let reference = reference.filter(|_| reference_of(schema).is_none());
        self.within(reference, |this| {
            this.write(schema, extra, At::default(), out);
        });
    }

    /// What a schema that only refers refers to, unless that is circular.
    pub(super) fn stand_in<'s>(&mut self, mut schema: &'s Value) -> &'s Value
    where
        'd: 's,
    {
        for _ in 0..32 {
            let Value::Object(map) = schema else { break };
            let Some(Value::String(reference)) = map.get("$ref") else {
                break;
            };
            if map
                .keys()
                .any(|key| key != "$ref" && kind(key) != Kind::Dropped)
            {
                break;
            }
            let Some(id) = self.id(reference) else { break };
            if self.recursive(id) {
                break;
            }
            match self.schemas.get(reference) {
                Some(target) => schema = target,
                None => break,
            }
        }
        schema
    }

    /// Writes a schema.
    pub(super) fn write(
        &mut self,
        schema: &Value,
        extra: Extra<'_>,
        at: At<'_>,
        out: &mut Fragment,
    ) {
        match schema {
            Value::Bool(false) => out.raw("false"),
            Value::Object(map) if at.depth <= MAX_DEPTH => self.write_object(map, extra, at, out),
            _ => {
                let mut members = Members::open(out);
                let too_deep = extra.write(&mut members);
                members.close();
                self.note_too_deep(&too_deep, at.within);
            }
        }
    }

    fn write_object(
        &mut self,
        map: &Map<String, Value>,
        extra: Extra<'_>,
        at: At<'_>,
        out: &mut Fragment,
    ) {
        if let Some(Value::String(reference)) = map.get("$ref")
            && extra.is_empty()
            && !map
                .keys()
                .any(|key| key != "$ref" && kind(key) != Kind::Dropped)
            && let Some(id) = self.usable(reference, at)
        {
            out.hole(id, true);
            return;
        }
        let hidden = self.hidden(map, at);
        let at = At {
            hidden: Some(&hidden),
            ..at
        };
        let composed = self.composed_noted(map, at);
        let at = At {
            repeated: at.repeated || composed.as_ref().is_some_and(|it| it.repeats),
            ..at
        };
        let map = composed.as_ref().map_or(map, |it| &it.schema);
        let loose = self.without_lost_patterns(map);
        let map = loose.as_ref().unwrap_or(map);
        let mut members = Members::open(out);
        for (keyword, value) in map {
            if !extra.replaces(keyword) {
                self.keyword(keyword, value, &hidden, at, &mut members);
            }
        }
        if let Some(Value::String(reference)) = map.get("$ref")
            && self.id(reference).is_none()
            && !map.contains_key("description")
            && !extra.replaces("description")
        {
            members
                .key("description")
                .string("Any value: the document does not describe it.");
        }
        if lists_without_items(map) {
            members.key("items").raw("{}");
        }
        let too_deep = extra.write(&mut members);
        members.close();
        self.note_too_deep(&too_deep, at.within);
    }

    /// The schema in a better form, with a word on what does not mean the same.
    fn composed_noted(&mut self, map: &Map<String, Value>, at: At<'_>) -> Option<Composed> {
        let composed = self.composed(map, at.repeated);
        if composed.is_some() && self.shuts_out(map) {
            let name = at.within.or_else(|| self.reference_to(map));
            let name = name.map_or_else(
                || "a schema without a name".to_owned(),
                |name| format!("the schema `{}`", shown(name)),
            );
            self.note(format!(
                "{name} has parts with `additionalProperties: false` that shut out its other properties: it is taken as one closed object"
            ));
        }
        composed
    }

    /// Writes an object schema as the root of a tool's, without the closing brace.
    pub(super) fn write_root(&mut self, map: &Map<String, Value>, out: &mut Fragment) {
        let hidden = self.hidden(map, At::default());
        let mut members = Members::open(out);
        if let Some(dialect @ Value::String(_)) = map.get("$schema") {
            members.key("$schema").value(dialect);
        }
        members.key("type").raw("\"object\"");
        // Who names the dialect means every word of it.
        let composed = if map.contains_key("$schema") {
            None
        } else {
            self.composed_noted(map, At::default())
        };
        let better = composed.as_ref().map_or(map, |it| &it.schema);
        let at = At {
            repeated: composed.as_ref().is_some_and(|it| it.repeats),
            ..At::default()
        };
        let loose = self.without_lost_patterns(better);
        let better = loose.as_ref().unwrap_or(better);
        for (keyword, value) in better.iter().filter(|(keyword, _)| *keyword != "type") {
            self.keyword(keyword, value, &hidden, at, &mut members);
        }
        let composed = [
            "allOf",
            "anyOf",
            "oneOf",
            "if",
            "patternProperties",
            "dependentSchemas",
        ];
        let closed = ["additionalProperties", "unevaluatedProperties"];
        if !closed.iter().any(|keyword| better.contains_key(*keyword))
            && !composed
                .iter()
                .any(|keyword| map.contains_key(*keyword) || better.contains_key(*keyword))
        {
            members.key("additionalProperties").raw("false");
        }
    }

    fn keyword(
        &mut self,
        keyword: &str,
        value: &Value,
        hidden: &HashSet<String>,
        at: At<'_>,
        members: &mut Members<'_>,
    ) {
        match (kind(keyword), value) {
            (Kind::Reference, Value::String(reference)) => {
                if let Some(id) = self.usable(reference, at) {
                    members.key("$ref").hole(id, false);
                }
            }
            (Kind::Schema { same }, Value::Object(_) | Value::Bool(_)) => {
                let at = if same { at.same() } else { at.part() };
                // `additionalProperties: true` is the one boolean every reader knows.
                if *value == Value::Bool(true) && keyword == "additionalProperties" {
                    members.key(keyword).raw("true");
                } else {
                    self.write(value, Extra::default(), at, members.key(keyword));
                }
            }
            // Before 2020-12 a list under `items` was what `prefixItems` is now.
            (Kind::Schema { .. }, Value::Array(list)) if keyword == "items" && !list.is_empty() => {
                self.list(list, at.part(), members.key("prefixItems"));
            }
            (Kind::Schemas, Value::Array(list)) if !list.is_empty() => {
                let at = if keyword == "prefixItems" {
                    at.part()
                } else {
                    at.same()
                };
                self.list(list, at, members.key(keyword));
            }
            (Kind::Properties, Value::Object(map)) => {
                self.named(map, hidden, at.part(), members.key(keyword));
            }
            (Kind::Named { same }, Value::Object(map)) => {
                let at = if same { at.same() } else { at.part() };
                let bad: HashSet<String> = map
                    .keys()
                    .filter(|key| !same && !self.usable_pattern(key))
                    .cloned()
                    .collect();
                self.named(map, &bad, at, members.key(keyword));
            }
            (Kind::Anchor, Value::String(anchor)) if at.anchor => {
                if self.anchors.insert(anchor.clone()) {
                    members.key(keyword).value(value);
                }
            }
            (Kind::Pattern, Value::String(pattern)) if self.usable_pattern(pattern) => {
                members.key(keyword).value(value);
            }
            (Kind::Enum | Kind::Examples, Value::Array(list))
                if !list.iter().all(|value| members.holds(value)) =>
            {
                self.note_too_deep(&[keyword], at.within);
            }
            (Kind::Default | Kind::Const, value) if !members.holds(value) => {
                self.note_too_deep(&[keyword], at.within);
            }
            (kind, value) => plain(kind, keyword, value, hidden, members),
        }
    }

    /// Tells of values that are left out, since a reader with a limit would lose the whole schema by them.
    pub(super) fn note_too_deep(&mut self, keywords: &[&str], within: Option<&str>) {
        for keyword in keywords {
            let of = within.map_or_else(
                || "a schema".to_owned(),
                |name| format!("the schema `{name}`"),
            );
            self.note(format!(
                "{of} has a value of `{keyword}` that nests too deeply (more than {MAX_VALUE} levels): it is left out"
            ));
        }
    }

    fn list(&mut self, list: &[Value], at: At<'_>, out: &mut Fragment) {
        out.open("[");
        for (index, schema) in list.iter().enumerate() {
            if index > 0 {
                out.raw(",");
            }
            self.write(schema, Extra::default(), at, out);
        }
        out.close("]");
    }

    fn named(
        &mut self,
        map: &Map<String, Value>,
        skip: &HashSet<String>,
        at: At<'_>,
        out: &mut Fragment,
    ) {
        let mut members = Members::open(out);
        for (name, schema) in map {
            if !skip.contains(name.as_str()) {
                self.write(schema, Extra::default(), at, members.key(name));
            }
        }
        members.close();
    }

    /// The definition a reference names, unless it leads nowhere or describes a value by itself.
    fn usable(&mut self, reference: &str, at: At<'_>) -> Option<usize> {
        let Some(id) = self.id(reference) else {
            self.note(format!(
                "the reference `{reference}` leads to no schema: anything is accepted there"
            ));
            return None;
        };
        if let Some(within) = at.within
            && self.describes_same(id, within)
        {
            self.note(format!(
                "the schema `{}` is defined by itself: anything is accepted there",
                shown(within)
            ));
            return None;
        }
        Some(id)
    }

    /// Whether a `pattern` is published; a note tells where it is not.
    pub(super) fn usable_pattern(&mut self, pattern: &str) -> bool {
        if let Some(&known) = self.patterns.get(pattern) {
            return known;
        }
        let schema = serde_json::json!({ "pattern": pattern });
        let usable = pattern::is_portable(pattern) && jsonschema::validator_for(&schema).is_ok();
        self.patterns.insert(pattern.to_owned(), usable);
        if !usable {
            self.note_here(&format!(
                "the pattern `{}` is no regular expression that every client can use: it is left out",
                pattern.chars().take(200).collect::<String>(),
            ));
        }
        usable
    }
}

/// A reference as people know it: a root's own definitions are kept under names of another form.
fn shown(reference: &str) -> Cow<'_, str> {
    match reference.split_once('/') {
        Some((number, name)) if number != "#" => Cow::Owned(format!("#/$defs/{name}")),
        _ => Cow::Borrowed(reference),
    }
}
