//! What a browser wants to hear before it shows a page of another origin our answers (Fetch, section 3.3, "HTTP CORS
//! protocol"). Only pages of the origins that the operator named are told anything.

use axum::response::Response;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, VARY,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use super::respond::empty;

/// What a client reads besides the body: its session, where to get a token, and when to come again.
const READABLE: HeaderValue =
    HeaderValue::from_static("Mcp-Session-Id, WWW-Authenticate, Retry-After");
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");
/// For a browser that does not say which ones it wants to send.
const HEADERS: HeaderValue = HeaderValue::from_static(
    "Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name",
);
/// How long a browser need not ask again, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// The answer to a browser that asks whether it may send a request, if that is what this is.
pub(super) fn preflight(method: &Method, headers: &HeaderMap) -> Option<Response> {
    if *method != Method::OPTIONS || !headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD) {
        return None;
    }
    let mut response = empty(StatusCode::NO_CONTENT);
    let own = response.headers_mut();
    own.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    // The names of parameters are part of some names (`Mcp-Param-...`), so that they cannot be listed.
    let wanted = headers.get(ACCESS_CONTROL_REQUEST_HEADERS);
    let wanted = wanted.cloned().unwrap_or(HEADERS);
    own.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted);
    own.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    Some(response)
}

/// Lets pages of this origin read the answer.
pub(super) fn open(mut response: Response, origin: HeaderValue) -> Response {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, READABLE);
    headers.append(VARY, HeaderValue::from_static("Origin"));
    response
}
