//! Swagger 2.0 to the structure of OpenAPI 3: servers, parameters, responses, security.

use serde_json::{Map, Value, json};
use url::Url;

use super::super::budget::Budget;
use super::super::finding::{Findings, Place};
use super::super::reference::follow;
use super::swagger_body::{form_body, plain_body};

/// Members of a Swagger 2.0 parameter that are not its schema's.
const OWN: [&str; 13] = [
    "name",
    "in",
    "required",
    "description",
    "collectionFormat",
    "allowEmptyValue",
    "style",
    "explode",
    "allowReserved",
    "deprecated",
    "examples",
    "$ref",
    "content",
];

/// More media types or schemes than any document lists; each copies a schema.
const MOST_TEXTS: usize = 32;

/// What operations inherit from the document.
struct Shared {
    /// The document as it was, for references; only what references may name.
    root: Value,
    consumes: Vec<String>,
    produces: Vec<String>,
    host: Option<String>,
    base_path: String,
    document_scheme: Option<String>,
    budget: Budget,
}

/// Rewrites `root` in place. Schemas stay as they are; the walk comes to them later. Entries of
/// `parameters` that became a body leave null behind, so that positions stay as written.
pub(in crate::openapi) fn upgrade(
    root: &mut Value,
    base: Option<&Url>,
    budget: Budget,
    findings: &mut Findings,
) {
    let Value::Object(map) = root else { return };
    let mut paths = map.shift_remove("paths");
    let definitions = map.shift_remove("definitions");
    let security = map.shift_remove("securityDefinitions");
    let servers = map.get("schemes").cloned();
    let shared = Shared {
        consumes: texts(map.get("consumes")),
        produces: texts(map.get("produces")),
        host: map.get("host").and_then(Value::as_str).map(str::to_owned),
        base_path: map
            .get("basePath")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        document_scheme: base.map(|url| url.scheme().to_owned()),
        root: std::mem::take(root),
        budget,
    };
    if let Some(Value::Object(paths)) = &mut paths {
        let mut place = Place::at("/paths");
        for (path, item) in paths.iter_mut().filter(|(path, _)| !path.starts_with("x-")) {
            place.within(path, |place| path_item(item, &shared, place, findings));
        }
    }
    let written_servers = shared.servers(servers.as_ref());
    *root = shared.root;
    let Value::Object(map) = root else { return };
    if map.contains_key("host") || map.contains_key("basePath") {
        map.insert("servers".into(), written_servers);
    }
    map.insert("paths".into(), paths.unwrap_or_else(|| json!({})));
    let components = map.entry("components").or_insert_with(|| json!({}));
    if let Value::Object(components) = components {
        components.insert("schemas".into(), definitions.unwrap_or_else(|| json!({})));
        components.insert("securitySchemes".into(), security_schemes(security));
    }
}

impl Shared {
    /// `schemes`, `host` and `basePath` as a `servers` array.
    fn servers(&self, schemes: Option<&Value>) -> Value {
        let mut path = self.base_path.clone();
        if !path.starts_with('/') {
            path.insert(0, '/');
        }
        let mut schemes: Vec<String> = texts(schemes)
            .into_iter()
            .filter(|scheme| scheme == "http" || scheme == "https")
            .collect();
        let Some(host) = &self.host else {
            return json!([{ "url": path }]);
        };
        // Where both are offered the safe one is the better, except on the machine itself.
        if !host.starts_with("localhost") && !host.starts_with("127.") {
            schemes.sort_by_key(|scheme| scheme != "https");
        }
        // Hosts with a scheme occur, though the specification forbids it.
        let host = host
            .split_once("://")
            .map_or(host.as_str(), |(_, rest)| rest)
            .trim_end_matches('/');
        if schemes.is_empty() {
            let scheme = self
                .document_scheme
                .as_ref()
                .map_or(String::new(), |scheme| format!("{scheme}:"));
            return json!([{ "url": format!("{scheme}//{host}{path}") }]);
        }
        schemes
            .iter()
            .map(|scheme| json!({"url": format!("{scheme}://{host}{path}")}))
            .collect()
    }

