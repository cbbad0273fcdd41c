//! Times as messages tell them.

use std::time::SystemTime;

use crate::time::rfc3339;

/// `yyyy-MM-dd HH:mm:ss`, UTC.
pub(super) fn utc(time: SystemTime) -> String {
    let precise = rfc3339(time);
    let whole = precise.split_once('.').map_or("", |(seconds, _)| seconds);
    whole.replace('T', " ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00:00"),
            (951_782_399, "2000-02-28 23:59:59"),
            (951_782_400, "2000-02-29 00:00:00"),
            (1_775_885_400, "2026-04-11 05:30:00"),
            (4_107_542_400, "2100-03-01 00:00:00"),
        ] {
            assert_eq!(
                utc(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)),
                expected
            );
        }
    }
}
