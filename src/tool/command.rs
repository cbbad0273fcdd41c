//! Operations that are carried out by a program on this machine: what each action needs, and the
//! command line it becomes. All of it is data of the document (`x-mcp-command`).

use std::borrow::Cow;
use std::time::Duration;

use super::Security;

use serde_json::{Map, Value};

/// An operation whose calls run a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandTarget {
    /// The operation as messages and records name it, for instance `POST /dotnet_project`.
    pub operation: String,
    /// Which allow-listed program, by its name in the configuration; for instance `dotnet`.
    pub program: String,
    /// The argument that picks the action; an operation without one has exactly one action.
    pub selector: Option<String>,
    /// The argument that holds the working directory.
    pub directory: Option<String>,
    /// What the document asks of callers.
    pub security: Security,
    /// Arguments that a change must not pass over: they say what is changed, or whether it is.
    pub decisive: Vec<String>,
    /// In the document's order; names are unique.
    pub actions: Vec<Action>,
}

/// One thing an operation does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// The selector's value, case-sensitive.
    pub name: String,
    /// What it may do to the machine.
    pub effect: Effect,
    /// When a human has to agree to it.
    pub confirm: Condition,
    /// Of each group, at least one argument has to be given and not blank.
    pub requires: Vec<Vec<String>>,
    /// Rules for values beyond the JSON Schema, by argument, in the order they are checked.
    pub rules: Vec<(String, String)>,
    /// Further arguments that may be given: its answer goes by them, or they make no difference.
    pub takes: Vec<String>,
    /// Arguments whose values must not be shown, whatever they look like.
    pub secret: Vec<String>,
    /// What it locks; nothing where absent.
    pub lock: Option<LockRule>,
    /// After this the program is ended.
    pub timeout: Duration,
    /// What is done.
    pub work: Work,
    /// The shape of the result, by the name under which `interpret` knows it.
    pub result: String,
}

/// What an action may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Changes nothing.
    Reads,
    /// Makes or changes something.
    Writes,
    /// Removes something that is not easily had again: a human is asked.
    Destroys,
}

/// A lock that an action takes before it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockRule {
    /// The operation's name in messages, for instance `build`.
    pub operation: String,
    /// The first of these arguments that is given names what is locked; the working directory
    /// where none is.
    pub target: Vec<String>,
    /// Where this holds: one lock for the whole machine instead.
    pub global: Condition,
}

/// How an action is carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// Command lines, one after another; the first that fails ends it.
    Runs(Vec<RunTemplate>),
    /// A part of the bridge, by its name.
    BuiltIn(String),
}

/// A command line with places for arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunTemplate {
    /// Only where this test runner was selected.
    pub runner: Option<TestRunner>,
    /// Its failure does not fail the action.
    pub optional: bool,
    /// It works in a fresh empty folder, where no file decides what it does; only its words count.
    pub neutral: bool,
    /// It goes on after the answer, as a session.
    pub background: Condition,
    /// The words after the program.
    pub words: Vec<Word>,
    /// What is written to its standard input, which is closed otherwise.
    pub input: Option<Input>,
}

/// A JSON object with one member, for standard input: keeps a secret off the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The argument that holds the member's name.
    pub key: String,
    /// The argument that holds its text.
    pub value: String,
}

/// Which program runs tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestRunner {
    /// `vstest`.
    VsTest,
    /// `microsoft-testing-platform`.
    Platform,
}

