//! The settings of programs as written.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Programs that documents may run on this machine; none unless named.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Commands {
    /// The .NET command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dotnet: Option<Toolset>,
    /// The command line's roots: they name no toolset, they are for the one that runs.
    #[serde(skip)]
    pub roots: Vec<PathBuf>,
}

/// One program.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Toolset {
    /// Folders below which it may work; the current one by default. Calls that name no folder work in the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<PathBuf>,
    /// Where the program is, absolute; looked for on `PATH` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<PathBuf>,
    /// Environment variables it gets besides the usual ones, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
    /// What is kept of each of its output streams, its beginning and its end, for instance `1MiB`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Programs that may go on in the background at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<usize>,
    /// Callers may ask for output that is not masked, with `unsafeOutput`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsafe_output: Option<bool>,
}
