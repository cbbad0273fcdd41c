//! One message a line over a pair of byte streams, which are standard input and output when the
//! bridge is started by its client.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use super::{Readiness, one_line};
use crate::mcp::{Accepted, Answer, Fault, Messages, Server, Session, needs_tools};
use crate::tool::Caller;

/// For what is written already to reach a client, when there is no more time for anything else.
const LAST_WORDS: Duration = Duration::from_millis(250);

/// Limits of the transport.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Longer lines are skipped and answered with an error, in bytes.
    pub max_line_bytes: usize,
    /// Calls under way at once; further ones are refused.
    pub max_calls: usize,
    /// How long calls under way may go on after the input has ended.
    pub drain: Duration,
    /// On whose behalf everything is done.
    pub caller: Caller,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_line_bytes: 16 * 1024 * 1024,
            max_calls: 256,
            drain: Duration::from_secs(5),
            caller: Caller::anonymous("stdio"),
        }
    }
}

/// Serves one client until its input ends, or `shutdown` is there, or nobody reads the output.
/// Then calls under way are finished, for a limited time: until [`Server::abandon`], and after the end of the input
/// only until `shutdown`. What needs the tools waits until they are there, and so does all that comes after it. Nothing
/// but messages is written.
///
/// For an orderly shutdown call [`Server::close`] before `shutdown` completes.
///
/// # Errors
/// When the input cannot be read.
pub async fn serve<R, W>(
    reader: R,
    writer: W,
    server: Arc<Server>,
    readiness: Readiness,
    settings: &Settings,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (out, queue) = mpsc::channel(64);
    let written = tokio::spawn(write_lines(writer, queue));
    let (session, announcements) = server.connect();
    let mut connection = Connection {
        server,
        readiness,
        session,
        caller: settings.caller.clone(),
        out,
        slots: Arc::new(Semaphore::new(settings.max_calls)),
        calls: JoinSet::new(),
        streams: JoinSet::new(),
    };
    let mut unasked = JoinSet::new();
    if let Some(messages) = announcements {
        unasked.spawn(forward(messages, connection.out.clone()));
    }
    let limit = settings.max_line_bytes;
    let mut shutdown = pin!(shutdown);
    let ended = tokio::select! {
        // Of both at once the end of the input is the one that came first.
        biased;
        ended = connection.read(BufReader::new(reader), limit) => ended,
        () = &mut shutdown => Ok(End::Shutdown),
    };
    unasked.shutdown().await;
    let stopped = matches!(ended, Ok(End::Shutdown));
    let server = Arc::clone(&connection.server);
    let mut late = pin!(async {
        tokio::select! {
            () = tokio::time::sleep(settings.drain) => {}
            () = server.abandoned() => {}
            () = shutdown, if !stopped => {}
        }
    });
    let in_time = connection.finish(stopped, late.as_mut()).await;
    // The output is complete when the last sender is gone and the writer has flushed.
    if in_time {
        tokio::select! {
            _ = written => {}
            () = late => {}
        }
    } else {
        let _ = tokio::time::timeout(LAST_WORDS, written).await;
    }
    ended.map(|_| ())
}

/// Why no more messages are read.
enum End {
    Input,
    Shutdown,
}

struct Connection {
    server: Arc<Server>,
    readiness: Readiness,
    session: Arc<Session>,
    caller: Caller,
    out: mpsc::Sender<Bytes>,
    slots: Arc<Semaphore>,
    calls: JoinSet<()>,
    streams: JoinSet<()>,
}

impl Connection {
    async fn read(&mut self, reader: impl AsyncBufRead + Unpin, limit: usize) -> io::Result<End> {
        let mut lines = Lines::new(reader, limit);
        loop {
            match lines.next().await? {
                Line::End => return Ok(End::Input),
                Line::TooLong => {
                    let message = self.server.refuse(Fault::TooLarge(limit as u64), false);
                    let _ = self.out.send(message.body.into_bytes()).await;
                }
                Line::Text(line) if line.trim_ascii().is_empty() => {}
                Line::Text(line) => {
                    if !self.readiness.is_ready() && needs_tools(line) {
                        self.readiness.wait(Duration::MAX).await;
                    }
                    let accepted = self.server.line(line, &self.session, &self.caller);
                    self.carry_on(accepted).await;
                }
            }
            if self.out.is_closed() {
                return Ok(End::Input);
            }
            while self.calls.try_join_next().is_some() {}
            while self.streams.try_join_next().is_some() {}
        }
    }

