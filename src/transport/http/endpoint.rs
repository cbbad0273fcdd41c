//! The MCP endpoint: POST for messages, GET and DELETE for sessions.
//!
//! A client that closes its connection cancels its call, in every revision. The older ones do not
//! ask for that, but they would need resumption to fetch the answer later, which is not offered:
//! the work would be for nobody.

use std::pin::pin;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use futures_util::FutureExt as _;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Extensions, Method, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

use super::Shared;
use super::respond::{answer, empty, events, message, method_not_allowed};
use crate::mcp::{Accepted, Answer, Fault, Header, Headers, Message, Work};
use crate::tool::Caller;

pub(super) async fn handle(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    respond(&shared, request).await
}

/// The same for a request of any body.
pub(super) async fn respond<B>(shared: &Shared, request: http::Request<B>) -> Response
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<axum::BoxError>,
{
    let begun = begin(shared, request).await;
    finish(shared, begun).await
}

/// A request that is read.
#[derive(Debug)]
pub(super) enum Begun {
    /// There is nothing left to do.
    Answered(Response),
    /// What it takes until it is answered.
    Work(Work),
}

/// Reads a request. Apart from what follows, so that it takes no room while a call is under way.
pub(super) async fn begin<B>(shared: &Shared, request: http::Request<B>) -> Begun
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<axum::BoxError>,
{
    match *request.method() {
        Method::POST => post(shared, request).await,
        Method::GET => Begun::Answered(get(shared, &request)),
        Method::DELETE => Begun::Answered(delete(shared, &request)),
        _ => Begun::Answered(method_not_allowed("POST")),
    }
}

/// Does what a request asks for.
pub(super) async fn finish(shared: &Shared, begun: Begun) -> Response {
    match begun {
        Begun::Answered(response) => response,
        Begun::Work(work) => shared.answer(work.finish().await),
    }
}

async fn post<B>(shared: &Shared, request: http::Request<B>) -> Begun
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<axum::BoxError>,
{
    let (parts, body) = request.into_parts();
    let refuse = |fault| {
        let modern = headers_of(&parts.headers).says_modern();
        Begun::Answered(message(shared.server.refuse(fault, modern)))
    };
    if !is_json(&parts.headers) {
        return refuse(Fault::NotJson);
    }
    let body = match shared.read(&parts.headers, body).await {
        Ok(body) => body,
        Err(fault) => return refuse(fault),
    };
    if !shared.readiness.wait(shared.ready_wait).await {
        return refuse(Fault::NotReady);
    }
    let recognised = parts.extensions.get::<Caller>().is_some();
    let mut headers = headers_of(&parts.headers);
    headers.forwarded = forwarded(&parts.headers, &shared.forward_headers, recognised);
    let caller = shared.caller(&parts.extensions);
    match shared.server.post(&body, &headers, caller) {
        Accepted::Now(result) => Begun::Answered(shared.answer(result)),
        Accepted::Later(work) => Begun::Work(work),
    }
}

fn get<B>(shared: &Shared, request: &http::Request<B>) -> Response {
    let headers = headers_of(request.headers());
    let caller = shared.caller(request.extensions());
    match headers.session {
        Header::Value(id) if !headers.says_modern() => {
            match shared.server.session_stream(id, caller) {
                Ok(messages) => events(messages, shared.keep_alive),
                Err(refusal) => message(refusal),
            }
        }
        _ => method_not_allowed("POST"),
    }
}

fn delete<B>(shared: &Shared, request: &http::Request<B>) -> Response {
    let headers = headers_of(request.headers());
    let caller = shared.caller(request.extensions());
    match headers.session {
        Header::Value(id) if !headers.says_modern() => {
            if shared.server.end_session(id, caller) {
                empty(StatusCode::NO_CONTENT)
            } else {
                let refusal: Message = shared.server.refuse(Fault::UnknownSession, false);
                message(refusal)
            }
        }
        _ => method_not_allowed("POST"),
    }
}

impl Shared {
    /// On whose behalf a request is.
    pub(super) fn caller<'a>(&'a self, extensions: &'a Extensions) -> &'a Caller {
        extensions.get().unwrap_or(&self.anonymous)
    }

    fn answer(&self, result: Answer) -> Response {
        let needs = match &result {
            Answer::Message(message) => message.needs.clone(),
            Answer::Nothing | Answer::Stream(_) => None,
        };
        let mut response = answer(result, self.keep_alive);
        if let Some(scopes) = needs {
            self.challenge.insufficient(&scopes, response.headers_mut());
        }
        response
    }

