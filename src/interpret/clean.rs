//! Texts of upstreams without what nobody sees: characters that drive terminals, and those with which a service
//! could say to a model what no person reads.

use std::borrow::Cow;

use super::http::{Interpreted, Whole};
use crate::tool::{Content, Outcome, Structured, Text, has_escape};

/// What is done to the texts of an answer. Pictures and other bytes stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cleaning {
    /// Leave out control characters other than tabs and line breaks, terminal escapes, tag characters, variation
    /// selectors that vary nothing, and characters without width that join and part nothing anybody reads.
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
        let has_others = || self.cleaning.controls && high >= 0xe2 && has_no_width(text);
        (!is_plain && (self.has_rare(text) || has_others())) || (self.json && has_rare_escape(text))
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
            // C1 controls, directions and spaces without width, tags and variation selectors.
            0..0x20 | 0x7f | 0xc2 | 0xe2 | 0xef | 0xf3 => true,
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
        let goes = c.is_some_and(|c| self.hides(c) && !varies(before, c));
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
            // Joiners stay: scripts and emoji are written with them.
            '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{feff}' => {
                self.cleaning.controls
            }
            '\u{e0000}'..='\u{e01ef}' => self.cleaning.controls,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => self.cleaning.directions,
            c => self.cleaning.controls && c.is_control(),
        }
    }
}

/// Whether a text has characters without width (U+200B, U+2060 to U+206F, U+FEFF). What begins like them is in
/// most texts that are not in English: dashes, quotes, the signs of Japanese.
fn has_no_width(text: &[u8]) -> bool {
    let is = |first: u8, second: u8, third: u8| {
        let space = (second == 0x80) & (third == 0x8b);
        let others = (second == 0x81) & (third >= 0xa0);
        let mark = (first == 0xef) & (second == 0xbb) & (third == 0xbf);
        ((first == 0xe2) & (space | others)) | mark
    };
    let second = text.get(1..).unwrap_or_default();
    let third = text.get(2..).unwrap_or_default();
    let mut blocks = text
        .chunks(BLOCK)
        .zip(second.chunks(BLOCK))
        .zip(third.chunks(BLOCK));
    blocks.any(|((first, second), third)| {
        let all = first.iter().zip(second).zip(third);
        all.fold(false, |any, ((first, second), third)| {
            any | is(*first, *second, *third)
        })
    })
}

/// Whether it is the one variation selector behind a Chinese character: names are written with them (UTS #37).
fn varies(before: &str, c: char) -> bool {
    if !matches!(c, '\u{e0100}'..='\u{e01ef}') {
        return false;
    }
    // As it is, or in the 6 or 12 letters of an escape.
    let escape = |length: usize| {
        let start = before.len().checked_sub(length)?;
        match escaped(before.get(start..).filter(|text| text.starts_with('\\'))?) {
            (Some(c), whole) if whole == length => Some(c),
            _ => None,
        }
    };
    let varied = escape(12)
        .or_else(|| escape(6))
        .or(before.chars().next_back());
    matches!(
        varied,
        Some(
            '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}',
        )
    )
}

/// Whether a JSON text may have an escape that stands for a control character.
fn has_rare_escape(text: &[u8]) -> bool {
    has_escape(text, |letter| {
        (letter == b'u') | (letter == b'b') | (letter == b'f')
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
#[path = "clean_tests.rs"]
mod tests;
