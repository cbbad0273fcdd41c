//! The XML names of a schema, as a tree that follows the value (OpenAPI 3.2, section 4.24).

use serde_json::Value;

use super::defs::{Definitions, reference_of};
use super::naming::name_of;
use crate::tool::{XmlNames, XmlText};

/// Deeper values keep their property names.
const MAX_DEPTH: usize = 12;
/// The most elements and attributes of one body.
const MAX_NODES: usize = 2000;

/// The names of a body. The root is named by its `xml` object, else by the component it is.
pub(super) fn names<'d: 's, 's>(schema: &'s Value, definitions: &Definitions<'d>) -> XmlNames {
    let mut left = MAX_NODES;
    let mut names = read(schema, definitions, 0, &mut left);
    if names.name.is_empty()
        && let Some(reference) = reference_of(schema)
    {
        names.name = name_of(reference);
    }
    names
}

fn read<'d: 's, 's>(
    schema: &'s Value,
    definitions: &Definitions<'d>,
    depth: usize,
    left: &mut usize,
) -> XmlNames {
    let mut names = XmlNames::default();
    if depth > MAX_DEPTH || *left == 0 {
        return names;
    }
    *left -= 1;
    let resolved = definitions.resolve(schema).unwrap_or(schema);
    // A sibling of the reference wins over what is referred to.
    let xml = schema.get("xml").or_else(|| resolved.get("xml"));
    if let Some(xml) = xml {
        let text = |name: &str| xml.get(name).and_then(Value::as_str).map(str::to_owned);
        let flag = |name: &str| xml.get(name) == Some(&Value::Bool(true));
        let node = xml.get("nodeType").and_then(Value::as_str);
        names.name = text("name").unwrap_or_default();
        names.namespace = text("namespace");
        names.prefix = text("prefix");
        names.attribute = flag("attribute") || node == Some("attribute");
        names.text = match node {
            Some("text") => Some(XmlText::Plain),
            Some("cdata") => Some(XmlText::Cdata),
            _ => None,
        };
        let list = resolved.get("items").is_some();
        names.wrapped = flag("wrapped") || list && node == Some("element");
    }
    if let Some(items) = resolved.get("items") {
        let items = read(items, definitions, depth + 1, left);
        names.items = (items != XmlNames::default()).then(|| Box::new(items));
    }
    if let Some(view) = definitions.object(resolved) {
        for (name, schema) in view.fields {
            let property = read(schema, definitions, depth + 1, left);
            if property != XmlNames::default() {
                names.properties.push((name.to_owned(), property));
            }
        }
    }
    names
}
