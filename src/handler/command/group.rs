//! A process group: signals go to all of it, never to its leader alone.
//!
//! What a leader started lives on when only the leader is signalled, and a leader that has ended may leave
//! members behind; both are the group's.

use std::time::Duration;

use tokio::process::Child;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

/// How often is looked whether the group is gone.
const TICK: Duration = Duration::from_millis(10);
/// How long members may take to end by themselves after their leader has.
const GRACE: Duration = Duration::from_millis(200);
/// How long each signal is given.
const PATIENCE: Duration = Duration::from_secs(2);

/// The group whose leader is a child of ours.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    id: u32,
}

impl Group {
    /// The group of a child that was started as the leader of one.
    pub(super) fn of(child: &Child) -> Self {
        Self {
            id: child.id().unwrap_or_default(),
        }
    }

    /// The leader's process id.
    pub(super) fn leader(self) -> u32 {
        self.id
    }

    /// Ends everything in the group: asked first, then told, then killed; with `hurry` one right after another. The
    /// leader is reaped on the way.
    pub(super) async fn end(self, child: &mut Child, hurry: &CancellationToken) {
        for (at, signal) in system::SIGNALS.iter().enumerate() {
            let is_last = at + 1 == system::SIGNALS.len();
            system::send(self.id, *signal, child);
            let until = Instant::now() + PATIENCE;
            loop {
                let is_reaped = !matches!(child.try_wait(), Ok(None));
                if is_reaped && !system::is_alive(self.id) {
                    return;
                }
                if Instant::now() >= until || (hurry.is_cancelled() && !is_last) {
                    break;
                }
                sleep(TICK).await;
            }
        }
    }

    /// Waits a moment for members that outlive their leader, then ends them.
    pub(super) async fn end_rest(self, child: &mut Child, hurry: &CancellationToken) {
        let until = Instant::now() + GRACE;
        while system::is_alive(self.id) {
            if Instant::now() >= until {
                return self.end(child, hurry).await;
            }
            sleep(TICK).await;
        }
    }
}

#[cfg(unix)]
mod system {
    use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
    use tokio::process::Child;

    /// In this order: an interrupt ends a build at once and cleanly, programs that ignore it mind the second.
    pub(super) const SIGNALS: &[Signal] = &[Signal::INT, Signal::TERM, Signal::KILL];

    fn pid(group: u32) -> Option<Pid> {
        // 0 and 1 would mean our own group, and everybody.
        let id = i32::try_from(group).ok().filter(|id| *id > 1)?;
        Pid::from_raw(id)
    }

    pub(super) fn send(group: u32, signal: Signal, _child: &mut Child) {
        if let Some(pid) = pid(group) {
            // It may have ended a moment ago.
            let _ = kill_process_group(pid, signal);
        }
    }

    /// Whether a member runs; those that have ended and wait to be reaped by somebody else do not.
    pub(super) fn is_alive(group: u32) -> bool {
        let Some(pid) = pid(group) else {
            return false;
        };
        test_kill_process_group(pid).is_ok() && has_members(group)
    }

    /// Linux tells members that have ended from those that run; a container may have nobody who reaps them.
    #[cfg(target_os = "linux")]
    fn has_members(group: u32) -> bool {
        let Ok(processes) = std::fs::read_dir("/proc") else {
            return true;
        };
        let is_process = |name: &std::ffi::OsStr| {
            let name = name.as_encoded_bytes();
            !name.is_empty() && name.iter().all(u8::is_ascii_digit)
        };
        processes.flatten().any(|entry| {
            is_process(&entry.file_name())
                && std::fs::read_to_string(entry.path().join("stat"))
                    .is_ok_and(|stat| is_running_member(&stat, group))
        })
    }

    /// `pid (name) state ppid pgrp ...`; the name may hold anything (proc(5)).
    #[cfg(target_os = "linux")]
    fn is_running_member(stat: &str, group: u32) -> bool {
        let Some((_, rest)) = stat.rsplit_once(") ") else {
            return false;
        };
        let mut fields = rest.split(' ');
        let (state, member) = (fields.next(), fields.nth(1));
        member.and_then(|text| text.parse().ok()) == Some(group)
            && !matches!(state, Some("Z" | "X"))
    }

    #[cfg(not(target_os = "linux"))]
    fn has_members(_group: u32) -> bool {
        true
    }
}

#[cfg(not(unix))]
mod system {
    use tokio::process::Child;

    #[derive(Debug, Clone, Copy)]
    pub(super) struct Kill;

    pub(super) const SIGNALS: &[Kill] = &[Kill];

    pub(super) fn send(_group: u32, _signal: Kill, child: &mut Child) {
        let _ = child.start_kill();
    }

    pub(super) fn is_alive(_group: u32) -> bool {
        false
    }
}
