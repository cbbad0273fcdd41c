//! Where audit records go: a queue of limited length, and a thread that writes. A slow or full disk
//! costs records, never calls, and what it cost is recorded.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, SystemTime};

use super::{Arguments, rfc3339};

/// Records that wait to be written.
const QUEUE: usize = 4096;
/// How soon lost records are reported where no further call comes.
const IDLE: Duration = Duration::from_millis(200);
/// How long records are gathered: waking the writer for each would cost more than writing it.
const GATHER: Duration = Duration::from_millis(5);
/// Records that are written at once.
const BATCH: usize = 256;

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
    queue: SyncSender<Message>,
    lost: Arc<AtomicU64>,
    arguments: Arguments,
}

#[derive(Debug)]
enum Message {
    Line(String),
    /// Answered when everything before it is written.
    Flush(SyncSender<()>),
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

    fn over(output: Box<dyn Output>, arguments: Arguments, length: usize) -> Self {
        let (queue, messages) = sync_channel(length);
        let lost = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&lost);
        thread::spawn(move || write_all(output, &messages, &counter));
        Self {
            queue,
            lost,
            arguments,
        }
    }

    /// How arguments are recorded.
    #[must_use]
    pub fn arguments(&self) -> Arguments {
        self.arguments
    }

    /// Queues one record; counts it as lost where the queue is full. Never waits.
    pub(super) fn write(&self, line: String) {
        match self.queue.try_send(Message::Line(line)) {
            Ok(()) => {}
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                self.lost.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Waits until what was queued is written, at most this long. Blocks its thread.
    pub fn flush(&self, patience: Duration) {
        let (done, wait) = sync_channel(1);
        let started = std::time::Instant::now();
        let mut message = Message::Flush(done);
        while let Err(TrySendError::Full(back)) = self.queue.try_send(message) {
            if started.elapsed() > patience {
                return;
            }
            message = back;
            thread::sleep(Duration::from_millis(10));
        }
        // Whoever asks is about to leave; the log has told of trouble already.
        let _ = wait.recv_timeout(patience.saturating_sub(started.elapsed()));
    }
}

/// Something records are written to.
trait Output: Send {
    /// Writes these records, a line each. Where that fails, says how many of them are written whole.
    fn write(&mut self, records: &[String]) -> Result<(), (usize, io::Error)>;
}

/// The writer: ends when nobody can send any more.
fn write_all(mut output: Box<dyn Output>, messages: &Receiver<Message>, lost: &AtomicU64) {
    let mut told = false;
    let mut records = Vec::new();
    loop {
        let first = match messages.recv_timeout(IDLE) {
            Ok(Message::Line(record)) => {
                thread::sleep(GATHER);
                records.push(record);
                None
            }
            Ok(Message::Flush(done)) => Some(done),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        report_lost(&mut *output, lost);
        let flush = first.or_else(|| gather(messages, &mut records));
        if !records.is_empty() {
            told = match output.write(&records) {
                Ok(()) => false,
                Err((written, error)) => {
                    let count = records.len().saturating_sub(written) as u64;
                    lost.fetch_add(count, Ordering::Relaxed);
                    if !told {
                        tracing::error!("audit records cannot be written and are lost: {error}");
                    }
                    true
                }
            };
            records.clear();
        }
        if let Some(done) = flush {
            report_lost(&mut *output, lost);
            // Nobody waits any more.
            let _ = done.send(());
        }
    }
    report_lost(&mut *output, lost);
}

/// Takes what waits, up to somebody who wants to know that it is written.
fn gather(messages: &Receiver<Message>, records: &mut Vec<String>) -> Option<SyncSender<()>> {
    while records.len() < BATCH {
        match messages.try_recv() {
            Ok(Message::Line(record)) => records.push(record),
            Ok(Message::Flush(done)) => return Some(done),
            Err(_) => return None,
        }
    }
    None
}

/// Where records were lost, says so in their place and in the log; tried again until it works.
fn report_lost(output: &mut dyn Output, lost: &AtomicU64) {
    let count = lost.swap(0, Ordering::Relaxed);
    if count == 0 {
        return;
    }
    let time = rfc3339(SystemTime::now());
    let line = format!(r#"{{"time":"{time}","event":"lost","records":{count}}}"#);
    match output.write(&[line]) {
        Ok(()) => tracing::error!(records = count, "audit records were lost"),
        Err(_) => {
            lost.fetch_add(count, Ordering::Relaxed);
        }
    }
}

struct Stdout;

impl Output for Stdout {
    fn write(&mut self, records: &[String]) -> Result<(), (usize, io::Error)> {
        let mut out = io::stdout().lock();
        let (written, result) = write_lines(&mut out, records);
        result
            .and_then(|()| out.flush())
            .map_err(|error| (written, error))
    }
}

/// Writes a line for each, all at once where the output takes so much; how many are written whole.
fn write_lines(out: &mut impl Write, records: &[String]) -> (usize, io::Result<()>) {
    let mut text = String::with_capacity(records.iter().map(|record| record.len() + 1).sum());
    for record in records {
        text.push_str(record);
        text.push('\n');
    }
    let mut rest = text.as_bytes();
    let result = loop {
        match out.write(rest) {
            _ if rest.is_empty() => break Ok(()),
            Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break Err(error),
        }
    };
    let written = text.len() - rest.len();
    let whole = text.as_bytes()[..written]
        .iter()
        .filter(|&&byte| byte == b'\n');
    (whole.count(), result)
}

/// A file that is moved to `path.1`, `path.1` to `path.2` and so on, before it grows too long.
struct Rotating {
    path: PathBuf,
    max_bytes: u64,
    keep: u32,
    file: File,
    length: u64,
    /// The last line is not whole: a full disk took a part of it.
    torn: bool,
}

impl Rotating {
    fn open(path: &Path, max_bytes: u64, keep: u32) -> io::Result<Self> {
        let file = append(path)?;
        let length = file.metadata()?.len();
        Ok(Self {
            path: path.to_owned(),
            max_bytes,
            keep,
            file,
            length,
            torn: false,
        })
    }

    fn rotate(&mut self) -> io::Result<()> {
        let moved = |number: u32| {
            let mut name = self.path.clone().into_os_string();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        };
        for number in (1..self.keep).rev() {
            if moved(number).exists() {
                fs::rename(moved(number), moved(number + 1))?;
            }
        }
        if self.keep == 0 {
            fs::remove_file(&self.path)?;
        } else {
            fs::rename(&self.path, moved(1))?;
        }
        self.file = append(&self.path)?;
        self.length = 0;
        self.torn = false;
        Ok(())
    }
}

impl Rotating {
    /// How many of these records go into the file as it is: at least one, since one that is too long for any
    /// file is better than none.
    fn fitting(&self, records: &[String]) -> usize {
        let mut length = self.length;
        let fits = records.iter().take_while(|record| {
            length += record.len() as u64 + 1;
            length <= self.max_bytes
        });
        fits.count()
    }
}

impl Output for Rotating {
    fn write(&mut self, records: &[String]) -> Result<(), (usize, io::Error)> {
        let mut done = 0;
        while let Some(rest) = records.get(done..).filter(|rest| !rest.is_empty()) {
            let mut count = self.fitting(rest);
            if count == 0 && self.length > 0 {
                if let Err(error) = self.rotate() {
                    // A file that is too long is better than no record.
                    tracing::warn!("the audit file cannot be moved away: {error}");
                    self.file = append(&self.path).map_err(|error| (done, error))?;
                }
                count = self.fitting(rest);
            }
            if self.torn {
                // Ends the line that a full disk cut.
                self.file.write_all(b"\n").map_err(|error| (done, error))?;
                self.torn = false;
                self.length += 1;
            }
            let rest = &rest[..count.max(1)];
            let before = self.length;
            let (written, result) = write_lines(&mut self.file, rest);
            done += written;
            self.length = self.file.metadata().map_or(before, |file| file.len());
            if let Err(error) = result {
                let whole: usize = rest[..written].iter().map(|record| record.len() + 1).sum();
                self.torn = self.length > before + whole as u64;
                return Err((done, error));
            }
        }
        Ok(())
    }
}

/// Opens for appending; only its owner may read a new file.
fn append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
#[path = "sink_tests.rs"]
mod tests;
