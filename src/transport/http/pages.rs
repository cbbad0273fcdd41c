//! The read-only pages beside the endpoint.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};

use super::Shared;
use super::respond::{json, message, plain};
use crate::mcp::Fault;

/// MCPBuckle's context document.
pub(super) async fn context(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    match shared.refusal().await {
        Some(refusal) => refusal,
        None => json(
            StatusCode::OK,
            shared
                .server
                .context_document(shared.caller(request.extensions())),
        ),
    }
}

/// MCPBuckle's list of tools.
pub(super) async fn discovery(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    match shared.refusal().await {
        Some(refusal) => refusal,
        None => json(
            StatusCode::OK,
            shared
                .server
                .discovery_document(shared.caller(request.extensions())),
        ),
    }
}

/// The process is alive, whatever else.
pub(super) async fn health() -> Response {
    json(
        StatusCode::OK,
        Bytes::from_static(b"{\"status\":\"alive\"}"),
    )
}

/// Whether tools are served: 200 from the first ones on, 503 before. `missing` names the documents that are not
/// there, if any; while others are, they make nothing unready, since that would take the others away as well.
pub(super) async fn ready(State(shared): State<Arc<Shared>>) -> Response {
    let (status, word) = match shared.readiness.is_ready() {
        true => (StatusCode::OK, "ready"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "loading"),
    };
    let mut body = serde_json::json!({ "status": word });
    let missing = shared.readiness.missing();
    if !missing.is_empty() {
        body["missing"] = serde_json::json!(&*missing);
    }
    json(status, Bytes::from(body.to_string()))
}

/// What calls came to, for Prometheus.
pub(super) async fn metrics(State(shared): State<Arc<Shared>>) -> Response {
    let mut response = json(StatusCode::OK, shared.server.metrics());
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// Every other path.
pub(super) async fn nothing() -> Response {
    plain(StatusCode::NOT_FOUND, "there is nothing at this path")
}

impl Shared {
    async fn refusal(&self) -> Option<Response> {
        let ready = self.readiness.wait(self.ready_wait).await;
        (!ready).then(|| message(self.server.refuse(Fault::NotReady, false)))
    }
}
