//! The strings of a JSON text, without reading it into a tree: most texts hold nothing to mask, and finding
//! that out must not cost more than the call.

use std::borrow::Cow;

use crate::tool::has_escape;
use crate::tool::rounds::{ROUND, bits, last, quoting};

/// A string of a JSON text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// The name of a member.
    Name(Cow<'t, str>),
    /// Any other.
    Value(Cow<'t, str>),
}

/// Whether `accepts` takes every string of a JSON text. A text that is no JSON may be refused or not: whoever has to
/// know asks a parser.
pub(super) fn all_strings(text: &str, mut accepts: impl FnMut(Piece<'_>) -> bool) -> bool {
    let mut marks = Marks::of(text.as_bytes());
    while let Some(quote) = marks.next() {
        let Some((string, end)) = string(text, quote, &mut marks) else {
            return false;
        };
        let piece = if is_name(&text.as_bytes()[end..]) {
            Piece::Name(string)
        } else {
            Piece::Value(string)
        };
        if !accepts(piece) {
            return false;
        }
    }
    true
}

/// The string whose first quotation mark is at `quote`, and where it ends, its last one included.
#[inline(always)]
fn string<'t>(text: &'t str, quote: usize, marks: &mut Marks<'_>) -> Option<(Cow<'t, str>, usize)> {
    let bytes = text.as_bytes();
    let mut last = marks.next()?;
    if bytes[last] == b'"' {
        return Some((Cow::Borrowed(text.get(quote + 1..last)?), last + 1));
    }
    while bytes[last] != b'"' {
        // What follows a backslash ends nothing.
        last = marks.next_behind(last + 1)?;
    }
    let decoded = serde_json::from_str(text.get(quote..=last)?).ok()?;
    Some((Cow::Owned(decoded), last + 1))
}

/// The places of quotation marks and backslashes, found sixty-four bytes at a time: texts have many of them, and a
/// search for each would begin anew.
struct Marks<'t> {
    /// What was not looked at.
    rest: &'t [u8],
    /// Where the bytes begin that were looked at last.
    round: usize,
    /// Where the rest begins.
    next: usize,
    /// A bit for each mark among them that was not given yet.
    bits: u64,
}

impl<'t> Marks<'t> {
    fn of(text: &'t [u8]) -> Self {
        Self {
            rest: text,
            round: 0,
            next: 0,
            bits: 0,
        }
    }

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            if self.rest.is_empty() {
                return None;
            }
            self.look();
        }
        let place = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(self.round + place)
    }

    /// The next one behind a place.
    fn next_behind(&mut self, place: usize) -> Option<usize> {
        let next = self.next()?;
        if next == place {
            self.next()
        } else {
            Some(next)
        }
    }

    fn look(&mut self) {
        self.bits = match self.rest.split_first_chunk() {
            Some((round, rest)) => {
                self.rest = rest;
                bits(round, quoting)
            }
            None => bits(&last(std::mem::take(&mut self.rest), 0), quoting),
        };
        self.round = self.next;
        self.next += ROUND;
    }
}

/// The text with other strings in the place of those that are written with escapes and that `change` changes;
/// nothing where it changes none, or where no escape stands for any character. The text may be several JSON texts, or have others around them.
pub(super) fn with_strings(
    text: &str,
    mut change: impl FnMut(&str) -> Option<String>,
) -> Option<String> {
    if !has_unicode_escape(text) {
        return None;
    }
    let mut out = String::new();
    let mut copied = 0;
    let mut marks = Marks::of(text.as_bytes());
    while let Some(quote) = marks.next() {
        // Outside of a string.
        if text.as_bytes()[quote] == b'\\' {
            continue;
        }
        // Beginning again at each quote could take forever.
        let found = string(text, quote, &mut marks).or_else(|| cut_off(text, quote));
        let Some((string, end)) = found else {
            break;
        };
        if let Cow::Owned(string) = string
            && let Some(new) = change(&string)
        {
            out.push_str(&text[copied..quote]);
            out.push_str(&serde_json::Value::from(new).to_string());
            copied = end;
        }
    }
    if copied == 0 {
        return None;
    }
    out.push_str(&text[copied..]);
    Some(out)
}

