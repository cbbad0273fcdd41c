//! Telling how far a call is.

use std::time::{Duration, Instant};

use super::client::{Response, announced};
use super::framing::Counter;
use crate::tool::Progress;

/// Progress is reported at most this often.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// Tells how far a call is where somebody listens. What is counted must grow from one report to the next
/// (MCP, "progress"), so sending and the answer's head count one each, and after them each byte, or each item
/// of a stream, counts one.
pub(super) struct Reporter<'a> {
    progress: Option<&'a dyn Progress>,
    last: Option<Instant>,
    /// Set when the answer's head says that a stream follows.
    counter: Option<Counter>,
    items: u64,
}

const SENT: u64 = 1;
const ANSWERED: u64 = 2;

impl<'a> Reporter<'a> {
    pub(super) fn new(progress: &'a dyn Progress) -> Self {
        Self {
            progress: progress.wanted().then_some(progress),
            last: None,
            counter: None,
            items: 0,
        }
    }

    /// For what is sent a second time: what is counted never decreases.
    pub(super) fn silent() -> Self {
        Self {
            progress: None,
            last: None,
            counter: None,
            items: 0,
        }
    }

    /// Whether the answer is a stream, once its head has come.
    pub(super) fn streams(&self) -> bool {
        self.counter.is_some()
    }

    pub(super) fn sent(&self) {
        if let Some(progress) = self.progress {
            progress.report(SENT, None, "request sent");
        }
    }

    pub(super) fn headers(&mut self, response: &Response) {
        self.counter = Counter::of(&response.headers);
        if let Some(progress) = self.progress {
            // A length in bytes says nothing about the number of items.
            let length = announced(&response.headers).filter(|_| self.counter.is_none());
            let status = response.status.as_u16();
            let message = format!("the service answers with {status}");
            progress.report(ANSWERED, total(length), &message);
        }
    }

    pub(super) fn body(&mut self, chunk: &[u8], received: usize, announced: Option<u64>) {
        let Some(progress) = self.progress else {
            return;
        };
        if let Some(counter) = &mut self.counter {
            let count = counter.take(chunk);
            for item in self.items + 1..=count {
                let message = format!("{} {item}", counter.noun());
                progress.report(ANSWERED + item, None, &message);
            }
            self.items = count;
            return;
        }
        let recently = self.last.is_some_and(|last| last.elapsed() < REPORT_EVERY);
        if recently || received == 0 {
            return;
        }
        self.last = Some(Instant::now());
        let received = received as u64;
        let message = match announced {
            Some(length) => format!("received {received} of {length} bytes"),
            None => format!("received {received} bytes"),
        };
        progress.report(ANSWERED + received, total(announced), &message);
    }
}

fn total(announced: Option<u64>) -> Option<u64> {
    announced.map(|length| length.saturating_add(ANSWERED))
}
