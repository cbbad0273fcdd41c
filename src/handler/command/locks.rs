//! Who works on what: two changing operations never work on one thing, and nobody waits in line.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::{CommandError, LockInfo};
use crate::tool::Progress;

/// How long a holder that is being ended is waited for; all signals together take less.
const PATIENCE: Duration = Duration::from_secs(8);

/// What is to be locked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wanted {
    /// The operation's name in messages.
    pub(super) operation: String,
    /// As the caller named it.
    pub(super) shown: String,
    pub(super) key: Key,
    /// The files that the program would pick in the folder that is locked: they are locked with it, so that a call
    /// that names the folder and one that names the file exclude each other.
    pub(super) picked: Vec<PathBuf>,
}

/// What a lock is on.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Key {
    /// A canonical path.
    Path(PathBuf),
    /// Everything on this machine that this kind of operation touches.
    Global,
}

impl Wanted {
    /// What the answer says of it.
    pub(super) fn info(&self) -> LockInfo {
        match &self.key {
            Key::Path(path) => LockInfo {
                scope: scope(path),
                key: path.display().to_string(),
            },
            Key::Global => LockInfo {
                scope: "global",
                key: self.family().to_owned(),
            },
        }
    }

    /// Operations of one kind, for instance `workload_install` and `workload_update`, exclude each other.
    fn family(&self) -> &str {
        self.operation.split('_').next().unwrap_or_default()
    }

    fn slots(&self) -> Vec<Slot> {
        let first = match &self.key {
            Key::Path(path) => Slot::of(path),
            Key::Global => Slot::Global(self.family().to_owned()),
        };
        let picked = self.picked.iter().map(|path| Slot::of(path));
        std::iter::once(first).chain(picked).collect()
    }
}

impl Slot {
    fn of(path: &Path) -> Self {
        // These systems take different letter cases for one file.
        match cfg!(any(windows, target_os = "macos")) {
            true => Self::Path(path.to_string_lossy().to_lowercase().into()),
            false => Self::Path(path.to_path_buf()),
        }
    }
}

fn scope(path: &Path) -> &'static str {
    let ending = path.extension().and_then(|ending| ending.to_str());
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("csproj" | "fsproj" | "vbproj") => "project",
        Some("sln" | "slnx") => "solution",
        _ => "workingDirectory",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Slot {
    Path(PathBuf),
    Global(String),
}

#[derive(Debug, Clone)]
struct Holder {
    operation: String,
    since: SystemTime,
    ending: Ending,
}

/// Tells when a call is over for whoever made it, although what it started may still be there.
#[derive(Debug, Clone)]
pub(super) struct Ending {
    /// Cancelled when what it started is being ended.
    pub(super) stop: CancellationToken,
    pub(super) caller: Arc<dyn Progress>,
}

impl Ending {
    fn has_begun(&self) -> bool {
        self.stop.is_cancelled() || self.caller.is_abandoned()
    }
}

/// All locks of this process.
#[derive(Debug, Clone, Default)]
pub(super) struct Locks(Arc<Table>);

#[derive(Debug, Default)]
struct Table {
    held: Mutex<HashMap<Slot, Holder>>,
    released: Notify,
}

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub(super) struct Held {
    table: Arc<Table>,
    slots: Vec<Slot>,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut held = self.table.held.lock();
        for slot in &self.slots {
            held.remove(slot);
        }
        drop(held);
        self.table.released.notify_waiters();
    }
}

impl Locks {
    /// Takes a lock or fails at once; `ending` tells when its holder is being ended. Only a holder that is
    /// being ended is waited for: to whoever cancelled it, it is over.
    pub(super) async fn take(
        &self,
        wanted: &Wanted,
        ending: &Ending,
    ) -> Result<Held, CommandError> {
        let until = Instant::now() + PATIENCE;
        loop {
            let released = self.0.released.notified();
            tokio::pin!(released);
            released.as_mut().enable();
            match self.attempt(wanted, ending) {
                Ok(held) => return Ok(held),
                Err((conflict, false)) => return Err(conflict),
                Err((conflict, true)) => {
                    if timeout_at(until, released).await.is_err() {
                        return Err(conflict);
                    }
                }
            }
        }
    }