/// Whether there may be an escape that stands for any character.
pub(super) fn has_unicode_escape(text: &str) -> bool {
    has_escape(text.as_bytes(), |letter| letter == b'u')
}

/// The string whose first quotation mark is at `quote` where the text was cut off within it, perhaps within an escape.
fn cut_off(text: &str, quote: usize) -> Option<(Cow<'_, str>, usize)> {
    let rest = text.get(quote..)?;
    let ends =
        (0..=r"\u002".len()).filter_map(|missing| rest.get(..rest.len().checked_sub(missing)?));
    let mut decoded = ends.map(|rest| serde_json::from_str(&format!("{rest}\"")));
    let string: String = decoded.find_map(Result::ok)?;
    Some((Cow::Owned(string), text.len()))
}

fn is_name(rest: &[u8]) -> bool {
    let next = rest.iter().find(|byte| !byte.is_ascii_whitespace());
    next == Some(&b':')
}

/// Whether every word in the strings of a JSON text can be read in the text itself: an escape can stand for any
/// character (RFC 8259, section 7), but those for quotes, backslashes and blanks stand for none of a word.
pub(super) fn shows_words(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'\\', &bytes[at..]) {
        at += next + 2;
        if !matches!(
            bytes.get(at - 1),
            Some(b'n' | b't' | b'r' | b'b' | b'f' | b'"' | b'\\')
        ) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Option<Vec<String>> {
        let mut found = Vec::new();
        let whole = all_strings(text, |piece| {
            found.push(match piece {
                Piece::Name(name) => format!("{name}:"),
                Piece::Value(value) => value.into_owned(),
            });
            true
        });
        whole.then_some(found)
    }

    #[test]
    fn names_and_values_are_found_as_a_parser_would() {
        for (text, expected) in [
            (
                r#"{"a":"b","c" : ["d",1,"e"]}"#,
                &["a:", "b", "c:", "d", "e"][..],
            ),
            (r#"["a\"b","\\","\\\"",""]"#, &[r#"a"b"#, r"\", r#"\""#, ""]),
            (r#"{"\u0070wd":"\/"}"#, &["pwd:", "/"]),
            (
                r#"{"a string of more than sixty-four bytes, so that it ends in another round":"\\"}"#,
                &[
                    "a string of more than sixty-four bytes, so that it ends in another round:",
                    r"\",
                ],
            ),
            (r#""alone""#, &["alone"]),
            ("{\"ä\":\"☃\"}", &["ä:", "☃"]),
            ("12", &[]),
        ] {
            let expected: Vec<String> = expected.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(pieces(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for text in [
            r#"{"a"#,
            r#"{"a\"#,
            r#"{"a\""#,
            r#"["\x"]"#,
            r#"["\ud800"]"#,
        ] {
            assert_eq!(pieces(text), None, "{text}");
        }
    }

    #[test]
    fn strings_behind_escapes_are_changed_in_their_places() {
        let change = |string: &str| string.contains('+').then(|| string.replace('+', "\"-\""));
        for (text, expected) in [
            (
                r#"{"a":"\u002B"} x "\n" {"b+":"c\u002bd"}"#,
                Some(r#"{"a":"\"-\""} x "\n" {"b+":"c\"-\"d"}"#),
            ),
            (r#""\x" "\u002B" ""#, None),
            (r#"["\u002B","a\u002Bb"#, Some(r#"["\"-\"","a\"-\"b""#)),
            (r#"["a\u002Bb\u0"#, Some(r#"["a\"-\"b""#)),
            (r#"{"a":"+"}"#, None),
            ("", None),
        ] {
            assert_eq!(with_strings(text, change).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn words_hide_behind_escapes_only() {
        for (text, shows) in [
            (r#"{"a":"line\nnext\t\"q\" \\u0041"}"#, true),
            (r#"{"a":"\u0041"}"#, false),
            (r#"{"a":"https:\/\/x"}"#, false),
            (r#"{"a":"\"#, false),
            ("plain", true),
        ] {
            assert_eq!(shows_words(text), shows, "{text}");
        }
    }
}
