//! What a client of a handshake revision agreed on, and what is under way for it.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::declared::Declared;
use super::peer::Pending;
use super::revision::Revision;
use super::stream::Streams;
use crate::state::{Handshakes, fresh_id};

/// What `initialize` settled.
#[derive(Debug)]
pub(crate) struct Handshake {
    pub(crate) revision: Revision,
    pub(crate) capabilities: Declared,
    pub(crate) client: Option<Arc<str>>,
    /// The principal who sent it.
    pub(crate) owner: Arc<str>,
}

/// A handshake as replicas share it; whose it is, the store knows.
#[derive(Serialize, Deserialize)]
struct Agreed {
    revision: String,
    capabilities: Declared,
    client: Option<Arc<str>>,
}

impl Handshake {
    fn to_text(&self) -> String {
        let agreed = Agreed {
            revision: self.revision.name().to_owned(),
            capabilities: self.capabilities.clone(),
            client: self.client.clone(),
        };
        serde_json::to_string(&agreed).unwrap_or_default()
    }

    fn from_text(text: &str, owner: &str) -> Option<Self> {
        let agreed: Agreed = serde_json::from_str(text).ok()?;
        Some(Self {
            revision: Revision::parse(&agreed.revision)?,
            capabilities: agreed.capabilities,
            client: agreed.client,
            owner: owner.into(),
        })
    }
}

/// One client from `initialize` to its end; on stdio the whole connection.
pub struct Session {
    pub(crate) id: Arc<str>,
    pub(crate) handshake: ArcSwapOption<Handshake>,
    pub(crate) pending: Pending,
    /// Cancelled when the session is over.
    pub(crate) ended: CancellationToken,
    /// Cancelled when the client says nothing more, though it may still listen.
    pub(crate) silent: CancellationToken,
    pub(crate) streams: Streams,
    flights: Flights,
    used: Mutex<Instant>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The id is as good as a password.
        f.debug_struct("Session")
            .field("handshake", &self.handshake)
            .finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) fn new(id: &str, handshake: Option<Handshake>) -> Arc<Self> {
        Arc::new(Self {
            id: id.into(),
            handshake: ArcSwapOption::new(handshake.map(Arc::new)),
            pending: Pending::default(),
            ended: CancellationToken::new(),
            silent: CancellationToken::new(),
            streams: Streams::default(),
            flights: Flights::default(),
            used: Mutex::new(Instant::now()),
        })
    }

    /// Ends the session: its calls are dropped, its streams close.
    pub fn end(&self) {
        self.ended.cancel();
    }

    /// Nothing more comes from the client: what it was asked stays unanswered. Its calls go on.
    pub fn hang_up(&self) {
        self.silent.cancel();
    }

    /// Enters a request, so that the client can cancel it by its id.
    pub(crate) fn take_off(self: &Arc<Self>, id: &RawValue) -> Flight {
        let serial = self.flights.next.fetch_add(1, Ordering::Relaxed);
        let token = self.ended.child_token();
        let key = id.get().to_owned();
        let entry = (serial, token.clone());
        self.flights.under_way.lock().insert(key.clone(), entry);
        Flight {
            session: Arc::clone(self),
            key,
            serial,
            token,
        }
    }

    /// Cancels the request with this id; unknown ids are nobody's business.
    pub(crate) fn cancel(&self, id: &RawValue) {
        if let Some((_, token)) = self.flights.under_way.lock().get(id.get()) {
            token.cancel();
        }
    }

    fn is_of(&self, owner: &str) -> bool {
        let handshake = self.handshake.load();
        handshake
            .as_ref()
            .is_some_and(|handshake| &*handshake.owner == owner)
    }

    fn touch(&self, now: Instant) {
        *self.used.lock() = now;
    }
}

/// Requests under way, by the client's id in its JSON spelling.
#[derive(Debug, Default)]
struct Flights {
    next: AtomicU64,
    under_way: Mutex<HashMap<String, (u64, CancellationToken)>>,
}

