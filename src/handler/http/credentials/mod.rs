//! Credentials for the upstream: which of the operator's an operation gets, and where they are
//! written. They join the request last, so that no plan holds one.

mod source;
mod token;
mod tokens;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use ::http::header::{AUTHORIZATION, COOKIE};
use ::http::{HeaderName, HeaderValue};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use url::Url;

pub(super) use source::{Stamp, stamp};
pub use source::{Unreadable, Value};
use tokens::Tokens;
pub(super) use tokens::Used;

use super::outbound::Outbound;
use super::tls::Renewed;
use crate::binding::HttpPlan;
pub use crate::outbound::Tls;
use crate::secret::{SHORTEST_MASKED, Secret, remember};
use crate::tool::{HttpTarget, Location, SchemeKind, SecurityNeed, SecurityScheme, SubjectToken};

/// What stays as it is in URLs and cookies (RFC 3986, section 2.3).
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The operator's credentials, by the name of the scheme they are for.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// For every document.
    pub everywhere: HashMap<String, Credential>,
    /// For one document, by its number; these win.
    pub by_document: HashMap<usize, HashMap<String, Credential>>,
}

/// What is shown to an upstream.
#[derive(Debug, Clone)]
pub enum Credential {
    /// A key or a token, as it is.
    Value(Value),
    /// For HTTP basic authentication.
    Login {
        /// The user name; has no colon (RFC 7617).
        username: Value,
        /// The password.
        password: Value,
    },
    /// Exchanged for a token.
    Client(Client),
}

/// OAuth 2 client credentials (RFC 6749, section 4.4).
#[derive(Debug, Clone)]
pub struct Client {
    /// `client_id`.
    pub id: Value,
    /// `client_secret`.
    pub secret: Value,
    /// Where; the document's own place otherwise.
    pub token_url: Option<Url>,
    /// Asked for instead of the scopes the operation names.
    pub scopes: Option<Vec<String>>,
    /// `audience`, which some servers want.
    pub audience: Option<String>,
    /// Whether id and secret go into the form instead of the `Authorization` header.
    pub in_body: bool,
    /// Where present, the caller's own token is exchanged for one of the upstream (RFC 8693), and the
    /// bridge never calls as itself.
    pub exchange: Option<Exchange>,
}

/// What a token exchange says besides (RFC 8693, section 2.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// `subject_token_type`.
    pub subject_token_type: String,
    /// `resource`, the upstream as a URI.
    pub resource: Option<String>,
}

/// Why a request cannot be given its credentials.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum CredentialError {
    #[error("the value of `{0}` cannot be written there")]
    Unwritable(String),
    #[error("`{0}` has no token url: name one in its credentials")]
    NoTokenUrl(String),
    #[error("`{name}`: the token server {message}")]
    Token { name: String, message: String },
    #[error("`{0}` is a token exchange, and the caller showed no token of its own")]
    NoSubject(String),
    #[error("the token server gave no token within {} s, the time of the call", .0.as_secs_f32())]
    Late(Duration),
}

/// What tokens are asked for with.
pub(super) struct Issuer<'a> {
    pub(super) client: &'a Renewed,
    pub(super) outbound: &'a Outbound,
    /// The caller's own token.
    pub(super) subject: Option<&'a SubjectToken>,
}

impl Settings {
    /// The schemes of the document with this number for which there is a credential.
    #[must_use]
    pub fn schemes(&self, document: usize) -> HashSet<String> {
        let own = self.by_document.get(&document).into_iter();
        let names = own.flatten().chain(&self.everywhere);
        names.map(|(name, _)| name.clone()).collect()
    }
}

impl Credential {
    /// Has its secret parts masked wherever they show; names are no secrets.
    fn protect(&self, name: &str) {
        let value = match self {
            Self::Value(value) => value,
            Self::Login { password, .. } => password,
            Self::Client(client) => &client.secret,
        };
        value.protect();
        if value.is_short() {
            tracing::warn!(
                "the credential `{name}` is shorter than {SHORTEST_MASKED} bytes: it is used, but not masked where somebody repeats it"
            );
        }
    }
}

