//! Values that the document calls secret, taken out of whatever a program writes.

use std::borrow::Cow;

use crate::secret::MASK;

/// Shorter values would be found everywhere.
const SHORTEST: usize = 4;

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
