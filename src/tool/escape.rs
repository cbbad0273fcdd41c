//! Text into a JSON string, for answers that are written and not built.

use wide::u8x16;

use super::rounds::{ROUND, bits, controls, last, quoting};

/// Bytes compared in one step.
const STEP: usize = size_of::<u8x16>();
/// Bytes spread in one step: into twice as many, where each needs an escape.
const HALF: usize = STEP / 2;
/// What a round can become, and room to copy a whole step past its end.
const ROOM: usize = ROUND * 2 + STEP;

const LAST_CONTROL: u8 = 0x1f;
/// What the first control characters are behind a backslash, where they have a letter.
const LETTERS: [u8; STEP] = *b"\0\0\0\0\0\0\0\0btn\0fr\0\0";

/// Where each byte of a step comes from, for every choice of bytes that need a backslash before them: from one
/// of eight bytes, or from the backslash behind them.
static SPREAD: [[u8; STEP]; 1 << HALF] = spread();

const fn spread() -> [[u8; STEP]; 1 << HALF] {
    let mut table = [[0; STEP]; 1 << HALF];
    let mut choice = 0;
    while choice < table.len() {
        let (mut from, mut to) = (0, 0);
        while from < HALF {
            if choice >> from & 1 == 1 {
                table[choice][to] = HALF as u8;
                to += 1;
            }
            table[choice][to] = from as u8;
            (from, to) = (from + 1, to + 1);
        }
        choice += 1;
    }
    table
}

/// Appends UTF-8 `text` to `out` as the inside of a JSON string (RFC 8259, section 7), without the quotes.
pub fn escape_json_into(out: &mut Vec<u8>, text: &[u8]) {
    out.reserve(text.len() + text.len() / 4);
    let (rounds, rest) = text.as_chunks();
    for round in rounds {
        escape_round(out, round, ROUND);
    }
    if !rest.is_empty() {
        escape_round(out, &last(rest, b' '), rest.len());
    }
}

/// The first `length` bytes of a round; behind them are none but spaces.
#[inline(always)]
fn escape_round(out: &mut Vec<u8>, round: &[u8; ROUND], length: usize) {
    // Quotation marks and backslashes stay what they are behind a backslash.
    let (quoting, controls) = (bits(round, quoting), bits(round, controls));
    let mut room = [0; ROOM];
    let end = if controls == 0 {
        insert_backslashes(&mut room, round, quoting)
    } else if let Some(letters) = letters(round) {
        insert_backslashes(&mut room, &letters, quoting | controls)
    } else {
        return escape_each(out, &round[..length]);
    };
    out.extend_from_slice(&room[..end - (ROUND - length)]);
}

/// Writes a round with a backslash before each byte whose bit is set; gives the end of it.
#[inline(always)]
fn insert_backslashes(room: &mut [u8; ROOM], round: &[u8; ROUND], marks: u64) -> usize {
    let mut end = 0;
    let (parts, _) = round.as_chunks::<HALF>();
    for (part, choice) in parts.iter().zip(marks.to_le_bytes()) {
        let mut source = [b'\\'; STEP];
        source[..HALF].copy_from_slice(part);
        let places = u8x16::from(SPREAD[usize::from(choice)]);
        let step = u8x16::from(source).shuffle(places);
        room[end..end + STEP].copy_from_slice(step.as_array());
        end += HALF + choice.count_ones() as usize;
    }
    end
}

/// The round with the letters that stand for control characters behind a backslash; nothing where one has none.
fn letters(round: &[u8; ROUND]) -> Option<[u8; ROUND]> {
    let mut letters = *round;
    let (steps, _) = letters.as_chunks_mut::<STEP>();
    for place in steps {
        let step = u8x16::from(*place);
        let control = controls(step);
        let letter = u8x16::from(LETTERS).shuffle(step.min(u8x16::splat(15)));
        if (control & letter.simd_eq(u8x16::splat(0))).any() {
            return None;
        }
        *place = control.select(letter, step).to_array();
    }
    Some(letters)
}

/// Byte by byte.
#[cold]
fn escape_each(out: &mut Vec<u8>, text: &[u8]) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    for &byte in text {
        match (byte, LETTERS.get(usize::from(byte))) {
            (b'"' | b'\\', _) => out.extend_from_slice(&[b'\\', byte]),
            (_, Some(&letter)) if letter != 0 => out.extend_from_slice(&[b'\\', letter]),
            (..=LAST_CONTROL, _) => {
                let digits = [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digits[0], digits[1]]);
            }
            _ => out.push(byte),
        }
    }
}

/// Bytes compared before what was found is looked at.
const BLOCK: usize = 1024;

/// Whether a JSON text may have an escape with such a letter behind its backslash. One behind an escaped backslash counts
/// as well: many bytes are compared at once, and none of them knows what is before it. For that `is_letter` should have no
/// branches (`|`, not `||`).
#[must_use]
pub fn has_escape(text: &[u8], is_letter: impl Fn(u8) -> bool) -> bool {
    // Many texts have none.
    let Some(first) = memchr::memchr(b'\\', text) else {
        return false;
    };
    let text = &text[first..];
    let next = text.get(1..).unwrap_or_default();
    let mut blocks = text.chunks(BLOCK).zip(next.chunks(BLOCK));
    blocks.any(|(block, next)| {
        let pairs = block.iter().zip(next);
        pairs.fold(false, |any, (byte, next)| {
            any | ((*byte == b'\\') & is_letter(*next))
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn escaped(text: &str) -> String {
        let mut out = b"\"".to_vec();
        escape_json_into(&mut out, text.as_bytes());
        out.push(b'"');
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_byte_at_every_place_is_what_serde_json_writes() {
        for byte in 0..0x80_u8 {
            for length in [1, 7, 8, 9, 16, 63, 64, 65, 127, 128, 129, 300] {
                for at in [0, length / 2, length - 1] {
                    let mut text = vec![b'x'; length];
                    text[at] = byte;
                    let text = String::from_utf8(text).unwrap();
                    assert_eq!(escaped(&text), serde_json::to_string(&text).unwrap());
                }
            }
        }
    }

    #[test]
    fn escapes_are_found_by_their_letter() {
        let long = "x".repeat(BLOCK - 1);
        for (text, expected) in [
            ("", false),
            ("u", false),
            (r#"\n\""#, false),
            (r"\u0041", true),
            (r"\n\u", true),
            (r"\\u", true),
            (r"\", false),
        ] {
            for text in [
                text.to_owned(),
                format!("{long}{text}"),
                format!("\\n{long}{text}"),
            ] {
                let found = has_escape(text.as_bytes(), |letter| letter == b'u');
                assert_eq!(found, expected, "{text}");
            }
        }
    }

    #[test]
    fn rounds_full_of_escapes_fit() {
        let text = "\u{1}".repeat(1000);
        assert_eq!(escaped(&text), serde_json::to_string(&text).unwrap());
    }

    proptest! {
        #[test]
        fn any_text_is_what_serde_json_writes(text in any::<String>(), dense in "[\"\\\\\n\u{0}-\u{1f}a-cé]{0,300}") {
            prop_assert_eq!(escaped(&text), serde_json::to_string(&text).unwrap());
            prop_assert_eq!(escaped(&dense), serde_json::to_string(&dense).unwrap());
        }
    }
}
