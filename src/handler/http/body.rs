//! The body of an answer, by whichever client it comes: read piece by piece, content codings undone.

use std::error::Error;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use ::http::HeaderMap;
use ::http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use http_body_util::BodyExt as _;
use parking_lot::Mutex;
use tokio_util::io::{ReaderStream, StreamReader};

use super::coding;
use super::plain::{Incoming, SETTLE};
use crate::handler::HandleError;

/// What is still to be read.
pub(super) enum Body {
    Raw(Source),
    Decoded {
        pieces: Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>,
        /// What the decoder reads from.
        source: Arc<Mutex<Source>>,
    },
}

/// A body as it comes.
pub(super) enum Source {
    Plain(Incoming),
    Full(reqwest::Body),
}

type Fault = Box<dyn Error + Send + Sync>;

impl Body {
    /// A body without its content codings, of which `headers` then say nothing; one in an unknown coding stays as it
    /// is.
    pub(super) fn new(headers: &mut HeaderMap, source: Source) -> Self {
        if !headers.contains_key(CONTENT_ENCODING) {
            return Self::Raw(source);
        }
        let codings = coding::applied(headers);
        if codings.is_some() {
            headers.remove(CONTENT_ENCODING);
        }
        let codings = codings.unwrap_or_default();
        if codings.is_empty() {
            return Self::Raw(source);
        }
        headers.remove(CONTENT_LENGTH);
        let source = Arc::new(Mutex::new(source));
        let reader = {
            let source = Arc::clone(&source);
            let raw = stream::poll_fn(move |context| source.lock().poll_next(context));
            StreamReader::new(raw.map_err(io::Error::other))
        };
        let decoder = coding::undone(Box::pin(reader), codings);
        Self::Decoded {
            pieces: Box::pin(ReaderStream::new(decoder)),
            source,
        }
    }

    /// The next piece.
    ///
    /// # Errors
    /// [`HandleError::Broken`] when the body ends before it is complete, or is not in the coding it is said to be in.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, HandleError> {
        match self {
            Self::Raw(source) => poll_fn(|context| source.poll_next(context))
                .await
                .transpose()
                .map_err(HandleError::Broken),
            Self::Decoded { pieces, source } => {
                let piece = pieces.next().await.transpose();
                if let Ok(None) = piece {
                    finish(Arc::clone(source));
                }
                piece.map_err(|error| HandleError::Broken(error.into()))
            }
        }
    }
}

impl Source {
    /// The next piece.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Fault>>> {
        let body = match self {
            Self::Plain(body) => return body.poll_next(context).map_err(Into::into),
            Self::Full(body) => body,
        };
        loop {
            let frame = ready!(Pin::new(&mut body.frame()).poll(context));
            match frame.map(|frame| frame.map(|frame| frame.into_data())) {
                Some(Ok(Ok(data))) => return Poll::Ready(Some(Ok(data))),
                // Trailers.
                Some(Ok(Err(_))) => {}
                // The URL may hold secrets; the plan has it anyway.
                Some(Err(error)) => return Poll::Ready(Some(Err(error.without_url().into()))),
                None => return Poll::Ready(None),
            }
        }
    }
}

/// A decoder may be done before the body is: what marks the body's end is still to be read.
fn finish(source: Arc<Mutex<Source>>) {
    tokio::spawn(async move {
        let rest = poll_fn(|context| source.lock().poll_next(context));
        let _ = tokio::time::timeout(SETTLE, rest).await;
    });
}
