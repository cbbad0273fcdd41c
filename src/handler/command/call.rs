//! Carrying out one ready call: its lock, its command lines one after another, its end whatever ends it.
//!
//! A task of its own owns what was started. When whoever asked is gone, that task ends the programs, and only
//! then is the lock given back.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::builtin::{self, CallCounts, Context, SessionView};
use super::capture::Lines;
use super::locks::{Ending, Held};
use super::process::{Launch, Process};
use super::ready::{Ready, ReadyRun, ReadyWord, in_scratch, shown};
use super::scratch::Scratch;
use super::secrets::{Keys, Secrets};
use super::sessions::About;
use super::{CommandError, CommandReply, Ended, Parts, Ran};
use crate::binding::command::PlannedWork;
use crate::tool::Progress;

/// Lines of output that wait to be reported; more are passed over.
const QUEUE: usize = 16;

/// Carries a call out. Dropping the future ends what was started.
pub(super) async fn run(
    parts: &Arc<Parts>,
    ready: Ready,
    principal: &Arc<str>,
    progress: &dyn Progress,
    caller: Arc<dyn Progress>,
) -> Result<CommandReply, CommandError> {
    let stop = parts.closing.child_token();
    let _ending = stop.clone().drop_guard();
    let ending = Ending {
        stop: stop.clone(),
        caller,
    };
    let held = match &ready.lock {
        Some(wanted) => Some(parts.locks.take(wanted, &ending).await?),
        None => None,
    };
    let (lines, mut heard) = mpsc::channel(QUEUE);
    let lines: Option<Arc<dyn Lines>> = progress.wanted().then(|| -> Arc<dyn Lines> {
        Arc::new(Told {
            lines,
            secrets: ready.secrets.clone(),
            keys: Mutex::default(),
        })
    });
    let job = Job {
        parts: Arc::clone(parts),
        principal: Arc::clone(principal),
        deadline: Instant::now() + ready.plan.timeout,
        ready,
        stop,
        lines,
    };
    let mut task = parts.tracker.spawn(job.run(held));
    let mut count = 0;
    let mut report = |line: String| {
        count += 1;
        progress.report(count, None, &line);
    };
    let result = loop {
        tokio::select! {
            biased;
            Some(line) = heard.recv() => report(line),
            result = &mut task => break result,
        }
    };
    while let Ok(line) = heard.try_recv() {
        report(line);
    }
    match result {
        Ok(reply) => reply,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => std::future::pending().await,
    }
}

/// Hands lines to whoever waits for progress.
#[derive(Debug)]
struct Told {
    lines: mpsc::Sender<String>,
    secrets: Secrets,
    /// Of standard output and of standard error.
    keys: Mutex<[Keys; 2]>,
}

impl Lines for Told {
    fn line(&self, is_error: bool, text: &str) {
        let mut keys = self.keys.lock();
        let text = keys[usize::from(is_error)].hide(text);
        if !text.trim().is_empty() {
            // A full queue: the next line will do.
            let _ = self.lines.try_send(self.secrets.mask(&text).into_owned());
        }
    }
}

/// A call that is being carried out.
struct Job {
    parts: Arc<Parts>,
    /// On whose behalf.
    principal: Arc<str>,
    ready: Ready,
    stop: CancellationToken,
    deadline: Instant,
    lines: Option<Arc<dyn Lines>>,
}

impl Job {
    async fn run(self, held: Option<Held>) -> Result<CommandReply, CommandError> {
        self.parts.unchanged(&self.ready)?;
        let mut reply = CommandReply {
            lock: self.ready.lock.as_ref().map(super::locks::Wanted::info),
            runner: self.ready.runner,
            ..CommandReply::default()
        };
        let result = match &self.ready.plan.work {
            PlannedWork::BuiltIn { name, arguments } => {
                let made = builtin::run(name, arguments, &self).await;
                made.map(|made| {
                    reply.runs = made.runs;
                    reply.value = (!made.value.is_null()).then_some(made.value);
                })
            }
            PlannedWork::Runs(_) => self.runs(&mut reply).await,
        };
        drop(held);
        result.map(|()| reply)
    }

