//! Keeping secrets out of whatever leaves the bridge: by name, by schema, by pointer, by pattern, and
//! the process's own by value. Pure.

use std::borrow::Cow;
use std::collections::HashSet;

use bytes::Bytes;
use regex::Regex;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::names::{names_a_secret, plain};
use super::patterns::{has_trigger, mask_patterns};
use super::scan::{self, Piece};
use crate::secret::{MASK, Secret, mask_known, remember_token};
use crate::tool::{Content, Outcome, Text};

/// Deeper values are not looked into; serde_json reads no deeper ones.
pub(super) const DEEPEST: usize = 128;

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
    answers: bool,
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
    pub fn json(&self, value: &mut Value, secret: &HashSet<String>) -> bool {
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

    /// Masks what the caller will see. Errors always; answers where the settings want it, and the
    /// process's own secrets in any case.
    #[must_use]
    pub fn outcome(&self, outcome: Outcome, secret: &HashSet<String>) -> Outcome {
        let full = self.answers || outcome.is_error;
        self.outcome_as(outcome, secret, full)
    }

    /// The same as for an error: a program's output is nobody's data, and nobody chose what is in it.
    #[must_use]
    pub fn output(&self, outcome: Outcome) -> Outcome {
        self.outcome_as(outcome, &HashSet::new(), true)
    }

    fn outcome_as(&self, mut outcome: Outcome, secret: &HashSet<String>, full: bool) -> Outcome {
        let shared = outcome.structured.as_ref().map(|data| data.json().clone());
        let mut masked: Option<Text> = None;
        for content in &mut outcome.content {
            let (Content::Text(text) | Content::Document { text, .. }) = content else {
                continue;
            };
            let same = shared.as_ref().is_some_and(|shared| is_same(shared, text));
            if let Some(new) = self.whole(text, full, secret) {
                *text = new;
                if same {
                    masked = Some(text.clone());
                }
            } else if same {
                masked = shared.clone();
            }
        }
        if let Some(structured) = &mut outcome.structured {
            let new = match masked {
                Some(masked) if is_same(structured.json(), &masked) => None,
                Some(masked) => Some(masked),
                None => self.whole(structured.json(), full, secret),
            };
            // A part that is no JSON any more would break the message it stands in.
            if let Some(new) = new {
                let fits =
                    serde_json::from_str::<&serde_json::value::RawValue>(new.as_str()).is_ok();
                *structured = if fits {
                    structured.with(new)
                } else {
                    "{\"redacted\":true}".into()
                };
            }
        }
        outcome
    }

    /// Masks a whole answer that is kept to be read later, as [`Redactor::outcome`] would; `None` where
    /// nothing has to change. What is no UTF-8 is masked as far as it is.
    #[must_use]
    pub fn kept(&self, data: &Bytes, is_error: bool, secret: &HashSet<String>) -> Option<Bytes> {
        let text = Text::from_utf8(data.clone())
            .unwrap_or_else(|data| String::from_utf8_lossy(&data).into_owned().into());
        self.whole(&text, self.answers || is_error, secret)
            .map(Text::into_bytes)
    }

    /// A JSON text with its secrets masked, as [`Redactor::json`] does; `None` where nothing has to change.
    #[must_use]
    pub fn json_text(&self, text: &str, secret: &HashSet<String>) -> Option<String> {
        if self.has_nothing(text, secret) {
            return None;
        }
        let Ok(mut value) = serde_json::from_str(text) else {
            return Some(Value::from(self.text(text)).to_string());
        };
        self.json(&mut value, secret).then(|| value.to_string())
    }

    /// Whether nothing in a JSON text has to be masked. Where it says no, nothing may have to be masked either.
    fn has_nothing(&self, text: &str, secret: &HashSet<String>) -> bool {
        if !self.pointers.is_empty() || matches!(mask_known(text), Cow::Owned(_)) {
            return false;
        }
        let quiet = self.patterns.is_empty() && scan::shows_words(text) && !has_trigger(text);
        // Without a trigger no rule can match, be it JSON or not.
        if !quiet && serde_json::from_str::<IgnoredAny>(text).is_err() {
            return false;
        }
        scan::all_strings(text, DEEPEST, |piece| match piece {
            // Every name that is secret has a trigger in it.
            Piece::Name(name) if quiet && is_one_word(&name) => {
                !secret.contains(&*name) && (self.names.is_empty() || !self.is_secret_name(&name))
            }
            Piece::Name(name) => !secret.contains(&*name) && !self.is_secret_name(&name),
            Piece::Value(value) => quiet || matches!(self.text(&value), Cow::Borrowed(_)),
        })
    }

    /// A whole text, as JSON where it is JSON; `None` where nothing has to change.
    fn whole(&self, text: &Text, full: bool, secret: &HashSet<String>) -> Option<Text> {
        let shown = text.as_str();
        if !full && matches!(mask_known(shown), Cow::Borrowed(_)) {
            return None;
        }
        let is_json = shown.trim_start().starts_with(['{', '[']);
        if full && is_json && self.has_nothing(shown, secret) {
            return None;
        }
        if is_json && let Ok(mut value) = serde_json::from_str::<Value>(shown) {
            let changed = if full {
                self.json(&mut value, secret)
            } else {
                let rules = Rules {
                    redactor: None,
                    secret: &HashSet::new(),
                };
                rules.walk(&mut value, 0)
            };
            return changed.then(|| Text::from(value.to_string()));
        }
        let masked = if full {
            self.text(shown)
        } else {
            mask_known(shown)
        };
        match masked {
            Cow::Borrowed(_) => None,
            Cow::Owned(masked) => Some(Text::from(masked)),
        }
    }

    /// Has the value of a header masked from now on, where the header's name says that it is a secret.
    pub fn protect(&self, name: &str, value: &str) {
        if self.is_secret_name(name) {
            remember_token(&Secret::new(value.to_owned()));
            // A scheme before it is no part of it.
            if let Some((_, rest)) = value.split_once(' ') {
                remember_token(&Secret::new(rest.trim().to_owned()));
            }
        }
    }

    /// Whether a name says that its value is a secret.
    #[must_use]
    pub fn is_secret_name(&self, name: &str) -> bool {
        let name = plain(name);
        self.names.contains(&name) || names_a_secret(&name)
    }
}

