//! A host as people write it in a list of those that may be called.

use std::fmt;
use std::str::FromStr;

use url::Url;

/// `api.test`, `api.test:8443`, `*.api.test` (everything below), `192.0.2.1` or `[fd00::1]:443`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRule {
    /// As `Url` writes it; what follows `*.` where `below`.
    host: String,
    below: bool,
    /// Any where absent.
    port: Option<u16>,
}

/// A text that names no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a host: expected for instance `api.example.com`, `*.example.com` or `api.example.com:8443`"
)]
pub struct NotAHost(String);

impl HostRule {
    /// Whether requests to this URL go to the host.
    #[must_use]
    pub fn has(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else {
            return false;
        };
        let host = host.trim_end_matches('.');
        let same = if self.below {
            let start = host.strip_suffix(self.host.as_str());
            start.is_some_and(|start| start.len() > 1 && start.ends_with('.'))
        } else {
            host == self.host
        };
        same && (self.port.is_none() || self.port == url.port_or_known_default())
    }
}

impl FromStr for HostRule {
    type Err = NotAHost;

    fn from_str(text: &str) -> Result<Self, NotAHost> {
        let refused = || NotAHost(text.to_owned());
        let (name, below) = match text.trim().strip_prefix("*.") {
            Some(rest) => (rest, true),
            None => (text.trim(), false),
        };
        if name.is_empty() || name.contains(['/', '@', '?', '#', '*', '\\', ' ']) {
            return Err(refused());
        }
        // Two schemes, because a scheme's own port is left out.
        let url = Url::parse(&format!("http://{name}")).map_err(|_| refused())?;
        let other = Url::parse(&format!("https://{name}")).map_err(|_| refused())?;
        let host = url.host_str().ok_or_else(refused)?;
        Ok(Self {
            host: host.trim_end_matches('.').to_owned(),
            below,
            port: url.port().or(other.port()),
        })
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.below { "*." } else { "" })?;
        f.write_str(&self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_has_its_hosts_and_no_others() {
        for (rule, url, expected) in [
            ("api.test", "https://api.test/x", true),
            ("API.test", "http://api.TEST:81/x", true),
            ("api.test", "https://api.test./x", true),
            ("api.test", "https://api.test.evil.test/", false),
            ("api.test", "https://user@evil.test/api.test", false),
            ("api.test", "https://xapi.test/", false),
            ("api.test:443", "https://api.test/", true),
            ("api.test:443", "http://api.test/", false),
            ("api.test:80", "http://api.test/", true),
            ("api.test:8443", "https://api.test:8443/", true),
            ("*.api.test", "https://a.b.api.test/", true),
            ("*.api.test", "https://api.test/", false),
            ("*.api.test", "https://xapi.test/", false),
            ("127.0.0.1", "http://2130706433:9/", true),
            ("[fd00::1]:80", "http://[fd00:0::1]/", true),
        ] {
            let parsed: HostRule = rule.parse().unwrap();
            let url = Url::parse(url).unwrap();
            assert_eq!(parsed.has(&url), expected, "{rule} {url}");
        }
        for bad in ["", "*", "a/b", "http://a.test", "a@b", "a.test:99999"] {
            assert!(bad.parse::<HostRule>().is_err(), "{bad}");
        }
    }
}
