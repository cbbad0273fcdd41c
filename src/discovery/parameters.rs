//! Which parameters become arguments, and what of each is settled without the caller.

use std::borrow::Cow;

use http::HeaderName;
use serde_json::Value;

use super::defs::Definitions;
use super::extension::Notes;
use super::overrides::{self, place};
use super::owned::{self, Secured};
use super::path::{Cut, Pair, PairValue};
use super::settings::{Override, ParameterOverride};
use crate::openapi::{Operation, Parameter, ParameterLocation, ParameterStyle};

/// A parameter with everything said about it.
#[derive(Debug)]
pub(super) struct Planned<'a> {
    pub(super) source: Cow<'a, Parameter>,
    /// The key in the arguments; empty until keys are assigned.
    pub(super) key: String,
    /// The name a key is made of.
    pub(super) wish: String,
    pub(super) required: bool,
    /// Not an argument.
    pub(super) hidden: bool,
    pub(super) fixed: Option<Value>,
    pub(super) default: Option<Value>,
    pub(super) description: Option<String>,
    /// The value of `x-mcp-header`.
    pub(super) header: Option<String>,
}

/// The operation's parameters in the document's order, those that a template names and nobody
/// declares after them.
pub(super) fn plan<'a>(
    operation: &'a Operation,
    secured: Secured<'_>,
    definitions: &Definitions<'a>,
    cut: &Cut,
    over: &Override,
    notes: &mut Notes,
) -> Vec<Planned<'a>> {
    let mut planned: Vec<Planned<'a>> = Vec::new();
    for parameter in &operation.parameters {
        if let Some(moved) = in_query(parameter, operation, cut) {
            let own = overrides::of_parameter(parameter, over, &place(operation), notes);
            let wish = own.name.clone().unwrap_or_else(|| parameter.name.clone());
            planned.push(Planned {
                wish,
                ..one(Cow::Owned(moved), own, cut)
            });
            continue;
        }
        if let Some(reason) = nowhere(parameter, cut) {
            let note = format!("{}: {reason}: the parameter is left out", place(operation));
            notes.notes.push(note);
            continue;
        }
        let own = overrides::of_parameter(parameter, over, &place(operation), notes);
        let (hides, shows) = (own.hidden == Some(true), own.hidden == Some(false));
        let Some(source) = owned::argument(parameter, operation, secured, shows) else {
            continue;
        };
        planned.push(one(source, own, cut));
        if hides && planned.last().is_some_and(|one| !one.hidden) {
            notes.warnings.push(format!(
                "{}, parameter `{}`: `hidden` does nothing, since the parameter is required: give it a `value`",
                place(operation),
                parameter.name
            ));
        }
    }
    for slot in &cut.slots {
        let declared = |one: &Planned<'_>| {
            one.source.location == ParameterLocation::Path && one.source.name == slot.name
        };
        if planned.iter().any(declared) {
            continue;
        }
        notes.notes.push(format!(
            "{}: `{{{}}}` is not declared: any text is accepted there",
            place(operation),
            slot.name
        ));
        let parameter = Parameter::undeclared(slot.name.clone(), true);
        let own = overrides::of_parameter(&parameter, over, &place(operation), notes);
        planned.push(one(Cow::Owned(parameter), own, cut));
    }
    unfitting(operation, cut, over, notes);
    planned.extend(cut.query.iter().filter_map(fixed_query));
    check_headers(&mut planned, definitions, operation, &mut notes.notes);
    planned
}

/// Why a parameter can be written nowhere.
fn nowhere(parameter: &Parameter, cut: &Cut) -> Option<String> {
    let name = &parameter.name;
    match parameter.location {
        ParameterLocation::Path if !cut.slots.iter().any(|slot| slot.name == *name) => {
            Some(format!("the path has no `{{{name}}}`"))
        }
        ParameterLocation::Header if HeaderName::from_bytes(name.as_bytes()).is_err() => {
            let name = name.escape_debug();
            Some(format!("`{name}` cannot be the name of a header"))
        }
        _ => None,
    }
}

/// What is said of parameters that do not exist hides none and fixes none.
fn unfitting(operation: &Operation, cut: &Cut, over: &Override, notes: &mut Notes) {
    let declared = operation.parameters.iter().map(|one| one.name.as_str());
    let slots = cut.slots.iter().map(|slot| slot.name.as_str());
    let names: Vec<&str> = declared.chain(slots).collect();
    for name in over.parameters.keys() {
        if !names.contains(&name.as_str()) {
            notes.warnings.push(format!(
                "{}: the override of the parameter `{name}` fits none of its parameters",
                place(operation)
            ));
        }
    }
}

