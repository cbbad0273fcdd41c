//! The places of JSON: a scanner over a text that is known to be valid.

use std::str::CharIndices;

use super::{Kind, Position, Tracker};

/// Tells the tracker each key, value and end of container.
pub(super) fn scan(text: &str, tracker: &mut Tracker) {
    let mut cursor = Cursor {
        text,
        rest: text.char_indices(),
        line: 1,
        column: 1,
    };
    while let Some((start, character, at)) = cursor.next() {
        let within = match character {
            '{' => tracker.value(at, Some(Kind::object())),
            '[' => tracker.value(at, Some(Kind::array())),
            '}' | ']' => {
                tracker.close();
                true
            }
            '"' => {
                let written = cursor.string(start);
                if tracker.awaits_key() {
                    tracker.key(unescaped(written), at);
                    true
                } else {
                    tracker.value(at, None)
                }
            }
            ',' | ':' => true,
            blank if blank.is_ascii_whitespace() => true,
            _ => {
                cursor.word();
                tracker.value(at, None)
            }
        };
        if !within {
            return;
        }
    }
}

struct Cursor<'a> {
    text: &'a str,
    rest: CharIndices<'a>,
    line: usize,
    column: usize,
}

impl<'a> Cursor<'a> {
    fn next(&mut self) -> Option<(usize, char, Position)> {
        let (start, character) = self.rest.next()?;
        let at = Position {
            line: self.line,
            column: self.column,
        };
        if character == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        Some((start, character, at))
    }

    /// The rest of a string whose quotation mark at `start` is read; both marks are in the result.
    fn string(&mut self, start: usize) -> &'a str {
        let mut escaped = false;
        while let Some((end, character, _)) = self.next() {
            match character {
                '"' if !escaped => return self.text.get(start..=end).unwrap_or_default(),
                '\\' => escaped = !escaped,
                _ => escaped = false,
            }
        }
        self.text.get(start..).unwrap_or_default()
    }

    /// The rest of a number, `true`, `false` or `null`.
    fn word(&mut self) {
        while self.rest.clone().next().is_some_and(|(_, next)| {
            next.is_ascii_alphanumeric() || matches!(next, '.' | '-' | '+')
        }) {
            self.next();
        }
    }
}

fn unescaped(written: &str) -> String {
    if written.contains('\\') {
        serde_json::from_str(written).unwrap_or_default()
    } else {
        written.trim_matches('"').to_owned()
    }
}
