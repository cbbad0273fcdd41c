//! Answers as HTTP responses: one JSON body, or a stream of events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, stream};
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body::{Frame, SizeHint};

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
    let mut response = match message.body.into_single() {
        Ok(bytes) => json(status, bytes),
        Err(pieces) => json(status, Body::new(InPieces::new(pieces))),
    };
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
pub(super) fn json(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, JSON);
    harden(headers);
    response
}

/// A body of a known length whose pieces are written together.
struct InPieces {
    pieces: VecDeque<Bytes>,
}

impl InPieces {
    fn new(pieces: Vec<Bytes>) -> Self {
        let pieces = pieces.into();
        Self { pieces }
    }
}

impl http_body::Body for InPieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.pieces.pop_front().map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.pieces.iter().map(|piece| piece.len() as u64).sum())
    }
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
        Some((Ok::<_, Infallible>(frame), messages))
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
