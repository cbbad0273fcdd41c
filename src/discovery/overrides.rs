//! What the document's extensions and the configuration say over the document: configuration
//! beats extension beats document.

use std::collections::BTreeMap;

use serde_json::Value;

use super::extension::{self, Notes};
use super::settings::{Exclude, Hints, Override, ParameterOverride};
use crate::openapi::{Operation, Parameter};

/// What applies to `operation`, and notes on extensions that could not be understood.
pub(super) fn of_operation(
    operation: &Operation,
    configured: &BTreeMap<String, Override>,
    notes: &mut Notes,
) -> Override {
    let mut extension = Override::default();
    for (name, value) in &operation.extensions {
        match (name.as_str(), value) {
            ("x-mcp", value) => {
                let said = said(value, operation, notes);
                // A plain true or false is the last word on whether there is a tool.
                if value.is_boolean() {
                    extension.exclude = None;
                }
                extension = over(extension, said);
            }
            ("x-mcp-exclude", value) => match serde_json::from_value(value.clone()) {
                Ok(exclude) => extension.exclude = Some(exclude),
                Err(_) => {
                    notes.warnings.push(format!(
                        "{}: `x-mcp-exclude` is neither true, false nor a reason: the operation is left out",
                        place(operation)
                    ));
                    extension.exclude = Some(Exclude::Plain(true));
                }
            },
            _ => {}
        }
    }
    for value in &operation.farther_mcp {
        extension = over(extension, said(value, operation, notes));
    }
    match configured_for(operation, configured) {
        Some(configured) => over(configured, extension),
        None => extension,
    }
}

/// What one `x-mcp` says.
fn said(value: &Value, operation: &Operation, notes: &mut Notes) -> Override {
    match value {
        Value::Bool(on) => Override {
            exclude: Some(Exclude::Plain(!on)),
            ..Override::default()
        },
        Value::Object(map) => {
            let place = format!("{}: x-mcp", place(operation));
            extension::of_operation(map, &place, notes)
        }
        // Whatever was to be said: somebody should look before a call is made.
        _ => {
            notes.warnings.push(format!(
                "{}: `x-mcp` is neither an object nor true or false: a human has to confirm each call",
                place(operation)
            ));
            Override {
                confirm: Some(true),
                ..Override::default()
            }
        }
    }
}

/// The configuration's entries for `operation` with the keys they stand under: by operationId, then by place.
pub(super) fn entries<'c>(
    operation: &Operation,
    configured: &'c BTreeMap<String, Override>,
) -> impl Iterator<Item = (&'c str, &'c Override)> {
    let by_place = place(operation);
    let by_id = operation.operation_id.as_ref();
    let by_id = by_id.filter(|id| **id != by_place);
    let found = [
        by_id.and_then(|id| configured.get_key_value(id)),
        configured.get_key_value(&by_place),
    ];
    let found = found.into_iter().flatten();
    found.map(|(key, value)| (key.as_str(), value))
}

/// What the configuration says of `operation`, whichever way it names it: an operationId says more than a place,
/// but neither entry takes back what the other restricts.
pub(super) fn configured_for(
    operation: &Operation,
    configured: &BTreeMap<String, Override>,
) -> Option<Override> {
    let entries = entries(operation, configured).map(|(_, value)| value.clone());
    entries.reduce(|by_id, by_place| {
        let exclude = stricter(&by_id.exclude, &by_place.exclude, Exclude::leaves_out);
        let confirm = stricter(&by_id.confirm, &by_place.confirm, |yes| *yes);
        Override {
            exclude,
            confirm,
            ..over(by_id, by_place)
        }
    })
}

/// The first that restricts, else the first that says anything.
fn stricter<T: Clone>(
    above: &Option<T>,
    below: &Option<T>,
    restricts: fn(&T) -> bool,
) -> Option<T> {
    let both = [above, below].into_iter().flatten();
    let strict = both.clone().find(|said| restricts(said));
    strict.or(both.into_iter().next()).cloned()
}

/// What applies to `parameter`.
pub(super) fn of_parameter(
    parameter: &Parameter,
    operation: &Override,
    place: &str,
    notes: &mut Notes,
) -> ParameterOverride {
    let mut extension = ParameterOverride::default();
    for (name, value) in &parameter.extensions {
        let place = format!("{place}, parameter `{}`", parameter.name);
        match (name.as_str(), value) {
            ("x-mcp", Value::Object(map)) => {
                let place = format!("{place}: x-mcp");
                extension = parameter_over(extension, extension::of_parameter(map, &place, notes));
            }
            ("x-mcp-header", Value::String(header)) => extension.header = Some(header.clone()),
            ("x-mcp" | "x-mcp-header", _) => {
                notes.warnings.push(format!(
                    "{place}: `{name}` cannot be understood: it is ignored"
                ));
            }
            _ => {}
        }
    }
    match operation.parameters.get(&parameter.name) {
        Some(configured) => parameter_over(configured.clone(), extension),
        None => extension,
    }
}

/// `METHOD /path`.
pub(super) fn place(operation: &Operation) -> String {
    format!("{} {}", operation.method, operation.path)
}

fn over(above: Override, below: Override) -> Override {
    let mut parameters = below.parameters;
    for (name, parameter) in above.parameters {
        let below = parameters.remove(&name).unwrap_or_default();
        parameters.insert(name, parameter_over(parameter, below));
    }
    Override {
        name: above.name.or(below.name),
        title: above.title.or(below.title),
        description: above.description.or(below.description),
        exclude: above.exclude.or(below.exclude),
        annotations: match (above.annotations, below.annotations) {
            (Some(above), Some(below)) => Some(hints_over(above, below)),
            (above, below) => above.or(below),
        },
        confirm: above.confirm.or(below.confirm),
        ask: above.ask.or(below.ask),
        body: above.body.or(below.body),
        requires: above.requires.or(below.requires),
        parameters,
    }
}

fn hints_over(above: Hints, below: Hints) -> Hints {
    Hints {
        read_only_hint: above.read_only_hint.or(below.read_only_hint),
        destructive_hint: above.destructive_hint.or(below.destructive_hint),
        idempotent_hint: above.idempotent_hint.or(below.idempotent_hint),
        open_world_hint: above.open_world_hint.or(below.open_world_hint),
    }
}

fn parameter_over(above: ParameterOverride, below: ParameterOverride) -> ParameterOverride {
    ParameterOverride {
        name: above.name.or(below.name),
        description: above.description.or(below.description),
        required: above.required.or(below.required),
        hidden: above.hidden.or(below.hidden),
        value: above.value.or(below.value),
        default: above.default.or(below.default),
        header: above.header.or(below.header),
    }
}
