//! Taking a multipart body apart (RFC 2046, section 5.1), strictly and within bounds.

use ::http::{HeaderMap, HeaderName, HeaderValue};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use memchr::memmem;

/// Parts of one body.
const MAX_PARTS: usize = 100;
/// Bytes of one part's headers.
const MAX_HEAD: usize = 16 * 1024;
/// Headers of one part.
const MAX_HEADERS: usize = 32;

/// One part; its body shares the memory of the whole.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// The parts of `body` in their order; nothing where it is not put together as it should be. Of a body that
/// was `cut`, the parts that are complete.
pub(super) fn parts(body: &Bytes, boundary: &str, cut: bool) -> Option<Vec<Part>> {
    // RFC 2046: 1 to 70 characters.
    if !(1..=70).contains(&boundary.len()) {
        return None;
    }
    let delimiter = format!("--{boundary}");
    let finder = memmem::Finder::new(delimiter.as_bytes());
    let mut parts = Vec::new();
    // Where the content of the part begins that is being read; what comes before the first is a preamble.
    let mut begin: Option<usize> = None;
    let mut from = 0;
    while let Some(found) = body.get(from..).and_then(|rest| finder.find(rest)) {
        let at = from + found;
        from = at + delimiter.len();
        let Some((end, line)) = delimiter_line(body, at, from) else {
            continue;
        };
        if let Some(begin) = begin {
            if parts.len() == MAX_PARTS {
                return None;
            }
            parts.push(part(&body.slice(begin..end.max(begin)))?);
        }
        match line {
            Line::Next(content) => {
                begin = Some(content);
                // The line break before the next delimiter may be this line's own.
                from = content;
            }
            Line::Last => return (!parts.is_empty()).then_some(parts),
        }
    }
    (cut && !parts.is_empty()).then_some(parts)
}

/// What a delimiter line says.
enum Line {
    /// Another part begins at this place.
    Next(usize),
    /// There are no more.
    Last,
}

/// Reads the rest of a line whose delimiter stands at `at..after`; gives where the content before it ends.
/// Nothing where it is no delimiter after all but content that looks like one.
fn delimiter_line(body: &[u8], at: usize, after: usize) -> Option<(usize, Line)> {
    let before = body.get(..at)?;
    let end = match before {
        [] => 0,
        [.., b'\r', b'\n'] => at - 2,
        // Bare line feeds are wrong and common.
        [.., b'\n'] => at - 1,
        _ => return None,
    };
    let rest = body.get(after..)?;
    if rest.starts_with(b"--") {
        return Some((end, Line::Last));
    }
    let padding = rest
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    let content = match rest.get(padding..)? {
        [b'\r', b'\n', ..] => after + padding + 2,
        [b'\n', ..] => after + padding + 1,
        _ => return None,
    };
    Some((end, Line::Next(content)))
}

/// Headers, a blank line, and the body.
fn part(text: &Bytes) -> Option<Part> {
    let mut headers = HeaderMap::new();
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        let Some(length) = memchr::memchr(b'\n', rest) else {
            // Only a part without headers and without a body may end here.
            let blank = rest.is_empty() && at == 0;
            return blank.then(|| Part {
                headers,
                body: Bytes::new(),
            });
        };
        let line = rest.get(..length)?.trim_ascii_end();
        at += length + 1;
        if line.is_empty() {
            break;
        }
        if at > MAX_HEAD || headers.len() >= MAX_HEADERS {
            return None;
        }
        let colon = memchr::memchr(b':', line)?;
        let name = HeaderName::from_bytes(line[..colon].trim_ascii()).ok()?;
        let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii()).ok()?;
        headers.append(name, value);
    }
    let body = decoded(&headers, text.slice(at..));
    Some(Part { headers, body })
}

/// Mail's base64 sometimes comes along in HTTP; what cannot be decoded stays as it is.
fn decoded(headers: &HeaderMap, body: Bytes) -> Bytes {
    let coded = headers
        .get("content-transfer-encoding")
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"base64"));
    if !coded {
        return body;
    }
    let dense: Vec<u8> = body
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    STANDARD.decode(dense).map_or(body, Bytes::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str, boundary: &str, cut: bool) -> Option<Vec<(String, String)>> {
        let parts = parts(&Bytes::from(body.to_owned()), boundary, cut)?;
        let shown = |part: Part| {
            let kind = part.headers.get("content-type");
            let kind = kind.map_or("", |value| value.to_str().unwrap());
            (
                kind.to_owned(),
                String::from_utf8(part.body.to_vec()).unwrap(),
            )
        };
        Some(parts.into_iter().map(shown).collect())
    }

    fn pairs(expected: &[(&str, &str)]) -> Option<Vec<(String, String)>> {
        let own = |(a, b): &(&str, &str)| ((*a).to_owned(), (*b).to_owned());
        Some(expected.iter().map(own).collect())
    }

    #[test]
    fn parts_are_what_stands_between_delimiters() {
        let cases: [(&str, &[(&str, &str)]); 6] = [
            (
                "preamble\r\n--b\r\nContent-Type: text/plain\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--\r\nepilogue",
                &[("text/plain", "one"), ("", "two")],
            ),
            ("--b\n\na\nb\n--b--", &[("", "a\nb")]),
            ("--b \t\r\n\r\n\r\n--b--", &[("", "")]),
            ("--b\r\n\r\n--b--", &[("", "")]),
            (
                "--b\r\n\r\nx --b y\r\n--bc\r\nz\r\n--b--",
                &[("", "x --b y\r\n--bc\r\nz")],
            ),
            (
                "--b\r\ncontent-type: a/b\r\ncontent-transfer-encoding: BASE64\r\n\r\naGVs\r\nbG8=\r\n--b--",
                &[("a/b", "hello")],
            ),
        ];
        for (body, expected) in cases {
            assert_eq!(read(body, "b", false), pairs(expected), "{body:?}");
        }
    }

    #[test]
    fn a_broken_body_has_no_parts() {
        for body in [
            "",
            "text",
            "--b--",
            "--b\r\n\r\nnever ends",
            "--b\r\nno header\r\n\r\nx\r\n--b--",
            "--b\r\nA: b",
            "--b\r\nA: b\r\n--b--",
        ] {
            assert_eq!(read(body, "b", false), None, "{body:?}");
        }
        assert_eq!(read("--\r\n\r\nx\r\n----", "", false), None);
        let many = format!("{}--b--", "--b\r\n\r\nx\r\n".repeat(MAX_PARTS + 1));
        assert_eq!(read(&many, "b", false), None);
        let heads = format!(
            "--b\r\n{}\r\nx\r\n--b--",
            "a: b\r\n".repeat(MAX_HEADERS + 1)
        );
        assert_eq!(read(&heads, "b", false), None);
    }

    #[test]
    fn of_a_cut_body_the_complete_parts_are_left() {
        let body = "--b\r\n\r\none\r\n--b\r\n\r\ntw";
        assert_eq!(read(body, "b", true), pairs(&[("", "one")]));
        assert_eq!(read("--b\r\n\r\non", "b", true), None);
    }
}
