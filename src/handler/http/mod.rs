//! Sending HTTP requests through one pooled client.

mod plain;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::time::{Duration, Instant};

use ::http::header::CONTENT_LENGTH;
use ::http::{HeaderMap, StatusCode};
use bytes::{Bytes, BytesMut};
use reqwest::redirect;

use self::plain::{PlainClient, PlainResponse};
use super::reply::{Cut, HandleError, HttpReply};
use crate::binding::HttpPlan;
use crate::tool::Progress;

/// How long an idle connection is kept for the next call.
const IDLE: Duration = Duration::from_secs(60);
/// Progress is reported at most this often.
const REPORT_EVERY: Duration = Duration::from_millis(100);
/// Space reserved for a body before its length has proved true, in bytes.
const FIRST_RESERVE: u64 = 1024 * 1024;

/// How requests are sent.
#[derive(Debug, Clone)]
pub struct Settings {
    /// For a connection to be made.
    pub connect_timeout: Duration,
    /// For a whole call, where the call has no deadline of its own.
    pub timeout: Duration,
    /// Longer bodies are cut, in bytes.
    pub max_reply_bytes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(30),
            max_reply_bytes: 8 * 1024 * 1024,
        }
    }
}

/// The HTTP client.
#[derive(Debug)]
pub struct HttpHandler {
    client: reqwest::Client,
    plain: PlainClient,
    timeout: Duration,
    max_reply_bytes: u64,
}

