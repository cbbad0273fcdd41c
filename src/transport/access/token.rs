//! Access tokens: JWTs of a known issuer, made for this endpoint (RFC 9068, section 4). A token that was
//! verified is remembered by its hash, so that not every call costs a signature.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use jsonwebtoken::{Validation, dangerous, decode_header};
use parking_lot::Mutex;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::issuer::KnownIssuer;
use super::keys::Keys;
use super::scopes::scopes;
use super::signed::{Unverified, claims, reason};
use super::{Algorithm, KeySource, TokenSettings, signature};
use crate::secret::Fingerprint;
use crate::tool::{Caller, Grant, SubjectToken};

/// A longer token is none, in bytes.
const LONGEST: usize = 16 * 1024;
/// A subject's name, in bytes.
const LONGEST_SUBJECT: usize = 256;
/// Verified tokens that are remembered.
const MOST_REMEMBERED: usize = 4096;

/// What a token says.
pub(super) type Claims = Map<String, Value>;

/// Says whose token it is.
#[derive(Debug)]
pub struct Tokens {
    settings: TokenSettings,
    issuers: Vec<Arc<KnownIssuer>>,
    remembered: Mutex<HashMap<Fingerprint, Remembered>>,
}

#[derive(Debug)]
struct Remembered {
    caller: Caller,
    /// In seconds since the epoch.
    until: u64,
    issuer: usize,
    /// The keys that verified it.
    generation: u64,
}

/// Why a token is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// It is not valid here. The reason is for the log: whoever sent it is not told.
    Invalid(String),
    /// It cannot be judged, because its issuer's keys cannot be had.
    Unavailable,
}

pub(super) fn invalid(reason: impl Into<String>) -> Refused {
    Refused::Invalid(reason.into())
}

impl Tokens {
    /// Takes tokens under these settings; the issuers' keys are read from `source`.
    #[must_use]
    pub fn new(settings: TokenSettings, source: &Arc<dyn KeySource>) -> Self {
        signature::install();
        let issuers = settings.issuers.iter();
        Self {
            issuers: issuers
                .map(|issuer| KnownIssuer::new(issuer.clone(), Arc::clone(source)))
                .collect(),
            settings,
            remembered: Mutex::default(),
        }
    }

    /// Fetches the keys of all issuers, so that the first caller need not wait and the log says what is wrong.
    pub async fn prepare(&self) {
        futures_util::future::join_all(self.issuers.iter().map(KnownIssuer::keys)).await;
    }

    /// The caller of a token that is known by this.
    ///
    /// # Errors
    /// [`Refused`] when it is not valid here or cannot be judged.
    pub async fn caller(
        &self,
        token: &str,
        shown: &Fingerprint,
        transport: &'static str,
    ) -> Result<Caller, Refused> {
        match self.recall(shown) {
            Some(caller) => Ok(caller),
            // Seldom, and large: it is not to be carried about by every request.
            None => Box::pin(self.judge(token, shown, transport)).await,
        }
    }

    async fn judge(
        &self,
        token: &str,
        shown: &Fingerprint,
        transport: &'static str,
    ) -> Result<Caller, Refused> {
        let (index, generation, claims) = self.verify(token).await?;
        let (from, until) = lifetime(&claims)?;
        let leeway = self.settings.leeway.as_secs();
        let now = now();
        if now > until.saturating_add(leeway) {
            return Err(invalid("expired"));
        }
        if from.saturating_sub(leeway) > now {
            return Err(invalid("not yet valid"));
        }
        let caller = Caller {
            principal: self.principal(index, &claims)?.into(),
            grant: self.grant(&claims),
            subject_token: Some(SubjectToken::new(token)),
            ..Caller::anonymous(transport)
        };
        let remembered = Remembered {
            caller: caller.clone(),
            until: until.saturating_add(leeway),
            issuer: index,
            generation,
        };
        self.remember(*shown, remembered, now);
        Ok(caller)
    }