    /// The node with its references followed, as a copy; a reference that leads nowhere stays.
    fn resolved(&self, node: &Value) -> Value {
        match follow(&self.root, node) {
            Ok(found) if self.budget.spend(found.node.len()) => {
                let copied =
                    |(key, value): (&String, &Value)| (key.clone(), self.budget.copy(value));
                Value::Object(found.node.iter().map(copied).collect())
            }
            _ => node.clone(),
        }
    }
}

pub(super) fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => items
            .iter()
            .filter_map(Value::as_str)
            .take(MOST_TEXTS)
            .map(str::to_owned)
            .collect(),
        Some(Value::String(one)) => vec![one.clone()],
        _ => Vec::new(),
    }
}

fn path_item(item: &mut Value, shared: &Shared, place: &mut Place, findings: &mut Findings) {
    if item.get("$ref").is_some() {
        *item = shared.resolved(item);
    }
    let Value::Object(map) = item else { return };
    let bodies = split_parameters(map, shared);
    for method in ["get", "put", "post", "delete", "options", "head", "patch"] {
        if let Some(Value::Object(node)) = map.get_mut(method) {
            place.within(method, |place| {
                operation(node, &bodies, shared, place, findings)
            });
        }
    }
}

fn operation(
    node: &mut Map<String, Value>,
    inherited: &[Map<String, Value>],
    shared: &Shared,
    place: &Place,
    findings: &mut Findings,
) {
    let mut bodies = split_parameters(node, shared);
    let same = |a: &Map<String, Value>, b: &Map<String, Value>| {
        a.get("in") == b.get("in") && (a.get("name") == b.get("name") || is_body(a))
    };
    for body in inherited {
        if !bodies.iter().any(|own| same(own, body)) {
            bodies.push(body.clone());
        }
    }
    let consumes = own_or(node.get("consumes"), &shared.consumes);
    let produces = own_or(node.get("produces"), &shared.produces);
    let (whole, fields): (Vec<_>, Vec<_>) = bodies.into_iter().partition(is_body);
    if whole.len() > 1 || (!whole.is_empty() && !fields.is_empty()) {
        findings.warn(
            "several-bodies",
            place.pointer(),
            "expected one body parameter or formData parameters, found more".to_owned(),
            "the last body parameter counts",
        );
    }
    let body = match whole.into_iter().next_back() {
        Some(body) => Some(plain_body(body, &consumes)),
        None if fields.is_empty() => None,
        None => Some(form_body(fields, &consumes)),
    };
    if let Some(body) = body {
        node.insert("requestBody".into(), body);
    }
    if let Some(Value::Object(responses)) = node.get_mut("responses") {
        for (status, response) in responses.iter_mut() {
            if !status.starts_with("x-") {
                *response = self::response(shared.resolved(response), &produces);
            }
        }
    }
    if let Some(schemes) = node.shift_remove("schemes")
        && shared.host.is_some()
    {
        node.insert("servers".into(), shared.servers(Some(&schemes)));
    }
}

fn is_body(parameter: &Map<String, Value>) -> bool {
    parameter.get("in").and_then(Value::as_str) == Some("body")
}

fn own_or(own: Option<&Value>, shared: &[String]) -> Vec<String> {
    match own {
        Some(Value::Array(_) | Value::String(_)) => texts(own),
        _ => shared.to_vec(),
    }
}

/// Takes the body and form parameters out; null stays in their place.
fn split_parameters(holder: &mut Map<String, Value>, shared: &Shared) -> Vec<Map<String, Value>> {
    let mut bodies = Vec::new();
    let Some(Value::Array(list)) = holder.get_mut("parameters") else {
        return bodies;
    };
    for node in list {
        if node.get("$ref").is_some() {
            *node = shared.resolved(node);
        }
        let Value::Object(map) = node else { continue };
        match map.get("in").and_then(Value::as_str) {
            Some("body" | "formData") => {
                bodies.push(std::mem::take(map));
                *node = Value::Null;
            }
            _ if map.contains_key("$ref") => {}
            _ => {
                collection_format(map);
                move_schema(map);
            }
        }
    }
    bodies
}

