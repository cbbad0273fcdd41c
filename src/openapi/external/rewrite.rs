//! One walk over one document that turns its references into local ones.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::super::finding::{Findings, Place};
use super::{Collector, Location};

/// One walk over one document.
pub(super) struct Rewrite<'a> {
    pub(super) collector: &'a mut Collector,
    pub(super) location: &'a Location,
    pub(super) own: Option<usize>,
    pub(super) depth: usize,
    pub(super) findings: &'a mut Findings,
}

impl Rewrite<'_> {
    /// `names` says that the members' keys are names and mean nothing.
    pub(super) fn value(&mut self, node: &mut Value, names: bool, place: &mut Place) {
        match node {
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    if item.is_object() || item.is_array() {
                        place.item(index, |place| self.value(item, false, place));
                    }
                }
            }
            Value::Object(map) => {
                for (key, member) in map.iter_mut() {
                    match member {
                        Value::String(target) if key == "$ref" && !names => {
                            self.reference(target, place);
                        }
                        Value::String(target) if key == "defaultMapping" && !names => {
                            self.mapped(target, place);
                        }
                        Value::Object(mapping) if key == "mapping" && !names => {
                            self.mapping(mapping, place);
                        }
                        Value::Object(_) | Value::Array(_) if names || !is_data(key) => {
                            let inner = !names && holds_names(key);
                            place.within(key, |place| self.value(member, inner, place));
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// A discriminator's mapping holds names and references.
    fn mapping(&mut self, mapping: &mut Map<String, Value>, place: &Place) {
        for target in mapping.values_mut() {
            if let Value::String(text) = target {
                self.mapped(text, place);
            }
        }
    }

    fn mapped(&mut self, target: &mut String, place: &Place) {
        let file = [".json", ".yaml", ".yml"]
            .iter()
            .any(|ending| target.ends_with(ending));
        if file || target.contains('#') {
            self.reference(target, place);
        }
    }

    fn reference(&mut self, target: &mut String, place: &Place) {
        let (document, fragment) = target.split_once('#').unwrap_or((target.as_str(), ""));
        if document.is_empty() {
            if let Some(own) = self.own {
                *target = local(own, fragment);
            }
            return;
        }
        let number = self.location.join(document).and_then(|location| {
            self.collector
                .number(plain(location), self.depth + 1, place.pointer().to_owned())
        });
        match number {
            Ok(number) => *target = local(number, fragment),
            Err(reason) => self.findings.warn(
                "external-reference",
                place.pointer(),
                format!("cannot follow {target:?}: {reason}"),
                "bundle the document into one file",
            ),
        }
    }
}

/// Dots are taken out of a path, so that one file has one name.
fn plain(location: Location) -> Location {
    match location {
        Location::File(path) => {
            let mut plain = PathBuf::new();
            for component in path.components() {
                match component {
                    std::path::Component::ParentDir => drop(plain.pop()),
                    std::path::Component::CurDir => {}
                    other => plain.push(other),
                }
            }
            Location::File(plain)
        }
        Location::Url(mut url) => {
            url.set_fragment(None);
            Location::Url(url)
        }
        Location::Unknown => Location::Unknown,
    }
}

fn local(number: usize, fragment: &str) -> String {
    if number == usize::MAX {
        return format!("#{fragment}");
    }
    format!("#/components/x-external/{number}{fragment}")
}

/// Members whose value is plain data.
pub(in crate::openapi) fn is_data(key: &str) -> bool {
    matches!(
        key,
        "example" | "examples" | "default" | "enum" | "const" | "x-external"
    ) || key.starts_with("x-")
}

/// Members whose own members are names.
pub(in crate::openapi) fn holds_names(key: &str) -> bool {
    matches!(
        key,
        "properties"
            | "patternProperties"
            | "$defs"
            | "definitions"
            | "dependentSchemas"
            | "schemas"
            | "responses"
            | "headers"
            | "requestBodies"
            | "securitySchemes"
            | "callbacks"
            | "pathItems"
            | "content"
            | "encoding"
            | "mediaTypes"
    )
}