    /// Reads a body of limited size in limited time; of a larger one no more than that is kept.
    async fn read<B>(&self, headers: &HeaderMap, body: B) -> Result<Bytes, Fault>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<axum::BoxError>,
    {
        let limit = self.max_body_bytes;
        let announced = headers
            .get(header::CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if announced.is_some_and(|length| length > limit) {
            return Err(Fault::TooLarge(limit));
        }
        let size = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut read = pin!(Limited::new(body, size).collect());
        // A small body is here already, and then a timer would be work for nothing.
        let result = match read.as_mut().now_or_never() {
            Some(result) => result,
            None => tokio::time::timeout(self.body_timeout, read)
                .await
                .map_err(|_| Fault::TooSlow)?,
        };
        match result {
            Ok(body) => Ok(body.to_bytes()),
            Err(error) if error.is::<LengthLimitError>() => Err(Fault::TooLarge(limit)),
            // The connection broke; nobody reads the answer.
            Err(_) => Err(Fault::TooSlow),
        }
    }
}

/// `application/json`, `application/json-rpc` and every `+json`; a missing type is let pass.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_TYPE) else {
        return true;
    };
    if value == "application/json" {
        return true;
    }
    let text = value.to_str().unwrap_or_default();
    let essence = text.split(';').next().unwrap_or_default().trim();
    let essence = essence.to_ascii_lowercase();
    essence == "application/json" || essence == "application/json-rpc" || essence.ends_with("+json")
}

fn headers_of(headers: &HeaderMap) -> Headers<'_> {
    const PARAMETER: &str = "mcp-param-";
    let mut parameters = Vec::new();
    for name in headers.keys() {
        if let Some(rest) = name.as_str().strip_prefix(PARAMETER) {
            parameters.push((rest, single(headers, name.as_str())));
        }
    }
    Headers {
        version: single(headers, "mcp-protocol-version"),
        method: single(headers, "mcp-method"),
        name: single(headers, "mcp-name"),
        session: single(headers, "mcp-session-id"),
        parameters,
        trace: ["traceparent", "tracestate", "baggage"]
            .map(|name| headers.get(name).and_then(|value| value.to_str().ok())),
        streams: takes_streams(headers),
        forwarded: Vec::new(),
    }
}

/// What the operator lets pass to the upstream. Never what a caller was `recognised` by here: whoever has
/// that could call in the caller's name.
fn forwarded(
    headers: &HeaderMap,
    names: &[HeaderName],
    recognised: bool,
) -> Vec<(HeaderName, HeaderValue)> {
    let mut found = Vec::new();
    for name in names {
        if recognised && name == header::AUTHORIZATION {
            continue;
        }
        for value in headers.get_all(name) {
            let mut value = value.clone();
            value.set_sensitive(true);
            found.push((name.clone(), value));
        }
    }
    found
}

/// A header that may occur once. Of two values a proxy may have looked at the other one.
fn single<'a>(headers: &'a HeaderMap, name: &str) -> Header<'a> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Header::Absent,
        (Some(value), None) => match value.to_str() {
            Ok(text) => Header::Value(text.trim_matches([' ', '\t'])),
            Err(_) => Header::Unusable,
        },
        (Some(_), Some(_)) => Header::Unusable,
    }
}

/// Only a client that says what it accepts, and leaves event streams out, gets none.
fn takes_streams(headers: &HeaderMap) -> bool {
    let mut accepts = headers.get_all(header::ACCEPT).iter().peekable();
    accepts.peek().is_none()
        || accepts.any(|value| {
            let text = value.to_str().unwrap_or_default().to_ascii_lowercase();
            ["text/event-stream", "text/*", "*/*"]
                .iter()
                .any(|kind| text.contains(kind))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_was_recognised_by_is_not_handed_on() {
        let names = [header::AUTHORIZATION, HeaderName::from_static("x-tenant")];
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer k"));
        headers.insert("x-tenant", HeaderValue::from_static("t"));
        let handed_on = |recognised| -> Vec<HeaderName> {
            let found = forwarded(&headers, &names, recognised);
            assert!(found.iter().all(|(_, value)| value.is_sensitive()));
            found.into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(handed_on(true), names[1..]);
        assert_eq!(handed_on(false), names);
    }
}
