//! Texts of upstreams without what nobody sees: characters that drive terminals, and the tag characters with
//! which a service could say to a model what no person reads.

use std::borrow::Cow;

use super::http::{Interpreted, Whole};
use crate::tool::{Content, Outcome, Structured, Text};

/// What is done to the texts of an answer. Pictures and other bytes stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cleaning {
    /// Leave out control characters other than tabs and line breaks, terminal escapes and tag characters.
    pub controls: bool,
    /// Leave out what embeds, overrides or isolates a reading direction (UAX #9, section 2). Marks stay.
    pub directions: bool,
    /// Put the answer between two lines that say whose words it has.
    pub mark: bool,
}

impl Default for Cleaning {
    fn default() -> Self {
        Self {
            controls: true,
            directions: false,
            mark: false,
        }
    }
}

/// So many bytes are compared before what was found is looked at.
const BLOCK: usize = 1024;

/// The flags of England, Scotland and Wales, which are written with tag characters (UTS #51, section 2.6.1).
const FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

impl Cleaning {
    /// Whether texts are looked at at all.
    fn cleans(self) -> bool {
        self.controls || self.directions
    }

    /// A text without what nobody sees.
    #[must_use]
    pub fn text(self, text: &str) -> Cow<'_, str> {
        let new = self.cleans().then(|| cleaned(text, self)).flatten();
        new.map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// Cleans every text of an outcome. JSON stays JSON of the same shape.
    #[must_use]
    pub fn outcome(self, outcome: Outcome) -> Outcome {
        match self.cleans() {
            true => outcome_of(outcome, self),
            false => outcome,
        }
    }
}

/// Cleans every text of an answer. JSON stays JSON of the same shape.
#[must_use]
pub fn clean(interpreted: Interpreted, cleaning: Cleaning) -> Interpreted {
    if !cleaning.cleans() {
        return interpreted;
    }
    let Interpreted { outcome, whole } = interpreted;
    Interpreted {
        outcome: outcome_of(outcome, cleaning),
        whole: whole.map(|whole| whole_of(whole, cleaning)),
    }
}

fn outcome_of(mut outcome: Outcome, cleaning: Cleaning) -> Outcome {
    let structured = outcome.structured.take();
    let data = structured.as_ref().map(Structured::json);
    // What the data becomes; one text in two places stays one, and is read once.
    let mut new_data = None;
    for content in &mut outcome.content {
        let (Content::Text(text) | Content::Document { text, .. }) = content else {
            continue;
        };
        let same = data.is_some_and(|data| std::ptr::eq(data.as_bytes(), text.as_bytes()));
        if let Some(new) = cleaned(text.as_str(), cleaning) {
            *text = Text::from(new);
        }
        if same {
            new_data = Some(text.clone());
        }
    }
    outcome.structured = structured.map(|structured| {
        let new = new_data.or_else(|| {
            let new = cleaned(structured.json().as_str(), cleaning);
            new.map(Text::from)
        });
        new.map_or_else(|| structured.clone(), |new| structured.with(new))
    });
    outcome
}

fn whole_of(mut whole: Whole, cleaning: Cleaning) -> Whole {
    if whole.is_text
        && let Ok(text) = std::str::from_utf8(&whole.data)
        && let Some(new) = cleaned(text, cleaning)
    {
        whole.data = new.into();
    }
    whole
}

/// The text without what is hidden; `None` where nothing has to change.
fn cleaned(text: &str, cleaning: Cleaning) -> Option<String> {
    let rules = Rules {
        cleaning,
        // Within JSON a character may be escaped; in other texts the same letters are letters.
        json: text.trim_start().starts_with(['{', '[', '"']),
    };
    let bytes = text.as_bytes();
    if !rules.may_hide(bytes) {
        return None;
    }
    let mut out = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(offset) = bytes[at..].iter().position(|byte| rules.may_begin(*byte)) {
        let start = at + offset;
        let step = rules.step(&text[..start], &text[start..]);
        at = start + step.length.max(1);
        if step.goes {
            out.push_str(&text[kept..start]);
            kept = at;
        }
    }
    if kept == 0 {
        return None;
    }
    out.push_str(&text[kept..]);
    Some(out)
}

struct Rules {
    cleaning: Cleaning,
    json: bool,
}

/// So many bytes that go, or stay.
struct Step {
    length: usize,
    goes: bool,
}

