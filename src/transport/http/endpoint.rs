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
use super::unread;
use crate::mcp::{Accepted, Answer, Fault, Header, Headers, Message, Work};
use crate::tool::{Caller, essence};

pub(super) async fn handle(State(shared): State<Arc<Shared>>, mut request: Request) -> Response {
    let caller = request.extensions_mut().remove();
    let begun = begin(&shared, request, caller).await;
    finish(&shared, begun).await
}

/// A request that is read.
#[derive(Debug)]
pub(super) enum Begun {
    /// There is nothing left to do.
    Answered(Response),
    /// What it takes until it is answered.
    Work(Work),
}

/// Reads a request of this caller, where it is known whose it is. Apart from what follows, so that it takes no room
/// while a call is under way.
pub(super) async fn begin<B>(
    shared: &Shared,
    request: http::Request<B>,
    caller: Option<Caller>,
) -> Begun
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<axum::BoxError>,
{
    if *request.method() == Method::POST {
        return post(shared, request, caller).await;
    }
    let (parts, body) = request.into_parts();
    let response = match parts.method {
        Method::GET => get(shared, &parts.headers, caller.as_ref()),
        Method::DELETE => delete(shared, &parts.headers, caller.as_ref()),
        _ => method_not_allowed("POST"),
    };
    Begun::Answered(shared.unread(&parts.headers, body, response).await)
}

/// Does what a request asks for.
pub(super) async fn finish(shared: &Shared, begun: Begun) -> Response {
    match begun {
        Begun::Answered(response) => response,
        Begun::Work(work) => shared.answer(work.finish().await),
    }
}

async fn post<B>(shared: &Shared, request: http::Request<B>, caller: Option<Caller>) -> Begun
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<axum::BoxError>,
{
    let (parts, body) = request.into_parts();
    let refuse = |fault| {
        let modern = headers_of(&parts.headers).says_modern();
        message(shared.server.refuse(fault, modern))
    };
    if !is_json(&parts.headers) {
        let refusal = refuse(Fault::NotJson);
        return Begun::Answered(shared.unread(&parts.headers, body, refusal).await);
    }
    let body = match shared.read(&parts.headers, body).await {
        Ok(body) => body,
        Err(fault) => return Begun::Answered(unread::last(refuse(fault))),
    };
    if !shared.readiness.wait(shared.ready_wait).await {
        return Begun::Answered(refuse(Fault::NotReady));
    }
    let mut headers = headers_of(&parts.headers);
    headers.forwarded = forwarded(&parts.headers, &shared.forward_headers, caller.is_some());
    let caller = caller.as_ref().unwrap_or(&shared.anonymous);
    match shared.server.post(&body, &headers, caller) {
        Accepted::Now(result) => Begun::Answered(shared.answer(result)),
        Accepted::Later(work) => Begun::Work(work),
    }
}

fn get(shared: &Shared, headers: &HeaderMap, caller: Option<&Caller>) -> Response {
    let headers = headers_of(headers);
    if let Err(refusal) = shared.server.check_version(&headers) {
        return message(refusal);
    }
    let caller = caller.unwrap_or(&shared.anonymous);
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

fn delete(shared: &Shared, headers: &HeaderMap, caller: Option<&Caller>) -> Response {
    let headers = headers_of(headers);
    if let Err(refusal) = shared.server.check_version(&headers) {
        return message(refusal);
    }
    let caller = caller.unwrap_or(&shared.anonymous);
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

    /// Answers a request whose body nobody looks at. In a box, so that it takes no room while a call is under way.
    fn unread<B>(
        &self,
        headers: &HeaderMap,
        body: B,
        response: Response,
    ) -> impl Future<Output = Response>
    where
        B: http_body::Body<Data = Bytes>,
    {
        let (waits, limit) = (unread::waits(headers), self.max_body_bytes);
        Box::pin(unread::answer(waits, body, limit, response))
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
            Err(_) => Err(Fault::Broken),
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
    let essence = essence(value.to_str().unwrap_or_default()).to_ascii_lowercase();
    essence == "application/json" || essence == "application/json-rpc" || essence.ends_with("+json")
}

/// What the protocol looks at, found in one pass.
fn headers_of(headers: &HeaderMap) -> Headers<'_> {
    const PARAMETER: &str = "mcp-param-";
    let mut found = Headers {
        streams: takes_streams(headers),
        ..Headers::default()
    };
    for (name, value) in headers {
        match name.as_str() {
            "mcp-protocol-version" => once(&mut found.version, value),
            "mcp-method" => once(&mut found.method, value),
            "mcp-name" => once(&mut found.name, value),
            "mcp-session-id" => once(&mut found.session, value),
            "traceparent" => first(&mut found.trace[0], value),
            "tracestate" => first(&mut found.trace[1], value),
            "baggage" => first(&mut found.trace[2], value),
            other => {
                if let Some(parameter) = other.strip_prefix(PARAMETER) {
                    found.parameters.push((parameter, read(value)));
                }
            }
        }
    }
    found
}

/// A header that may occur once. Of two values a proxy may have looked at the other one.
fn once<'a>(header: &mut Header<'a>, value: &'a HeaderValue) {
    *header = match header {
        Header::Absent => read(value),
        Header::Value(_) | Header::Unusable => Header::Unusable,
    };
}

