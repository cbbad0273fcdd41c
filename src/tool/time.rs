//! How times are written.

use std::time::SystemTime;

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;

const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

/// UTC with milliseconds (RFC 3339, section 5.6).
#[must_use]
pub fn rfc3339(time: SystemTime) -> String {
    // Beyond the year 9999 there is no such text.
    let time = Timestamp::try_from(time).unwrap_or(Timestamp::MAX);
    PRINTER.timestamp_to_string(&time)
}

/// UTC, from whole seconds since 1970 (RFC 3339, section 5.6).
#[must_use]
pub fn rfc3339_seconds(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().map(Timestamp::from_second);
    time.and_then(Result::ok)
        .unwrap_or(Timestamp::MAX)
        .to_string()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_written_as_rfc_3339_has_them() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00.007Z"),
            (951_782_399, "2000-02-28T23:59:59.007Z"),
            (951_782_400, "2000-02-29T00:00:00.007Z"),
            (1_735_689_599, "2024-12-31T23:59:59.007Z"),
            (4_107_542_400, "2100-03-01T00:00:00.007Z"),
        ] {
            let time = SystemTime::UNIX_EPOCH + Duration::from_millis(seconds * 1000 + 7);
            assert_eq!(rfc3339(time), expected);
            assert_eq!(rfc3339_seconds(seconds), expected.replace(".007", ""));
        }
        assert!(rfc3339_seconds(u64::MAX).starts_with("9999-"));
    }
}
