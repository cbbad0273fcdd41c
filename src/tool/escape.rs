//! Text into a JSON string, for answers that are written and not built.

/// Bytes taken in one round.
const ROUND: usize = 128;
/// What a round can become: each byte an escape of six, and room to copy a last word past the end.
const ROOM: usize = ROUND * 6 + WORD;
/// Bytes looked at in one step.
const WORD: usize = size_of::<u64>();

/// Every byte of a word set to one, and the high bit of each.
const ONES: u64 = u64::from_ne_bytes([1; WORD]);
const HIGH: u64 = ONES << 7;

/// Appends UTF-8 `text` to `out` as the inside of a JSON string (RFC 8259, section 7), without the quotes.
///
/// Eight bytes are looked at in one step and copied whole; where one of them needs an escape, the
/// escape and then the rest of the eight are written over the copy.
pub fn escape_json_into(out: &mut Vec<u8>, text: &[u8]) {
    let mut buffer = [0; ROOM];
    out.reserve(text.len() + text.len() / 4);
    for round in text.chunks(ROUND) {
        let mut end = 0;
        let (words, rest) = round.as_chunks::<WORD>();
        for word in words {
            end = write_word(&mut buffer, end, *word);
        }
        for &byte in rest {
            if is_special(byte) {
                end = write_escape(&mut buffer, end, byte);
            } else {
                buffer[end] = byte;
                end += 1;
            }
        }
        out.extend_from_slice(&buffer[..end]);
    }
}

/// Writes eight bytes at `end`; gives the new end.
fn write_word(buffer: &mut [u8; ROOM], end: usize, bytes: [u8; WORD]) -> usize {
    let word = u64::from_le_bytes(bytes);
    let mut specials = specials(word);
    copy(buffer, end, word);
    if specials == 0 {
        return end + WORD;
    }
    let mut end = end;
    let mut done = 0;
    while specials != 0 {
        let index = specials.trailing_zeros() as usize / 8;
        end = write_escape(buffer, end + index - done, bytes[index]);
        done = index + 1;
        copy(buffer, end, word.checked_shr(8 * done as u32).unwrap_or(0));
        specials &= specials - 1;
    }
    end + WORD - done
}

fn copy(buffer: &mut [u8; ROOM], end: usize, word: u64) {
    buffer[end..end + WORD].copy_from_slice(&word.to_le_bytes());
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The high bit of each byte that needs an escape. No carry leaves a byte: its high bit is masked before adding.
fn specials(word: u64) -> u64 {
    let low = |word: u64| word & !HIGH;
    let is_zero = |word: u64| !((low(word) + !HIGH) | word);
    let quote = is_zero(word ^ (ONES * u64::from(b'"')));
    let backslash = is_zero(word ^ (ONES * u64::from(b'\\')));
    let control = !((low(word) + ONES * 0x60) | word);
    (quote | backslash | control) & HIGH
}

fn write_escape(buffer: &mut [u8; ROOM], end: usize, byte: u8) -> usize {
    let letter = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        other => {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            let digits = [HEX[usize::from(other >> 4)], HEX[usize::from(other & 15)]];
            buffer[end..end + 6].copy_from_slice(&[b'\\', b'u', b'0', b'0', digits[0], digits[1]]);
            return end + 6;
        }
    };
    buffer[end..end + 2].copy_from_slice(&[b'\\', letter]);
    end + 2
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
            for length in [1, 7, 8, 9, 16, 127, 128, 129, 300] {
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
