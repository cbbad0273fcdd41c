//! Streams of change notifications: `subscriptions/listen`, and what a session is told unasked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use parking_lot::Mutex;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio_util::sync::CancellationToken;

use super::Messages;
use super::server::SERVER;
use super::session::{Flight, Session};

/// The metadata key that ties a message to its subscription.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// What a stream waits for, and what it holds while it is open.
#[derive(Debug)]
pub(crate) struct Source {
    /// Marked when the tools change. Of several changes a slow client sees one.
    pub(crate) changes: watch::Receiver<u64>,
    /// The server shuts down.
    pub(crate) closing: CancellationToken,
    /// One of a bounded number; given back when the stream is gone.
    pub(crate) _permit: OwnedSemaphorePermit,
}

enum Event {
    Changed,
    Closing,
    Cancelled,
}

/// A subscription (2026-07-28): acknowledgement, changes, and a final result when the server ends
/// it, which names the `server`. With a `flight` the stream shares standard output with others, so its end is announced.
pub(crate) fn subscription(
    id: &RawValue,
    wants_tools: bool,
    server: &Value,
    flight: Option<Flight>,
    source: Source,
) -> Messages {
    let tag = json!({ SUBSCRIPTION: id });
    let granted = if wants_tools {
        json!({"toolsListChanged": true})
    } else {
        json!({})
    };
    let first = text(&json!({
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"_meta": tag, "notifications": granted}
    }));
    let changed = text(&json!({
        "jsonrpc": "2.0",
        "method": "notifications/tools/list_changed",
        "params": {"_meta": tag}
    }));
    let mut last = vec![text(&json!({
        "jsonrpc": "2.0",
        "id": id,
        "result": {"resultType": "complete", "_meta": {SUBSCRIPTION: id, SERVER: server}}
    }))];
    if flight.is_some() {
        last.push(text(&json!({
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": id}
        })));
    }
    let cancelled = flight.as_ref().map(|flight| flight.token.clone());
    let queue = vec![first];
    let state = (queue, source, cancelled, flight, false);
    Box::pin(stream::unfold(state, move |state| {
        let (changed, last) = (changed.clone(), last.clone());
        async move {
            let (mut queue, mut source, cancelled, flight, mut done) = state;
            if queue.is_empty() && !done {
                match next(&mut source, cancelled.as_ref(), wants_tools).await {
                    Event::Changed => queue.push(changed),
                    Event::Closing => {
                        queue = last;
                        done = true;
                    }
                    Event::Cancelled => return None,
                }
            }
            let message = queue.pop()?;
            Some((message, (queue, source, cancelled, flight, done)))
        }
    }))
}

/// The open streams of one session, oldest first, each by its number.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    next: AtomicU64,
    open: Mutex<Vec<u64>>,
}

/// One of them, until it is dropped.
struct Open {
    session: Arc<Session>,
    number: u64,
}

impl Open {
    fn new(session: Arc<Session>) -> Self {
        let number = session.streams.next.fetch_add(1, Ordering::Relaxed);
        session.streams.open.lock().push(number);
        Self { session, number }
    }

    /// Whether what the session is told goes here: no message may be sent on more than one stream (2025-11-25,
    /// transports, multiple connections), and of several the older ones may be lost without anybody knowing.
    fn is_newest(&self) -> bool {
        self.session.streams.open.lock().last() == Some(&self.number)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.session
            .streams
            .open
            .lock()
            .retain(|number| *number != self.number);
    }
}

/// What a session is told on its own stream: that the tools have changed.
pub(crate) fn announcements(session: Arc<Session>, wanted: bool, source: Source) -> Messages {
    let changed =
        Bytes::from_static(br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    Box::pin(stream::unfold(
        (Open::new(session), source),
        move |(open, mut source)| {
            let changed = changed.clone();
            async move {
                loop {
                    let event = next(&mut source, Some(&open.session.ended), wanted).await;
                    if !matches!(event, Event::Changed) {
                        return None;
                    }
                    // Before the handshake is over nothing may be sent.
                    if open.session.handshake.load().is_some() && open.is_newest() {
                        return Some((changed, (open, source)));
                    }
                }
            }
        },
    ))
}

/// The same messages; as long as somebody reads them what they belong to is `renew`ed, at least once in a `period`.
pub(crate) fn renewing(
    messages: Messages,
    period: Duration,
    renew: impl Fn() + Send + 'static,
) -> Messages {
    Box::pin(stream::unfold(
        (messages, renew),
        move |(mut messages, renew)| async move {
            loop {
                let message = tokio::time::timeout(period, messages.next()).await;
                renew();
                if let Ok(message) = message {
                    return Some((message?, (messages, renew)));
                }
            }
        },
    ))
}

async fn next(source: &mut Source, cancelled: Option<&CancellationToken>, wanted: bool) -> Event {
    let gone = async {
        match cancelled {
            Some(token) => token.cancelled().await,
            None => std::future::pending().await,
        }
    };
    let changes = &mut source.changes;
    let changed = async {
        if !wanted || changes.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        biased;
        () = gone => Event::Cancelled,
        () = source.closing.cancelled() => Event::Closing,
        () = changed => Event::Changed,
    }
}

fn text(message: &Value) -> Bytes {
    Bytes::from(message.to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[tokio::test]
    async fn a_quiet_stream_keeps_its_session() {
        let renewed = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&renewed);
        let renew = move || {
            counter.fetch_add(1, Ordering::Relaxed);
        };
        let period = Duration::from_millis(1);
        let mut quiet = renewing(Box::pin(stream::pending()), period, renew);
        let often = async {
            while renewed.load(Ordering::Relaxed) < 3 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            message = quiet.next() => panic!("{message:?}"),
            () = often => {}
        }
    }
}
