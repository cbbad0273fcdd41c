//! Whether a text is JSON, at the speed of reading it: answers are copied, never built into a tree,
//! so this one pass is what stands between a lying upstream and a broken answer.

/// Deeper nesting is not taken for JSON; no reader of the answer would follow it.
const MAX_DEPTH: usize = 4096;

/// Whether `text` is one JSON value (RFC 8259). The text is known to be UTF-8.
pub(super) fn is_json(text: &[u8]) -> bool {
    Scanner {
        text,
        at: 0,
        open: Vec::new(),
    }
    .document()
    .is_some()
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    /// What is open around the current place: `{` or `[`.
    open: Vec<u8>,
}

impl Scanner<'_> {
    /// `None` as soon as something is out of place.
    fn document(&mut self) -> Option<()> {
        loop {
            // Down to a value without parts.
            match self.token()? {
                b'{' => {
                    self.enter(b'{')?;
                    match self.token()? {
                        b'}' => self.leave(b'{')?,
                        b'"' => {
                            self.name()?;
                            continue;
                        }
                        _ => return None,
                    }
                }
                b'[' => {
                    self.enter(b'[')?;
                    if self.peek()? != b']' {
                        continue;
                    }
                    self.at += 1;
                    self.leave(b'[')?;
                }
                b'"' => self.string()?,
                first => self.scalar(first)?,
            }
            // Up again, to where another value follows.
            loop {
                let Some(&around) = self.open.last() else {
                    return self.peek().is_none().then_some(());
                };
                match (self.token()?, around) {
                    (b',', b'[') => break,
                    (b',', _) => {
                        if self.token()? != b'"' {
                            return None;
                        }
                        self.name()?;
                        break;
                    }
                    (b'}', b'{') | (b']', b'[') => self.leave(around)?,
                    _ => return None,
                }
            }
        }
    }

    fn enter(&mut self, bracket: u8) -> Option<()> {
        self.open.push(bracket);
        (self.open.len() <= MAX_DEPTH).then_some(())
    }

    fn leave(&mut self, bracket: u8) -> Option<()> {
        (self.open.pop()? == bracket).then_some(())
    }

    /// The next byte that is no white space, taken.
    fn token(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match *self.text.get(self.at)? {
                b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    /// The rest of a member's name, and its colon.
    fn name(&mut self) -> Option<()> {
        self.string()?;
        (self.token()? == b':').then_some(())
    }

    /// The rest of a string whose quotation mark was taken.
    fn string(&mut self) -> Option<()> {
        loop {
            self.at += plain_run(self.text.get(self.at..)?);
            let byte = *self.text.get(self.at)?;
            self.at += 1;
            match byte {
                b'"' => return Some(()),
                b'\\' => self.escape()?,
                _ => return None,
            }
        }
    }

    fn escape(&mut self) -> Option<()> {
        let kind = *self.text.get(self.at)?;
        self.at += 1;
        match kind {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(()),
            b'u' => {
                let digits = self.text.get(self.at..self.at + 4)?;
                self.at += 4;
                digits.iter().all(u8::is_ascii_hexdigit).then_some(())
            }
            _ => None,
        }
    }

    /// The rest of a number or a literal.
    fn scalar(&mut self, first: u8) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        let literal: &[u8] = match first {
            b't' => b"rue",
            b'f' => b"alse",
            b'n' => b"ull",
            _ => return self.number(first),
        };
        self.at += literal.len();
        rest.starts_with(literal).then_some(())
    }

    fn number(&mut self, first: u8) -> Option<()> {
        let leading = match first {
            b'-' => {
                self.at += 1;
                *self.text.get(self.at - 1)?
            }
            digit => digit,
        };
        match leading {
            b'0' => {}
            b'1'..=b'9' => self.digits(),
            _ => return None,
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.text.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.text.get(self.at) {
                self.at += 1;
            }
            self.some_digits()?;
        }
        Some(())
    }

    fn some_digits(&mut self) -> Option<()> {
        let before = self.at;
        self.digits();
        (self.at > before).then_some(())
    }

    fn digits(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
    }
}

const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);

/// How many bytes stand before the next quotation mark, backslash or control character; eight at a
/// step.
fn plain_run(text: &[u8]) -> usize {
    let (words, rest) = text.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let zero_in = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
        let quote = zero_in(word ^ (ONES * u64::from(b'"')));
        let backslash = zero_in(word ^ (ONES * u64::from(b'\\')));
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let found = quote | backslash | control;
        if found != 0 {
            // The lowest mark is exact: borrows only run upwards.
            return index * 8 + (found.trailing_zeros() / 8) as usize;
        }
    }
    let special = |byte: &u8| matches!(*byte, b'"' | b'\\' | 0..=0x1f);
    let tail = rest.iter().position(special).unwrap_or(rest.len());
    words.len() * 8 + tail
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
