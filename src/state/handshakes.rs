//! What clients of the revisions with a handshake agreed on, by the id of their session.
//!
//! The streams of a session belong to the process that holds them. What was agreed on is all that another one
//! needs to go on with its requests.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Remembers texts by ids that nobody can guess, as long as they are used. Each has an owner, the principal who
/// agreed: to anybody else there is none, and their asking is no use of it.
pub trait Handshakes: Send + Sync + fmt::Debug {
    /// Remembers what was agreed on; false where there is no room.
    fn keep(&self, id: &str, owner: &str, agreed: &str) -> bool;

    /// What was agreed on; asking counts as use.
    fn find(&self, id: &str, owner: &str) -> Option<Arc<str>>;

    /// Forgets it; whether it was there.
    fn forget(&self, id: &str, owner: &str) -> bool;
}

/// Handshakes in the memory of one process.
#[derive(Debug)]
pub struct HandshakesInMemory {
    limit: usize,
    idle: Duration,
    by_id: Mutex<HashMap<String, Entry>>,
}

#[derive(Debug)]
struct Entry {
    owner: Arc<str>,
    agreed: Arc<str>,
    used: Instant,
}

impl HandshakesInMemory {
    /// At most `limit`, each until nobody has used it for `idle`.
    #[must_use]
    pub fn new(limit: usize, idle: Duration) -> Self {
        Self {
            limit,
            idle,
            by_id: Mutex::default(),
        }
    }

    fn keep_at(&self, id: &str, owner: &str, agreed: &str, now: Instant) -> bool {
        let mut by_id = self.by_id.lock();
        if by_id.len() >= self.limit {
            by_id.retain(|_, entry| now.saturating_duration_since(entry.used) < self.idle);
        }
        let fits = by_id.len() < self.limit;
        if fits {
            let entry = Entry {
                owner: owner.into(),
                agreed: agreed.into(),
                used: now,
            };
            by_id.insert(id.to_owned(), entry);
        }
        fits
    }

    fn find_at(&self, id: &str, owner: &str, now: Instant) -> Option<Arc<str>> {
        let mut by_id = self.by_id.lock();
        let entry = by_id.get_mut(id).filter(|entry| &*entry.owner == owner)?;
        if now.saturating_duration_since(entry.used) < self.idle {
            entry.used = now;
            return Some(Arc::clone(&entry.agreed));
        }
        by_id.remove(id);
        None
    }
}

impl Handshakes for HandshakesInMemory {
    fn keep(&self, id: &str, owner: &str, agreed: &str) -> bool {
        self.keep_at(id, owner, agreed, Instant::now())
    }

    fn find(&self, id: &str, owner: &str) -> Option<Arc<str>> {
        self.find_at(id, owner, Instant::now())
    }

    fn forget(&self, id: &str, owner: &str) -> bool {
        let mut by_id = self.by_id.lock();
        let owns = by_id.get(id).is_some_and(|entry| &*entry.owner == owner);
        owns && by_id.remove(id).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_bounded_and_last_as_long_as_they_are_used() {
        let store = HandshakesInMemory::new(2, Duration::from_secs(60));
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let keep = |id, agreed, now| store.keep_at(id, "ann", agreed, now);
        let find = |id, now| store.find_at(id, "ann", now);
        assert!(keep("a", "1", at(0)) && keep("b", "2", at(0)));
        assert!(!keep("c", "3", at(59)));
        assert_eq!(find("a", at(59)).as_deref(), Some("1"));
        // Somebody else's asking does not prolong it.
        assert!(store.find_at("b", "bob", at(59)).is_none());
        assert!(keep("c", "3", at(61)));
        assert!(find("b", at(61)).is_none());
        assert!(find("a", at(118)).is_some());
        assert!(!store.forget("a", "bob"));
        assert!(store.forget("a", "ann") && !store.forget("a", "ann"));
        assert!(find("c", at(200)).is_none());
    }
}