    /// With a conflict, whether its holder is being ended.
    fn attempt(&self, wanted: &Wanted, ending: &Ending) -> Result<Held, (CommandError, bool)> {
        let slots = wanted.slots();
        let mut held = self.0.held.lock();
        if let Some(holder) = slots.iter().find_map(|slot| held.get(slot)) {
            let conflict = CommandError::Conflict {
                operation: wanted.operation.clone(),
                target: wanted.shown.clone(),
                running: holder.operation.clone(),
                since: holder.since,
                lock: Box::new(wanted.info()),
            };
            return Err((conflict, holder.ending.has_begun()));
        }
        let holder = Holder {
            operation: wanted.operation.clone(),
            since: SystemTime::now(),
            ending: ending.clone(),
        };
        for slot in &slots {
            held.insert(slot.clone(), holder.clone());
        }
        Ok(Held {
            table: Arc::clone(&self.0),
            slots,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::NoProgress;

    fn ending() -> Ending {
        Ending {
            stop: CancellationToken::new(),
            caller: Arc::new(NoProgress),
        }
    }

    fn wanted(operation: &str, path: Option<&str>) -> Wanted {
        Wanted {
            operation: operation.to_owned(),
            shown: path.unwrap_or("global").to_owned(),
            key: path.map_or(Key::Global, |path| Key::Path(path.into())),
            picked: Vec::new(),
        }
    }

    #[tokio::test]
    async fn one_at_a_time_on_one_thing() {
        let locks = Locks::default();
        let stop = ending();
        let build = wanted("build", Some("/r/a.csproj"));
        let held = locks.take(&build, &stop).await.unwrap();
        let other = wanted("restore", Some("/r/a.csproj"));
        let conflict = locks.take(&other, &stop).await.unwrap_err();
        let CommandError::Conflict {
            running,
            lock,
            operation,
            ..
        } = conflict
        else {
            panic!("{conflict:?}");
        };
        assert_eq!((running.as_str(), operation.as_str()), ("build", "restore"));
        assert_eq!((lock.scope, lock.key.as_str()), ("project", "/r/a.csproj"));
        assert!(
            locks
                .take(&wanted("build", Some("/r/b.csproj")), &stop)
                .await
                .is_ok()
        );
        drop(held);
        assert!(locks.take(&other, &stop).await.is_ok());
        let _install = locks
            .take(&wanted("workload_install", None), &stop)
            .await
            .unwrap();
        assert!(
            locks
                .take(&wanted("workload_update", None), &stop)
                .await
                .is_err()
        );
        assert!(
            locks
                .take(&wanted("template_install", None), &stop)
                .await
                .is_ok()
        );
    }

    #[tokio::test]
    async fn a_folder_is_locked_with_the_files_that_would_be_picked_in_it() {
        let locks = Locks::default();
        let stop = ending();
        let file = wanted("build", Some("/r/app/app.csproj"));
        let folder = Wanted {
            picked: vec!["/r/app/app.csproj".into(), "/r/app/app.sln".into()],
            ..wanted("package_add", Some("/r/app"))
        };
        for (first, second) in [(&file, &folder), (&folder, &file), (&folder, &folder)] {
            let held = locks.take(first, &stop).await.unwrap();
            let conflict = locks.take(second, &stop).await.unwrap_err();
            let CommandError::Conflict { running, lock, .. } = conflict else {
                panic!("{conflict:?}");
            };
            assert_eq!((running, *lock), (first.operation.clone(), second.info()));
            drop(held);
        }
        assert!(locks.take(&file, &stop).await.is_ok());
    }

    #[tokio::test]
    async fn a_holder_that_is_being_ended_is_waited_for() {
        let locks = Locks::default();
        let stop = ending();
        let build = wanted("build", Some("/r/a.sln"));
        let held = locks.take(&build, &stop).await.unwrap();
        stop.stop.cancel();
        let other = ending();
        let next = locks.take(&build, &other);
        let release = async {
            tokio::task::yield_now().await;
            drop(held);
        };
        let (next, ()) = tokio::join!(next, release);
        assert!(next.is_ok());
    }
}
