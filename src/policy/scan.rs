//! The strings of a JSON text, without reading it into a tree: most texts hold nothing to mask, and finding
//! that out must not cost more than the call.

use std::borrow::Cow;

/// A string of a JSON text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// The name of a member.
    Name(Cow<'t, str>),
    /// Any other.
    Value(Cow<'t, str>),
}

/// Whether `accepts` takes every string of a JSON text that is nested no deeper than `deepest`. A text that is
/// no JSON may be refused or not: whoever has to know asks a parser.
pub(super) fn all_strings(
    text: &str,
    deepest: usize,
    mut accepts: impl FnMut(Piece<'_>) -> bool,
) -> bool {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let Some((string, end)) = string(text, at) else {
                    return false;
                };
                at = end;
                let piece = if is_name(&bytes[at..]) {
                    Piece::Name(string)
                } else {
                    Piece::Value(string)
                };
                if !accepts(piece) {
                    return false;
                }
            }
            _ => {}
        }
        if depth > deepest {
            return false;
        }
    }
    true
}

/// The string whose first byte is at `start`, and where it ends, its quote included.
fn string(text: &str, start: usize) -> Option<(Cow<'_, str>, usize)> {
    let rest = text.as_bytes().get(start..)?;
    let mut length = memchr::memchr2(b'"', b'\\', rest)?;
    if rest[length] == b'"' {
        return Some((
            Cow::Borrowed(&text[start..start + length]),
            start + length + 1,
        ));
    }
    while rest[length] != b'"' {
        // What follows a backslash ends nothing.
        length += 2;
        length += memchr::memchr2(b'"', b'\\', rest.get(length..)?)?;
    }
    let end = start + length + 1;
    let decoded = serde_json::from_str(&text[start - 1..end]).ok()?;
    Some((Cow::Owned(decoded), end))
}

/// The text with other strings in the place of those that are written with escapes and that `change` changes;
/// nothing where it changes none, or where no escape stands for any character. The text may be several JSON texts, or have others around them.
pub(super) fn with_strings(
    text: &str,
    mut change: impl FnMut(&str) -> Option<String>,
) -> Option<String> {
    memchr::memmem::find(text.as_bytes(), b"\\u")?;
    let mut out = String::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(quote) = memchr::memchr(b'"', &text.as_bytes()[at..]) {
        let start = at + quote + 1;
        // Beginning again at each quote could take forever.
        let Some((string, end)) = string(text, start).or_else(|| cut_off(text, start)) else {
            break;
        };
        at = end;
        if let Cow::Owned(string) = string
            && let Some(new) = change(&string)
        {
            out.push_str(&text[copied..start - 1]);
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

/// The string whose first byte is at `start` where the text was cut off within it, perhaps within an escape.
fn cut_off(text: &str, start: usize) -> Option<(Cow<'_, str>, usize)> {
    let rest = text.get(start - 1..)?;
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
        let whole = all_strings(text, 3, |piece| {
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
            "[[[[1]]]]",
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
