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
use http::header::{self, HeaderMap};
use http::{Extensions, Method, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

use super::Shared;
use super::headers::{forwarded, headers_of, is_json};
use super::respond::{answer, empty, events, message, method_not_allowed};
use super::unread;
use crate::mcp::{Accepted, Answer, Fault, Header, Message, Work, needs_tools};
use crate::tool::Caller;

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
        _ if shared.server.has_sessions() => method_not_allowed("GET, POST, DELETE"),
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
    if !shared.is_ready_for(&body).await {
        let modern = headers_of(&parts.headers).says_modern();
        let refusal = shared.server.refuse_request(&body, Fault::NotReady, modern);
        return Begun::Answered(message(refusal));
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
    /// Whether there is what it takes to answer; for tools that are still being loaded a request waits a moment.
    async fn is_ready_for(&self, body: &[u8]) -> bool {
        let readiness = &self.readiness;
        readiness.is_ready() || !needs_tools(body) || readiness.wait(self.ready_wait).await
    }

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
