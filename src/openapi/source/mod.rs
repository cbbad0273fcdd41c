//! Where a document comes from, and reading its bytes: file, stdin, or HTTP.
//!
//! The only place of `openapi` that touches the outside.

mod fetch;
mod tls;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use url::Url;

use super::Settings;
use super::error::LoadError;
use crate::secret::SafeUrl;
pub use fetch::OwnPlace;
pub(super) use fetch::fetch_referenced;

/// Where a document comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// An http or https URL.
    Url(SafeUrl),
    /// The process's standard input.
    Stdin,
    /// A document that ships in the binary.
    BuiltIn {
        /// How it is named.
        name: &'static str,
        /// The document.
        text: &'static str,
    },
}

impl Source {
    /// Reads a command line's or configuration's text: `-`, an http(s) URL, else a path.
    ///
    /// # Errors
    /// An empty text, and a URL that is invalid or of another scheme than http, https and file.
    pub fn parse(text: &str) -> Result<Self, LoadError> {
        let text = text.trim();
        let refused = || LoadError::Source {
            found: text.to_owned(),
        };
        if text == "-" {
            return Ok(Self::Stdin);
        }
        let Some((scheme, _)) = text.split_once("://") else {
            return if text.is_empty() {
                Err(refused())
            } else {
                Ok(Self::File(text.into()))
            };
        };
        let url = Url::parse(text);
        match scheme.to_ascii_lowercase().as_str() {
            "http" | "https" => url
                .map(|url| Self::Url(SafeUrl::new(url)))
                .map_err(|_| refused()),
            "file" => url
                .ok()
                .and_then(|url| url.to_file_path().ok())
                .map(Self::File)
                .ok_or_else(refused),
            _ => Err(refused()),
        }
    }
}

/// The source as people name it, without secrets.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Url(url) => write!(f, "{url}"),
            Self::Stdin => f.write_str("-"),
            Self::BuiltIn { name, .. } => f.write_str(name),
        }
    }
}

/// A document's bytes and the URL they came from in the end.
#[derive(Debug)]
pub(super) struct Fetched {
    pub(super) bytes: Vec<u8>,
    pub(super) url: Option<Url>,
}

/// Reads a source the operator named.
pub(super) async fn read(source: &Source, settings: &Settings) -> Result<Fetched, LoadError> {
    let name = source.to_string();
    let limit = settings.max_bytes;
    match source {
        Source::File(path) => read_file(path, &name, limit).await,
        Source::Stdin => {
            let read = read_stream(tokio::io::stdin(), &name, 0, limit);
            in_time(read, &name, settings.timeout).await
        }
        Source::BuiltIn { text, .. } => read_stream(text.as_bytes(), &name, 0, limit).await,
        Source::Url(url) => fetch::fetch_named(url.expose(), &name, settings).await,
    }
}

/// What comes of reading within the time for one document.
async fn in_time(
    read: impl Future<Output = Result<Fetched, LoadError>>,
    name: &str,
    limit: Duration,
) -> Result<Fetched, LoadError> {
    tokio::time::timeout(limit, read).await.unwrap_or_else(|_| {
        Err(LoadError::Late {
            name: name.to_owned(),
            limit,
        })
    })
}

/// Reads a file.
pub(super) async fn read_file(path: &Path, name: &str, limit: u64) -> Result<Fetched, LoadError> {
    let failed = |source| LoadError::Read {
        name: name.to_owned(),
        source,
    };
    let file = tokio::fs::File::open(path).await.map_err(failed)?;
    // What says its length, which a pipe does not, is refused unread and read into place.
    let length = file.metadata().await.map_err(failed)?.len();
    if length > limit {
        return Err(LoadError::TooLarge {
            name: name.to_owned(),
            limit,
        });
    }
    read_stream(file, name, length, limit).await
}

async fn read_stream(
    stream: impl AsyncRead + Unpin,
    name: &str,
    length: u64,
    limit: u64,
) -> Result<Fetched, LoadError> {
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    stream
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .await
        .map_err(|source| LoadError::Read {
            name: name.to_owned(),
            source,
        })?;
    if bytes.len() as u64 > limit {
        return Err(LoadError::TooLarge {
            name: name.to_owned(),
            limit,
        });
    }
    Ok(Fetched { bytes, url: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_stream_that_does_not_end_is_given_up() {
        let (mut writer, stream) = tokio::io::duplex(64);
        tokio::io::AsyncWriteExt::write_all(&mut writer, b"openapi: 3.0.3")
            .await
            .unwrap();
        let read = read_stream(stream, "-", 0, 100);
        let error = in_time(read, "-", Duration::from_millis(1)).await;
        let text = error.unwrap_err().to_string();
        assert!(text.starts_with("- did not end within 1ms"), "{text}");
    }

    #[test]
    fn texts_become_sources() {
        let url = |text: &str| Source::Url(SafeUrl::new(Url::parse(text).unwrap()));
        // An absolute path of the system that this runs on.
        let (address, path) = match cfg!(windows) {
            true => ("file:///c:/etc/api.yaml", "c:\\etc\\api.yaml"),
            false => ("file:///etc/api.yaml", "/etc/api.yaml"),
        };
        let table = [
            ("-", Some(Source::Stdin)),
            ("api.yaml", Some(Source::File("api.yaml".into()))),
            ("C:\\api.yaml", Some(Source::File("C:\\api.yaml".into()))),
            (address, Some(Source::File(path.into()))),
            ("HTTPS://a.test/x?k=1", Some(url("https://a.test/x?k=1"))),
            ("http://", None),
            ("ftp://a.test/x", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(Source::parse(text).ok(), expected, "{text}");
        }
        assert_eq!(
            url("https://u:p@a.test/x?k=1").to_string(),
            "https://u:***@a.test/x?k=***"
        );
    }
}
