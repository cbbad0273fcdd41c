//! Secrets of which a text that was cut off has only the beginning: nobody can recognise one there afterwards.

/// A shorter beginning gives nothing away, in bytes.
const SHORTEST: usize = 4;

/// The bytes that a text ends with and one of these values begins with, where they are not all of it; zero below four.
pub(super) fn torn<'a>(values: impl Iterator<Item = &'a str>, text: &[u8]) -> usize {
    let overlaps = values.map(|value| overlap(value.as_bytes(), text));
    overlaps.max().filter(|most| *most >= SHORTEST).unwrap_or(0)
}

/// In one pass (Knuth, Morris, Pratt): a value may be long, and be made of its own beginning.
fn overlap(value: &[u8], text: &[u8]) -> usize {
    let end = &text[text.len().saturating_sub(value.len().saturating_sub(1))..];
    let start = value.get(..SHORTEST);
    if start.is_none_or(|start| memchr::memmem::find(end, start).is_none()) {
        return 0;
    }
    let mut shorter = vec![0; value.len()];
    let mut length = 0;
    for at in 1..value.len() {
        length = longer(value, &shorter, length, value[at]);
        shorter[at] = length;
    }
    // As long as the value it never gets: the end of the text is shorter than that.
    let step = |length, byte: &u8| longer(value, &shorter, length, *byte);
    end.iter().fold(0, step)
}

/// So much of the value's beginning is there with one byte more; `shorter` has for each place of the value what is left
/// of it where the next byte is another one.
fn longer(value: &[u8], shorter: &[usize], mut length: usize, byte: u8) -> usize {
    while length > 0 && value[length] != byte {
        length = shorter[length - 1];
    }
    length + usize::from(value[length] == byte)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn torn_of(values: &[&str], text: &str) -> usize {
        torn(values.iter().copied(), text.as_bytes())
    }

    #[test]
    fn the_beginning_of_a_value_is_found_at_the_end_alone() {
        let values = ["key-12345", "other", "abc"];
        for (text, expected) in [
            ("so: key-", 4),
            ("so: key", 0),
            ("so: key-1234", 8),
            // Whole, and looked for elsewhere.
            ("so: key-12345", 0),
            ("key-1 and more", 0),
            ("othe", 4),
            ("ab", 0),
            ("", 0),
        ] {
            assert_eq!(torn_of(&values, text), expected, "{text}");
        }
        let long = format!("{}b", "a".repeat(50_000));
        assert_eq!(torn_of(&[&long], &"a".repeat(100_000)), 50_000);
    }

    proptest! {
        #[test]
        fn it_is_the_longest(value in "[ab]{1,12}", text in "[ab]{0,20}") {
            let fits = |length: &usize| text.ends_with(&value[..*length]);
            let longest = (SHORTEST..value.len()).rev().find(fits);
            prop_assert_eq!(torn_of(&[&value], &text), longest.unwrap_or(0));
        }
    }
}
