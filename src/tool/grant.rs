//! What a caller may do, as far as it is known before a tool is looked at. Names and patterns only: the
//! decision is made in the policy.

use std::fmt;
use std::sync::Arc;

/// What a caller may do.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Grant {
    /// The names of tools that may be called; all where absent.
    pub tools: Option<Arc<[Pattern]>>,
    /// The OAuth scopes of the caller's token, sorted, those that others imply included; absent where the
    /// caller has shown no token.
    pub scopes: Option<Vec<Box<str>>>,
}

impl Grant {
    /// Whether the tools' names allow this one.
    #[must_use]
    pub fn names(&self, tool: &str) -> bool {
        let Some(tools) = &self.tools else {
            return true;
        };
        tools.iter().any(|pattern| pattern.matches(tool))
    }
}

/// A pattern of tool names: `*` stands for any text, `?` for one character; case counts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern(Box<str>);

/// A text is no pattern of tool names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a pattern of tool names: expected letters, digits, `_`, `-`, `.`, `*` and `?`"
)]
pub struct InvalidPattern(String);

impl Pattern {
    /// Checks the text.
    ///
    /// # Errors
    /// [`InvalidPattern`] for an empty text, one that is longer than any name, and characters that no name has.
    pub fn new(text: &str) -> Result<Self, InvalidPattern> {
        let fits = |c: char| c.is_ascii_alphanumeric() || "_-.*?".contains(c);
        if (1..=128).contains(&text.len()) && text.chars().all(fits) {
            Ok(Self(text.into()))
        } else {
            Err(InvalidPattern(text.chars().take(128).collect()))
        }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the whole name fits. Takes no more steps than the product of both lengths.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let (pattern, name) = (self.0.as_bytes(), name.as_bytes());
        let (mut at, mut seen) = (0, 0);
        // The last star, and what of the name it stands for so far.
        let mut star: Option<(usize, usize)> = None;
        while seen < name.len() {
            match pattern.get(at) {
                Some(b'*') => {
                    star = Some((at, seen));
                    at += 1;
                }
                Some(&byte) if byte == b'?' || byte == name[seen] => {
                    at += 1;
                    seen += 1;
                }
                _ => match star {
                    None => return false,
                    Some((place, taken)) => {
                        star = Some((place, taken + 1));
                        at = place + 1;
                        seen = taken + 1;
                    }
                },
            }
        }
        pattern[at..].iter().all(|&byte| byte == b'*')
    }
}

/// The access token a caller came with, for exchanging it for another one (RFC 8693). It is never sent on as
/// it is, and never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct SubjectToken(Arc<str>);

impl SubjectToken {
    /// Takes the token over.
    #[must_use]
    pub fn new(token: &str) -> Self {
        Self(token.into())
    }

    /// The token, for the one place that exchanges it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SubjectToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SubjectToken(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, fits) in [
            ("get_pet", "get_pet", true),
            ("get_pet", "get_pets", false),
            ("get_pet", "Get_pet", false),
            ("get_*", "get_", true),
            ("get_*", "get_pet", true),
            ("get_*", "forget_pet", false),
            ("*_pet", "get_pet", true),
            ("*_pet", "get_pets", false),
            ("*pet*", "pet", true),
            ("*pet*", "a_pet_b", true),
            ("g?t", "get", true),
            ("g?t", "gt", false),
            ("*", "anything", true),
            ("**", "x", true),
            ("a*b*c", "axxbxxbc", true),
            ("a*b*c", "axxbxxb", false),
            ("*ab", "aab", true),
            ("?", "", false),
        ] {
            assert_eq!(
                Pattern::new(pattern).unwrap().matches(name),
                fits,
                "{pattern} {name}"
            );
        }
    }

    #[test]
    fn a_hostile_pattern_takes_no_exponential_time() {
        let pattern = Pattern::new(&"*a".repeat(60)).unwrap();
        assert!(!pattern.matches(&"a".repeat(59)));
        assert!(!pattern.matches(&format!("{}b", "a".repeat(127))));
    }

    #[test]
    fn what_matches_nothing_is_no_pattern() {
        for text in ["", "get pet", "get/pet", "größe", "[a-z]", &"a".repeat(129)] {
            assert!(Pattern::new(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_grant_without_patterns_names_all() {
        assert!(Grant::default().names("x"));
        let tools = ["get_*", "find"].map(|text| Pattern::new(text).unwrap());
        let grant = Grant {
            tools: Some(tools.into()),
            scopes: None,
        };
        let named = ["get_pet", "find", "find_all"].map(|name| grant.names(name));
        assert_eq!(named, [true, true, false]);
    }

    #[test]
    fn a_token_does_not_print() {
        let token = SubjectToken::new("abc.def.ghi");
        assert_eq!(format!("{token:?}"), "SubjectToken(***)");
    }
}