/// `collectionFormat` as `style` and `explode`; comma-separated is the default.
fn collection_format(map: &mut Map<String, Value>) {
    let location = map.get("in").and_then(Value::as_str).unwrap_or_default();
    let comma = if matches!(location, "path" | "header") {
        "simple"
    } else {
        "form"
    };
    let format = map.shift_remove("collectionFormat");
    let (style, explode) = style_of(format.as_ref().and_then(Value::as_str), comma);
    map.insert("style".into(), style.into());
    map.insert("explode".into(), explode.into());
}

/// The style and explode of a collection format.
pub(super) fn style_of<'a>(format: Option<&str>, comma: &'a str) -> (&'a str, bool) {
    match format {
        Some("multi") => (comma, true),
        Some("ssv") => ("spaceDelimited", false),
        Some("tsv") => ("tabDelimited", false),
        Some("pipes") => ("pipeDelimited", false),
        _ => (comma, false),
    }
}

/// Moves the schema's keywords of a Swagger 2.0 parameter or header into `schema`.
pub(super) fn move_schema(map: &mut Map<String, Value>) {
    if map.contains_key("schema") {
        return;
    }
    let example = map.shift_remove("x-example");
    let (mut own, mut schema) = (Map::new(), Map::new());
    for (key, value) in std::mem::take(map) {
        let stays = OWN.contains(&key.as_str()) || (key.starts_with("x-") && key != "x-nullable");
        if stays { &mut own } else { &mut schema }.insert(key, value);
    }
    if let Some(example) = example {
        own.entry("example").or_insert(example);
    }
    own.insert("schema".into(), Value::Object(schema));
    *map = own;
}

fn response(node: Value, produces: &[String]) -> Value {
    let Value::Object(mut map) = node else {
        return node;
    };
    if let Some(Value::Object(headers)) = map.get_mut("headers") {
        for header in headers.values_mut() {
            if let Value::Object(header) = header {
                header.shift_remove("collectionFormat");
                move_schema(header);
            }
        }
    }
    let mut examples = match map.shift_remove("examples") {
        Some(Value::Object(examples)) => examples,
        _ => Map::new(),
    };
    let Some(schema) = map
        .shift_remove("schema")
        .filter(|schema| !schema.is_null())
    else {
        return Value::Object(map);
    };
    let file = schema.get("type").and_then(Value::as_str) == Some("file");
    let fallback = if file {
        "application/octet-stream"
    } else {
        "application/json"
    };
    let names = if produces.is_empty() {
        vec![fallback.to_owned()]
    } else {
        produces.to_vec()
    };
    let content: Map<String, Value> = names
        .into_iter()
        .map(|name| {
            let mut media = json!({ "schema": schema });
            if let Some(example) = examples.shift_remove(&name) {
                media["example"] = example;
            }
            (name, media)
        })
        .collect();
    map.insert("content".into(), Value::Object(content));
    Value::Object(map)
}

fn security_schemes(definitions: Option<Value>) -> Value {
    let Some(Value::Object(mut definitions)) = definitions else {
        return json!({});
    };
    for scheme in definitions.values_mut() {
        let Value::Object(map) = scheme else { continue };
        match map.get("type").and_then(Value::as_str) {
            Some("basic") => {
                map.insert("type".into(), json!("http"));
                map.insert("scheme".into(), json!("basic"));
            }
            Some("oauth2") => oauth2(map),
            _ => {}
        }
    }
    Value::Object(definitions)
}

fn oauth2(map: &mut Map<String, Value>) {
    let name = match map.shift_remove("flow").as_ref().and_then(Value::as_str) {
        Some("application") => "clientCredentials",
        Some("accessCode") => "authorizationCode",
        Some("password") => "password",
        _ => "implicit",
    };
    let mut flow = Map::new();
    for key in ["authorizationUrl", "tokenUrl", "refreshUrl", "scopes"] {
        if let Some(value) = map.shift_remove(key) {
            flow.insert(key.into(), value);
        }
    }
    map.insert("flows".into(), json!({ name: flow }));
}
