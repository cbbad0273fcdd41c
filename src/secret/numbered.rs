//! Texts in which characters are written as numbers (`&#x2B;`, `\u002B`), read as what is meant, so that a secret is found
//! whichever of its characters a service writes so, and how.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

/// More digits or backslashes than anybody writes.
const LONGEST: usize = 8;

/// What HTML and XML call characters that would be taken for their own; they stand beside numbers.
const NAMED: [(&str, char); 5] = [
    ("amp;", '&'),
    ("lt;", '<'),
    ("gt;", '>'),
    ("quot;", '"'),
    ("apos;", '\''),
];

static ENTITY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"&#"));
static ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\\u"));
static ASCII: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\\u00"));

/// What a text means, and where its parts stand there.
pub(super) struct Numbered {
    pub(super) text: String,
    /// From the first place on, in what is meant, the text stands as it is from the second place on.
    steps: Vec<(usize, usize)>,
}

impl Numbered {
    /// What is meant by a text; nothing where it writes no character as a number. With `wide`, characters beyond ASCII
    /// matter too.
    pub(super) fn read(text: &str, wide: bool) -> Option<Self> {
        // Most texts have neither, and are looked at once.
        let first = memchr::memchr2(b'&', b'\\', text.as_bytes())?;
        let bytes = text.as_bytes().get(first..).unwrap_or_default();
        if ENTITY.find(bytes).is_none() && !escapes(bytes, wide) {
            return None;
        }
        let mut read = Self {
            text: String::with_capacity(text.len()),
            steps: vec![(0, 0)],
        };
        let (bytes, mut done, mut at) = (text.as_bytes(), 0, first);
        while let Some(found) = memchr::memchr2(b'&', b'\\', &bytes[at..]) {
            let start = at + found;
            let Some((c, length)) = character(&text[start..]) else {
                at = start + 1;
                continue;
            };
            read.text.push_str(&text[done..start]);
            read.steps.push((read.text.len(), start));
            read.text.push(c);
            at = start + length;
            done = at;
            read.steps.push((read.text.len(), at));
        }
        read.text.push_str(&text[done..]);
        Some(read)
    }

    /// Where in the text a part of what is meant stands.
    pub(super) fn place(&self, part: Range<usize>) -> Range<usize> {
        let place = |meant: usize| {
            let after = self.steps.partition_point(|(start, _)| *start <= meant);
            // The first step begins at the beginning.
            let (start, stands) = self.steps[after.saturating_sub(1)];
            stands + (meant - start)
        };
        place(part.start)..place(part.end)
    }
}

/// Whether there are escapes of characters that matter.
fn escapes(text: &[u8], wide: bool) -> bool {
    if wide {
        return ESCAPE.find(text).is_some();
    }
    // What texts of most languages are full of says nothing of a secret in ASCII.
    let mut all = ASCII.find_iter(text);
    all.any(|at| matches!(text.get(at + 4), Some(b'2'..=b'7')))
}

/// The character that a text begins with in other letters, and how many bytes these are.
fn character(text: &str) -> Option<(char, usize)> {
    if let Some(rest) = text.strip_prefix("&#") {
        return entity(rest).map(|(c, length)| (c, 2 + length));
    }
    if let Some(rest) = text.strip_prefix('&') {
        let named = NAMED.iter().find(|(name, _)| rest.starts_with(name));
        return named.map(|(name, c)| (*c, 1 + name.len()));
    }
    let backslashes = text.bytes().take(LONGEST);
    let backslashes = backslashes.take_while(|byte| *byte == b'\\').count();
    let rest = &text[backslashes..];
    match rest.bytes().next()? {
        b'u' => {
            let (code, length) = escape(&rest[1..])?;
            Some((code, backslashes + 1 + length))
        }
        c @ (b'"' | b'\'' | b'/') => Some((char::from(c), backslashes + 1)),
        _ => None,
    }
}

/// A character's number in HTML or XML, after `&#`: decimal, or hexadecimal after an `x`.
fn entity(text: &str) -> Option<(char, usize)> {
    let hexadecimal = text.starts_with(['x', 'X']);
    let digits = &text[usize::from(hexadecimal)..];
    let radix = if hexadecimal { 16 } else { 10 };
    let length = digits.bytes().take(LONGEST);
    let length = length
        .take_while(|byte| char::from(*byte).is_digit(radix))
        .count();
    let code = u32::from_str_radix(&digits[..length], radix).ok()?;
    let end = usize::from(digits[length..].starts_with(';'));
    let c = char::from_u32(code)?;
    Some((c, usize::from(hexadecimal) + length + end))
}

