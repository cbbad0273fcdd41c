//! Progress of a call, as notifications on the call's own stream.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::revision::Revision;
use crate::tool::Progress;

/// Turns reports into `notifications/progress`: strictly increasing, at most one in each
/// interval, and dropped rather than waited for when the client reads slowly.
#[derive(Debug)]
pub(crate) struct Reporter {
    token: Box<RawValue>,
    revision: Revision,
    interval: Duration,
    out: mpsc::Sender<Bytes>,
    last: Mutex<Option<(u64, Instant)>>,
}

impl Reporter {
    pub(crate) fn new(
        token: &RawValue,
        revision: Revision,
        interval: Duration,
        out: mpsc::Sender<Bytes>,
    ) -> Self {
        Self {
            token: token.to_owned(),
            revision,
            interval,
            out,
            last: Mutex::new(None),
        }
    }

    fn is_due(&self, done: u64, now: Instant) -> bool {
        let mut last = self.last.lock();
        let due = last.is_none_or(|(before, at)| done > before && now - at >= self.interval);
        if due {
            *last = Some((done, now));
        }
        due
    }
}

#[derive(Serialize)]
struct Wire<'a> {
    jsonrpc: &'static str,
    method: &'static str,
    params: Params<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    progress_token: &'a RawValue,
    progress: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

impl Progress for Reporter {
    fn wanted(&self) -> bool {
        !self.out.is_closed()
    }

    fn report(&self, done: u64, total: Option<u64>, message: &str) {
        if !self.is_due(done, Instant::now()) {
            return;
        }
        let words = self.revision.has_progress_message() && !message.is_empty();
        let wire = Wire {
            jsonrpc: "2.0",
            method: "notifications/progress",
            params: Params {
                progress_token: &self.token,
                progress: done,
                total,
                message: words.then_some(message),
            },
        };
        if let Ok(message) = serde_json::to_vec(&wire) {
            // A full queue means a slow reader, who learns of the next report instead.
            let _ = self.out.try_send(message.into());
        }
    }
}

/// Reports of a call whose client may take it back. What the call holds, others may wait for from that word on.
#[derive(Debug)]
pub(crate) struct Watched {
    inner: Arc<dyn Progress>,
    cancelled: CancellationToken,
}

impl Watched {
    pub(crate) fn over(
        inner: Arc<dyn Progress>,
        cancelled: CancellationToken,
    ) -> Arc<dyn Progress> {
        Arc::new(Self { inner, cancelled })
    }
}

impl Progress for Watched {
    fn wanted(&self) -> bool {
        self.inner.wanted()
    }

    fn report(&self, done: u64, total: Option<u64>, message: &str) {
        self.inner.report(done, total, message);
    }

    fn is_abandoned(&self) -> bool {
        self.cancelled.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn reports_increase_and_are_rare() {
        let (out, _sent) = mpsc::channel(2);
        let token = RawValue::from_string("1".to_owned()).unwrap();
        let interval = Duration::from_millis(20);
        let reporter = Reporter::new(&token, Revision::V2025_11_25, interval, out);
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let cases = [
            (0, 0, true),
            (1, 19, false),
            (1, 20, true),
            (1, 99, false),
            (2, 99, true),
        ];
        for (done, ms, due) in cases {
            assert_eq!(reporter.is_due(done, at(ms)), due, "{done} at {ms} ms");
        }
    }

    #[test]
    fn a_slow_reader_misses_reports() {
        let (out, mut sent) = mpsc::channel(2);
        let token = RawValue::from_string("\"p7\"".to_owned()).unwrap();
        let reporter = Reporter::new(&token, Revision::V2025_11_25, Duration::ZERO, out);
        reporter.report(1, Some(9), "one");
        reporter.report(3, None, "");
        reporter.report(4, None, "the queue is full");
        let mut messages = Vec::new();
        while let Ok(message) = sent.try_recv() {
            let value: Value = serde_json::from_slice(&message).unwrap();
            messages.push(value["params"].clone());
        }
        assert_eq!(
            messages,
            [
                json!({"progressToken": "p7", "progress": 1, "total": 9, "message": "one"}),
                json!({"progressToken": "p7", "progress": 3}),
            ]
        );
        assert!(reporter.wanted());
        drop(sent);
        assert!(!reporter.wanted());
    }

    #[tokio::test]
    async fn the_oldest_revision_knows_no_message() {
        let (out, mut sent) = mpsc::channel(2);
        let token = RawValue::from_string("1".to_owned()).unwrap();
        let reporter = Reporter::new(&token, Revision::V2024_11_05, Duration::ZERO, out);
        reporter.report(1, None, "one");
        let value: Value = serde_json::from_slice(&sent.recv().await.unwrap()).unwrap();
        assert_eq!(value["params"], json!({"progressToken": 1, "progress": 1}));
    }
}