impl Rules {
    /// Whether there is anything to look at more closely. Nearly no text gets further than this, so it is made
    /// of loops that compare many bytes at once.
    fn may_hide(&self, text: &[u8]) -> bool {
        let bounds = |(low, high): (u8, u8), byte: &u8| (low.min(*byte), high.max(*byte));
        let (low, high) = text.iter().fold((u8::MAX, 0), bounds);
        let is_plain = low >= 0x20 && high < 0x7f;
        (!is_plain && self.has_rare(text)) || (self.json && has_rare_escape(text))
    }

    fn has_rare(&self, text: &[u8]) -> bool {
        let directions = self.cleaning.directions;
        let begins = |byte: u8| {
            let control = byte < 0x20 && byte != b'\t' && byte != b'\n' && byte != b'\r';
            let rare = byte == 0x7f || byte == 0xc2 || byte == 0xf3;
            control | rare | (directions & (byte == 0xe2))
        };
        let mut blocks = text.chunks(BLOCK);
        blocks.any(|block| block.iter().fold(false, |any, byte| any | begins(*byte)))
    }

    /// Whether something hidden may begin with this byte. Nearly no byte of usual texts does.
    fn may_begin(&self, byte: u8) -> bool {
        match byte {
            b'\t' | b'\n' | b'\r' => false,
            // C1 controls, directions, the flags' black flag and the tags.
            0..0x20 | 0x7f | 0xc2 | 0xf3 => true,
            0xe2 => self.cleaning.directions,
            b'\\' => self.json,
            _ => false,
        }
    }

    fn step(&self, before: &str, rest: &str) -> Step {
        let Some(first) = rest.chars().next() else {
            return Step {
                length: 1,
                goes: false,
            };
        };
        let (c, length) = match first {
            '\\' if self.json => escaped(rest),
            c => (Some(c), c.len_utf8()),
        };
        if let Some(flag) = flag(before, rest) {
            return Step {
                length: flag,
                goes: false,
            };
        }
        let goes = c.is_some_and(|c| self.hides(c));
        let tail = match c {
            Some('\u{1b}') if goes => tail(&rest[length..], true),
            Some('\u{9b}') if goes => tail(&rest[length..], false),
            _ => 0,
        };
        Step {
            length: length + tail,
            goes,
        }
    }

    fn hides(&self, c: char) -> bool {
        match c {
            '\t' | '\n' | '\r' => false,
            '\u{e0000}'..='\u{e007f}' => self.cleaning.controls,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => self.cleaning.directions,
            c => self.cleaning.controls && c.is_control(),
        }
    }
}

/// Whether a JSON text may have an escape that stands for a control character.
fn has_rare_escape(text: &[u8]) -> bool {
    let Some(first) = memchr::memchr(b'\\', text) else {
        return false;
    };
    let text = &text[first..];
    let begins =
        |byte: u8, next: u8| (byte == b'\\') & ((next == b'u') | (next == b'b') | (next == b'f'));
    let next = text.get(1..).unwrap_or_default();
    let mut blocks = text.chunks(BLOCK).zip(next.chunks(BLOCK));
    blocks.any(|(block, next)| {
        let pairs = block.iter().zip(next);
        pairs.fold(false, |any, (byte, next)| any | begins(*byte, *next))
    })
}

/// The character a JSON escape stands for, where that may be hidden, and the escape's length in bytes
/// (RFC 8259, section 7).
fn escaped(rest: &str) -> (Option<char>, usize) {
    let unit = |at: usize| {
        let digits = rest.get(at..at + 6)?.strip_prefix("\\u")?;
        let hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
    };
    match rest.as_bytes().get(1) {
        Some(b'b' | b'f') => (Some('\u{8}'), 2),
        Some(b'u') => match (unit(0), unit(6)) {
            (Some(high @ 0xd800..=0xdbff), Some(low @ 0xdc00..=0xdfff)) => {
                let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                (char::from_u32(code), 12)
            }
            (Some(code), _) => (char::from_u32(code), 6),
            (None, _) => (None, 2),
        },
        // A backslash, a quote and others: nothing of the escape may be taken for the next one.
        Some(byte) if byte.is_ascii() => (None, 2),
        _ => (None, 1),
    }
}