    /// The claims of a token with a good signature that is of a known issuer and for this endpoint; with the
    /// issuer's place and the generation of its keys.
    async fn verify(&self, token: &str) -> Result<(usize, u64, Claims), Refused> {
        if token.len() > LONGEST {
            return Err(invalid("too long"));
        }
        let header = decode_header(token).map_err(|error| reason(&error))?;
        if header.crit.is_some() {
            // RFC 7515, section 4.1.11: nothing that is critical is understood here.
            return Err(invalid("critical header parameters"));
        }
        let unverified: Box<RawValue> =
            dangerous::insecure_decode_claims(token).map_err(|error| reason(&error))?;
        let unverified: Claims = crate::tree::read(unverified.get())
            .map_err(|_| invalid("claims that cannot be read"))?;
        let named = unverified.get("iss").and_then(Value::as_str);
        let known = |issuer: &Arc<KnownIssuer>| named == Some(issuer.settings.issuer.as_str());
        let index = self.issuers.iter().position(known);
        let index = index.ok_or_else(|| invalid("unknown issuer"))?;
        let issuer = &self.issuers[index];
        if !issuer.settings.algorithms.contains(&Algorithm(header.alg)) {
            return Err(invalid("algorithm not allowed"));
        }
        let keys = issuer.keys().await.ok_or(Refused::Unavailable)?;
        let validation = self.validation(issuer, header.alg);
        let signed = |keys: &Keys| {
            let claims = claims(
                token,
                keys.fitting(header.kid.as_deref(), header.alg),
                &validation,
            );
            claims.map(|claims| (index, keys.generation, claims))
        };
        let refused = match signed(&keys) {
            Err(Unverified::NoKey(refused)) => refused,
            Err(Unverified::Refused(refused)) => return Err(refused),
            Ok(claims) => return Ok(claims),
        };
        // A key that is not known yet, or that was exchanged for another one of the same id, or of none.
        let newer = issuer.newer(&keys).await.ok_or(refused)?;
        signed(&newer).map_err(Unverified::into)
    }

    /// Times are judged here: with numbers that keep their digits, the library cannot read them.
    fn validation(&self, issuer: &KnownIssuer, algorithm: jsonwebtoken::Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.validate_exp = false;
        validation.validate_nbf = false;
        validation.set_required_spec_claims(&["iss", "aud"]);
        validation.set_issuer(&[&issuer.settings.issuer]);
        let resource = self.settings.resource.as_str();
        let mut audiences = issuer.settings.audiences.clone();
        // The same resource with and without the trailing slash of a path (MCP, canonical server URI).
        let bare = resource.trim_end_matches('/');
        audiences.extend([resource.to_owned(), bare.to_owned(), format!("{bare}/")]);
        validation.set_audience(&audiences);
        validation
    }

    /// A subject is its issuer's own; a client that acts for itself may have none.
    fn principal(&self, index: usize, claims: &Claims) -> Result<String, Refused> {
        let subject = subject(claims).ok_or_else(|| invalid("no usable subject"))?;
        Ok(format!("{}:{subject}", self.issuers[index].settings.name))
    }

    fn grant(&self, claims: &Claims) -> Option<Arc<Grant>> {
        let TokenSettings {
            tools,
            scoped,
            scope_claims,
            implied,
            ..
        } = &self.settings;
        (tools.is_some() || *scoped).then(|| {
            Arc::new(Grant {
                tools: tools.clone(),
                scopes: scoped.then(|| scopes(claims, scope_claims, implied)),
            })
        })
    }

    /// A token that was verified before, by keys that are still in use, and has not ended.
    fn recall(&self, shown: &Fingerprint) -> Option<Caller> {
        let remembered = self.remembered.lock();
        let known = remembered.get(shown)?;
        let issuer = self.issuers.get(known.issuer)?;
        issuer.renew();
        let current = issuer.generation() == Some(known.generation);
        (current && now() <= known.until).then(|| known.caller.clone())
    }

    fn remember(&self, shown: Fingerprint, token: Remembered, now: u64) {
        let mut remembered = self.remembered.lock();
        if remembered.len() >= MOST_REMEMBERED {
            remembered.retain(|_, known| known.until >= now);
        }
        if remembered.len() >= MOST_REMEMBERED {
            remembered.clear();
        }
        remembered.insert(shown, token);
    }
}

/// Whom a token stands for. The first of these claims that is there decides: were a subject that is no text
/// (RFC 7519, section 4.1.2) passed over, all users of a client would be one.
fn subject(claims: &Claims) -> Option<&str> {
    let names = ["sub", "client_id", "azp"].into_iter();
    let text = names.filter_map(|name| claims.get(name)).next()?.as_str()?;
    let usable =
        !text.is_empty() && text.len() <= LONGEST_SUBJECT && !text.chars().any(char::is_control);
    usable.then_some(text)
}

