//! What is remembered against misuse of the page: wrong tokens of the last minute, and sessions that were ended. Both are
//! bounded, and kept by this process alone.

use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::secret::Fingerprint;

/// Wrong tokens in [`SPAN`] after which no more are looked at.
const MOST_WRONG: usize = 10;
/// In seconds.
const SPAN: u64 = 60;
/// Ended sessions that are remembered; it takes an operator to end one.
const MOST_ENDED: usize = 4096;

/// Too many tokens were wrong; seconds until the next one is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMany(pub(super) u64);

/// Wrong tokens of the last minute.
#[derive(Debug, Default)]
pub(super) struct Attempts(Mutex<VecDeque<(u64, Fingerprint)>>);

impl Attempts {
    /// Whether one more token is looked at.
    ///
    /// # Errors
    /// [`TooMany`] where it is not.
    pub(super) fn check(&self, now: u64) -> Result<(), TooMany> {
        let mut wrong = self.0.lock();
        wrong.retain(|(at, _)| at.saturating_add(SPAN) > now);
        match wrong.front() {
            Some((first, _)) if wrong.len() >= MOST_WRONG => Err(TooMany(
                first.saturating_add(SPAN).saturating_sub(now).max(1),
            )),
            _ => Ok(()),
        }
    }

    /// A token was wrong.
    pub(super) fn failed(&self, token: &str, now: u64) {
        let token = Fingerprint::of(token);
        let mut wrong = self.0.lock();
        if wrong.len() < MOST_WRONG && wrong.iter().all(|(_, known)| *known != token) {
            wrong.push_back((now, token));
        }
    }
}

/// Sessions that ended before their time.
#[derive(Debug, Default)]
pub(super) struct Ended(Mutex<VecDeque<String>>);

impl Ended {
    /// Remembers the session with this value until it would have ended anyway.
    pub(super) fn add(&self, value: &str, now: u64) {
        let mut ended = self.0.lock();
        ended.retain(|value| expiry(value).is_some_and(|end| end > now));
        if ended.len() >= MOST_ENDED {
            ended.pop_front();
        }
        ended.push_back(value.to_owned());
    }

    pub(super) fn has(&self, value: &str) -> bool {
        self.0.lock().iter().any(|ended| ended == value)
    }
}

/// When a session ends, in seconds since 1970, by its value: `end.random.tag`.
pub(super) fn expiry(value: &str) -> Option<u64> {
    value.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_tokens_are_looked_at_ten_times_a_minute() {
        let attempts = Attempts::default();
        for number in 0..10 {
            assert_eq!(attempts.check(100 + number), Ok(()));
            attempts.failed(&format!("guess-{number}"), 100 + number);
            // A program that was left with an old token locks nobody out.
            attempts.failed("guess-0", 100 + number);
        }
        assert_eq!(attempts.check(110), Err(TooMany(50)));
        assert_eq!(attempts.check(159), Err(TooMany(1)));
        assert_eq!(attempts.check(160), Ok(()));
        assert_eq!(attempts.0.lock().len(), 9);
    }

    #[test]
    fn ended_sessions_are_remembered_as_long_as_they_would_last() {
        let ended = Ended::default();
        for number in 0..MOST_ENDED * 2 {
            ended.add(&format!("200.{number}.tag"), 100);
        }
        assert_eq!(ended.0.lock().len(), MOST_ENDED);
        assert!(ended.has(&format!("200.{}.tag", MOST_ENDED * 2 - 1)));
        ended.add("300.0.tag", 200);
        assert_eq!(ended.0.lock().len(), 1);
    }
}
