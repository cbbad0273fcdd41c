//! Small things done to texts: cut, counted, masked, put together.

use serde_json::{Map, Value};

use super::super::media::head;
use super::CommandCall;

/// Of a long output, so much is handed on from its beginning and from its end.
const HEAD: usize = 16 * 1024;
const TAIL: usize = 8 * 1024;

/// At most `limit` characters, the marker included.
pub(super) fn cut(text: &str, limit: usize, marker: &str) -> String {
    if text.chars().nth(limit).is_none() {
        return text.to_owned();
    }
    let kept = limit.saturating_sub(marker.chars().count());
    let mut short: String = text.chars().take(kept).collect();
    short.push_str(marker);
    short
}

/// Masked, and with its middle left out where it is long.
pub(super) fn bounded(call: &CommandCall<'_>, text: &str) -> String {
    let text = (call.mask)(text.trim_end());
    if text.len() <= HEAD + TAIL {
        return text;
    }
    let (head, _) = head(&text, HEAD);
    let mut tail = text.len() - TAIL;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    format!(
        "{head}\n[{} bytes left out]\n{}",
        tail - head.len(),
        &text[tail..]
    )
}

/// Whether [`bounded`] leaves something out.
pub(super) fn is_long(call: &CommandCall<'_>, text: &str) -> bool {
    (call.mask)(text.trim_end()).len() > HEAD + TAIL
}

/// `1 error(s)`.
pub(super) fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}(s)")
}

/// The last part of a path, whichever slashes it is written with.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The text between the first pair of these marks.
pub(super) fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let start = text.find(open)? + open.len();
    let length = text[start..].find(close)?;
    Some(&text[start..start + length])
}

/// Members that are known; nulls are left out.
pub(super) fn members<const N: usize>(pairs: [(&str, Option<Value>); N]) -> Map<String, Value> {
    pairs
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
}

/// Without the escape sequences that drive terminals.
pub(super) fn plain(line: &str) -> std::borrow::Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return line.into();
    }
    let mut plain = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        if c != '\u{1b}' {
            plain.push(c);
            continue;
        }
        // `ESC [ ... letter`; `ESC ] ...` up to BEL or `ESC \`; of others only the character behind ESC is dropped.
        match rest.next() {
            Some('[') => {
                rest.by_ref().find(|c| c.is_ascii_alphabetic());
            }
            Some(']') => {
                let end = rest.by_ref().find(|c| matches!(c, '\u{7}' | '\u{1b}'));
                if end == Some('\u{1b}') {
                    rest.next();
                }
            }
            _ => {}
        }
    }
    plain.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_counts_the_marker() {
        assert_eq!(cut("abc", 3, "."), "abc");
        assert_eq!(cut("abcd", 3, "."), "ab.");
        assert_eq!(
            cut(&"ä".repeat(2000), 1000, "... (truncated)")
                .chars()
                .count(),
            1000
        );
    }

    #[test]
    fn terminals_are_not_driven() {
        assert_eq!(plain("\u{1b}[31;1mred\u{1b}[m!"), "red!");
        assert_eq!(plain("\u{1b}[12"), "");
        assert_eq!(
            plain("\u{1b}]8;;file:///a\u{1b}\\a.cs\u{1b}]8;;\u{7}: error"),
            "a.cs: error"
        );
    }
}
