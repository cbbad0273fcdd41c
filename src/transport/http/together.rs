//! Answers that leave together.
//!
//! A write to a socket wakes whoever waits at its other end, and waking a sleeping processor costs more than
//! the write. When many requests arrive at once their answers are therefore written one after another at the
//! end of a turn, not each as soon as it is made: the other end is woken once.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Answers up to this length wait, in bytes.
const SHORT: usize = 16 * 1024;

/// A connection whose first write after a read waits until the other tasks that are ready have had their turn.
#[derive(Debug)]
pub(super) struct Together {
    stream: TcpStream,
    waited: bool,
}

impl Together {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            waited: false,
        }
    }

    /// Ready once the task has gone to the end of the queue and come back. Long answers do not wait: many of them
    /// at once do not fit into the processor's cache.
    fn turn(&mut self, context: &Context<'_>, length: usize) -> Poll<()> {
        if self.waited || length > SHORT {
            return Poll::Ready(());
        }
        self.waited = true;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl AsyncRead for Together {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let result = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.waited = false;
        }
        result
    }
}

impl AsyncWrite for Together {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        std::task::ready!(self.turn(context, bytes.len()));
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let length = slices.iter().map(|slice| slice.len()).sum();
        std::task::ready!(self.turn(context, length));
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
