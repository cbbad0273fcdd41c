//! A tool's arguments as a whole: its parameters, and its body or what a flat body consists of.

use serde_json::Value;

use super::body::PlannedBody;
use super::keys::{self, Wish};
use super::parameters::Planned;
use super::target;

/// What a human may be told of one argument.
#[derive(Debug, Clone, Copy)]
pub(super) struct Argument<'a> {
    pub(super) key: &'a str,
    /// The name on the wire.
    pub(super) name: &'a str,
    /// As the document has it.
    pub(super) schema: &'a Value,
    /// What is said of it elsewhere than in the schema.
    pub(super) description: Option<&'a str>,
}

/// The arguments of a tool whose keys are assigned.
pub(super) fn all<'a>(
    parameters: &'a [Planned<'_>],
    body: Option<&'a PlannedBody<'_>>,
) -> Vec<Argument<'a>> {
    let visible = parameters.iter().filter(|one| !one.hidden);
    let parameters = visible.map(|one| Argument {
        key: &one.key,
        name: &one.source.name,
        schema: &one.source.schema,
        description: one.description.as_deref(),
    });
    let fields = body.and_then(|body| body.fields.as_ref());
    let fields = fields.into_iter().flatten().map(|field| Argument {
        key: &field.key,
        name: field.property,
        schema: field.schema,
        description: None,
    });
    parameters.chain(fields).collect()
}

/// Gives each argument its key.
pub(super) fn assign_keys(parameters: &mut [Planned<'_>], body: Option<&mut PlannedBody<'_>>) {
    let visible = parameters.iter().filter(|one| !one.hidden);
    let mut wishes: Vec<Wish<'_>> = visible
        .map(|one| Wish {
            name: &one.wish,
            location: target::location_word(one.source.location),
            rank: one.source.location as u8,
        })
        .collect();
    if let Some(body) = &body {
        let wish = |name| Wish {
            name,
            location: "body",
            rank: 5,
        };
        match &body.fields {
            Some(fields) => wishes.extend(fields.iter().map(|field| wish(field.property))),
            None => wishes.push(wish(&body.wish)),
        }
        if body.media.len() > 1 {
            wishes.push(Wish {
                rank: 6,
                ..wish("contentType")
            });
        }
    }
    let mut keys = keys::assign(&wishes).into_iter();
    // One key for each wish, in the order the wishes were made.
    let mut next = || keys.next().unwrap_or_default();
    for one in parameters.iter_mut().filter(|one| !one.hidden) {
        one.key = next();
    }
    if let Some(body) = body {
        match &mut body.fields {
            Some(fields) => fields.iter_mut().for_each(|field| field.key = next()),
            None => body.key = next(),
        }
        if body.media.len() > 1 {
            body.choice = Some(next());
        }
    }
}
