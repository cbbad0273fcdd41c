//! Which confirmations have been used.

use std::collections::HashMap;
use std::fmt;

use parking_lot::Mutex;

use super::Reply;

/// Names one confirmation; used up by the answer it came back with.
pub type Nonce = [u8; 16];

/// What became of an attempt to use a nonce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spending {
    /// It was fresh, and is used now.
    First,
    /// Somebody used it before.
    Again,
    /// It cannot be known; it must not be taken for fresh.
    Unknown,
}

/// Remembers nonces until they expire. Of two attempts at one nonce, exactly one is the first,
/// whichever task or replica makes them.
pub trait Spent: Send + Sync + fmt::Debug {
    /// Uses `nonce`, which nobody accepts any more at `expires`; both times in seconds since 1970.
    fn spend(&self, nonce: Nonce, expires: u64, now: u64) -> Reply<'_, Spending>;
}

/// Nonces in the memory of one process.
#[derive(Debug)]
pub struct SpentInMemory {
    limit: usize,
    used: Mutex<HashMap<Nonce, u64>>,
}

impl SpentInMemory {
    /// Remembers at most `limit` nonces; beyond it nothing is accepted until some have expired.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            used: Mutex::default(),
        }
    }

    fn spend_now(&self, nonce: Nonce, expires: u64, now: u64) -> Spending {
        let mut used = self.used.lock();
        if used.contains_key(&nonce) {
            return Spending::Again;
        }
        if used.len() >= self.limit {
            used.retain(|_, expires| *expires > now);
        }
        if used.len() >= self.limit {
            return Spending::Unknown;
        }
        used.insert(nonce, expires);
        Spending::First
    }
}

impl Spent for SpentInMemory {
    fn spend(&self, nonce: Nonce, expires: u64, now: u64) -> Reply<'_, Spending> {
        let spending = self.spend_now(nonce, expires, now);
        Box::pin(std::future::ready(spending))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_is_used_once_and_the_store_is_bounded() {
        let store = SpentInMemory::new(2);
        assert_eq!(store.spend_now([1; 16], 100, 10), Spending::First);
        assert_eq!(store.spend_now([1; 16], 100, 10), Spending::Again);
        assert_eq!(store.spend_now([2; 16], 50, 10), Spending::First);
        assert_eq!(store.spend_now([3; 16], 100, 49), Spending::Unknown);
        assert_eq!(store.spend_now([3; 16], 100, 50), Spending::First);
        assert_eq!(store.spend_now([1; 16], 100, 60), Spending::Again);
    }
}
