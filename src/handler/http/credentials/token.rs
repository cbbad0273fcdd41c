//! Tokens for client credentials (RFC 6749, section 4.4): one request for a token at a time, kept until
//! shortly before they end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use bytes::BytesMut;
use serde::Deserialize;
use url::{Url, form_urlencoded};

use super::{Client, CredentialError, hidden, pair};
use crate::secret::{Secret, remember};
use crate::tool::SecurityNeed;

/// Where the server does not say how long a token lasts.
const UNTOLD: Duration = Duration::from_secs(300);
/// A token is replaced this long before its end, or in the last tenth of a shorter life.
const MARGIN: Duration = Duration::from_secs(30);
/// Calls that wait behind a failed request fail with it instead of asking again one by one.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_ANSWER: usize = 64 * 1024;

/// The tokens in use, one for each scheme and set of scopes.
#[derive(Debug, Default)]
pub(super) struct Tokens(Mutex<HashMap<Key, Arc<Slot>>>);

#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    document: usize,
    scheme: String,
    scopes: Vec<String>,
}

/// Its lock is held while a token is asked for, so there is one request at a time.
type Slot = tokio::sync::Mutex<State>;

#[derive(Debug, Default)]
struct State {
    token: Option<Token>,
    failed: Option<(Instant, String)>,
}

#[derive(Debug, Clone)]
struct Token {
    value: Secret,
    renew: Instant,
    end: Instant,
}

/// A token a request was sent with.
#[derive(Debug)]
pub(in super::super) struct Used {
    value: Secret,
    slot: Arc<Slot>,
}

impl Used {
    pub(super) fn value(&self) -> &str {
        self.value.expose()
    }

    /// The upstream does not take it: the next request gets a new one, unless it has come already.
    pub(in super::super) async fn forget(self) {
        let mut state = self.slot.lock().await;
        let same = |token: &Token| token.value.expose() == self.value.expose();
        if state.token.as_ref().is_some_and(same) {
            state.token = None;
        }
    }
}

impl Tokens {
    /// The token for this need, asked for where there is none that lasts.
    pub(super) async fn current(
        &self,
        client: &reqwest::Client,
        need: &SecurityNeed,
        settings: &Client,
        token_url: &Url,
    ) -> Result<Used, CredentialError> {
        let scopes = settings.scopes.as_ref().unwrap_or(&need.scopes);
        let slot = self.slot(need, scopes);
        let mut state = slot.lock().await;
        let now = Instant::now();
        let lasting = |until: fn(&Token) -> Instant| {
            let token = state.token.as_ref().filter(|token| now < until(token));
            token.map(|token| token.value.clone())
        };
        let fail = |message: String| CredentialError::Token {
            name: need.scheme.name.clone(),
            message,
        };
        let value = match (lasting(|token| token.renew), lasting(|token| token.end)) {
            (Some(value), _) => value,
            (None, last) => {
                let recent = state.failed.as_ref();
                let recent = recent.filter(|(when, _)| when.elapsed() < PAUSE);
                let asked = match recent {
                    Some((_, message)) => Err(message.clone()),
                    None => ask(client, settings, scopes, token_url).await,
                };
                match asked {
                    Ok(token) => {
                        let value = token.value.clone();
                        state.token = Some(token);
                        state.failed = None;
                        value
                    }
                    Err(message) => {
                        if recent.is_none() {
                            tracing::warn!(scheme = need.scheme.name, "the token server {message}");
                            state.failed = Some((Instant::now(), message.clone()));
                        }
                        last.ok_or_else(|| fail(message))?
                    }
                }
            }
        };
        drop(state);
        Ok(Used { value, slot })
    }

    fn slot(&self, need: &SecurityNeed, scopes: &[String]) -> Arc<Slot> {
        let key = Key {
            document: need.scheme.document,
            scheme: need.scheme.name.clone(),
            scopes: scopes.to_vec(),
        };
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(slots.entry(key).or_default())
    }
}

