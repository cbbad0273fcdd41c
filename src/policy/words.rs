//! Finds the words that patterns wait for: most texts have none, and finding that out must cost next to nothing.

use std::ops::Range;

use aho_corasick::{AhoCorasick, Input};
use wide::u8x16;

/// No word is longer, in bytes.
const LONGEST: usize = 16;
/// Of a byte, so many bits are looked at: those that letters of either case have in common.
const BITS: u32 = 5;
/// Of a word, so many bytes are looked at first.
const START: usize = 3;
const WINDOWS: usize = 1 << (BITS * START as u32);
/// Places of a text that are looked at in one step.
const STEP: usize = size_of::<u8x16>();
/// The bytes it takes for that.
const BLOCK: usize = STEP + START - 1;

/// Finds words in any case.
pub(super) struct Finder {
    words: AhoCorasick,
    /// For each word, what waits for it.
    waiting: Vec<Waiting>,
    starts: Starts,
    /// Without the words that matter only beside an `@`: links are in many answers, and there they are no logins.
    without_at: Starts,
}

/// Who waits for a word, as bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Waiting {
    pub(super) always: u32,
    /// Only where there is an `@` as well.
    pub(super) with_at: u32,
}

/// What a text has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// All who waited for one of its words.
    pub(super) waiting: u32,
    /// There is a word that nobody waits for.
    pub(super) other: bool,
}

/// The first bytes of words. Where none of them is, none of the words is; and each place of a text is looked at
/// apart, which an automaton cannot do: it is several times slower.
struct Starts {
    /// A bit for each window that a word begins with.
    windows: Box<[u64; WINDOWS / 64]>,
    /// For the first, second and third byte of a word.
    bytes: [Buckets; START],
}

/// Words are in eight buckets, a bit each. Both halves of a byte say which of them have a word with such a byte, so
/// that two look-ups in a table of sixteen answer for sixteen bytes at once (the Teddy algorithm of Hyperscan).
#[derive(Clone, Copy)]
struct Buckets {
    low: u8x16,
    high: u8x16,
}

impl Waiting {
    fn needs_at(self) -> bool {
        self.always == 0 && self.with_at != 0
    }
}

