//! `x-mcp-command` as it is written: everything that serde can check by itself.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Fault;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenTarget {
    pub(super) program: String,
    pub(super) selector: Option<String>,
    pub(super) directory: Option<String>,
    #[serde(default)]
    pub(super) decisive: Vec<String>,
    pub(super) actions: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenAction {
    /// For people who read the document.
    #[serde(default, rename = "description")]
    _description: Option<String>,
    pub(super) effect: Option<String>,
    pub(super) confirm: Option<Value>,
    #[serde(default)]
    pub(super) requires: Vec<Value>,
    #[serde(default)]
    pub(super) rules: Map<String, Value>,
    #[serde(default)]
    pub(super) takes: Vec<String>,
    #[serde(default)]
    pub(super) secret: Vec<String>,
    pub(super) lock: Option<Value>,
    pub(super) timeout: Option<String>,
    pub(super) result: Option<String>,
    pub(super) run: Option<Vec<Value>>,
    pub(super) builtin: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenLock {
    pub(super) operation: String,
    #[serde(default)]
    pub(super) target: Vec<String>,
    pub(super) global: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenRun {
    pub(super) runner: Option<String>,
    #[serde(default)]
    pub(super) optional: bool,
    #[serde(default)]
    pub(super) neutral: bool,
    pub(super) background: Option<Value>,
    pub(super) words: Vec<Value>,
    pub(super) input: Option<WrittenInput>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenInput {
    pub(super) key: String,
    pub(super) value: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WrittenWord {
    pub(super) value: Option<String>,
    #[serde(rename = "as")]
    pub(super) encoding: Option<String>,
    pub(super) option: Option<String>,
    pub(super) prefix: Option<String>,
    pub(super) separators: Option<String>,
    pub(super) flag: Option<String>,
    pub(super) split: Option<String>,
    pub(super) scratch: Option<WrittenScratch>,
    pub(super) join: Option<Vec<Value>>,
    pub(super) when: Option<Value>,
    pub(super) then: Option<Vec<Value>>,
    #[serde(rename = "else")]
    pub(super) otherwise: Option<Vec<Value>>,
}

/// `true` for the folder itself, or the name of a file in it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum WrittenScratch {
    Folder(bool),
    File(String),
}

impl WrittenScratch {
    /// A file's name is letters, digits, `-`, `_` and `.`, and begins with a letter: it leads nowhere else.
    fn is_one(&self) -> bool {
        match self {
            Self::Folder(is_folder) => *is_folder,
            Self::File(name) => {
                let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
                name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(plain)
            }
        }
    }
}

impl WrittenWord {
    /// Which members are written, in the order of the fields.
    pub(super) fn members(&self) -> Vec<&'static str> {
        let members = [
            ("value", self.value.is_some()),
            ("as", self.encoding.is_some()),
            ("option", self.option.is_some()),
            ("prefix", self.prefix.is_some()),
            ("separators", self.separators.is_some()),
            ("flag", self.flag.is_some()),
            ("split", self.split.is_some()),
            (
                "scratch",
                self.scratch.as_ref().is_some_and(WrittenScratch::is_one),
            ),
            ("join", self.join.is_some()),
            ("when", self.when.is_some()),
            ("then", self.then.is_some()),
            ("else", self.otherwise.is_some()),
        ];
        let written = members.into_iter().filter(|(_, is_written)| *is_written);
        written.map(|(name, _)| name).collect()
    }
}

/// Reads a value whose members are known; the fault has the value's place.
pub(super) fn read<T: DeserializeOwned>(value: &Value, at: &str) -> Result<T, Fault> {
    T::deserialize(value).map_err(|error| Fault::new(at, error.to_string()))
}
