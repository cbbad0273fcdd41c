//! Private keys in blocks (RFC 7468, and the armor of RFC 9580): what belongs to a key goes, and nothing else. Whoever
//! writes the first line of a block must not be able to blank out what follows it.

use std::sync::LazyLock;

use regex::Regex;

use crate::secret::MASK;

/// A line of a key has at least so many characters, the last one aside.
const LINE: usize = 16;

/// Where a block begins or ends, and what may be a line of a key somewhere within one.
static MARKS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"-----(?:BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=]{20,}")
});
static END: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\A-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"));
/// What encrypted keys have before their lines (RFC 1421, section 4.6.1).
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\A(?:Proc-Type: 4,ENCRYPTED|DEK-Info: [A-Z0-9]{2,8}(?:-[A-Z0-9]{2,8}){1,2},[0-9A-Fa-f]{16,32})",
    )
});

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the patterns above are tested")
}

/// The text with all keys in it masked. Where one is interrupted, for instance by what a log has before each line, its
/// further lines go by what they look like.
pub(super) fn masked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut at, mut is_within) = (0, false);
    for found in MARKS.find_iter(text) {
        let mark = found.as_str();
        // A part of what went before.
        if found.start() < at {
            continue;
        }
        if mark.starts_with("-----E") {
            is_within = false;
        } else if mark.starts_with("-----B") || is_within && looks_random(mark) {
            out.push_str(&text[at..found.start()]);
            out.push_str(MASK);
            let (length, ends) = of_key(&text[found.end()..]);
            at = found.end() + length;
            is_within = !ends;
        }
    }
    out.push_str(&text[at..]);
    out
}

/// How much of the beginning of a text is a key's, and whether its end is there.
fn of_key(text: &str) -> (usize, bool) {
    let (mut end, mut at) = (0, 0);
    loop {
        at += gap(&text[at..]);
        let rest = &text[at..];
        if let Some(found) = END.find(rest) {
            return (at + found.end(), true);
        }
        let header = HEADER.find(rest).map_or(0, |found| found.end());
        let line = rest.bytes().take_while(|byte| is_base64(*byte)).count();
        if header > 0 {
            at += header;
        } else if line >= LINE || line > 0 && is_last(&rest[line..]) {
            at += line;
        } else {
            return (end, false);
        }
        end = at;
    }
}

/// What stands between lines: blanks and line breaks, also as they are written in JSON and in programs.
fn gap(text: &str) -> usize {
    let mut rest = text;
    loop {
        let next =
            rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '"' || c == '\'');
        let escaped = next.trim_start_matches('\\');
        let next = match escaped.strip_prefix(['n', 'r', 't']) {
            Some(after) if escaped.len() < next.len() => after,
            _ => next,
        };
        if next.len() == rest.len() {
            return text.len() - rest.len();
        }
        rest = next;
    }
}

/// Whether nothing of a key follows: a short line is its last one, or was cut off there.
fn is_last(text: &str) -> bool {
    const END: &str = "-----END ";
    let rest = &text[gap(text)..];
    rest.starts_with(END) || END.starts_with(rest)
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

/// Of twenty random characters few lack letters of one case, or digits.
fn looks_random(text: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| text.as_bytes().iter().any(kind);
    has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    const TWO: &str = "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu";

    /// A block with these lines between what separates them.
    fn block(gap: &str) -> String {
        let lines = [
            "-----BEGIN PRIVATE KEY-----",
            ONE,
            TWO,
            "NMoSfm76oqFvAp8=",
            "-----END PRIVATE KEY-----",
        ];
        lines.join(gap)
    }

    #[test]
    fn keys_go_whatever_separates_their_lines() {
        for gap in [
            "\n", "\r\n", "\\n", "\\\\n", "\\r\\n", " ", "\n  ", "\"\n\"", "\\n\" \"",
        ] {
            let text = format!("a {} z", block(gap));
            assert_eq!(masked(&text), "a [REDACTED] z", "{gap:?}");
        }
        let two = format!("{}\n{}", block("\n"), block("\n"));
        assert_eq!(masked(&two), "[REDACTED]\n[REDACTED]");
    }

    #[test]
    fn a_key_that_was_cut_off_goes_wherever_that_was() {
        let whole = block("\n");
        for end in "-----BEGIN PRIVATE KEY-----".len()..=whole.len() {
            let shown = masked(&whole[..end]);
            let rest = shown.strip_prefix("[REDACTED]").unwrap();
            assert!(
                "\n-----END PRIVATE KEY-----".starts_with(rest),
                "{end}: {shown}"
            );
        }
    }

    #[test]
    fn keys_with_headers_and_other_names_go() {
        for (begin, headers) in [
            (
                "RSA PRIVATE KEY",
                "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0123456789ABCDEF0123456789ABCDEF\n\n",
            ),
            ("OPENSSH PRIVATE KEY", ""),
            ("PGP PRIVATE KEY BLOCK", "\n"),
        ] {
            let text = format!(
                "-----BEGIN {begin}-----\n{headers}{ONE}\n{TWO}\n=njUN\n-----END {begin}-----"
            );
            assert_eq!(masked(&text), "[REDACTED]", "{begin}");
        }
        let armor = format!(
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: X 1\n\n{ONE}\n{TWO}\n=njUN\n-----END PGP PRIVATE KEY BLOCK-----"
        );
        assert_eq!(masked(&armor), "[REDACTED]\nVersion: X 1\n\n[REDACTED]");
        let logged = block("\n12:00 info ");
        let shown = masked(&logged);
        assert!(
            !shown.contains(ONE) && !shown.contains(TWO) && shown.contains("12:00 info"),
            "{shown}"
        );
    }

    #[test]
    fn what_is_no_key_stays() {
        for (text, expected) in [
            (
                "-----BEGIN PRIVATE KEY----- */ DROP TABLE users; GRANT ALL TO evil",
                "[REDACTED] */ DROP TABLE users; GRANT ALL TO evil",
            ),
            (
                "-----BEGIN PRIVATE KEY-----\nDROP\nTABLE\nusers",
                "[REDACTED]\nDROP\nTABLE\nusers",
            ),
            (
                "-----BEGIN PRIVATE KEY----- DROP TABLE users -----END PRIVATE KEY-----",
                "[REDACTED] DROP TABLE users -----END PRIVATE KEY-----",
            ),
            (
                "-----BEGIN PRIVATE KEY-----\nDEK-Info: DROP TABLE users",
                "[REDACTED]\nDEK-Info: DROP TABLE users",
            ),
            (
                "-----END PRIVATE KEY----- aB3aB3aB3aB3aB3aB3aB3aB3",
                "-----END PRIVATE KEY----- aB3aB3aB3aB3aB3aB3aB3aB3",
            ),
        ] {
            assert_eq!(masked(text), expected);
        }
    }
}
