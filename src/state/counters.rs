//! What was called how often: the counts behind the limits.

use std::collections::HashMap;
use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, RateLimiter};

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
    /// Those of the caller who is the key: by a rate of its own, if it has one.
    Caller,
    /// Those of the tool that is the key.
    Tool,
    /// All of them; the key is empty.
    All,
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
    /// Counts one call.
    ///
    /// # Errors
    /// Where its quota is used up: how long until a call may pass.
    fn count(&self, quota: Quota, key: &str) -> Result<(), Duration>;
}

/// Counters in the memory of one process (GCRA).
#[derive(Debug, Default)]
pub struct Governed {
    clock: DefaultClock,
    calls: AtomicU32,
    caller: Option<DefaultKeyedRateLimiter<String>>,
    own: HashMap<Arc<str>, DefaultDirectRateLimiter>,
    tool: Option<DefaultKeyedRateLimiter<String>>,
    all: Option<DefaultDirectRateLimiter>,
}

impl Governed {
    /// Counters for these quotas.
    #[must_use]
    pub fn new(quotas: &Quotas) -> Self {
        let own = quotas.own.iter();
        Self {
            clock: DefaultClock::default(),
            calls: AtomicU32::new(0),
            caller: quotas.caller.map(|rate| RateLimiter::keyed(rate.quota())),
            own: own
                .map(|(name, rate)| (Arc::clone(name), RateLimiter::direct(rate.quota())))
                .collect(),
            tool: quotas.tool.map(|rate| RateLimiter::keyed(rate.quota())),
            all: quotas.all.map(|rate| RateLimiter::direct(rate.quota())),
        }
    }

    fn count_one(&self, limiter: Option<&DefaultDirectRateLimiter>) -> Result<(), Duration> {
        let Some(limiter) = limiter else {
            return Ok(());
        };
        let result = limiter.check();
        result.map_err(|until| until.wait_time_from(self.clock.now()))
    }

    fn count_key(
        &self,
        limiter: Option<&DefaultKeyedRateLimiter<String>>,
        key: &str,
    ) -> Result<(), Duration> {
        let Some(limiter) = limiter else {
            return Ok(());
        };
        let looks = self
            .calls
            .fetch_add(1, Ordering::Relaxed)
            .is_multiple_of(LOOK_EVERY);
        if looks && limiter.len() > MOST_KEYS {
            limiter.retain_recent();
        }
        let result = limiter.check_key(&key.to_owned());
        result.map_err(|until| until.wait_time_from(self.clock.now()))
    }
}

impl Counters for Governed {
    fn count(&self, quota: Quota, key: &str) -> Result<(), Duration> {
        match quota {
            Quota::Caller => match self.own.get(key) {
                Some(limiter) => self.count_one(Some(limiter)),
                None => self.count_key(self.caller.as_ref(), key),
            },
            Quota::Tool => self.count_key(self.tool.as_ref(), key),
            Quota::All => self.count_one(self.all.as_ref()),
        }
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
            assert!(counters.count(Quota::Caller, "ann").is_ok());
            assert!(counters.count(Quota::Tool, "ann").is_ok());
        }
        let wait = counters.count(Quota::Caller, "ann").unwrap_err();
        assert!(wait > Duration::from_secs(1700), "{wait:?}");
        assert!(counters.count(Quota::Caller, "bob").is_ok());
    }
}