    async fn runs(&self, reply: &mut CommandReply) -> Result<(), CommandError> {
        for run in &self.ready.runs {
            let is_scratch = |word: &ReadyWord| matches!(word, ReadyWord::Scratch(_));
            let scratch = match run.neutral || run.words.iter().any(is_scratch) {
                true => Some(
                    Scratch::make()
                        .map_err(|error| self.not_started(&self.ready.plan.program, error))?,
                ),
                false => None,
            };
            let mut launch = self.launch(run, scratch.as_ref().map(Scratch::path))?;
            if let Some(scratch) = scratch.as_ref().filter(|_| run.neutral) {
                scratch.path().clone_into(&mut launch.directory);
            }
            if run.background {
                reply.runs.push(Ran {
                    command: launch.shown.clone(),
                    ..Ran::default()
                });
                reply.session = Some(self.background(launch)?);
                continue;
            }
            let mut ran = self.finish(launch).await?;
            if let Some(scratch) = scratch {
                ran.files = scratch.files();
                ran.files
                    .iter_mut()
                    .for_each(|(_, text)| self.ready.secrets.clean(text));
            }
            let done = ran.exit == Some(0) && ran.ended == Ended::Exited;
            reply.runs.push(ran);
            let goes_on = done || run.optional && !self.stop.is_cancelled();
            if !goes_on {
                break;
            }
        }
        Ok(())
    }

    async fn finish(&self, launch: Launch) -> Result<Ran, CommandError> {
        let command = launch.shown.clone();
        let process = Process::start(launch, self.lines.clone());
        let process = process.map_err(|error| self.not_started(&command, error))?;
        let mut ran = process.finish(&self.stop).await;
        self.ready.secrets.clean(&mut ran.stdout.text);
        self.ready.secrets.clean(&mut ran.stderr.text);
        Ok(ran)
    }

    fn launch(&self, run: &ReadyRun, scratch: Option<&Path>) -> Result<Launch, CommandError> {
        let word = |word: &ReadyWord| match word {
            ReadyWord::Plain(text) | ReadyWord::Secret(text) => text.clone(),
            ReadyWord::Scratch(file) => scratch.map_or_else(OsString::new, |folder| {
                in_scratch(folder, file.as_deref()).into_owned().into()
            }),
        };
        let words = run.words.iter().map(word).collect();
        let line = shown(&self.ready.plan.program, &run.words, scratch);
        let mut launch = self.of_words(words, line)?;
        launch.input.clone_from(&run.input);
        Ok(launch)
    }

    fn of_words(&self, words: Vec<OsString>, shown: String) -> Result<Launch, CommandError> {
        let program = self.parts.program(&self.ready.plan.program, &shown)?;
        Ok(Launch {
            program: program
                .find()
                .map_err(|error| self.not_started(&shown, error))?,
            words,
            directory: self.ready.directory.clone(),
            environment: Arc::clone(&program.environment),
            input: None,
            shown,
            limit: self.parts.output,
            deadline: Some(self.deadline),
            hurry: self.parts.hurry.clone(),
        })
    }

    fn background(&self, launch: Launch) -> Result<String, CommandError> {
        let plan = &self.ready.plan;
        let operation = plan
            .lock
            .as_ref()
            .map_or(&plan.action, |lock| &lock.operation);
        let target = match &self.ready.lock {
            Some(wanted) => wanted.shown.clone(),
            None => self.ready.directory.display().to_string(),
        };
        let about = About {
            owner: Arc::clone(&self.principal),
            operation: operation.clone(),
            target,
            secrets: self.ready.secrets.clone(),
        };
        // Its lines are kept by the session.
        let launch = Launch {
            limit: 0,
            deadline: None,
            ..launch
        };
        let ends = (&self.parts.closing, &self.parts.tracker);
        self.parts
            .sessions
            .start(&plan.program, launch, about, ends)
    }

    fn not_started(&self, command: &str, source: std::io::Error) -> CommandError {
        CommandError::NotStarted {
            program: self.ready.plan.program.clone(),
            command: command.to_owned(),
            source,
        }
    }
}

impl Context for Job {
    fn path(&self, parameter: &str, given: &str) -> Result<PathBuf, CommandError> {
        self.parts
            .roots
            .path(parameter, &self.ready.directory, given)
    }

    fn run(&self, words: Vec<String>) -> BoxFuture<'_, Result<Ran, CommandError>> {
        Box::pin(async move {
            let plain = |word: &String| ReadyWord::Plain(word.into());
            let planned: Vec<ReadyWord> = words.iter().map(plain).collect();
            let line = shown(&self.ready.plan.program, &planned, None);
            let launch = self.of_words(words.into_iter().map(Into::into).collect(), line)?;
            self.finish(launch).await
        })
    }

    fn session(&self, id: &str) -> Option<SessionView> {
        self.parts.sessions.view(id, &self.principal)
    }

    fn stop<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Option<SessionView>> {
        Box::pin(self.parts.sessions.stop(id, &self.principal))
    }

    fn sessions(&self) -> Vec<SessionView> {
        self.parts.sessions.views(&self.principal)
    }

    fn calls(&self) -> Vec<CallCounts> {
        self.parts.counts.all()
    }

    fn reset_calls(&self) {
        self.parts.counts.reset();
    }

    fn tools(&self) -> Vec<(String, Vec<String>)> {
        self.parts.known.read().tools.clone()
    }

    fn facts(&self) -> Value {
        self.parts.known.read().facts.clone()
    }
}
