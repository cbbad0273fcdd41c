//! What a document says of its own address and of its schemas' (`$self`, OpenAPI 3.2; `$id`, JSON
//! Schema 2020-12, Core, section 8.2.1): references by them are local ones.

use std::collections::HashMap;

use memchr::memmem;
use serde_json::Value;
use url::Url;

use super::super::finding::Place;
use super::super::reference::lookup;
use super::rewrite::{holds_names, is_data};

/// What relative addresses start from where nobody knows the document's; nothing is read there.
const NOWHERE: &str = "x-nowhere://document/";

/// Whether a document's text may hold either of them. Spares nearly all documents a walk.
pub(in crate::openapi) fn may_be_in(text: &[u8]) -> bool {
    let is_key = |at: usize| {
        let after = text.get(at + 3).copied();
        matches!(after, Some(b'"' | b'\'' | b':' | b' '))
    };
    memmem::find_iter(text, b"$id").any(is_key) || memmem::find(text, b"$self").is_some()
}

/// Turns references by `$self` and `$id` into local ones. `base` is the URL that the document came
/// from; where there is one, other relative references start from `$self`.
pub(in crate::openapi) fn settle(root: &mut Value, base: Option<&Url>) {
    let named = root.get("$self").and_then(Value::as_str);
    let named = named.and_then(|own| match base {
        Some(base) => base.join(own).ok(),
        None => Url::parse(own).ok(),
    });
    let own = named.as_ref().or(base).cloned();
    let Some(own) = own.or_else(|| Url::parse(NOWHERE).ok()).map(bare) else {
        return;
    };
    let mut known = Known {
        resources: HashMap::from([(own.clone(), String::new())]),
        anchors: HashMap::new(),
    };
    let document = Resource {
        base: own.clone(),
        pointer: String::new(),
    };
    collect(root, &document, false, &mut Place::default(), &mut known);
    let walk = Walk {
        moves: named.is_some() && base.is_some(),
        known: &known,
    };
    let mut found = Vec::new();
    let resource = Resource {
        base: own,
        pointer: String::new(),
    };
    walk.value(
        root,
        root,
        &resource,
        false,
        &mut Place::default(),
        &mut found,
    );
    for (pointer, target) in found {
        if let Some(reference) = root.pointer_mut(&pointer) {
            *reference = Value::String(target);
        }
    }
}

/// What stands where, as pointers.
struct Known {
    /// Schemas with an `$id`, and the document.
    resources: HashMap<Url, String>,
    /// Anchors of schemas with an `$id`, by that schema's pointer and the anchor's name.
    anchors: HashMap<String, HashMap<String, String>>,
}

/// Notes the schemas with an `$id` and their anchors; the first of an address counts.
fn collect(node: &Value, within: &Resource, names: bool, place: &mut Place, known: &mut Known) {
    match node {
        _ if !place.can_be_named() => {}
        Value::Object(map) => {
            let own = (!names).then(|| identified(node, &within.base)).flatten();
            let own = own.map(|base| Resource {
                base,
                pointer: place.pointer().to_owned(),
            });
            if let Some(own) = &own {
                let (base, pointer) = (own.base.clone(), own.pointer.clone());
                known.resources.entry(base).or_insert(pointer);
            }
            let within = own.as_ref().unwrap_or(within);
            for (key, member) in map {
                match member {
                    Value::String(name)
                        if !names
                            && !within.pointer.is_empty()
                            && matches!(key.as_str(), "$anchor" | "$dynamicAnchor") =>
                    {
                        let anchors = known.anchors.entry(within.pointer.clone()).or_default();
                        let pointer = place.pointer().to_owned();
                        anchors.entry(name.clone()).or_insert(pointer);
                    }
                    Value::Object(_) | Value::Array(_) if names || !is_data(key) => {
                        let inner = !names && holds_names(key);
                        place.within(key, |place| collect(member, within, inner, place, known));
                    }
                    _ => {}
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                place.item(index, |place| collect(item, within, false, place, known));
            }
        }
        _ => {}
    }
}

/// The address of a schema that has one of its own. One with a fragment is the anchor of old drafts.
fn identified(node: &Value, base: &Url) -> Option<Url> {
    let written = node.get("$id")?.as_str()?;
    let written = written.strip_suffix('#').unwrap_or(written);
    if written.is_empty() || written.contains('#') {
        return None;
    }
    base.join(written).ok()
}

/// A schema with an `$id`, or the document.
struct Resource {
    base: Url,
    /// Where it stands.
    pointer: String,
}

struct Walk<'a> {
    /// Relative references to other documents start from `$self`.
    moves: bool,
    /// Where each address stands.
    known: &'a Known,
}

impl Walk<'_> {
    /// Notes the references that change, by their pointers.
    fn value(
        &self,
        root: &Value,
        node: &Value,
        within: &Resource,
        names: bool,
        place: &mut Place,
        found: &mut Vec<(String, String)>,
    ) {
        match node {
            _ if !place.can_be_named() => {}
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    place.item(index, |place| {
                        self.value(root, item, within, false, place, found);
                    });
                }
            }
            Value::Object(map) => {
                let own = (!names).then(|| identified(node, &within.base)).flatten();
                let own = own.map(|base| Resource {
                    base,
                    pointer: place.pointer().to_owned(),
                });
                let within = own.as_ref().unwrap_or(within);
                for (key, member) in map {
                    match member {
                        Value::String(target)
                            if !names && matches!(key.as_str(), "$ref" | "$dynamicRef") =>
                        {
                            if let Some(target) = self.target(root, key, target, within) {
                                found.push((place.member(key), target));
                            }
                        }
                        Value::Object(_) | Value::Array(_) if names || !is_data(key) => {
                            let inner = !names && holds_names(key);
                            place.within(key, |place| {
                                self.value(root, member, within, inner, place, found);
                            });
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// What a reference becomes; nothing where it stays.
    fn target(&self, root: &Value, key: &str, written: &str, within: &Resource) -> Option<String> {
        // A dynamic reference is by name, whoever it asks first.
        let anchor = |pointer: &str, name: &str| {
            let found = self.known.anchors.get(pointer)?.get(name)?;
            (key == "$ref").then(|| format!("#{found}"))
        };
        let (document, fragment) = written.split_once('#').unwrap_or((written, ""));
        let is_pointer = fragment.is_empty() || fragment.starts_with('/');
        if document.is_empty() {
            if !is_pointer {
                return anchor(&within.pointer, fragment);
            }
            // Many write an `$id` and go on referring from the document's root.
            let target = format!("#{}{fragment}", within.pointer);
            let moved = !within.pointer.is_empty();
            return (moved && lookup(root, &target).is_some()).then_some(target);
        }
        let address = bare(within.base.join(document).ok()?);
        match self.known.resources.get(&address) {
            Some(pointer) if is_pointer => Some(format!("#{pointer}{fragment}")),
            // Other anchors are looked for in the whole document.
            Some(pointer) => {
                Some(anchor(pointer, fragment).unwrap_or_else(|| format!("#{fragment}")))
            }
            None => {
                let relative = Url::parse(document).is_err();
                let moved = self.moves && relative && within.pointer.is_empty();
                moved.then(|| format!("{address}#{fragment}"))
            }
        }
    }
}

fn bare(mut url: Url) -> Url {
    url.set_fragment(None);
    url
}
