//! What the process is told by signals: to end, to end at once, to read its documents again.

use std::future::Future;
use std::sync::Arc;
#[cfg(unix)]
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// One key stroke may reach a process twice, from the terminal and from whoever started it: that is not meant twice.
const ECHO: Duration = Duration::from_millis(300);

/// Orders to a running bridge. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Orders {
    stop: CancellationToken,
    now: CancellationToken,
    reload: Arc<Notify>,
}

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code, reason = "there is no hangup"))]
enum Signal {
    /// SIGINT, SIGTERM, SIGQUIT: somebody wants it to end.
    End,
    /// SIGHUP: the terminal is gone, or documents are to be read again.
    Hangup,
}

impl Orders {
    /// Follows the process's signals from now on; needs a runtime.
    ///
    /// SIGINT, SIGTERM and SIGQUIT end it in order, and a second of them at once. So does SIGHUP, unless it
    /// `reloads`: then documents are read again. None of them ends the process by itself any more. A hangup that
    /// whoever started the process had it ignore (`nohup`) does not end it either.
    #[must_use]
    pub fn from_signals(reloads: bool) -> Self {
        let orders = Self::default();
        let (told, mut signals) = (orders.clone(), Signals::listen(reloads));
        tokio::spawn(async move {
            let mut first: Option<Instant> = None;
            loop {
                match (signals.next().await, first) {
                    (Signal::Hangup, _) if reloads => told.reload(),
                    (_, None) => {
                        first = Some(Instant::now());
                        told.stop();
                    }
                    (Signal::End, Some(first)) if first.elapsed() > ECHO => told.stop_now(),
                    _ => {}
                }
            }
        });
        orders
    }

    /// Orders the end: calls under way are finished.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Orders the end at once.
    pub fn stop_now(&self) {
        self.stop.cancel();
        self.now.cancel();
    }

    /// Orders the documents to be read again.
    pub fn reload(&self) {
        self.reload.notify_one();
    }

    /// Resolves when the end was ordered.
    pub fn stopped(&self) -> impl Future<Output = ()> + Send + 'static {
        self.stop.clone().cancelled_owned()
    }

    /// Resolves when the end was ordered at once.
    pub async fn stopped_now(&self) {
        self.now.cancelled().await;
    }

    /// Resolves when the documents are to be read again; several orders that nobody waited for are one.
    pub(super) async fn reloaded(&self) {
        self.reload.notified().await;
    }
}

/// Resolves when the process is asked to stop: SIGINT, SIGTERM, SIGQUIT or SIGHUP.
pub async fn signals() {
    Signals::listen(false).next().await;
}

#[cfg(unix)]
struct Signals([Option<(tokio::signal::unix::Signal, Signal)>; 4]);

#[cfg(unix)]
impl Signals {
    fn listen(reloads: bool) -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        survive_full_files();
        let kinds = [
            (SignalKind::interrupt(), Signal::End),
            (SignalKind::terminate(), Signal::End),
            (SignalKind::quit(), Signal::End),
            (SignalKind::hangup(), Signal::Hangup),
        ];
        let is_unwanted = |meaning| meaning == Signal::Hangup && !reloads && ignores_hangups();
        Self(kinds.map(|(kind, meaning)| {
            // To listen to it at all would end its being ignored.
            if is_unwanted(meaning) {
                return None;
            }
            match signal(kind) {
                Ok(signal) => Some((signal, meaning)),
                Err(error) => {
                    tracing::warn!(%error, "a signal cannot be listened to: it would end the process at once");
                    None
                }
            }
        }))
    }

    async fn next(&mut self) -> Signal {
        std::future::poll_fn(|context| {
            for (signal, meaning) in self.0.iter_mut().flatten() {
                if signal.poll_recv(context).is_ready() {
                    return Poll::Ready(*meaning);
                }
            }
            Poll::Pending
        })
        .await
    }
}

/// A file that may not grow any more (`ulimit -f`, systemd's `LimitFSIZE`) is a fault of writing to it, and not the
/// process's end. Once there is a handler it stays (tokio), also where nobody listens.
#[cfg(unix)]
fn survive_full_files() {
    use tokio::signal::unix::{SignalKind, signal};
    let kind = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
    if let Err(error) = signal(kind) {
        tracing::warn!(%error, "a file that may not grow any more would end the process");
    }
}

/// Whether the process was started with SIGHUP ignored; Linux says so (proc(5)).
#[cfg(unix)]
fn ignores_hangups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The first bit is that of the first signal.
    mask.is_some_and(|mask| mask & 1 == 1)
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen(_reloads: bool) -> Self {
        Self
    }

    async fn next(&mut self) -> Signal {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::End
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn orders_are_shared_and_kept() {
        let orders = Orders::default();
        let other = orders.clone();
        other.reload();
        other.reload();
        orders.reloaded().await;
        other.stop_now();
        orders.stopped().await;
        orders.stopped_now().await;
    }
}