fn one<'a>(source: Cow<'a, Parameter>, own: ParameterOverride, cut: &Cut) -> Planned<'a> {
    let mut required = source.required;
    let mut default = own.default;
    if source.location == ParameterLocation::Path {
        let slot = cut.slots.iter().find(|slot| slot.name == source.name);
        let optional = !source.required || slot.is_some_and(|slot| slot.optional);
        if let Some(value) = slot.and_then(|slot| slot.default.as_deref()) {
            default.get_or_insert_with(|| typed(value, &source.schema));
        }
        // The path can end before a parameter only where nothing has to follow it.
        let trailing = slot.is_some_and(|slot| slot.trailing);
        let omittable = own.required.map_or(optional, |required| !required);
        required = !(omittable && trailing);
    } else if let Some(own) = own.required {
        required = own;
    }
    // Hidden without a value, a required parameter would make every call fail.
    let hidden =
        own.value.is_some() || own.hidden == Some(true) && (!required || default.is_some());
    Planned {
        wish: own.name.unwrap_or_else(|| source.name.clone()),
        key: String::new(),
        required: required && default.is_none() && own.value.is_none(),
        hidden,
        fixed: own.value,
        default,
        description: own.description.or_else(|| source.description.clone()),
        header: own.header.filter(|_| !hidden),
        source,
    }
}

/// A value that a route template gives as text.
fn typed(text: &str, schema: &Value) -> Value {
    let number = ["integer", "number"]
        .iter()
        .any(|name| schema.get("type").and_then(Value::as_str) == Some(name));
    match crate::tree::read(text) {
        Ok(Value::Number(value)) if number => Value::Number(value),
        _ => Value::from(text),
    }
}

/// Clients drop a tool with an annotation that breaks MCP's rules for `x-mcp-header`: a token,
/// unique whatever the case, on a string, an integer or a boolean.
fn check_headers(
    planned: &mut [Planned<'_>],
    definitions: &Definitions<'_>,
    operation: &Operation,
    notes: &mut Vec<String>,
) {
    let mut seen: Vec<String> = Vec::new();
    for one in planned {
        let Some(header) = one.header.take() else {
            continue;
        };
        let schema = definitions.resolve(&one.source.schema);
        let simple = schema
            .and_then(|schema| schema.get("type"))
            .and_then(Value::as_str);
        let problem = if HeaderName::from_bytes(header.as_bytes()).is_err() {
            "it is no header name"
        } else if !matches!(simple, Some("string" | "integer" | "boolean")) {
            "the parameter is no string, integer or boolean"
        } else if seen.iter().any(|known| known.eq_ignore_ascii_case(&header)) {
            "another parameter has it"
        } else {
            seen.push(header.clone());
            one.header = Some(header);
            continue;
        };
        notes.push(format!(
            "{}, parameter `{}`: the header `{header}` is left out: {problem}",
            place(operation),
            one.source.name
        ));
    }
}

/// The parameter as the query parameter that a pair of the template makes of it: `key={name}`. A key
/// that is declared itself is nobody else's.
fn in_query(parameter: &Parameter, operation: &Operation, cut: &Cut) -> Option<Parameter> {
    let query = parameter.location == ParameterLocation::Query;
    if !query && parameter.location != ParameterLocation::Path {
        return None;
    }
    let pair = cut.query.iter().find(
        |pair| matches!(&pair.value, PairValue::Parameter(name) if *name == parameter.name),
    )?;
    let in_path = !query && cut.slots.iter().any(|slot| slot.name == parameter.name);
    let name = decoded(&pair.name);
    let taken = operation.parameters.iter().any(|other| {
        let same = other.name == parameter.name && other.location == parameter.location;
        !same && other.location == ParameterLocation::Query && other.name == name
    });
    if in_path || taken {
        return None;
    }
    let mut moved = Parameter {
        name,
        location: ParameterLocation::Query,
        ..parameter.clone()
    };
    if !query {
        (moved.style, moved.explode) = (ParameterStyle::Form, true);
    }
    Some(moved)
}

/// A pair that nobody sets; nothing where a parameter is its value.
fn fixed_query<'a>(pair: &Pair) -> Option<Planned<'a>> {
    let value = match &pair.value {
        PairValue::Bare => "",
        PairValue::Text(text) => text,
        PairValue::Parameter(_) => return None,
    };
    let source = Parameter {
        location: ParameterLocation::Query,
        style: ParameterStyle::Form,
        explode: true,
        // Only what is allowed to be empty is sent without an equals sign.
        allow_empty_value: pair.value == PairValue::Bare,
        ..Parameter::undeclared(decoded(&pair.name), true)
    };
    Some(Planned {
        wish: source.name.clone(),
        key: String::new(),
        required: false,
        hidden: true,
        fixed: Some(Value::from(decoded(value))),
        default: None,
        description: None,
        header: None,
        source: Cow::Owned(source),
    })
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text)
        .decode_utf8_lossy()
        .into_owned()
}
