//! Small documents for tests.

use std::sync::Arc;

use http::Method;
use serde_json::{Map, Value};
use url::Url;

use crate::openapi::{
    Document, MediaType, Operation, Parameter, ParameterLocation, ParameterStyle, RequestBody,
    Response, Schemas,
};
use crate::pointer;

/// An operation with nothing but its place and a server.
pub(super) fn operation(method: &str, path: &str) -> Operation {
    Operation {
        method: Method::from_bytes(method.as_bytes()).unwrap(),
        path: path.to_owned(),
        pointer: pointer::member(&pointer::member("/paths", path), method),
        operation_id: None,
        summary: None,
        description: None,
        tags: Vec::new(),
        deprecated: false,
        external_docs: None,
        security: None,
        parameters: Vec::new(),
        request_body: None,
        responses: Vec::new(),
        servers: vec![Url::parse("https://api.example.com/v1").unwrap()],
        own_servers: None,
        extensions: Map::new(),
        farther_mcp: Vec::new(),
    }
}

/// A parameter with the defaults of its place.
pub(super) fn parameter(name: &str, location: ParameterLocation, schema: Value) -> Parameter {
    let form = matches!(
        location,
        ParameterLocation::Query | ParameterLocation::Cookie | ParameterLocation::QueryString
    );
    Parameter {
        name: name.to_owned(),
        location,
        required: location == ParameterLocation::Path,
        deprecated: false,
        description: None,
        schema,
        style: if form {
            ParameterStyle::Form
        } else {
            ParameterStyle::Simple
        },
        explode: form,
        allow_reserved: false,
        allow_empty_value: false,
        content: None,
        encoding: Vec::new(),
        example: None,
        extensions: Map::new(),
    }
}

/// A media type.
pub(super) fn media(name: &str, schema: Value) -> MediaType {
    MediaType {
        name: name.to_owned(),
        schema,
        item_schema: None,
        encoding: Vec::new(),
        example: None,
    }
}

/// A required body.
pub(super) fn body(content: Vec<MediaType>) -> RequestBody {
    RequestBody {
        required: true,
        description: None,
        content,
        name: None,
        extensions: Map::new(),
    }
}

/// A response.
pub(super) fn response(status: &str, content: Vec<MediaType>) -> Response {
    Response {
        status: status.to_owned(),
        description: None,
        content,
        headers: Vec::new(),
    }
}

/// A document with `components` as its `components.schemas`.
pub(super) fn document(operations: Vec<Operation>, components: &Value) -> Document {
    let root = serde_json::json!({ "components": { "schemas": components } });
    Document {
        name: "test.yaml".to_owned(),
        title: "Test".to_owned(),
        version: "1".to_owned(),
        description: None,
        holds_remote: false,
        operations,
        findings: Vec::new(),
        schemas: Schemas::new(Arc::new(root)),
        security_schemes: Vec::new(),
    }
}
