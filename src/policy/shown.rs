//! Masking of what is shown in parts, and of what somebody is to agree to.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::names::SecretNames;
use super::redact::Redactor;
use crate::secret::MASK;
use crate::tool::Text;

impl Redactor {
    /// A text, of which only a part will be shown, without the process's own secrets: half of one is not recognised. Nothing
    /// where nothing has to change.
    #[must_use]
    pub fn known(&self, text: &Text) -> Option<Text> {
        self.whole(text, false, &SecretNames::default())
    }

    /// A request's body for people. JSON is masked value by value, in one text or a text a line: what looks like a secret
    /// must not reach from one value into those behind it.
    #[must_use]
    pub fn body<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let names = SecretNames::default();
        if is_json(text) {
            return self
                .json_text(text, &names)
                .map_or(Cow::Borrowed(text), Cow::Owned);
        }
        let filled = || text.lines().filter(|line| !line.trim().is_empty());
        if filled().count() < 2 || !filled().all(is_json) {
            return self.text(text);
        }
        let line = |line: &str| {
            let masked = is_json(line).then(|| self.json_text(line, &names));
            masked
                .flatten()
                .unwrap_or_else(|| line.trim_end_matches('\n').to_owned())
                + "\n"
        };
        Cow::Owned(text.split_inclusive('\n').map(line).collect())
    }

    /// How many characters of a value's texts are behind masks because they look like a secret; `after` is the value
    /// masked. What is secret by its name or its place is not counted: how long it is tells something of it.
    #[must_use]
    pub fn hidden_in(&self, before: &Value, after: &Value) -> usize {
        match (before, after) {
            (Value::String(before), Value::String(after)) if before != after => {
                match self.text(before) == after.as_str() {
                    true => hidden(before, after),
                    false => 0,
                }
            }
            (Value::Array(before), Value::Array(after)) => {
                let items = before.iter().zip(after);
                items
                    .map(|(before, after)| self.hidden_in(before, after))
                    .sum()
            }
            (Value::Object(before), Value::Object(after)) => {
                let members = before.values().zip(after.values());
                members
                    .map(|(before, after)| self.hidden_in(before, after))
                    .sum()
            }
            _ => 0,
        }
    }
}

/// How many characters of a text are behind the masks that it has got.
#[must_use]
pub fn hidden(before: &str, after: &str) -> usize {
    let masks = |text: &str| text.matches(MASK).count();
    // A text may have had some before.
    let new = masks(after).saturating_sub(masks(before));
    let left = after.chars().count().saturating_sub(new * MASK.len());
    before.chars().count().saturating_sub(left)
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_mask_reaches_from_one_value_into_the_next() {
        let redactor = Redactor::default();
        for (body, shown) in [
            (
                r#"{"rows":[["select password="],[42,43,44],["x"]]}"#,
                r#"{"rows":[["select password="],[42,43,44],["x"]]}"#,
            ),
            (
                r#"{"note":"password=hunter22","n":1.50}"#,
                r#"{"note":"password=[REDACTED]","n":1.50}"#,
            ),
            (r#""password=hunter22""#, r#""password=[REDACTED]""#),
            (
                "{\"a\":\"password=\"}\n{\"b\":\"password=hunter22\"}\n",
                "{\"a\":\"password=\"}\n{\"b\":\"password=[REDACTED]\"}\n",
            ),
            ("password=hunter22&x=1", "password=[REDACTED]&x=1"),
            ("plain", "plain"),
        ] {
            assert_eq!(redactor.body(body), shown, "{body}");
        }
    }

    #[test]
    fn what_is_hidden_by_its_look_alone_is_counted() {
        let redactor = Redactor::default();
        let before = serde_json::json!({"note": ["password=hunter22", 7], "password": "hunter333", "pin": "1"});
        let mut after = before.clone();
        redactor.json(&mut after, &SecretNames::default());
        after["pin"] = "***".into();
        assert_eq!(redactor.hidden_in(&before, &after), 8);
        assert_eq!(redactor.hidden_in(&before, &before), 0);
    }

    #[test]
    fn what_is_hidden_is_counted() {
        for (before, after, expected) in [
            ("a secret", "a secret", 0),
            ("a secret", "a [REDACTED]", 6),
            ("a sécret, an other", "a [REDACTED], an [REDACTED]", 11),
            ("[REDACTED] a secret", "[REDACTED] a [REDACTED]", 6),
            ("a", "[REDACTED]", 1),
        ] {
            assert_eq!(hidden(before, after), expected, "{before}");
        }
    }
}
