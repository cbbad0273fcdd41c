//! Paths and path items to operations.

use http::Method;
use serde_json::{Map, Value};
use url::Url;

use super::super::finding::Place;
use super::super::model::{Operation, SecurityRequirement};
use super::super::reference::{kind, lookup, reference_of};
use super::parameters::{Written, merged};
use super::template::{self, TemplateParameter};
use super::{Context, content, extensions, flag, owned_text, security, servers};

/// Path items may refer to path items; more stations than this are a circle.
const LONGEST_CHAIN: usize = 32;
/// More methods than any path has.
const MOST_ADDITIONAL: usize = 64;
/// The members of a Path Item Object that are operations (OpenAPI 3.2, section 4.9).
const METHODS: [(&str, &str); 9] = [
    ("get", "GET"),
    ("put", "PUT"),
    ("post", "POST"),
    ("delete", "DELETE"),
    ("options", "OPTIONS"),
    ("head", "HEAD"),
    ("patch", "PATCH"),
    ("trace", "TRACE"),
    ("query", "QUERY"),
];

/// Every operation of the document that can be called.
pub(super) fn all(context: &mut Context<'_>) -> Vec<Operation> {
    let root = context.root;
    let inherited = Inherited {
        servers: match root.get("servers") {
            Some(Value::Array(list)) if list.is_empty() => servers::implied(context),
            Some(written) => servers::absolute(written, "/servers", context),
            None => servers::implied(context),
        },
        security: security::requirements(root.get("security")),
    };
    let mut operations = Vec::new();
    match root.get("paths") {
        Some(Value::Object(paths)) => {
            let mut place = Place::at("/paths");
            for (path, node) in paths.iter().filter(|(path, _)| !path.starts_with("x-")) {
                place.within(path, |place| {
                    item(path, node, place, &inherited, context, &mut operations)
                });
            }
        }
        None | Some(Value::Null) => {}
        Some(other) => context.findings.warn(
            "invalid-paths",
            "/paths",
            format!("expected an object, found {}", kind(other)),
            "write paths as an object; the document has no operations",
        ),
    }
    operations
}

/// What the document says for every operation.
struct Inherited {
    servers: Vec<Url>,
    security: Option<Vec<Vec<SecurityRequirement>>>,
}

/// A path item: its own object first, then those it refers to.
struct Item<'a> {
    objects: Vec<&'a Map<String, Value>>,
}

impl<'a> Item<'a> {
    fn of(node: &'a Value, root: &'a Value) -> Result<Self, String> {
        let mut objects = Vec::new();
        let mut current = node;
        for _ in 0..LONGEST_CHAIN {
            let object = current
                .as_object()
                .ok_or_else(|| format!("expected an object, found {}", kind(current)))?;
            objects.push(object);
            let Some(reference) = reference_of(current) else {
                return Ok(Self { objects });
            };
            current = lookup(root, reference)
                .ok_or_else(|| format!("the reference {reference:?} leads nowhere"))?;
        }
        Err(format!(
            "the references run in a circle or through more than {LONGEST_CHAIN} stations"
        ))
    }

    /// The nearest object's member.
    fn get(&self, member: &str) -> Option<&'a Value> {
        self.objects.iter().find_map(|object| object.get(member))
    }

    fn text(&self, member: &str) -> Option<String> {
        self.objects
            .iter()
            .find_map(|object| owned_text(object, member))
    }

    /// Methods and operations, the fixed ones in the document's order.
    fn operations(&self) -> Vec<(String, &'static str, &'a Value)> {
        let mut found: Vec<(String, &'static str, &'a Value)> = Vec::new();
        for object in &self.objects {
            for (key, node) in object.iter() {
                let fixed = METHODS.iter().find(|(member, _)| member == key);
                let listed: Vec<(String, &'static str, &Value)> = match (fixed, node) {
                    (Some((_, method)), node) if !node.is_null() => {
                        vec![((*method).to_owned(), "", node)]
                    }
                    (None, Value::Object(more)) if key == "additionalOperations" => more
                        .iter()
                        .take(MOST_ADDITIONAL)
                        .map(|(method, node)| (method.clone(), "additionalOperations", node))
                        .collect(),
                    _ => Vec::new(),
                };
                for operation in listed {
                    if !found.iter().any(|(method, ..)| *method == operation.0) {
                        found.push(operation);
                    }
                }
            }
        }
        found
    }
}

fn item(
    path: &str,
    node: &Value,
    place: &mut Place,
    inherited: &Inherited,
    context: &mut Context<'_>,
    operations: &mut Vec<Operation>,
) {
    let item = match Item::of(node, context.root) {
        Ok(item) => item,
        Err(_) if node.is_null() => return,
        Err(reason) => {
            context.findings.error(
                "unresolved-reference",
                place.pointer(),
                format!("{reason}; the operations of {path} are left out"),
                "correct the path item",
            );
            return;
        }
    };
    let template = template::parameters(path);
    if !path.starts_with('/') {
        context.findings.warn(
            "path-without-slash",
            place.pointer(),
            format!("expected a path that starts with /, found {path:?}"),
            "start the path with /",
        );
    }
    let common = item
        .get("servers")
        .map(|written| servers::absolute(written, &place.member("servers"), context));
    for (method, group, node) in item.operations() {
        let member = if group.is_empty() {
            method.to_ascii_lowercase()
        } else {
            method.clone()
        };
        let mut read = |place: &mut Place| {
            place.within(&member, |place| {
                let one = One {
                    path,
                    template: &template,
                    item: &item,
                    common: common.as_deref(),
                    inherited,
                };
                match one.operation(&method, node, place, context) {
                    Ok(operation) => operations.push(operation),
                    Err((pointer, reason)) => context.findings.error(
                        "operation-left-out",
                        &pointer,
                        format!("{reason}; {method} {path} is left out"),
                        "correct what is named here",
                    ),
                }
            });
        };
        if group.is_empty() {
            read(place)
        } else {
            place.within(group, read)
        }
    }
}

