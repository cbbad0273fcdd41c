//! Times as callers write them.

use std::time::SystemTime;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Reads a date, or a date and a time with fraction and offset, as ISO 8601 and RFC 3339 write them; without
/// offset it is UTC. Years from 1970 on.
pub(super) fn parse(text: &str) -> Option<SystemTime> {
    let text = text.trim();
    let time = text.parse::<Timestamp>().or_else(|_| {
        let local: DateTime = text.parse()?;
        local.to_zoned(TimeZone::UTC).map(|zoned| zoned.timestamp())
    });
    let time = time.ok().filter(|time| *time >= Timestamp::UNIX_EPOCH)?;
    Some(time.into())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::parse;
    use crate::time::rfc3339;

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
