//! Who may use the endpoint, where the operator asks who it is: bearer tokens (RFC 6750) that are static keys
//! or an issuer's. And how many requests the endpoint takes in a time.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use http::header::{AUTHORIZATION, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, StatusCode};

use super::Settings;
use super::challenge::{Challenge, Denied};
use super::respond::plain;
use crate::secret::Fingerprint;
use crate::tool::Caller;
use crate::transport::access::{Key, NoSource, Refused, Tokens};

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
    keys: Vec<(Caller, Key)>,
    tokens: Option<Tokens>,
    challenge: Arc<Challenge>,
    limiter: Option<DefaultDirectRateLimiter>,
    clock: DefaultClock,
}

impl Access {
    pub(super) fn new(settings: &Settings, challenge: Arc<Challenge>) -> Self {
        let quota = |requests: Requests| {
            // A time of zero would be no limit at all.
            let each = (requests.per / requests.count.get()).max(Duration::from_nanos(1));
            Quota::with_period(each)
                .unwrap_or_else(|| Quota::per_second(requests.count))
                .allow_burst(requests.count)
        };
        let keys = settings.keys.iter();
        Self {
            keys: keys.map(|key| (key.caller("http"), key.clone())).collect(),
            tokens: settings.tokens.clone().map(|tokens| {
                let source = settings.key_source.clone();
                Tokens::new(tokens, &source.unwrap_or_else(|| Arc::new(NoSource)))
            }),
            challenge,
            limiter: settings.requests.map(|one| RateLimiter::direct(quota(one))),
            clock: DefaultClock::default(),
        }
    }

    /// Fetches what is needed to judge tokens.
    pub(super) async fn prepare(&self) {
        if let Some(tokens) = &self.tokens {
            tokens.prepare().await;
        }
    }

    /// Who sends a request with these headers, where that is asked for; the answer, 400, 401, 429 or 503, where the
    /// request may not pass.
    pub(super) async fn admit(&self, headers: &HeaderMap) -> Result<Option<Caller>, Box<Response>> {
        let caller = if self.keys.is_empty() && self.tokens.is_none() {
            None
        } else {
            let caller = self.caller(headers).await;
            Some(caller.map_err(|denied| Box::new(self.challenge.refuse(denied)))?)
        };
        match self.wait() {
            None => Ok(caller),
            Some(wait) => Err(Box::new(too_many(wait))),
        }
    }

    async fn caller(&self, headers: &HeaderMap) -> Result<Caller, Denied> {
        let token = bearer(headers)?;
        let shown = Fingerprint::of(token);
        // Looks at all keys, and at all of each.
        let mut found = None;
        for (caller, key) in &self.keys {
            if key.key == shown {
                found = Some(caller);
            }
        }
        if let Some(caller) = found {
            return Ok(caller.clone());
        }
        let Some(tokens) = &self.tokens else {
            tracing::info!("a caller with an unknown key is refused");
            return Err(Denied::Invalid);
        };
        match tokens.caller(token, &shown, "http").await {
            Ok(caller) => Ok(caller),
            Err(Refused::Invalid(reason)) => {
                tracing::info!(reason, "a caller with an invalid token is refused");
                Err(Denied::Invalid)
            }
            Err(Refused::Unavailable) => Err(Denied::Unavailable),
        }
    }

    /// How long until a request may come, where none may now.
    fn wait(&self) -> Option<Duration> {
        let until = self.limiter.as_ref()?.check().err()?;
        Some(until.wait_time_from(self.clock.now()))
    }
}

/// The one bearer token of a request. In the address, where it would be logged, it is not looked for.
fn bearer(headers: &HeaderMap) -> Result<&str, Denied> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = match (values.next(), values.next()) {
        (None, _) => return Err(Denied::Absent),
        (Some(_), Some(_)) => return Err(Denied::Malformed),
        (Some(value), None) => value,
    };
    let text = value.to_str().map_err(|_| Denied::Absent)?;
    let (scheme, token) = text.split_once(' ').ok_or(Denied::Absent)?;
    if scheme.eq_ignore_ascii_case("bearer") {
        Ok(token.trim())
    } else {
        Err(Denied::Absent)
    }
}

/// Lets the request pass with its caller, or answers it.
pub(super) async fn check(
    State(access): State<Arc<Access>>,
    mut request: Request,
    next: Next,
) -> Response {
    match access.admit(request.headers()).await {
        Ok(caller) => {
            if let Some(caller) = caller {
                request.extensions_mut().insert(caller);
            }
            next.run(request).await
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::access::TokenSettings;

    async fn who(values: &[&str]) -> Result<String, Denied> {
        let key = |name: &str, text: &str| Key {
            name: name.into(),
            key: Fingerprint::of(text),
            tools: None,
        };
        let settings = Settings {
            keys: vec![key("ann", "key-of-ann"), key("bob", "key-of-bob")],
            ..Settings::default()
        };
        let access = Access::new(&settings, Arc::new(Challenge::new(None)));
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().unwrap());
        }
        let caller = access.caller(&headers).await;
        caller.map(|caller| caller.principal.to_string())
    }

    #[tokio::test]
    async fn tokens_that_cannot_be_judged_leave_the_endpoint_closed() {
        let settings = Settings {
            tokens: Some(TokenSettings {
                resource: "https://tools.test/mcp".parse().unwrap(),
                issuers: Vec::new(),
                leeway: Duration::ZERO,
                tools: None,
                scoped: false,
                scope_claims: Vec::new(),
                implied: Vec::new(),
                initial_scopes: Vec::new(),
            }),
            ..Settings::default()
        };
        let access = Access::new(&settings, Arc::new(Challenge::new(None)));
        let refusal = access.admit(&HeaderMap::new()).await.unwrap_err();
        assert_eq!(refusal.status(), StatusCode::UNAUTHORIZED);
    }

    #[tokio::test]
    async fn a_key_names_its_caller() {
        assert_eq!(who(&["Bearer key-of-bob"]).await, Ok("bob".to_owned()));
        assert_eq!(who(&["bearer  key-of-ann"]).await, Ok("ann".to_owned()));
        for unknown in ["Bearer key-of-cid", "Bearer ", "Bearer key-of-bob x"] {
            assert_eq!(who(&[unknown]).await, Err(Denied::Invalid), "{unknown}");
        }
        for absent in [&[][..], &["Basic a2V5"], &["key-of-ann"]] {
            assert_eq!(who(absent).await, Err(Denied::Absent), "{absent:?}");
        }
        let twice = who(&["Bearer key-of-ann", "Bearer key-of-ann"]).await;
        assert_eq!(twice, Err(Denied::Malformed));
    }
}
