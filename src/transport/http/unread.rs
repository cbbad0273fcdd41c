//! Requests that are answered before their body is read.
//!
//! What is left of a body stands before the next request of its connection. Closing the connection with bytes unread
//! instead takes the answer back from a client that still sends (RFC 9112, section 9.6). So the rest is read and
//! dropped where it comes soon, and where it does not, the answer says that the connection ends with it.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::response::Response;
use bytes::Bytes;
use http::header::{CONNECTION, EXPECT};
use http::{HeaderMap, HeaderValue};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use parking_lot::Mutex;

/// How long an answer waits for the rest of its request.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether a client waits to be asked for the body (RFC 9110, section 10.1.1). It is not asked for what nobody reads.
pub(super) fn waits(headers: &HeaderMap) -> bool {
    headers.contains_key(EXPECT)
}

/// The answer to a request of whose body so much is left: once the rest is read, or with the word that the connection
/// ends. Nothing is read of what the client `waits` with, and no more than `limit` bytes of anything.
pub(super) async fn answer<B>(waits: bool, body: B, limit: u64, response: Response) -> Response
where
    B: Body<Data = Bytes>,
{
    if body.is_end_stream() || response.headers().contains_key(CONNECTION) {
        return response;
    }
    let comes = !waits && body.size_hint().lower() <= limit;
    if comes && tokio::time::timeout(PATIENCE, drop_all(body, limit)).await == Ok(true) {
        return response;
    }
    last(response)
}

/// The answer, with the word that the connection ends with it.
pub(super) fn last(mut response: Response) -> Response {
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(CONNECTION, close);
    response
}

/// Reads no more than the limit and drops it; whether the body has ended by then.
async fn drop_all<B: Body<Data = Bytes>>(body: B, limit: u64) -> bool {
    let mut body = std::pin::pin!(body);
    let mut left = limit;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return false };
        let length = frame.data_ref().map_or(0, Bytes::len) as u64;
        match left.checked_sub(length) {
            Some(rest) => left = rest,
            None => return false,
        }
    }
    true
}

/// A body that comes back when it is dropped before its end.
#[derive(Debug)]
pub(super) struct Lent<B> {
    body: Option<Pin<Box<B>>>,
    back: Back<B>,
}

/// Where a body that was lent comes back to.
#[derive(Debug)]
pub(super) struct Back<B>(Arc<Mutex<Option<Pin<Box<B>>>>>);

impl<B> Lent<B> {
    pub(super) fn new(body: B) -> (Self, Back<B>) {
        let back = Arc::new(Mutex::new(None));
        let lent = Self {
            body: Some(Box::pin(body)),
            back: Back(Arc::clone(&back)),
        };
        (lent, Back(back))
    }
}

impl<B> Back<B> {
    /// What was not read of the body, if it has come back.
    pub(super) fn take(&self) -> Option<Pin<Box<B>>> {
        // Nothing panics while it holds the lock.
        let mut body = self.0.lock();
        body.take()
    }
}

impl<B> Drop for Lent<B> {
    fn drop(&mut self) {
        let mut back = self.back.0.lock();
        *back = self.body.take();
    }
}

impl<B: Body<Data = Bytes>> Body for Lent<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        match &mut self.body {
            Some(body) => body.as_mut().poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(|body| body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        let body = self.body.as_ref();
        body.map_or_else(|| SizeHint::with_exact(0), |body| body.size_hint())
    }
}
