//! Pending calls in the memory of one process, bounded.

use std::collections::VecDeque;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

use super::{Ask, Entry, Full, Pending, Stage, Undecidable, Verdict};
use crate::state::{Reply, fresh_id};

/// Of those that are over, this many are remembered.
pub(super) const MOST_RECENT: usize = 50;

/// Pending calls in the memory of one process.
#[derive(Debug)]
pub struct PendingInMemory {
    limit: usize,
    entries: Mutex<Entries>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Entries {
    /// In the order of their arrival.
    live: Vec<Entry>,
    /// The latest last.
    over: VecDeque<Entry>,
}

impl PendingInMemory {
    /// At most `limit` at once.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            entries: Mutex::default(),
            changed: Notify::new(),
        }
    }

    fn lock(&self, now: u64) -> MutexGuard<'_, Entries> {
        let mut entries = self.entries.lock();
        entries.sweep(now);
        entries
    }

    fn enter_now(&self, ask: Ask, now: u64) -> Result<(Entry, bool), Full> {
        let mut entries = self.lock(now);
        if let Some(same) = entries
            .live
            .iter()
            .find(|entry| entry.ask.subject == ask.subject)
        {
            return Ok((same.clone(), false));
        }
        let live = &mut entries.live;
        let mine = live.iter().filter(|one| one.ask.owner == ask.owner).count();
        if live.len() >= self.limit || mine >= self.limit.div_ceil(2) {
            return Err(Full);
        }
        // Without randomness the id could be guessed.
        let id = fresh_id().ok_or(Full)?;
        let entry = Entry {
            id: id.into(),
            created: now,
            expires: ask.expires,
            stage: Stage::Open,
            ask,
        };
        live.push(entry.clone());
        Ok((entry, true))
    }

    fn decide_now(&self, id: &str, verdict: Verdict, now: u64) -> Result<Entry, Undecidable> {
        let decided = {
            let mut entries = self.lock(now);
            let Some(entry) = entries.find_mut(id) else {
                return Err(Undecidable::Unknown);
            };
            if entry.stage != Stage::Open {
                return Err(Undecidable::Over(Box::new(entry.clone())));
            }
            entry.expires = verdict.until;
            entry.stage = if verdict.approved {
                Stage::Approved(verdict)
            } else {
                Stage::Denied(verdict)
            };
            entry.clone()
        };
        self.changed.notify_waiters();
        Ok(decided)
    }

    fn end(&self, id: &str, now: u64, next: impl Fn(&Stage) -> Option<Stage>) -> bool {
        let ended = {
            let mut entries = self.lock(now);
            let at = entries.live.iter().position(|entry| *entry.id == *id);
            match at.and_then(|at| Some((at, next(&entries.live[at].stage)?))) {
                Some((at, stage)) => {
                    let entry = entries.live.remove(at);
                    entries.bury(Entry { stage, ..entry });
                    true
                }
                None => false,
            }
        };
        self.changed.notify_waiters();
        ended
    }

    async fn settled_now(&self, id: &str) {
        loop {
            // Before the look, so that nothing falls between the two.
            let changed = self.changed.notified();
            let open = {
                let entries = self.entries.lock();
                let mut live = entries.live.iter();
                live.any(|entry| *entry.id == *id && entry.stage == Stage::Open)
            };
            if !open {
                return;
            }
            changed.await;
        }
    }
}

impl Entries {
    fn sweep(&mut self, now: u64) {
        let due: Vec<Entry> = self
            .live
            .extract_if(.., |entry| entry.expires <= now)
            .collect();
        for mut entry in due {
            if entry.stage == Stage::Open {
                entry.stage = Stage::Expired;
            }
            self.bury(entry);
        }
    }

    fn bury(&mut self, entry: Entry) {
        if self.over.len() >= MOST_RECENT {
            self.over.pop_front();
        }
        self.over.push_back(entry);
    }

    fn find_mut(&mut self, id: &str) -> Option<&mut Entry> {
        let mut all = self.live.iter_mut().chain(self.over.iter_mut());
        all.find(|entry| *entry.id == *id)
    }
}

impl Pending for PendingInMemory {
    fn enter(&self, ask: Ask, now: u64) -> Reply<'_, Result<(Entry, bool), Full>> {
        let entered = self.enter_now(ask, now);
        Box::pin(std::future::ready(entered))
    }

    fn find(&self, id: &str, now: u64) -> Reply<'_, Option<Entry>> {
        let found = self.lock(now).find_mut(id).cloned();
        Box::pin(std::future::ready(found))
    }

    fn decide(
        &self,
        id: &str,
        verdict: Verdict,
        now: u64,
    ) -> Reply<'_, Result<Entry, Undecidable>> {
        let decided = self.decide_now(id, verdict, now);
        Box::pin(std::future::ready(decided))
    }

    fn take(&self, id: &str, now: u64) -> Reply<'_, bool> {
        let taken = self.end(id, now, |stage| match stage {
            Stage::Approved(verdict) => Some(Stage::Used(verdict.clone())),
            _ => None,
        });
        Box::pin(std::future::ready(taken))
    }

    fn withdraw(&self, id: &str, now: u64) -> Reply<'_, ()> {
        self.end(id, now, |stage| {
            (*stage == Stage::Open).then_some(Stage::Withdrawn)
        });
        Box::pin(std::future::ready(()))
    }

    fn settled(&self, id: &str) -> Reply<'_, ()> {
        let id = id.to_owned();
        Box::pin(async move { self.settled_now(&id).await })
    }

    fn list(&self, now: u64) -> Reply<'_, (Vec<Entry>, Vec<Entry>)> {
        let entries = self.lock(now);
        let (open, decided): (Vec<Entry>, Vec<Entry>) = entries
            .live
            .iter()
            .cloned()
            .partition(|entry| entry.stage == Stage::Open);
        let over = entries.over.iter().rev().cloned();
        let recent = decided.into_iter().rev().chain(over).collect();
        Box::pin(std::future::ready((open, recent)))
    }
}
