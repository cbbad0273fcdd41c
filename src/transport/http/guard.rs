//! Who may talk to the server at all, by `Host` and `Origin`.
//!
//! A web page can send requests to any address its reader's browser reaches, and can make a name
//! of its own point to a loopback address. Its requests carry that name as `Host`, and its own
//! address as `Origin`; a program's carry no `Origin`.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{HOST, ORIGIN};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use parking_lot::Mutex;

use super::respond::plain;
use super::{Settings, cors};

/// How many refused values are told in the log, each once: whoever refuses more is not misconfigured.
const TOLD: usize = 32;
/// How much of one is told, in characters.
const LONGEST: usize = 128;

/// The rules.
#[derive(Debug)]
pub(super) struct Guard {
    listen: SocketAddr,
    hosts: Vec<String>,
    any_host: bool,
    origins: Vec<String>,
    any_origin: bool,
    told: Mutex<Vec<String>>,
}

/// Why a request may not come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) status: StatusCode,
    pub(super) why: &'static str,
}

impl Refused {
    fn foreign(why: &'static str) -> Self {
        let status = StatusCode::FORBIDDEN;
        Self { status, why }
    }

    fn malformed(why: &'static str) -> Self {
        let status = StatusCode::BAD_REQUEST;
        Self { status, why }
    }
}

/// A page of an origin that the operator named, which may read the answer.
pub(super) type Page = Option<Box<HeaderValue>>;

/// Lets the request pass, or answers 403; 400 where `Host` is not one host (RFC 9112, section 3.2).
pub(super) async fn check(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let page = match guard.judge(request.uri(), request.headers()) {
        Ok(page) => page,
        Err(Refused { status, why }) => return plain(status, why),
    };
    let Some(origin) = page else {
        return next.run(request).await;
    };
    let response = match cors::preflight(request.method(), request.headers()) {
        Some(response) => response,
        None => next.run(request).await,
    };
    cors::open(response, *origin)
}

impl Guard {
    pub(super) fn new(settings: &Settings) -> Self {
        let lower = |names: &[String]| names.iter().map(|name| name.to_ascii_lowercase()).collect();
        let hosts: Vec<String> = lower(&settings.allowed_hosts);
        // What is compared has no port.
        let portless = |host: String| match host.parse::<IpAddr>() {
            Ok(_) => host,
            Err(_) => host_of(&host).unwrap_or(&host).to_owned(),
        };
        let hosts: Vec<String> = hosts.into_iter().map(portless).collect();
        let origins: Vec<String> = lower(&settings.allowed_origins);
        Self {
            listen: settings.listen,
            any_host: hosts.iter().any(|host| host == "*"),
            any_origin: origins.iter().any(|origin| origin == "*"),
            hosts,
            origins,
            told: Mutex::default(),
        }
    }

    /// Whether a request may come in, and then whether a page of another origin may read the answer.
    pub(super) fn judge(&self, uri: &Uri, headers: &HeaderMap) -> Result<Page, Refused> {
        let not_one = |()| Refused::malformed("expected one Host header, `host` or `host:port`");
        let header = single(headers, &HOST).map_err(not_one)?;
        // RFC 9112, section 3.2.2: an absolute target counts, and Host does not.
        let target = uri.authority().map(http::uri::Authority::as_str);
        let authority = target.or(header);
        let Some(authority) = authority.map(str::to_ascii_lowercase) else {
            return Err(Refused::malformed("expected a Host header, found none"));
        };
        let host = host_of(&authority).ok_or(()).map_err(not_one)?;
        let named = self.knows(host);
        if !named && !self.any_host {
            self.tell(
                "Host",
                &authority,
                "--allowed-host, MCPINVOKE_ALLOWED_HOSTS or allowed_hosts",
            );
            return Err(Refused::foreign(
                "this Host is not served: name it with --allowed-host NAME, MCPINVOKE_ALLOWED_HOSTS or allowed_hosts",
            ));
        }
        let not_one = |()| Refused::foreign("expected one Origin header");
        let sent = single(headers, &ORIGIN).map_err(not_one)?;
        let Some(origin) = sent.map(str::to_ascii_lowercase) else {
            return Ok(None);
        };
        let own = ["http://", "https://"]
            .iter()
            .any(|scheme| origin.strip_prefix(scheme) == Some(authority.as_str()));
        if self.any_origin || self.origins.contains(&origin) {
            return Ok(headers.get(ORIGIN).cloned().map(Box::new));
        }
        // A host that is only let in by `*` may be anybody's name for this address.
        if own && named {
            return Ok(None);
        }
        self.tell(
            "Origin",
            &origin,
            "--allowed-origin, MCPINVOKE_ALLOWED_ORIGINS or allowed_origins",
        );
        Err(Refused::foreign(
            "this Origin may not call: name it with --allowed-origin ORIGIN, MCPINVOKE_ALLOWED_ORIGINS or allowed_origins",
        ))
    }

    /// Tells the operator of a refused value, once.
    fn tell(&self, header: &'static str, value: &str, setting: &str) {
        let value: String = value.chars().take(LONGEST).collect();
        // Nothing panics while it holds the lock.
        let mut told = self.told.lock();
        if told.len() < TOLD && !told.contains(&value) {
            tracing::warn!(
                "refused a request with {header} {value:?}; to let it in, name it with {setting}"
            );
            told.push(value);
        }
    }

