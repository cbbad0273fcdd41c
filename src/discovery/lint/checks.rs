//! The checks themselves, one function per rule.

use std::collections::HashMap;

use http::Method;
use serde_json::Value;

use super::super::{Settings, Source};
use super::{Tools, finding};
use crate::openapi::{Document, Finding, MediaType, Operation, Severity};
use crate::pointer;
use crate::tool::{Location, Target, Tool};

/// What clients are known to accept of a description, in characters.
const LONGEST_DESCRIPTION: usize = 1_024;

/// All checks of a document and of the tools it became.
pub(super) fn document(
    source: &Source<'_>,
    settings: &Settings,
    tools: &Tools<'_>,
    findings: &mut Vec<Finding>,
) {
    let document = source.document;
    operations(document, findings);
    duplicate_ids(document, findings);
    security(document, findings);
    for operation in &document.operations {
        identifier(operation, findings);
        body(operation, findings);
        let key = (operation.method.to_string(), operation.path.as_str());
        // The rest only matters to those that are tools.
        let Some(tool) = tools.get(&key) else {
            continue;
        };
        text(operation, tool, findings);
        name(operation, tool, settings, findings);
        arguments(document, operation, tool, findings);
        response(operation, tool, findings);
    }
}

/// Operations that were lost have findings of their own.
fn operations(document: &Document, findings: &mut Vec<Finding>) {
    let mut loaded = document.findings.iter();
    if document.operations.is_empty() && loaded.all(|one| one.severity < Severity::Error) {
        let paths = document.schemas.get("#/paths");
        findings.push(finding(
            "no-operations",
            paths.map_or("", |_| "/paths"),
            "expected at least one operation, found none".to_owned(),
        ));
    }
}

fn duplicate_ids(document: &Document, findings: &mut Vec<Finding>) {
    let mut seen: HashMap<&str, &Operation> = HashMap::new();
    for operation in &document.operations {
        let Some(id) = operation.operation_id.as_deref() else {
            continue;
        };
        if let Some(first) = seen.get(id) {
            findings.push(finding(
                "duplicate-operation-id",
                &format!("{}/operationId", operation.pointer),
                format!(
                    "the operationId `{id}` is that of {} {} already",
                    first.method, first.path
                ),
            ));
        } else {
            seen.insert(id, operation);
        }
    }
}

fn security(document: &Document, findings: &mut Vec<Finding>) {
    let required: Vec<&str> = document
        .operations
        .iter()
        .flat_map(|operation| operation.security.iter().flatten().flatten())
        .map(|requirement| requirement.scheme.as_str())
        .collect();
    let swagger = document.schemas.get("#/swagger").is_some();
    let schemes = if swagger {
        "/securityDefinitions"
    } else {
        "/components/securitySchemes"
    };
    for scheme in &document.security_schemes {
        if !required.contains(&scheme.name.as_str()) {
            findings.push(finding(
                "unused-security-scheme",
                &pointer::member(schemes, &scheme.name),
                format!(
                    "no operation requires the security scheme `{}`",
                    scheme.name
                ),
            ));
        }
    }
    if required.is_empty() {
        return;
    }
    for operation in &document.operations {
        if operation.security.is_none() {
            findings.push(finding(
                "operation-without-security",
                &operation.pointer,
                "the operation says nothing about security, others do".to_owned(),
            ));
        }
    }
}

fn identifier(operation: &Operation, findings: &mut Vec<Finding>) {
    if operation.operation_id.is_none() {
        findings.push(finding(
            "operation-id-missing",
            &operation.pointer,
            "expected an operationId".to_owned(),
        ));
    }
}

/// RFC 9110, sections 9.3.1 and 9.3.2: content in these requests has no meaning.
fn body(operation: &Operation, findings: &mut Vec<Finding>) {
    let without = matches!(operation.method, Method::GET | Method::HEAD);
    if without && operation.request_body.is_some() {
        findings.push(finding(
            "get-with-body",
            &format!("{}/requestBody", operation.pointer),
            format!("a {} request has no body", operation.method),
        ));
    }
}

