//! Texts as bytes, in the charset that their media type announces.

use encoding_rs::Encoding;

use crate::tool::essence;

/// The bytes of a text, and its media type with the charset they are in: the one the type names where the text can be
/// written in it, otherwise UTF-8. HTTP names no default charset (RFC 9110, section 8.3.2), so a text beyond ASCII says it.
pub(super) fn encoded(media_type: &str, text: String) -> (String, Vec<u8>) {
    let announced = parameters(media_type).find(|part| is_charset(part));
    let encoding = announced.and_then(|part| {
        let (_, label) = part.split_once('=')?;
        Encoding::for_label(label.trim().trim_matches('"').as_bytes())
    });
    match (announced, encoding) {
        // Parameters that the document chose stay as they are.
        (None, _) if text.is_ascii() || media_type.contains(';') => {
            (media_type.to_owned(), text.into_bytes())
        }
        (None, _) => (format!("{media_type}; charset=utf-8"), text.into_bytes()),
        (Some(_), Some(encoding)) => {
            let (bytes, used, lossy) = encoding.encode(&text);
            if used == encoding && !lossy {
                return (media_type.to_owned(), bytes.into_owned());
            }
            (in_utf8(media_type), text.into_bytes())
        }
        (Some(_), None) => (in_utf8(media_type), text.into_bytes()),
    }
}

fn in_utf8(media_type: &str) -> String {
    let others: Vec<&str> = parameters(media_type)
        .filter(|part| !is_charset(part))
        .collect();
    let mut all = vec![essence(media_type)];
    all.extend(others);
    all.push("charset=utf-8");
    all.join("; ")
}

fn parameters(media_type: &str) -> impl Iterator<Item = &str> {
    media_type.split(';').skip(1).map(str::trim)
}

fn is_charset(parameter: &str) -> bool {
    let name = parameter.split('=').next().unwrap_or_default();
    name.trim().eq_ignore_ascii_case("charset")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_in_the_charset_that_is_announced() {
        let utf8 = "ü☃".as_bytes();
        for (media_type, text, expected, bytes) in [
            ("text/plain", "a", "text/plain", &b"a"[..]),
            ("text/plain", "ü☃", "text/plain; charset=utf-8", utf8),
            (
                "text/plain;charset=UTF-8",
                "ü☃",
                "text/plain;charset=UTF-8",
                utf8,
            ),
            (
                "text/plain; charset=\"iso-8859-1\"",
                "ü",
                "text/plain; charset=\"iso-8859-1\"",
                b"\xfc",
            ),
            (
                "text/csv; charset=iso-8859-1; header=present",
                "ü☃",
                "text/csv; header=present; charset=utf-8",
                utf8,
            ),
            (
                "text/plain; charset=utf-16",
                "a",
                "text/plain; charset=utf-8",
                b"a",
            ),
            (
                "text/plain; Charset=nonsense",
                "ü☃",
                "text/plain; charset=utf-8",
                utf8,
            ),
        ] {
            let found = encoded(media_type, text.to_owned());
            assert_eq!(found, (expected.to_owned(), bytes.to_vec()), "{media_type}");
        }
    }
}
