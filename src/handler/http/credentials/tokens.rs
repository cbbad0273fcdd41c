//! Tokens in use: one request for a token at a time, kept until shortly before they end.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use url::Url;

use super::token::{Token, ask};
use super::{Client, CredentialError, Issuer};
use crate::secret::Secret;
use crate::tool::SecurityNeed;

/// Calls that wait behind a failed request fail with it instead of asking again one by one.
const PAUSE: Duration = Duration::from_secs(1);
/// Tokens of callers at a time; of more, the one longest unused is forgotten.
const MOST_SUBJECTS: usize = 1024;

/// The tokens in use, one for each scheme and set of scopes, and for each caller where callers have their own.
#[derive(Debug, Default)]
pub(super) struct Tokens(Mutex<Slots>);

#[derive(Debug, Default)]
struct Slots {
    by_key: HashMap<Key, (Arc<Slot>, u64)>,
    /// How many of them belong to a caller.
    subjects: usize,
    /// Grows with every use.
    clock: u64,
}

#[derive(Debug, PartialEq, Eq, Hash, Clone)]
struct Key {
    document: usize,
    scheme: String,
    scopes: Vec<String>,
    /// The SHA-256 of the caller's token.
    subject: Option<[u8; 32]>,
}

/// Its lock is held while a token is asked for, so there is one request at a time.
type Slot = tokio::sync::Mutex<State>;

#[derive(Debug, Default)]
struct State {
    token: Option<Token>,
    failed: Option<(Instant, String)>,
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
    /// The token for this need, asked for where there is none that lasts. The document names the place to ask
    /// where the operator does not.
    pub(super) async fn current(
        &self,
        from: &Issuer<'_>,
        need: &SecurityNeed,
        settings: &Client,
        documented: Option<&Url>,
    ) -> Result<Used, CredentialError> {
        let name = &need.scheme.name;
        let fail = |message: String| CredentialError::Token {
            name: name.clone(),
            message,
        };
        if settings.exchange.is_some() && from.subject.is_none() {
            return Err(CredentialError::NoSubject(name.clone()));
        }
        let token_url = match (&settings.token_url, documented) {
            (Some(own), _) => from.outbound.check_named(own).map(|()| own),
            (None, Some(url)) => from.outbound.check(url).map(|()| url),
            (None, None) => return Err(CredentialError::NoTokenUrl(name.clone())),
        };
        let token_url = token_url.map_err(|error| fail(format!("may not be asked: {error}")))?;
        let scopes = settings.scopes.as_ref().unwrap_or(&need.scopes);
        let slot = self
            .slot(from, need, settings, scopes)
            .ok_or_else(|| fail("is asked for too many callers at a time".to_owned()))?;
        let mut state = slot.lock().await;
        let value = state.current(from, settings, scopes, token_url, name).await;
        let value = value.map_err(fail)?;
        drop(state);
        Ok(Used { value, slot })
    }

    fn slot(
        &self,
        from: &Issuer<'_>,
        need: &SecurityNeed,
        settings: &Client,
        scopes: &[String],
    ) -> Option<Arc<Slot>> {
        let subject = settings.exchange.as_ref().and(from.subject);
        let key = Key {
            document: need.scheme.document,
            scheme: need.scheme.name.clone(),
            scopes: scopes.to_vec(),
            subject: subject.map(|token| Sha256::digest(token.expose()).into()),
        };
        let mut slots = self.0.lock();
        slots.of(key)
    }
}

impl Slots {
    /// The slot of a key, a new one where there is none; `None` where every place is taken by calls under way.
    fn of(&mut self, key: Key) -> Option<Arc<Slot>> {
        self.clock += 1;
        let now = self.clock;
        if let Some((slot, used)) = self.by_key.get_mut(&key) {
            *used = now;
            return Some(Arc::clone(slot));
        }
        if key.subject.is_some() {
            if self.subjects >= MOST_SUBJECTS {
                self.forget_one()?;
            }
            self.subjects += 1;
        }
        let slot = Arc::default();
        self.by_key.insert(key, (Arc::clone(&slot), now));
        Some(slot)
    }

    /// Makes room. A slot that a call holds stays: a second one would ask a second time.
    fn forget_one(&mut self) -> Option<()> {
        let free = self
            .by_key
            .iter()
            .filter(|(key, (slot, _))| key.subject.is_some() && Arc::strong_count(slot) == 1);
        let oldest = free.min_by_key(|(_, (_, used))| *used)?.0.clone();
        self.by_key.remove(&oldest);
        self.subjects -= 1;
        Some(())
    }
}

impl State {
    async fn current(
        &mut self,
        from: &Issuer<'_>,
        settings: &Client,
        scopes: &[String],
        token_url: &Url,
        scheme: &str,
    ) -> Result<Secret, String> {
        let now = Instant::now();
        let token = self.token.as_ref();
        if let Some(token) = token.filter(|token| now < token.renew) {
            return Ok(token.value.clone());
        }
        let last = token.filter(|token| now < token.end);
        let last = last.map(|token| token.value.clone());
        let recent = self.failed.as_ref();
        if let Some((_, message)) = recent.filter(|(when, _)| when.elapsed() < PAUSE) {
            return last.ok_or_else(|| message.clone());
        }
        match ask(from, settings, scopes, token_url).await {
            Ok(token) => {
                let value = token.value.clone();
                self.token = Some(token);
                self.failed = None;
                Ok(value)
            }
            Err(message) => {
                tracing::warn!(scheme, "the token server {message}");
                self.failed = Some((Instant::now(), message.clone()));
                last.ok_or(message)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> Key {
        Key {
            document: 0,
            scheme: "s".to_owned(),
            scopes: Vec::new(),
            subject: Some(Sha256::digest(number.to_string()).into()),
        }
    }

    #[test]
    fn callers_tokens_are_bounded_and_the_longest_unused_goes() {
        let mut slots = Slots::default();
        let own = Key {
            subject: None,
            ..key(0)
        };
        slots.of(own.clone()).unwrap();
        let held = slots.of(key(0)).unwrap();
        for number in 1..MOST_SUBJECTS + 10 {
            slots.of(key(number)).unwrap();
            slots.of(key(1)).unwrap();
        }
        assert_eq!(slots.by_key.len(), MOST_SUBJECTS + 1);
        for (key, kept) in [(own, true), (key(0), true), (key(1), true), (key(2), false)] {
            assert_eq!(slots.by_key.contains_key(&key), kept, "{key:?}");
        }
        // What calls hold is neither forgotten nor doubled.
        assert!(Arc::ptr_eq(&held, &slots.of(key(0)).unwrap()));
        let all: Vec<_> = slots
            .by_key
            .values()
            .map(|(slot, _)| Arc::clone(slot))
            .collect();
        assert!(slots.of(key(usize::MAX)).is_none());
        drop(all);
        assert!(slots.of(key(usize::MAX)).is_some());
    }
}
