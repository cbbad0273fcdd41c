//! Where the strings of a JSON text end: sixteen bytes compared at once, sixty-four looked at together.

use wide::u8x16;

/// Bytes compared in one step.
const STEP: usize = size_of::<u8x16>();
/// Bytes looked at together: as many as a word has bits.
const ROUND: usize = u64::BITS as usize;

/// The marks of a round: a bit for each byte at which a string ends or something is to be looked at.
///
/// They are found where the last round ended, not where a string begins: so the strings of a round do not wait for
/// each other's.
pub(super) struct Marks {
    start: usize,
    bits: u64,
}

impl Marks {
    /// Those of the round that starts here. What is behind the text counts as a mark.
    #[inline(always)]
    pub(super) fn from(text: &[u8], start: usize) -> Self {
        let rest = text.get(start..).unwrap_or_default();
        let bits = match rest.first_chunk() {
            Some(round) => marks(round),
            None => last_marks(rest),
        };
        Self { start, bits }
    }

    /// The next mark, at this place or behind it.
    #[inline(always)]
    pub(super) fn next(&mut self, text: &[u8], mut at: usize) -> usize {
        loop {
            let offset = at - self.start;
            if offset < ROUND {
                let ahead = self.bits >> offset;
                if ahead != 0 {
                    return at + ahead.trailing_zeros() as usize;
                }
                at = self.start + ROUND;
            }
            *self = Self::from(text, at);
        }
    }
}

/// A bit for each quotation mark, backslash and control character.
#[inline(always)]
fn marks(round: &[u8; ROUND]) -> u64 {
    let (steps, _) = round.as_chunks();
    let mut bits = 0;
    for (index, step) in steps.iter().enumerate() {
        let step = u8x16::from(*step);
        let mark = step.simd_eq(u8x16::splat(b'"'))
            | step.simd_eq(u8x16::splat(b'\\'))
            | step.simd_le(u8x16::splat(0x1f));
        bits |= u64::from(mark.to_bitmask()) << (index * STEP);
    }
    bits
}

#[inline(never)]
fn last_marks(rest: &[u8]) -> u64 {
    let mut round = [0; ROUND];
    round[..rest.len()].copy_from_slice(rest);
    marks(&round)
}
