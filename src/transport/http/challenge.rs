//! What a client without a valid token is told: where it gets one (RFC 9728), and in which words (RFC 6750,
//! section 3). All invalid tokens get the same answer.

use axum::response::Response;
use bytes::Bytes;
use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::json;
use url::Url;

use super::respond::plain;
use crate::transport::access::TokenSettings;

/// Where a protected resource describes itself.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// Why nobody was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Denied {
    /// No token was shown.
    Absent,
    /// It is not valid here.
    Invalid,
    /// More than one was shown.
    Malformed,
    /// It cannot be judged now.
    Unavailable,
}

/// The words, and the document they point to.
#[derive(Debug)]
pub(super) struct Challenge {
    /// `, resource_metadata="..."`, and what to ask for at first.
    place: String,
    initial: String,
    /// The metadata document, and the paths it is served at.
    document: Option<(Bytes, Vec<String>)>,
}

impl Challenge {
    pub(super) fn new(tokens: Option<&TokenSettings>) -> Self {
        let Some(tokens) = tokens else {
            return Self {
                place: String::new(),
                initial: String::new(),
                document: None,
            };
        };
        let place = metadata_url(&tokens.resource);
        let paths = vec![WELL_KNOWN.to_owned(), place.path().to_owned()];
        let scopes = tokens.initial_scopes.iter().map(String::as_str);
        Self {
            place: format!(", resource_metadata=\"{place}\""),
            initial: scope_parameter(scopes),
            document: Some((document(tokens), paths)),
        }
    }

    /// The metadata document and its paths; `path` is the endpoint's.
    pub(super) fn metadata(&self, path: &str) -> Option<(Bytes, Vec<String>)> {
        let (document, mut paths) = self.document.clone()?;
        paths.push(format!("{WELL_KNOWN}{path}"));
        paths.sort();
        paths.dedup();
        Some((document, paths))
    }

    /// RFC 6750, section 3.1: no error code where no token was shown.
    pub(super) fn refuse(&self, denied: Denied) -> Response {
        let (status, error, text) = match denied {
            Denied::Absent => (
                StatusCode::UNAUTHORIZED,
                "",
                "a bearer token is needed: send it as Authorization: Bearer TOKEN",
            ),
            Denied::Invalid => (
                StatusCode::UNAUTHORIZED,
                ", error=\"invalid_token\"",
                "this token is not valid here: get another one",
            ),
            Denied::Malformed => (
                StatusCode::BAD_REQUEST,
                ", error=\"invalid_request\"",
                "expected one Authorization header",
            ),
            Denied::Unavailable => {
                let text = "tokens cannot be checked now: try again";
                let mut response = plain(StatusCode::SERVICE_UNAVAILABLE, text);
                let soon = HeaderValue::from_static("5");
                response.headers_mut().insert(RETRY_AFTER, soon);
                return response;
            }
        };
        let mut response = plain(status, text);
        let Self { place, initial, .. } = self;
        let words = format!("Bearer realm=\"mcpinvoke\"{error}{place}{initial}");
        insert(response.headers_mut(), &words);
        response
    }

    /// The token lacks these scopes, with spaces between.
    pub(super) fn insufficient(&self, scopes: &str, headers: &mut HeaderMap) {
        let (scopes, place) = (scope_parameter(scopes.split(' ')), &self.place);
        let words = format!("Bearer error=\"insufficient_scope\"{scopes}{place}");
        insert(headers, &words);
    }
}

fn insert(headers: &mut HeaderMap, words: &str) {
    if let Ok(value) = HeaderValue::from_str(words) {
        headers.insert(WWW_AUTHENTICATE, value);
    }
}

/// `, scope="..."`; without what is no scope (RFC 6749, section 3.3) and could end the quotes.
fn scope_parameter<'a>(scopes: impl Iterator<Item = &'a str>) -> String {
    let fits = |c: char| c.is_ascii_graphic() && c != '"' && c != '\\';
    let scopes = scopes.filter(|scope| !scope.is_empty() && scope.chars().all(fits));
    let scopes: Vec<&str> = scopes.collect();
    match scopes.as_slice() {
        [] => String::new(),
        scopes => format!(", scope=\"{}\"", scopes.join(" ")),
    }
}

/// RFC 9728, section 3.1: between the host and the path.
fn metadata_url(resource: &Url) -> Url {
    let mut place = resource.clone();
    place.set_path(&format!(
        "{WELL_KNOWN}{}",
        resource.path().trim_end_matches('/')
    ));
    place.set_query(None);
    place
}

/// RFC 9728, section 2.
fn document(tokens: &TokenSettings) -> Bytes {
    let issuers: Vec<&str> = tokens
        .issuers
        .iter()
        .map(|one| one.issuer.as_str())
        .collect();
    let resource = tokens.resource.as_str();
    // MCP, canonical server URI: without the slash of an empty path.
    let bare = resource.strip_suffix('/').unwrap_or(resource);
    let mut document = json!({
        "resource": bare,
        "authorization_servers": issuers,
        "bearer_methods_supported": ["header"],
    });
    if !tokens.initial_scopes.is_empty() {
        document["scopes_supported"] = json!(tokens.initial_scopes);
    }
    document.to_string().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_stands_between_host_and_path() {
        for (resource, expected) in [
            (
                "https://a.test/mcp",
                "https://a.test/.well-known/oauth-protected-resource/mcp",
            ),
            (
                "https://a.test",
                "https://a.test/.well-known/oauth-protected-resource",
            ),
            (
                "https://a.test:8443/x/mcp/",
                "https://a.test:8443/.well-known/oauth-protected-resource/x/mcp",
            ),
        ] {
            assert_eq!(metadata_url(&resource.parse().unwrap()).as_str(), expected);
        }
    }

    #[test]
    fn a_scope_cannot_leave_its_quotes() {
        let write = |text: &str| scope_parameter(text.split(' '));
        assert_eq!(write("read shop:write"), ", scope=\"read shop:write\"");
        assert_eq!(write("a\" b\\ c\r\nX: y ä z"), ", scope=\"y z\"");
        assert_eq!(write(""), "");
    }
}
