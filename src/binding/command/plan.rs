//! A call of a program, planned: plain data, compared with `==` in tests.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::tool::TestRunner;

/// What is to be run, on what, and what it must not collide with.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandPlan {
    /// The operation as records name it.
    pub operation: String,
    /// The allow-listed program's name.
    pub program: String,
    /// The action's name; empty where the operation has no selector.
    pub action: String,
    /// What is done.
    pub work: PlannedWork,
    /// The working directory as the caller gave it; the first root where absent.
    pub directory: Option<Located>,
    /// Which test runner the arguments ask for, and by which of them.
    pub asked: Option<(TestRunner, &'static str)>,
    /// Values that must not be shown wherever the program repeats them.
    pub secrets: Vec<String>,
    /// What is locked before anything is done.
    pub lock: Option<PlannedLock>,
    /// After this it is ended.
    pub timeout: Duration,
}

/// What is done.
#[derive(Debug, Clone, PartialEq)]
pub enum PlannedWork {
    /// Command lines, one after another.
    Runs(Vec<PlannedRun>),
    /// A part of the bridge with the whole arguments, checked.
    BuiltIn {
        /// Its name.
        name: String,
        /// The call's arguments.
        arguments: Map<String, Value>,
    },
}

/// A command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedRun {
    /// Only where this runner was selected.
    pub runner: Option<TestRunner>,
    /// Its failure does not fail the call.
    pub optional: bool,
    /// It works in a fresh empty folder instead of the working directory.
    pub neutral: bool,
    /// It goes on after the answer.
    pub background: bool,
    /// The words after the program.
    pub words: Vec<PlannedWord>,
    /// What is written to its standard input; never shown.
    pub input: Option<String>,
}

/// A word of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedWord {
    /// As it stands.
    Text(String),
    /// As it stands; shown as a mask.
    Secret(String),
    /// A path, checked against the roots before the program starts; relative to the working directory. Only
    /// what follows `prefix` is the path, `escaped` where it becomes an `MSBuild` property.
    Path {
        /// The argument it comes from.
        argument: String,
        /// What stands before it in the same word.
        prefix: String,
        /// As the caller gave it.
        path: String,
        /// `%`, `;` and `,` are escaped in the word.
        escaped: bool,
    },
    /// A name as it stands. A program looks for it in the working directory too: what is there has to lie within the
    /// roots.
    Named {
        /// The argument it comes from.
        argument: String,
        /// As the caller gave it.
        name: String,
        /// The whole word.
        word: String,
    },
    /// A fresh folder.
    Scratch {
        /// The word is the path of this file in it instead.
        file: Option<String>,
    },
}

/// A lock to take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedLock {
    /// The operation's name in messages.
    pub operation: String,
    /// The path as the caller gave it, relative to the working directory; the directory itself where absent.
    pub target: Option<Located>,
    /// One for the whole machine instead.
    pub global: bool,
}

/// A path as the caller gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The argument it comes from.
    pub argument: String,
    /// The path.
    pub path: String,
}
