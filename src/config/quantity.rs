//! Durations and sizes as people write them in flags and files.

use std::time::Duration;

/// A hundred years. A clock cannot add just any duration to now, and what waits longer waits for ever.
const LONGEST: Duration = Duration::from_secs(876_000 * 3600);

/// Reads `500ms`, `30s`, `2m` or `1h`.
///
/// # Errors
/// A sentence saying what was expected.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let expected =
        || format!("`{text}` is not a duration: expected for instance `30s`, `500ms` or `2m`");
    let (number, unit) = split(text).ok_or_else(expected)?;
    let millis = match unit {
        "ms" => 1.0,
        "s" => 1_000.0,
        "m" => 60_000.0,
        "h" => 3_600_000.0,
        _ => return Err(expected()),
    };
    let found = Duration::try_from_secs_f64(number * millis / 1_000.0).map_err(|_| expected())?;
    if found > LONGEST {
        return Err(format!("`{text}` is too long: expected at most 876000h"));
    }
    Ok(found)
}

/// Reads `64MiB`, `16 KiB`, `1MB` or a plain number of bytes.
///
/// # Errors
/// A sentence saying what was expected.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let expected = || {
        format!(
            "`{text}` is not a size: expected for instance `8MiB`, `64KiB` or a number of bytes"
        )
    };
    let (number, unit) = split(text).ok_or_else(expected)?;
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        _ => return Err(expected()),
    };
    let size = number * factor;
    if size.is_finite() && (0.0..9e15).contains(&size) {
        Ok(size as u64)
    } else {
        Err(expected())
    }
}

/// Writes a duration so that [`duration`] reads it back.
pub(super) fn show_duration(value: Duration) -> String {
    if value.subsec_millis() == 0 {
        format!("{}s", value.as_secs())
    } else {
        format!("{}ms", value.as_millis())
    }
}

/// Writes a size so that [`bytes`] reads it back.
pub(super) fn show_bytes(value: u64) -> String {
    const MIB: u64 = 1024 * 1024;
    match value {
        v if v > 0 && v % MIB == 0 => format!("{}MiB", v / MIB),
        v if v > 0 && v % 1024 == 0 => format!("{}KiB", v / 1024),
        v => v.to_string(),
    }
}

fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let number = text.get(..end)?.parse().ok()?;
    Some((number, text.get(end..)?.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_sizes_read_as_written() {
        assert_eq!(duration("1.5s").unwrap(), Duration::from_millis(1500));
        assert_eq!(duration("250 ms").unwrap(), Duration::from_millis(250));
        assert_eq!(bytes("64KiB").unwrap(), 65536);
        assert_eq!(bytes("1MB").unwrap(), 1_000_000);
        assert_eq!(bytes("17").unwrap(), 17);
        for bad in ["", "s", "-1s", "3 weeks", "1e400s", "99999999999999999999h"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
        assert_eq!(duration("876000h").unwrap(), LONGEST);
        // As a duration it can be held, as a deadline it cannot.
        for long in ["876001h", "5000000000000000h"] {
            assert!(duration(long).unwrap_err().contains("at most"), "{long}");
        }
        for bad in ["", "MiB", "-5", "1 TB", "99999999999GiB"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
        assert_eq!(show_duration(duration("90s").unwrap()), "90s");
        assert_eq!(show_bytes(bytes("8MiB").unwrap()), "8MiB");
    }
}
