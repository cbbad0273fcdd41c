//! Sending HTTP requests through one pooled client.

mod framing;
mod plain;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::time::{Duration, Instant};

use ::http::header::CONTENT_LENGTH;
use ::http::{HeaderMap, StatusCode};
use bytes::{Bytes, BytesMut};
use reqwest::redirect;

use self::framing::Counter;
use self::plain::{PlainClient, PlainResponse};
use super::reply::{Cut, CutBy, HandleError, HttpReply};
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
    /// For a call whose answer is a stream: what has come by then is the answer. As long as `timeout` where
    /// absent.
    pub stream_timeout: Option<Duration>,
    /// Longer bodies are cut, in bytes.
    pub max_reply_bytes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(30),
            stream_timeout: None,
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
    stream_timeout: Duration,
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
            stream_timeout: settings.stream_timeout.unwrap_or(settings.timeout),
            max_reply_bytes: settings.max_reply_bytes,
        })
    }

    /// Sends one request and reads the answer up to the limit. Of an answer that is a stream, what has come
    /// by its deadline, or before the connection broke, is the answer. Dropping the future drops the
    /// connection.
    ///
    /// # Errors
    /// [`HandleError`] when no complete answer came.
    pub async fn send(
        &self,
        plan: HttpPlan,
        progress: &dyn Progress,
    ) -> Result<HttpReply, HandleError> {
        let started = tokio::time::Instant::now();
        let late = || HandleError::Timeout(self.timeout);
        let mut reporter = Reporter::new(progress);
        let head = self.head(plan, &mut reporter);
        let head = tokio::time::timeout_at(started + self.timeout, head).await;
        let mut response = head.unwrap_or_else(|_| Err(late()))?;
        let announced = announced(response.headers());
        let streams = reporter.counter.is_some();
        let patience = if streams {
            self.stream_timeout
        } else {
            self.timeout
        };
        let mut gathered = Gathered::default();
        let read = self.body(&mut response, announced, &mut gathered, &mut reporter);
        let cut = |by| Ok(Some(Cut { by, announced }));
        let result = tokio::time::timeout_at(started + patience, read).await;
        let cut = match result {
            Ok(Err(error)) if streams && !gathered.is_empty() => {
                tracing::debug!(?error, "a stream broke off");
                cut(CutBy::Break)
            }
            Ok(result) => result,
            Err(_) if streams => cut(CutBy::Time(patience)),
            Err(_) => Err(late()),
        }?;
        Ok(HttpReply {
            status: response.status(),
            headers: response.into_headers(),
            body: gathered.into_bytes(),
            cut,
        })
    }

    /// Sends, and waits for status and headers.
    async fn head(
        &self,
        plan: HttpPlan,
        reporter: &mut Reporter<'_>,
    ) -> Result<Response, HandleError> {
        reporter.sent();
        let response = self.execute(plan).await?;
        reporter.headers(&response);
        Ok(response)
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

    /// Reads chunks until the end or the limit.
    async fn body(
        &self,
        response: &mut Response,
        announced: Option<u64>,
        gathered: &mut Gathered,
        reporter: &mut Reporter<'_>,
    ) -> Result<Option<Cut>, HandleError> {
        let limit = usize::try_from(self.max_reply_bytes).unwrap_or(usize::MAX);
        while let Some(chunk) = response.chunk().await? {
            let room = limit - gathered.len();
            let cut = (chunk.len() > room).then_some(Cut {
                by: CutBy::Length(self.max_reply_bytes),
                announced,
            });
            let chunk = chunk.slice(..chunk.len().min(room));
            reporter.body(&chunk, gathered.len() + chunk.len(), announced);
            gathered.push(chunk, announced);
            if cut.is_some() {
                return Ok(cut);
            }
        }
        Ok(None)
    }
}

/// What has come so far; a body of one chunk is not copied.
#[derive(Default)]
struct Gathered {
    first: Option<Bytes>,
    rest: BytesMut,
}

impl Gathered {
    fn len(&self) -> usize {
        self.first.as_ref().map_or(self.rest.len(), Bytes::len)
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn push(&mut self, chunk: Bytes, announced: Option<u64>) {
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

    fn into_bytes(self) -> Bytes {
        self.first.unwrap_or_else(|| self.rest.freeze())
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
/// (MCP, "progress"), so sending and the answer's head count one each, and after them each byte, or each item
/// of a stream, counts one.
struct Reporter<'a> {
    progress: Option<&'a dyn Progress>,
    last: Option<Instant>,
    /// Set when the answer's head says that a stream follows.
    counter: Option<Counter>,
    items: u64,
}

const SENT: u64 = 1;
const ANSWERED: u64 = 2;

impl<'a> Reporter<'a> {
    fn new(progress: &'a dyn Progress) -> Self {
        Self {
            progress: progress.wanted().then_some(progress),
            last: None,
            counter: None,
            items: 0,
        }
    }

    fn sent(&self) {
        if let Some(progress) = self.progress {
            progress.report(SENT, None, "request sent");
        }
    }

    fn headers(&mut self, response: &Response) {
        self.counter = Counter::of(response.headers());
        if let Some(progress) = self.progress {
            // A length in bytes says nothing about the number of items.
            let length = announced(response.headers()).filter(|_| self.counter.is_none());
            let status = response.status().as_u16();
            let message = format!("the service answers with {status}");
            progress.report(ANSWERED, total(length), &message);
        }
    }

    fn body(&mut self, chunk: &[u8], received: usize, announced: Option<u64>) {
        let Some(progress) = self.progress else {
            return;
        };
        if let Some(counter) = &mut self.counter {
            let count = counter.take(chunk);
            for item in self.items + 1..=count {
                let message = format!("{} {item}", counter.noun());
                progress.report(ANSWERED + item, None, &message);
            }
            self.items = count;
            return;
        }
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
