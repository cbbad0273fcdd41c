//! Result files of `VSTest` (TRX): just as much of XML as they need, lenient where a file was cut.

use std::borrow::Cow;

use super::duration::milliseconds;
use super::{Failure, MAX_KEPT, Tally};

/// All result files together.
pub(super) fn read(files: &[(String, String)]) -> Tally {
    let mut tally = Tally::default();
    for (_, text) in files.iter().filter(|(name, _)| name.ends_with(".trx")) {
        results(text, &mut tally);
    }
    tally
}

/// Whether a test has results of its rows inside its own: one test more or less, depending on who counts.
pub(super) fn nested(files: &[(String, String)]) -> bool {
    files.iter().any(|(_, text)| text.contains("<InnerResults"))
}

/// Every `UnitTestResult`, with what stands inside where it failed.
fn results(text: &str, tally: &mut Tally) {
    const OPEN: &str = "<UnitTestResult ";
    let mut rest = text;
    while let Some(at) = rest.find(OPEN) {
        let element = &rest[at + OPEN.len()..];
        let Some(end) = tag_end(element) else { return };
        let (attributes, behind) = (&element[..end], &element[end + 1..]);
        let inside = if attributes.ends_with('/') {
            ""
        } else {
            behind.split("</UnitTestResult>").next().unwrap_or_default()
        };
        one(attributes, inside, tally);
        rest = &behind[inside.len()..];
    }
}

fn one(attributes: &str, inside: &str, tally: &mut Tally) {
    tally.counted = true;
    tally.total += 1;
    let duration = attribute(attributes, "duration").and_then(|text| milliseconds(&text));
    tally.add([0; 4], duration.unwrap_or(0));
    match attribute(attributes, "outcome").as_deref() {
        Some("Passed") => tally.passed += 1,
        Some("NotExecuted") => tally.skipped += 1,
        _ => {
            tally.failed += 1;
            if tally.failures.len() < MAX_KEPT {
                tally.failures.push(Failure {
                    name: attribute(attributes, "testName")
                        .unwrap_or_default()
                        .into_owned(),
                    message: content(inside, "Message").into_owned(),
                    trace: content(inside, "StackTrace")
                        .lines()
                        .map(str::to_owned)
                        .collect(),
                });
            }
        }
    }
}

/// Where the tag ends, quoted values passed over.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if byte == open => quote = None,
            _ => {}
        }
    }
    None
}

fn attribute<'a>(attributes: &'a str, name: &str) -> Option<Cow<'a, str>> {
    let mut rest = attributes;
    loop {
        let (key, behind) = rest.split_once("=\"")?;
        let (value, next) = behind.split_once('"')?;
        if key.trim() == name {
            return Some(unescaped(value));
        }
        rest = next;
    }
}

fn content<'a>(text: &'a str, element: &str) -> Cow<'a, str> {
    let open = format!("<{element}>");
    let Some((_, behind)) = text.split_once(open.as_str()) else {
        return "".into();
    };
    unescaped(behind.split("</").next().unwrap_or_default())
}

/// The five names of XML, and numbers.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        let named = end.and_then(|end| Some((character(&rest[1..end])?, end + 1)));
        let (c, length) = named.unwrap_or(('&', 1));
        plain.push(c);
        rest = &rest[length..];
    }
    plain.push_str(rest);
    plain.into()
}

fn character(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_and_odd_files_are_read_as_far_as_they_go() {
        let text = r#"<UnitTestResult testName="a &lt;b&gt; > c" outcome="Failed" duration="00:00:00.01"><Output><ErrorInfo>
            <Message>x &amp; y&#xA;z &oops;</Message><StackTrace>at A
            at B</StackTrace></ErrorInfo></Output></UnitTestResult><UnitTestResult outcome="Passed" /><UnitTestResult testName="cut"#;
        let tally = read(&[("a.trx".to_owned(), text.to_owned())]);
        assert_eq!((tally.total, tally.failed, tally.passed), (2, 1, 1));
        assert_eq!(tally.failures[0].name, "a <b> > c");
        assert_eq!(tally.failures[0].message, "x & y\nz &oops;");
        assert_eq!(tally.failures[0].trace.len(), 2);
    }
}