/// A request under way; forgotten when dropped.
#[derive(Debug)]
pub(crate) struct Flight {
    session: Arc<Session>,
    key: String,
    serial: u64,
    pub(crate) token: CancellationToken,
}

impl Flight {
    /// Whether it is over because its session is.
    pub(crate) fn has_ended(&self) -> bool {
        self.session.ended.is_cancelled()
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        let mut under_way = self.session.flights.under_way.lock();
        // A client that uses an id twice cancels the later request; the earlier one is not it.
        if under_way
            .get(&self.key)
            .is_some_and(|(serial, _)| *serial == self.serial)
        {
            under_way.remove(&self.key);
        }
    }
}

/// The sessions of the HTTP transport: bounded, and each for a limited time without use. What a client agreed on
/// may be known from another replica; its calls and streams are this one's.
#[derive(Debug)]
pub(crate) struct Sessions {
    limit: usize,
    idle: Duration,
    store: Arc<dyn Handshakes>,
    by_id: Mutex<HashMap<Arc<str>, Arc<Session>>>,
}

impl Sessions {
    pub(crate) fn new(limit: usize, idle: Duration, store: Arc<dyn Handshakes>) -> Self {
        Self {
            limit,
            idle,
            store,
            by_id: Mutex::default(),
        }
    }

    /// A new session, unless there are too many or the system has no randomness.
    pub(crate) fn mint(&self, handshake: Handshake) -> Option<Arc<Session>> {
        self.mint_at(handshake, Instant::now())
    }

    fn mint_at(&self, handshake: Handshake, now: Instant) -> Option<Arc<Session>> {
        let id = fresh_id()?;
        let (owner, agreed) = (Arc::clone(&handshake.owner), handshake.to_text());
        let mut by_id = self.by_id.lock();
        if !self.has_room(&mut by_id, now) || !self.store.keep(&id, &owner, &agreed) {
            tracing::warn!(limit = self.limit, "too many sessions, a client gets none");
            return None;
        }
        let session = Session::new(&id, Some(handshake));
        by_id.insert(Arc::clone(&session.id), Arc::clone(&session));
        Some(session)
    }

    /// The session of this id, which counts as use. To anybody but its owner there is none.
    pub(crate) fn find(&self, id: &str, owner: &str) -> Option<Arc<Session>> {
        self.find_at(id, owner, Instant::now())
    }

    fn find_at(&self, id: &str, owner: &str, now: Instant) -> Option<Arc<Session>> {
        let agreed = self.store.find(id, owner);
        let mut by_id = self.by_id.lock();
        if let Some(session) = by_id.get(id) {
            if !session.is_of(owner) {
                return None;
            }
            // In use, a call or a stream holds it as well.
            if agreed.is_some() || Arc::strong_count(session) > 1 {
                session.touch(now);
                return Some(Arc::clone(session));
            }
            by_id.remove(id);
            return None;
        }
        let handshake = Handshake::from_text(&agreed?, owner)?;
        if !self.has_room(&mut by_id, now) {
            return None;
        }
        let session = Session::new(id, Some(handshake));
        by_id.insert(Arc::clone(&session.id), Arc::clone(&session));
        Some(session)
    }

    /// What counts as use of a session. One that was ended elsewhere meanwhile ends here as well.
    pub(crate) fn renewal(&self, session: &Arc<Session>, owner: &str) -> impl Fn() + use<> {
        let (store, session) = (Arc::clone(&self.store), Arc::clone(session));
        let owner: Arc<str> = owner.into();
        move || {
            if store.find(&session.id, &owner).is_none() {
                session.end();
            }
        }
    }

    /// Ends a session; whether its owner had one.
    pub(crate) fn remove(&self, id: &str, owner: &str) -> bool {
        let Some(session) = self.find(id, owner) else {
            return false;
        };
        session.end();
        self.store.forget(id, owner);
        self.by_id.lock().remove(id).is_some()
    }

