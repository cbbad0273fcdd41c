//! The catalogue in MCPBuckle's shapes, for clients of its two discovery endpoints.

use serde_json::{Value, json};

use super::settings::Settings;
use crate::tool::{Body, BodyArgument, BodyCodec, HttpTarget, Location, Target, Tool};

/// The whole context document.
pub(crate) fn document(tools: &[&Tool], settings: &Settings) -> Value {
    let title = settings.title.as_ref().unwrap_or(&settings.name);
    let description = settings.instructions.as_deref().unwrap_or_default();
    json!({
        "info": {"schema_version": "1.0.0", "title": title, "description": description},
        "tools": list(tools),
        "metadata": {
            "title": title,
            "description": description,
            "version": settings.version,
            "generator": settings.name,
        },
    })
}

/// The tools alone.
pub(crate) fn tools(tools: &[&Tool]) -> Value {
    json!({ "tools": list(tools) })
}

fn list(tools: &[&Tool]) -> Vec<Value> {
    tools.iter().map(|one| tool(one)).collect()
}

fn tool(tool: &Tool) -> Value {
    let output = tool.output_schema.as_ref();
    let (method, path) = tool.target.endpoint();
    let input = match &tool.target {
        Target::Http(target) => input_schema(tool, target),
        // Its arguments have no place in a request.
        Target::Command(_) => tool.input_schema.parse(),
    };
    json!({
        "name": tool.name.as_str(),
        "description": tool.description,
        "inputSchema": input,
        // A tool without a known answer accepts any: the empty schema, not null.
        "outputSchema": output.map_or_else(|| json!({}), |schema| schema.parse()),
        "annotations": {
            "httpMethod": method,
            "routeTemplate": path,
        },
    })
}

/// The input schema with the place of each argument in its `annotations`.
fn input_schema(tool: &Tool, target: &HttpTarget) -> Value {
    let mut schema = tool.input_schema.parse();
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return schema;
    };
    for (argument, property) in properties {
        let (Some(source), Some(property)) = (source(target, argument), property.as_object_mut())
        else {
            continue;
        };
        let mut annotations = json!({
            "source": source,
            "sourceDetectionMethod": "explicit",
            "httpMethod": target.method.as_str(),
            "routeTemplate": target.path.template,
        });
        if source == "route" {
            annotations["isRouteParameter"] = json!(true);
        }
        property.insert("annotations".to_owned(), annotations);
    }
    schema
}

fn source(target: &HttpTarget, argument: &str) -> Option<&'static str> {
    let parameter = target.parameters.iter().find(|p| p.argument == argument);
    if let Some(parameter) = parameter {
        return Some(match parameter.location {
            Location::Path => "route",
            Location::Query | Location::QueryString => "query",
            Location::Header => "header",
            Location::Cookie => "cookie",
        });
    }
    let body = target.body.as_ref()?;
    let of_body = match &body.argument {
        BodyArgument::Whole(name) => name == argument,
        BodyArgument::Flat(fields) => fields.iter().any(|field| field.argument == argument),
    };
    of_body.then(|| body_source(body))
}

fn body_source(body: &Body) -> &'static str {
    match body.media.first().map(|media| &media.codec) {
        Some(BodyCodec::Form(_) | BodyCodec::Multipart(_)) => "form",
        _ => "body",
    }
}
