//! Programs on this machine: started without a shell, watched, ended whole.

mod builtin;
mod call;
mod capture;
mod comments;
mod counts;
mod group;
mod locks;
mod process;
mod program;
mod ready;
mod reply;
mod roots;
mod runner;
mod scratch;
mod secrets;
mod sessions;
mod settings;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use serde_json::Value;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::binding::command::CommandPlan;
use crate::tool::Progress;
use counts::Counts;
use locks::Locks;
use program::Program;
use roots::Roots;
use sessions::Sessions;

pub use builtin::known as known_part;
pub use ready::Ready;
pub use reply::{Captured, CommandError, CommandReply, Ended, LockInfo, Ran, RunnerChoice};
pub use settings::{Program as ProgramSettings, Settings};

/// How long the end waits for programs that are being ended; all signals together take less.
const ENDING: Duration = Duration::from_secs(10);

/// Runs programs for calls.
#[derive(Debug)]
pub struct CommandHandler(Arc<Parts>);

/// A root folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("a root folder for programs cannot be used")]
pub struct RootError(#[source] io::Error);

/// What all calls share.
#[derive(Debug)]
struct Parts {
    programs: Vec<Program>,
    roots: Roots,
    output: usize,
    locks: Locks,
    sessions: Sessions,
    counts: Counts,
    known: RwLock<Known>,
    /// Cancelled when the bridge ends.
    closing: CancellationToken,
    /// Cancelled when nothing may take its time to end any more.
    hurry: CancellationToken,
    /// Everything that has started something.
    tracker: TaskTracker,
}

/// What only the outside knows.
#[derive(Debug, Default)]
struct Known {
    tools: Vec<(String, Vec<String>)>,
    facts: Value,
}

impl CommandHandler {
    /// Runs what the settings allow, below folders that have to exist.
    ///
    /// # Errors
    /// [`RootError`] for a root that is no folder.
    pub fn new(settings: &Settings) -> Result<Self, RootError> {
        let program = |one| Program::new(one, std::env::vars_os());
        Ok(Self(Arc::new(Parts {
            programs: settings.programs.iter().map(program).collect(),
            roots: Roots::new(&settings.roots).map_err(RootError)?,
            output: settings.output,
            locks: Locks::default(),
            sessions: Sessions::new(settings.sessions),
            counts: Counts::default(),
            known: RwLock::default(),
            closing: CancellationToken::new(),
            hurry: CancellationToken::new(),
            tracker: TaskTracker::new(),
        })))
    }

    /// Asks the machine whether a plan can be carried out; nothing is started.
    ///
    /// # Errors
    /// [`CommandError::Refused`] for a folder that does not exist or a path outside the roots.
    pub fn ready(&self, plan: CommandPlan) -> Result<Ready, CommandError> {
        self.0.ready(plan)
    }

    /// Carries a call out on behalf of `principal`, who alone has a say over sessions that it starts; `progress` hears
    /// of its output, and `caller` knows whether anybody still waits for it.
    /// Dropping the future ends whatever was started, and gives back the lock after that.
    ///
    /// # Errors
    /// [`CommandError`] when nothing was run.
    pub async fn run(
        &self,
        ready: Ready,
        principal: &Arc<str>,
        progress: &dyn Progress,
        caller: Arc<dyn Progress>,
    ) -> Result<CommandReply, CommandError> {
        call::run(&self.0, ready, principal, progress, caller).await
    }

    /// Counts a call of a tool.
    pub fn count(&self, tool: &str, failed: bool, took: Duration) {
        self.0.counts.add(tool, failed, took);
    }

    /// Tells what built-in parts may say of the bridge: its tools with their actions.
    pub fn know_tools(&self, tools: Vec<(String, Vec<String>)>) {
        self.0.known.write().tools = tools;
    }

    /// The same of anything else, as a JSON object.
    pub fn know_facts(&self, facts: Value) {
        self.0.known.write().facts = facts;
    }

    /// Where each program is now, if it is anywhere.
    #[must_use]
    pub fn programs(&self) -> Vec<(&str, Option<PathBuf>)> {
        let found = |program: &Program| program.find().ok();
        let programs = self.0.programs.iter();
        programs
            .map(|program| (program.name.as_str(), found(program)))
            .collect()
    }

    /// The folders below which everything lies.
    pub fn roots(&self) -> impl Iterator<Item = &Path> {
        self.0.roots.all().iter().map(PathBuf::as_path)
    }

    /// Ends everything that runs, with everything it started, and waits for that.
    pub async fn close(&self) {
        self.0.closing.cancel();
        self.0.tracker.close();
        if timeout(ENDING, self.0.tracker.wait()).await.is_err() {
            tracing::error!("some programs could not be ended");
        }
    }

    /// From now on what is to be ended gets no time to end by itself: it is killed.
    pub fn hurry(&self) {
        self.0.hurry.cancel();
    }
}

impl Drop for CommandHandler {
    fn drop(&mut self) {
        // Nobody waits for it any more; the tasks end what they own as long as the runtime lives.
        self.0.closing.cancel();
    }
}

impl Parts {
    fn program(&self, name: &str, command: &str) -> Result<&Program, CommandError> {
        let found = self.programs.iter().find(|program| program.name == name);
        found.ok_or_else(|| CommandError::NotStarted {
            program: name.to_owned(),
            command: command.to_owned(),
            source: io::Error::new(io::ErrorKind::PermissionDenied, "it is not allowed"),
        })
    }
}