    /// Whether a host name is known to be the server's, `*` aside.
    fn knows(&self, host: &str) -> bool {
        let address: Option<IpAddr> = host.parse().ok();
        let natural = match (address, self.listen.ip().is_loopback()) {
            (Some(address), true) => address.is_loopback() || address == self.listen.ip(),
            // No name leads here, so none can be turned against its owner.
            (Some(_), false) => true,
            (None, _) => host == "localhost",
        };
        natural || self.hosts.iter().any(|known| known == host)
    }
}

/// The host of `host`, `host:port`, `[v6]` or `[v6]:port`, and of nothing else.
fn host_of(authority: &str) -> Option<&str> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let is_whole = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
    let is_name = !host.is_empty() && host.bytes().all(|b| b.is_ascii_graphic() && b != b'@');
    (is_whole && is_name).then(|| host.strip_suffix('.').unwrap_or(host))
}

fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| ()),
        (Some(_), Some(_)) => Err(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(settings: &Settings, pairs: &[(&'static str, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        let uri = Uri::from_static("/mcp");
        Guard::new(settings).judge(&uri, &headers).is_ok()
    }

    #[test]
    fn on_a_loopback_address() {
        let settings = Settings {
            allowed_hosts: vec!["Bridge.internal:8080".to_owned()],
            allowed_origins: vec!["https://tools.example".to_owned()],
            ..Settings::default()
        };
        let cases: [(&[(&str, &str)], bool); 16] = [
            (&[("host", "localhost:8080")], true),
            (&[("host", "LOCALHOST")], true),
            (&[("host", "127.0.0.1:9")], true),
            (&[("host", "[::1]:8080")], true),
            (&[("host", "bridge.internal:80")], true),
            (&[("host", "evil.example:8080")], false),
            (&[("host", "localhost.evil.example")], false),
            (&[("host", "192.0.2.1")], false),
            (&[], false),
            (&[("host", "localhost"), ("host", "localhost")], false),
            (
                &[
                    ("host", "localhost:8080"),
                    ("origin", "http://localhost:8080"),
                ],
                true,
            ),
            (
                &[
                    ("host", "localhost:8080"),
                    ("origin", "http://localhost:9090"),
                ],
                false,
            ),
            (
                &[
                    ("host", "localhost:8080"),
                    ("origin", "https://tools.example"),
                ],
                true,
            ),
            (
                &[
                    ("host", "localhost:8080"),
                    ("origin", "https://evil.example"),
                ],
                false,
            ),
            (&[("host", "localhost:8080"), ("origin", "null")], false),
            (
                &[("host", "evil.example"), ("origin", "http://evil.example")],
                false,
            ),
        ];
        for (headers, expected) in cases {
            assert_eq!(passes(&settings, headers), expected, "{headers:?}");
        }
    }

    #[test]
    fn on_any_other_address() {
        let mut settings = Settings {
            listen: "0.0.0.0:8080".parse().unwrap(),
            ..Settings::default()
        };
        assert!(passes(&settings, &[("host", "10.1.2.3:8080")]));
        assert!(passes(&settings, &[("host", "localhost:8080")]));
        assert!(!passes(&settings, &[("host", "bridge.internal")]));
        settings.allowed_hosts = vec!["*".to_owned()];
        assert!(passes(&settings, &[("host", "bridge.internal")]));
        let rebound = [("host", "evil.example"), ("origin", "http://evil.example")];
        assert!(!passes(&settings, &rebound));
        settings.allowed_origins = vec!["*".to_owned()];
        assert!(passes(&settings, &rebound));
    }

    #[test]
    fn a_host_that_is_none_is_malformed() {
        let guard = Guard::new(&Settings::default());
        let status = |hosts: &[&[u8]]| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append("host", HeaderValue::from_bytes(host).unwrap());
            }
            let refused = guard.judge(&Uri::from_static("/mcp"), &headers);
            refused.err().map(|refused| refused.status.as_u16())
        };
        let cases: [(&[u8], Option<u16>); 12] = [
            (b"localhost", None),
            (b"localhost:", None),
            (b"localhost.:80", None),
            (b"[::1]:80", None),
            (b"evil.example", Some(403)),
            (b"", Some(400)),
            (b":80", Some(400)),
            (b"a b", Some(400)),
            (b"caf\xe9", Some(400)),
            (b"[::1", Some(400)),
            (b"[::1]x", Some(400)),
            (b"localhost:abc", Some(400)),
        ];
        for (host, expected) in cases {
            assert_eq!(status(&[host]), expected, "{}", host.escape_ascii());
        }
        assert_eq!(status(&[]), Some(400));
        assert_eq!(status(&[b"localhost", b"localhost"]), Some(400));
    }

    #[test]
    fn a_target_with_a_host_counts_instead_of_the_header() {
        let mut headers = HeaderMap::new();
        headers.insert("host", HeaderValue::from_static("localhost"));
        let guard = Guard::new(&Settings::default());
        for (target, passes) in [
            ("http://evil.example/mcp", false),
            ("http://localhost:8080/mcp", true),
            ("/mcp", true),
        ] {
            let uri = Uri::from_static(target);
            assert_eq!(guard.judge(&uri, &headers).is_ok(), passes, "{target}");
        }
    }

    #[test]
    fn what_is_refused_is_told_once_and_not_without_end() {
        let guard = Guard::new(&Settings::default());
        for number in 0..2 * TOLD {
            for _ in 0..2 {
                let mut headers = HeaderMap::new();
                headers.insert("host", format!("h{number}").parse().unwrap());
                assert!(guard.judge(&Uri::from_static("/mcp"), &headers).is_err());
            }
            assert_eq!(guard.told.lock().len(), TOLD.min(number + 1));
        }
    }
}
