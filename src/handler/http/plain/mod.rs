//! The short way to a neighbour over plain HTTP: no TLS, no redirects, nothing between the call and the
//! connection pool. A bridge beside its service makes every call this way, and the layers of the full
//! client were a fifth of a call's cost.

mod pool;

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use ::http::header::{HOST, USER_AGENT};
use ::http::uri::PathAndQuery;
use ::http::{HeaderValue, Request, Response, Uri};
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{self, Body as _, Frame};
use url::{Position, Url};

pub(super) use self::pool::SETTLE;
use self::pool::{Lease, Pool};
use crate::binding::HttpPlan;
use crate::handler::HandleError;
use crate::outbound::Guard;
use crate::wakes::Pieces;

const AGENT: HeaderValue =
    HeaderValue::from_static(concat!("mcpinvoke/", env!("CARGO_PKG_VERSION")));

/// A client for plain-HTTP services.
#[derive(Debug)]
pub(super) struct PlainClient {
    pool: Pool,
}

/// A body as it comes, and the connection it comes by.
pub(super) struct Incoming {
    body: Pieces<body::Incoming>,
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

    /// Sends the plan; gives the answer, its body still to be read.
    ///
    /// # Errors
    /// [`HandleError`] when no answer came.
    pub(super) async fn send(
        &self,
        plan: Box<HttpPlan>,
    ) -> Result<Response<Incoming>, HandleError> {
        let (host, request) = request(*plan)?;
        let (response, lease) = self.pool.send(host, request).await?;
        let lease = Some(lease);
        Ok(response.map(|body| Incoming {
            body: Pieces(body),
            lease,
        }))
    }
}

impl Incoming {
    /// The next piece. At the end of the body the connection goes back.
    pub(super) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Bytes>>> {
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
    headers.insert(HOST, host.clone());
    Ok((host, request))
}