fn first<'a>(header: &mut Option<&'a str>, value: &'a HeaderValue) {
    *header = header.or_else(|| value.to_str().ok());
}

fn read(value: &HeaderValue) -> Header<'_> {
    match value.to_str() {
        Ok(text) => Header::Value(text.trim_ascii()),
        Err(_) => Header::Unusable,
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

/// Only a client that says what it accepts, and leaves event streams out, gets none. Of several ranges the one that
/// says most of them counts, and a weight of 0 is a no (RFC 9110, section 12.5.1).
fn takes_streams(headers: &HeaderMap) -> bool {
    let mut accepts = headers.get_all(header::ACCEPT).iter().peekable();
    if accepts.peek().is_none() {
        return true;
    }
    let texts = accepts.map(HeaderValue::as_bytes);
    let (mut closest, mut takes) = (None, false);
    for range in texts.flat_map(|text| text.split(|byte| *byte == b',')) {
        let mut parts = range.split(|byte| *byte == b';');
        let kind = parts.next().unwrap_or_default().trim_ascii();
        let kinds: [&[u8]; 3] = [b"*/*", b"text/*", b"text/event-stream"];
        let is_kind = |known: &&[u8]| kind.eq_ignore_ascii_case(known);
        let Some(close) = kinds.iter().position(is_kind) else {
            continue;
        };
        if closest <= Some(close) {
            closest = Some(close);
            takes = !parts.any(is_weight_of_nothing);
        }
    }
    takes
}

fn is_weight_of_nothing(parameter: &[u8]) -> bool {
    let parameter = std::str::from_utf8(parameter).unwrap_or_default();
    parameter.split_once('=').is_some_and(|(name, value)| {
        name.trim().eq_ignore_ascii_case("q") && value.trim().parse() == Ok(0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_came_twice_says_nothing() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("mcp-method", " tools/call\t"),
            ("mcp-name", "a"),
            ("mcp-name", "a"),
            ("mcp-session-id", "s\u{e9}"),
            ("mcp-param-x", "1"),
            ("mcp-param-x", "2"),
            ("traceparent", "00-1"),
            ("traceparent", "00-2"),
        ] {
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let found = headers_of(&headers);
        assert_eq!(found.version, Header::Absent);
        assert_eq!(found.method, Header::Value("tools/call"));
        assert_eq!([found.name, found.session], [Header::Unusable; 2]);
        let parameters = [("x", Header::Value("1")), ("x", Header::Value("2"))];
        assert_eq!(found.parameters, parameters);
        assert_eq!(found.trace, [Some("00-1"), None, None]);
        assert!(found.streams);
    }

    #[test]
    fn streams_are_for_those_who_take_them() {
        for (accept, takes) in [
            (&[][..], true),
            (&["application/json, text/event-stream"], true),
            (&["application/json", "Text/Event-Stream"], true),
            (&["application/json"], false),
            (&[""], false),
            (&["*/*"], true),
            (&["text/*;q=0.1"], true),
            (&["text/event-stream; charset=utf-8; q=1"], true),
            (&["application/json, text/event-stream;q=0"], false),
            (&["application/json, */*; Q=0.000"], false),
            (&["*/*, text/event-stream;q=0"], false),
            (&["text/event-stream;q=0", "*/*"], false),
            (&["text/event-stream, */*;q=0"], true),
            (&["text/*;q=0, text/event-stream"], true),
            (&["text/event-stream-2"], false),
        ] {
            let mut headers = HeaderMap::new();
            for value in accept {
                headers.append(header::ACCEPT, HeaderValue::from_static(value));
            }
            assert_eq!(takes_streams(&headers), takes, "{accept:?}");
        }
    }

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