/// The rules of one walk: all of them, or the process's own secrets alone.
struct Rules<'a> {
    redactor: Option<&'a Redactor>,
    secret: &'a HashSet<String>,
}

impl Rules<'_> {
    fn walk(&self, value: &mut Value, depth: usize) -> bool {
        if depth > DEEPEST {
            *value = MASK.into();
            return true;
        }
        match value {
            Value::String(text) => {
                let masked = match self.redactor {
                    Some(redactor) => redactor.text(text),
                    None => mask_known(text),
                };
                let Cow::Owned(masked) = masked else {
                    return false;
                };
                *text = masked;
                true
            }
            Value::Number(number) => {
                let known = matches!(mask_known(number.as_str()), Cow::Owned(_));
                if known {
                    *value = MASK.into();
                }
                known
            }
            Value::Array(items) => {
                let mut changed = false;
                for item in items {
                    changed |= self.walk(item, depth + 1);
                }
                changed
            }
            Value::Object(members) => {
                let mut changed = false;
                for (name, member) in members.iter_mut() {
                    let by_name = self.secret.contains(name)
                        || self.redactor.is_some_and(|all| all.is_secret_name(name));
                    if by_name && !matches!(member, Value::Null | Value::Bool(_)) {
                        *member = MASK.into();
                        changed = true;
                    } else {
                        changed |= self.walk(member, depth + 1);
                    }
                }
                changed
            }
            Value::Null | Value::Bool(_) => false,
        }
    }
}

/// Whether a name is as it is compared, its case aside.
fn is_one_word(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Both are the same bytes in the same place.
fn is_same(one: &Text, other: &Text) -> bool {
    std::ptr::eq(one.as_bytes(), other.as_bytes())
}

fn tokens(pointer: &str) -> Vec<String> {
    let tokens = pointer.split('/');
    tokens
        .map(|token| token.replace("~1", "/").replace("~0", "~"))
        .collect()
}

fn mask_at(value: &mut Value, pointer: &[String]) -> bool {
    let Some((token, rest)) = pointer.split_first() else {
        *value = MASK.into();
        return true;
    };
    match value {
        Value::Object(members) if token == "*" => {
            let mut changed = false;
            for member in members.values_mut() {
                changed |= mask_at(member, rest);
            }
            changed
        }
        Value::Array(items) if token == "*" => {
            let mut changed = false;
            for item in items {
                changed |= mask_at(item, rest);
            }
            changed
        }
        Value::Object(members) => members
            .get_mut(token)
            .is_some_and(|member| mask_at(member, rest)),
        Value::Array(items) => token
            .parse::<usize>()
            .ok()
            .and_then(|index| items.get_mut(index))
            .is_some_and(|item| mask_at(item, rest)),
        _ => false,
    }
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
