//! The request a redirect asks for, where it may be followed (RFC 9110, section 15.4).

use ::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, LOCATION};
use ::http::{Method, StatusCode};
use url::Url;

use crate::binding::HttpPlan;
use crate::handler::HttpReply;

/// Redirects of one call.
pub(super) const MOST: usize = 5;

/// What to send next; `None` where the reply is the answer. Only to the same scheme, host and port, and only
/// what changes nothing: a call that somebody agreed to is never made at another place.
pub(super) fn next(plan: HttpPlan, reply: &HttpReply) -> Option<HttpPlan> {
    let method = match (reply.status, &plan.method) {
        (StatusCode::SEE_OTHER, &Method::HEAD) => Method::HEAD,
        (StatusCode::SEE_OTHER, _) => Method::GET,
        (
            StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT,
            method,
        ) if method.is_safe() => method.clone(),
        _ => return None,
    };
    let mut places = reply.headers.get_all(LOCATION).iter();
    let (Some(place), None) = (places.next(), places.next()) else {
        return None;
    };
    let mut url = nameless(plan.url.clone());
    url = url.join(place.to_str().ok()?).ok()?;
    let named = !url.username().is_empty() || url.password().is_some();
    if named || url.origin() != plan.url.origin() {
        return None;
    }
    // The operator's, for this host. URLs with a host take both.
    let _ = url.set_username(plan.url.username());
    let _ = url.set_password(plan.url.password());
    url.set_fragment(None);
    let mut headers = plan.headers;
    let body = plan.body.filter(|_| method == plan.method);
    if body.is_none() {
        for name in [CONTENT_TYPE, CONTENT_LENGTH, CONTENT_ENCODING] {
            headers.remove(name);
        }
    }
    Some(HttpPlan {
        method,
        url,
        headers,
        body,
    })
}

/// Without a user and a password, which are no part of where something is.
fn nameless(mut url: Url) -> Url {
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

#[cfg(test)]
mod tests {
    use ::http::HeaderMap;
    use bytes::Bytes;

    use super::*;

    #[test]
    fn the_operators_user_and_password_go_along_within_the_host() {
        for (place, expected) in [
            ("/b", Some("http://u:p%20w@api.test/b")),
            ("http://api.test/b", Some("http://u:p%20w@api.test/b")),
            ("http://u:p%20w@api.test/b", None),
            ("http://evil.test/b", None),
        ] {
            let plan = HttpPlan {
                method: Method::GET,
                url: Url::parse("http://u:p%20w@api.test/a").unwrap(),
                headers: HeaderMap::new(),
                body: None,
            };
            let mut headers = HeaderMap::new();
            headers.insert(LOCATION, place.parse().unwrap());
            let reply = HttpReply {
                status: StatusCode::FOUND,
                headers,
                body: Bytes::new(),
                cut: None,
            };
            let found = next(plan, &reply).map(|plan| plan.url.to_string());
            assert_eq!(found.as_deref(), expected, "{place}");
        }
    }

    #[test]
    fn only_what_stays_at_the_host_and_changes_nothing_is_followed() {
        for (method, status, place, expected) in [
            ("GET", 302, "/b?x=1#f", Some("GET http://api.test/b?x=1")),
            (
                "GET",
                301,
                "http://api.test:80/b",
                Some("GET http://api.test/b"),
            ),
            ("GET", 308, "b", Some("GET http://api.test/b")),
            ("HEAD", 303, "/b", Some("HEAD http://api.test/b")),
            ("POST", 303, "/b", Some("GET http://api.test/b")),
            ("POST", 302, "/b", None),
            ("POST", 307, "/b", None),
            ("DELETE", 308, "/b", None),
            ("GET", 304, "/b", None),
            ("GET", 300, "/b", None),
            ("GET", 302, "https://api.test/b", None),
            ("GET", 302, "http://api.test:81/b", None),
            ("GET", 302, "//evil.test/b", None),
            ("GET", 302, "http://api.test@evil.test/", None),
            ("GET", 302, "http://u:p@api.test/", None),
            ("GET", 302, "file:///etc/passwd", None),
            ("GET", 302, "\\\\evil.test\\b", None),
        ] {
            let plan = HttpPlan {
                method: method.parse().unwrap(),
                url: Url::parse("http://api.test/a").unwrap(),
                headers: HeaderMap::new(),
                body: Some(Bytes::from_static(b"x")),
            };
            let mut headers = HeaderMap::new();
            headers.insert(LOCATION, place.parse().unwrap());
            let reply = HttpReply {
                status: StatusCode::from_u16(status).unwrap(),
                headers,
                body: Bytes::new(),
                cut: None,
            };
            let found = next(plan, &reply).map(|plan| format!("{} {}", plan.method, plan.url));
            assert_eq!(found.as_deref(), expected, "{method} {status} {place}");
        }
    }
}
