//! Programs that go on after their call was answered: listed, heard of, stopped, and ended with the bridge.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use data_encoding::HEXLOWER;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::CommandError;
use super::builtin::{SessionLine, SessionView};
use super::capture::Lines;
use super::process::{Launch, Process};
use super::secrets::{Keys, Secrets};

/// Lines kept of a session.
const MOST_LINES: usize = 2000;
/// Bytes kept of a session's lines.
const MOST_BYTES: usize = 512 * 1024;
/// Sessions that have ended and are still known.
const MOST_ENDED: usize = 16;
/// How long a session that is stopped is waited for; all signals together take less.
const ENDING: Duration = Duration::from_secs(8);

/// All sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    most: usize,
    list: Mutex<Vec<Arc<Session>>>,
}

#[derive(Debug)]
struct Session {
    id: String,
    /// Whose it is: to everybody else it does not exist.
    owner: Arc<str>,
    operation: String,
    target: String,
    process: u32,
    started: SystemTime,
    stop: CancellationToken,
    log: Arc<Log>,
    ended: watch::Sender<Option<Option<i32>>>,
}

/// What a session is, besides what it runs.
#[derive(Debug)]
pub(super) struct About {
    pub(super) owner: Arc<str>,
    pub(super) operation: String,
    pub(super) target: String,
    pub(super) secrets: Secrets,
}

#[derive(Debug)]
struct Log {
    secrets: Secrets,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    lines: VecDeque<SessionLine>,
    bytes: usize,
    dropped: u64,
    /// Of standard output and of standard error.
    keys: [Keys; 2],
}

impl Lines for Log {
    fn line(&self, is_error: bool, text: &str) {
        let text = self.secrets.mask(text);
        let mut kept = self.kept.lock();
        let [out, err] = &mut kept.keys;
        let keys = if is_error { err } else { out };
        let line = SessionLine {
            time: SystemTime::now(),
            error: is_error,
            text: keys.hide(&text).into_owned(),
        };
        kept.bytes += line.text.len();
        kept.lines.push_back(line);
        while kept.lines.len() > MOST_LINES || kept.bytes > MOST_BYTES {
            let Some(gone) = kept.lines.pop_front() else {
                break;
            };
            kept.bytes -= gone.text.len();
            kept.dropped += 1;
        }
    }
}

impl Session {
    fn view(&self, with_lines: bool) -> SessionView {
        let kept = self.log.kept.lock();
        SessionView {
            id: self.id.clone(),
            operation: self.operation.clone(),
            target: self.target.clone(),
            process: self.process,
            started: self.started,
            ended: *self.ended.borrow(),
            lines: match with_lines {
                true => kept.lines.iter().cloned().collect(),
                false => Vec::new(),
            },
            dropped: kept.dropped,
        }
    }

    fn is_running(&self) -> bool {
        self.ended.borrow().is_none()
    }
}

impl Sessions {
    /// At most this many run at a time.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            list: Mutex::default(),
        }
    }

    /// Starts a program that goes on; its id. `closing` ends it, and `tracker` waits for its end.
    pub(super) fn start(
        &self,
        program: &str,
        launch: Launch,
        about: About,
        (closing, tracker): (&CancellationToken, &TaskTracker),
    ) -> Result<String, CommandError> {
        let mut list = self.list.lock();
        if list.iter().filter(|session| session.is_running()).count() >= self.most {
            return Err(CommandError::Refused {
                parameter: "sessionId".to_owned(),
                reason: "too many sessions",
                message: format!(
                    "{} programs run in the background already: stop one of them first",
                    self.most
                ),
            });
        }
        let log = Arc::new(Log {
            secrets: about.secrets,
            kept: Mutex::default(),
        });
        let command = launch.shown.clone();
        let not_started = |source| CommandError::NotStarted {
            program: program.to_owned(),
            command: command.clone(),
            source,
        };
        let id = fresh_id().map_err(not_started)?;
        let lines: Arc<dyn Lines> = Arc::<Log>::clone(&log);
        let process = Process::start(launch, Some(lines)).map_err(not_started)?;
        let session = Arc::new(Session {
            id: id.clone(),
            owner: about.owner,
            operation: about.operation,
            target: about.target,
            process: process.id(),
            started: SystemTime::now(),
            stop: closing.child_token(),
            log,
            ended: watch::Sender::new(None),
        });
        let ending = Arc::clone(&session);
        tracker.spawn(async move {
            let ran = process.finish(&ending.stop).await;
            ending.ended.send_replace(Some(ran.exit));
        });
        list.push(session);
        forget_old(&mut list);
        Ok(id)
    }

    fn find(&self, id: &str, owner: &str) -> Option<Arc<Session>> {
        let list = self.list.lock();
        let is_it = |session: &&Arc<Session>| session.id == id && &*session.owner == owner;
        list.iter().find(is_it).cloned()
    }

    /// A session of this owner with its lines.
    pub(super) fn view(&self, id: &str, owner: &str) -> Option<SessionView> {
        self.find(id, owner).map(|session| session.view(true))
    }

    /// All of this owner's, the oldest first, without lines.
    pub(super) fn views(&self, owner: &str) -> Vec<SessionView> {
        self.list
            .lock()
            .iter()
            .filter(|session| &*session.owner == owner)
            .map(|session| session.view(false))
            .collect()
    }

    /// Ends a session of this owner and forgets it; the view tells whether it had ended before.
    pub(super) async fn stop(&self, id: &str, owner: &str) -> Option<SessionView> {
        let session = self.find(id, owner)?;
        let before = *session.ended.borrow();
        session.stop.cancel();
        let mut ended = session.ended.subscribe();
        // Past that, the supervisor goes on by itself.
        let _ = timeout(ENDING, ended.wait_for(Option::is_some)).await;
        self.list.lock().retain(|one| one.id != session.id);
        Some(SessionView {
            ended: before,
            ..session.view(true)
        })
    }
}

fn forget_old(list: &mut Vec<Arc<Session>>) {
    let ended = list.iter().filter(|session| !session.is_running()).count();
    let mut over = ended.saturating_sub(MOST_ENDED);
    list.retain(|session| {
        let goes = over > 0 && !session.is_running();
        over -= usize::from(goes);
        !goes
    });
}

/// A random UUID (RFC 9562, version 4): nobody guesses another's.
fn fresh_id() -> std::io::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let parts = [
        &bytes[..4],
        &bytes[4..6],
        &bytes[6..8],
        &bytes[8..10],
        &bytes[10..],
    ];
    Ok(parts.map(|part| HEXLOWER.encode(part)).join("-"))
}