/// Everything around one operation.
struct One<'a> {
    path: &'a str,
    template: &'a [TemplateParameter],
    item: &'a Item<'a>,
    common: Option<&'a [Url]>,
    inherited: &'a Inherited,
}

impl One<'_> {
    /// The error is the pointer and the reason why it cannot be called.
    fn operation(
        &self,
        method: &str,
        node: &Value,
        place: &Place,
        context: &mut Context<'_>,
    ) -> Result<Operation, (String, String)> {
        let here = || place.pointer().to_owned();
        let Some(map) = node.as_object() else {
            return Err((
                here(),
                format!("expected an operation object, found {}", kind(node)),
            ));
        };
        let alternatives = self.inherited.security.as_ref().map_or(0, Vec::len);
        if !context.budget.spend(16 + alternatives) {
            return Err((
                here(),
                "the document expands to far more than it holds".to_owned(),
            ));
        }
        let method = Method::from_bytes(method.as_bytes())
            .map_err(|_| (here(), format!("{method:?} is not a method")))?;
        let parameters = merged(&self.parameter_lists(map, place), self.template, context)?;
        let body_place = Place::at(&place.member("requestBody"));
        let request_body = match map.get("requestBody").filter(|body| !body.is_null()) {
            Some(body) => content::request_body(body, map, &body_place, context)
                .map_err(|reason| (body_place.pointer().to_owned(), reason))?,
            None => None,
        };
        let responses_place = Place::at(&place.member("responses"));
        let (extensions, farther_mcp) = self.extensions(map, context);
        Ok(Operation {
            method,
            path: self.path.to_owned(),
            pointer: here(),
            operation_id: owned_text(map, "operationId"),
            summary: owned_text(map, "summary").or_else(|| self.item.text("summary")),
            description: owned_text(map, "description").or_else(|| self.item.text("description")),
            tags: tags(map.get("tags")),
            deprecated: flag(map, "deprecated").unwrap_or(false),
            external_docs: map
                .get("externalDocs")
                .filter(|docs| docs.is_object())
                .cloned(),
            security: security::requirements(map.get("security"))
                .or_else(|| self.inherited.security.clone()),
            parameters,
            request_body,
            responses: content::responses(map.get("responses"), &responses_place, context),
            servers: self.servers(map, place, context),
            own_servers: map
                .get("servers")
                .or_else(|| self.item.get("servers"))
                .cloned(),
            extensions,
            farther_mcp,
        })
    }

    /// The operation's over the path item's; and each `x-mcp` that another one stands before, the nearest
    /// first.
    fn extensions(
        &self,
        map: &Map<String, Value>,
        context: &Context<'_>,
    ) -> (Map<String, Value>, Vec<Value>) {
        let mut all = Map::new();
        let mut farther = Vec::new();
        for object in self.item.objects.iter().rev().copied().chain([map]) {
            for (name, value) in extensions(object, &context.budget) {
                let before = all.insert(name.clone(), value);
                farther.extend(before.filter(|_| name == "x-mcp"));
            }
        }
        farther.reverse();
        (all, farther)
    }

    /// The farthest first.
    fn parameter_lists<'b>(
        &'b self,
        map: &'b Map<String, Value>,
        place: &Place,
    ) -> Vec<Written<'b>> {
        let item_pointer = place
            .pointer()
            .rsplit_once('/')
            .map_or("", |(item, _)| item);
        let item_pointer = item_pointer
            .strip_suffix("/additionalOperations")
            .unwrap_or(item_pointer);
        let item_place = Place::at(&Place::at(item_pointer).member("parameters"));
        let inherited = self
            .item
            .objects
            .iter()
            .rev()
            .filter_map(|object| object.get("parameters"));
        let mut lists: Vec<Written<'_>> = inherited
            .map(|list| Written {
                list,
                place: item_place.clone(),
            })
            .collect();
        let own = map.get("parameters").unwrap_or(&Value::Null);
        lists.push(Written {
            list: own,
            place: Place::at(&place.member("parameters")),
        });
        lists
    }

    fn servers(
        &self,
        map: &Map<String, Value>,
        place: &Place,
        context: &mut Context<'_>,
    ) -> Vec<Url> {
        let own = map
            .get("servers")
            .filter(|own| own.as_array().is_some_and(|list| !list.is_empty()));
        let mut found = match own {
            Some(own) => servers::absolute(own, &place.member("servers"), context),
            None => Vec::new(),
        };
        // The nearer level replaces the farther ones; those follow as second best.
        let farther = self
            .common
            .unwrap_or_default()
            .iter()
            .chain(&self.inherited.servers);
        for url in farther {
            if !found.contains(url) {
                found.push(url.clone());
            }
        }
        found
    }
}

fn tags(node: Option<&Value>) -> Vec<String> {
    let list = node
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    list.iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}
