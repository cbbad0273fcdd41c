//! Keeping secrets out of whatever leaves the bridge: by name, by schema, by pointer, by pattern, and
//! the process's own by value. Pure.

use std::borrow::Cow;
use std::collections::HashSet;

use regex::Regex;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::names::{SecretNames, names_a_secret, plain};
use super::patterns::{has_trigger, mask_patterns};
use super::pieces;
use super::pointers::{mask_at, tokens};
use super::scan::{self, Piece};
use super::walk::Rules;
use crate::secret::{CallSecrets, MASK, Secret, mask_known};
use crate::tool::Text;

/// What follows a word is shorter than credentials after their scheme.
const SHORTEST_CREDENTIALS: usize = 12;

/// Deeper values are not looked into; serde_json reads no deeper ones.
pub(super) const DEEPEST: usize = 128;

/// Of a text that a message shows the beginning of, this many bytes are searched for secrets.
const LONGEST_LOOKED_AT: usize = 4096;

/// What is masked beyond what always is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Mask answers of operations that succeeded as well, not only errors.
    pub answers: bool,
    /// Names of members, headers and parameters to mask, in any case.
    pub names: Vec<String>,
    /// JSON pointers (RFC 6901) of values to mask; a `*` stands for any one member.
    pub pointers: Vec<String>,
    /// Regular expressions; a match is masked as a whole.
    pub patterns: Vec<String>,
}

/// Masks texts, JSON values and outcomes.
#[derive(Debug, Default)]
pub struct Redactor {
    pub(super) answers: bool,
    names: HashSet<String>,
    pointers: Vec<Vec<String>>,
    patterns: Vec<Regex>,
}

/// Masks a log line: the process's own secrets, then what looks like one.
#[must_use]
pub fn mask_line(line: &str) -> Cow<'_, str> {
    match mask_known(line) {
        Cow::Borrowed(line) => mask_patterns(line),
        Cow::Owned(line) => Cow::Owned(mask_patterns(&line).into_owned()),
    }
}

impl Redactor {
    /// Reads the settings.
    ///
    /// # Errors
    /// A sentence for each pattern and pointer that is none.
    pub fn new(settings: &Settings) -> Result<Self, Vec<String>> {
        let mut faults = Vec::new();
        let mut patterns = Vec::new();
        for text in &settings.patterns {
            match Regex::new(text) {
                Ok(pattern) => patterns.push(pattern),
                Err(error) => faults.push(format!("redact.patterns: `{text}`: {error}")),
            }
        }
        let mut pointers = Vec::new();
        for text in &settings.pointers {
            match text.strip_prefix('/') {
                Some(rest) => pointers.push(tokens(rest)),
                None => faults.push(format!(
                    "redact.pointers: `{text}` is not a JSON pointer: expected for instance `/customer/ssn`"
                )),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Self {
            answers: settings.answers,
            names: settings.names.iter().map(|name| plain(name)).collect(),
            pointers,
            patterns,
        })
    }

    /// Masks a text.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = mask_line(text);
        for pattern in &self.patterns {
            if let Cow::Owned(changed) = pattern.replace_all(&text, MASK) {
                text = Cow::Owned(changed);
            }
        }
        text
    }

    /// Masks a JSON value; `secret` names members that a schema marks as secret. Whether anything changed.
    pub fn json(&self, value: &mut Value, secret: &SecretNames) -> bool {
        let rules = Rules {
            redactor: Some(self),
            secret,
        };
        let mut changed = rules.walk(value, 0);
        for pointer in &self.pointers {
            changed |= mask_at(value, pointer);
        }
        changed
    }

    /// A JSON text with its secrets masked, as [`Redactor::json`] does; `None` where nothing has to change.
    #[must_use]
    pub fn json_text(&self, text: &str, secret: &SecretNames) -> Option<String> {
        if self.has_nothing(text, secret) {
            return None;
        }
        let Ok(mut value) = crate::tree::read(text) else {
            return Some(Value::from(self.text(text)).to_string());
        };
        self.json(&mut value, secret).then(|| value.to_string())
    }

    /// Whether nothing in a JSON text has to be masked. Where it says no, nothing may have to be masked either.
    fn has_nothing(&self, text: &str, secret: &SecretNames) -> bool {
        if !self.pointers.is_empty() || matches!(mask_known(text), Cow::Owned(_)) {
            return false;
        }
        let quiet = self.patterns.is_empty() && scan::shows_words(text) && !has_trigger(text);
        // Without a trigger no rule can match, be it JSON or not.
        if !quiet && serde_json::from_str::<IgnoredAny>(text).is_err() {
            return false;
        }
        scan::all_strings(text, |piece| match piece {
            // Every name that is secret has a trigger in it.
            Piece::Name(name) if quiet && is_one_word(&name) => {
                !secret.has(&name) && (self.names.is_empty() || !self.is_secret_name(&name))
            }
            Piece::Name(name) => {
                !secret.has(&name)
                    && !self.is_secret_name(&name)
                    && matches!(mask_known(&name), Cow::Borrowed(_))
            }
            Piece::Value(value) => quiet || matches!(self.text(&value), Cow::Borrowed(_)),
        })
    }

