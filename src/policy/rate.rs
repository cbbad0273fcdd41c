//! How much is allowed: calls in a time for each caller, each tool and in all, and calls at a time for
//! each upstream.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Callers whose last call is long ago are forgotten beyond this many.
const MOST_CALLERS: usize = 10_000;

/// So many calls in so long a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How many, which is also how many may come at once.
    pub calls: NonZeroU32,
    /// In which time; not zero.
    pub per: Duration,
}

/// What is allowed; nothing is limited where nothing is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Of one caller.
    pub caller: Option<Rate>,
    /// Of these callers, by their principal, instead of `caller`.
    pub own: Vec<(Arc<str>, Rate)>,
    /// Of one tool, whoever calls it.
    pub tool: Option<Rate>,
    /// Of all callers and tools together.
    pub all: Option<Rate>,
    /// Calls of one upstream at a time; further ones wait.
    pub concurrency: Option<NonZeroU32>,
    /// How long they wait.
    pub patience: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            caller: None,
            own: Vec::new(),
            tool: None,
            all: None,
            concurrency: None,
            patience: Duration::from_secs(10),
        }
    }
}

/// The counters.
#[derive(Debug, Default)]
pub struct Limits {
    clock: DefaultClock,
    caller: Option<DefaultKeyedRateLimiter<String>>,
    own: HashMap<Arc<str>, DefaultDirectRateLimiter>,
    tool: Option<DefaultKeyedRateLimiter<String>>,
    all: Option<DefaultDirectRateLimiter>,
    concurrency: Option<(NonZeroU32, Duration)>,
    upstreams: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// A call that may not go on now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("too many calls {what}: wait {} s, then call again", .wait.as_secs_f64().ceil().max(1.0))]
pub struct Limited {
    /// Whose limit it is.
    pub what: &'static str,
    /// When a call may pass again.
    pub wait: Duration,
}

impl Limits {
    /// Counters for these settings.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self {
            clock: DefaultClock::default(),
            caller: settings.caller.map(|rate| RateLimiter::keyed(rate.quota())),
            own: settings
                .own
                .iter()
                .map(|(name, rate)| (Arc::clone(name), RateLimiter::direct(rate.quota())))
                .collect(),
            tool: settings.tool.map(|rate| RateLimiter::keyed(rate.quota())),
            all: settings.all.map(|rate| RateLimiter::direct(rate.quota())),
            concurrency: settings.concurrency.map(|most| (most, settings.patience)),
            upstreams: Mutex::default(),
        }
    }

    /// Counts one call of a tool by a caller. A call that one limit refuses may have been counted by
    /// those before it; the caller's comes first, so that nobody uses up what belongs to all.
    ///
    /// # Errors
    /// [`Limited`] with the limit and the time to wait.
    pub fn check(&self, caller: &str, tool: &str) -> Result<(), Limited> {
        let limited = |what, until: governor::NotUntil<_>| Limited {
            what,
            wait: until.wait_time_from(self.clock.now()),
        };
        if let Some(limiter) = self.own.get(caller) {
            limiter
                .check()
                .map_err(|until| limited("by this caller", until))?;
        } else if let Some(limiter) = &self.caller {
            if limiter.len() > MOST_CALLERS {
                limiter.retain_recent();
            }
            limiter
                .check_key(&caller.to_owned())
                .map_err(|until| limited("by this caller", until))?;
        }
        if let Some(limiter) = &self.tool {
            limiter
                .check_key(&tool.to_owned())
                .map_err(|until| limited("of this tool", until))?;
        }
        if let Some(limiter) = &self.all {
            limiter
                .check()
                .map_err(|until| limited("by all callers together", until))?;
        }
        Ok(())
    }

    /// Waits for a place at an upstream, which is held until the permit goes. `None` where there is no limit.
    ///
    /// # Errors
    /// [`Limited`] when none got free in time.
    pub async fn place(&self, upstream: &str) -> Result<Option<OwnedSemaphorePermit>, Limited> {
        let Some((most, patience)) = self.concurrency else {
            return Ok(None);
        };
        let places = {
            let mut upstreams = self
                .upstreams
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            match upstreams.get(upstream) {
                Some(places) => Arc::clone(places),
                None => {
                    let size = usize::try_from(most.get()).unwrap_or(usize::MAX);
                    let places = Arc::new(Semaphore::new(size.min(Semaphore::MAX_PERMITS)));
                    upstreams.insert(upstream.to_owned(), Arc::clone(&places));
                    places
                }
            }
        };
        match tokio::time::timeout(patience, places.acquire_owned()).await {
            Ok(permit) => Ok(permit.ok()),
            Err(_) => Err(Limited {
                what: "at a time for this service",
                wait: patience,
            }),
        }
    }
}

impl Rate {
    fn quota(self) -> Quota {
        let each = self.per / self.calls.get();
        // A time of zero is no limit at all.
        Quota::with_period(each.max(Duration::from_nanos(1)))
            .unwrap_or_else(|| Quota::per_second(self.calls))
            .allow_burst(self.calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(calls: u32, per: u64) -> Option<Rate> {
        Some(Rate {
            calls: NonZeroU32::new(calls).unwrap(),
            per: Duration::from_secs(per),
        })
    }

    #[test]
    fn each_limit_counts_for_itself() {
        let limits = Limits::new(&Settings {
            caller: rate(2, 3600),
            tool: rate(3, 3600),
            all: rate(4, 3600),
            ..Settings::default()
        });
        let check = |caller, tool| limits.check(caller, tool).map_err(|limited| limited.what);
        assert_eq!(check("ann", "x"), Ok(()));
        assert_eq!(check("ann", "x"), Ok(()));
        assert_eq!(check("ann", "x"), Err("by this caller"));
        assert_eq!(check("bob", "x"), Ok(()));
        assert_eq!(check("cid", "x"), Err("of this tool"));
        assert_eq!(check("bob", "y"), Ok(()));
        assert_eq!(check("dan", "z"), Err("by all callers together"));
    }

    #[test]
    fn a_caller_with_a_rate_of_its_own_has_no_other() {
        let limits = Limits::new(&Settings {
            caller: rate(1, 3600),
            own: vec![("ann".into(), rate(2, 3600).unwrap())],
            ..Settings::default()
        });
        let check = |caller| limits.check(caller, "x").is_ok();
        assert!(check("ann") && check("ann") && !check("ann"));
        assert!(check("bob") && !check("bob"));
    }

    #[test]
    fn the_time_to_wait_is_told() {
        let limits = Limits::new(&Settings {
            all: rate(1, 3600),
            ..Settings::default()
        });
        limits.check("a", "b").unwrap();
        let limited = limits.check("a", "b").unwrap_err();
        assert!(limited.wait > Duration::from_secs(3500), "{limited:?}");
        assert!(limited.to_string().contains("wait 3"), "{limited}");
        assert!(Limits::default().check("a", "b").is_ok());
    }

    #[tokio::test]
    async fn places_are_counted_for_each_upstream() {
        let limits = Limits::new(&Settings {
            concurrency: NonZeroU32::new(1),
            patience: Duration::ZERO,
            ..Settings::default()
        });
        let first = limits.place("a").await.unwrap();
        assert!(first.is_some());
        assert!(limits.place("a").await.is_err());
        assert!(limits.place("b").await.is_ok());
        drop(first);
        assert!(limits.place("a").await.is_ok());
        assert!(Limits::default().place("a").await.unwrap().is_none());
    }
}
