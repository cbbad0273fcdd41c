//! A base class seen as a value's type: with a discriminator, a value may be any of its heirs, the
//! schemas that have it as a part (OpenAPI 3.2, section 4.25.4).

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::discriminator::Discriminator;
use super::{Definitions, Schema, note, opens};
use crate::discovery::defs::{Direction, reference_of};
use crate::pointer;

/// With more heirs than this a base is not written with them: each is a schema to read.
const MAX_HEIRS: usize = 16;
/// Where schemas with names stand.
const NAMED: &str = "#/components/schemas";

/// Who inherits from whom, by the place of the schemas in memory.
#[derive(Debug, Default)]
pub(in crate::discovery) struct Heirs {
    /// The references of those that have a schema as a part.
    of: HashMap<usize, Vec<String>>,
    /// Those that have a part with a discriminator.
    known: HashSet<usize>,
    /// The references of those that have parts.
    names: HashMap<usize, String>,
}

/// The alternatives to a base.
pub(super) struct Alternatives(Vec<Value>);

/// Whether a schema is the base of others.
pub(super) fn is_base(map: &Schema) -> bool {
    map.contains_key("discriminator") && !map.contains_key("oneOf") && !map.contains_key("anyOf")
}

impl<'d> Definitions<'d> {
    /// Whether a value may be any heir of its schema.
    pub(in crate::discovery) fn has_heirs(&self, schema: &Value) -> bool {
        let map = self.resolve(schema).and_then(Value::as_object);
        map.is_some_and(|map| self.heirs(map).is_some())
    }

    /// The heirs of a base that goes in as an argument; nothing where it is none, or where nobody is
    /// known to inherit. None of them leads back to the base, so that no validator walks in a circle.
    pub(super) fn heirs(&self, map: &Schema) -> Option<Alternatives> {
        if !is_base(map) || self.direction != Direction::Input {
            return None;
        }
        let mut discriminator = Discriminator::of(map)?;
        discriminator.mapping = discriminator.mapping.filter(|mapping| !mapping.is_empty());
        let mut all = self.all_heirs(map);
        if let Some(mapping) = discriminator.mapping {
            all.retain(|one| {
                let name = one.rsplit('/').next();
                discriminator.is_default(one)
                    || mapping.values().any(|to| to == one || to.as_str() == name)
            });
        }
        if all.is_empty() {
            return None;
        }
        if all.len() > MAX_HEIRS || !all.iter().all(|one| self.is_plain_heir(one)) {
            return Some(Alternatives(Vec::new()));
        }
        let known: Vec<&str> = all.iter().map(String::as_str).collect();
        let alternatives = known.iter().map(|reference| {
            let branch = json!({ "$ref": reference });
            self.told(&branch, discriminator, &known).unwrap_or(branch)
        });
        Some(Alternatives(alternatives.collect()))
    }

    /// A base beside its heirs. Where they cannot be told one by one, it is at least not closed to them.
    pub(super) fn with_heirs(&self, base: &Schema, heirs: Alternatives) -> Schema {
        let Alternatives(mut alternatives) = heirs;
        if alternatives.is_empty() {
            let mut base = base.clone();
            base.retain(|key, value| {
                *value != Value::Bool(false)
                    || !["additionalProperties", "unevaluatedProperties"].contains(&key.as_str())
            });
            return base;
        }
        let (mut whole, mut own) = (Schema::new(), Schema::new());
        for (key, value) in base {
            let target = if note(key) { &mut whole } else { &mut own };
            target.insert(key.clone(), value.clone());
        }
        whole.insert("type".to_owned(), "object".into());
        alternatives.push(Value::Object(own));
        whole.insert("anyOf".to_owned(), alternatives.into());
        whole
    }

    /// Whether a schema inherits from a base.
    pub(super) fn is_heir(&self, map: &Schema) -> bool {
        self.index().known.contains(&address(map))
    }

    /// The reference of a schema that has parts and a name.
    pub(in crate::discovery) fn reference_to(&self, map: &Schema) -> Option<&str> {
        self.index().names.get(&address(map)).map(String::as_str)
    }

    /// The references of the heirs, theirs included, each once.
    fn all_heirs(&self, map: &Schema) -> Vec<String> {
        let index = self.index();
        let mut found: Vec<String> = Vec::new();
        let mut open = vec![address(map)];
        while let Some(base) = open.pop() {
            for heir in index.of.get(&base).into_iter().flatten() {
                if found.len() <= 4 * MAX_HEIRS && !found.contains(heir) {
                    found.push(heir.clone());
                    let schema = self.schemas.get(heir).and_then(Value::as_object);
                    open.extend(schema.map(address));
                }
            }
        }
        found
    }

    /// The schemas that a value of a base may be of instead.
    pub(in crate::discovery) fn heir_schemas(&self, map: &Schema) -> Vec<&'d Value> {
        if !is_base(map) || self.direction != Direction::Input {
            return Vec::new();
        }
        let all = self.all_heirs(map);
        let schemas = all.iter().filter_map(|one| self.schemas.get(one));
        schemas.collect()
    }

    /// Whether an heir is one object, with all that it inherits: it refers to nobody then.
    fn is_plain_heir(&self, reference: &str) -> bool {
        let schema = self.schemas.get(reference).and_then(Value::as_object);
        let merged = schema.and_then(|schema| self.merged(schema, false, &mut false));
        merged.is_some_and(|whole| {
            whole.iter().all(|(key, value)| match key.as_str() {
                "type" => value == "object",
                "properties" | "required" | "minProperties" | "maxProperties" => true,
                "additionalProperties" => opens(value) || *value == Value::Bool(false),
                key => note(key),
            })
        })
    }

    fn index(&self) -> &Heirs {
        self.heirs.get_or_init(|| {
            let mut heirs = Heirs::default();
            let named = self.schemas.get(NAMED).and_then(Value::as_object);
            for (name, schema) in named.into_iter().flatten() {
                let Some(map) = schema.as_object() else {
                    continue;
                };
                let Some(parts) = map.get("allOf").and_then(Value::as_array) else {
                    continue;
                };
                let reference = pointer::member(NAMED, name);
                heirs.names.insert(address(map), reference.clone());
                for part in parts {
                    let base = reference_of(part).and_then(|_| self.resolve(part));
                    if let Some(base) = base.and_then(Value::as_object) {
                        let of = heirs.of.entry(address(base)).or_default();
                        of.push(reference.clone());
                        if is_base(base) {
                            heirs.known.insert(address(map));
                        }
                    }
                }
            }
            heirs
        })
    }
}

/// What a schema of the document is known by: documents do not move while they are looked at.
fn address(map: &Schema) -> usize {
    std::ptr::from_ref(map).addr()
}
