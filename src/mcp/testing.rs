//! A server with a catalogue made by hand, for this module's tests and the transports'.

use std::sync::Arc;

use http::Method;
use serde_json::{Value, json};

use super::{Server, Settings};
use crate::handler::http::{HttpHandler, Settings as HttpSettings};
use crate::invoke::Invoker;
use crate::policy::confirm::{self, Gate};
use crate::state::{PendingInMemory, SpentInMemory};
use crate::tool::{
    Annotations, HttpTarget, Json, Location, Parameter, PathTemplate, Target, Tool, ToolName,
};

/// A tool of this name whose one argument `id` is a path parameter.
pub(crate) fn tool(name: &str) -> Tool {
    let parameter = Parameter::bare("id", Location::Path);
    Tool {
        name: ToolName::new(name).unwrap(),
        title: Some("A title".to_owned()),
        description: "What it does".to_owned(),
        input_schema: Json::from_value(&json!({
            "type": "object",
            "properties": {"id": {"type": "integer"}},
            "required": ["id"]
        })),
        listed_schema: None,
        output_schema: Some(Json::from_value(&json!({"type": "object"}))),
        annotations: Annotations {
            read_only_hint: Some(true),
            ..Annotations::default()
        },
        meta: Json::from_value(&json!({"mcpinvoke/openapi": {"method": "GET"}})),
        target: Target::Http(Box::new(HttpTarget {
            method: Method::GET,
            base: url::Url::parse("http://127.0.0.1:9/").unwrap(),
            path: PathTemplate {
                template: "/things/{id}".to_owned(),
                parts: Vec::new(),
            },
            parameters: vec![parameter],
            body: None,
            accept: "application/json".to_owned(),
            answer_headers: Vec::new(),
            promise: None,
            security: Vec::new(),
            keys: Vec::new(),
            corrections: Vec::new(),
        })),
        requires: Vec::new(),
        confirm: false,
        ask: Vec::new(),
    }
}

/// `first`, `second`, `third`; `sampler`, which needs sampling; `regional`, which repeats `region`
/// in a header.
pub(crate) fn tools() -> Vec<Tool> {
    let mut sampler = tool("sampler");
    sampler.requires = vec!["sampling".to_owned()];
    let mut regional = tool("regional");
    regional.input_schema = Json::from_value(&json!({
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}
    }));
    let mut tools: Vec<Tool> = ["first", "second", "third"].map(tool).into();
    tools.extend([sampler, regional]);
    tools
}

/// A server of [`tools`], and the invoker behind it.
pub(crate) fn server_of(tools: Vec<Tool>, settings: Settings) -> (Arc<Server>, Arc<Invoker>) {
    let handler = HttpHandler::new(&HttpSettings::default()).unwrap();
    let state = (SpentInMemory::new(100), PendingInMemory::new(100));
    let gate = Gate::new(
        confirm::Settings::default(),
        Arc::new(state.0),
        Arc::new(state.1),
    )
    .unwrap();
    let invoker = Arc::new(Invoker::new(tools, handler, gate).unwrap());
    (
        Arc::new(Server::new(Arc::clone(&invoker), settings)),
        invoker,
    )
}

/// A server of [`tools`].
pub(crate) fn server(settings: Settings) -> Arc<Server> {
    server_of(tools(), settings).0
}

/// A modern request.
pub(crate) fn modern(method: &str, mut params: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
}

/// A request of the revisions before.
pub(crate) fn request(method: &str, params: Value) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "id": 7, "method": method});
    message["params"] = params;
    message
}
