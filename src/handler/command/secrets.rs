//! Values that the document calls secret, taken out of whatever a program writes.

use std::borrow::Cow;

use crate::secret::MASK;

/// Shorter values would be found everywhere.
const SHORTEST: usize = 4;

/// So many lines of a private key are hidden where its end does not come.
const LONGEST_KEY: usize = 256;

/// Follows the lines of one stream through private keys (RFC 7468, section 10): what is masked line by line would show
/// all of a key but its first line.
#[derive(Debug, Default)]
pub(super) struct Keys {
    left: usize,
}

impl Keys {
    /// The line without what belongs to a key. Where it begins and ends in one line, it is masked like any text.
    pub(super) fn hide<'t>(&mut self, line: &'t str) -> Cow<'t, str> {
        if self.left > 0 {
            self.left -= 1;
            let Some(end) = mark(line, "-----END ") else {
                return Cow::Borrowed(MASK);
            };
            self.left = 0;
            let rest = line.get(end..).unwrap_or_default();
            return Cow::Owned(format!("{MASK}{}", self.opened(rest)));
        }
        self.opened(line)
    }

    /// Behind the last key that ends in this line, one may begin.
    fn opened<'t>(&mut self, line: &'t str) -> Cow<'t, str> {
        let last = line.rfind("-----BEGIN ");
        let Some(begin) = last.filter(|&at| mark(&line[at..], "-----BEGIN ").is_some()) else {
            return Cow::Borrowed(line);
        };
        if mark(&line[begin..], "-----END ").is_some() {
            return Cow::Borrowed(line);
        }
        self.left = LONGEST_KEY;
        Cow::Owned(format!("{}{MASK}", &line[..begin]))
    }
}

/// Where the first such mark of a private key ends.
fn mark(line: &str, open: &str) -> Option<usize> {
    const KIND: &str = "PRIVATE KEY-----";
    let start = line.find(open)? + open.len();
    let end = start + line.get(start..)?.find(KIND)?;
    (end - start <= 40).then_some(end + KIND.len())
}

/// Secret values of one call.
#[derive(Debug, Clone, Default)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    pub(super) fn new(values: impl IntoIterator<Item = String>) -> Self {
        let mut values: Vec<String> = values
            .into_iter()
            .filter(|value| value.trim().len() >= SHORTEST)
            .collect();
        // Of two of which one holds the other, the longer first.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values.dedup();
        Self(values)
    }

    /// The text without them.
    pub(super) fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for value in &self.0 {
            if text.contains(value.as_str()) {
                text = Cow::Owned(text.replace(value.as_str(), MASK));
            }
        }
        text
    }

    /// The same in place.
    pub(super) fn clean(&self, text: &mut String) {
        if let Cow::Owned(masked) = self.mask(text) {
            *text = masked;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_a_private_key_is_shown() {
        let mut keys = Keys::default();
        for (line, shown) in [
            ("before", "before"),
            ("key: -----BEGIN RSA PRIVATE KEY-----", "key: [REDACTED]"),
            ("Proc-Type: 4,ENCRYPTED", "[REDACTED]"),
            ("", "[REDACTED]"),
            ("MIIEpAIBAAKCAQEA", "[REDACTED]"),
            ("-----END RSA PRIVATE KEY----- after", "[REDACTED] after"),
            ("-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----"),
            ("MIIC", "MIIC"),
            ("-----BEGIN PRIVATE KEY-----", "[REDACTED]"),
            (
                "x-----END PRIVATE KEY----------BEGIN PRIVATE KEY-----",
                "[REDACTED][REDACTED]",
            ),
            ("MIIC", "[REDACTED]"),
            ("-----END PRIVATE KEY-----", "[REDACTED]"),
            ("after", "after"),
        ] {
            assert_eq!(keys.hide(line), shown, "{line}");
        }
        // One line is masked by its pattern.
        let whole = "-----BEGIN PRIVATE KEY-----\\nMII\\n-----END PRIVATE KEY-----";
        assert_eq!(keys.hide(whole), whole);
        assert_eq!(keys.hide("after"), "after");
        keys.hide("-----BEGIN PRIVATE KEY-----");
        for _ in 0..LONGEST_KEY {
            assert_eq!(keys.hide("x"), MASK);
        }
        assert_eq!(keys.hide("x"), "x");
    }
}