/// A piece of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// As it stands.
    Literal(String),
    /// The argument's value, or each of its items; nothing where it is absent or blank.
    Value {
        /// The argument.
        argument: String,
        /// What is done to the value.
        encoding: Encoding,
        /// Goes before each value as a word of its own.
        option: Option<String>,
        /// Goes before each value within the same word, for instance `-p:Name=`.
        prefix: Option<String>,
        /// The value is cut at each of these characters first; blank pieces are dropped.
        separators: Option<String>,
    },
    /// One word made of these, which give one each; nothing where the first gives none. What follows
    /// a path belongs to the path, what stands before it is its prefix.
    Joined(Vec<Self>),
    /// Words typed by the caller, split at blanks; each is checked by the action's rules.
    Split {
        /// The argument.
        argument: String,
        /// They stand where no program looks for options (behind `--`): blanks within double quotes do not
        /// split, a backslash takes the next quote or backslash as it is, and nothing but NUL is refused.
        verbatim: bool,
    },
    /// A fresh folder for this run, removed after it; its files become part of the reply.
    Scratch {
        /// Goes before it as a word of its own.
        option: String,
        /// The word is the path of this file in the folder instead, for programs that write a single one.
        file: Option<String>,
    },
    /// Words that depend on an argument.
    When {
        /// On what.
        condition: Condition,
        /// These, where it holds.
        then: Vec<Self>,
        /// These, where it does not.
        otherwise: Vec<Self>,
    },
}

/// What a value must be made into before it is a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// One word as it stands; refused where it begins with a dash or an `@`.
    Plain,
    /// A path: as [`Encoding::Plain`], and it has to lie within the allowed roots; the word is its canonical form.
    Path,
    /// Becomes an `MSBuild` property: as [`Encoding::Plain`], and `%`, `;` and `,`, at which it would be split, and
    /// `$` and `@` are escaped. A quote, which cannot be, is refused.
    Property,
    /// A path that starts, where it is relative, in the folder of the project that the argument `project` names.
    ProjectPath,
    /// A path that becomes an `MSBuild` property.
    PropertyPath,
    /// As [`Encoding::Path`] where it looks like one (it has a slash or backslash, begins with a dot or ends in
    /// `.nupkg`), as [`Encoding::Plain`] otherwise. What lies in the working directory under that name has to lie
    /// within the allowed roots.
    NameOrPath,
    /// An `https` address as it stands, anything else as [`Encoding::NameOrPath`].
    Source,
    /// The same where it becomes an `MSBuild` property.
    PropertySource,
    /// Anything but NUL, since it stands where no program looks for options (behind `--`).
    Verbatim,
}

/// A question about the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Always.
    Always,
    /// Never.
    Never,
    /// The argument is given: not null, not blank, not false, not empty.
    Given(String),
    /// The argument's text is one of these.
    Is(String, Vec<String>),
    /// The argument's text ends in one of these, in any letter case.
    Ends(String, Vec<String>),
    /// All of them.
    All(Vec<Self>),
    /// One of them.
    Any(Vec<Self>),
    /// Not this.
    Not(Box<Self>),
}

impl CommandTarget {
    /// The action that these arguments pick, if it exists.
    #[must_use]
    pub fn action(&self, arguments: &Map<String, Value>) -> Option<&Action> {
        let Some(selector) = &self.selector else {
            return self.actions.first();
        };
        let name = arguments.get(selector)?.as_str()?;
        self.actions.iter().find(|action| action.name == name)
    }
}

impl Condition {
    /// Whether it holds for these arguments.
    #[must_use]
    pub fn holds(&self, arguments: &Map<String, Value>) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Given(name) => arguments.get(name).is_some_and(is_given),
            Self::Is(name, texts) => {
                text_of(arguments, name).is_some_and(|text| texts.iter().any(|one| *one == text))
            }
            Self::Ends(name, ends) => text_of(arguments, name).is_some_and(|text| {
                let text = text.trim_end().to_ascii_lowercase();
                ends.iter()
                    .any(|end| text.ends_with(&end.to_ascii_lowercase()))
            }),
            Self::All(all) => all.iter().all(|one| one.holds(arguments)),
            Self::Any(any) => any.iter().any(|one| one.holds(arguments)),
            Self::Not(one) => !one.holds(arguments),
        }
    }
}

fn text_of<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<Cow<'a, str>> {
    match arguments.get(name)? {
        Value::String(text) => Some(Cow::Borrowed(text)),
        other => Some(Cow::Owned(other.to_string())),
    }
}

/// Whether a value says something: not null, not blank, not false, not empty.
#[must_use]
pub fn is_given(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Bool(true) | Value::Number(_) => true,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => items.iter().any(is_given),
        Value::Object(members) => !members.is_empty(),
    }
}
