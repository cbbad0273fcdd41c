//! Paths that start at a project instead of at the working directory, as some programs read them.

use serde_json::{Map, Value};

const SEPARATORS: [char; 2] = ['/', '\\'];

/// `path` as seen from the working directory: a relative one starts in the folder of the argument `project`, which
/// names a project file or its folder.
pub(super) fn beside_project(arguments: &Map<String, Value>, path: &str) -> String {
    match folder(arguments).filter(|_| is_relative(path)) {
        Some(folder) => format!("{folder}/{path}"),
        None => path.to_owned(),
    }
}

/// None where that is where relative paths start anyway.
fn folder(arguments: &Map<String, Value>) -> Option<&str> {
    let project = arguments.get("project")?.as_str()?.trim();
    if !project.to_ascii_lowercase().ends_with("proj") {
        return Some(project.trim_end_matches(SEPARATORS)).filter(|folder| !folder.is_empty());
    }
    project.rfind(SEPARATORS).map(|at| &project[..at])
}

fn is_relative(path: &str) -> bool {
    !path.starts_with(SEPARATORS) && path.as_bytes().get(1) != Some(&b':')
}
