//! Who decides: tokens, a browser's session, and the token of its forms.

use std::sync::Arc;

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE};
use sha2::Sha256;

use super::guard::{Attempts, Ended, TooMany, expiry};
use crate::secret::{Fingerprint, Secret};

/// How long a browser's session lasts, in seconds.
const SESSION: u64 = 12 * 3600;
/// What the name of its cookie begins with.
const NAME: &str = "mcpinvoke_operator";

/// Somebody who decides. The token itself is nowhere kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The name in records.
    pub name: Arc<str>,
    /// What the token is known by.
    pub token: Fingerprint,
}

impl Operator {
    /// An operator with this token.
    #[must_use]
    pub fn new(name: &str, token: &str) -> Self {
        Self {
            name: name.into(),
            token: Fingerprint::of(token),
        }
    }
}

/// How somebody has shown who they are.
pub(super) enum Proof {
    /// With the token itself; no browser does that by itself.
    Bearer,
    /// With the cookie of this value, which a browser adds to any request.
    Cookie(String),
}

/// All of them.
pub(super) struct Operators {
    operators: Vec<Operator>,
    key: Secret,
    /// The cookie's name: browsers tell hosts apart, not ports, and several bridges may run on one.
    name: String,
    /// Its attributes.
    attributes: String,
    attempts: Attempts,
    ended: Ended,
}

impl Operators {
    pub(super) fn new(operators: Vec<Operator>, key: Secret, url: Option<&url::Url>) -> Self {
        let path = url.map_or(super::PATH, |url| url.path().trim_end_matches('/'));
        // Lax: a link in a chat leads to the page and not to the log-in; forms carry a token of their own.
        let mut attributes = format!("Path={path}; HttpOnly; SameSite=Lax");
        if url.is_some_and(|url| url.scheme() == "https") {
            attributes.push_str("; Secure");
        }
        let mut own = Self {
            operators,
            key,
            name: String::new(),
            attributes,
            attempts: Attempts::default(),
            ended: Ended::default(),
        };
        let tag = own.sign(&["cookie"], &[]);
        own.name = format!("{NAME}_{}", tag.get(..8).unwrap_or_default());
        own
    }

    /// Who sent a request, and how they showed it.
    ///
    /// # Errors
    /// [`TooMany`] where too many tokens were wrong lately; sessions go on.
    pub(super) fn recognise(
        &self,
        headers: &HeaderMap,
        now: u64,
    ) -> Result<Option<(Arc<str>, Proof)>, TooMany> {
        if let Some(value) = headers.get(AUTHORIZATION) {
            let pair = value.to_str().ok().and_then(|text| text.split_once(' '));
            let token = pair.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
            let Some((_, token)) = token else {
                return Ok(None);
            };
            let operator = self.attempt(token.trim(), now)?;
            return Ok(operator.map(|operator| (Arc::clone(&operator.name), Proof::Bearer)));
        }
        Ok(self.by_cookie(headers, now))
    }

    fn by_cookie(&self, headers: &HeaderMap, now: u64) -> Option<(Arc<str>, Proof)> {
        let cookies = headers.get_all(COOKIE).iter();
        let mut values = cookies
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().strip_prefix(&*self.name)?.strip_prefix('='));
        // Of several with one name none is trusted: another service of the host may have set one.
        let (Some(value), None) = (values.next(), values.next()) else {
            return None;
        };
        let operator = self.by_session(value, now)?;
        Some((Arc::clone(&operator.name), Proof::Cookie(value.to_owned())))
    }

    /// The `Set-Cookie` of a new session; nothing for a wrong token.
    ///
    /// # Errors
    /// [`TooMany`] where too many tokens were wrong lately.
    pub(super) fn log_in(&self, token: &str, now: u64) -> Result<Option<String>, TooMany> {
        let operator = self.attempt(token, now)?;
        Ok(operator.and_then(|operator| self.session(operator, now)))
    }

    fn session(&self, operator: &Operator, now: u64) -> Option<String> {
        // Each session is one of its own, so that ending it ends no other.
        let mut random = [0_u8; 8];
        getrandom::fill(&mut random).ok()?;
        let random = u64::from_be_bytes(random);
        let expires = format!("{}.{random:016x}", now.saturating_add(SESSION));
        let tag = self.sign(&["session", &expires], operator.token.as_bytes());
        let Self {
            name, attributes, ..
        } = self;
        Some(format!(
            "{name}={expires}.{tag}; Max-Age={SESSION}; {attributes}"
        ))
    }

    /// Ends a session, whoever has its cookie; the `Set-Cookie` that ends it in the browser.
    pub(super) fn log_out(&self, proof: &Proof, now: u64) -> String {
        if let Proof::Cookie(value) = proof {
            self.ended.add(value, now);
        }
        format!("{}=; Max-Age=0; {}", self.name, self.attributes)
    }

    /// What a form has to bring back.
    pub(super) fn form_token(&self, proof: &Proof) -> String {
        match proof {
            Proof::Bearer => String::new(),
            Proof::Cookie(value) => self.sign(&["form", value], &[]),
        }
    }

    /// Whether a form that came with this proof brought back its token.
    pub(super) fn is_own_form(&self, proof: &Proof, token: &str) -> bool {
        match proof {
            Proof::Bearer => true,
            Proof::Cookie(value) => verifies(self.mac(&["form", value], &[]), token),
        }
    }

    /// Whose token it is. A wrong one counts, the same one once: it teaches nothing more.
    fn attempt(&self, token: &str, now: u64) -> Result<Option<&Operator>, TooMany> {
        self.attempts.check(now)?;
        let operator = self.by_token(token);
        if operator.is_none() {
            self.attempts.failed(token, now);
        }
        Ok(operator)
    }

    /// Looks at all tokens, and at all of each.
    fn by_token(&self, token: &str) -> Option<&Operator> {
        let token = Fingerprint::of(token);
        let mut found = None;
        for operator in &self.operators {
            if operator.token == token {
                found = Some(operator);
            }
        }
        found
    }

    fn by_session(&self, value: &str, now: u64) -> Option<&Operator> {
        let (expires, tag) = value.rsplit_once('.')?;
        if expiry(value)? <= now || self.ended.has(value) {
            return None;
        }
        let mut all = self.operators.iter();
        // The token's hash is part of it: a token that is taken away ends its sessions.
        all.find(|one| verifies(self.mac(&["session", expires], one.token.as_bytes()), tag))
    }

    fn sign(&self, parts: &[&str], more: &[u8]) -> String {
        HEXLOWER.encode(&self.mac(parts, more).finalize().into_bytes())
    }

    fn mac(&self, parts: &[&str], more: &[u8]) -> Hmac<Sha256> {
        let key = self.key.expose().as_bytes();
        let mut mac: Hmac<Sha256> =
            Hmac::new_from_slice(key).expect("HMAC takes keys of any length (RFC 2104)");
        for part in parts {
            mac.update(part.as_bytes());
            mac.update(&[0]);
        }
        mac.update(more);
        mac
    }
}

/// Whether hex digits are the tag of what went into `mac`; takes as long wherever they differ.
fn verifies(mac: Hmac<Sha256>, tag: &str) -> bool {
    let tag = HEXLOWER.decode(tag.as_bytes());
    tag.is_ok_and(|tag| mac.verify_slice(&tag).is_ok())
}