    fn has_room(&self, by_id: &mut HashMap<Arc<str>, Arc<Session>>, now: Instant) -> bool {
        if by_id.len() >= self.limit {
            by_id.retain(|_, session| {
                let unused = now.saturating_duration_since(*session.used.lock());
                Arc::strong_count(session) > 1 || unused < self.idle
            });
        }
        by_id.len() < self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::HandshakesInMemory;

    fn store() -> Arc<HandshakesInMemory> {
        Arc::new(HandshakesInMemory::new(100, Duration::from_secs(3600)))
    }

    fn handshake() -> Handshake {
        Handshake {
            revision: Revision::V2025_11_25,
            capabilities: Declared::default(),
            client: None,
            owner: "ann".into(),
        }
    }

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn sessions_are_bounded_and_grow_old() {
        let store = store();
        let sessions = Sessions::new(2, Duration::from_secs(60), store.clone());
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mint = |now| {
            sessions
                .mint_at(handshake(), now)
                .map(|session| session.id.clone())
        };
        let (first, second) = (mint(at(0)).unwrap(), mint(at(0)).unwrap());
        assert_eq!(first.len(), 32);
        assert_ne!(first, second);
        assert!(mint(at(0)).is_none());
        assert!(sessions.find_at(&first, "ann", at(59)).is_some());
        // How long one lasts is the store's to say.
        store.forget(&second, "ann");
        assert!(sessions.find_at(&second, "ann", at(61)).is_none());
        let in_use = sessions.find_at(&first, "ann", at(61)).unwrap();
        store.forget(&first, "ann");
        assert!(sessions.find_at(&first, "bob", at(1000)).is_none());
        assert!(sessions.find_at(&first, "ann", at(1000)).is_some());
        drop(in_use);
        assert!(mint(at(1001)).is_some());
        assert!(mint(at(2000)).is_some());
        assert!(sessions.find_at(&first, "ann", at(2000)).is_none());
        let last = sessions.mint(handshake()).unwrap();
        assert!(sessions.find(&last.id, "bob").is_none());
        assert!(!sessions.remove(&last.id, "bob"));
        assert!(sessions.remove(&last.id, "ann"));
        assert!(last.ended.is_cancelled());
        assert!(!sessions.remove(&last.id, "ann"));
    }

    #[test]
    fn another_replica_knows_what_was_agreed_on() {
        let (store, idle) = (store(), Duration::from_secs(60));
        let [here, there] = [2, 2].map(|limit| Sessions::new(limit, idle, store.clone()));
        let id = here
            .mint(Handshake {
                capabilities: Declared::read(Some(&raw("{\"elicitation\":{}}"))),
                client: Some("c".into()),
                ..handshake()
            })
            .unwrap()
            .id
            .clone();
        // Nobody else has that session there either, before or after its owner has come by.
        assert!(there.find(&id, "bob").is_none() && !there.remove(&id, "bob"));
        let found = there.find(&id, "ann").unwrap();
        assert!(there.find(&id, "bob").is_none() && !there.remove(&id, "bob"));
        let found = found.handshake.load_full().unwrap();
        assert_eq!(&*found.owner, "ann");
        assert_eq!(found.revision, Revision::V2025_11_25);
        assert!(found.capabilities.has("elicitation"));
        let used = here.find(&id, "ann").unwrap();
        let renew = here.renewal(&used, "ann");
        renew();
        assert!(!used.ended.is_cancelled());
        assert!(there.remove(&id, "ann"));
        renew();
        assert!(used.ended.is_cancelled());
        drop((used, renew));
        assert!(here.find(&id, "ann").is_none());
    }

    #[test]
    fn only_the_named_request_is_cancelled() {
        let session = Session::new("", None);
        let number = session.take_off(&raw("7"));
        let text = session.take_off(&raw("\"7\""));
        session.cancel(&raw("7"));
        assert!(number.token.is_cancelled() && !text.token.is_cancelled());
        drop(number);
        session.cancel(&raw("7"));
        session.end();
        assert!(text.token.is_cancelled());
    }

    #[test]
    fn a_reused_id_is_the_later_request() {
        let session = Session::new("", None);
        let early = session.take_off(&raw("7"));
        let late = session.take_off(&raw("7"));
        drop(early);
        session.cancel(&raw("7"));
        assert!(late.token.is_cancelled());
    }
}
