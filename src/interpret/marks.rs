//! Where the strings of a JSON text end.

use crate::tool::rounds::{ROUND, bits, controls, last, quoting};

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

    /// The next mark, at this place or behind it. Places only grow: none lies before the round.
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

#[inline(always)]
fn marks(round: &[u8; ROUND]) -> u64 {
    bits(round, |step| quoting(step) | controls(step))
}

/// Once for each text, and apart, so that what is done for every round stays short.
#[inline(never)]
fn last_marks(rest: &[u8]) -> u64 {
    marks(&last(rest, 0))
}
