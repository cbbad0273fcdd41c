//! Whether a text is JSON, at the speed of reading it: answers are copied, never built into a tree,
//! so this one pass is what stands between a lying upstream and a broken answer.

use super::marks::Marks;

/// Deeper nesting is not taken for JSON: clients' parsers stop at 128 levels or somewhat above, and would lose the
/// whole message for it, in which the answer is some levels down already.
const MAX_DEPTH: usize = 120;

/// A text that is JSON but for halves of surrogate pairs, which a service leaves when it cuts a text within a character: with
/// replacement characters in their place. Clients' parsers refuse the whole message for such a half (RFC 8259, section 8.2).
pub(super) fn mended(text: &str) -> Option<String> {
    let mut out = String::new();
    let (mut done, mut at) = (0, 0);
    let bytes = text.as_bytes();
    while let Some(found) = memchr::memchr(b'\\', bytes.get(at..)?) {
        let rest = bytes.get(at + found + 1..)?;
        at += found + 1;
        if let Some(length) = escape(rest) {
            at += length;
        } else {
            let half = rest.first() == Some(&b'u') && unit(rest).is_some();
            if !half {
                return None;
            }
            out.push_str(text.get(done..at)?);
            out.push_str("ufffd");
            at += UNIT;
            done = at;
        }
    }
    if done == 0 {
        return None;
    }
    out.push_str(text.get(done..)?);
    is_json(out.as_bytes()).then_some(out)
}

/// Whether `text` is one JSON value (RFC 8259), and every escape in it a character. The text is known to be UTF-8.
pub(super) fn is_json(text: &[u8]) -> bool {
    document(text).is_some()
}

/// `None` as soon as something is out of place. All that follows becomes a part of this function, so that the
/// place in the text stays in a register: a call to a function of its own costs more than a short string.
fn document(text: &[u8]) -> Option<()> {
    let (at, marks) = (&mut 0, &mut Marks::from(text, 0));
    // What is open around the current place, a bit each: set for an object. The innermost is the lowest.
    let (mut open, mut depth) = (0_u128, 0);
    loop {
        // Down to a value without parts.
        match token(text, at)? {
            b'"' => string(text, at, marks)?,
            bracket @ (b'{' | b'[') => {
                let is_object = bracket == b'{';
                (open, depth) = (open << 1 | u128::from(is_object), depth + 1);
                if depth > MAX_DEPTH {
                    return None;
                }
                let closing = if is_object { b'}' } else { b']' };
                let is_empty = peek(text, at)? == closing;
                if !is_empty && (!is_object || member(text, at, marks)?) {
                    continue;
                }
            }
            first => scalar(text, at, first)?,
        }
        // Up again, to where another value follows.
        loop {
            if depth == 0 {
                return peek(text, at).is_none().then_some(());
            }
            let is_object = open & 1 == 1;
            match token(text, at)? {
                b',' if !is_object || member(text, at, marks)? => break,
                b',' => {}
                b'}' if is_object => (open, depth) = (open >> 1, depth - 1),
                b']' if !is_object => (open, depth) = (open >> 1, depth - 1),
                _ => return None,
            }
        }
    }
}

/// The next byte that is no white space, taken.
#[inline(always)]
fn token(text: &[u8], at: &mut usize) -> Option<u8> {
    let byte = peek(text, at)?;
    *at += 1;
    Some(byte)
}

/// The next byte that is no white space.
#[inline(always)]
fn peek(text: &[u8], at: &mut usize) -> Option<u8> {
    loop {
        match *text.get(*at)? {
            // Nearly always so: one comparison instead of four.
            byte if byte > b' ' => return Some(byte),
            b' ' | b'\r' | b'\t' => *at += 1,
            b'\n' => {
                *at += 1;
                // Most lines are indented.
                while text.get(*at..)?.first_chunk() == Some(b"    ") {
                    *at += 4;
                }
            }
            byte => return Some(byte),
        }
    }
}

/// A member's name and its colon, and its value where that is a string right behind them; whether the value is still to
/// come.
#[inline(always)]
fn member(text: &[u8], at: &mut usize, marks: &mut Marks) -> Option<bool> {
    if token(text, at)? != b'"' {
        return None;
    }
    string(text, at, marks)?;
    if text.get(*at..)?.first_chunk() == Some(b":\"") {
        *at += 2;
        string(text, at, marks)?;
        return Some(false);
    }
    (token(text, at)? == b':').then_some(true)
}

/// The rest of a string whose quotation mark was taken.
#[inline(always)]
fn string(text: &[u8], at: &mut usize, marks: &mut Marks) -> Option<()> {
    loop {
        *at = marks.next(text, *at);
        let byte = *text.get(*at)?;
        *at += 1;
        match byte {
            b'"' => return Some(()),
            b'\\' => match text.get(*at)? {
                // Nearly all there are, without a call.
                b'"' | b'\\' | b'/' | b'n' => *at += 1,
                _ => *at += escape(text.get(*at..)?)?,
            },
            _ => return None,
        }
    }
}

/// The length of an escape without its backslash.
fn escape(text: &[u8]) -> Option<usize> {
    match text.first()? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(1),
        b'u' => match unit(text)? {
            0xd800..=0xdbff => {
                let second = text.get(UNIT..)?.strip_prefix(b"\\")?;
                let pairs = matches!(unit(second)?, 0xdc00..=0xdfff);
                pairs.then_some(2 * UNIT + 1)
            }
            0xdc00..=0xdfff => None,
            _ => Some(UNIT),
        },
        _ => None,
    }
}

/// The length of `uXXXX`.
const UNIT: usize = 5;

