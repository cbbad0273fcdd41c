//! A tool's output schema: the real shape to read, and no real answer to refuse.
//!
//! SDK clients validate every answer against the output schema and throw on the first deviation,
//! and real services deviate: a null here, an enum member there. So each property's schema stands
//! beside one that accepts anything (`anyOf: [schema, {}]`): whoever reads the schema sees types,
//! names and descriptions, and every object is valid. Nothing is required, nothing is closed. An
//! answer that is no object is the property `result` of one, since MCP before 2026-07-28 knows only
//! objects.
//!
//! What a program did is told by the bridge itself: those schemas are published as they stand.

use serde_json::Value;

use super::body::essence;
use super::convert::At;
use super::defs::Definitions;
use super::extra::Extra;
use super::fragment::{Fragment, Members};
use crate::openapi::{Operation, Response};
use crate::tool::Promise;

/// What became of an operation's output schema.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// The document describes no JSON answer.
    None,
    /// It would be longer than the limit.
    TooLarge,
    /// Its text, and what it does not say.
    Schema(String, Option<Promise>),
}

/// The output schema of an operation, at most `limit` bytes long.
pub(super) fn schema<'a>(
    definitions: &mut Definitions<'a>,
    operation: &'a Operation,
    limit: usize,
) -> Output {
    let Some((response, schema, is_plain)) = answer(operation, definitions) else {
        return Output::None;
    };
    let (mut required, mut is_wrapped) = (Vec::new(), false);
    let property = if super::command::data(operation).is_some() {
        exact
    } else {
        relaxed
    };
    let mut root = Fragment::default();
    let mut members = Members::open(&mut root);
    members.key("type").raw("\"object\"");
    match definitions.object(schema) {
        Some(view) if !view.conditional && !view.fields.is_empty() => {
            required = view
                .required
                .iter()
                .map(|name| (*name).to_owned())
                .collect();
            let mut properties = Members::open(members.key("properties"));
            for (name, schema) in view.fields {
                property(definitions, schema, properties.key(name));
            }
            properties.close();
        }
        Some(view) if view.fields.is_empty() => {
            let values = view.additional.filter(|schema| schema.is_object());
            if let Some(schema) = values {
                // Not `additionalProperties`: clients know that as a boolean only, and one that reads a
                // schema there refuses the whole list.
                let mut any = Members::open(members.key("patternProperties"));
                relaxed(definitions, schema, any.key(".*"));
                any.close();
            }
        }
        Some(_) => either(definitions, schema, members.key("anyOf")),
        None => {
            is_wrapped = true;
            let mut properties = Members::open(members.key("properties"));
            relaxed(definitions, schema, properties.key("result"));
            properties.close();
        }
    }
    match definitions.assemble_within(&root, limit) {
        Some(text) => {
            let promise = Promise {
                status: None,
                required,
                is_wrapped,
            };
            let promised = status(response, operation).filter(|_| is_plain);
            let promise = promised.map(|status| Promise { status, ..promise });
            Output::Schema(text, promise)
        }
        None => Output::TooLarge,
    }
}

fn exact(definitions: &mut Definitions<'_>, schema: &Value, out: &mut Fragment) {
    definitions.write(schema, Extra::default(), At::default(), out);
}

fn relaxed(definitions: &mut Definitions<'_>, schema: &Value, out: &mut Fragment) {
    let mut members = Members::open(out);
    either(definitions, schema, members.key("anyOf"));
    members.close();
}

fn either(definitions: &mut Definitions<'_>, schema: &Value, out: &mut Fragment) {
    out.open("[");
    definitions.write(schema, Extra::default(), At::default(), out);
    out.raw(",{}");
    out.close("]");
}

/// The best successful JSON answer (200, 201, 202, any other 2xx, `2XX`, `default`), its schema, and whether that is
/// of one JSON value.
fn answer<'a>(
    operation: &'a Operation,
    definitions: &Definitions<'a>,
) -> Option<(&'a Response, &'a Value, bool)> {
    let mut ranked: Vec<(u8, &Response)> = operation
        .responses
        .iter()
        .filter_map(|response| Some((rank(&response.status)?, response)))
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().find_map(|(_, response)| {
        let json = response.content.iter().find(|media| {
            let essence = essence(&media.name);
            essence.ends_with("json") || essence == "*/*"
        });
        let schema = &json?.schema;
        let said = definitions.resolve(schema)?.as_object()?;
        let essence = essence(&json?.name);
        let is_plain = essence == "application/json" || essence.ends_with("+json");
        (!said.is_empty()).then_some((response, schema, is_plain))
    })
}

/// The status that a response is for, where it is one; nothing at all where another response is for some of those
/// that it would be for.
fn status(response: &Response, operation: &Operation) -> Option<Option<u16>> {
    if let Ok(status) = response.status.parse() {
        return Some(Some(status));
    }
    let successes = operation
        .responses
        .iter()
        .filter(|one| rank(&one.status).is_some());
    (successes.count() == 1).then_some(None)
}

fn rank(status: &str) -> Option<u8> {
    match status {
        "200" => Some(0),
        "201" => Some(1),
        "202" => Some(2),
        "2XX" | "2xx" => Some(4),
        "default" => Some(5),
        other if other.len() == 3 && other.starts_with('2') => Some(3),
        _ => None,
    }
}
