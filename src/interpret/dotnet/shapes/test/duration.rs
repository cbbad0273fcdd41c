//! Durations as test runners print them.

/// Milliseconds: `129 ms`, `< 1 ms`, `1 m 2 s`, `1s 081ms`, `00:00:01.5`. Nothing where it is none of these.
pub(super) fn milliseconds(text: &str) -> Option<u64> {
    let text = text.trim().trim_start_matches("< ");
    if text.contains(':') {
        return clock(text);
    }
    let (mut sum, mut found) = (0_u64, false);
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (number, behind) = rest.split_at(digits);
        let behind = behind.trim_start();
        let letters = behind
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(letters);
        let scale = match unit.to_ascii_lowercase().as_str() {
            "ms" => 1,
            "s" | "sec" | "second" | "seconds" => 1000,
            "m" | "min" | "minute" | "minutes" => 60_000,
            "h" | "hr" | "hour" | "hours" => 3_600_000,
            _ => return None,
        };
        sum = sum.saturating_add(scaled(number, scale)?);
        found = true;
        rest = behind.trim_start();
    }
    found.then_some(sum)
}

/// A decimal number times a scale, without floating point.
fn scaled(number: &str, scale: u64) -> Option<u64> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let whole: u64 = whole.parse().ok()?;
    let part = part.get(..part.len().min(6)).unwrap_or_default();
    let fraction = if part.is_empty() {
        0
    } else {
        part.parse::<u64>().ok()?.saturating_mul(scale)
            / 10_u64.pow(u32::try_from(part.len()).ok()?)
    };
    Some(whole.saturating_mul(scale).saturating_add(fraction))
}

/// `hh:mm:ss.fffffff`.
fn clock(text: &str) -> Option<u64> {
    let mut parts = text.split(':');
    let hours = scaled(parts.next()?, 3_600_000)?;
    let minutes = scaled(parts.next()?, 60_000)?;
    let seconds = scaled(parts.next()?, 1000)?;
    Some(hours.saturating_add(minutes).saturating_add(seconds))
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn all_the_ways_to_write_a_duration() {
        for (text, expected) in [
            ("129 ms", Some(129)),
            ("< 1 ms", Some(1)),
            ("1 m 2 s", Some(62_000)),
            ("4s 210ms", Some(4210)),
            ("1m 02s 300ms", Some(62_300)),
            ("1s 081ms", Some(1081)),
            ("442ms", Some(442)),
            ("1.7321 Seconds", Some(1732)),
            ("00:00:01.5", Some(1500)),
            ("00:00:00.0417063", Some(41)),
            ("99999999999999999999 h", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(milliseconds(text), expected, "{text}");
        }
    }
}
