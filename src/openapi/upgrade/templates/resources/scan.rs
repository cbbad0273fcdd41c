//! The walk that finds resources, anchors and references.

use serde_json::{Map, Value};

use super::super::super::super::external::{holds_names, is_data};
use super::super::super::super::finding::Place;
use super::{Anchor, Resource, Resources, Site, Target, Word};

/// Members of `components` that operations refer to.
const PARTS: [&str; 6] = [
    "parameters",
    "requestBodies",
    "responses",
    "headers",
    "mediaTypes",
    "pathItems",
];
/// Every parser stops at 128 levels; what is deeper came together from several files.
const DEEPEST: usize = 512;

impl Resources<'_> {
    pub(super) fn document(&mut self, root: &Value, place: &mut Place) {
        let components = root.get("components");
        let members = |name: &str| {
            let part = components.and_then(|components| components.get(name));
            part.and_then(Value::as_object).into_iter().flatten()
        };
        place.within("components", |place| {
            for (name, schema) in members("schemas") {
                place.within("schemas", |place| {
                    place.within(name, |place| self.outermost(schema, place, false));
                });
            }
            for part in PARTS {
                for (name, node) in members(part) {
                    place.within(part, |place| {
                        place.within(name, |place| self.structure(node, place, false, 0));
                    });
                }
            }
        });
        if let Some(paths) = root.get("paths") {
            place.within("paths", |place| self.structure(paths, place, false, 0));
        }
    }

    /// Another file: a document, one schema, or a part of a document.
    pub(super) fn other(&mut self, tree: &Value, place: &mut Place) {
        let is_schema = ["$id", "$defs", "$dynamicAnchor", "type", "allOf", "items"];
        if tree.get("components").is_some() || tree.get("paths").is_some() {
            self.document(tree, place);
        } else if is_schema.iter().any(|key| tree.get(key).is_some()) {
            self.outermost(tree, place, false);
        } else {
            self.structure(tree, place, false, 0);
        }
    }

    /// What is no schema, and the schemas in it.
    fn structure(&mut self, node: &Value, place: &mut Place, names: bool, depth: usize) {
        match node {
            _ if depth > DEEPEST || !place.can_be_named() => {}
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    place.item(index, |place| self.structure(item, place, false, depth + 1));
                }
            }
            Value::Object(map) => {
                for (key, member) in map {
                    place.within(key, |place| match key.as_str() {
                        "schema" | "itemSchema" if !names => self.outermost(member, place, true),
                        "callbacks" | "schemas" if !names => {}
                        key if !names && is_data(key) => {}
                        key => {
                            let inner = !names && holds_names(key);
                            self.structure(member, place, inner, depth + 1);
                        }
                    });
                }
            }
            _ => {}
        }
    }

    pub(super) fn outermost(&mut self, schema: &Value, place: &mut Place, entry: bool) {
        if !schema.is_object() || self.by_pointer.contains_key(place.pointer()) {
            return;
        }
        let id = self.begin(place);
        self.list[id].entry = entry;
        self.schema(schema, place, id, false, 0);
    }

    fn begin(&mut self, place: &Place) -> usize {
        let id = self.list.len();
        let pointer = place.pointer().to_owned();
        let bytes = 2 * pointer.len() + size_of::<Resource>();
        self.room = self.room.saturating_sub(bytes);
        self.by_pointer.insert(pointer.clone(), id);
        self.list.push(Resource {
            pointer,
            ..Resource::default()
        });
        id
    }

    fn schema(
        &mut self,
        node: &Value,
        place: &mut Place,
        mut id: usize,
        names: bool,
        depth: usize,
    ) {
        match node {
            _ if depth > DEEPEST || self.room == 0 || !place.can_be_named() => {}
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    place.item(index, |place| {
                        self.schema(item, place, id, false, depth + 1)
                    });
                }
            }
            Value::Object(map) => {
                if !names && place.pointer() != self.list[id].pointer {
                    let known = self.by_pointer.get(place.pointer()).copied();
                    if known.is_some() || identified(map) {
                        let outer = std::mem::replace(&mut id, known.unwrap_or(self.list.len()));
                        if known.is_none() {
                            self.begin(place);
                        }
                        self.list[id].inner = true;
                        self.list[outer].nested.push(id);
                    }
                    if known.is_some() {
                        return;
                    }
                }
                if !names {
                    self.keywords(map, place, id);
                }
                for (key, member) in map {
                    let skipped = key == "discriminator" || is_data(key);
                    if names || !skipped {
                        let inner = !names && holds_names(key);
                        place.within(key, |place| {
                            self.schema(member, place, id, inner, depth + 1);
                        });
                    }
                }
            }
            _ => {}
        }
    }

    fn keywords(&mut self, map: &Map<String, Value>, place: &Place, id: usize) {
        let resource = &mut self.list[id];
        let at = place.pointer().get(resource.pointer.len()..);
        let at = at.unwrap_or_default().to_owned();
        let text = |key: &str| map.get(key).and_then(Value::as_str);
        let room = &mut self.room;
        let mut site = |word: Word, text: &str| {
            *room = room.saturating_sub(at.len() + size_of::<Site>());
            resource.sites.push(Site {
                at: at.clone(),
                word,
                text: text.to_owned(),
                target: Target::Elsewhere,
            });
            resource.sites.len() - 1
        };
        let reference = text("$ref").map(|text| site(Word::Reference, text));
        text("$dynamicRef").map(|text| site(Word::Dynamic, text));
        let mapping = map
            .get("discriminator")
            .and_then(|node| node.get("mapping"));
        for (value, to) in mapping.and_then(Value::as_object).into_iter().flatten() {
            if let Some(to) = to.as_str().filter(|to| to.starts_with('#')) {
                site(Word::Mapping(value.clone()), to);
            }
        }
        if let Some(name) = text("$anchor") {
            resource.plain.insert(name.to_owned(), at.clone());
            resource.anchored.push(at.clone());
        }
        if let Some(name) = text("$dynamicAnchor") {
            let silent =
                |key: &String| matches!(key.as_str(), "$dynamicAnchor" | "$ref" | "$comment");
            resource.anchored.push(at.clone());
            self.anchors.push(Anchor {
                name: name.to_owned(),
                resource: id,
                at,
                alias: reference.filter(|_| map.keys().all(silent)),
            });
        }
    }
}

/// Whether a schema has an address of its own. One with a fragment is the anchor of old drafts.
fn identified(map: &Map<String, Value>) -> bool {
    let id = map.get("$id").and_then(Value::as_str);
    id.is_some_and(|id| !id.is_empty() && !id.trim_end_matches('#').contains('#'))
}
