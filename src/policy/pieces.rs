//! Texts of several JSON values: a value each line, records between separators (RFC 7464), and events with JSON as
//! their data (HTML, section 9.2.6). Each value is masked as if it stood alone.

use std::borrow::Cow;

use serde::de::IgnoredAny;

/// Ends one record and begins the next.
const SEPARATOR: char = '\u{1e}';

/// The text with every value masked by `mask`, which says nothing where nothing has to change; nothing where
/// that is so for all of them.
pub(super) fn masked(text: &str, mask: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mask = |value: &str| {
        let is_json = value.trim_start().starts_with(['{', '['])
            && serde_json::from_str::<IgnoredAny>(value).is_ok();
        is_json.then(|| mask(value)).flatten()
    };
    let mut out = Out {
        text: String::new(),
        changed: false,
    };
    if text.contains(SEPARATOR) {
        for record in text.split_inclusive(SEPARATOR) {
            let value = record.trim_end_matches(SEPARATOR);
            out.piece(value, mask(value).as_deref(), &record[value.len()..]);
        }
    } else {
        let mut event = Vec::new();
        for line in lines(text) {
            event.push(line);
            if content(line).is_empty() {
                out.event(&event, &mask);
                event.clear();
            }
        }
        out.event(&event, &mask);
    }
    out.changed.then_some(out.text)
}

struct Out {
    text: String,
    changed: bool,
}

impl Out {
    fn piece(&mut self, value: &str, masked: Option<&str>, end: &str) {
        self.changed |= masked.is_some();
        self.text.push_str(masked.unwrap_or(value));
        self.text.push_str(end);
    }

    /// Lines up to a blank one: an event, whose data may have several lines, or each a value.
    fn event(&mut self, lines: &[&str], mask: &impl Fn(&str) -> Option<String>) {
        let data: Vec<&str> = lines.iter().filter_map(|line| data(line)).collect();
        let whole = match data.as_slice() {
            [] => Cow::Borrowed(""),
            [one] => Cow::Borrowed(*one),
            several => Cow::Owned(several.join("\n")),
        };
        let mut masked = mask(&whole);
        let replaced = masked.is_some();
        for line in lines {
            let text = content(line);
            let end = &line[text.len()..];
            if data_of(text).is_some() && replaced {
                // The first line has all of it now.
                if let Some(masked) = masked.take() {
                    self.piece(text, Some(&format!("data: {masked}")), end);
                }
            } else {
                self.piece(text, mask(text).as_deref(), end);
            }
        }
    }
}

/// Lines with their ends: a line feed, a carriage return, or both.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = memchr::memchr2(b'\n', b'\r', rest.as_bytes());
        let length = match end {
            None if rest.is_empty() => return None,
            None => rest.len(),
            Some(end) if rest[end..].starts_with("\r\n") => end + 2,
            Some(end) => end + 1,
        };
        let (line, after) = rest.split_at(length);
        rest = after;
        Some(line)
    })
}

fn content(line: &str) -> &str {
    line.trim_end_matches(['\r', '\n'])
}

fn data<'t>(line: &&'t str) -> Option<&'t str> {
    data_of(content(line))
}

fn data_of(text: &str) -> Option<&str> {
    let value = text.strip_prefix("data:")?;
    Some(value.strip_prefix(' ').unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_masked_for_itself() {
        let mask = |value: &str| {
            let found = value.contains("\"ssn\"");
            found.then(|| format!("<{}>", value.split_whitespace().count()))
        };
        for (text, expected) in [
            (
                "{\"a\":1}\n{\"ssn\":2}\r\n{\"b\":3}",
                "{\"a\":1}\n<1>\r\n{\"b\":3}",
            ),
            (
                "event: x\ndata: {\"ssn\":\nid: 7\ndata:  1}\n\ndata: {\"a\":1}\n\n",
                "event: x\ndata: <2>\nid: 7\n\ndata: {\"a\":1}\n\n",
            ),
            ("\u{1e}{\"ssn\":\n 1}\n\u{1e}{}\n", "\u{1e}<2>\u{1e}{}\n"),
            ("data:{\"ssn\":1}\rdata:2", "data:{\"ssn\":1}\rdata:2"),
            ("data:{\"ssn\":1}\r\rdata:2", "data: <1>\r\rdata:2"),
        ] {
            let found = masked(text, mask);
            assert_eq!(found.as_deref().unwrap_or(text), expected, "{text:?}");
        }
        for text in [
            "",
            "ssn",
            "{\"a\":1}\n{\"b\":2}",
            "{\"ssn\":\n1}",
            "data: no",
        ] {
            assert_eq!(masked(text, mask), None, "{text:?}");
        }
    }
}
