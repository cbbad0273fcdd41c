//! How often an answer is written: each write wakes the client, and so there is one.

use std::convert::Infallible;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::super::listen::builder;
use super::super::respond;
use crate::mcp::{Message, Payload};

/// A connection that brings one request and tells how long each write is.
pub(super) struct Told {
    request: Option<&'static [u8]>,
    writes: UnboundedSender<usize>,
}

impl Told {
    /// A connection that brings this request, and the lengths of the writes to it.
    pub(super) fn bringing(request: &'static [u8]) -> (Self, UnboundedReceiver<usize>) {
        let (writes, lengths) = unbounded_channel();
        let request = Some(request);
        (Self { request, writes }, lengths)
    }
}

impl AsyncRead for Told {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Some(request) = self.request.take() else {
            return Poll::Pending;
        };
        buffer.put_slice(request);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Told {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let length = slices.iter().map(|slice| slice.len()).sum();
        self.writes.send(length).unwrap();
        Poll::Ready(Ok(length))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// The lengths of the writes that an answer of these pieces takes.
async fn writes(pieces: &[usize]) -> Vec<usize> {
    let expected: usize = pieces.iter().sum();
    let pieces = pieces.iter().map(|length| Bytes::from(vec![b' '; *length]));
    let payload = Payload::from_pieces(pieces.collect());
    let service = service_fn(move |_| {
        let message = Message {
            status: 200,
            body: payload.clone(),
            session: None,
            needs: None,
        };
        async move { Ok::<_, Infallible>(respond::message(message)) }
    });
    let (stream, mut lengths) = Told::bringing(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let builder = builder(Duration::from_secs(60));
    let connection = tokio::spawn(builder.serve_connection(TokioIo::new(stream), service));
    let mut found = Vec::new();
    while found.iter().sum::<usize>() <= expected {
        let next = tokio::time::timeout(Duration::from_secs(10), lengths.recv()).await;
        found.push(next.unwrap().unwrap());
    }
    connection.abort();
    found
}

#[tokio::test]
async fn an_answer_of_several_long_pieces_is_written_once() {
    for pieces in [
        &[500][..],
        &[100_000],
        &[77_379, 65_360, 19],
        &[100_000, 100_000, 20],
    ] {
        assert_eq!(writes(pieces).await.len(), 1, "{pieces:?}");
    }
    // What is gathered has an end.
    assert_eq!(writes(&[300_000, 300_000, 20]).await.len(), 2);
}
