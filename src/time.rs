//! How times are written. Each call writes some.

use std::cell::RefCell;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;

/// Of a second, how much is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Three digits.
    Milliseconds,
    /// Six digits.
    Microseconds,
}

thread_local! {
    /// The second that was written last, since 1970, and its text without `Z`: it is the next one's as well, mostly.
    static LAST: RefCell<(u64, String)> = const { RefCell::new((u64::MAX, String::new())) };
}

/// UTC with milliseconds (RFC 3339, section 5.6).
#[must_use]
pub fn rfc3339(time: SystemTime) -> String {
    let mut text = String::with_capacity("2026-01-02T03:04:05.006Z".len());
    write_rfc3339(&mut text, time, Precision::Milliseconds);
    text
}

/// Appends a time, cut to this precision, as [`rfc3339`] writes it.
pub fn write_rfc3339(out: &mut String, time: SystemTime, precision: Precision) {
    let Ok(since) = time.duration_since(UNIX_EPOCH) else {
        return write_any(out, time, precision);
    };
    LAST.with_borrow_mut(|(second, text)| {
        if *second != since.as_secs() {
            *second = since.as_secs();
            *text = rfc3339_seconds(*second);
            text.pop();
        }
        out.push_str(text);
    });
    write_fraction(out, since, precision);
}

/// Before 1970.
fn write_any(out: &mut String, time: SystemTime, precision: Precision) {
    let decimals = match precision {
        Precision::Milliseconds => 3,
        Precision::Microseconds => 6,
    };
    let printer = DateTimePrinter::new().precision(Some(decimals));
    let time = Timestamp::try_from(time).unwrap_or(Timestamp::MIN);
    out.push_str(&printer.timestamp_to_string(&time));
}

/// The part of a second, with the zeros before it.
fn write_fraction(out: &mut String, since: Duration, precision: Precision) {
    let with_zeros = match precision {
        Precision::Milliseconds => 1_000 + since.subsec_millis(),
        Precision::Microseconds => 1_000_000 + since.subsec_micros(),
    };
    let mut digits = itoa::Buffer::new();
    out.push('.');
    out.push_str(&digits.format(with_zeros)[1..]);
    out.push('Z');
}

/// UTC, from whole seconds since 1970 (RFC 3339, section 5.6).
#[must_use]
pub fn rfc3339_seconds(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().map(Timestamp::from_second);
    // Beyond the year 9999 there is no such text.
    let time = time.and_then(Result::ok).unwrap_or(LATEST);
    time.to_string()
}

/// The last second of the year 9999, less the day that time zones may take.
const LATEST: Timestamp = Timestamp::constant(253_402_207_200, 0);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_rfc_3339_has_them() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00.007Z"),
            (951_782_399, "2000-02-28T23:59:59.007Z"),
            (951_782_400, "2000-02-29T00:00:00.007Z"),
            (951_782_400, "2000-02-29T00:00:00.007Z"),
            (1_735_689_599, "2024-12-31T23:59:59.007Z"),
            (4_107_542_400, "2100-03-01T00:00:00.007Z"),
        ] {
            let time = UNIX_EPOCH + Duration::from_millis(seconds * 1000 + 7);
            assert_eq!(rfc3339(time), expected);
            assert_eq!(rfc3339_seconds(seconds), expected.replace(".007", ""));
        }
        assert!(rfc3339_seconds(u64::MAX).starts_with("9999-"));
    }

    #[test]
    fn no_time_is_too_early_or_too_late() {
        let at = |time: SystemTime, precision| {
            let mut text = "at ".to_owned();
            write_rfc3339(&mut text, time, precision);
            text
        };
        let time = UNIX_EPOCH + Duration::new(1, 999_999_999);
        let millis = at(time, Precision::Milliseconds);
        assert_eq!(millis, "at 1970-01-01T00:00:01.999Z");
        let micros = at(time, Precision::Microseconds);
        assert_eq!(micros, "at 1970-01-01T00:00:01.999999Z");
        let before = UNIX_EPOCH - Duration::from_millis(1);
        let before = at(before, Precision::Milliseconds);
        assert_eq!(before, "at 1969-12-31T23:59:59.999Z");
        let late = at(
            // The year 10000.
            UNIX_EPOCH + Duration::from_secs(253_402_300_800),
            Precision::Milliseconds,
        );
        assert!(late.starts_with("at 9999-"), "{late}");
    }
}
