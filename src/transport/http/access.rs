//! Who may use the endpoint, where the operator asks who it is: static keys, shown as bearer tokens
//! (RFC 6750). And how many requests the endpoint takes in a time.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use http::header::{AUTHORIZATION, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

use super::Settings;
use super::respond::plain;
use crate::tool::Caller;

/// A key of the endpoint. The key itself is nowhere kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Who it stands for, in records and limits.
    pub name: Arc<str>,
    /// Its SHA-256. A key is to be random: a hash without a salt protects no word a person would choose.
    pub hash: [u8; 32],
}

/// So many requests in so long a time; as many may come at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requests {
    /// How many.
    pub count: NonZeroU32,
    /// In which time.
    pub per: Duration,
}

/// The rules.
#[derive(Debug)]
pub(super) struct Access {
    keys: Vec<(Caller, [u8; 32])>,
    limiter: Option<DefaultDirectRateLimiter>,
    clock: DefaultClock,
}

impl Access {
    pub(super) fn new(settings: &Settings) -> Self {
        let caller = |key: &Key| Caller {
            principal: Arc::clone(&key.name),
            ..Caller::anonymous("http")
        };
        let quota = |requests: Requests| {
            // A time of zero would be no limit at all.
            let each = (requests.per / requests.count.get()).max(Duration::from_nanos(1));
            Quota::with_period(each)
                .unwrap_or_else(|| Quota::per_second(requests.count))
                .allow_burst(requests.count)
        };
        Self {
            keys: settings
                .keys
                .iter()
                .map(|key| (caller(key), key.hash))
                .collect(),
            limiter: settings.requests.map(|one| RateLimiter::direct(quota(one))),
            clock: DefaultClock::default(),
        }
    }

    /// Puts the caller into the request; the answer, 401 or 429, where the request may not pass.
    pub(super) fn admit<B>(&self, request: &mut http::Request<B>) -> Result<(), Box<Response>> {
        if !self.keys.is_empty() {
            match self.caller(request.headers()) {
                Ok(caller) => {
                    request.extensions_mut().insert(caller.clone());
                }
                Err(denied) => return Err(Box::new(unauthorized(denied))),
            }
        }
        match self.wait() {
            None => Ok(()),
            Some(wait) => Err(Box::new(too_many(wait))),
        }
    }

    /// Whose key it is. Looks at all keys, and at all of each.
    fn caller(&self, headers: &HeaderMap) -> Result<&Caller, Denied> {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return Err(Denied::Absent);
        };
        let (scheme, token) = value
            .to_str()
            .ok()
            .and_then(|text| text.split_once(' '))
            .ok_or(Denied::Absent)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(Denied::Absent);
        }
        let hash: [u8; 32] = Sha256::digest(token.trim().as_bytes()).into();
        let mut found = None;
        for (caller, known) in &self.keys {
            let differing = known.iter().zip(&hash).fold(0, |sum, (a, b)| sum | (a ^ b));
            if differing == 0 {
                found = Some(caller);
            }
        }
        found.ok_or(Denied::Unknown)
    }

    /// How long until a request may come, where none may now.
    fn wait(&self) -> Option<Duration> {
        let until = self.limiter.as_ref()?.check().err()?;
        Some(until.wait_time_from(self.clock.now()))
    }
}

/// Why nobody was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Denied {
    Absent,
    Unknown,
}

/// Lets the request pass with its caller, or answers 401 or 429.
pub(super) async fn check(
    State(access): State<Arc<Access>>,
    mut request: Request,
    next: Next,
) -> Response {
    match access.admit(&mut request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => *refusal,
    }
}

fn too_many(wait: Duration) -> Response {
    let mut response = plain(
        StatusCode::TOO_MANY_REQUESTS,
        "too many requests: wait as long as Retry-After says",
    );
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    response
        .headers_mut()
        .insert(RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    response
}

/// RFC 6750, section 3.1: no error code where no token was shown.
fn unauthorized(denied: Denied) -> Response {
    let (challenge, text) = match denied {
        Denied::Absent => (
            "Bearer realm=\"mcpinvoke\"",
            "a key is needed: send it as a bearer token",
        ),
        Denied::Unknown => (
            "Bearer realm=\"mcpinvoke\", error=\"invalid_token\"",
            "this key is not known",
        ),
    };
    let mut response = plain(StatusCode::UNAUTHORIZED, text);
    response
        .headers_mut()
        .insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access() -> Access {
        let key = |name: &str, text: &str| Key {
            name: name.into(),
            hash: Sha256::digest(text.as_bytes()).into(),
        };
        Access::new(&Settings {
            keys: vec![key("ann", "key-of-ann"), key("bob", "key-of-bob")],
            ..Settings::default()
        })
    }

    fn who(values: &[&str]) -> Result<String, Denied> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().unwrap());
        }
        let access = access();
        access
            .caller(&headers)
            .map(|caller| caller.principal.to_string())
    }

    #[test]
    fn a_key_names_its_caller() {
        assert_eq!(who(&["Bearer key-of-bob"]), Ok("bob".to_owned()));
        assert_eq!(who(&["bearer  key-of-ann"]), Ok("ann".to_owned()));
        for unknown in ["Bearer key-of-cid", "Bearer ", "Bearer key-of-bob x"] {
            assert_eq!(who(&[unknown]), Err(Denied::Unknown), "{unknown}");
        }
        for absent in [
            &[][..],
            &["Basic a2V5"],
            &["key-of-ann"],
            &["Bearer key-of-ann", "Bearer key-of-ann"],
        ] {
            assert_eq!(who(absent), Err(Denied::Absent), "{absent:?}");
        }
    }
}
