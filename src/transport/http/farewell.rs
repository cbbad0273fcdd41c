//! How a connection ends that the bridge closes (RFC 9112, section 9.6): it stops writing, and reads on until the
//! client has closed its side too. A system that still gets bytes for a socket that is gone resets the connection,
//! and the client loses the last answer.

use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead as _, AsyncWrite as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};

use super::listen::Closing;

/// How long a client may say nothing before it closes its side.
const SILENCE: Duration = Duration::from_secs(1);
/// How long it may go on sending.
const LONGEST: Duration = Duration::from_secs(10);
/// How much it may send, in bytes.
const MOST: usize = 256 * 1024 * 1024;
/// Read at a time, in bytes.
const STEP: usize = 16 * 1024;

/// The end of one connection.
#[derive(Debug)]
pub(super) struct Farewell {
    /// Nobody is waited for while the bridge ends.
    closing: Arc<Closing>,
    said: Option<Box<Said>>,
}

/// Nothing more is written.
#[derive(Debug)]
struct Said {
    at: Instant,
    left: usize,
    silence: Option<Pin<Box<Sleep>>>,
}

impl Farewell {
    pub(super) fn new(closing: Arc<Closing>) -> Self {
        Self {
            closing,
            said: None,
        }
    }

    /// Ends the bridge's side, and is ready once the client has ended its own, or has had its time.
    pub(super) fn poll(
        &mut self,
        stream: &mut TcpStream,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let said = match &mut self.said {
            Some(said) => said,
            none => {
                ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
                none.insert(Box::new(Said {
                    at: Instant::now(),
                    left: MOST,
                    silence: None,
                }))
            }
        };
        if self.closing.has_begun() {
            return Poll::Ready(Ok(()));
        }
        said.poll_end(stream, context).map(Ok)
    }
}

impl Said {
    fn poll_end(&mut self, stream: &mut TcpStream, context: &mut Context<'_>) -> Poll<()> {
        loop {
            let mut space = [0; STEP];
            let mut read = ReadBuf::new(&mut space);
            match Pin::new(&mut *stream).poll_read(context, &mut read) {
                Poll::Ready(Ok(())) if !read.filled().is_empty() => {
                    self.left = self.left.saturating_sub(read.filled().len());
                    self.silence = None;
                    if self.left == 0 || self.at.elapsed() > LONGEST {
                        return Poll::Ready(());
                    }
                }
                // The other side is closed, or the connection broke.
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => {
                    let until = (Instant::now() + SILENCE).min(self.at + LONGEST);
                    let silence = &mut self.silence;
                    let silence = silence.get_or_insert_with(|| Box::pin(sleep_until(until)));
                    return silence.as_mut().poll(context);
                }
            }
        }
    }
}
