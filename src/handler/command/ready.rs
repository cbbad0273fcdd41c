//! A plan after the machine was asked: its folder exists, its paths lie within the roots, its test runner is
//! known. Nothing is started and nothing is locked yet.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::locks::{Key, Wanted};
use super::secrets::Secrets;
use super::{CommandError, Parts, RunnerChoice, runner};
use crate::binding::command::{
    CommandPlan, Located, PlannedLock, PlannedRun, PlannedWord, PlannedWork, escape_property,
};
use crate::secret::MASK;

/// Entries of a folder among which a project is looked for; in a longer one nobody keeps projects.
const MOST_ENTRIES: usize = 10_000;

/// A call that can be carried out.
#[derive(Debug)]
pub struct Ready {
    pub(super) plan: CommandPlan,
    pub(super) directory: PathBuf,
    pub(super) runs: Vec<ReadyRun>,
    pub(super) lock: Option<Wanted>,
    pub(super) runner: Option<RunnerChoice>,
    pub(super) secrets: Secrets,
}

#[derive(Debug, PartialEq)]
pub(super) struct ReadyRun {
    pub(super) optional: bool,
    pub(super) neutral: bool,
    pub(super) background: bool,
    pub(super) words: Vec<ReadyWord>,
    pub(super) input: Option<String>,
}

#[derive(Debug, PartialEq)]
pub(super) enum ReadyWord {
    Plain(OsString),
    Secret(OsString),
    /// The fresh folder, or the file of this name in it.
    Scratch(Option<String>),
}

impl Ready {
    /// The command lines as people may see them; a built-in part by its name.
    #[must_use]
    pub fn command_lines(&self) -> Vec<String> {
        if let PlannedWork::BuiltIn { name, .. } = &self.plan.work {
            return vec![format!("{} (built in)", name)];
        }
        let line = |run: &ReadyRun| shown(&self.plan.program, &run.words, None);
        self.runs.iter().map(line).collect()
    }

    /// Whether the command lines do not tell all that will be done: a built-in part goes by the arguments, and
    /// what a program reads from its input is in no line.
    #[must_use]
    pub fn goes_by_arguments(&self) -> bool {
        matches!(self.plan.work, PlannedWork::BuiltIn { .. })
            || self.runs.iter().any(|run| run.input.is_some())
    }

    /// The working directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }
}

impl Parts {
    /// Asks the machine whether a plan can be carried out.
    pub(super) fn ready(&self, plan: CommandPlan) -> Result<Ready, CommandError> {
        let (parameter, given) = match &plan.directory {
            Some(located) => (located.argument.as_str(), Some(located.path.as_str())),
            None => ("workingDirectory", None),
        };
        let directory = self.roots.directory(parameter, given)?;
        let mut runs: &[PlannedRun] = &[];
        if let PlannedWork::Runs(planned) = &plan.work {
            runs = planned;
        }
        let chosen = runs.iter().any(|run| run.runner.is_some());
        let chosen = chosen.then(|| runner::choose(plan.asked, &directory));
        let fits = |run: &&PlannedRun| {
            run.runner.is_none() || run.runner == chosen.map(|chosen| chosen.runner)
        };
        let run = |run: &PlannedRun| {
            let word = |word| self.word(word, &directory);
            let words: Result<Vec<ReadyWord>, CommandError> = run.words.iter().map(word).collect();
            Ok(ReadyRun {
                optional: run.optional,
                neutral: run.neutral,
                background: run.background,
                words: words?,
                input: run.input.clone(),
            })
        };
        let ready: Result<Vec<ReadyRun>, CommandError> =
            runs.iter().filter(fits).map(run).collect();
        let lock = match &plan.lock {
            Some(lock) => Some(self.wanted(lock, &directory)?),
            None => None,
        };
        Ok(Ready {
            runs: ready?,
            secrets: Secrets::new(plan.secrets.iter().cloned()),
            lock,
            runner: chosen,
            directory,
            plan,
        })
    }

    /// Looks again, right before something is started: between the answer of [`Parts::ready`] and now somebody may
    /// have agreed after a long while, and what a path leads to may have been changed.
    pub(super) fn unchanged(&self, ready: &Ready) -> Result<(), CommandError> {
        let now = self.ready(ready.plan.clone())?;
        if now.directory == ready.directory && now.runs == ready.runs && now.lock == ready.lock {
            return Ok(());
        }
        Err(CommandError::Refused {
            parameter: String::new(),
            reason: "changed meanwhile",
            message:
                "A folder or file of this call leads elsewhere than when it was checked: call again"
                    .to_owned(),
        })
    }

