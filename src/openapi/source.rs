//! Where a document comes from, and reading its bytes: file, stdin, or HTTP.
//!
//! The only place of this module that touches the outside.

use std::fmt;
use std::path::{Path, PathBuf};

use tokio::io::{AsyncRead, AsyncReadExt};
use url::Url;

use super::Settings;
use super::error::LoadError;
use crate::outbound::{Guard, Reach};
use crate::secret::SafeUrl;

/// Redirects a document's URL may go through.
const MOST_REDIRECTS: usize = 5;

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
        Source::Stdin => read_stream(tokio::io::stdin(), &name, 0, limit).await,
        Source::BuiltIn { text, .. } => read_stream(text.as_bytes(), &name, 0, limit).await,
        Source::Url(url) => fetch_named(url.expose(), &name, settings).await,
    }
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

/// Fetches what the operator named. Where it redirects to another host, it is that host's word, and the
/// address has to be public; each step is judged.
async fn fetch_named(first: &Url, name: &str, settings: &Settings) -> Result<Fetched, LoadError> {
    let failed = |reason: &str| LoadError::Fetch {
        name: name.to_owned(),
        reason: reason.to_owned(),
    };
    let mut url = first.clone();
    for _ in 0..=MOST_REDIRECTS {
        let own = is_at(first, &url);
        let fetcher = Fetcher::new(own, settings, name)?;
        match fetcher.fetch(url.clone(), settings.max_bytes).await? {
            Answer::Document(fetched) => return Ok(fetched),
            Answer::Redirect(next) => {
                let next = next.ok_or_else(|| failed("it redirects to nowhere"))?;
                if url.scheme() == "https" && next.scheme() != "https" {
                    return Err(failed("it redirects from https to something else"));
                }
                url = next;
            }
        }
    }
    Err(failed("it redirects too often"))
}

/// Whether a URL is still the place the operator named: the same host and port, or its https.
fn is_at(named: &Url, url: &Url) -> bool {
    let port = |url: &Url| url.port_or_known_default();
    let upgraded = url.scheme() == "https" && url.port().is_none() && named.port().is_none();
    url.host() == named.host() && (port(url) == port(named) || upgraded)
}

/// Fetches what a document refers to: no redirects, and public addresses only unless `own`.
pub(super) async fn fetch_referenced(
    url: &Url,
    own: bool,
    limit: u64,
    settings: &Settings,
) -> Result<Fetched, LoadError> {
    let name = SafeUrl::new(url.clone()).to_string();
    let fetcher = Fetcher::new(own, settings, &name)?;
    match fetcher.fetch(url.clone(), limit).await? {
        Answer::Document(fetched) => Ok(fetched),
        Answer::Redirect(_) => Err(LoadError::Fetch {
            name,
            reason: "it redirects elsewhere: refer to that place itself".to_owned(),
        }),
    }
}

/// Reads from places of one reach.
struct Fetcher<'a> {
    client: reqwest::Client,
    guard: Guard,
    name: &'a str,
}

enum Answer {
    Document(Fetched),
    /// To where, if that can be read.
    Redirect(Option<Url>),
}

impl<'a> Fetcher<'a> {
    /// `own` places are the operator's word.
    fn new(own: bool, settings: &Settings, name: &'a str) -> Result<Self, LoadError> {
        let reach = if own {
            Reach::Neighbours
        } else {
            Reach::Public
        };
        let guard = Guard::new(reach, &settings.allowed_networks);
        // Fails only where another part of the process was first, with the same provider.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(settings.timeout)
            .connect_timeout(settings.timeout)
            // What is judged is what is connected to: there is no second look-up.
            .dns_resolver(Names(guard.clone()))
            .user_agent(concat!("mcpinvoke/", env!("CARGO_PKG_VERSION")));
        if !own {
            // A proxy would resolve the host once more.
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| failure(name, error))?;
        Ok(Self {
            client,
            guard,
            name,
        })
    }

