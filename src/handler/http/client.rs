//! The two ways to an upstream, and what comes back on either.

use std::time::Duration;

use ::http::header::{ACCEPT_ENCODING, CONTENT_LENGTH};
use ::http::{HeaderMap, HeaderValue, StatusCode};
use bytes::{Bytes, BytesMut};
use reqwest::redirect;

use super::body::{Body, Source};
use super::credentials::take_from_url;
use super::plain::{self, PlainClient};
use super::tls::Renewed;
use super::{ClientError, IDLE, MOST_HEADER_BYTES, Settings, fault};
use crate::binding::HttpPlan;
use crate::handler::HandleError;
use crate::outbound::Guard;

/// Space reserved for a body before its length has proved true, in bytes.
const FIRST_RESERVE: u64 = 1024 * 1024;

/// The content codings that can be undone.
const CODINGS: HeaderValue = HeaderValue::from_static("gzip, br, zstd, deflate");

/// Both clients, each with its connections.
#[derive(Debug)]
pub(super) struct Clients {
    /// For everything but plain HTTP.
    pub(super) full: Renewed,
    pub(super) plain: PlainClient,
}

impl Clients {
    pub(super) fn new(settings: &Settings, guard: &Guard) -> Result<Self, ClientError> {
        let connect_timeout = settings.connect_timeout;
        let own = guard.clone();
        let full = Renewed::new(&settings.tls, move || builder(connect_timeout, &own))?;
        Ok(Self {
            full,
            plain: PlainClient::new(connect_timeout, guard.clone()),
        })
    }

    /// Sends, and waits for status and headers.
    pub(super) async fn execute(&self, mut plan: Box<HttpPlan>) -> Result<Response, HandleError> {
        take_from_url(&mut plan);
        announce_nothing(&mut plan);
        plan.headers.entry(ACCEPT_ENCODING).or_insert(CODINGS);
        if plain::reaches(&plan.url) {
            let (head, body) = self.plain.send(plan).await?.into_parts();
            return Ok(Response::new(head, Source::Plain(body)));
        }
        let mut request = reqwest::Request::new(plan.method, plan.url);
        *request.headers_mut() = plan.headers;
        *request.body_mut() = plan.body.map(reqwest::Body::from);
        let sent = Box::pin(self.full.send(request)).await;
        let (head, body) = ::http::Response::from(sent.map_err(classify)?).into_parts();
        Ok(Response::new(head, Source::Full(body)))
    }
}

/// Says that there is no body where the method makes one expected (RFC 9110, section 8.6): some servers answer 411
/// otherwise.
fn announce_nothing(plan: &mut HttpPlan) {
    let is_empty = plan.body.as_ref().is_none_or(Bytes::is_empty);
    let expects = matches!(plan.method.as_str(), "POST" | "PUT" | "PATCH" | "QUERY");
    if is_empty && expects {
        plan.headers.insert(CONTENT_LENGTH, HeaderValue::from(0));
    }
}

/// An answer of either client, its body still to be read.
pub(super) struct Response {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Body,
}

impl Response {
    fn new(mut head: ::http::response::Parts, source: Source) -> Self {
        let body = Body::new(&mut head.headers, source);
        Self {
            status: head.status,
            headers: head.headers,
            body,
        }
    }
}

/// What has come so far; a body of one chunk is not copied.
#[derive(Default)]
pub(super) struct Gathered {
    first: Option<Bytes>,
    rest: BytesMut,
}

impl Gathered {
    pub(super) fn len(&self) -> usize {
        self.first.as_ref().map_or(self.rest.len(), Bytes::len)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn push(&mut self, chunk: Bytes, announced: Option<u64>) {
        match self.first.take() {
            None if self.rest.is_empty() => self.first = Some(chunk),
            None => self.rest.extend_from_slice(&chunk),
            Some(start) => {
                let expected = announced.unwrap_or(0).min(FIRST_RESERVE);
                let expected = usize::try_from(expected).unwrap_or(0);
                self.rest.reserve(expected.max(start.len() + chunk.len()));
                self.rest.extend_from_slice(&start);
                self.rest.extend_from_slice(&chunk);
            }
        }
    }

    pub(super) fn into_bytes(self) -> Bytes {
        self.first.unwrap_or_else(|| self.rest.freeze())
    }
}

pub(super) fn builder(connect_timeout: Duration, guard: &Guard) -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .tls_backend_rustls()
        // Some services refuse requests without one (RFC 9110, section 10.1.5).
        .user_agent(concat!("mcpinvoke/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .referer(false)
        // Undone by `body`, whichever client an answer comes by.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .no_proxy()
        .tcp_nodelay(true)
        .connect_timeout(connect_timeout)
        .dns_resolver(guard.clone())
        .http2_max_header_list_size(MOST_HEADER_BYTES)
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(usize::MAX)
}

/// The length the upstream announced; gone where a content coding was undone.
pub(super) fn announced(headers: &HeaderMap) -> Option<u64> {
    let length = headers.get(CONTENT_LENGTH)?;
    length.to_str().ok()?.trim().parse().ok()
}

fn classify(error: reqwest::Error) -> HandleError {
    // The URL may hold secrets; the plan has it anyway.
    let error = error.without_url();
    let otherwise = if error.is_connect() {
        HandleError::Connect
    } else if error.is_builder() {
        HandleError::Request
    } else {
        HandleError::Broken
    };
    fault::classify(error, otherwise)
}
