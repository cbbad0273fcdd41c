//! How a document is named, and what its place is shown.

use http::{HeaderName, HeaderValue};

use super::Faults;
use crate::config::credentials::SecretEntry;
use crate::config::file::DocumentEntry;
use crate::openapi::Source;
use crate::secret::{Secret, remember};
use crate::tool::FRAMING_HEADERS;

use std::path::Path;

/// `shop=petstore.yaml` into `shop` and `petstore.yaml`; a URL's `=` is no prefix's, nor is that of a
/// file which has the whole as its name.
pub(super) fn split_prefix(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((prefix, place))
            if checked_prefix(prefix).is_ok()
                && !place.is_empty()
                && !Path::new(text).is_file() =>
        {
            (Some(prefix), place)
        }
        _ => (None, text),
    }
}

pub(super) fn checked_prefix(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if (1..=32).contains(&text.len()) && text.chars().all(fits) {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "`{text}` is not a prefix: expected 1 to 32 characters of A-Z, a-z, 0-9, _ and -"
        ))
    }
}

/// The headers of the requests that fetch a document. They are no tool's: files are read once.
pub(super) fn headers(
    entry: &DocumentEntry,
    setting: &str,
    environment: &dyn Fn(&str) -> Option<String>,
    faults: &mut Faults,
) -> Vec<(HeaderName, Secret)> {
    let DocumentEntry::Full(written) = entry else {
        return Vec::new();
    };
    if !written.headers.is_empty() && !matches!(Source::parse(&written.source), Ok(Source::Url(_)))
    {
        let fault = format!("{setting}.headers: expected a document with an http or https URL");
        faults.0.push(fault);
        return Vec::new();
    }
    let read = |(name, value): (&String, &SecretEntry)| {
        let header = header(name, value, environment);
        faults.take(&format!("{setting}.headers.{name}"), header)
    };
    written.headers.iter().filter_map(read).collect()
}

fn header(
    name: &str,
    value: &SecretEntry,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<(HeaderName, Secret), String> {
    let name: HeaderName = name
        .parse()
        .map_err(|_| "that is not the name of a header".to_owned())?;
    // A document may well stand behind a login that a cookie shows.
    if FRAMING_HEADERS.contains(&name.as_str()) && name != http::header::COOKIE {
        return Err("this header is the connection's own".to_owned());
    }
    let value = value.text(environment)?;
    if value.expose().is_empty() {
        return Err("it is empty".to_owned());
    }
    if HeaderValue::from_str(value.expose()).is_err() {
        return Err("it holds characters that no header may have".to_owned());
    }
    remember(&value);
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::file::File;

    fn read(text: &str) -> (Vec<(HeaderName, Secret)>, String) {
        let file = File::parse(&format!("documents: [{text}]")).unwrap();
        let environment = |name: &str| (name == "SET").then(|| "from-environment".to_owned());
        let mut faults = Faults::default();
        let found = headers(
            &file.documents[0],
            "documents[0]",
            &environment,
            &mut faults,
        );
        (found, faults.0.join("\n"))
    }

    #[test]
    fn headers_are_read_and_their_faults_told_without_a_value() {
        let place = "source: 'https://a.test/x'";
        let (found, faults) = read(&format!(
            "{{{place}, headers: {{X-Key: literal-1, Authorization: {{env: SET}}}}}}"
        ));
        assert_eq!((found.len(), faults.as_str()), (2, ""));
        assert_eq!(found[0].1.expose(), "from-environment");
        for (headers, expected) in [
            (
                "{X-Key: {env: UNSET}}",
                "headers.X-Key: the environment variable UNSET",
            ),
            ("{X-Key: {file: /nowhere/at/all}}", "/nowhere/at/all"),
            ("{X-Key: ''}", "it is empty"),
            ("{X-Key: \"hunter2\\nHost: x\"}", "no header may have"),
            ("{'X Key': hunter2}", "not the name of a header"),
            ("{Host: hunter2}", "the connection's own"),
        ] {
            let (found, faults) = read(&format!("{{{place}, headers: {headers}}}"));
            assert!(
                found.is_empty() && faults.contains(expected),
                "{headers}: {faults}"
            );
            assert!(!faults.contains("hunter2"), "{faults}");
        }
        let (_, faults) = read("{source: a.yaml, headers: {X-Key: k}}");
        assert!(faults.contains("URL"), "{faults}");
    }
}
