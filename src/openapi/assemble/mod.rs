//! The normal form's tree to the model: operations with everything they inherit.

mod content;
mod headers;
mod operations;
mod parameters;
mod security;
mod servers;
mod template;

use std::sync::Arc;

use serde_json::{Map, Value};
use url::Url;

use super::budget::Budget;
use super::finding::Findings;
use super::model::{Document, Schemas};
use super::reference::text;

/// What building one part of the model needs of the whole document.
struct Context<'a> {
    root: &'a Value,
    base: Option<&'a Url>,
    findings: &'a mut Findings,
    budget: Budget,
}

/// Builds the model of a normalised `root`. `base` is the URL the document came from; findings are
/// still in `findings` afterwards.
pub(super) fn document(
    root: Value,
    name: &str,
    base: Option<&Url>,
    budget: Budget,
    findings: &mut Findings,
) -> Document {
    let root = Arc::new(root);
    let own_base = own_base(&root, base);
    let mut context = Context {
        root: &root,
        base: own_base.as_ref().or(base),
        findings,
        budget,
    };
    let operations = operations::all(&mut context);
    let security_schemes = security::schemes(&mut context);
    let info = root.get("info");
    Document {
        name: name.to_owned(),
        title: info_text(info, "title").unwrap_or_default(),
        version: info_text(info, "version").unwrap_or_default(),
        description: info_text(info, "description"),
        holds_remote: false,
        operations,
        findings: Vec::new(),
        security_schemes,
        schemas: Schemas::new(root),
    }
}

/// `$self` (OpenAPI 3.2), which relative servers start from.
fn own_base(root: &Value, base: Option<&Url>) -> Option<Url> {
    let own = root.get("$self")?.as_str()?;
    match base {
        Some(base) => base.join(own).ok(),
        None => Url::parse(own).ok(),
    }
}

/// YAML makes a number of `version: 1.0`.
fn info_text(info: Option<&Value>, member: &str) -> Option<String> {
    match info?.get(member)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn owned_text(object: &Map<String, Value>, member: &str) -> Option<String> {
    text(object, member).map(str::to_owned)
}

fn flag(object: &Map<String, Value>, member: &str) -> Option<bool> {
    object.get(member)?.as_bool()
}

fn extensions(object: &Map<String, Value>, budget: &Budget) -> Map<String, Value> {
    object
        .iter()
        .filter(|(key, _)| key.starts_with("x-"))
        .map(|(key, value)| (key.clone(), budget.copy(value)))
        .collect()
}
