//! Where one item of a stream ends: enough to count items, nothing of what they say.

use ::http::HeaderMap;
use ::http::header::CONTENT_TYPE;

use crate::tool::{essence, is_json_lines};

/// How a body that is a stream is divided. Such a body may never end, so what has come is an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framing {
    /// Server-sent events: a blank line ends an event.
    Events,
    /// A line each: NDJSON, JSON Lines.
    Lines,
    /// A record separator begins each (RFC 7464).
    Records,
    /// Parts that replace each other, mostly pictures: not counted.
    Parts,
}

/// Counts the items of a stream while it comes in.
#[derive(Debug)]
pub(super) struct Counter {
    framing: Framing,
    count: u64,
    /// The line has nothing in it so far.
    line_is_empty: bool,
    /// The event has a field so far; comments alone are none.
    has_field: bool,
    after_return: bool,
}

impl Counter {
    /// A counter for a body of this media type; none where it is no stream.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
        let essence = essence(value);
        // Most are this.
        if essence.eq_ignore_ascii_case("application/json") {
            return None;
        }
        let essence = essence.to_ascii_lowercase();
        let framing = match essence.as_str() {
            "text/event-stream" => Framing::Events,
            "application/json-seq" => Framing::Records,
            "multipart/x-mixed-replace" => Framing::Parts,
            other if is_json_lines(other) => Framing::Lines,
            other if other.ends_with("+json-seq") => Framing::Records,
            _ => return None,
        };
        Some(Self {
            framing,
            count: 0,
            line_is_empty: true,
            has_field: false,
            after_return: false,
        })
    }

    /// What one item is called.
    pub(super) fn noun(&self) -> &'static str {
        match self.framing {
            Framing::Events => "event",
            Framing::Lines | Framing::Records | Framing::Parts => "item",
        }
    }

    /// Takes the next bytes; gives how many items there are now.
    pub(super) fn take(&mut self, chunk: &[u8]) -> u64 {
        match self.framing {
            Framing::Parts => {}
            Framing::Records => self.count += memchr::memchr_iter(0x1e, chunk).count() as u64,
            Framing::Lines | Framing::Events => {
                for &byte in chunk {
                    self.step(byte);
                }
            }
        }
        self.count
    }

    fn step(&mut self, byte: u8) {
        let second_half = byte == b'\n' && self.after_return;
        self.after_return = byte == b'\r';
        if second_half {
            return;
        }
        if byte != b'\n' && byte != b'\r' {
            self.has_field |= self.line_is_empty && byte != b':';
            self.line_is_empty = false;
            return;
        }
        let ends = match self.framing {
            Framing::Events => self.line_is_empty && self.has_field,
            _ => !self.line_is_empty,
        };
        if ends {
            self.count += 1;
            self.has_field = false;
        }
        self.line_is_empty = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(media_type: &str, chunks: &[&str]) -> Vec<u64> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, media_type.parse().unwrap());
        let mut counter = Counter::of(&headers).unwrap();
        chunks
            .iter()
            .map(|chunk| counter.take(chunk.as_bytes()))
            .collect()
    }

    #[test]
    fn items_are_counted_across_chunks() {
        let events = ["data: 1\n\ndata: 2\r", "\n\r\n: alive\n\n", "data: 3\r\r"];
        assert_eq!(
            count("text/event-stream; charset=utf-8", &events),
            [1, 2, 3]
        );
        assert_eq!(
            count("application/x-ndjson", &["{}\n{", "}\n\n\n[]\n"]),
            [1, 3]
        );
        assert_eq!(
            count("application/json-seq", &["\u{1e}{\n}\n\u{1e}", "1\n"]),
            [2, 2]
        );
    }

    #[test]
    fn other_bodies_are_no_streams() {
        let mut headers = HeaderMap::new();
        assert!(Counter::of(&headers).is_none());
        headers.insert(CONTENT_TYPE, "application/json".parse().unwrap());
        assert!(Counter::of(&headers).is_none());
    }
}
