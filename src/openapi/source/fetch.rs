//! Documents over HTTP: what the operator named, and what a document refers to.

use http::{HeaderMap, HeaderName, HeaderValue, header};
use url::Url;

use super::super::Settings;
use super::super::error::LoadError;
use super::{Fetched, tls};
use crate::outbound::{Certificates, Guard, Reach, was_not_sent};
use crate::secret::{SafeUrl, Secret};

/// Redirects a document's URL may go through.
const MOST_REDIRECTS: usize = 5;

/// The place that a document is fetched from, and what that place alone is shown.
#[derive(Debug, Clone)]
pub struct OwnPlace {
    /// The document's URL.
    pub url: SafeUrl,
    /// Headers of the requests to its origin.
    pub headers: Vec<(HeaderName, Secret)>,
}

impl OwnPlace {
    /// Whether `url` is at the same host and port, and no less secret.
    fn has(&self, url: &Url) -> bool {
        let own = self.url.expose();
        is_at(own, url) && (own.scheme() == "http" || url.scheme() == "https")
    }
}

/// Fetches what the operator named. Where it redirects to another host, it is that host's word, and the
/// address has to be public; each step is judged.
pub(super) async fn fetch_named(
    first: &Url,
    name: &str,
    settings: &Settings,
) -> Result<Fetched, LoadError> {
    let failed = |reason: &str| LoadError::Fetch {
        name: name.to_owned(),
        reason: reason.to_owned(),
    };
    let mut url = first.clone();
    for _ in 0..=MOST_REDIRECTS {
        let own = is_at(first, &url);
        let fetcher = Fetcher::new(&url, own, settings, name)?;
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
pub(in crate::openapi) async fn fetch_referenced(
    url: &Url,
    own: bool,
    limit: u64,
    settings: &Settings,
) -> Result<Fetched, LoadError> {
    let name = SafeUrl::new(url.clone()).to_string();
    let fetcher = Fetcher::new(url, own, settings, &name)?;
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
    headers: HeaderMap,
    /// Whether it shows who asks.
    introduced: bool,
}

enum Answer {
    Document(Fetched),
    /// To where, if that can be read.
    Redirect(Option<Url>),
}

impl<'a> Fetcher<'a> {
    /// For the host of `url`; `own` places are the operator's word.
    fn new(url: &Url, own: bool, settings: &Settings, name: &'a str) -> Result<Self, LoadError> {
        let reach = if own {
            Reach::Neighbours
        } else {
            Reach::Public
        };
        let guard = Guard::new(reach, &settings.allowed_networks);
        let place = settings.own.as_ref().filter(|place| place.has(url));
        let headers = headers(place.map_or(&[], |place| place.headers.as_slice()));
        // Fails only where another part of the process was first, with the same provider.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = || {
            reqwest::Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .timeout(settings.timeout)
                .connect_timeout(settings.timeout)
                // What is judged is what is connected to: there is no second look-up.
                .dns_resolver(guard.clone())
                // A proxy would resolve the host once more, unjudged; and a variable left in an environment must
                // not reroute a sidecar.
                .no_proxy()
                .user_agent(concat!("mcpinvoke/", env!("CARGO_PKG_VERSION")))
        };
        let certificates = match url.scheme() {
            "https" => Certificates::read(&settings.tls, place.is_some()).map_err(|reason| {
                LoadError::Certificate {
                    name: name.to_owned(),
                    reason: format!("tls: {reason}"),
                }
            })?,
            _ => Certificates::default(),
        };
        Ok(Self {
            client: certificates
                .client(builder)
                .map_err(|error| failure(name, error))?,
            guard,
            name,
            introduced: headers.len() > 1 || !url.username().is_empty(),
            headers,
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
        let ask = || self.client.get(url.clone()).headers(self.headers.clone());
        let mut response = match ask().send().await {
            Err(error) if was_not_sent(&error) => ask().send().await,
            answered => answered,
        }
        .map_err(failed)?;
        let status = response.status();
        if matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
            let place = response.headers().get(header::LOCATION);
            let place = place.and_then(|place| url.join(place.to_str().ok()?).ok());
            let place = place.filter(|place| matches!(place.scheme(), "http" | "https"));
            return Ok(Answer::Redirect(place));
        }
        if status != http::StatusCode::OK {
            let hint = match status.as_u16() {
                401 | 403 if self.introduced => "; the credentials it was shown do not do",
                401 | 403 => {
                    "; the document needs credentials: give `documents[].headers` in the configuration, or write user and password before the host in its URL, with an @ between"
                }
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

/// What a request says besides its URL.
fn headers(own: &[(HeaderName, Secret)]) -> HeaderMap {
    let accept = "application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5";
    let mut headers = HeaderMap::new();
    headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
    for (name, value) in own {
        // One that cannot be written is a fault of the configuration, which is told there.
        if let Ok(mut value) = HeaderValue::from_str(value.expose()) {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
    }
    headers
}

fn failure(name: &str, error: reqwest::Error) -> LoadError {
    let name = name.to_owned();
    match tls::fault(&error) {
        Some(reason) => LoadError::Certificate { name, reason },
        None => LoadError::Fetch {
            name,
            reason: reason_of(error),
        },
    }
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
    fn a_place_is_itself_and_its_https() {
        for (own, url, expected) in [
            ("https://a.test/x", "https://a.test/y", true),
            ("http://a.test/x", "https://a.test/y", true),
            ("https://a.test:81/x", "http://a.test:81/x", false),
            ("https://a.test/x", "https://b.test/x", false),
            ("https://a.test/x", "https://a.test:444/x", false),
        ] {
            let place = OwnPlace {
                url: SafeUrl::new(Url::parse(own).unwrap()),
                headers: Vec::new(),
            };
            assert_eq!(
                place.has(&Url::parse(url).unwrap()),
                expected,
                "{own} {url}"
            );
        }
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