/// When a token begins and ends (RFC 7519, sections 4.1.4 and 4.1.5), in seconds since the epoch.
fn lifetime(claims: &Claims) -> Result<(u64, u64), Refused> {
    let time = |name: &str| match claims.get(name) {
        None => Ok(None),
        Some(value) => match value.as_f64() {
            // Beyond what a number keeps exactly nothing is a date.
            Some(seconds) if (0.0..9e15).contains(&seconds) => Ok(Some(seconds as u64)),
            _ => Err(invalid(format!("`{name}` is no time"))),
        },
    };
    let until = time("exp")?.ok_or_else(|| invalid("without end"))?;
    Ok((time("nbf")?.unwrap_or(0), until))
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::super::{Issuer, NoSource, Reading};
    use super::*;

    /// Counts what is read, and has nothing.
    #[derive(Debug, Default)]
    struct Counting(std::sync::atomic::AtomicUsize);

    impl KeySource for Counting {
        fn read(&self, _: url::Url) -> Reading {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Box::pin(async { Err("nothing here".to_owned()) })
        }
    }

    #[tokio::test]
    async fn a_remembered_token_has_old_keys_fetched_again() {
        let mut settings = settings();
        settings.issuers.push(Issuer {
            name: "id".into(),
            issuer: "https://id.test".to_owned(),
            jwks_url: Some("https://id.test/keys".parse().unwrap()),
            audiences: Vec::new(),
            algorithms: Algorithm::all(),
        });
        let counting = Arc::new(Counting::default());
        let source: Arc<dyn KeySource> = counting.clone();
        let tokens = Tokens::new(settings, &source);
        let token = Remembered {
            caller: Caller::anonymous("http"),
            until: u64::MAX,
            issuer: 0,
            generation: 1,
        };
        tokens.remember(Fingerprint::of("seven"), token, now());
        let _ = tokens.recall(&Fingerprint::of("seven"));
        while counting.0.load(std::sync::atomic::Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
    }

    fn settings() -> TokenSettings {
        TokenSettings {
            resource: "https://tools.test/mcp".parse().unwrap(),
            issuers: Vec::new(),
            leeway: std::time::Duration::ZERO,
            tools: None,
            scoped: false,
            scope_claims: Vec::new(),
            implied: Vec::new(),
            initial_scopes: Vec::new(),
        }
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let source: Arc<dyn KeySource> = Arc::new(NoSource);
        let tokens = Tokens::new(settings(), &source);
        for number in 0..MOST_REMEMBERED as u64 * 3 {
            let token = Remembered {
                caller: Caller::anonymous("http"),
                until: 100 + number % 2,
                issuer: 0,
                generation: 1,
            };
            tokens.remember(Fingerprint::of(&number.to_string()), token, 101);
        }
        assert!(tokens.remembered.lock().len() <= MOST_REMEMBERED);
    }

    #[test]
    fn a_subject_that_is_no_text_is_nobody() {
        for (claims, expected) in [
            (
                serde_json::json!({"sub": "ann", "client_id": "web"}),
                Some("ann"),
            ),
            (
                serde_json::json!({"client_id": "web", "azp": "other"}),
                Some("web"),
            ),
            (serde_json::json!({"azp": "web"}), Some("web")),
            (serde_json::json!({"sub": 1001, "client_id": "web"}), None),
            (serde_json::json!({"sub": null, "client_id": "web"}), None),
            (serde_json::json!({"sub": ["ann"], "azp": "web"}), None),
            (serde_json::json!({"sub": "", "azp": "web"}), None),
            (serde_json::json!({"client_id": 7, "azp": "web"}), None),
            (serde_json::json!({}), None),
        ] {
            assert_eq!(subject(claims.as_object().unwrap()), expected, "{claims}");
        }
    }

    #[test]
    fn times_are_numbers() {
        let read = |claims: Value| lifetime(claims.as_object().unwrap());
        assert_eq!(read(serde_json::json!({"exp": 7})), Ok((0, 7)));
        assert_eq!(read(serde_json::json!({"exp": 7.9, "nbf": 3})), Ok((3, 7)));
        for text in [
            r#"{}"#,
            r#"{"exp": "7"}"#,
            r#"{"exp": -1}"#,
            r#"{"exp": 1e300}"#,
            r#"{"exp": null}"#,
            r#"{"exp": 7, "nbf": "3"}"#,
            r#"{"exp": 123456789012345678901234567890}"#,
        ] {
            assert!(read(serde_json::from_str(text).unwrap()).is_err(), "{text}");
        }
    }
}
