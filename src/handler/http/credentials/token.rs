//! One request for a token: client credentials (RFC 6749, section 4.4), or the exchange of a caller's own
//! token (RFC 8693).

use std::time::{Duration, Instant};

use ::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use bytes::BytesMut;
use serde::Deserialize;
use url::{Url, form_urlencoded};

use super::{Client, Issuer, hidden, pair};
use crate::secret::{Secret, remember_token};

/// Where the server does not say how long a token lasts.
const UNTOLD: Duration = Duration::from_secs(300);
/// A token is replaced this long before its end, or in the last tenth of a shorter life.
const MARGIN: Duration = Duration::from_secs(30);
const LONGEST_ANSWER: usize = 64 * 1024;

/// A token and how long it is good for.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) value: Secret,
    pub(super) renew: Instant,
    pub(super) end: Instant,
}

/// One request for a token; the message says what the server did, without a secret.
pub(super) async fn ask(
    from: &Issuer<'_>,
    settings: &Client,
    scopes: &[String],
    token_url: &Url,
) -> Result<Token, String> {
    let request = request(from, settings, scopes, token_url)?;
    let asked = Instant::now();
    let gone = |_| "could not be reached or broke off".to_owned();
    let mut response = from.client.send(request).await.map_err(gone)?;
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
    if granted.binds() {
        return Err("gave a token that is not a bearer token".to_owned());
    }
    let value = Secret::new(granted.access_token);
    remember_token(&value);
    let life = granted.expires_in.map_or(UNTOLD, Seconds::duration);
    Ok(Token::lasting(value, asked, life))
}

impl Token {
    fn lasting(value: Secret, asked: Instant, life: Duration) -> Self {
        let end = asked + life;
        let renew = end - MARGIN.min(life / 10);
        Self { value, renew, end }
    }
}

fn request(
    from: &Issuer<'_>,
    settings: &Client,
    scopes: &[String],
    token_url: &Url,
) -> Result<reqwest::Request, String> {
    let (id, secret) = (settings.id.read(), settings.secret.read());
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair("grant_type", settings.grant());
    if let (Some(exchange), Some(subject)) = (&settings.exchange, from.subject) {
        remember_token(&Secret::new(subject.expose().to_owned()));
        form.append_pair("subject_token", subject.expose());
        form.append_pair("subject_token_type", &exchange.subject_token_type);
        if let Some(resource) = &exchange.resource {
            form.append_pair("resource", resource);
        }
    }
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

impl Client {
    fn grant(&self) -> &'static str {
        match self.exchange {
            Some(_) => "urn:ietf:params:oauth:grant-type:token-exchange",
            None => "client_credentials",
        }
    }
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
    token_type: Option<String>,
    #[serde(default)]
    expires_in: Option<Seconds>,
}

impl Granted {
    /// Whether showing the token is not enough, or it is no access token (RFC 8693, section 2.2.1). Other words
    /// are what careless servers call a bearer token.
    fn binds(&self) -> bool {
        let kind = self.token_type.as_deref().unwrap_or_default();
        ["N_A", "DPoP", "PoP", "MAC"]
            .iter()
            .any(|other| kind.eq_ignore_ascii_case(other))
    }
}

/// A number, which some servers write as text.
#[derive(Deserialize)]
#[serde(transparent)]
struct Seconds(serde_json::Value);

impl Seconds {
    fn duration(self) -> Duration {
        let untold = UNTOLD.as_secs_f64();
        let seconds = match &self.0 {
            serde_json::Value::Number(number) => number.as_str().parse().unwrap_or(untold),
            serde_json::Value::String(text) => text.trim().parse().unwrap_or(untold),
            _ => untold,
        };
        // A year is beyond what anybody keeps, and within what a clock can add.
        Duration::from_secs_f64(if seconds.is_finite() {
            seconds.clamp(0.0, 31e6)
        } else {
            0.0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_replaced_before_it_ends() {
        let asked = Instant::now();
        for (life, left) in [(3600, 30_000), (300, 30_000), (60, 6_000), (1, 100), (0, 0)] {
            let value = Secret::new("t".to_owned());
            let token = Token::lasting(value, asked, Duration::from_secs(life));
            assert_eq!(token.end - asked, Duration::from_secs(life));
            assert_eq!(token.end - token.renew, Duration::from_millis(left));
        }
    }

    #[test]
    fn lifetimes_are_read_whatever_they_are_written_as() {
        for (text, seconds) in [
            ("3600", 3600),
            ("\"60\"", 60),
            ("59.9", 59),
            ("-1", 0),
            ("1e-3", 0),
            ("\"nan\"", 0),
            ("1e300", 31_000_000),
            ("\"soon\"", 300),
        ] {
            let life: Seconds = serde_json::from_str(text).unwrap();
            assert_eq!(life.duration().as_secs(), seconds, "{text}");
        }
    }
}
