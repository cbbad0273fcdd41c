//! Long texts made short for a message. Each value loses its end before anything behind it goes: what matters must not be
//! pushed out of sight by a long value in front of it.

/// Characters that are left of a value, as few as it takes.
const OF_A_VALUE: [usize; 5] = [500, 200, 80, 30, 12];

/// Where values begin and end in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// Between these characters.
    Between(&'static [char]),
    /// Strings of JSON.
    Strings,
}

/// Steps and pairs of a URL.
pub(super) const OF_URL: Values = Values::Between(&['/', '?', '&', '=', '#', ';', ',']);
/// Words of a command line, and of a header.
pub(super) const OF_LINE: Values = Values::Between(&[' ', '\n', ';', ',', '=', '&']);

/// Those of a body.
pub(super) fn of_body(text: &str) -> Values {
    match text.trim_start().starts_with(['{', '[', '"']) {
        true => Values::Strings,
        false => Values::Between(&['&', '=', '\n', '<', '>']),
    }
}

/// The text in `room` characters and a few more, which say how many are missing where. Of a text with too many values,
/// its beginning and its end are left.
pub(super) fn brief(text: &str, room: usize, values: Values) -> String {
    let count = text.chars().count();
    if count <= room {
        return text.to_owned();
    }
    let pieces = match values {
        Values::Between(ends) => text.split_inclusive(ends).collect(),
        Values::Strings => strings(text),
    };
    for limit in OF_A_VALUE {
        let short: String = pieces.iter().map(|piece| shortened(piece, limit)).collect();
        if short.chars().count() <= room {
            return short;
        }
    }
    let half = room / 2;
    let place = |skipped: usize| {
        text.char_indices()
            .nth(skipped)
            .map_or(text.len(), |(at, _)| at)
    };
    format!(
        "{}… ({} more characters, then:) …{}",
        &text[..place(half)],
        count - 2 * half,
        &text[place(count - half)..]
    )
}

/// The beginning of a piece that is longer; what ends it stays.
fn shortened(piece: &str, limit: usize) -> String {
    let count = piece.chars().count();
    let last = piece.chars().next_back().filter(|c| !c.is_alphanumeric());
    let more = count.saturating_sub(limit + usize::from(last.is_some()));
    if more == 0 {
        return piece.to_owned();
    }
    let mut short: String = piece.chars().take(limit).collect();
    short.push_str(&format!("… ({more} more characters)"));
    short.extend(last);
    short
}

/// The strings of a JSON text with the quote behind them, and what stands between them.
fn strings(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut is_escaped) = (0, false);
    for (at, byte) in text.bytes().enumerate() {
        if byte == b'"' && !is_escaped {
            pieces.push(&text[start..=at]);
            start = at + 1;
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    pieces.push(&text[start..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_a_long_value_shows() {
        let long = "Lunch%20".repeat(300);
        for (text, values) in [
            (
                format!("http://a.test/pay?note={long}&amount=1000000"),
                OF_URL,
            ),
            (format!("http://a.test/{long}/pay?amount=1000000"), OF_URL),
            (
                format!("{{\"note\":\"{long}\\\"\",\"amount\":1000000}}"),
                of_body("{"),
            ),
            (format!("note={long}&amount=1000000"), of_body("n")),
            (format!("dotnet run {long} amount=1000000"), OF_LINE),
            (format!("{}amount=1000000", "a=b&".repeat(2000)), OF_URL),
        ] {
            let short = brief(&text, 1000, values);
            assert!(short.chars().count() < 1100, "{short}");
            assert!(
                short.contains("more characters") && short.contains("1000000"),
                "{short}"
            );
            assert!(short.starts_with(&text[..8]), "{short}");
        }
    }

    #[test]
    fn what_fits_stays() {
        for text in ["", "http://a.test/ü?x=1", "{\"a\":\"\\\"\"}"] {
            assert_eq!(brief(text, 20, of_body(text)), text);
        }
        assert_eq!(
            brief(
                &format!("{{\"a\":\"{}\",\"b\":1}}", "é".repeat(2005)),
                1000,
                Values::Strings
            ),
            format!(
                "{{\"a\":\"{}… (1505 more characters)\",\"b\":1}}",
                "é".repeat(500)
            )
        );
    }
}