fn text(operation: &Operation, tool: &Tool, findings: &mut Vec<Finding>) {
    let place = super::place(operation);
    let silent = operation.summary.is_none() && operation.description.is_none();
    // An override may have given the tool a text of its own.
    if silent && tool.description.starts_with(&place) {
        findings.push(finding(
            "operation-without-text",
            &operation.pointer,
            "expected a summary or a description".to_owned(),
        ));
    }
    let length = tool.description.chars().count();
    if length > LONGEST_DESCRIPTION {
        findings.push(finding(
            "long-description",
            &format!("{}/description", operation.pointer),
            format!("expected at most {LONGEST_DESCRIPTION} characters, found {length}"),
        ));
    }
}

fn name(operation: &Operation, tool: &Tool, settings: &Settings, findings: &mut Vec<Finding>) {
    let name = tool.name.as_str();
    let hashed = name.rsplit_once('_').is_some_and(|(_, hash)| {
        hash.len() == 6 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    if name.len() == settings.max_name_length && hashed {
        let member = if operation.operation_id.is_some() {
            "/operationId"
        } else {
            ""
        };
        findings.push(finding(
            "tool-name-cut",
            &format!("{}{member}", operation.pointer),
            format!(
                "expected a name of at most {} characters; the tool is named `{name}`",
                settings.max_name_length
            ),
        ));
    }
}

fn arguments(document: &Document, operation: &Operation, tool: &Tool, findings: &mut Vec<Finding>) {
    let Target::Http(target) = &tool.target else {
        return;
    };
    for parameter in &target.parameters {
        if parameter.fixed.is_some() || parameter.argument == parameter.name {
            continue;
        }
        let place = location_of(parameter.location);
        let pointer = parameter_pointer(document, operation, &parameter.name, place);
        findings.push(finding(
            "argument-renamed",
            &pointer,
            format!(
                "the {place} parameter `{}` is the argument `{}`",
                parameter.name, parameter.argument
            ),
        ));
    }
}

fn location_of(location: Location) -> &'static str {
    match location {
        Location::Path => "path",
        Location::Query => "query",
        Location::QueryString => "querystring",
        Location::Header => "header",
        Location::Cookie => "cookie",
    }
}

/// The model keeps no places of parameters; they are looked up in the tree, at the operation and
/// then at its path item.
fn parameter_pointer(
    document: &Document,
    operation: &Operation,
    name: &str,
    place: &str,
) -> String {
    let item = operation
        .pointer
        .rsplit_once('/')
        .map_or("", |(item, _)| item);
    for owner in [operation.pointer.as_str(), item] {
        let list = document.schemas.get(&format!("#{owner}/parameters"));
        let found = list.and_then(Value::as_array).and_then(|list| {
            list.iter().position(|one| {
                let one = one["$ref"]
                    .as_str()
                    .and_then(|reference| document.schemas.get(reference))
                    .unwrap_or(one);
                one["name"] == name && one["in"] == place
            })
        });
        if let Some(index) = found {
            return format!("{owner}/parameters/{index}");
        }
    }
    operation.pointer.clone()
}

/// Answers that are empty or no JSON need no schema.
fn response(operation: &Operation, tool: &Tool, findings: &mut Vec<Finding>) {
    if tool.output_schema.is_some() {
        return;
    }
    let described = |media: &MediaType| {
        let json = media.name.contains("json") || media.name.contains('*');
        !json || media.schema.is_object()
    };
    let success = operation
        .responses
        .iter()
        .find(|one| one.status.starts_with('2') || one.status == "default");
    let Some(success) = success else {
        return;
    };
    let empty = matches!(success.status.as_str(), "204" | "205");
    let silent = success.content.is_empty() || !success.content.iter().all(described);
    if !empty && silent {
        findings.push(finding(
            "response-without-schema",
            &pointer::member(&format!("{}/responses", operation.pointer), &success.status),
            format!("the response {} has no schema", success.status),
        ));
    }
}
