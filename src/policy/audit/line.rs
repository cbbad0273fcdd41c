//! A record as a line of JSON, written member by member: every call writes one, and serde takes more than twice as
//! long for it.

use std::fmt::{Display, Write as _};

/// Room for a record as most are, in bytes.
const ROOM: usize = 512;

/// A JSON object that is being written. The names of its members are words that need no escape.
#[derive(Debug)]
pub(super) struct Line {
    out: String,
}

impl Line {
    pub(super) fn new() -> Self {
        let mut out = String::with_capacity(ROOM);
        out.push('{');
        Self { out }
    }

    /// A text from anywhere.
    pub(super) fn text(&mut self, name: &str, text: &str) -> &mut Self {
        self.name(name);
        push_text(&mut self.out, text);
        self
    }

    /// A text, or `null`.
    pub(super) fn text_or_null(&mut self, name: &str, text: Option<&str>) -> &mut Self {
        match text {
            Some(text) => self.text(name, text),
            None => self.json(name, &["null"]),
        }
    }

    /// A number, or `null`.
    pub(super) fn number(&mut self, name: &str, number: Option<impl Display>) -> &mut Self {
        let Some(number) = number else {
            return self.json(name, &["null"]);
        };
        self.name(name);
        // A string takes all that is written to it.
        let _ = write!(self.out, "{number}");
        self
    }

    /// What is JSON already, in pieces.
    pub(super) fn json(&mut self, name: &str, pieces: &[&str]) -> &mut Self {
        self.name(name);
        for piece in pieces {
            self.out.push_str(piece);
        }
        self
    }

    pub(super) fn finish(mut self) -> String {
        self.out.push('}');
        self.out
    }

    fn name(&mut self, name: &str) {
        if self.out.len() > 1 {
            self.out.push(',');
        }
        self.out.push('"');
        self.out.push_str(name);
        self.out.push_str("\":");
    }
}

/// Appends a text as a JSON string (RFC 8259, section 7).
pub(super) fn push_text(out: &mut String, text: &str) {
    let plain = |byte| byte >= b' ' && byte != b'"' && byte != b'\\';
    if text.bytes().all(plain) {
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
        let mut line = Line::new();
        line.text("awkward", awkward)
            .text_or_null("client", None)
            .text_or_null("by", Some("\u{1b}[2J"))
            .number("status", Some(-1))
            .number("bytes", None::<u64>)
            .json("steps", &["[", "{}", "]"]);
        let line = line.finish();
        assert!(!line.contains('\n'));
        assert_eq!(
            serde_json::from_str::<Value>(&line).unwrap(),
            json!({
                "awkward": awkward, "client": null, "by": "\u{1b}[2J", "status": -1, "bytes": null, "steps": [{}],
            })
        );
        assert_eq!(Line::new().finish(), "{}");
    }
}
