//! Answers as HTTP responses: one JSON body, or a stream of events.

use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, stream};
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::mcp::{Answer, Message, Messages};
use crate::transport::one_line;

static SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
static NO_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Whatever the protocol answers.
pub(super) fn answer(answer: Answer, keep_alive: Duration) -> Response {
    match answer {
        Answer::Nothing => empty(StatusCode::ACCEPTED),
        Answer::Message(answer) => message(answer),
        Answer::Stream(messages) => events(messages, keep_alive),
    }
}

/// One message.
pub(super) fn message(message: Message) -> Response {
    let status = StatusCode::from_u16(message.status).unwrap_or(StatusCode::OK);
    let mut response = json(status, message.body);
    if let Some(id) = message.session
        && let Ok(id) = HeaderValue::from_str(&id)
    {
        response.headers_mut().insert(SESSION.clone(), id);
    }
    if status == StatusCode::SERVICE_UNAVAILABLE {
        let soon = HeaderValue::from_static("1");
        response.headers_mut().insert(header::RETRY_AFTER, soon);
    }
    response
}

/// A JSON body.
pub(super) fn json(status: StatusCode, body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, JSON);
    harden(headers);
    response
}

/// A sentence for people.
pub(super) fn plain(status: StatusCode, text: &'static str) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    headers.insert(header::CONTENT_TYPE, kind);
    harden(headers);
    response
}

/// No body.
pub(super) fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    harden(response.headers_mut());
    response
}

/// Only these methods are served here.
pub(super) fn method_not_allowed(allow: &'static str) -> Response {
    let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "send messages with POST");
    let allow = HeaderValue::from_static(allow);
    response.headers_mut().insert(header::ALLOW, allow);
    response
}

/// A stream of server-sent events that says something at least every `keep_alive`, so that
/// proxies keep it open and a lost client is noticed.
pub(super) fn events(messages: Messages, keep_alive: Duration) -> Response {
    let frames = stream::unfold(messages, move |mut messages| async move {
        let frame = match tokio::time::timeout(keep_alive, messages.next()).await {
            Ok(message) => event(&one_line(message?)),
            Err(_) => Bytes::from_static(b": still here\n\n"),
        };
        Some((Ok::<_, std::convert::Infallible>(frame), messages))
    });
    let mut response = Response::new(Body::from_stream(frames));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, EVENT_STREAM);
    headers.insert(NO_BUFFERING.clone(), HeaderValue::from_static("no"));
    harden(headers);
    response
}

fn event(message: &[u8]) -> Bytes {
    const HEAD: &[u8] = b"event: message\ndata: ";
    let mut frame = BytesMut::with_capacity(HEAD.len() + message.len() + 2);
    frame.extend_from_slice(HEAD);
    frame.extend_from_slice(message);
    frame.extend_from_slice(b"\n\n");
    frame.freeze()
}

/// Answers are for this client and this moment, and are what they say they are.
fn harden(headers: &mut HeaderMap) {
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let strict = HeaderValue::from_static("nosniff");
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, strict);
}
