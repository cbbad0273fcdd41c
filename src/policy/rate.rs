//! How much is allowed: calls in a time for each caller, each tool and in all, and calls at a time for
//! each upstream.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::state::{Counters, Governed, Quota, Quotas, UsedUp};

/// What is allowed; nothing is limited where nothing is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// In a time.
    pub quotas: Quotas,
    /// Calls of one upstream at a time; further ones wait.
    pub concurrency: Option<NonZeroU32>,
    /// How long they wait.
    pub patience: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            quotas: Quotas::default(),
            concurrency: None,
            patience: Duration::from_secs(10),
        }
    }
}

/// The counters. Places at an upstream belong to the process that holds its connections.
#[derive(Debug)]
pub struct Limits {
    counters: Arc<dyn Counters>,
    concurrency: Option<(NonZeroU32, Duration)>,
    /// There are few.
    upstreams: Mutex<BTreeMap<String, Arc<Semaphore>>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self::new(&Settings::default(), Arc::new(Governed::default()))
    }
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
    /// Limits by these counters, which know the same quotas.
    #[must_use]
    pub fn new(settings: &Settings, counters: Arc<dyn Counters>) -> Self {
        Self {
            counters,
            concurrency: settings.concurrency.map(|most| (most, settings.patience)),
            upstreams: Mutex::default(),
        }
    }

    /// Counts one call of a tool by a caller.
    ///
    /// # Errors
    /// [`Limited`] with the limit and the time to wait.
    pub fn check(&self, caller: &str, tool: &str) -> Result<(), Limited> {
        let counted = self.counters.count(caller, tool);
        counted.map_err(|UsedUp { quota, wait }| Limited {
            what: match quota {
                Quota::Caller => "by this caller",
                Quota::Tool => "of this tool",
                Quota::All => "by all callers together",
            },
            wait,
        })
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
            let mut upstreams = self.upstreams.lock();
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
        // Most find one at once, and then a timer would be work for nothing.
        if let Ok(permit) = Arc::clone(&places).try_acquire_owned() {
            return Ok(Some(permit));
        }
        match tokio::time::timeout(patience, places.acquire_owned()).await {
            Ok(permit) => Ok(permit.ok()),
            Err(_) => Err(Limited {
                what: "at a time for this service",
                wait: patience,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Rate;

    fn limited_by(settings: &Settings) -> Limits {
        Limits::new(settings, Arc::new(Governed::new(&settings.quotas)))
    }

    fn rate(calls: u32, per: u64) -> Option<Rate> {
        Some(Rate {
            calls: NonZeroU32::new(calls).unwrap(),
            per: Duration::from_secs(per),
        })
    }

    #[test]
    fn each_limit_counts_for_itself() {
        let limits = limited_by(&Settings {
            quotas: Quotas {
                caller: rate(2, 3600),
                own: Vec::new(),
                tool: rate(3, 3600),
                all: rate(4, 3600),
            },
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
        let limits = |caller| {
            limited_by(&Settings {
                quotas: Quotas {
                    caller,
                    own: vec![("ann".into(), rate(2, 3600).unwrap())],
                    ..Quotas::default()
                },
                ..Settings::default()
            })
        };
        let free = limits(None);
        let limits = limits(rate(1, 3600));
        let check = |caller| limits.check(caller, "x").is_ok();
        assert!(check("ann") && check("ann") && !check("ann"));
        assert!(check("bob") && !check("bob"));
        let check = |caller| free.check(caller, "x").is_ok();
        assert!(check("ann") && check("ann") && !check("ann"));
        assert!(check("bob") && check("bob"));
    }

    #[test]
    fn the_time_to_wait_is_told() {
        let limits = limited_by(&Settings {
            quotas: Quotas {
                all: rate(1, 3600),
                ..Quotas::default()
            },
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
        let limits = limited_by(&Settings {
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
