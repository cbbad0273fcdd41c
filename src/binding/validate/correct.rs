//! Arguments put right before they are checked: members that the service sets itself go, whoever puts
//! back what he has read, and integers are spelled as integers.

use serde_json::{Number, Value};

use crate::tool::{Corrections, Place};

/// An integer of more digits stays as it is spelled: `1e400` is three characters to whoever writes it.
const MOST_DIGITS: usize = 100;

/// Puts the arguments right.
pub(super) fn correct(corrections: &Corrections, arguments: &mut Value) {
    walk(corrections, corrections.root, arguments);
}

/// As deep as the arguments are, which the parser bounds.
fn walk(corrections: &Corrections, place: usize, value: &mut Value) {
    let Some(place) = corrections.place(place) else {
        return;
    };
    match value {
        Value::Object(members) => {
            for name in &place.left_out {
                members.shift_remove(&**name);
            }
            for (name, next) in &place.properties {
                if let Some(member) = members.get_mut(&**name) {
                    walk(corrections, *next, member);
                }
            }
            if let Some(next) = place.others {
                let others = members
                    .iter_mut()
                    .filter(|(name, _)| !is_property(place, name));
                for (_, member) in others {
                    walk(corrections, next, member);
                }
            }
        }
        Value::Array(items) => {
            if let Some(next) = place.items {
                for item in items {
                    walk(corrections, next, item);
                }
            }
        }
        Value::Number(number) if place.integer => {
            if let Some(plain) = plain(number) {
                *number = plain;
            }
        }
        _ => {}
    }
}

fn is_property(place: &Place, name: &str) -> bool {
    let found = place
        .properties
        .binary_search_by(|(known, _)| (**known).cmp(name));
    found.is_ok()
}

/// An integer that is spelled with a fraction or an exponent, without them: `7.0` is 7 and `1e3` is 1000
/// (JSON Schema 2020-12 core, section 4.2.3). Nothing where it is plain already, is no integer or is too long.
fn plain(number: &Number) -> Option<Number> {
    let text = number.as_str();
    if !text.contains(['.', 'e', 'E']) {
        return None;
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let first = significant.len() - significant.trim_start_matches('0').len();
    if significant.len() == first {
        return Some(Number::from(0));
    }
    let exponent: i64 = exponent.parse().ok()?;
    // Where the decimal point stands among the digits; none that counts may stand behind it.
    let point = exponent.checked_add(i64::try_from(whole.len()).ok()?)?;
    let point = usize::try_from(point).ok()?;
    if point < significant.len() || point - first > MOST_DIGITS {
        return None;
    }
    let zeros = "0".repeat(point - significant.len());
    format!("{sign}{}{zeros}", &significant[first..])
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_spelled_plainly_and_keep_their_digits() {
        let long = format!("1e{}", MOST_DIGITS);
        for (spelled, expected) in [
            ("7.0", Some("7")),
            ("-7.00", Some("-7")),
            ("1e3", Some("1000")),
            ("1E+3", Some("1000")),
            ("1.5e1", Some("15")),
            ("120e-1", Some("12")),
            ("0.05e2", Some("5")),
            ("12345678901234567890123.0", Some("12345678901234567890123")),
            ("-0.0", Some("0")),
            ("0e99999999999999999999", Some("0")),
            ("7", None),
            ("7.5", None),
            ("1e-1", None),
            (&long, None),
            ("1e400", None),
            ("1e9223372036854775807", None),
            ("1e99999999999999999999", None),
            ("1e-9223372036854775808", None),
        ] {
            let number: Number = spelled.parse().unwrap();
            let found = plain(&number).map(|number| number.to_string());
            assert_eq!(found.as_deref(), expected, "{spelled}");
        }
    }
}