impl Finder {
    /// Finds these words, of two to sixteen bytes each.
    pub(super) fn new(words: &[(&'static str, Waiting)]) -> Self {
        debug_assert!(
            words
                .iter()
                .all(|(word, _)| (2..=LONGEST).contains(&word.len()))
        );
        let texts = words.iter().map(|(word, _)| *word);
        let common = words.iter().filter(|(_, waiting)| !waiting.needs_at());
        Self {
            words: AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .build(texts.clone())
                .expect("the words of the rules are few and short"),
            waiting: words.iter().map(|(_, waiting)| *waiting).collect(),
            starts: Starts::of(texts),
            without_at: Starts::of(common.map(|(word, _)| *word)),
        }
    }

    /// Who waits for the words of the text.
    pub(super) fn look(&self, text: &str) -> Found {
        let has_at = memchr::memchr(b'@', text.as_bytes()).is_some();
        let Some(first) = self.first(text, has_at) else {
            return Found::default();
        };
        let (mut found, mut other) = (Waiting::default(), false);
        let rest = Input::new(text).span(first..text.len());
        for word in self.words.find_overlapping_iter(rest) {
            let waiting = self.waiting[word.pattern()];
            found.always |= waiting.always;
            found.with_at |= waiting.with_at;
            other |= waiting == Waiting::default();
        }
        let with_at = if has_at { found.with_at } else { 0 };
        Found {
            waiting: found.always | with_at,
            other,
        }
    }

    /// Where the first word begins, or somewhere before it.
    fn first(&self, text: &str, has_at: bool) -> Option<usize> {
        let starts = if has_at {
            &self.starts
        } else {
            &self.without_at
        };
        let mut from = 0;
        loop {
            let at = starts.first(text.as_bytes(), from)?;
            if self.is_word_in(text, at..text.len().min(at + LONGEST)) {
                return Some(at);
            }
            from = at + 1;
        }
    }

    fn is_word_in(&self, text: &str, span: Range<usize>) -> bool {
        self.words.is_match(Input::new(text).span(span))
    }
}

impl Starts {
    fn of(words: impl Iterator<Item = &'static str>) -> Self {
        let mut words: Vec<&[u8]> = words.map(str::as_bytes).collect();
        // Words that begin alike share a bucket, so that few others fit into it.
        words.sort_unstable();
        let mut windows = Box::new([0; WINDOWS / 64]);
        let mut halves = [[[0; STEP]; 2]; START];
        for (index, word) in words.iter().enumerate() {
            let bucket = 1 << (index * 8 / words.len());
            let start = word.iter().take(START);
            let window = start.clone().fold(0, |window, byte| push(window, *byte));
            // Anything may follow a shorter word.
            let rest = BITS * START.saturating_sub(word.len()) as u32;
            for last in 0..1 << rest {
                let window = window << rest | last;
                windows[window / 64] |= 1 << (window % 64);
            }
            for [low, high] in halves.iter_mut().skip(word.len()) {
                low.iter_mut().chain(high).for_each(|half| *half |= bucket);
            }
            for (byte, [low, high]) in start.zip(&mut halves) {
                for byte in [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()] {
                    low[usize::from(byte & 15)] |= bucket;
                    high[usize::from(byte >> 4)] |= bucket;
                }
            }
        }
        let bytes = halves.map(|[low, high]| Buckets {
            low: low.into(),
            high: high.into(),
        });
        Self { windows, bytes }
    }

    /// The first place from this one on where a word may begin.
    fn first(&self, text: &[u8], from: usize) -> Option<usize> {
        let mut rest = text.get(from..)?;
        let mut at = from;
        while let Some(block) = rest.first_chunk() {
            if let Some(place) = self.within(block) {
                return Some(at + place);
            }
            rest = &rest[STEP..];
            at += STEP;
        }
        // Less than a block is left. Behind the end are zeros, which no word has.
        let mut last = [0; BLOCK + STEP];
        last[..rest.len()].copy_from_slice(rest);
        let blocks = [0, STEP].into_iter();
        let mut blocks = blocks.filter_map(|start| Some((start, last[start..].first_chunk()?)));
        blocks.find_map(|(start, block)| Some(at + start + self.within(block)?))
    }

    /// The first place of a block where a word may begin.
    #[inline(always)]
    fn within(&self, block: &[u8; BLOCK]) -> Option<usize> {
        let [first, second, third] = &self.bytes;
        let fits = first.fit(block, 0)? & second.fit(block, 1)? & third.fit(block, 2)?;
        let mut places = !fits.simd_eq(u8x16::splat(0)).to_bitmask() & ((1 << STEP) - 1);
        while places != 0 {
            let place = places.trailing_zeros() as usize;
            let start = block.iter().skip(place).take(START);
            let window = start.fold(0, |window, byte| push(window, *byte));
            if self.windows[window / 64] >> (window % 64) & 1 == 1 {
                return Some(place);
            }
            places &= places - 1;
        }
        None
    }
}

impl Buckets {
    /// For each place of a block the buckets that have a word with the byte so many places behind it.
    #[inline(always)]
    fn fit(&self, block: &[u8; BLOCK], behind: usize) -> Option<u8x16> {
        let bytes = u8x16::from(*block.get(behind..)?.first_chunk()?);
        let low = self.low.shuffle(bytes & u8x16::splat(15));
        Some(low & self.high.shuffle(bytes.unbounded_shr_scalar(4)))
    }
}

/// The bytes before, and this one.
fn push(window: usize, byte: u8) -> usize {
    window << BITS | usize::from(byte & ((1 << BITS) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Waiting = Waiting {
        always: 1,
        with_at: 0,
    };
    const TWO: Waiting = Waiting {
        always: 2,
        with_at: 0,
    };
    const LOGIN: Waiting = Waiting {
        always: 0,
        with_at: 4,
    };

    fn finder() -> Finder {
        let nobody = Waiting::default();
        Finder::new(&[("--", ONE), ("token", TWO), ("://", LOGIN), ("jwt", nobody)])
    }

    #[test]
    fn words_are_found_wherever_they_stand() {
        let finder = finder();
        let padding = ["", "x", "tok ", "to--", "ä☃", "a-b: tokes, "];
        for (word, waiting, other) in [
            ("--", 1, false),
            ("token", 2, false),
            ("TOKEN", 2, false),
            ("ToKeN--", 3, false),
            ("jwt", 0, true),
            ("://", 0, false),
            ("@ ://", 4, false),
            ("tok", 0, false),
            ("", 0, false),
            ("t", 0, false),
        ] {
            for before in padding {
                for after in padding {
                    let text = format!("{before}{word}{after}");
                    let dashes = u32::from(format!("{before} {after}").contains("--"));
                    let expected = Found {
                        waiting: waiting | dashes,
                        other,
                    };
                    assert_eq!(finder.look(&text), expected, "{text:?}");
                }
            }
        }
    }

    #[test]
    fn a_start_says_no_more_than_that_a_word_may_follow() {
        let finder = finder();
        assert_eq!(finder.first("a tokes and a token", false), Some(14));
        assert_eq!(finder.first("see https://example.com", false), None);
        assert_eq!(finder.first("a@b https://example.com", true), Some(9));
    }
}