/// A character's number in JSON, after `\u`: four digits, or twice four (RFC 8259, section 7).
fn escape(text: &str) -> Option<(char, usize)> {
    let unit = |text: &str| {
        let digits = text.get(..4)?;
        let all = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        all.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
    };
    let first = unit(text)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, 4));
    }
    let rest = text[4..].trim_start_matches('\\');
    let between = text.len() - rest.len();
    let second = unit(rest.strip_prefix('u')?)?;
    let second = (0xdc00..0xe000).contains(&second).then_some(second)?;
    let high = first.checked_sub(0xd800).filter(|high| *high < 0x400)?;
    let c = char::from_u32(0x10000 + (high << 10) + (second - 0xdc00))?;
    Some((c, between + 1 + 4))
}

#[cfg(test)]
mod tests {
    use super::super::{Secret, mask_known, remember};
    use super::*;

    fn meant(text: &str) -> Option<String> {
        Numbered::read(text, true).map(|read| read.text)
    }

    #[test]
    fn characters_are_read_however_they_are_written() {
        for (text, expected) in [
            ("a&#43;b&#x2B;c&#x2b;d&#X2b;e&#0043;f", "a+b+c+d+e+f"),
            (
                "&#43 &#x1F600; &amp;&lt;&gt;&quot;&apos;&nbsp;",
                "+ \u{1f600} &<>\"'&nbsp;",
            ),
            (r"a\u002Bb\u002bc\\u002Bd\\\\u002Be", "a+b+c+d+e"),
            (
                r#"\ud83d\ude00 \\ud83d\\ude00 \" \\\" \/ \n \u002"#,
                "\u{1f600} \u{1f600} \" \" / \\n \\u002",
            ),
            (
                r"\ud83d \ude00 \ud83d\u0041 \u0041",
                r"\ud83d \ude00 \ud83dA A",
            ),
            (
                "&#; &#x; &#xD800; &#99999999999; \\u00zz \\u",
                "&#; &#x; &#xD800; &#99999999999; \\u00zz \\u",
            ),
            (r"ä\u00e4&#228;", "äää"),
        ] {
            assert_eq!(meant(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn most_texts_are_not_looked_into() {
        for text in ["plain", "a & b &amp; c", r"a\nb\\", r"\u00e4 \u20ac \u001b"] {
            assert!(Numbered::read(text, false).is_none(), "{text}");
        }
        assert!(Numbered::read(r"\u00e4 \u0027", false).is_some());
    }

    #[test]
    fn parts_are_found_where_they_stand() {
        let text = r"ä&#43;bc\u002B\u002Bd";
        let read = Numbered::read(text, false).unwrap();
        assert_eq!(read.text, "ä+bc++d");
        for (part, stands) in [
            ("ä", "ä"),
            ("+", "&#43;"),
            ("+bc+", r"&#43;bc\u002B"),
            ("bc", "bc"),
            ("++", r"\u002B\u002B"),
            ("d", "d"),
        ] {
            let start = read.text.find(part).unwrap();
            assert_eq!(
                &text[read.place(start..start + part.len())],
                stands,
                "{part}"
            );
        }
    }

    #[test]
    fn of_two_values_the_longer_one_goes() {
        remember(&Secret::new("numbered-9".to_owned()));
        remember(&Secret::new("numbered-9+ä-and-more".to_owned()));
        for text in [
            "a numbered-9&#43;ä-and-more z",
            r"a numbered-9\u002B\u00e4-and-more z",
            "a numbered&#45;9+&#xE4;-and-more z",
            "a numbered&#45;9 z",
        ] {
            assert_eq!(mask_known(text), "a [REDACTED] z", "{text}");
        }
        let both = r"a&#b numbered-9 \u002B;&#x2B; numbered&#45;9";
        let masked = r"a&#b [REDACTED] \u002B;&#x2B; [REDACTED]";
        assert_eq!(mask_known(both), masked);
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_strange(text in "[&#xX;\\\\u0-9a-dAäD\u{1f600}\"/lt]{0,60}") {
            if let Some(read) = Numbered::read(&text, true) {
                for (at, c) in read.text.char_indices() {
                    let place = read.place(at..at + c.len_utf8());
                    proptest::prop_assert!(text.get(place.clone()).is_some_and(|part| !part.is_empty()), "{:?}", place);
                }
                proptest::prop_assert_eq!(read.place(0..read.text.len()), 0..text.len());
            }
        }
    }
}
