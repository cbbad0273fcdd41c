//! What may be run, where, and how much of it is kept.

use std::path::PathBuf;

/// How programs are run. Nothing is, unless one is named here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The programs that documents may name.
    pub programs: Vec<Program>,
    /// Folders below which everything has to lie; the first is the working directory of calls that name none.
    pub roots: Vec<PathBuf>,
    /// Bytes kept of each output stream: one half of its beginning, one of its end.
    pub output: usize,
    /// Programs that may go on in the background at a time.
    pub sessions: usize,
}

/// A program that documents may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its name, for instance `dotnet`.
    pub name: String,
    /// Where it is; looked for on `PATH` at each call where absent.
    pub path: Option<PathBuf>,
    /// Environment variables that are handed on besides the usual ones.
    pub environment: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            programs: Vec::new(),
            roots: Vec::new(),
            output: 1024 * 1024,
            sessions: 16,
        }
    }
}
