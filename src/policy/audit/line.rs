//! A record as a line of JSON, written member by member: every call writes one, and serde takes nearly twice as long
//! for it.

use std::time::{Duration, SystemTime};

use crate::time::{Precision, write_rfc3339};

/// Room for a record as most are, in bytes.
const ROOM: usize = 512;

/// The name of a member with what stands around it: one piece to copy. Names are words that need no escape. Of a word,
/// which is a text that needs none either, the first quotation mark belongs to it.
macro_rules! member {
    ($name:literal) => {
        concat!(",\"", $name, "\":")
    };
    (word $name:literal) => {
        concat!(",\"", $name, "\":\"")
    };
}
pub(super) use member;

/// A JSON object that is being written.
#[derive(Debug)]
pub(super) struct Line {
    out: String,
}

impl Line {
    /// An object whose first member is a time.
    pub(super) fn at(time: SystemTime) -> Self {
        let mut out = String::with_capacity(ROOM);
        out.push_str("{\"time\":\"");
        write_rfc3339(&mut out, time, Precision::Milliseconds);
        out.push('"');
        Self { out }
    }

    /// A text from anywhere.
    pub(super) fn text(&mut self, member: &str, text: &str) -> &mut Self {
        self.out.push_str(member);
        push_text(&mut self.out, text);
        self
    }

    /// A word of the bridge's own, which needs no escape.
    pub(super) fn word(&mut self, member: &str, word: &str) -> &mut Self {
        self.out.push_str(member);
        self.out.push_str(word);
        self.out.push('"');
        self
    }

    /// A text, or `null`.
    pub(super) fn text_or_null(&mut self, member: &str, text: Option<&str>) -> &mut Self {
        match text {
            Some(text) => self.text(member, text),
            None => self.json(member, &["null"]),
        }
    }

    /// A number, or `null`.
    pub(super) fn number(&mut self, member: &str, number: Option<impl itoa::Integer>) -> &mut Self {
        match number {
            Some(number) => self.json(member, &[itoa::Buffer::new().format(number)]),
            None => self.json(member, &["null"]),
        }
    }

    /// A time in milliseconds, to the microsecond.
    pub(super) fn milliseconds(&mut self, member: &str, duration: Duration) -> &mut Self {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        self.json(member, &[itoa::Buffer::new().format(micros / 1000)]);
        // With the zeros before it.
        let part = 1000 + micros % 1000;
        self.json(".", &[&itoa::Buffer::new().format(part)[1..]])
    }

    /// What is JSON already, in pieces.
    pub(super) fn json(&mut self, member: &str, pieces: &[&str]) -> &mut Self {
        self.out.push_str(member);
        for piece in pieces {
            self.out.push_str(piece);
        }
        self
    }

    pub(super) fn finish(mut self) -> String {
        self.out.push('}');
        self.out
    }
}

/// Bytes that stand for themselves in a JSON string: most texts have no others, and are short.
static IS_PLAIN: [bool; 256] = {
    let mut is_plain = [true; 256];
    let mut control = 0;
    while control < b' ' {
        is_plain[control as usize] = false;
        control += 1;
    }
    is_plain[b'"' as usize] = false;
    is_plain[b'\\' as usize] = false;
    is_plain
};

/// Appends a text as a JSON string (RFC 8259, section 7).
pub(super) fn push_text(out: &mut String, text: &str) {
    if text.bytes().all(|byte| IS_PLAIN[usize::from(byte)]) {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        out.push_str(&serde_json::Value::from(text).to_string());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn whatever_is_written_reads_back_as_it_was() {
        let awkward = "a \"b\" \\ \n \u{1} \u{7f} ä ☃ </script>";
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_767_323_045_006);
        let mut line = Line::at(time);
        line.text(member!("awkward"), awkward)
            .text_or_null(member!("client"), None)
            .text_or_null(member!("by"), Some("\u{1b}[2J"))
            .number(member!("status"), Some(-1))
            .number(member!("bytes"), None::<u64>)
            .word(member!(word "event"), "call")
            .milliseconds(member!("duration_ms"), Duration::from_nanos(12_034_567))
            .json(member!("steps"), &["[", "{}", "]"]);
        let line = line.finish();
        assert!(!line.contains('\n'));
        assert!(line.contains(r#""duration_ms":12.034,"#), "{line}");
        let mut read: Value = serde_json::from_str(&line).unwrap();
        read["duration_ms"].take();
        assert_eq!(
            read,
            json!({
                "time": "2026-01-02T03:04:05.006Z", "awkward": awkward, "client": null, "by": "\u{1b}[2J",
                "status": -1, "bytes": null, "event": "call", "duration_ms": null, "steps": [{}],
            })
        );
    }
}