/// Finds and writes credentials.
#[derive(Debug, Default)]
pub(super) struct Credentials {
    settings: Settings,
    certificate: bool,
    tokens: Tokens,
}

impl Credentials {
    pub(super) fn new(settings: &Settings, certificate: bool) -> Self {
        let own = settings.by_document.values().flat_map(HashMap::iter);
        for (name, credential) in settings.everywhere.iter().chain(own) {
            credential.protect(name);
        }
        Self {
            settings: settings.clone(),
            certificate,
            tokens: Tokens::default(),
        }
    }

    fn of(&self, scheme: &SecurityScheme) -> Option<&Credential> {
        let own = self.settings.by_document.get(&scheme.document);
        own.and_then(|own| own.get(&scheme.name))
            .or_else(|| self.settings.everywhere.get(&scheme.name))
            .filter(|credential| fits(&scheme.kind, credential))
    }

    fn meets(&self, need: &SecurityNeed) -> bool {
        match need.scheme.kind {
            SchemeKind::MutualTls => self.certificate,
            _ => self.of(&need.scheme).is_some(),
        }
    }

    /// What a call of the operation is given: the first alternative for which everything is configured, and the keys
    /// that the operation declares as parameters. An operation that would do without credentials gets them
    /// nevertheless where there are some.
    pub(super) fn choose<'a>(&self, target: &'a HttpTarget) -> Vec<&'a SecurityNeed> {
        let mut needs: Vec<&SecurityNeed> = self.met(&target.security).iter().collect();
        for key in target.keys.iter().filter(|key| self.meets(key)) {
            // One parameter can be the key of several schemes.
            if !needs.iter().any(|need| need.scheme.kind == key.scheme.kind) {
                needs.push(key);
            }
        }
        needs
    }

    fn met<'a>(&self, security: &'a [Vec<SecurityNeed>]) -> &'a [SecurityNeed] {
        let met = |alternative: &&Vec<SecurityNeed>| {
            !alternative.is_empty() && alternative.iter().all(|need| self.meets(need))
        };
        security.iter().find(met).map_or(&[], Vec::as_slice)
    }

    /// Whether the operation asks for credentials, cannot do without, and nobody gives any.
    pub(super) fn lacks(&self, target: &HttpTarget) -> bool {
        // A key that no operator gives can be an argument.
        let is_given = |need: &SecurityNeed| self.meets(need) || is_argument(need, target);
        match target.security.is_empty() {
            true => !target.keys.iter().all(is_given),
            false => !target.security.iter().any(|all| all.iter().all(is_given)),
        }
    }

    /// Writes everything that was chosen into the request; the tokens that were used.
    pub(super) async fn add(
        &self,
        from: &Issuer<'_>,
        needs: &[&SecurityNeed],
        plan: &mut HttpPlan,
    ) -> Result<Vec<Used>, CredentialError> {
        let mut used = Vec::new();
        for need in needs {
            let scheme = &*need.scheme;
            let Some(credential) = self.of(scheme) else {
                continue;
            };
            match (&scheme.kind, credential) {
                (
                    SchemeKind::ApiKey {
                        location,
                        parameter,
                    },
                    Credential::Value(value),
                ) => key(plan, *location, parameter, &value.read())
                    .ok_or_else(|| CredentialError::Unwritable(scheme.name.clone()))?,
                (SchemeKind::Bearer { token_url }, Credential::Client(settings)) => {
                    let token_url = token_url.as_ref();
                    let token = self.tokens.current(from, need, settings, token_url).await?;
                    authorize(plan, scheme, "Bearer", token.value())?;
                    used.push(token);
                }
                (SchemeKind::Bearer { .. }, Credential::Value(value)) => {
                    authorize(plan, scheme, "Bearer", value.read().expose())?;
                }
                (_, Credential::Login { username, password }) => {
                    let (username, password) = (username.read(), password.read());
                    authorize(plan, scheme, "Basic", pair(&username, &password).expose())?;
                }
                _ => {}
            }
        }
        Ok(used)
    }
}

