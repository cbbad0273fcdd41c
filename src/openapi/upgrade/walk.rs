//! The walk over the structure of a document of OpenAPI 3: finds every schema that an operation
//! can reach and has it normalised.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Map, Value};

use super::super::finding::{Findings, Place};
use super::super::reference::decoded;
use super::schema::{DYNAMIC, Schemas};
use super::version::Version;

/// Far more schemas than any document has.
const MOST_SCHEMAS: usize = 8_000_000;
/// Members that begin with these are never walked into.
const EXTENSION: &str = "x-";

/// What a node is, by the place that refers to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Schema,
    PathItem,
    Parameter,
    RequestBody,
    Response,
    Header,
    MediaType,
}

/// Members of `components` that are walked.
const COMPONENTS: [(&str, Kind); 7] = [
    ("schemas", Kind::Schema),
    ("parameters", Kind::Parameter),
    ("requestBodies", Kind::RequestBody),
    ("responses", Kind::Response),
    ("headers", Kind::Header),
    ("mediaTypes", Kind::MediaType),
    ("pathItems", Kind::PathItem),
];

/// Brings every reachable schema of `root` to 2020-12. `brought_in` names the version of what came
/// from other files, by pointer prefix.
pub(in crate::openapi) fn normalise(
    root: &mut Value,
    version: Version,
    brought_in: &[(String, Version)],
    findings: &mut Findings,
) {
    let mut walk = Walk {
        findings,
        version,
        v2_main: version == Version::V2,
        met: HashSet::new(),
        waiting: VecDeque::new(),
        dangling: HashSet::new(),
        anchors: HashMap::new(),
        budget: MOST_SCHEMAS,
    };
    walk.everything(root, brought_in);
    walk.dangling = walk
        .met
        .iter()
        .filter(|(target, kind)| *kind == Kind::Schema && target_of(root, target).is_none())
        .map(|(target, _)| target.clone())
        .collect();
    let mut anchors = HashMap::new();
    if walk.dangling.iter().any(|target| !target.contains('/')) {
        find_anchors(root, &mut Place::default(), &mut anchors);
        anchors.retain(|_, pointer| !pointer.is_empty());
    }
    walk.dangling.retain(|target| !anchors.contains_key(target));
    walk.anchors = anchors;
    // Rare: once more, to turn anchors into pointers and take out what leads nowhere.
    if !walk.dangling.is_empty() || !walk.anchors.is_empty() {
        walk.met.clear();
        walk.budget = MOST_SCHEMAS;
        walk.everything(root, brought_in);
    }
}

/// `$anchor` and `$dynamicAnchor` of every schema; the first of a name counts.
fn find_anchors(node: &Value, place: &mut Place, found: &mut HashMap<String, String>) {
    match node {
        Value::Object(map) => {
            for key in ["$anchor", "$dynamicAnchor"] {
                if let Some(name) = map.get(key).and_then(Value::as_str) {
                    let mut pointer = String::new();
                    if place.can_be_named() {
                        pointer = format!("#{}", place.pointer());
                    }
                    if key == "$dynamicAnchor" {
                        // With several of a name, the caller's way decides which is meant.
                        let other = found.insert(format!("{DYNAMIC}{name}"), pointer.clone());
                        if other.is_some() {
                            found.insert(format!("{DYNAMIC}{name}"), String::new());
                        }
                    }
                    found.entry(format!("#{name}")).or_insert(pointer);
                }
            }
            for (key, member) in map {
                place.within(key, |place| find_anchors(member, place, found));
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                place.item(index, |place| find_anchors(item, place, found));
            }
        }
        _ => {}
    }
}

fn target_of<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    super::super::reference::lookup(root, reference)
}

struct Walk<'a> {
    findings: &'a mut Findings,
    version: Version,
    v2_main: bool,
    met: HashSet<(String, Kind)>,
    waiting: VecDeque<(String, Kind)>,
    dangling: HashSet<String>,
    /// Pointers of anchors, both as references.
    anchors: HashMap<String, String>,
    budget: usize,
}

