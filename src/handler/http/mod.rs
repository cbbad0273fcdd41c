//! Sending HTTP requests through pooled clients.

mod body;
mod client;
mod coding;
pub mod credentials;
mod fault;
mod framing;
mod outbound;
mod plain;
mod reader;
mod redirect;
mod report;
mod tls;

#[cfg(test)]
mod tests;

use std::error::Error;
use std::pin::pin;
use std::time::Duration;

use ::http::StatusCode;
use tokio::time::Instant;

use self::client::{Clients, Gathered, Response, announced};
use self::credentials::{CredentialError, Credentials, Issuer, Used};
use self::outbound::Outbound;
pub use self::reader::Reader;
use self::report::Reporter;
use super::reply::{Cut, CutBy, HandleError, HttpReply};
use crate::binding::HttpPlan;
use crate::tool::{HttpTarget, NoProgress, Progress, SecurityNeed, SubjectToken};

pub use self::outbound::{Redirects, Settings as OutboundSettings};

/// How long an idle connection is kept for the next call.
const IDLE: Duration = Duration::from_secs(60);

/// Longer header sections of answers are refused, in bytes.
const MOST_HEADER_BYTES: u32 = 256 * 1024;

/// How requests are sent.
#[derive(Debug, Clone)]
pub struct Settings {
    /// For a connection to be made.
    pub connect_timeout: Duration,
    /// For a whole call, with the tokens it needs and the redirects it follows.
    pub timeout: Duration,
    /// For a call whose answer is a stream: what has come by then is the answer. As long as `timeout` where
    /// absent.
    pub stream_timeout: Option<Duration>,
    /// Longer bodies are cut, in bytes.
    pub max_reply_bytes: u64,
    /// What upstreams are shown.
    pub credentials: credentials::Settings,
    /// Certificates towards upstreams.
    pub tls: credentials::Tls,
    /// Where requests may go.
    pub outbound: OutboundSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(30),
            stream_timeout: None,
            max_reply_bytes: 8 * 1024 * 1024,
            credentials: credentials::Settings::default(),
            tls: credentials::Tls::default(),
            outbound: OutboundSettings::default(),
        }
    }
}

/// The HTTP client.
#[derive(Debug)]
pub struct HttpHandler {
    clients: Clients,
    credentials: Credentials,
    outbound: Outbound,
    timeout: Duration,
    stream_timeout: Duration,
    max_reply_bytes: u64,
}

/// The client cannot be built.
#[derive(Debug, thiserror::Error)]
#[error("the http client cannot be set up")]
pub struct ClientError(#[source] Box<dyn Error + Send + Sync>);

/// One call of an operation; its time runs since `started`, whatever it takes.
#[derive(Clone, Copy)]
struct Exchange<'a> {
    target: &'a HttpTarget,
    subject: Option<&'a SubjectToken>,
    started: Instant,
}

/// Whose request it is, and what it needs.
struct Asker<'a> {
    needs: &'a [&'a SecurityNeed],
    subject: Option<&'a SubjectToken>,
    started: Instant,
}

impl HttpHandler {
    /// Builds the client: redirects are answers like any other, and no proxy is taken from the environment.
    ///
    /// # Errors
    /// [`ClientError`] when the TLS set-up fails.
    pub fn new(settings: &Settings) -> Result<Self, ClientError> {
        // Fails when a provider is installed already, which then serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let outbound = Outbound::new(&settings.outbound);
        Ok(Self {
            clients: Clients::new(settings, outbound.guard())?,
            credentials: Credentials::new(&settings.credentials, settings.tls.identity.is_some()),
            outbound,
            timeout: settings.timeout,
            stream_timeout: settings.stream_timeout.unwrap_or(settings.timeout),
            max_reply_bytes: settings.max_reply_bytes,
        })
    }

    /// Sends one request and reads the answer up to the limit. Of an answer that is a stream, what has come
    /// by its deadline, or before the connection broke, is the answer; so is what has come of a failure's body
    /// before it broke off. Dropping the future drops the connection.
    ///
    /// # Errors
    /// [`HandleError`] when no complete answer came.
    pub async fn send(
        &self,
        plan: HttpPlan,
        progress: &dyn Progress,
    ) -> Result<HttpReply, HandleError> {
        let mut reporter = Reporter::new(progress);
        self.deliver(Box::new(plan), &mut reporter, Instant::now())
            .await
    }

    /// The same with the credentials the operation asks for, as far as the operator gave them. They go to
    /// the operation's own host alone. `subject` is the caller's own token, for operations that are called
    /// on his behalf. Redirects within the host are followed where the settings say so.
    ///
    /// # Errors
    /// [`HandleError`] when no complete answer came, or when a token could not be had.
    pub async fn send_for(
        &self,
        target: &HttpTarget,
        plan: Box<HttpPlan>,
        subject: Option<&SubjectToken>,
        progress: &dyn Progress,
    ) -> Result<HttpReply, HandleError> {
        let exchange = Exchange {
            target,
            subject,
            started: Instant::now(),
        };
        if self.outbound.redirects() == Redirects::None {
            return self.once(exchange, plan, progress).await;
        }
        Box::pin(self.followed(exchange, plan, progress)).await
    }

