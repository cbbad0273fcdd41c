//! A call for the tests of the built-in parts: a folder of its own, a program that answers what it is told to.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::Captured;
use super::super::roots::canonical;
use super::context::{CallCounts, Context, SessionLine, SessionView};
use super::{CommandError, Made, Ran, run};

/// The call.
#[derive(Debug)]
pub(super) struct Fake {
    folder: TempDir,
    root: PathBuf,
    answers: Vec<(Vec<String>, Ran)>,
    absent: bool,
    stopped: AtomicBool,
    reset: AtomicBool,
}

impl Fake {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = canonical(folder.path()).expect("a folder");
        Self {
            folder,
            root,
            answers: Vec::new(),
            absent: false,
            stopped: AtomicBool::new(false),
            reset: AtomicBool::new(false),
        }
    }

    /// The program is not there.
    pub(super) fn absent(mut self) -> Self {
        self.absent = true;
        self
    }

    /// Words that begin like `words` (a star matches any beginning) are answered so.
    pub(super) fn answering(self, words: &[&str], stdout: &str) -> Self {
        self.with(words, 0, stdout, "")
    }

    pub(super) fn failing(self, words: &[&str], exit: i32, stderr: &str) -> Self {
        self.with(words, exit, "", stderr)
    }

    fn with(mut self, words: &[&str], exit: i32, stdout: &str, stderr: &str) -> Self {
        let captured = |text: &str| Captured {
            text: text.to_owned(),
            dropped: 0,
        };
        let ran = Ran {
            exit: Some(exit),
            stdout: captured(stdout),
            stderr: captured(stderr),
            ..Ran::default()
        };
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        self.answers.push((words, ran));
        self
    }

    pub(super) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(path, bytes).expect("written");
    }

    pub(super) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).expect("a file")
    }

    /// What the folder holds.
    pub(super) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.root).expect("a folder");
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.collect()
    }

    fn view(&self) -> Option<SessionView> {
        let line = |seconds: u64, error: bool, text: &str| SessionLine {
            time: UNIX_EPOCH + Duration::from_secs(1_775_885_400 + seconds),
            error,
            text: text.to_owned(),
        };
        (!self.stopped.load(Ordering::SeqCst)).then(|| SessionView {
            id: "s1".to_owned(),
            operation: "run".to_owned(),
            target: "App.csproj".to_owned(),
            process: 4711,
            started: UNIX_EPOCH + Duration::from_secs(1_775_885_400),
            ended: None,
            lines: vec![
                line(0, false, "one"),
                line(1, true, "two"),
                line(2, false, "three"),
            ],
            dropped: 0,
        })
    }
}

fn matches(word: &str, pattern: &str) -> bool {
    let word = word.replace('\\', "/");
    match pattern.strip_prefix('*') {
        Some(end) => word.ends_with(end),
        None => word == pattern,
    }
}

impl Context for Fake {
    fn path(&self, parameter: &str, given: &str) -> Result<PathBuf, CommandError> {
        let path = self.root.join(given);
        if given.contains("..") {
            return Err(CommandError::Refused {
                parameter: parameter.to_owned(),
                reason: "outside the allowed roots",
                message: "outside the allowed roots".to_owned(),
            });
        }
        Ok(path)
    }

    fn run(&self, words: Vec<String>) -> BoxFuture<'_, Result<Ran, CommandError>> {
        let fits = |pattern: &[String]| {
            pattern
                .iter()
                .zip(&words)
                .all(|(pattern, word)| matches(word, pattern))
        };
        let found = self.answers.iter().find(|(pattern, _)| fits(pattern));
        let ran = found.map(|(_, ran)| ran.clone()).unwrap_or_default();
        let absent = self.absent;
        Box::pin(async move {
            if absent {
                return Err(CommandError::NotStarted {
                    program: "dotnet".to_owned(),
                    command: words.join(" "),
                    source: std::io::ErrorKind::NotFound.into(),
                });
            }
            Ok(ran)
        })
    }

    fn session(&self, id: &str) -> Option<SessionView> {
        self.view().filter(|view| view.id == id)
    }

    fn stop<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Option<SessionView>> {
        let view = self.session(id);
        if view.is_some() {
            self.stopped.store(true, Ordering::SeqCst);
        }
        Box::pin(async { view })
    }

    fn sessions(&self) -> Vec<SessionView> {
        self.view().into_iter().collect()
    }

    fn calls(&self) -> Vec<CallCounts> {
        if self.reset.load(Ordering::SeqCst) {
            return Vec::new();
        }
        vec![CallCounts {
            tool: "dotnet_project".to_owned(),
            calls: 3,
            failures: 1,
            milliseconds: 10.0,
        }]
    }

    fn reset_calls(&self) {
        self.reset.store(true, Ordering::SeqCst);
    }

    fn tools(&self) -> Vec<(String, Vec<String>)> {
        let actions = vec!["Build".to_owned(), "Test".to_owned()];
        vec![
            ("dotnet_project".to_owned(), actions),
            ("dotnet_help".to_owned(), Vec::new()),
        ]
    }

    fn facts(&self) -> Value {
        json!({"protocolVersion": "2026-07-28", "supports": {"sampling": true}})
    }
}

/// Runs a part with arguments.
pub(super) async fn made(part: &str, arguments: Value, fake: &Fake) -> Result<Made, CommandError> {
    let Value::Object(arguments) = arguments else {
        unreachable!("arguments are an object");
    };
    run(part, &arguments, fake).await
}

/// Runs a part with arguments; gives its structured result.
pub(super) async fn call(part: &str, arguments: Value, fake: &Fake) -> Result<Value, CommandError> {
    made(part, arguments, fake).await.map(|made| made.value)
}
