//! Finding any of many long values in a text without an automaton, so that another value costs little: the last
//! six bytes of each are looked for everywhere, and only where they stand the rest is compared.

use std::ops::Range;
use std::sync::Arc;

/// Bytes of a value's end that are looked for.
const WIDTH: usize = 6;
/// The filter has two to the power of this many bits, 8 KiB: it stays in the nearest cache.
const BITS: u32 = 16;
const WORDS: usize = 1 << (BITS - 6);
/// Bytes compared for one of the text, and besides. Values can be chosen so that their ends are everywhere.
const DEAREST: usize = 16;
const AT_LEAST: usize = 256 * 1024;

/// Values by how they end.
pub(super) struct Windows {
    /// Whether something may end with a window.
    filter: Box<[u64; WORDS]>,
    /// Last window, and which of which spellings; sorted by window.
    ends: Vec<(u64, Arc<[String]>, usize)>,
}

/// More would have to be compared than a text is worth.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooDear;

impl Windows {
    /// Spellings of values; those shorter than six bytes are never found.
    pub(super) fn of<'a>(values: impl Iterator<Item = &'a Arc<[String]>>) -> Self {
        let mut filter = Box::new([0; WORDS]);
        let mut ends = Vec::new();
        for spellings in values {
            for (index, spelling) in spellings.iter().enumerate() {
                let Some(end) = spelling.as_bytes().last_chunk::<WIDTH>() else {
                    continue;
                };
                let window = end.iter().fold(0, |window, byte| next(window, *byte));
                let (word, bit) = place(window);
                filter[word] |= bit;
                ends.push((window, Arc::clone(spellings), index));
            }
        }
        ends.sort_unstable_by_key(|(window, ..)| *window);
        Self { filter, ends }
    }

    /// All spellings of six bytes or more.
    pub(super) fn spellings(&self) -> impl Iterator<Item = &str> {
        let ends = self.ends.iter();
        ends.map(|(_, spellings, index)| spellings[*index].as_str())
    }

    /// The places of a text where values stand, in their order; those that overlap are one.
    ///
    /// # Errors
    /// [`TooDear`] where a text is made so that this would take too long.
    pub(super) fn find(&self, text: &[u8]) -> Result<Vec<Range<usize>>, TooDear> {
        let mut places: Vec<Range<usize>> = Vec::new();
        let mut left = text.len().saturating_mul(DEAREST).saturating_add(AT_LEAST);
        let mut window = 0;
        for (at, byte) in text.iter().enumerate() {
            window = next(window, *byte);
            let (word, bit) = place(window);
            if self.filter[word] & bit == 0 {
                continue;
            }
            let end = at + 1;
            let Some(mut start) = self.longest(&text[..end], window, &mut left)? else {
                continue;
            };
            while let Some(last) = places.pop_if(|last| last.end > start) {
                start = start.min(last.start);
            }
            places.push(start..end);
        }
        Ok(places)
    }

    /// Where the longest value begins that ends where the text does.
    fn longest(
        &self,
        text: &[u8],
        window: u64,
        left: &mut usize,
    ) -> Result<Option<usize>, TooDear> {
        let first = self.ends.partition_point(|(other, ..)| *other < window);
        let alike = self.ends[first..].iter();
        let mut longest = 0;
        for (_, spellings, index) in alike.take_while(|(other, ..)| *other == window) {
            let value = spellings[*index].as_bytes();
            *left = left.checked_sub(value.len()).ok_or(TooDear)?;
            if text.ends_with(value) {
                longest = longest.max(value.len());
            }
        }
        Ok((longest > 0).then(|| text.len() - longest))
    }
}

/// The window one byte further on.
fn next(window: u64, byte: u8) -> u64 {
    window >> 8 | u64::from(byte) << (8 * (WIDTH - 1))
}

/// A window's bit in the filter.
fn place(window: u64) -> (usize, u64) {
    // Fibonacci hashing: the high bits depend on all of them.
    let hash = window.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS);
    ((hash >> 6) as usize, 1 << (hash & 63))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn windows(values: &[&str]) -> Windows {
        let spellings = |value: &&str| Arc::from([(*value).to_owned()]);
        let all: Vec<Arc<[String]>> = values.iter().map(spellings).collect();
        Windows::of(all.iter())
    }

    fn places(all: &Windows, text: &str) -> Vec<(usize, usize)> {
        let places = all.find(text.as_bytes()).unwrap().into_iter();
        places.map(|place| (place.start, place.end)).collect()
    }

    #[test]
    fn values_are_found_wherever_they_stand() {
        let all = windows(&["token-1", "long-token-1", "oken-1-and", "ärger!", "short"]);
        for (text, found) in [
            ("token-1", vec![(0, 7)]),
            ("a long-token-1, token-1", vec![(2, 14), (16, 23)]),
            ("token-1-and more", vec![(0, 11)]),
            ("ein ärger!", vec![(4, 11)]),
            ("oken-1 toke token-2 short", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(places(&all, text), found, "{text}");
        }
    }

    #[test]
    fn texts_that_would_take_forever_are_refused() {
        let value = format!("b{}", "a".repeat(8000));
        let all = windows(&[&value]);
        assert_eq!(all.find("a".repeat(100_000).as_bytes()), Err(TooDear));
        let rare = format!("{value}-and-its-end");
        assert_eq!(places(&windows(&[&rare]), &rare), [(0, rare.len())]);
    }

    proptest! {
        #[test]
        fn what_stands_there_is_found(
            values in prop::collection::vec("[abä]{6,12}", 1..6),
            text in "[abä]{0,80}",
        ) {
            let all: Vec<&str> = values.iter().map(String::as_str).collect();
            let places = windows(&all).find(text.as_bytes()).unwrap();
            let mut covered = vec![false; text.len()];
            for value in &values {
                for at in 0..text.len() {
                    if text.as_bytes()[at..].starts_with(value.as_bytes()) {
                        covered[at..at + value.len()].fill(true);
                    }
                }
            }
            let mut found = vec![false; text.len()];
            for place in places {
                found[place].fill(true);
            }
            prop_assert_eq!(covered, found);
        }
    }
}
