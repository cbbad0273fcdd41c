//! The short way to a neighbour over plain HTTP: no TLS, no redirects, nothing between the call and the
//! connection pool. A bridge beside its service makes every call this way, and the layers of the full
//! client were a fifth of a call's cost.

mod coding;
mod pool;

use std::error::Error;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use ::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, HOST, USER_AGENT};
use ::http::uri::PathAndQuery;
use ::http::{HeaderMap, HeaderValue, Request, StatusCode, Uri};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use http_body_util::Full;
use hyper::body::{Body as _, Frame, Incoming};
use tokio_util::io::{ReaderStream, StreamReader};
use url::{Position, Url};

use self::pool::{Lease, Pool, SETTLE};
use crate::binding::HttpPlan;
use crate::handler::HandleError;
use crate::outbound::Guard;

const AGENT: HeaderValue =
    HeaderValue::from_static(concat!("mcpinvoke/", env!("CARGO_PKG_VERSION")));
const CODINGS: HeaderValue = HeaderValue::from_static("gzip, br, zstd, deflate");

/// A client for plain-HTTP services.
#[derive(Debug)]
pub(super) struct PlainClient {
    pool: Pool,
}

/// An answer whose body is still to be read.
pub(super) struct PlainResponse {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    body: Body,
}

enum Body {
    Raw(Source),
    Decoded {
        pieces: Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>,
        /// What the decoder reads from.
        source: Arc<Mutex<Source>>,
    },
}

/// A body as it comes, and the connection it comes by.
struct Source {
    body: Incoming,
    lease: Option<Lease>,
}

/// Whether a request to this URL can go the short way.
pub(super) fn reaches(url: &Url) -> bool {
    url.scheme() == "http"
}

impl PlainClient {
    pub(super) fn new(connect_timeout: Duration, guard: Guard) -> Self {
        Self {
            pool: Pool::new(connect_timeout, guard),
        }
    }

    /// The connections that could be used at once.
    #[cfg(test)]
    pub(super) fn idle(&self) -> usize {
        self.pool.idle()
    }

    /// Sends the plan.
    ///
    /// # Errors
    /// [`HandleError`] when no answer came.
    pub(super) async fn send(&self, plan: Box<HttpPlan>) -> Result<PlainResponse, HandleError> {
        let (host, request) = request(*plan)?;
        let (response, lease) = self.pool.send(host, request).await?;
        let (parts, body) = response.into_parts();
        let mut headers = parts.headers;
        let source = Source {
            body,
            lease: Some(lease),
        };
        let body = body_of(&mut headers, source);
        Ok(PlainResponse {
            status: parts.status,
            headers,
            body,
        })
    }
}

impl PlainResponse {
    /// The next piece of the body, content codings undone.
    ///
    /// # Errors
    /// [`HandleError::Broken`] when the body ends before it is complete.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, HandleError> {
        match &mut self.body {
            Body::Raw(source) => poll_fn(|context| source.poll_next(context))
                .await
                .transpose()
                .map_err(broken),
            Body::Decoded { pieces, source } => {
                let piece = pieces.next().await.transpose().map_err(broken)?;
                if piece.is_none() {
                    finish(Arc::clone(source));
                }
                Ok(piece)
            }
        }
    }
}

impl Source {
    /// The next piece. At the end of the body the connection goes back.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<hyper::Result<Bytes>>> {
        while let Some(frame) = ready!(Pin::new(&mut self.body).poll_frame(context)) {
            match frame.map(Frame::into_data) {
                Ok(Ok(data)) => return Poll::Ready(Some(Ok(data))),
                // Trailers.
                Ok(Err(_)) => {}
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
        if let Some(lease) = self.lease.take() {
            lease.give_back();
        }
        Poll::Ready(None)
    }
}

/// A decoder may be done before the body is: what marks the body's end is still to be read.
fn finish(source: Arc<Mutex<Source>>) {
    tokio::spawn(async move {
        let rest = poll_fn(|context| lock(&source).poll_next(context));
        let _ = tokio::time::timeout(SETTLE, rest).await;
    });
}

fn lock(source: &Mutex<Source>) -> MutexGuard<'_, Source> {
    source.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where to, and the request in origin form (RFC 9112, section 3.2.1).
fn request(plan: HttpPlan) -> Result<(HeaderValue, Request<Full<Bytes>>), HandleError> {
    let refused = |error: ::http::Error| HandleError::Request(error.into());
    let target = &plan.url[Position::BeforePath..Position::AfterQuery];
    let target = PathAndQuery::try_from(target).map_err(|error| refused(error.into()))?;
    let host = &plan.url[Position::BeforeHost..Position::AfterPort];
    let host = HeaderValue::try_from(host).map_err(|error| refused(error.into()))?;
    let mut request = Request::new(Full::new(plan.body.unwrap_or_default()));
    *request.method_mut() = plan.method;
    *request.uri_mut() = Uri::from(target);
    *request.headers_mut() = plan.headers;
    let headers = request.headers_mut();
    headers.entry(USER_AGENT).or_insert(AGENT);
    headers.entry(ACCEPT_ENCODING).or_insert(CODINGS);
    headers.insert(HOST, host.clone());
    Ok((host, request))
}

/// A body without its content codings; one in an unknown coding stays as it is.
fn body_of(headers: &mut HeaderMap, source: Source) -> Body {
    if !headers.contains_key(CONTENT_ENCODING) {
        return Body::Raw(source);
    }
    // To a HEAD, with 204 and 304, or where there is nothing: that is no broken coding, it is none.
    if source.body.is_end_stream() {
        headers.remove(CONTENT_ENCODING);
        return Body::Raw(source);
    }
    let codings = coding::applied(headers);
    if codings.is_some() {
        headers.remove(CONTENT_ENCODING);
    }
    let codings = codings.unwrap_or_default();
    if codings.is_empty() {
        return Body::Raw(source);
    }
    headers.remove(CONTENT_LENGTH);
    let source = Arc::new(Mutex::new(source));
    let reader = {
        let source = Arc::clone(&source);
        let raw = stream::poll_fn(move |context| lock(&source).poll_next(context));
        StreamReader::new(raw.map_err(io::Error::other))
    };
    let pieces = Box::pin(ReaderStream::new(coding::undone(
        Box::pin(reader),
        &codings,
    )));
    Body::Decoded { pieces, source }
}

fn broken(error: impl Error + Send + Sync + 'static) -> HandleError {
    HandleError::Broken(Box::new(error))
}
