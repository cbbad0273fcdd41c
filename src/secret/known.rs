//! The process's own secrets, remembered so that they can be found and masked wherever an upstream
//! or a library repeats them.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use arc_swap::ArcSwapOption;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::Secret;

/// What stands in a secret's place.
pub const MASK: &str = "[REDACTED]";

/// Shorter ones are not looked for: they would be found everywhere.
const SHORTEST: usize = 6;
/// Far more than a configuration has; values of files that change come on top.
const MOST: usize = 4096;
/// Tokens come and go; the oldest are forgotten.
const MOST_TOKENS: usize = 128;

/// One for the process: a secret is one whoever holds it, and the log has no other owner.
static KNOWN: Known = Known::new();
/// Apart, so that tokens, of which there is no end, never displace what the operator configured.
static TOKENS: Known = Known::new();

/// What most writers of URLs leave as it is.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

struct Known {
    values: Mutex<VecDeque<Secret>>,
    finder: ArcSwapOption<AhoCorasick>,
}

/// Remembers a secret that the operator configured. Values under six bytes are not remembered.
pub fn remember(secret: &Secret) {
    KNOWN.add(secret, MOST);
}

/// Remembers a token until 127 later ones have come.
pub fn remember_token(token: &Secret) {
    TOKENS.add(token, MOST_TOKENS);
}

impl Known {
    const fn new() -> Self {
        Self {
            values: Mutex::new(VecDeque::new()),
            finder: ArcSwapOption::const_empty(),
        }
    }

    fn add(&self, secret: &Secret, most: usize) {
        let value = secret.expose();
        if value.len() < SHORTEST {
            return;
        }
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        if values.iter().any(|known| known.expose() == value) {
            return;
        }
        if values.len() >= most {
            values.pop_front();
        }
        values.push_back(secret.clone());
        let spellings = values.iter().flat_map(spellings);
        let finder = AhoCorasickBuilder::new()
            .match_kind(MatchKind::LeftmostLongest)
            .build(spellings);
        // Fails only beyond 2^31 states, far above what a configuration and 128 tokens have.
        self.finder.store(finder.ok().map(Into::into));
    }

    fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let finder = self.finder.load();
        let Some(finder) = finder.as_deref() else {
            return Cow::Borrowed(text);
        };
        let mut out = String::new();
        let mut end = 0;
        for found in finder.find_iter(text) {
            out.push_str(text.get(end..found.start()).unwrap_or_default());
            out.push_str(MASK);
            end = found.end();
        }
        if end == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(text.get(end..).unwrap_or_default());
        Cow::Owned(out)
    }
}

/// A value as it is, in a URL, and within JSON texts.
fn spellings(secret: &Secret) -> Vec<String> {
    let value = secret.expose();
    let json = serde_json::Value::from(value).to_string();
    let json = json.trim_matches('"').to_owned();
    let mut all = vec![
        value.to_owned(),
        utf8_percent_encode(value, NON_ALPHANUMERIC).to_string(),
        utf8_percent_encode(value, UNRESERVED).to_string(),
        url::form_urlencoded::byte_serialize(value.as_bytes()).collect(),
        json.replace('/', "\\/"),
        json,
    ];
    all.sort_unstable();
    all.dedup();
    all.retain(|spelling| spelling.len() >= SHORTEST);
    all
}

/// The text with every remembered secret masked; borrowed where there is none.
#[must_use]
pub fn mask_known(text: &str) -> Cow<'_, str> {
    match KNOWN.mask(text) {
        Cow::Borrowed(text) => TOKENS.mask(text),
        Cow::Owned(text) => Cow::Owned(TOKENS.mask(&text).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remembered_secret_is_masked_in_every_spelling() {
        remember(&Secret::new("k/7 \"zebra\"+9".to_owned()));
        for text in [
            "a k/7 \"zebra\"+9 z",
            "a k%2F7%20%22zebra%22%2B9 z",
            "a k%2F7+%22zebra%22%2B9 z",
            r#"a k/7 \"zebra\"+9 z"#,
            r#"a k\/7 \"zebra\"+9 z"#,
        ] {
            assert_eq!(mask_known(text), "a [REDACTED] z", "{text}");
        }
        assert!(matches!(mask_known("nothing here"), Cow::Borrowed(_)));
    }

    #[test]
    fn short_values_are_not_looked_for() {
        remember(&Secret::new("ab1".to_owned()));
        assert_eq!(mask_known("ab1"), "ab1");
    }

    #[test]
    fn tokens_never_displace_what_was_configured() {
        remember(&Secret::new("configured-for-good".to_owned()));
        for number in 0..300 {
            remember_token(&Secret::new(format!("passing-token-{number}!")));
        }
        assert_eq!(mask_known("a configured-for-good z"), "a [REDACTED] z");
        assert_eq!(mask_known("a passing-token-299! z"), "a [REDACTED] z");
        assert_eq!(mask_known("a passing-token-0! z"), "a passing-token-0! z");
    }
}
