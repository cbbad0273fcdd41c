//! The protocol revisions served, and what each of them knows.

use std::fmt;

/// A revision of the Model Context Protocol, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Revision {
    V2024_11_05,
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    V2026_07_28,
}

impl Revision {
    /// Every revision served, newest first.
    pub const ALL: [Self; 5] = [
        Self::V2026_07_28,
        Self::V2025_11_25,
        Self::V2025_06_18,
        Self::V2025_03_26,
        Self::V2024_11_05,
    ];

    /// What `initialize` offers a client that asks for something else.
    pub const NEWEST_WITH_HANDSHAKE: Self = Self::V2025_11_25;

    /// What an HTTP request without version header is taken for (2025-11-25, transports).
    pub const ASSUMED: Self = Self::V2025_03_26;

    /// The revision of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|revision| revision.name() == name)
    }

    /// The date that names it on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// No handshake, no session: each request says everything about itself.
    #[must_use]
    pub fn is_modern(self) -> bool {
        self >= Self::V2026_07_28
    }

    /// A message may be an array of messages.
    #[must_use]
    pub fn has_batches(self) -> bool {
        self == Self::V2025_03_26
    }

    /// Tools carry `annotations`.
    #[must_use]
    pub fn has_annotations(self) -> bool {
        self >= Self::V2025_03_26
    }

    /// Content can be audio.
    #[must_use]
    pub fn has_audio(self) -> bool {
        self >= Self::V2025_03_26
    }

    /// Progress can carry a message for people.
    #[must_use]
    pub fn has_progress_message(self) -> bool {
        self >= Self::V2025_03_26
    }

    /// Tools carry `title`, `_meta` and `outputSchema`.
    #[must_use]
    pub fn has_title(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// Output schemas may refer to definitions of their own. The clients of the revisions before lose
    /// `$defs`, and then refuse the whole list for the references that lead nowhere.
    #[must_use]
    pub fn has_output_references(self) -> bool {
        self >= Self::V2025_11_25
    }

    /// Results carry `structuredContent`.
    #[must_use]
    pub fn has_structured(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// `structuredContent` may be any JSON value, not only an object.
    #[must_use]
    pub fn has_any_structured(self) -> bool {
        self >= Self::V2026_07_28
    }

    /// Content can be a link to a resource.
    #[must_use]
    pub fn has_resource_links(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// A client can be asked for input (`elicitation`).
    #[must_use]
    pub fn has_elicitation(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// Elicitation has modes, titled and multiple choices, and defaults for every type.
    #[must_use]
    pub fn has_elicitation_modes(self) -> bool {
        self >= Self::V2025_11_25
    }

    /// Invalid arguments are told to the model as a result, not to the client as an error.
    #[must_use]
    pub fn invalid_arguments_are_results(self) -> bool {
        self >= Self::V2025_11_25
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_strangers_are_not() {
        for revision in Revision::ALL {
            assert_eq!(Revision::parse(revision.name()), Some(revision));
        }
        for stranger in ["", "2025-06-19", "2026-07-28 ", "latest"] {
            assert_eq!(Revision::parse(stranger), None, "{stranger}");
        }
    }

    #[test]
    fn each_feature_begins_with_its_revision() {
        use Revision as R;
        let first = |has: fn(R) -> bool| R::ALL.into_iter().rev().find(|&r| has(r));
        assert_eq!(first(R::has_batches), Some(R::V2025_03_26));
        assert!(!R::V2025_06_18.has_batches());
        assert_eq!(first(R::has_annotations), Some(R::V2025_03_26));
        assert_eq!(first(R::has_audio), Some(R::V2025_03_26));
        assert_eq!(first(R::has_progress_message), Some(R::V2025_03_26));
        assert_eq!(first(R::has_title), Some(R::V2025_06_18));
        assert_eq!(first(R::has_structured), Some(R::V2025_06_18));
        assert_eq!(first(R::has_resource_links), Some(R::V2025_06_18));
        assert_eq!(
            first(R::invalid_arguments_are_results),
            Some(R::V2025_11_25)
        );
        assert_eq!(first(R::has_any_structured), Some(R::V2026_07_28));
        assert_eq!(first(R::has_output_references), Some(R::V2025_11_25));
        assert_eq!(first(R::is_modern), Some(R::V2026_07_28));
    }
}