impl Walk<'_> {
    fn everything(&mut self, root: &mut Value, brought_in: &[(String, Version)]) {
        let main = self.version;
        let mut place = Place::default();
        if let Some(Value::Object(components)) = root.get_mut("components") {
            place.within("components", |place| {
                for (name, kind) in COMPONENTS {
                    self.each(components, name, kind, place);
                }
            });
        }
        if let Value::Object(map) = root {
            self.each(map, "paths", Kind::PathItem, &mut place);
        }
        while let Some((target, kind)) = self.waiting.pop_front() {
            let fragment = target.strip_prefix('#').unwrap_or_default();
            let pointer = decoded(fragment);
            self.version = brought_in
                .iter()
                .find(|(prefix, _)| {
                    let rest = pointer.strip_prefix(prefix.as_str());
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                })
                .map_or(main, |(_, version)| *version);
            if let Some(node) = root.pointer_mut(&pointer) {
                self.node(node, kind, &mut Place::at(&pointer));
            }
        }
        self.version = main;
    }

    fn each(&mut self, map: &mut Map<String, Value>, name: &str, kind: Kind, place: &mut Place) {
        let Some(Value::Object(members)) = map.get_mut(name) else {
            return;
        };
        place.within(name, |place| {
            for (name, node) in members.iter_mut() {
                // A path or status may not begin so, a component's name may.
                let skipped = name.starts_with(EXTENSION) && place.pointer() == "/paths";
                if !skipped {
                    place.within(name, |place| self.node(node, kind, place));
                }
            }
        });
    }

    fn node(&mut self, node: &mut Value, kind: Kind, place: &mut Place) {
        if kind == Kind::Schema {
            self.schema(node, place);
            return;
        }
        let Value::Object(map) = node else { return };
        if let Some(target) = map.get("$ref").and_then(Value::as_str) {
            let target = target.to_owned();
            self.meet(&target, kind);
            if kind != Kind::PathItem {
                return;
            }
        }
        match kind {
            Kind::PathItem => self.path_item(map, place),
            Kind::Parameter | Kind::Header => self.parameter(map, place),
            Kind::RequestBody => self.each(map, "content", Kind::MediaType, place),
            Kind::Response => {
                self.each(map, "headers", Kind::Header, place);
                self.each(map, "content", Kind::MediaType, place);
            }
            Kind::MediaType => {
                for key in ["schema", "itemSchema"] {
                    self.schema_member(map, key, place);
                }
            }
            Kind::Schema => {}
        }
    }

    fn path_item(&mut self, item: &mut Map<String, Value>, place: &mut Place) {
        for (key, node) in item.iter_mut() {
            match (key.as_str(), node) {
                ("parameters", node) => self.parameters(node, place),
                ("additionalOperations", Value::Object(operations)) => {
                    place.within("additionalOperations", |place| {
                        for (method, node) in operations.iter_mut() {
                            place.within(method, |place| self.operation(node, place));
                        }
                    });
                }
                ("servers" | "$ref" | "summary" | "description", _) => {}
                (key, node) if !key.starts_with(EXTENSION) => {
                    place.within(key, |place| self.operation(node, place));
                }
                _ => {}
            }
        }
    }

    fn operation(&mut self, node: &mut Value, place: &mut Place) {
        let Value::Object(operation) = node else {
            return;
        };
        if let Some(parameters) = operation.get_mut("parameters") {
            self.parameters(parameters, place);
        }
        if let Some(body) = operation.get_mut("requestBody") {
            place.within("requestBody", |place| {
                self.node(body, Kind::RequestBody, place)
            });
        }
        self.each(operation, "responses", Kind::Response, place);
    }

    fn parameters(&mut self, node: &mut Value, place: &mut Place) {
        let Value::Array(list) = node else { return };
        place.within("parameters", |place| {
            for (index, parameter) in list.iter_mut().enumerate() {
                place.item(index, |place| self.node(parameter, Kind::Parameter, place));
            }
        });
    }

    fn parameter(&mut self, map: &mut Map<String, Value>, place: &mut Place) {
        let bare = !map.contains_key("schema") && !map.contains_key("content");
        if bare && map.contains_key("type") && !self.v2_main {
            super::swagger::move_schema(map);
            self.findings.warn(
                "parameter-without-schema",
                place.pointer(),
                "expected schema, found its keywords in the parameter itself".to_owned(),
                "move type, format, enum and the like into schema",
            );
        }
        self.schema_member(map, "schema", place);
        self.each(map, "content", Kind::MediaType, place);
    }

    /// A null schema is one that was left out.
    fn schema_member(&mut self, map: &mut Map<String, Value>, key: &str, place: &mut Place) {
        match map.get_mut(key) {
            Some(Value::Null) => drop(map.shift_remove(key)),
            Some(schema) => place.within(key, |place| self.schema(schema, place)),
            None => {}
        }
    }

    fn schema(&mut self, schema: &mut Value, place: &mut Place) {
        let Self {
            findings,
            version,
            v2_main,
            met,
            waiting,
            dangling,
            anchors,
            budget,
        } = self;
        let mut reference = |target: &mut String, place: &Place, findings: &mut Findings| {
            if *v2_main && let Some(name) = target.strip_prefix("#/definitions/") {
                *target = format!("#/components/schemas/{name}");
            }
            if let Some(pointer) = anchors.get(target.as_str()) {
                target.clone_from(pointer);
            }
            if dangling.contains(target.as_str()) {
                findings.warn(
                    "unresolved-reference",
                    place.pointer(),
                    match target.strip_prefix(DYNAMIC) {
                        Some(name) => format!(
                            "$dynamicRef {name:?} needs one $dynamicAnchor of its name, or one on the way to it; found neither"
                        ),
                        None => format!("the reference {target:?} leads nowhere"),
                    },
                    "add what it names or correct it; anything is accepted here",
                );
                return false;
            }
            remember(met, waiting, target, Kind::Schema);
            true
        };
        Schemas {
            findings,
            ignores_siblings: version.ignores_siblings(),
            reference: &mut reference,
            budget,
        }
        .normalise(schema, place, 0);
    }

    fn meet(&mut self, target: &str, kind: Kind) {
        remember(&mut self.met, &mut self.waiting, target, kind);
    }
}

/// Notes a reference, and what it names for a walk of its own unless the main walk gets there.
fn remember(
    met: &mut HashSet<(String, Kind)>,
    waiting: &mut VecDeque<(String, Kind)>,
    target: &str,
    kind: Kind,
) {
    // One hash of a short text; most references occur many times.
    let entry = (target.to_owned(), kind);
    if met.contains(&entry) {
        return;
    }
    if !walked_anyway(target, kind) {
        waiting.push_back(entry.clone());
    }
    met.insert(entry);
}

fn walked_anyway(target: &str, kind: Kind) -> bool {
    COMPONENTS.iter().any(|(name, of)| {
        *of == kind
            && target
                .strip_prefix("#/components/")
                .and_then(|rest| rest.strip_prefix(name))
                .and_then(|rest| rest.strip_prefix('/'))
                .is_some_and(|name| !name.contains('/'))
    })
}
