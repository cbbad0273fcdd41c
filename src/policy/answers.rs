//! What a caller gets, masked: answers, what is kept of them, and the bodies of errors.

use bytes::Bytes;
use serde::de::IgnoredAny;

use super::names::SecretNames;
use super::redact::Redactor;
use crate::secret::holds_known;
use crate::tool::{Content, Outcome, Text};

impl Redactor {
    /// Masks what the caller will see. Errors always; answers where the settings want it, and the
    /// process's own secrets in any case.
    #[must_use]
    pub fn outcome(&self, outcome: Outcome, secret: &SecretNames) -> Outcome {
        let full = self.answers || outcome.is_error;
        self.outcome_as(outcome, secret, full)
    }

    /// The same as for an error: a program's output is nobody's data, and nobody chose what is in it.
    #[must_use]
    pub fn output(&self, outcome: Outcome) -> Outcome {
        self.outcome_as(outcome, &SecretNames::default(), true)
    }

    fn outcome_as(&self, mut outcome: Outcome, secret: &SecretNames, full: bool) -> Outcome {
        let shared = outcome.structured.as_ref().map(|data| data.json().clone());
        let mut masked: Option<Text> = None;
        for content in &mut outcome.content {
            without_known(content);
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

    /// Whether bytes that are no text hold one of the process's own secrets.
    #[must_use]
    pub fn holds_secret(&self, data: &[u8]) -> bool {
        holds_known(data)
    }

    /// Whether answers of operations that succeeded are masked by name and by pattern as well.
    #[must_use]
    pub fn masks_answers(&self) -> bool {
        self.answers
    }

    /// Masks a whole answer that is kept to be read later, as [`Redactor::outcome`] would; `None` where
    /// nothing has to change. What is no UTF-8 is masked as far as it is.
    #[must_use]
    pub fn kept(&self, data: &Bytes, is_error: bool, secret: &SecretNames) -> Option<Bytes> {
        let text = Text::from_utf8(data.clone())
            .unwrap_or_else(|data| String::from_utf8_lossy(&data).into_owned().into());
        self.whole(&text, self.answers || is_error, secret)
            .map(Text::into_bytes)
    }

    /// The JSON of an error with its secrets masked, before anything is made of it; nothing where nothing has to change,
    /// or where it is no JSON.
    #[must_use]
    pub fn error_body(&self, data: &Bytes, secret: &SecretNames) -> Option<Bytes> {
        let text = std::str::from_utf8(data).ok()?;
        let is_json = text.trim_start().starts_with(['{', '[']);
        let is_json = is_json && serde_json::from_str::<IgnoredAny>(text).is_ok();
        is_json
            .then(|| self.json_text(text, secret))
            .flatten()
            .map(Bytes::from)
    }
}

/// Bytes that hold one of the process's own secrets become a notice.
fn without_known(content: &mut Content) {
    let (Content::Image { data, media_type }
    | Content::Audio { data, media_type }
    | Content::Blob {
        data, media_type, ..
    }) = content
    else {
        return;
    };
    if holds_known(data) {
        let notice = format!(
            "[{} bytes of {media_type} are left out: they hold a secret of this server]",
            data.len()
        );
        *content = Content::Text(Text::from(notice));
    }
}

/// Both are the same bytes in the same place.
pub(super) fn is_same(one: &Text, other: &Text) -> bool {
    std::ptr::eq(one.as_bytes(), other.as_bytes())
}
