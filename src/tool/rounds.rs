//! Bytes of a text looked at sixty-four at a time: a bit of a word for each.

use wide::u8x16;

/// Bytes compared in one step.
const STEP: usize = size_of::<u8x16>();

/// Bytes looked at together: as many as a word has bits.
pub(crate) const ROUND: usize = u64::BITS as usize;

/// A bit for each byte of a round that is marked, the first one's lowest. `marked` gives a step with all bits set in
/// the place of such bytes, and none in the others'.
#[inline(always)]
pub(crate) fn bits(round: &[u8; ROUND], marked: impl Fn(u8x16) -> u8x16) -> u64 {
    let (steps, _) = round.as_chunks::<STEP>();
    let words = steps.iter().enumerate().map(|(index, step)| {
        let marks = marked(u8x16::from(*step)).to_bitmask();
        u64::from(marks) << (index * STEP)
    });
    words.fold(0, |all, word| all | word)
}

/// The quotation marks and backslashes of a step.
#[inline(always)]
pub(crate) fn quoting(step: u8x16) -> u8x16 {
    step.simd_eq(u8x16::splat(b'"')) | step.simd_eq(u8x16::splat(b'\\'))
}

/// The control characters of a step that no string of a JSON text has in it (RFC 8259, section 7).
#[inline(always)]
pub(crate) fn controls(step: u8x16) -> u8x16 {
    step.simd_le(u8x16::splat(0x1f))
}

/// The last bytes of a text as a round, fewer than it has, and behind them `filler`.
pub(crate) fn last(rest: &[u8], filler: u8) -> [u8; ROUND] {
    let mut round = [filler; ROUND];
    round[..rest.len()].copy_from_slice(rest);
    round
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_its_bit() {
        for place in 0..ROUND {
            for (byte, is_quoting, is_control) in [
                (b'"', true, false),
                (b'\\', true, false),
                (0, false, true),
                (0x1f, false, true),
                (b' ', false, false),
                (0x7f, false, false),
                (0xff, false, false),
            ] {
                let mut round = last(&b"x".repeat(place), b'y');
                round[place] = byte;
                let one = 1 << place;
                assert_eq!(bits(&round, quoting), if is_quoting { one } else { 0 });
                assert_eq!(bits(&round, controls), if is_control { one } else { 0 });
            }
        }
    }
}