/// The client cannot be built.
#[derive(Debug, thiserror::Error)]
#[error("the http client cannot be set up")]
pub struct ClientError(#[source] Box<dyn Error + Send + Sync>);

impl HttpHandler {
    /// Builds the client: redirects are answers like any other, and no proxy is taken from the environment.
    ///
    /// # Errors
    /// [`ClientError`] when the TLS set-up fails.
    pub fn new(settings: &Settings) -> Result<Self, ClientError> {
        // Fails when a provider is installed already, which then serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = builder(settings)
            .build()
            .or_else(|_| {
                // A machine without root certificates can still call plain http.
                builder(settings).tls_certs_only(std::iter::empty()).build()
            })
            .map_err(|error| ClientError(error.into()))?;
        Ok(Self {
            client,
            plain: PlainClient::new(settings.connect_timeout),
            timeout: settings.timeout,
            max_reply_bytes: settings.max_reply_bytes,
        })
    }

    /// Sends one request and reads the answer up to the limit. Dropping the future drops the
    /// connection.
    ///
    /// # Errors
    /// [`HandleError`] when no complete answer came.
    pub async fn send(
        &self,
        plan: HttpPlan,
        progress: &dyn Progress,
    ) -> Result<HttpReply, HandleError> {
        let mut reporter = Reporter::new(progress);
        tokio::time::timeout(self.timeout, self.exchange(plan, &mut reporter))
            .await
            .unwrap_or(Err(HandleError::Timeout(self.timeout)))
    }

    async fn exchange(
        &self,
        plan: HttpPlan,
        reporter: &mut Reporter<'_>,
    ) -> Result<HttpReply, HandleError> {
        reporter.sent();
        let mut response = self.execute(plan).await?;
        let announced = announced(response.headers());
        reporter.headers(response.status(), announced);
        let (body, cut) = self.body(&mut response, announced, reporter).await?;
        Ok(HttpReply {
            status: response.status(),
            headers: response.into_headers(),
            body,
            cut,
        })
    }

    async fn execute(&self, plan: HttpPlan) -> Result<Response, HandleError> {
        if plain::reaches(&plan.url) {
            return self.plain.send(plan).await.map(Response::Plain);
        }
        let mut request = reqwest::Request::new(plan.method, plan.url);
        *request.headers_mut() = plan.headers;
        *request.body_mut() = plan.body.map(reqwest::Body::from);
        let sent = self.client.execute(request).await;
        sent.map(Response::Full).map_err(classify)
    }

    /// Reads chunks until the end or the limit; a body of one chunk is not copied.
    async fn body(
        &self,
        response: &mut Response,
        announced: Option<u64>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(Bytes, Option<Cut>), HandleError> {
        let limit = usize::try_from(self.max_reply_bytes).unwrap_or(usize::MAX);
        let mut first: Option<Bytes> = None;
        let mut rest = BytesMut::new();
        while let Some(chunk) = response.chunk().await? {
            let have = first.as_ref().map_or(0, Bytes::len).max(rest.len());
            let room = limit - have;
            let cut = (chunk.len() > room).then_some(Cut {
                limit: self.max_reply_bytes,
                announced,
            });
            let chunk = chunk.slice(..chunk.len().min(room));
            reporter.body(have + chunk.len(), announced);
            match first.take() {
                None if rest.is_empty() => first = Some(chunk),
                None => rest.extend_from_slice(&chunk),
                Some(start) => {
                    let expected = announced.unwrap_or(0).min(FIRST_RESERVE);
                    let expected = usize::try_from(expected).unwrap_or(0);
                    rest.reserve(expected.max(start.len() + chunk.len()));
                    rest.extend_from_slice(&start);
                    rest.extend_from_slice(&chunk);
                }
            }
            if cut.is_some() {
                return Ok((first.unwrap_or_else(|| rest.freeze()), cut));
            }
        }
        Ok((first.unwrap_or_else(|| rest.freeze()), None))
    }
}

/// An answer of either client, its body still to be read.
enum Response {
    Plain(PlainResponse),
    Full(reqwest::Response),
}

impl Response {
    fn status(&self) -> StatusCode {
        match self {
            Self::Plain(response) => response.status,
            Self::Full(response) => response.status(),
        }
    }

    fn headers(&self) -> &HeaderMap {
        match self {
            Self::Plain(response) => &response.headers,
            Self::Full(response) => response.headers(),
        }
    }

    fn into_headers(self) -> HeaderMap {
        match self {
            Self::Plain(response) => response.headers,
            Self::Full(mut response) => std::mem::take(response.headers_mut()),
        }
    }

    async fn chunk(&mut self) -> Result<Option<Bytes>, HandleError> {
        match self {
            Self::Plain(response) => response.chunk().await,
            Self::Full(response) => response.chunk().await.map_err(classify),
        }
    }
}

fn builder(settings: &Settings) -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .tls_backend_rustls()
        // Some services refuse requests without one (RFC 9110, section 10.1.5).
        .user_agent(concat!("mcpinvoke/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .referer(false)
        .no_proxy()
        .tcp_nodelay(true)
        .connect_timeout(settings.connect_timeout)
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(usize::MAX)
}

/// The length the upstream announced; gone where a content coding was undone.
fn announced(headers: &HeaderMap) -> Option<u64> {
    let length = headers.get(CONTENT_LENGTH)?;
    length.to_str().ok()?.trim().parse().ok()
}

fn classify(error: reqwest::Error) -> HandleError {
    // The URL may hold secrets; the plan has it anyway.
    let error = error.without_url();
    if error.is_connect() {
        HandleError::Connect(error.into())
    } else if error.is_builder() {
        HandleError::Request(error.into())
    } else {
        HandleError::Broken(error.into())
    }
}

/// Tells how far a call is where somebody listens. What is counted must grow from one report to the next
/// (MCP, "progress"), so sending and the answer's head count one each, and each byte after them one.
struct Reporter<'a> {
    progress: Option<&'a dyn Progress>,
    last: Option<Instant>,
}

const SENT: u64 = 1;
const ANSWERED: u64 = 2;

impl<'a> Reporter<'a> {
    fn new(progress: &'a dyn Progress) -> Self {
        Self {
            progress: progress.wanted().then_some(progress),
            last: None,
        }
    }

    fn sent(&self) {
        if let Some(progress) = self.progress {
            progress.report(SENT, None, "request sent");
        }
    }

    fn headers(&self, status: ::http::StatusCode, announced: Option<u64>) {
        if let Some(progress) = self.progress {
            let message = format!("the service answers with {}", status.as_u16());
            progress.report(ANSWERED, total(announced), &message);
        }
    }

    fn body(&mut self, received: usize, announced: Option<u64>) {
        let Some(progress) = self.progress else {
            return;
        };
        let recently = self.last.is_some_and(|last| last.elapsed() < REPORT_EVERY);
        if recently || received == 0 {
            return;
        }
        self.last = Some(Instant::now());
        let received = received as u64;
        let message = match announced {
            Some(length) => format!("received {received} of {length} bytes"),
            None => format!("received {received} bytes"),
        };
        progress.report(ANSWERED + received, total(announced), &message);
    }
}

fn total(announced: Option<u64>) -> Option<u64> {
    announced.map(|length| length.saturating_add(ANSWERED))
}
