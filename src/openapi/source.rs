//! Where a document comes from, and reading its bytes: file, stdin, or HTTP.
//!
//! The only place of this module that touches the outside.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use url::Url;

use super::error::LoadError;
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
pub(super) async fn read(
    source: &Source,
    limit: u64,
    timeout: Duration,
) -> Result<Fetched, LoadError> {
    let name = source.to_string();
    match source {
        Source::File(path) => read_file(path, &name, limit).await,
        Source::Stdin => read_stream(tokio::io::stdin(), &name, limit).await,
        Source::Url(url) => {
            let policy = reqwest::redirect::Policy::limited(MOST_REDIRECTS);
            let client = client(policy, timeout, None, &name)?;
            fetch(&client, url.expose().clone(), &name, limit).await
        }
    }
}

/// Reads a file.
pub(super) async fn read_file(path: &Path, name: &str, limit: u64) -> Result<Fetched, LoadError> {
    let failed = |source| LoadError::Read {
        name: name.to_owned(),
        source,
    };
    let file = tokio::fs::File::open(path).await.map_err(failed)?;
    read_stream(file, name, limit).await
}

async fn read_stream(
    stream: impl AsyncRead + Unpin,
    name: &str,
    limit: u64,
) -> Result<Fetched, LoadError> {
    let mut bytes = Vec::new();
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

/// Fetches what a document refers to: no redirects, and public addresses only unless `private`.
pub(super) async fn fetch_referenced(
    url: &Url,
    private: bool,
    limit: u64,
    timeout: Duration,
) -> Result<Fetched, LoadError> {
    let name = SafeUrl::new(url.clone()).to_string();
    let pinned = if private {
        None
    } else {
        Some(public_addresses(url, &name).await?)
    };
    let client = client(
        reqwest::redirect::Policy::none(),
        timeout,
        pinned.as_ref(),
        &name,
    )?;
    fetch(&client, url.clone(), &name, limit).await
}

/// The addresses of a URL's host, all of them public. The request is pinned to them, so that a
/// second look-up cannot give others.
async fn public_addresses(url: &Url, name: &str) -> Result<(String, Vec<SocketAddr>), LoadError> {
    let failed = |reason: String| LoadError::Fetch {
        name: name.to_owned(),
        reason,
    };
    let host = url
        .host_str()
        .ok_or_else(|| failed("the URL has no host".to_owned()))?;
    let port = url.port_or_known_default().unwrap_or(443);
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let addresses: Vec<SocketAddr> = tokio::net::lookup_host((bare, port))
        .await
        .map_err(|error| failed(format!("the host cannot be resolved: {error}")))?
        .collect();
    if addresses.is_empty() || addresses.iter().any(|address| !is_public(address.ip())) {
        return Err(failed(
            "the host has a private address, and the document came from elsewhere".to_owned(),
        ));
    }
    Ok((host.to_owned(), addresses))
}

/// Neither loopback, private, link-local, shared, unspecified, multicast nor reserved.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            let shared = a == 100 && (64..128).contains(&b);
            let benchmark = a == 198 && (b == 18 || b == 19);
            !(v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_multicast()
                || v4.is_documentation()
                || shared
                || benchmark
                || a == 0
                || a >= 240)
        }
        IpAddr::V6(v6) => {
            if let Some(v4) = v6.to_ipv4() {
                return is_public(IpAddr::V4(v4));
            }
            // Only 2000::/3 is given out; 64:ff9b::/96 and 2002::/16 lead to IPv4 addresses.
            let first = v6.segments()[0];
            first & 0xE000 == 0x2000 && first != 0x2002
        }
    }
}

fn client(
    redirects: reqwest::redirect::Policy,
    timeout: Duration,
    pinned: Option<&(String, Vec<SocketAddr>)>,
    name: &str,
) -> Result<reqwest::Client, LoadError> {
    // Fails only where another part of the process was first, with the same provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .redirect(redirects)
        .timeout(timeout)
        .connect_timeout(timeout)
        .user_agent(concat!("mcpinvoke/", env!("CARGO_PKG_VERSION")));
    if let Some((host, addresses)) = pinned {
        // A proxy would resolve the host once more.
        builder = builder.no_proxy().resolve_to_addrs(host, addresses);
    }
    builder.build().map_err(|error| LoadError::Fetch {
        name: name.to_owned(),
        reason: reason_of(error),
    })
}

async fn fetch(
    client: &reqwest::Client,
    url: Url,
    name: &str,
    limit: u64,
) -> Result<Fetched, LoadError> {
    let failed = |error| LoadError::Fetch {
        name: name.to_owned(),
        reason: reason_of(error),
    };
    let accept = "application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5";
    let request = client.get(url).header(http::header::ACCEPT, accept);
    let mut response = request.send().await.map_err(failed)?;
    let status = response.status();
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
    let url = response.url().clone();
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
    Ok(Fetched {
        bytes,
        url: Some(url),
    })
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
    fn only_public_addresses_are_public() {
        for (address, public) in [
            ("8.8.8.8", true),
            ("10.1.2.3", false),
            ("127.0.0.1", false),
            ("169.254.169.254", false),
            ("192.168.0.1", false),
            ("172.16.0.1", false),
            ("100.64.0.1", false),
            ("0.0.0.0", false),
            ("255.255.255.255", false),
            ("198.18.0.1", false),
            ("::1", false),
            ("::", false),
            ("fe80::1", false),
            ("fd00::1", false),
            ("::ffff:10.0.0.1", false),
            ("64:ff9b::a00:1", false),
            ("2606:4700::1", true),
            ("2002:a00:1::", false),
        ] {
            assert_eq!(is_public(address.parse().unwrap()), public, "{address}");
        }
    }
}