/// One request for a token; the message says what the server did, without a secret.
async fn ask(
    client: &reqwest::Client,
    settings: &Client,
    scopes: &[String],
    token_url: &Url,
) -> Result<Token, String> {
    let request = request(settings, scopes, token_url)?;
    let asked = Instant::now();
    let gone = |_| "could not be reached or broke off".to_owned();
    let mut response = client.execute(request).await.map_err(gone)?;
    let status = response.status();
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(gone)? {
        if body.len() + chunk.len() > LONGEST_ANSWER {
            return Err("gave too long an answer".to_owned());
        }
        body.extend_from_slice(&chunk);
    }
    if !status.is_success() {
        // Of the answer only the code of RFC 6749, section 5.2: the rest may repeat the request.
        let code = serde_json::from_slice::<Refused>(&body).ok();
        let code = code.map(|refused| refused.error).filter(|code| {
            code.len() <= 64 && code.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        });
        let code = code.unwrap_or_else(|| "no error code".to_owned());
        return Err(format!("answered {} ({code})", status.as_u16()));
    }
    let granted: Granted = serde_json::from_slice(&body)
        .map_err(|_| "gave an answer without a usable access_token".to_owned())?;
    if granted.access_token.is_empty() {
        return Err("gave an empty access_token".to_owned());
    }
    let value = Secret::new(granted.access_token);
    remember(&value);
    let life = granted.expires_in.map_or(UNTOLD, Seconds::duration);
    let end = asked + life;
    let renew = end - MARGIN.min(life / 10);
    Ok(Token { value, renew, end })
}

fn request(
    settings: &Client,
    scopes: &[String],
    token_url: &Url,
) -> Result<reqwest::Request, String> {
    let read = |value: &super::Value| value.read().map_err(|error| error.to_string());
    let (id, secret) = (read(&settings.id)?, read(&settings.secret)?);
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair("grant_type", "client_credentials");
    if !scopes.is_empty() {
        form.append_pair("scope", &scopes.join(" "));
    }
    if let Some(audience) = &settings.audience {
        form.append_pair("audience", audience);
    }
    if settings.in_body {
        form.append_pair("client_id", id.expose());
        form.append_pair("client_secret", secret.expose());
    }
    let mut request = reqwest::Request::new(::http::Method::POST, token_url.clone());
    let headers = request.headers_mut();
    let plain = ::http::HeaderValue::from_static;
    headers.insert(CONTENT_TYPE, plain("application/x-www-form-urlencoded"));
    headers.insert(ACCEPT, plain("application/json"));
    if !settings.in_body {
        // RFC 6749, section 2.3.1: each is form-encoded before they are joined.
        let encode = |value: &Secret| {
            Secret::new(form_urlencoded::byte_serialize(value.expose().as_bytes()).collect())
        };
        let pair = pair(&encode(&id), &encode(&secret));
        let value = hidden(&format!("Basic {}", pair.expose()));
        headers.insert(AUTHORIZATION, value.ok_or("cannot be given the client id")?);
    }
    *request.body_mut() = Some(form.finish().into());
    Ok(request)
}

#[derive(Deserialize)]
struct Refused {
    error: String,
}

/// RFC 6749, section 5.1.
#[derive(Deserialize)]
struct Granted {
    access_token: String,
    #[serde(default)]
    expires_in: Option<Seconds>,
}

/// A number, which some servers write as text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Seconds {
    Number(f64),
    Text(String),
}

impl Seconds {
    fn duration(self) -> Duration {
        let seconds = match self {
            Self::Number(number) => number,
            Self::Text(text) => text.trim().parse().unwrap_or(UNTOLD.as_secs_f64()),
        };
        // A year is beyond what anybody keeps, and within what a clock can add.
        Duration::from_secs_f64(if seconds.is_finite() {
            seconds.clamp(0.0, 31e6)
        } else {
            0.0
        })
    }
}
