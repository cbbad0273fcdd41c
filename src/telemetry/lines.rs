//! Log lines on their way out: gathered while calls are made, written in batches by a thread of
//! their own, so that a line costs its call neither a system call nor a change of threads.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use tracing_subscriber::fmt::MakeWriter;

/// How long lines are gathered for one batch.
const GATHER: Duration = Duration::from_millis(20);

/// Beyond so many bytes whoever logs writes them out, so that memory is bounded and no line lost.
const MOST: usize = 1 << 20;

/// What a line becomes before it is written.
pub type Mask = fn(&str) -> Cow<'_, str>;

/// Takes lines.
#[derive(Clone)]
pub(super) struct Lines(Arc<Shared>);

/// Writes what is left when it is dropped.
#[derive(Debug)]
pub struct Logging {
    lines: Lines,
    writer: Option<JoinHandle<()>>,
}

struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    out: Mutex<Out>,
    mask: Mask,
}

/// Where batches go, and room for one that stays: new room for each would be cleared by the system first.
struct Out {
    sink: Box<dyn Write + Send>,
    text: Vec<u8>,
    masked: String,
}

#[derive(Default)]
struct Waiting {
    text: Vec<u8>,
    closing: bool,
}

/// Starts the thread that writes to `out`.
///
/// # Errors
/// When no thread can be started.
pub(super) fn start(out: impl Write + Send + 'static, mask: Mask) -> io::Result<(Lines, Logging)> {
    let lines = Lines(Arc::new(Shared {
        waiting: Mutex::default(),
        changed: Condvar::new(),
        out: Mutex::new(Out {
            sink: Box::new(out),
            text: Vec::new(),
            masked: String::new(),
        }),
        mask,
    }));
    let own = lines.clone();
    let writer = std::thread::Builder::new()
        .name("log".to_owned())
        .spawn(move || while own.write_batch() {})?;
    let logging = Logging {
        lines: lines.clone(),
        writer: Some(writer),
    };
    Ok((lines, logging))
}

impl Lines {
    /// Waits for lines and writes them; false when there will be no more.
    fn write_batch(&self) -> bool {
        let mut waiting = self.0.waiting.lock();
        while waiting.text.is_empty() && !waiting.closing {
            self.0.changed.wait(&mut waiting);
        }
        let closing = waiting.closing;
        drop(waiting);
        if !closing {
            std::thread::sleep(GATHER);
        }
        self.write_out();
        !closing
    }

    /// Writes what is waiting. Holding the output first keeps batches in their order.
    fn write_out(&self) {
        let mut out = self.0.out.lock();
        let Out { sink, text, masked } = &mut *out;
        text.clear();
        std::mem::swap(text, &mut self.0.waiting.lock().text);
        masked.clear();
        // Nearly all text is UTF-8, and finding that out is faster than looking for what is not.
        let lines = match std::str::from_utf8(text) {
            Ok(lines) => Cow::Borrowed(lines),
            Err(_) => String::from_utf8_lossy(text),
        };
        for line in lines.split_inclusive('\n') {
            masked.push_str(&(self.0.mask)(line));
        }
        // Nobody is left to tell when stderr is gone.
        let _ = sink
            .write_all(masked.as_bytes())
            .and_then(|()| sink.flush());
        text.shrink_to(MOST);
        masked.shrink_to(MOST);
    }

    fn take(&self, line: &[u8]) {
        let mut waiting = self.0.waiting.lock();
        let first = waiting.text.is_empty();
        waiting.text.extend_from_slice(line);
        let full = waiting.text.len() > MOST;
        drop(waiting);
        if full {
            self.write_out();
        } else if first {
            self.0.changed.notify_one();
        }
    }
}

impl Drop for Logging {
    fn drop(&mut self) {
        self.lines.0.waiting.lock().closing = true;
        self.lines.0.changed.notify_one();
        if let Some(writer) = self.writer.take() {
            // A panic of the writer was told already.
            let _ = writer.join();
        }
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

impl Write for &Lines {
    /// Takes a whole line: the formatter hands over nothing less.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.take(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lines")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl Write for Sink {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(text);
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn masked(line: &str) -> Cow<'_, str> {
        line.replace("s3cret", "***").into()
    }

    #[test]
    fn every_line_is_written_once_masked_and_in_order() {
        let sink = Sink::default();
        let (lines, logging) = start(sink.clone(), masked).unwrap();
        let long = "x".repeat(1_000);
        for number in 0..5_000 {
            (&lines)
                .write_all(format!("{number} s3cret {long}\n").as_bytes())
                .unwrap();
        }
        drop(logging);
        let text = String::from_utf8(sink.0.lock().clone()).unwrap();
        let numbers: Vec<usize> = text
            .lines()
            .map(|line| line.split(' ').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(numbers, (0..5_000).collect::<Vec<_>>());
        assert!(!text.contains("s3cret"));
    }
}
