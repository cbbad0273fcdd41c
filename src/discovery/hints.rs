//! What a client is told beside the schemas: title, description, annotations, metadata.

use http::Method;
use serde_json::{Map, Value, json};
use url::Url;

use super::command::is_internal;
use super::overrides::place;
use super::settings::{Hints, Override};
use super::text::clean;
use crate::openapi::{Document, Operation};
use crate::tool::{Annotations, Json};

/// The title, if there is one.
pub(super) fn title(operation: &Operation, over: &Override) -> Option<String> {
    over.title
        .as_deref()
        .or(operation.summary.as_deref())
        .map(|title| clean(title).trim().to_owned())
        .filter(|title| !title.is_empty())
}

/// The description, never empty. Models often see nothing but the description, so the summary is
/// in it as well.
pub(super) fn description(operation: &Operation, over: &Override) -> String {
    let own = clean(over.description.as_deref().unwrap_or(""));
    if !own.trim().is_empty() {
        return own.trim().to_owned();
    }
    let summary = clean(operation.summary.as_deref().unwrap_or(""));
    let long = clean(operation.description.as_deref().unwrap_or(""));
    let mut text = match (summary.trim(), long.trim()) {
        ("", "") => clean(&place(operation)),
        (summary, "") => summary.to_owned(),
        ("", long) => long.to_owned(),
        (summary, long) if long.starts_with(summary.trim_end_matches('.')) => long.to_owned(),
        (summary, long) => format!("{summary}\n\n{long}"),
    };
    if operation.deprecated {
        text.push_str("\n\nDeprecated.");
    }
    text
}

/// The annotations: what RFC 9110, section 9.2, says of the method, unless overridden.
pub(super) fn annotations(operation: &Operation, over: &Override) -> Annotations {
    let by_method = by_method(&operation.method);
    let own = over.annotations.unwrap_or_default();
    Annotations {
        title: title(operation, over),
        read_only_hint: own.read_only_hint.or(by_method.read_only_hint),
        destructive_hint: own.destructive_hint.or(by_method.destructive_hint),
        idempotent_hint: own.idempotent_hint.or(by_method.idempotent_hint),
        open_world_hint: own.open_world_hint.or(by_method.open_world_hint),
        tags: tags(operation),
    }
}

fn tags(operation: &Operation) -> Vec<String> {
    operation.tags.iter().map(|tag| clean(tag)).collect()
}

/// POST can be anything and is left at the protocol's defaults. Any service behind a bridge is an
/// open world, which is the protocol's default too, but app stores insist on an explicit word.
pub(super) fn by_method(method: &Method) -> Hints {
    let hints = |read_only, destructive, idempotent| Hints {
        read_only_hint: read_only,
        destructive_hint: destructive,
        idempotent_hint: idempotent,
        open_world_hint: Some(true),
    };
    match method.as_str() {
        "GET" | "HEAD" | "OPTIONS" | "TRACE" | "QUERY" => {
            hints(Some(true), Some(false), Some(true))
        }
        "PUT" | "DELETE" => hints(Some(false), Some(true), Some(true)),
        "PATCH" => hints(Some(false), Some(true), Some(false)),
        "POST" => hints(Some(false), None, None),
        _ => hints(None, None, None),
    }
}

/// The `_meta` object: everything of the operation that has no place of its own. Only members
/// that exist.
pub(super) fn meta(document: &Document, operation: &Operation) -> Json {
    let mut meta = Map::new();
    let mut put = |name: &str, value: Value| meta.insert(name.to_owned(), value);
    put("document", document.name.as_str().into());
    put("method", operation.method.as_str().into());
    put("path", operation.path.as_str().into());
    if let Some(id) = &operation.operation_id {
        put("operationId", id.as_str().into());
    }
    if !operation.tags.is_empty() {
        put("tags", tags(operation).into());
    }
    if operation.deprecated {
        put("deprecated", true.into());
    }
    if let Some(docs) = &operation.external_docs {
        put("externalDocs", docs.clone());
    }
    if let Some(security) = &operation.security {
        let alternatives = security.iter().map(|alternative| {
            alternative
                .iter()
                .map(|one| (one.scheme.clone(), Value::from(one.scopes.clone())))
                .collect::<Map<String, Value>>()
        });
        put("security", alternatives.map(Value::Object).collect());
    }
    if let Some(servers) = &operation.own_servers {
        put("servers", without_passwords(servers.clone()));
    }
    let mut extensions = operation.extensions.clone();
    extensions.retain(|name, _| !is_internal(name));
    if !extensions.is_empty() {
        put("extensions", Value::Object(extensions));
    }
    Json::from_value(&json!({ "mcpinvoke/openapi": meta }))
}

/// Servers as every client may see them.
fn without_passwords(mut servers: Value) -> Value {
    for server in servers.as_array_mut().into_iter().flatten() {
        let Some(Value::String(text)) = server.get_mut("url") else {
            continue;
        };
        if let Ok(mut url) = Url::parse(text)
            && url.password().is_some()
            && url.set_password(Some("***")).is_ok()
        {
            *text = url.into();
        }
    }
    servers
}
