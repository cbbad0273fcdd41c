//! Tool names that every known client accepts.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

/// A tool's name: 1 to 128 characters of `[A-Za-z0-9_-]`.
///
/// The alphabet is the intersection of MCP's recommendation and the model providers' rules.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ToolName(Arc<str>);

/// Why a text is not a tool name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a tool name: expected 1 to 128 characters of A-Z, a-z, 0-9, _ and -")]
pub struct InvalidToolName(pub String);

impl ToolName {
    /// The longest name MCP recommends, in characters.
    pub const MAX_LENGTH: usize = 128;

    /// Checks `name`.
    ///
    /// # Errors
    /// [`InvalidToolName`] when the text is empty, too long, or has another character.
    pub fn new(name: &str) -> Result<Self, InvalidToolName> {
        let fits = (1..=Self::MAX_LENGTH).contains(&name.len());
        if fits && name.bytes().all(Self::allows) {
            Ok(Self(name.into()))
        } else {
            Err(InvalidToolName(name.to_owned()))
        }
    }

    /// Whether `byte` may stand in a tool name.
    #[must_use]
    pub fn allows(byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_the_alphabet_and_refuses_the_rest() {
        assert_eq!(ToolName::new("get_pet-2").unwrap().as_str(), "get_pet-2");
        for bad in ["", "a b", "a.b", "größe", "a/b", &"x".repeat(129)] {
            assert!(ToolName::new(bad).is_err(), "{bad}");
        }
    }
}
