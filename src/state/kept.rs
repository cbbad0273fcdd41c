//! Long answers kept for a while, so that a client can read what did not fit into a result. Bounded in bytes,
//! in number and in time.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::Mutex;

use super::fresh_id;

/// What every URI of a kept answer begins with; the id follows.
pub const SCHEME: &str = "mcpinvoke://kept/";

/// The URI of the answer with this id.
#[must_use]
pub fn uri_of(id: &str) -> String {
    format!("{SCHEME}{id}")
}

/// How much is kept, and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// One answer, in bytes; nothing is kept where it is 0.
    pub max_bytes: u64,
    /// All of them together, in bytes; the oldest go first.
    pub max_total_bytes: u64,
    /// How many at once.
    pub max_count: usize,
    /// How long each.
    pub lifetime: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        const MIB: u64 = 1024 * 1024;
        Self {
            max_bytes: 64 * MIB,
            max_total_bytes: 256 * MIB,
            max_count: 100,
            lifetime: Duration::from_secs(600),
        }
    }
}

/// An answer to keep.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    /// The principal who may read it.
    pub owner: Arc<str>,
    /// Media type without parameters.
    pub media_type: String,
    /// The bytes; UTF-8 where `is_text`.
    pub data: Bytes,
    /// It is text.
    pub is_text: bool,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Answer({} bytes of {})",
            self.data.len(),
            self.media_type
        )
    }
}

/// Where answers are kept. The one in memory is this process's own; replicas would share another.
pub trait Kept: Send + Sync + fmt::Debug {
    /// Keeps an answer; gives the id it can be found by, which nobody can guess. Nothing where there is no
    /// room for it.
    fn keep(&self, kept: Answer) -> Option<String>;

    /// The answer of this id, if it is there and `owner`'s, and how long it will be.
    fn find(&self, id: &str, owner: &str) -> Option<(Answer, Duration)>;

    /// How long an answer is kept.
    fn lifetime(&self) -> Duration;
}

/// A store in this process's memory.
#[derive(Debug)]
pub struct KeptInMemory {
    settings: Settings,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    by_id: HashMap<String, (Answer, Instant)>,
    /// Ids, the oldest first.
    order: VecDeque<String>,
    bytes: u64,
}

impl KeptInMemory {
    /// An empty store.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            entries: Mutex::default(),
        }
    }

    fn keep_at(&self, kept: Answer, now: Instant) -> Option<String> {
        let size = kept.data.len() as u64;
        let settings = &self.settings;
        let fits = size <= settings.max_bytes.min(settings.max_total_bytes);
        if !fits || settings.max_count == 0 {
            return None;
        }
        let id = fresh_id()?;
        let mut entries = self.entries.lock();
        entries.forget(|entries, born| {
            entries.bytes + size > settings.max_total_bytes
                || entries.order.len() >= settings.max_count
                || now.saturating_duration_since(born) >= settings.lifetime
        });
        entries.bytes += size;
        entries.order.push_back(id.clone());
        entries.by_id.insert(id.clone(), (kept, now));
        Some(id)
    }

    fn find_at(&self, id: &str, owner: &str, now: Instant) -> Option<(Answer, Duration)> {
        let lifetime = self.settings.lifetime;
        let mut entries = self.entries.lock();
        entries.forget(|_, born| now.saturating_duration_since(born) >= lifetime);
        let (kept, born) = entries.by_id.get(id)?;
        let left = lifetime.saturating_sub(now.saturating_duration_since(*born));
        (*kept.owner == *owner).then(|| (kept.clone(), left))
    }
}

impl Entries {
    /// Drops the oldest as long as `is_due` says so of it.
    fn forget(&mut self, is_due: impl Fn(&Self, Instant) -> bool) {
        while let Some(id) = self.order.front() {
            let born = self.by_id.get(id).map(|(_, born)| *born);
            if born.is_some_and(|born| !is_due(self, born)) {
                return;
            }
            if let Some((kept, _)) = self.order.pop_front().and_then(|id| self.by_id.remove(&id)) {
                self.bytes -= kept.data.len() as u64;
            }
        }
    }
}

impl Kept for KeptInMemory {
    fn keep(&self, kept: Answer) -> Option<String> {
        self.keep_at(kept, Instant::now())
    }

    fn find(&self, id: &str, owner: &str) -> Option<(Answer, Duration)> {
        self.find_at(id, owner, Instant::now())
    }

    fn lifetime(&self) -> Duration {
        self.settings.lifetime
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(owner: &str, length: usize) -> Answer {
        Answer {
            owner: owner.into(),
            media_type: "text/plain".to_owned(),
            data: vec![b'x'; length].into(),
            is_text: true,
        }
    }

    #[test]
    fn only_the_owner_finds_it_and_only_for_a_while() {
        let store = KeptInMemory::new(Settings::default());
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let id = store.keep_at(kept("ada", 5), start).unwrap();
        assert_eq!(id.len(), 32);
        let (found, left) = store.find_at(&id, "ada", at(1)).unwrap();
        assert_eq!((found.data.len(), left), (5, Duration::from_secs(599)));
        assert!(store.find_at(&id, "bob", at(1)).is_none());
        assert!(store.find_at("0", "ada", at(1)).is_none());
        assert!(store.find_at(&id, "ada", at(600)).is_none());
        assert_eq!(store.entries.lock().bytes, 0);
    }

    #[test]
    fn the_oldest_make_room() {
        let store = KeptInMemory::new(Settings {
            max_bytes: 8,
            max_total_bytes: 10,
            max_count: 3,
            ..Settings::default()
        });
        assert!(store.keep(kept("a", 9)).is_none());
        let first = store.keep(kept("a", 4)).unwrap();
        let second = store.keep(kept("a", 4)).unwrap();
        let third = store.keep(kept("a", 6)).unwrap();
        assert_ne!(first, second);
        let there = |id: &str| store.find(id, "a").is_some();
        assert_eq!(
            (there(&first), there(&second), there(&third)),
            (false, true, true)
        );
        let small: Vec<String> = (0..3).filter_map(|_| store.keep(kept("a", 0))).collect();
        assert!(!there(&third) && small.iter().all(|id| there(id)));
        assert_eq!(store.entries.lock().bytes, 0);
        let none = KeptInMemory::new(Settings {
            max_bytes: 0,
            ..Settings::default()
        });
        assert!(none.keep(kept("a", 1)).is_none());
    }
}