/// Turns a user name and a password within a URL into basic credentials, which no log of a library prints.
/// What a scheme has put there wins.
pub(super) fn take_from_url(plan: &mut HttpPlan) {
    if plan.url.username().is_empty() && plan.url.password().is_none() {
        return;
    }
    let plain = |text: &str| {
        let plain = percent_decode_str(text).decode_utf8_lossy();
        Secret::new(plain.into_owned())
    };
    let pair = pair(
        &plain(plan.url.username()),
        &plain(plan.url.password().unwrap_or_default()),
    );
    // Both fail only for URLs that have no host, and so no user.
    let _ = plan.url.set_username("");
    let _ = plan.url.set_password(None);
    if let Some(value) = hidden(&format!("Basic {}", pair.expose())) {
        plan.headers.entry(AUTHORIZATION).or_insert(value);
    }
}

fn is_argument(need: &SecurityNeed, target: &HttpTarget) -> bool {
    let SchemeKind::ApiKey {
        location,
        parameter,
    } = &need.scheme.kind
    else {
        return false;
    };
    let same = |name: &str| name.eq_ignore_ascii_case(parameter);
    let mut parameters = target.parameters.iter();
    parameters.any(|one| one.location == *location && same(&one.name))
}

/// Whether a credential is of the form a scheme wants.
fn fits(kind: &SchemeKind, credential: &Credential) -> bool {
    matches!(
        (kind, credential),
        (SchemeKind::ApiKey { .. }, Credential::Value(_))
            | (SchemeKind::Basic, Credential::Login { .. })
            | (
                SchemeKind::Bearer { .. },
                Credential::Value(_) | Credential::Client(_)
            )
    )
}

/// The user-pass of RFC 7617, encoded.
fn pair(username: &Secret, password: &Secret) -> Secret {
    let pair = STANDARD.encode(format!("{}:{}", username.expose(), password.expose()));
    let pair = Secret::new(pair);
    // At each call, for either of the two may have changed; one that is known costs next to nothing.
    remember(&pair);
    pair
}

fn authorize(
    plan: &mut HttpPlan,
    scheme: &SecurityScheme,
    word: &str,
    value: &str,
) -> Result<(), CredentialError> {
    let value = hidden(&format!("{word} {value}"))
        .ok_or_else(|| CredentialError::Unwritable(scheme.name.clone()))?;
    plan.headers.insert(AUTHORIZATION, value);
    Ok(())
}

/// Writes an API key; what an argument may have put there goes.
fn key(plan: &mut HttpPlan, location: Location, name: &str, value: &Secret) -> Option<()> {
    let value = value.expose();
    match location {
        Location::Header => {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            plan.headers.insert(name, hidden(value)?);
        }
        Location::Cookie => {
            let own = format!("{name}={}", utf8_percent_encode(value, UNRESERVED));
            let old = plan.headers.get(COOKIE).and_then(|old| old.to_str().ok());
            let cookies = joined(old, "; ", name, &own);
            plan.headers.insert(COOKIE, hidden(&cookies)?);
        }
        Location::Query => {
            let encode = |text| utf8_percent_encode(text, UNRESERVED);
            let own = format!("{}={}", encode(name), encode(value));
            let query = joined(plan.url.query(), "&", name, &own);
            plan.url.set_query(Some(&query));
        }
        Location::Path | Location::QueryString => return None,
    }
    Some(())
}

/// Pairs with one more in the place of all that have its name, whoever wrote them: an argument, or a redirect that
/// repeated it. Case is not told apart, as by many servers.
fn joined(pairs: Option<&str>, separator: &str, name: &str, own: &str) -> String {
    let is_other = |pair: &&str| {
        let old = pair.split('=').next().unwrap_or_default().replace('+', " ");
        let old = percent_decode_str(&old).decode_utf8_lossy();
        !pair.is_empty() && !old.trim().eq_ignore_ascii_case(name)
    };
    let old = pairs.unwrap_or_default().split(separator.trim_end());
    let old = old.map(str::trim).filter(is_other);
    old.chain([own]).collect::<Vec<_>>().join(separator)
}

/// A header value that prints as `Sensitive`, and that HTTP/2 never puts into a shared table.
fn hidden(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests;
