//! Where audit records go: a queue of limited length, and a thread that writes. A slow or full disk
//! costs records, never calls, and what it cost is recorded.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, SystemTime};

use parking_lot::{Condvar, Mutex};

use super::Arguments;
use super::output::{Output, Rotating, Stdout};
use crate::time::rfc3339;

/// Records that wait to be written.
const QUEUE: usize = 4096;
/// How soon it is tried again to report lost records.
const IDLE: Duration = Duration::from_millis(200);
/// How long records are gathered: waking the writer for each would cost more than writing it.
const GATHER: Duration = Duration::from_millis(20);

/// Room that stays between two batches, in bytes.
const MOST_ROOM: usize = 1 << 20;

/// What is recorded, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Where records go.
    pub destination: Destination,
    /// How arguments are recorded.
    pub arguments: Arguments,
}

/// Where records go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// Standard output; not for the stdio transport, which owns it.
    Stdout,
    /// A file, which is moved away when it grows.
    File {
        /// Where.
        path: PathBuf,
        /// Before a longer file is moved to `path.1`.
        max_bytes: u64,
        /// How many moved files are kept.
        keep: u32,
    },
}

/// The audit file cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("cannot write audit records to {path}")]
pub struct AuditError {
    path: String,
    #[source]
    source: io::Error,
}

/// The way to the writer. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Audit {
    way: Arc<Way>,
    arguments: Arguments,
}

/// Ends the writer with its last owner.
#[derive(Debug)]
struct Way(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    /// Records that may wait.
    most: usize,
}

/// What the writer takes, all at once.
#[derive(Debug, Default)]
struct Waiting {
    /// A line for each record.
    lines: String,
    records: usize,
    lost: u64,
    /// Told when everything is written.
    flushes: Vec<SyncSender<()>>,
    closed: bool,
}

impl Audit {
    /// Opens the destination and starts the writer, which ends with the last clone.
    ///
    /// # Errors
    /// [`AuditError`] when the file cannot be opened for appending.
    pub fn start(settings: &Settings) -> Result<Self, AuditError> {
        let output: Box<dyn Output> =
            match &settings.destination {
                Destination::Stdout => Box::new(Stdout),
                Destination::File {
                    path,
                    max_bytes,
                    keep,
                } => Box::new(Rotating::open(path, *max_bytes, *keep).map_err(|source| {
                    AuditError {
                        path: path.display().to_string(),
                        source,
                    }
                })?),
            };
        Ok(Self::over(output, settings.arguments, QUEUE))
    }

    fn over(output: Box<dyn Output>, arguments: Arguments, most: usize) -> Self {
        let shared = Arc::new(Shared {
            waiting: Mutex::default(),
            changed: Condvar::new(),
            most,
        });
        let own = Arc::clone(&shared);
        thread::spawn(move || Writer::new(output).run(&own));
        Self {
            way: Arc::new(Way(shared)),
            arguments,
        }
    }

    /// How arguments are recorded.
    #[must_use]
    pub fn arguments(&self) -> Arguments {
        self.arguments
    }

    /// Queues one record, which has no line break; counts it as lost where the queue is full. Never waits.
    pub(super) fn write(&self, record: &str) {
        let shared = &self.way.0;
        let mut waiting = shared.waiting.lock();
        if waiting.records >= shared.most {
            waiting.lost += 1;
            return;
        }
        waiting.lines.push_str(record);
        waiting.lines.push('\n');
        waiting.records += 1;
        let first = waiting.records == 1;
        drop(waiting);
        if first {
            shared.changed.notify_one();
        }
    }

    /// Waits until what was queued is written, at most this long. Blocks its thread.
    pub fn flush(&self, patience: Duration) {
        let (done, wait) = sync_channel(1);
        let shared = &self.way.0;
        shared.waiting.lock().flushes.push(done);
        shared.changed.notify_one();
        // Whoever asks is about to leave; the log has told of trouble already.
        let _ = wait.recv_timeout(patience);
    }
}

impl Drop for Way {
    fn drop(&mut self) {
        self.0.waiting.lock().closed = true;
        self.0.changed.notify_one();
    }
}

impl Shared {
    /// Waits for something to do, or for `patience`, and takes it; `lines` are room for the next ones.
    fn take(&self, lines: String, patience: Option<Duration>) -> Waiting {
        let idle = |waiting: &mut Waiting| {
            waiting.records == 0 && waiting.flushes.is_empty() && !waiting.closed
        };
        let mut waiting = self.waiting.lock();
        match patience {
            None => self.changed.wait_while(&mut waiting, idle),
            Some(patience) => {
                let _ = self.changed.wait_while_for(&mut waiting, idle, patience);
            }
        }
        if waiting.flushes.is_empty() && !waiting.closed {
            drop(waiting);
            thread::sleep(GATHER);
            waiting = self.waiting.lock();
        }
        let closed = waiting.closed;
        let empty = Waiting {
            lines,
            closed,
            ..Waiting::default()
        };
        std::mem::replace(&mut *waiting, empty)
    }
}

/// What the thread that writes knows.
struct Writer {
    output: Box<dyn Output>,
    /// Records that were lost and not yet reported.
    lost: u64,
    /// The log has been told that writing fails.
    told: bool,
}

impl Writer {
    fn new(output: Box<dyn Output>) -> Self {
        Self {
            output,
            lost: 0,
            told: false,
        }
    }

    /// Writes until nobody can send any more.
    fn run(mut self, shared: &Shared) {
        let mut room = String::new();
        loop {
            let patience = (self.lost > 0).then_some(IDLE);
            let mut taken = shared.take(room, patience);
            self.lost += taken.lost;
            self.report_lost();
            if taken.records > 0 {
                self.write(&taken);
            }
            for done in taken.flushes {
                self.report_lost();
                // Nobody waits any more.
                let _ = done.send(());
            }
            if taken.closed {
                break self.report_lost();
            }
            taken.lines.clear();
            taken.lines.shrink_to(MOST_ROOM);
            room = taken.lines;
        }
    }

    fn write(&mut self, taken: &Waiting) {
        let Err((written, error)) = self.output.write(&taken.lines) else {
            self.told = false;
            return;
        };
        self.lost += taken.records.saturating_sub(written) as u64;
        if !self.told {
            tracing::error!("audit records cannot be written and are lost: {error}");
            self.told = true;
        }
    }

    /// Where records were lost, says so in their place and in the log; tried again until it works.
    fn report_lost(&mut self) {
        if self.lost == 0 {
            return;
        }
        let (time, records) = (rfc3339(SystemTime::now()), self.lost);
        let line = format!("{{\"time\":\"{time}\",\"event\":\"lost\",\"records\":{records}}}\n");
        if self.output.write(&line).is_ok() {
            tracing::error!(records, "audit records were lost");
            self.lost = 0;
        }
    }
}

#[cfg(test)]
#[path = "sink_tests.rs"]
mod tests;
