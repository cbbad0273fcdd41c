//! One process from start to end: its own group, no shell, nothing on its standard input but what was planned.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::capture::{self, Kept, Lines, Shared};
use super::group::Group;
use super::{Ended, Ran};

/// How long a stream may stay open after everything in the group has ended: somebody outside it holds it.
const LINGER: Duration = Duration::from_millis(500);

/// What is started.
#[derive(Debug)]
pub(super) struct Launch {
    pub(super) program: PathBuf,
    pub(super) words: Vec<OsString>,
    pub(super) directory: PathBuf,
    pub(super) environment: Arc<Vec<(OsString, OsString)>>,
    /// Written to its standard input, which is closed then.
    pub(super) input: Option<String>,
    /// As people may see it.
    pub(super) shown: String,
    /// Bytes kept of each stream.
    pub(super) limit: usize,
    /// When it has to be over.
    pub(super) deadline: Option<Instant>,
    /// Cancelled when nothing may take its time to end any more.
    pub(super) hurry: CancellationToken,
}

/// A process that runs.
pub(super) struct Process {
    child: Child,
    group: Group,
    started: Instant,
    shown: String,
    deadline: Option<Instant>,
    hurry: CancellationToken,
    streams: [(Shared, JoinHandle<()>); 2],
}

impl Process {
    /// Starts it; `lines` hears of its output.
    pub(super) fn start(launch: Launch, lines: Option<Arc<dyn Lines>>) -> io::Result<Self> {
        let mut child = spawn(&launch)?;
        let group = Group::of(&child);
        if let (Some(mut stdin), Some(input)) = (child.stdin.take(), launch.input) {
            // A program that does not read it must not hold anything up.
            tokio::spawn(async move { stdin.write_all(input.as_bytes()).await });
        }
        let fresh = || Arc::new(Mutex::new(Kept::new(launch.limit)));
        let (out, err) = (fresh(), fresh());
        let missing = || io::Error::other("the output cannot be read");
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let reading = [
            tokio::spawn(capture::read(
                stdout,
                Arc::clone(&out),
                false,
                lines.clone(),
            )),
            tokio::spawn(capture::read(stderr, Arc::clone(&err), true, lines)),
        ];
        let [one, other] = reading;
        Ok(Self {
            child,
            group,
            started: Instant::now(),
            shown: launch.shown,
            deadline: launch.deadline,
            hurry: launch.hurry,
            streams: [(out, one), (err, other)],
        })
    }

    /// The leader's process id.
    pub(super) fn id(&self) -> u32 {
        self.group.leader()
    }

    /// Waits until it has ended, with everything it started: by itself, at its deadline, or when `stop` says so.
    pub(super) async fn finish(mut self, stop: &CancellationToken) -> Ran {
        let deadline = self.deadline;
        let late = async move {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        let ended = tokio::select! {
            biased;
            _ = self.child.wait() => Ended::Exited,
            () = stop.cancelled() => Ended::Stopped,
            () = late => Ended::TimedOut,
        };
        match ended {
            Ended::Exited => self.group.end_rest(&mut self.child, &self.hurry).await,
            Ended::TimedOut | Ended::Stopped => {
                // Whoever waits for what this process holds may know that it is about to end.
                stop.cancel();
                self.group.end(&mut self.child, &self.hurry).await;
            }
        }
        let duration = self.started.elapsed();
        let status = self.child.try_wait().ok().flatten();
        let [(out, out_reading), (err, err_reading)] = self.streams;
        for reading in [out_reading, err_reading] {
            let abort = reading.abort_handle();
            if timeout(LINGER, reading).await.is_err() {
                abort.abort();
            }
        }
        Ran {
            command: self.shown,
            exit: status.and_then(|status| status.code()),
            signal: status.and_then(signal),
            ended,
            stdout: capture::take(&out),
            stderr: capture::take(&err),
            duration,
            files: Vec::new(),
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that starts processes"
)]
fn spawn(launch: &Launch) -> io::Result<Child> {
    let mut command = std::process::Command::new(&launch.program);
    command
        .args(&launch.words)
        .env_clear()
        .envs(launch.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(&launch.directory)
        .stdin(if launch.input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    // The last resort when the runtime goes away under it.
    Command::from(command).kill_on_drop(true).spawn()
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_status: ExitStatus) -> Option<i32> {
    None
}
