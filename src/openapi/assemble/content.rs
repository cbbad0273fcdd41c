//! Media types, request bodies and responses.

use serde_json::{Map, Value};

use super::super::budget::Budget;
use super::super::finding::Place;
use super::super::model::{Encoding, MediaType, ParameterStyle, RequestBody, Response};
use super::super::reference::follow;
use super::headers;
use super::parameters::style;
use super::{Context, extensions, flag, owned_text};

/// A request body; `Ok(None)` where it has no media type, the reason where it cannot be known.
pub(super) fn request_body(
    node: &Value,
    operation: &Map<String, Value>,
    place: &Place,
    context: &mut Context<'_>,
) -> Result<Option<RequestBody>, String> {
    let found = follow(context.root, node)?;
    let content = media_types(found.node.get("content"), place, context);
    if content.is_empty() {
        context.findings.warn(
            "body-without-content",
            place.pointer(),
            "expected content with at least one media type".to_owned(),
            "add the media type; the operation is called without a body",
        );
        return Ok(None);
    }
    let name = owned_text(found.node, "x-bodyName").or_else(|| owned_text(operation, "x-bodyName"));
    Ok(Some(RequestBody {
        required: flag(found.node, "required").unwrap_or(false),
        description: found.text("description").map(str::to_owned),
        content,
        name,
        extensions: extensions(found.node, &context.budget),
    }))
}

/// The responses that can be known.
pub(super) fn responses(
    node: Option<&Value>,
    place: &Place,
    context: &mut Context<'_>,
) -> Vec<Response> {
    let Some(Value::Object(written)) = node else {
        return Vec::new();
    };
    let mut list = Vec::with_capacity(written.len());
    for (status, node) in written
        .iter()
        .filter(|(status, _)| !status.starts_with("x-"))
    {
        let place = Place::at(&place.member(status));
        match follow(context.root, node) {
            Ok(found) => list.push(Response {
                status: status.clone(),
                description: found.text("description").map(str::to_owned),
                content: media_types(found.node.get("content"), &place, context),
                headers: found
                    .node
                    .get("headers")
                    .and_then(Value::as_object)
                    .map(|headers| headers.keys().cloned().collect())
                    .unwrap_or_default(),
            }),
            Err(reason) => context.findings.warn(
                "unresolved-reference",
                place.pointer(),
                format!("{reason}; the response is left out"),
                "add what it names or correct it",
            ),
        }
    }
    list
}

/// A `content` map.
pub(super) fn media_types(
    node: Option<&Value>,
    place: &Place,
    context: &mut Context<'_>,
) -> Vec<MediaType> {
    let Some(Value::Object(written)) = node else {
        return Vec::new();
    };
    let mut list = Vec::with_capacity(written.len());
    for (name, node) in written.iter().filter(|(name, _)| !name.starts_with("x-")) {
        let empty = Map::new();
        let media = match follow(context.root, node) {
            Ok(found) => found.node,
            Err(_) if node.is_null() => &empty,
            Err(reason) => {
                context.findings.warn(
                    "invalid-media-type",
                    &format!("{}/content", place.pointer()),
                    format!("{name}: {reason}"),
                    "correct the media type; it is left out",
                );
                continue;
            }
        };
        let encoding = encodings(
            media.get("encoding"),
            place,
            name.trim_start()
                .to_ascii_lowercase()
                .starts_with("multipart/"),
            context,
        );
        list.push(MediaType {
            name: name.clone(),
            schema: schema(media.get("schema"), &context.budget),
            item_schema: media
                .get("itemSchema")
                .map(|item| context.budget.copy(item)),
            encoding,
            example: example(media, context.root, &context.budget),
        });
    }
    list
}

/// OpenAPI 3.0 says to ignore styles in multipart bodies, 3.1 gives them a meaning that no server
/// framework decodes. A part for each item is what both have in common with practice.
fn keeps_style(style: ParameterStyle) -> bool {
    !matches!(
        style,
        ParameterStyle::SpaceDelimited | ParameterStyle::PipeDelimited
    )
}

fn encodings(
    node: Option<&Value>,
    place: &Place,
    multipart: bool,
    context: &mut Context<'_>,
) -> Vec<(String, Encoding)> {
    let Some(Value::Object(written)) = node else {
        return Vec::new();
    };
    written
        .iter()
        .filter_map(|(property, node)| {
            let node = follow(context.root, node).ok()?.node;
            let style = node.get("style").and_then(Value::as_str).and_then(style);
            let style = style.filter(|style| {
                !multipart || keeps_style(*style) || node.contains_key("x-collectionFormat")
            });
            // Where any of the three is written, all of them count, by their defaults: form, which
            // explodes (OpenAPI 3.2, section 4.15.1.2). Multipart bodies know no styles.
            let counts = !multipart
                && ["explode", "allowReserved"]
                    .iter()
                    .any(|key| flag(node, key).is_some());
            let style = style.or(counts.then_some(ParameterStyle::Form));
            let form = style.is_none_or(|style| style == ParameterStyle::Form);
            let encoding = Encoding {
                content_type: owned_text(node, "contentType"),
                style,
                explode: flag(node, "explode").unwrap_or(form),
                allow_reserved: flag(node, "allowReserved").unwrap_or(false),
                headers: if multipart {
                    headers::of_part(node.get("headers"), property, place, context)
                } else {
                    Vec::new()
                },
            };
            Some((property.clone(), encoding))
        })
        .collect()
}

/// A copy of a schema; `true` where there is none.
pub(super) fn schema(written: Option<&Value>, budget: &Budget) -> Value {
    written.map_or(Value::Bool(true), |written| budget.copy(written))
}

/// `example`, or the first of `examples`.
pub(super) fn example(node: &Map<String, Value>, root: &Value, budget: &Budget) -> Option<Value> {
    let value = match (node.get("example"), node.get("examples")) {
        (Some(example), _) => example,
        (None, Some(Value::Array(list))) => list.first()?,
        (None, Some(Value::Object(named))) => {
            let found = follow(root, named.values().next()?).ok()?.node;
            found.get("value").or_else(|| found.get("dataValue"))?
        }
        _ => return None,
    };
    // No example refers to anything; some documents do, and mean what is there.
    match value.get("$ref") {
        Some(Value::String(_)) => {
            let meant = follow(root, value).ok()?.node;
            Some(budget.copy(&Value::Object(meant.clone())))
        }
        _ => Some(budget.copy(value)),
    }
}