/// The rest of a control sequence (ECMA-48, section 5.4): what it would have done goes with it.
fn tail(rest: &str, bracket: bool) -> usize {
    let Some(sequence) = (if bracket {
        rest.strip_prefix('[')
    } else {
        Some(rest)
    }) else {
        return 0;
    };
    let parameters = sequence
        .bytes()
        .take(32)
        .take_while(|byte| matches!(byte, b'0'..=b'9' | b';' | b':' | b'?'))
        .count();
    // Where only one character introduces it, a letter alone is more likely a letter.
    if !bracket && parameters == 0 {
        return 0;
    }
    match sequence.as_bytes().get(parameters) {
        Some(b'A'..=b'Z' | b'a'..=b'z' | b'@' | b'`') => usize::from(bracket) + parameters + 1,
        _ => usize::from(bracket),
    }
}

/// The length of a flag's tags, which stand behind a black flag.
fn flag(before: &str, rest: &str) -> Option<usize> {
    if !before.ends_with('\u{1f3f4}') {
        return None;
    }
    let mut letters = String::new();
    let mut length = 0;
    for c in rest.chars().take(6) {
        length += c.len_utf8();
        match c {
            '\u{e007f}' => return FLAGS.contains(&letters.as_str()).then_some(length),
            '\u{e0061}'..='\u{e007a}' => {
                letters.push(char::from_u32(u32::from(c) - 0xe0000)?);
            }
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    const ALL: Cleaning = Cleaning {
        controls: true,
        directions: true,
        mark: false,
    };

    #[test]
    fn what_nobody_sees_goes_and_the_rest_stays() {
        for (text, expected) in [
            (
                "plain\ttext\r\n größe 日本 €",
                "plain\ttext\r\n größe 日本 €",
            ),
            ("a\u{1b}[31mred\u{1b}[0m b", "ared b"),
            ("a\u{1b}]0;title\u{7}b", "a]0;titleb"),
            ("a\u{9b}2Jb\u{85}c\u{7f}\0", "abc"),
            ("\u{1b}[\"", "\""),
            ("a\u{e0049}\u{e0047}b", "ab"),
            (
                "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}!",
                "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}!",
            ),
            (
                "\u{1f3f4}\u{e0065}\u{e0076}\u{e0069}\u{e006c}\u{e007f}!",
                "\u{1f3f4}!",
            ),
            (
                "a\u{202e}b\u{2066}c\u{200f}d\u{200d}",
                "abc\u{200f}d\u{200d}",
            ),
            // Letters in a text that is no JSON.
            (r"regex \u001b \b", r"regex \u001b \b"),
            (
                r#"{"a":"x\u001b[2Jy\u009by\b\f\n\u000a"}"#,
                r#"{"a":"xyy\n\u000a"}"#,
            ),
            (
                r#"["\udb40\udc41\udb40\udc42z \u202E \ud83d\ude00"]"#,
                r#"["z  \ud83d\ude00"]"#,
            ),
            // An escaped backslash before a letter u is no escape.
            (r#"["\\u001b \\\u001b\""]"#, r#"["\\u001b \\\""]"#),
            (r#"["\u00"]"#, r#"["\u00"]"#),
            (r"[\", r"[\"),
        ] {
            let found = cleaned(text, ALL);
            assert_eq!(found.as_deref().unwrap_or(text), expected, "{text:?}");
            assert_eq!(found.is_none(), text == expected, "{text:?}");
        }
    }

    #[test]
    fn settings_say_what_goes() {
        let text = "a\u{202e}b\u{1b}c";
        let with = |controls, directions| Cleaning {
            controls,
            directions,
            mark: false,
        };
        assert_eq!(cleaned(text, with(true, false)).unwrap(), "a\u{202e}bc");
        assert_eq!(cleaned(text, with(false, true)).unwrap(), "ab\u{1b}c");
        assert_eq!(cleaned(text, with(false, false)), None);
    }

    proptest::proptest! {
        #[test]
        fn json_stays_json(text in proptest::prelude::any::<String>(), dense in "[\u{0}-\u{1f}\u{80}-\u{9f}a\"\\\\\u{e0001}\u{202e}]{0,40}") {
            for text in [text, dense] {
                for value in [Value::from(text.clone()), serde_json::json!({ text.clone(): [text.clone()] })] {
                    let json = value.to_string();
                    let cleaned = cleaned(&json, ALL).unwrap_or(json);
                    let read: Value = serde_json::from_str(&cleaned).unwrap();
                    let shown = read.to_string();
                    proptest::prop_assert!(super::cleaned(&shown, ALL).is_none(), "{}", shown);
                }
            }
        }
    }
}
