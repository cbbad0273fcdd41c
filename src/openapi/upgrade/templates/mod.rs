//! Templates: schemas whose `$dynamicRef` means another `$dynamicAnchor` with each way to them
//! (JSON Schema 2020-12, Core, section 8.2.3.2; OpenAPI 3.1.1, "Generic (Template) Data
//! Structures"). Each way gets a copy of its own in which the references are plain ones, so that
//! nothing after this knows of dynamic scopes.
//!
//! A name with one anchor is left to the walk, and so is one whose anchors nobody binds.

mod evaluate;
mod needs;
mod resources;

use std::collections::HashMap;

use memchr::memmem;
use serde_json::{Map, Value, json};

use super::super::finding::Findings;
use crate::pointer;
use evaluate::{Copy, Evaluation, Outcome};
use resources::{Resources, Word};

/// The member of `components` that holds the copies. None of them is a named schema of the
/// document, which heirs and discriminators are looked for among.
const HOME: &str = "x-specialised";
/// Where that stands.
const COPIES: &str = "/components/x-specialised";

/// Whether a document's text may hold a `$dynamicRef`. Spares nearly all documents a walk.
pub(in crate::openapi) fn may_be_in(text: &[u8]) -> bool {
    memmem::find(text, b"$dynamicRef").is_some()
}

/// Where copies came from, to judge findings by.
#[derive(Debug, Default)]
pub(in crate::openapi) struct Origins(HashMap<String, String>);

impl Origins {
    /// The pointer of the template that a pointer into a copy stands for.
    pub(in crate::openapi) fn of(&self, pointer: &str) -> Option<String> {
        let rest = pointer.strip_prefix(COPIES)?.strip_prefix('/')?;
        let (name, rest) = match rest.find('/') {
            Some(end) => rest.split_at(end),
            None => (rest, ""),
        };
        Some(format!("{}{rest}", self.0.get(name)?))
    }
}

/// What is written instead of a reference.
#[derive(Debug)]
enum Change {
    /// A plain reference to this.
    To(String),
    /// Nothing: anything is accepted.
    Nothing,
}

/// Turns the dynamic references of names with several anchors into plain ones.
pub(in crate::openapi) fn specialise(root: &mut Value, findings: &mut Findings) -> Origins {
    let mut resources = Resources::of(root);
    if resources.names == 0 {
        return Origins::default();
    }
    let needs = (resources.room > 0)
        .then(|| needs::of(&resources))
        .flatten();
    let Some(needs) = needs else {
        findings.warn(
            "schema-too-large",
            "/components",
            "the schemas with $dynamicRef are too many to be followed".to_owned(),
            "use fewer names of $dynamicAnchor; what they name accepts anything",
        );
        return Origins::default();
    };
    resources.unite(&needs);
    let outcome = Evaluation::new(root, &resources, &needs, findings).run();
    write(root, outcome)
}

fn write(root: &mut Value, outcome: Outcome) -> Origins {
    let mut made = Map::new();
    let mut origins = HashMap::new();
    for copy in outcome.copies {
        let Some(mut node) = root.pointer(&copy.origin).cloned() else {
            continue;
        };
        let Copy {
            name,
            origin,
            anchored,
            changes,
        } = copy;
        for at in anchored {
            if let Some(Value::Object(map)) = node.pointer_mut(&at) {
                map.shift_remove("$dynamicAnchor");
                map.shift_remove("$anchor");
            }
        }
        for (at, word, change) in changes {
            apply(&mut node, &at, &word, change);
        }
        made.insert(name.clone(), node);
        origins.insert(name, origin);
    }
    for (at, word, change) in outcome.changes {
        apply(root, &at, &word, change);
    }
    if !made.is_empty()
        && let Value::Object(map) = root
        && let Value::Object(components) = map.entry("components").or_insert_with(|| json!({}))
    {
        components.insert(HOME.to_owned(), Value::Object(made));
    }
    Origins(origins)
}

/// Changes the reference that the schema at `at` below `node` has in `word`.
fn apply(node: &mut Value, at: &str, word: &Word, change: Change) {
    let Some(Value::Object(map)) = node.pointer_mut(at) else {
        return;
    };
    match (word, change) {
        (Word::Reference, Change::To(target)) => {
            map.insert("$ref".to_owned(), Value::String(target));
        }
        (Word::Reference, Change::Nothing) => drop(map.shift_remove("$ref")),
        (Word::Dynamic, Change::To(target)) => {
            if map.shift_remove("$dynamicRef").is_none() {
                return;
            }
            if !map.contains_key("$ref") {
                map.insert("$ref".to_owned(), Value::String(target));
            } else if let Value::Array(all) = map.entry("allOf").or_insert_with(|| json!([])) {
                all.push(json!({ "$ref": target }));
            }
        }
        (Word::Dynamic, Change::Nothing) => drop(map.shift_remove("$dynamicRef")),
        (Word::Mapping(value), Change::To(target)) => {
            let mapping = map.get_mut("discriminator");
            let mapping = mapping.and_then(|discriminator| discriminator.get_mut("mapping"));
            if let Some(written) = mapping.and_then(|mapping| mapping.get_mut(value)) {
                *written = Value::String(target);
            }
        }
        (Word::Mapping(_), Change::Nothing) => {}
    }
}

/// A reference to a place. A percent sign in a key is escaped, since fragments are decoded.
fn reference_to(place: &str, rest: &str) -> String {
    format!("#{place}{rest}").replace('%', "%25")
}

/// A pointer's last token as people write it, safe in a name.
fn last_name(place: &str) -> String {
    let token = place.rsplit('/').next().unwrap_or_default();
    // Names of any length stand in a document.
    let token: String = token.chars().take(4 * LONGEST_NAME).collect();
    let plain = pointer::unescape(&token);
    let safe = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    plain.chars().filter(safe).take(LONGEST_NAME).collect()
}

/// Longer names say no more.
const LONGEST_NAME: usize = 40;