/// The UTF-16 code unit of `uXXXX`.
fn unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, digit| {
        Some(unit << 4 | char::from(*digit).to_digit(16)?)
    })
}

/// The rest of a number or a literal.
#[inline(always)]
fn scalar(text: &[u8], at: &mut usize, first: u8) -> Option<()> {
    let literal: &[u8] = match first {
        b't' => b"rue",
        b'f' => b"alse",
        b'n' => b"ull",
        _ => return number(text, at, first),
    };
    let rest = text.get(*at..)?;
    *at += literal.len();
    rest.starts_with(literal).then_some(())
}

#[inline(always)]
fn number(text: &[u8], at: &mut usize, first: u8) -> Option<()> {
    let leading = match first {
        b'-' => {
            *at += 1;
            *text.get(*at - 1)?
        }
        digit => digit,
    };
    match leading {
        b'0' => {}
        b'1'..=b'9' => digits(text, at),
        _ => return None,
    }
    if text.get(*at) == Some(&b'.') {
        *at += 1;
        some_digits(text, at)?;
    }
    if let Some(b'e' | b'E') = text.get(*at) {
        *at += 1;
        if let Some(b'+' | b'-') = text.get(*at) {
            *at += 1;
        }
        some_digits(text, at)?;
    }
    Some(())
}

#[inline(always)]
fn some_digits(text: &[u8], at: &mut usize) -> Option<()> {
    let before = *at;
    digits(text, at);
    (*at > before).then_some(())
}

#[inline(always)]
fn digits(text: &[u8], at: &mut usize) {
    while text.get(*at).is_some_and(u8::is_ascii_digit) {
        *at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    fn reference(text: &str) -> bool {
        serde_json::from_str::<&RawValue>(text).is_ok()
    }

    #[test]
    fn judges_as_the_reference_does() {
        let cases = [
            "",
            " ",
            "{}",
            "[]",
            " [ ] ",
            "[1,]",
            "[,1]",
            "{\"a\":1}",
            "{\"a\":1,}",
            "{\"a\"}",
            "{a:1}",
            "{\"a\":1 \"b\":2}",
            "[1 2]",
            "nul",
            "null",
            "nullx",
            "true",
            "tru",
            "false ",
            "-",
            "-0",
            "-01",
            "01",
            "1.",
            ".1",
            "1.5e",
            "1.5e+",
            "1e5",
            "1E-5",
            "1e5.5",
            "\"",
            "\"a\"",
            "\"\\\"",
            "\"\\u12\"",
            "\"\\u12aF\"",
            "\"\\x\"",
            "\"a\nb\"",
            "\"\u{1f}\"",
            "\"ü€😀\"",
            "[[[]]]",
            "[[[]]",
            "[]]",
            "{]",
            "[}",
            "{\"a\":[{\"b\":null},[]],\"c\":\"d\\\\\"}",
            "1 1",
            "\u{feff}1",
            "[1]x",
            "{\"a\":}",
            "[\"12345678\\n\"]",
        ];
        for case in cases {
            assert_eq!(is_json(case.as_bytes()), reference(case), "{case:?}");
        }
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(is_json(deep(MAX_DEPTH).as_bytes()));
        assert!(!is_json(deep(MAX_DEPTH + 1).as_bytes()));
        assert!(!is_json("[".repeat(1_000_000).as_bytes()));
    }

    #[test]
    fn halves_of_surrogate_pairs_are_replaced() {
        for (text, expected) in [
            (r#""\ud83d""#, Some(r#""\ufffd""#)),
            (
                r#"{"a":"x\udE00y\n","b":1}"#,
                Some(r#"{"a":"x\ufffdy\n","b":1}"#),
            ),
            (
                r#"["\ud83d\ud83d\ude00"]"#,
                Some(r#"["\ufffd\ud83d\ude00"]"#),
            ),
            (r#"["\ud83d\u0041"]"#, Some(r#"["\ufffd\u0041"]"#)),
            (r#"["\ud83d\n"]"#, Some(r#"["\ufffd\n"]"#)),
            (r#"["\\ud83d"]"#, None),
            (r#"["\ud83d\ude00"]"#, None),
            (r#"["\ud83d"#, None),
            (r#"["\ud8"]"#, None),
            (r#"\"#, None),
        ] {
            let mended = mended(text);
            assert_eq!(mended.as_deref(), expected, "{text}");
            if mended.is_some() {
                assert!(!is_json(text.as_bytes()), "{text}");
            }
        }
        assert!(is_json(br#"["\ud83d\ude00"]"#));
    }

    #[test]
    fn what_ends_or_breaks_a_string_is_seen_wherever_it_stands() {
        for before in 0..140 {
            for after in [0, 1, 15, 16, 63, 64, 65] {
                let around =
                    |what: &str| format!("[\"{}{what}{}\"]", "x".repeat(before), "y".repeat(after));
                for what in [
                    "", "\\\"", "\\\\", "\u{7f}", "ü", "\u{1f}", "\n", "\"", "\\",
                ] {
                    let text = around(what);
                    assert_eq!(is_json(text.as_bytes()), reference(&text), "{text:?}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn judges_anything_as_the_reference_does(
            text in r#"[\[\]{}:,"\\ntrufalse0-9eE.+\- \n\u{1f}ü]{0,40}"#
        ) {
            prop_assert_eq!(is_json(text.as_bytes()), reference(&text), "{:?}", text);
        }

        #[test]
        fn takes_strings_of_every_length(text in "\\PC{0,40}") {
            let written = serde_json::to_string(&[&text]).unwrap();
            prop_assert!(is_json(written.as_bytes()));
            prop_assert!(!is_json(&written.as_bytes()[..written.len() - 2]));
        }
    }
}