    async fn fetch(&self, url: Url, limit: u64) -> Result<Answer, LoadError> {
        let name = self.name;
        let failed = |error| failure(name, error);
        self.guard
            .check_url(&url)
            .map_err(|refused| LoadError::Fetch {
                name: name.to_owned(),
                reason: refused.to_string(),
            })?;
        let accept = "application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5";
        let request = self
            .client
            .get(url.clone())
            .header(http::header::ACCEPT, accept);
        let mut response = request.send().await.map_err(failed)?;
        let status = response.status();
        if matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
            let place = response.headers().get(http::header::LOCATION);
            let place = place.and_then(|place| url.join(place.to_str().ok()?).ok());
            let place = place.filter(|place| matches!(place.scheme(), "http" | "https"));
            return Ok(Answer::Redirect(place));
        }
        if status != http::StatusCode::OK {
            let hint = match status.as_u16() {
                401 | 403 => "; the document needs credentials",
                404 => "; look up the document's address",
                300..=399 => "; give the address it redirects to",
                _ => "",
            };
            return Err(LoadError::Status {
                name: name.to_owned(),
                status: status.as_u16(),
                hint,
            });
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if (bytes.len() + chunk.len()) as u64 > limit {
                return Err(LoadError::TooLarge {
                    name: name.to_owned(),
                    limit,
                });
            }
            bytes.extend_from_slice(&chunk);
        }
        let url = Some(url);
        Ok(Answer::Document(Fetched { bytes, url }))
    }
}

/// Resolves names to addresses that may be connected to.
struct Names(Guard);

impl reqwest::dns::Resolve for Names {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let guard = self.0.clone();
        Box::pin(async move {
            let addresses = guard.resolve(name.as_str()).await?;
            Ok(Box::new(addresses.into_iter()) as reqwest::dns::Addrs)
        })
    }
}

fn failure(name: &str, error: reqwest::Error) -> LoadError {
    let (name, untrusted) = (name.to_owned(), is_untrusted(&error));
    let reason = reason_of(error);
    if untrusted {
        LoadError::Certificate { name, reason }
    } else {
        LoadError::Fetch { name, reason }
    }
}

/// Whether it broke off at the server's certificate.
fn is_untrusted(error: &reqwest::Error) -> bool {
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
    // Chains are short.
    for _ in 0..16 {
        let Some(error) = next else { break };
        if let Some(rustls::Error::InvalidCertificate(_)) = error.downcast_ref() {
            return true;
        }
        // An i/o error tells the cause of what it holds as its own, and so leaves that out.
        let held = error.downcast_ref::<std::io::Error>();
        next = match held.and_then(std::io::Error::get_ref) {
            Some(held) => Some(held),
            None => error.source(),
        };
    }
    false
}

/// The chain of causes, without the URL, whose query may hold a key.
fn reason_of(error: reqwest::Error) -> String {
    if error.is_timeout() {
        return "no complete answer in time".to_owned();
    }
    let error = error.without_url();
    let mut reason = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        reason = format!("{reason}: {inner}");
        cause = inner.source();
    }
    reason
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_sources() {
        let url = |text: &str| Source::Url(SafeUrl::new(Url::parse(text).unwrap()));
        let table = [
            ("-", Some(Source::Stdin)),
            ("api.yaml", Some(Source::File("api.yaml".into()))),
            ("C:\\api.yaml", Some(Source::File("C:\\api.yaml".into()))),
            (
                "file:///etc/api.yaml",
                Some(Source::File("/etc/api.yaml".into())),
            ),
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

    #[test]
    fn another_port_is_another_place() {
        let at = |named, url| is_at(&Url::parse(named).unwrap(), &Url::parse(url).unwrap());
        for (named, url, expected) in [
            ("http://a.test/x", "http://a.test/y", true),
            ("http://a.test/x", "https://a.test/y", true),
            ("http://a.test:81/x", "http://a.test:81/y", true),
            ("http://a.test/x", "http://a.test:6379/", false),
            ("http://a.test:81/x", "https://a.test/", false),
            ("http://a.test/x", "http://b.test/x", false),
            ("http://a.test/x", "http://a.test.evil.test/", false),
        ] {
            assert_eq!(at(named, url), expected, "{named} {url}");
        }
    }
}
