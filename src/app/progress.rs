//! On a terminal: what is awaited and for how long, gone when it is done.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::config::Config;

/// What takes longer than this gets a line.
const PATIENCE: Duration = Duration::from_millis(400);
/// How often it is drawn.
pub(super) const TICK: Duration = Duration::from_millis(100);

/// The line.
pub(super) struct Progress {
    names: String,
    started: Instant,
    is_terminal: bool,
    is_shown: bool,
}

impl Progress {
    pub(super) fn new(config: &Config) -> Self {
        let documents = config.documents.iter();
        let names: Vec<String> = documents.map(|one| one.source.to_string()).collect();
        Self {
            names: names.join(", "),
            started: Instant::now(),
            is_terminal: io::stderr().is_terminal(),
            is_shown: false,
        }
    }

    /// Draws it as it is now, where somebody looks and it takes long.
    pub(super) fn draw(&mut self) {
        let elapsed = self.started.elapsed();
        if !self.is_terminal || elapsed < PATIENCE {
            return;
        }
        let seconds = elapsed.as_secs_f32();
        // Nobody is left to tell when stderr is gone.
        let _ = write!(
            io::stderr(),
            "\r\u{1b}[Kloading {} ({seconds:.1} s)",
            self.names
        );
        self.is_shown = true;
    }

    /// Makes room for a line of the log.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Shows the line until the work is done.
pub(super) async fn with_progress<T>(config: &Config, work: impl Future<Output = T>) -> T {
    let mut progress = Progress::new(config);
    tokio::pin!(work);
    loop {
        match tokio::time::timeout(TICK, &mut work).await {
            Ok(result) => break result,
            Err(_) => progress.draw(),
        }
    }
}