    async fn carry_on(&mut self, accepted: Accepted) {
        let out = self.out.clone();
        match accepted {
            Accepted::Now(Answer::Stream(messages)) => {
                self.streams.spawn(forward(messages, out));
            }
            Accepted::Now(answer) => deliver(answer, out).await,
            Accepted::Later(work) => match Arc::clone(&self.slots).try_acquire_owned() {
                Ok(slot) => {
                    self.calls.spawn(async move {
                        deliver(work.finish().await, out).await;
                        drop(slot);
                    });
                }
                Err(_) => deliver(work.refuse(Fault::Busy), out).await,
            },
        }
    }

    /// Calls may end, streams only where the server ends them; and neither once it is too late. Whether all did.
    async fn finish(mut self, stopped: bool, late: impl Future<Output = ()>) -> bool {
        if !stopped {
            self.streams.abort_all();
        }
        self.session.hang_up();
        let all = async {
            while self.calls.join_next().await.is_some() {}
            while self.streams.join_next().await.is_some() {}
        };
        let in_time = tokio::select! {
            biased;
            () = all => true,
            () = late => false,
        };
        if !in_time {
            tracing::warn!("calls were still under way and have been dropped");
        }
        self.session.end();
        self.calls.shutdown().await;
        self.streams.shutdown().await;
        in_time
    }
}

async fn deliver(answer: Answer, out: mpsc::Sender<Bytes>) {
    match answer {
        Answer::Nothing => {}
        // An error here means that nobody reads any more, which ends the connection elsewhere.
        Answer::Message(message) => drop(out.send(message.body.into_bytes()).await),
        Answer::Stream(messages) => forward(messages, out).await,
    }
}

async fn forward(mut messages: Messages, out: mpsc::Sender<Bytes>) {
    while let Some(message) = messages.next().await {
        if out.send(message).await.is_err() {
            return;
        }
    }
}

/// The only place that writes: lines never mix. Flushes when nothing more waits.
async fn write_lines(mut writer: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<Bytes>) {
    while let Some(message) = queue.recv().await {
        let line = one_line(message);
        let mut written = writer.write_all(&line).await.is_ok();
        written = written && writer.write_all(b"\n").await.is_ok();
        if written && queue.is_empty() {
            written = writer.flush().await.is_ok();
        }
        if !written {
            tracing::debug!("the client has closed the output");
            return;
        }
    }
}

enum Line<'a> {
    Text(&'a [u8]),
    TooLong,
    End,
}

/// Reads lines without keeping more of one than the limit.
struct Lines<R> {
    reader: R,
    limit: usize,
    line: Vec<u8>,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    fn new(reader: R, limit: usize) -> Self {
        let line = Vec::new();
        Self {
            reader,
            limit,
            line,
        }
    }

    async fn next(&mut self) -> io::Result<Line<'_>> {
        self.line.clear();
        // One huge line must not hold its memory for the rest of the connection.
        self.line.shrink_to(64 * 1024);
        let mut too_long = false;
        loop {
            let chunk = self.reader.fill_buf().await?;
            let at_end = chunk.is_empty();
            let newline = memchr::memchr(b'\n', chunk);
            let part = &chunk[..newline.unwrap_or(chunk.len())];
            if self.line.len() + part.len() > self.limit {
                too_long = true;
                self.line.clear();
            }
            if !too_long {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(newline.is_some());
            self.reader.consume(used);
            if newline.is_none() && !at_end {
                continue;
            }
            return Ok(match (too_long, at_end && self.line.is_empty()) {
                (true, _) => Line::TooLong,
                (false, true) => Line::End,
                (false, false) => Line::Text(&self.line),
            });
        }
    }
}

#[cfg(test)]
mod tests;