    fn word(&self, word: &PlannedWord, directory: &Path) -> Result<ReadyWord, CommandError> {
        Ok(match word {
            PlannedWord::Text(text) => ReadyWord::Plain(text.into()),
            PlannedWord::Secret(text) => ReadyWord::Secret(text.into()),
            PlannedWord::Scratch { file } => ReadyWord::Scratch(file.clone()),
            PlannedWord::Named {
                argument,
                name,
                word,
            } => {
                if directory.join(name).symlink_metadata().is_ok() {
                    self.roots.path(argument, directory, name)?;
                }
                ReadyWord::Plain(word.into())
            }
            PlannedWord::Path {
                argument,
                prefix,
                path,
                escaped,
            } => {
                let found = self.roots.path(argument, directory, path)?;
                let mut word = OsString::from(prefix);
                match found.to_str() {
                    Some(text) if *escaped => word.push(&*escape_property(text)),
                    _ => word.push(&found),
                }
                ReadyWord::Plain(word)
            }
        })
    }

    fn wanted(&self, lock: &PlannedLock, directory: &Path) -> Result<Wanted, CommandError> {
        let (shown, key) = match &lock.target {
            _ if lock.global => ("global".to_owned(), Key::Global),
            Some(Located { argument, path }) => {
                let found = self.roots.path(argument, directory, path)?;
                (path.clone(), Key::Path(found))
            }
            None => {
                let shown = directory.display().to_string();
                (shown, Key::Path(directory.to_path_buf()))
            }
        };
        let picked = match &key {
            Key::Path(folder) => self.picked(folder),
            Key::Global => Vec::new(),
        };
        Ok(Wanted {
            operation: lock.operation.clone(),
            shown,
            key,
            picked,
        })
    }

    /// The project and the solution that a program picks in a folder when it is given no file. Of several it picks
    /// none, and the CLI fails.
    fn picked(&self, folder: &Path) -> Vec<PathBuf> {
        let (mut projects, mut solutions) = (Vec::new(), Vec::new());
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for name in entries.take(MOST_ENTRIES).map(|entry| entry.file_name()) {
            let ending = Path::new(&name).extension().unwrap_or_default();
            let ending = ending.to_string_lossy().to_ascii_lowercase();
            if ending.ends_with("proj") {
                projects.push(name);
            } else if ending == "sln" || ending == "slnx" {
                solutions.push(name);
            }
        }
        let one = |names: Vec<OsString>| (names.len() == 1).then_some(names).into_iter().flatten();
        one(projects)
            .chain(one(solutions))
            .filter_map(|name| self.roots.path("", folder, name.to_str()?).ok())
            .filter(|path| path.is_file())
            .collect()
    }
}

/// A command line for people: words with blanks quoted, secrets masked.
pub(super) fn shown(program: &str, words: &[ReadyWord], scratch: Option<&Path>) -> String {
    let mut line = program.to_owned();
    for word in words {
        line.push(' ');
        match word {
            ReadyWord::Plain(text) => push_quoted(&mut line, &text.to_string_lossy()),
            ReadyWord::Secret(_) => line.push_str(MASK),
            ReadyWord::Scratch(file) => match (scratch, file) {
                (Some(folder), _) => {
                    push_quoted(
                        &mut line,
                        &in_scratch(folder, file.as_deref()).to_string_lossy(),
                    );
                }
                (None, Some(_)) => line.push_str("(a new file)"),
                (None, None) => line.push_str("(a new folder)"),
            },
        }
    }
    line
}

/// The folder itself, or the file in it.
pub(super) fn in_scratch<'a>(folder: &'a Path, file: Option<&str>) -> Cow<'a, Path> {
    match file {
        Some(name) => Cow::Owned(folder.join(name)),
        None => Cow::Borrowed(folder),
    }
}

fn push_quoted(line: &mut String, word: &str) {
    let plain = !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c == '"');
    if plain {
        line.push_str(word);
    } else {
        line.push('"');
        line.push_str(&word.replace('\\', "\\\\").replace('"', "\\\""));
        line.push('"');
    }
}
