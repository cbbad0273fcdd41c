//! Answers that leave together.
//!
//! A write to a socket wakes whoever waits at its other end, and waking a sleeping processor costs more than
//! the write. When many requests arrive at once their answers are therefore written one after another at the
//! end of a turn, not each as soon as it is made: the other end is woken once.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::farewell::Farewell;
use super::listen::Closing;
use super::turnstile::{Turnstile, Visitor};

/// Answers up to this length wait, in bytes.
const SHORT: usize = 16 * 1024;

/// How often a client that has closed its side is looked at again before that is told. An answer that is there by
/// then still goes out: reading the body, making the answer and its turn to be written take one each.
const LOOKS: u8 = 4;

/// A connection whose first write after a read waits until the other tasks that are ready have had their turn, and
/// that is inside the turnstile from the read to the write.
#[derive(Debug)]
pub(super) struct Together {
    stream: TcpStream,
    waited: bool,
    /// A write has been put off and has not come again yet.
    deferred: bool,
    /// How often the end may still be kept back.
    looks: u8,
    visitor: Visitor,
    farewell: Farewell,
}

impl Together {
    pub(super) fn new(stream: TcpStream, turnstile: Arc<Turnstile>, closing: Arc<Closing>) -> Self {
        Self {
            stream,
            waited: false,
            deferred: false,
            looks: LOOKS,
            visitor: Visitor::new(turnstile),
            farewell: Farewell::new(closing),
        }
    }

    /// Ready once the task has gone to the end of the queue and come back. Long answers do not wait: many of them
    /// at once do not fit into the processor's cache.
    fn turn(&mut self, context: &Context<'_>, length: usize) -> Poll<()> {
        if self.waited || length > SHORT {
            self.deferred = false;
            return Poll::Ready(());
        }
        self.waited = true;
        self.deferred = true;
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
        // Nobody waits at the turnstile for a request that is still to come.
        ready!(self.stream.poll_read_ready(context))?;
        // Whoever reads that the client has closed its side gives up what is still to be written.
        if self.deferred {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        ready!(self.visitor.poll_enter(context));
        let before = buffer.filled().len();
        let result = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.waited = false;
            self.looks = LOOKS;
        } else if self.looks > 0 && matches!(result, Poll::Ready(Ok(()))) {
            self.looks -= 1;
            context.waker().wake_by_ref();
            return Poll::Pending;
        } else {
            self.visitor.leave();
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
        ready!(self.turn(context, bytes.len()));
        self.visitor.leave();
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let length = slices.iter().map(|slice| slice.len()).sum();
        ready!(self.turn(context, length));
        self.visitor.leave();
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let own = &mut *self;
        own.visitor.leave();
        own.farewell.poll(&mut own.stream, context)
    }
}
