//! Why a document could not be loaded at all.

use thiserror::Error;

use super::places::Position;

/// A document that could not be loaded. `name` is the source as people name it, without secrets.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The source is neither `-`, an http(s) URL nor a path.
    #[error("{found:?} is not a document: expected a path, an http or https URL, or -")]
    Source {
        /// What was given.
        found: String,
    },
    /// The file or stdin cannot be read.
    #[error("cannot read {name}: {source}")]
    Read {
        /// The source.
        name: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The server cannot be reached, or did not answer in time.
    #[error("cannot fetch {name}: {reason}")]
    Fetch {
        /// The source.
        name: String,
        /// Why, without secrets.
        reason: String,
    },
    /// Stdin is still open after the time for a document.
    #[error(
        "{name} did not end within {limit:?}; close it after the document, or raise the limit (timeouts.document)"
    )]
    Late {
        /// The source.
        name: String,
        /// The time.
        limit: std::time::Duration,
    },
    /// A certificate is why nothing was fetched: the server's, the client's, or a file that should hold one.
    #[error("cannot fetch {name}: {reason}")]
    Certificate {
        /// The source.
        name: String,
        /// Why, and what to do; without secrets.
        reason: String,
    },
    /// The server answered with something else than success.
    #[error("cannot fetch {name}: expected status 200, found {status}{hint}")]
    Status {
        /// The source.
        name: String,
        /// The HTTP status.
        status: u16,
        /// What to do, or nothing.
        hint: &'static str,
    },
    /// More bytes than allowed.
    #[error("{name} is larger than {limit} bytes; raise the limit if this is meant")]
    TooLarge {
        /// The source.
        name: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// More values than any real document has; each takes many times its bytes in memory.
    #[error("{name} holds more than {limit} values; split the document")]
    TooMany {
        /// The source.
        name: String,
        /// The limit.
        limit: usize,
    },
    /// No bytes, or only white space.
    #[error("{name} is empty: expected an OpenAPI document in JSON or YAML")]
    Empty {
        /// The source.
        name: String,
    },
    /// An HTML or XML page.
    #[error(
        "{name} is {found}, expected an OpenAPI document in JSON or YAML; give the address of the document itself, not of a page that shows it"
    )]
    Page {
        /// The source.
        name: String,
        /// `an HTML page` or `an XML document`.
        found: &'static str,
    },
    /// Not UTF-8.
    #[error("{name}:{line}:{column}: expected UTF-8 text, found {found}")]
    Encoding {
        /// The source.
        name: String,
        /// From 1.
        line: usize,
        /// From 1, in bytes.
        column: usize,
        /// What stands there.
        found: String,
    },
    /// Neither JSON nor YAML.
    #[error("{name}:{line}:{column}: not valid {format}: {message}")]
    Syntax {
        /// The source.
        name: String,
        /// `JSON` or `YAML`.
        format: &'static str,
        /// From 1; 0 where unknown.
        line: usize,
        /// From 1; 0 where unknown.
        column: usize,
        /// What was expected and found.
        message: String,
    },
    /// Valid JSON or YAML, but no OpenAPI document.
    #[error(
        "{name} is not an OpenAPI document: expected an object with the member \"openapi\" or \"swagger\", found {found}"
    )]
    NotOpenApi {
        /// The source.
        name: String,
        /// What was found.
        found: String,
    },
    /// An overlay that cannot be applied.
    #[error("{name}: not a usable overlay: {reason}")]
    Overlay {
        /// The overlay's source.
        name: String,
        /// What was expected and found, and in which action.
        reason: String,
    },
    /// A version of OpenAPI that is not read.
    #[error("{name} is written in {found}; expected Swagger 2.0 or OpenAPI 3.0, 3.1 or 3.2")]
    Version {
        /// The source.
        name: String,
        /// The version as written.
        found: String,
    },
    /// The work was stopped, for instance because the runtime shuts down.
    #[error("loading {name} was interrupted: {reason}")]
    Interrupted {
        /// The source.
        name: String,
        /// Why.
        reason: String,
    },
}

impl LoadError {
    /// The fault's line and column in the text, both from 1, where they are known.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        match self {
            Self::Encoding { line, column, .. } | Self::Syntax { line, column, .. } => (*line > 0)
                .then_some(Position {
                    line: *line,
                    column: (*column).max(1),
                }),
            _ => None,
        }
    }

    /// Whether the same source may well load a little later. A certificate that is not trusted stays so.
    #[must_use]
    pub fn passes(&self) -> Passes {
        match self {
            Self::Fetch { .. } => Passes::Maybe,
            Self::Status { status, .. } => match status {
                404 => Passes::Soon,
                429 | 500..=599 => Passes::Maybe,
                _ => Passes::Never,
            },
            _ => Passes::Never,
        }
    }
}

/// Whether what is wrong with a source may pass by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passes {
    /// Its service may not be there yet.
    Maybe,
    /// Its service answers, and either is about to have it or never will: a wrong path, most likely.
    Soon,
    /// Somebody has to change something.
    Never,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_service_may_mend_by_itself_may_pass() {
        let name = || "http://a.test/x".to_owned();
        for (status, expected) in [
            (503, Passes::Maybe),
            (429, Passes::Maybe),
            (404, Passes::Soon),
            (401, Passes::Never),
            (410, Passes::Never),
        ] {
            let error = LoadError::Status {
                name: name(),
                status,
                hint: "",
            };
            assert_eq!(error.passes(), expected, "{status}");
        }
        let reason = String::new;
        let (name, other) = (name(), name());
        let refused = LoadError::Fetch {
            name,
            reason: reason(),
        };
        assert_eq!(refused.passes(), Passes::Maybe);
        let untrusted = LoadError::Certificate {
            name: other,
            reason: reason(),
        };
        assert_eq!(untrusted.passes(), Passes::Never);
    }
}
