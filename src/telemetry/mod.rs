//! Logs: tracing on stderr, as text or JSON lines. Never stdout, which belongs to data and to the
//! stdio transport.

mod lines;
mod text;

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt;
use tracing_subscriber::prelude::*;

pub use lines::{Logging, Mask};

/// What is logged and in which form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `error`, `warn`, `info`, `debug`, `trace` or `off`, or a filter such as `info,mcpinvoke::call=off`.
    pub filter: String,
    /// Text for people or JSON for collectors.
    pub format: Format,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            filter: "info".to_owned(),
            format: Format::Text,
        }
    }
}

/// The form of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// One readable line; coloured on a terminal.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Logging cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The filter is not one.
    #[error(
        "`{filter}` is not a log filter: expected a level such as `info`, or `info,mcpinvoke::call=off`"
    )]
    Filter {
        /// As written.
        filter: String,
        /// What the parser says.
        #[source]
        source: tracing_subscriber::filter::ParseError,
    },
    /// Somebody set a subscriber before.
    #[error("logging is already set up in this process")]
    Taken(#[source] tracing_subscriber::util::TryInitError),
    /// The thread that writes lines cannot be started.
    #[error("the thread that writes log lines cannot be started")]
    Thread(#[source] io::Error),
}

/// Installs the process's subscriber; every line goes through `mask`. Lines are masked and written by a
/// thread of their own, which writes what is left when the value is dropped.
///
/// # Errors
/// [`SetupError`] when the filter cannot be read, or when there is a subscriber already.
pub fn init(settings: &Settings, mask: Mask) -> Result<Logging, SetupError> {
    let filter =
        EnvFilter::try_new(quiet(&settings.filter)).map_err(|source| SetupError::Filter {
            filter: settings.filter.clone(),
            source,
        })?;
    let registry = tracing_subscriber::registry().with(filter);
    let (writer, logging) = lines::start(io::stderr(), mask).map_err(SetupError::Thread)?;
    let lines = fmt::layer().with_writer(writer);
    match settings.format {
        Format::Text => {
            let text = text::Text { colours: colours() };
            registry.with(lines.event_format(text)).try_init()
        }
        Format::Json => registry.with(lines.json().flatten_event(true)).try_init(),
    }
    .map_err(SetupError::Taken)?;
    Ok(logging)
}

/// The libraries below log request and connection details, secrets among them, at their finest
/// levels: they stay out unless a filter names them. The verifier of certificates tells of each refusal with the
/// folder it was built in; who asked for the connection tells of it, too.
fn quiet(filter: &str) -> String {
    let mut filter = filter.to_owned();
    for (library, level) in [
        ("hyper_util", "warn"),
        ("hyper", "warn"),
        ("reqwest", "warn"),
        ("h2", "warn"),
        ("rustls", "warn"),
        ("rustls_platform_verifier", "off"),
        ("tower", "warn"),
    ] {
        let named = |directive: &str| directive.starts_with(&format!("{library}="));
        if !filter.split(',').any(named) {
            filter.push_str(&format!(",{library}={level}"));
        }
    }
    filter
}

/// Colours only where a person looks, and not where the person asked for none (no-color.org).
fn colours() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_quiet_unless_named() {
        assert!(quiet("trace").contains("hyper=warn"));
        assert!(!quiet("info,hyper=trace").contains(",hyper=warn"));
        assert!(EnvFilter::try_new(quiet("debug")).is_ok());
    }
}
