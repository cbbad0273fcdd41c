//! Times as RFC 3339 writes them, in UTC.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A time to the millisecond.
pub(super) fn rfc3339(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    let (year, month, day) = civil(seconds / DAY);
    let rest = seconds % DAY;
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    let fraction = since.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:03}Z")
}

/// Reads a date, or a date and a time with fraction and offset, as ISO 8601 and RFC 3339 write them; without
/// offset it is UTC. Years from 1970 on.
pub(super) fn parse(text: &str) -> Option<SystemTime> {
    let text = text.trim();
    let number = |from: usize, to: usize| -> Option<i64> {
        let part = text.get(from..to)?;
        let digits = part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| part.parse().ok()).flatten()
    };
    let is = |at: usize, of: &[u8]| {
        text.as_bytes()
            .get(at)
            .is_some_and(|byte| of.contains(byte))
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let dated = is(4, b"-") && is(7, b"-") && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !dated || year < 1970 || civil(days(year, month, day)) != (year, month, day) {
        return None;
    }
    let midnight = days(year, month, day) * DAY;
    if text.len() == 10 {
        return at(midnight, 0);
    }
    if !is(10, b"Tt ") || !is(13, b":") {
        return None;
    }
    let (hour, minute) = (number(11, 13)?, number(14, 16)?);
    let (second, rest) = match text.get(16..17) {
        Some(":") => (number(17, 19)?, text.get(19..)?),
        _ => (0, text.get(16..)?),
    };
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (nanoseconds, rest) = fraction(rest)?;
    let seconds = midnight + hour * 3600 + minute * 60 + second - offset(rest)?;
    at(seconds, nanoseconds)
}

const DAY: i64 = 86_400;

fn at(seconds: i64, nanoseconds: u32) -> Option<SystemTime> {
    let seconds = u64::try_from(seconds).ok()?;
    UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds))
}

fn fraction(text: &str) -> Option<(u32, &str)> {
    let Some(rest) = text.strip_prefix(['.', ',']) else {
        return Some((0, text));
    };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (fraction, rest) = rest.split_at(digits);
    let nine: String = fraction
        .chars()
        .chain("000000000".chars())
        .take(9)
        .collect();
    (digits > 0).then_some(())?;
    Some((nine.parse().ok()?, rest))
}

/// `Z`, `+hh:mm`, `-hhmm`, `+hh` or nothing, in seconds.
fn offset(text: &str) -> Option<i64> {
    let sign = match text.as_bytes().first() {
        None | Some(b'Z' | b'z') => return (text.len() <= 1).then_some(0),
        Some(b'+') => 1,
        Some(b'-') => -1,
        Some(_) => return None,
    };
    let digits: String = text.get(1..)?.chars().filter(|c| *c != ':').collect();
    if !matches!(digits.len(), 2 | 4) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let hours: i64 = digits.get(..2)?.parse().ok()?;
    let minutes: i64 = digits
        .get(2..)
        .filter(|text| !text.is_empty())
        .map_or(Some(0), |text| text.parse().ok())?;
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// Days since 1970 of a date. The civil calendar is counted from 1 March of the year 0: a leap day is a
/// year's last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a day since 1970.
fn civil(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, date)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::{parse, rfc3339};

    #[test]
    fn times_are_written_and_read_back() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (1_775_885_400, "2026-04-11T05:30:00.000Z"),
            (4_107_542_399, "2100-02-28T23:59:59.000Z"),
        ] {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(rfc3339(time), text);
            assert_eq!(parse(text), Some(time));
        }
    }

    #[test]
    fn other_spellings_mean_the_same() {
        let time = UNIX_EPOCH + Duration::from_secs(1_775_885_400);
        for text in [
            "2026-04-11T05:30Z",
            "2026-04-11 05:30:00",
            "2026-04-11T07:30:00+02:00",
            "2026-04-11t00:30:00-0500",
            "2026-04-11T05:30:00.000000000Z",
        ] {
            assert_eq!(parse(text), Some(time), "{text}");
        }
        assert_eq!(parse("2026-04-11"), parse("2026-04-11T00:00:00Z"));
        let later = parse("2026-04-11T05:30:00.25Z").and_then(|it| it.duration_since(time).ok());
        assert_eq!(later, Some(Duration::from_millis(250)));
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in [
            "",
            "now",
            "2026-13-01",
            "2026-02-30",
            "1969-12-31",
            "2026-04-11T",
            "2026-04-11T25:00:00",
            "2026-04-11T05:30:00X",
            "2026-04-11T05:30:00+1",
            "2026-04-11T05:30:00.Z",
            "٢٠٢٦-04-11",
            "2026-04-11T05:30:00Zulu",
            "2026/04/11",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