    /// The same, and where a redirect leads to.
    async fn followed(
        &self,
        exchange: Exchange<'_>,
        mut plan: Box<HttpPlan>,
        mut progress: &dyn Progress,
    ) -> Result<HttpReply, HandleError> {
        for _ in 0..redirect::MOST {
            let reply = self.once(exchange, plan.clone(), progress).await?;
            let Some(next) = redirect::next(*plan, &reply) else {
                return Ok(reply);
            };
            plan = Box::new(next);
            // What is counted never decreases.
            progress = &NoProgress;
        }
        self.once(exchange, plan, progress).await
    }

    /// One request, with its credentials.
    async fn once(
        &self,
        exchange: Exchange<'_>,
        plan: Box<HttpPlan>,
        progress: &dyn Progress,
    ) -> Result<HttpReply, HandleError> {
        let Exchange {
            target,
            subject,
            started,
        } = exchange;
        let needs = self.credentials.choose(target);
        if needs.is_empty() || plan.url.origin() != target.base.origin() {
            let mut reporter = Reporter::new(progress);
            return self.deliver(plan, &mut reporter, started).await;
        }
        let asker = Asker {
            needs: &needs,
            subject,
            started,
        };
        Box::pin(self.authorized(&asker, plan, progress)).await
    }

    /// Whether the operation asks for credentials and will be called without.
    #[must_use]
    pub fn lacks_credentials(&self, target: &HttpTarget) -> bool {
        self.credentials.lacks(target)
    }

    /// A token that ended early is replaced once: 401 says that nothing was done (RFC 9110, section 15.5.2).
    async fn authorized(
        &self,
        asker: &Asker<'_>,
        plan: Box<HttpPlan>,
        progress: &dyn Progress,
    ) -> Result<HttpReply, HandleError> {
        let mut first = plan.clone();
        let used = self.authorize(asker, &mut first).await?;
        let mut reporter = Reporter::new(progress);
        let reply = self.deliver(first, &mut reporter, asker.started).await?;
        if reply.status != StatusCode::UNAUTHORIZED || used.is_empty() {
            return Ok(reply);
        }
        let forgotten = async {
            for token in used {
                token.forget().await;
            }
        };
        // Another call may be fetching one just now, and this one's time is not longer for that.
        let end = asker.started + self.timeout;
        if tokio::time::timeout_at(end, forgotten).await.is_err() {
            return Ok(reply);
        }
        let mut second = plan;
        self.authorize(asker, &mut second).await?;
        let silent = &mut Reporter::silent();
        self.deliver(second, silent, asker.started).await
    }

    /// Adds the credentials, for which a token may have to be fetched in the time of the call.
    async fn authorize(
        &self,
        asker: &Asker<'_>,
        plan: &mut HttpPlan,
    ) -> Result<Vec<Used>, HandleError> {
        let from = Issuer {
            client: &self.clients.full,
            outbound: &self.outbound,
            subject: asker.subject,
        };
        let added = self.credentials.add(&from, asker.needs, plan);
        match tokio::time::timeout_at(asker.started + self.timeout, added).await {
            Ok(Err(CredentialError::NoSubject(_))) => Err(HandleError::NoSubject),
            Ok(added) => added.map_err(|error| HandleError::Credentials(error.into())),
            // Of the call itself nothing was sent yet.
            Err(_) => Err(HandleError::Credentials(
                CredentialError::Late(self.timeout).into(),
            )),
        }
    }

    /// One exchange; its time runs since `started`.
    async fn deliver(
        &self,
        plan: Box<HttpPlan>,
        reporter: &mut Reporter<'_>,
        started: Instant,
    ) -> Result<HttpReply, HandleError> {
        let late = || HandleError::Timeout(self.timeout);
        // Pinned before it goes into the timeout, which would otherwise be a second place for it.
        let head = {
            let head = pin!(self.head(plan, reporter));
            tokio::time::timeout_at(started + self.timeout, head).await
        };
        let mut response = head.unwrap_or_else(|_| Err(late()))?;
        let announced = announced(&response.headers);
        let streams = reporter.streams();
        let patience = if streams {
            self.stream_timeout
        } else {
            self.timeout
        };
        let mut gathered = Gathered::default();
        let cut = |by| Ok(Some(Cut { by, announced }));
        let result = {
            let read = pin!(self.body(&mut response, announced, &mut gathered, reporter));
            tokio::time::timeout_at(started + patience, read).await
        };
        let cut = match result {
            // What is there tells more than that something is not: events that came, or that the request failed.
            Ok(Err(error))
                if (streams && !gathered.is_empty()) || !response.status.is_success() =>
            {
                tracing::debug!(?error, "an answer broke off");
                cut(CutBy::Break)
            }
            Ok(result) => result,
            Err(_) if streams => cut(CutBy::Time(patience)),
            Err(_) => Err(late()),
        }?;
        Ok(HttpReply {
            status: response.status,
            headers: response.headers,
            body: gathered.into_bytes(),
            cut,
        })
    }

    /// Sends, and waits for status and headers.
    async fn head(
        &self,
        plan: Box<HttpPlan>,
        reporter: &mut Reporter<'_>,
    ) -> Result<Response, HandleError> {
        self.outbound.check(&plan.url).map_err(|error| {
            tracing::warn!(host = plan.url.host_str(), "a request was refused: {error}");
            HandleError::Forbidden(error.into())
        })?;
        reporter.sent();
        let response = self.clients.execute(plan).await?;
        reporter.headers(&response);
        Ok(response)
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
        while let Some(chunk) = response.body.chunk().await? {
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
