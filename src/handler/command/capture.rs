//! Output of a program while it runs: its beginning and its end are kept, what is between them is counted.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt};

use super::Captured;

/// Read at a time.
const CHUNK: usize = 16 * 1024;
/// A longer line is handed to listeners cut.
const LONGEST_LINE: usize = 4 * 1024;

/// Takes the lines of a program as they come; cheap, for it runs between two reads.
pub(super) trait Lines: Send + Sync {
    /// A line without its end.
    fn line(&self, is_error: bool, text: &str);
}

/// What is kept of a stream.
#[derive(Debug)]
pub(super) struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    dropped: u64,
}

impl Kept {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            half: (limit / 2).max(1),
            dropped: 0,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let free = self.half.saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at(free.min(bytes.len()));
        self.head.extend_from_slice(first);
        let over = (self.tail.len() + rest.len()).saturating_sub(self.half);
        self.dropped += over as u64;
        // Of a chunk longer than the tail only its end counts.
        let from_tail = over.min(self.tail.len());
        self.tail.drain(..from_tail);
        self.tail
            .extend(rest.get(over - from_tail..).unwrap_or_default());
    }

    /// The text: where something was left out, both parts end at a line.
    pub(super) fn finish(mut self) -> Captured {
        let tail = self.tail.make_contiguous();
        if self.dropped == 0 {
            self.head.extend_from_slice(tail);
            return Captured {
                text: text(self.head),
                dropped: 0,
            };
        }
        let head_end = self.head.iter().rposition(|byte| *byte == b'\n');
        let head_end = head_end.map_or(self.head.len(), |at| at + 1);
        let tail_start = tail.iter().position(|byte| *byte == b'\n');
        let tail_start = tail_start.map_or(0, |at| at + 1);
        let lost = self.head.len() - head_end + tail_start;
        let dropped = self.dropped + lost as u64;
        self.head.truncate(head_end);
        let mut out = text(self.head);
        if !out.ends_with('\n') {
            out.push('\n');
        }
        out.push_str(&format!("... ({dropped} bytes left out)\n"));
        out.push_str(&String::from_utf8_lossy(
            tail.get(tail_start..).unwrap_or_default(),
        ));
        Captured { text: out, dropped }
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// A stream that is being read; shared, so that what has come is there even if its end never comes.
pub(super) type Shared = Arc<Mutex<Kept>>;

/// What has come so far, taken.
pub(super) fn take(shared: &Shared) -> Captured {
    let mut kept = shared.lock();
    std::mem::replace(&mut *kept, Kept::new(0)).finish()
}

/// Reads a stream to its end.
pub(super) async fn read(
    mut stream: impl AsyncRead + Unpin,
    kept: Shared,
    is_error: bool,
    lines: Option<Arc<dyn Lines>>,
) {
    let mut chunk = vec![0; CHUNK];
    let mut splitter = lines.map(|lines| Splitter {
        lines,
        is_error,
        line: Vec::new(),
    });
    while let Ok(count @ 1..) = stream.read(&mut chunk).await {
        let bytes = chunk.get(..count).unwrap_or_default();
        kept.lock().push(bytes);
        if let Some(splitter) = &mut splitter {
            splitter.push(bytes);
        }
    }
    if let Some(mut splitter) = splitter {
        splitter.end();
    }
}

/// Cuts a stream into lines of bounded length.
struct Splitter {
    lines: Arc<dyn Lines>,
    is_error: bool,
    line: Vec<u8>,
}

impl Splitter {
    fn push(&mut self, bytes: &[u8]) {
        let mut pieces = bytes.split(|byte| *byte == b'\n');
        if let Some(first) = pieces.next() {
            self.add(first);
        }
        for piece in pieces {
            self.tell();
            self.add(piece);
        }
    }

    fn add(&mut self, piece: &[u8]) {
        let free = LONGEST_LINE.saturating_sub(self.line.len());
        self.line
            .extend_from_slice(piece.get(..free.min(piece.len())).unwrap_or_default());
    }

    fn tell(&mut self) {
        let text = String::from_utf8_lossy(&self.line);
        self.lines.line(self.is_error, text.trim_end_matches('\r'));
        self.line.clear();
    }

    fn end(&mut self) {
        if !self.line.is_empty() {
            self.tell();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        let mut kept = Kept::new(20);
        for bytes in [&b"one\ntwo\n"[..], b"three\nfour\nfive\n", b"six\nseven\n"] {
            kept.push(bytes);
        }
        let captured = kept.finish();
        assert_eq!(captured.text, "one\ntwo\n... (20 bytes left out)\nseven\n");
        assert_eq!(captured.dropped, 20);
        let mut kept = Kept::new(20);
        kept.push(b"0123456789abcdefghij");
        assert_eq!(kept.finish().text, "0123456789abcdefghij");
        let mut kept = Kept::new(8);
        kept.push(&[b'x'; 1000]);
        kept.push(b"\nend");
        assert_eq!(kept.finish().text, "xxxx\n... (997 bytes left out)\nend");
        let mut kept = Kept::new(100);
        kept.push(b"\xff\xfe ok");
        assert_eq!(kept.finish().text, "\u{fffd}\u{fffd} ok");
    }
}
