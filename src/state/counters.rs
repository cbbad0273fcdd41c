//! What was called how often: the counts behind the limits.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher as _, BuildHasherDefault, Hasher, RandomState};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use governor::RateLimiter;
use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::DashMapStateStore;
use governor::state::{InMemoryState, NotKeyed};

/// Callers whose last call is long ago are forgotten beyond this many.
const MOST_KEYS: usize = 10_000;
/// How many calls pass between two looks at how many there are: it takes every shard's lock.
const LOOK_EVERY: u32 = 256;

/// So many calls in so long a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How many, which is also how many may come at once.
    pub calls: NonZeroU32,
    /// In which time; not zero.
    pub per: Duration,
}

/// Which calls are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quota {
    /// Those of one caller: by a rate of its own, if it has one.
    Caller,
    /// Those of one tool.
    Tool,
    /// All of them.
    All,
}

/// A quota that is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsedUp {
    /// Which.
    pub quota: Quota,
    /// How long until a call may pass.
    pub wait: Duration,
}

/// What is allowed; nothing is counted where nothing is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Quotas {
    /// Of one caller.
    pub caller: Option<Rate>,
    /// Of these callers, by their principal, instead of `caller`.
    pub own: Vec<(Arc<str>, Rate)>,
    /// Of one tool, whoever calls it.
    pub tool: Option<Rate>,
    /// Of all callers and tools together.
    pub all: Option<Rate>,
}

/// Counts calls. Asked on the way of every call: it answers at once.
pub trait Counters: Send + Sync + fmt::Debug {
    /// Counts one call of a tool by a caller, for all quotas there are. A call that one refuses may have been counted
    /// by those before it; the caller's comes first, so that nobody uses up what belongs to all.
    ///
    /// # Errors
    /// [`UsedUp`] with the quota that refuses it.
    fn count(&self, caller: &str, tool: &str) -> Result<(), UsedUp>;
}

/// Counters in the memory of one process (GCRA).
#[derive(Debug, Default)]
pub struct Governed {
    /// Whether anything is limited.
    has_limits: bool,
    clock: CallClock,
    calls: AtomicU32,
    hasher: RandomState,
    caller: Option<Keyed>,
    own: HashMap<Arc<str>, Single>,
    tool: Option<Keyed>,
    all: Option<Single>,
}

type Single = RateLimiter<NotKeyed, InMemoryState, CallClock, NoOpMiddleware<Nanos>>;
/// By the hash of a name, which nobody outside can foresee: the name itself would be copied for each call.
type Keyed = RateLimiter<u64, ByHash, CallClock, NoOpMiddleware<Nanos>>;
type ByHash = DashMapStateStore<u64, BuildHasherDefault<Hashed>>;

/// For what is a hash already.
#[derive(Debug, Clone, Copy, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl Governed {
    /// Counters for these quotas.
    #[must_use]
    pub fn new(quotas: &Quotas) -> Self {
        let clock = CallClock::default();
        let single = |rate: Rate| {
            let state = InMemoryState::default();
            RateLimiter::new(rate.quota(), state, clock.clone())
        };
        let keyed = |rate: Rate| {
            let state = ByHash::default();
            RateLimiter::new(rate.quota(), state, clock.clone())
        };
        let own = quotas.own.iter();
        Self {
            has_limits: *quotas != Quotas::default(),
            calls: AtomicU32::new(0),
            hasher: RandomState::new(),
            caller: quotas.caller.map(keyed),
            own: own
                .map(|(name, rate)| (Arc::clone(name), single(*rate)))
                .collect(),
            tool: quotas.tool.map(keyed),
            all: quotas.all.map(single),
            clock,
        }
    }

    fn count_one(&self, limiter: &Single) -> Result<(), Duration> {
        let result = limiter.check();
        result.map_err(|until| until.wait_time_from(self.clock.now()))
    }

    fn count_key(&self, limiter: &Keyed, key: &str) -> Result<(), Duration> {
        let looks = self
            .calls
            .fetch_add(1, Ordering::Relaxed)
            .is_multiple_of(LOOK_EVERY);
        if looks && limiter.len() > MOST_KEYS {
            limiter.retain_recent();
        }
        let result = limiter.check_key(&self.hasher.hash_one(key));
        result.map_err(|until| until.wait_time_from(self.clock.now()))
    }

    fn count_caller(&self, caller: &str) -> Result<(), Duration> {
        // Most configurations have no rates of their own, and a name need not be hashed for that.
        if !self.own.is_empty()
            && let Some(limiter) = self.own.get(caller)
        {
            return self.count_one(limiter);
        }
        let Some(limiter) = &self.caller else {
            return Ok(());
        };
        self.count_key(limiter, caller)
    }
}

impl Counters for Governed {
    fn count(&self, caller: &str, tool: &str) -> Result<(), UsedUp> {
        if !self.has_limits {
            return Ok(());
        }
        self.clock.set();
        let used_up = |quota| move |wait| UsedUp { quota, wait };
        self.count_caller(caller).map_err(used_up(Quota::Caller))?;
        if let Some(limiter) = &self.tool {
            let counted = self.count_key(limiter, tool);
            counted.map_err(used_up(Quota::Tool))?;
        }
        if let Some(limiter) = &self.all {
            self.count_one(limiter).map_err(used_up(Quota::All))?;
        }
        Ok(())
    }
}

/// The time of the last call: all limits of a call see the same, and the system is asked once.
#[derive(Debug, Clone)]
struct CallClock {
    start: Instant,
    /// Since then, in nanoseconds.
    last: Arc<AtomicU64>,
}

impl Default for CallClock {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            last: Arc::default(),
        }
    }
}

impl CallClock {
    fn set(&self) {
        let now = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        // Of calls at the same time, none turns it back.
        self.last.fetch_max(now, Ordering::Relaxed);
    }
}

impl Clock for CallClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        Nanos::new(self.last.load(Ordering::Relaxed))
    }
}

impl Rate {
    fn quota(self) -> governor::Quota {
        let each = self.per / self.calls.get();
        // A time of zero is no limit at all.
        governor::Quota::with_period(each.max(Duration::from_nanos(1)))
            .unwrap_or_else(|| governor::Quota::per_second(self.calls))
            .allow_burst(self.calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_quota() {
        let rate = Rate {
            calls: NonZeroU32::new(2).unwrap(),
            per: Duration::from_secs(3600),
        };
        let counters = Governed::new(&Quotas {
            caller: Some(rate),
            ..Quotas::default()
        });
        for _ in 0..2 {
            assert!(counters.count("ann", "x").is_ok());
        }
        let UsedUp { quota, wait } = counters.count("ann", "x").unwrap_err();
        assert_eq!(quota, Quota::Caller);
        assert!(wait > Duration::from_secs(1700), "{wait:?}");
        assert!(counters.count("bob", "x").is_ok());
    }

    #[test]
    fn time_gives_calls_back() {
        let hour = Duration::from_secs(3600);
        let rate = Rate {
            calls: NonZeroU32::new(1).unwrap(),
            per: hour,
        };
        let counters = Governed::new(&Quotas {
            tool: Some(rate),
            ..Quotas::default()
        });
        assert!(counters.count("ann", "x").is_ok());
        let used_up = counters.count("bob", "x").unwrap_err();
        assert_eq!(used_up.quota, Quota::Tool);
        // An hour passes.
        let hour = u64::try_from(hour.as_nanos()).unwrap();
        counters.clock.last.fetch_add(hour, Ordering::Relaxed);
        assert!(counters.count("bob", "x").is_ok());
    }
}