    /// A whole text, as JSON where it is JSON; `None` where nothing has to change.
    pub(super) fn whole(&self, text: &Text, full: bool, secret: &SecretNames) -> Option<Text> {
        let shown = text.as_str();
        if !full && matches!(mask_known(shown), Cow::Borrowed(_)) && !hides_known(shown) {
            return None;
        }
        let is_json = shown.trim_start().starts_with(['{', '[']);
        if full && is_json && self.has_nothing(shown, secret) {
            return None;
        }
        if is_json && let Ok(mut value) = crate::tree::read::<Value>(shown) {
            let changed = if full {
                self.json(&mut value, secret)
            } else {
                let rules = Rules {
                    redactor: None,
                    secret: &SecretNames::default(),
                };
                rules.walk(&mut value, 0)
            };
            return changed.then(|| Text::from(value.to_string()));
        }
        // Several JSON texts in one, for instance.
        let mask = |value: &str| self.json_text(value, secret);
        let named = full.then(|| pieces::masked(shown, mask)).flatten();
        let found = named.as_deref().unwrap_or(shown);
        let readable = scan::with_strings(found, |string| match mask_known(string) {
            Cow::Borrowed(_) => None,
            Cow::Owned(masked) => Some(masked),
        });
        let readable = readable.or(named);
        let masked = match (&readable, full) {
            (None, true) => self.text(shown),
            (Some(readable), true) => Cow::Owned(self.text(readable).into_owned()),
            (None, false) => mask_known(shown),
            (Some(readable), false) => Cow::Owned(mask_known(readable).into_owned()),
        };
        match masked {
            Cow::Borrowed(_) => None,
            Cow::Owned(masked) => Some(Text::from(masked)),
        }
    }

    /// Whether a message must not repeat the value at a JSON pointer: because of a name on the way there, because
    /// of a pointer of the settings, or because of what the value says.
    #[must_use]
    pub fn hides(&self, pointer: &str, value: &Value, secret: &SecretNames) -> bool {
        let way = pointer.strip_prefix('/').map_or_else(Vec::new, tokens);
        let named = |name: &String| secret.has(name) || self.is_secret_name(name);
        // Of two, one leads to the other or to something around it.
        let meets = |pointer: &Vec<String>| {
            let mut steps = pointer.iter().zip(&way);
            steps.all(|(token, name)| token == "*" || token == name)
        };
        if way.iter().any(named) || self.pointers.iter().any(meets) {
            return true;
        }
        match value {
            // A text that holds members, or what a text was meant to be.
            Value::String(text) if text.trim_start().starts_with(['{', '[']) => true,
            Value::String(text) => {
                let mut end = text.len().min(LONGEST_LOOKED_AT);
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                matches!(self.text(&text[..end]), Cow::Owned(_))
            }
            Value::Number(number) => matches!(self.text(number.as_str()), Cow::Owned(_)),
            _ => false,
        }
    }

    /// The values of a client's own headers whose names say that they are secrets; nothing where there are none.
    pub fn forwarded<'h>(
        &self,
        headers: impl Iterator<Item = (&'h str, &'h str)>,
    ) -> Option<CallSecrets> {
        let secret = headers.filter(|(name, _)| self.is_secret_name(name));
        CallSecrets::new(secret.map(|(_, value)| Secret::new(credentials(value).to_owned())))
    }

    /// A value as it may be shown: masked whole where its name says that it is a secret, as a text otherwise.
    #[must_use]
    pub fn named<'t>(&self, name: &str, value: &'t str) -> Cow<'t, str> {
        match self.is_secret_name(name) && !value.is_empty() {
            true => Cow::Borrowed(MASK),
            false => self.text(value),
        }
    }

    /// Whether a name says that its value is a secret.
    #[must_use]
    pub fn is_secret_name(&self, name: &str) -> bool {
        let name = plain(name);
        self.names.contains(&name) || names_a_secret(&name)
    }
}

/// A header's value without the scheme before it, which is no secret (RFC 9110, section 11.4).
fn credentials(value: &str) -> &str {
    match value.split_once(' ') {
        Some((scheme, rest))
            if rest.trim().len() >= SHORTEST_CREDENTIALS
                && scheme.bytes().all(|byte| byte.is_ascii_alphabetic()) =>
        {
            rest.trim()
        }
        _ => value,
    }
}

/// Whether one of the process's own secrets stands in a string of a text with characters written as `\u002B`,
/// as some writers of JSON do with many of them.
fn hides_known(text: &str) -> bool {
    scan::has_unicode_escape(text)
        && !scan::all_strings(text, |piece| match piece {
            // Any other can be read in the text itself.
            Piece::Name(Cow::Owned(string)) | Piece::Value(Cow::Owned(string)) => {
                matches!(mask_known(&string), Cow::Borrowed(_))
            }
            Piece::Name(_) | Piece::Value(_) => true,
        })
}

/// Whether a name is as it is compared, its case aside.
fn is_one_word(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
