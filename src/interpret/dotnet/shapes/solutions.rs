//! Solutions and references between projects: lists, and what was added or removed.

use serde_json::Value;

use super::super::reading::Reading;
use super::super::words;
use super::View;

/// Every line behind the head and its dashes, whatever its extension.
pub(super) fn projects(view: &View<'_>) -> Reading {
    listed(view, "projects", "No projects found in the solution.")
}

pub(super) fn references(view: &View<'_>) -> Reading {
    let none = "There are no Project to Project references";
    listed(view, "references", none)
}

/// Where nothing is listed there are no dashes, but this sentence.
fn listed(view: &View<'_>, what: &str, none: &str) -> Reading {
    view.or_failure(|| {
        let text = view.stdout();
        if !text
            .lines()
            .any(|line| is_dashes(line) || line.trim().starts_with(none))
        {
            return view.unreadable();
        }
        Reading::of([(what, Some(below_dashes(text)))])
    })
}

fn below_dashes(text: &str) -> Value {
    text.lines()
        .skip_while(|line| !is_dashes(line))
        .skip(1)
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect()
}

fn is_dashes(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && line.bytes().all(|byte| byte == b'-')
}

pub(super) fn create(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let name = view.call.text("name").unwrap_or("the solution");
        // What the command line says: left alone, the SDK writes the newer form.
        let older = view.run.command.contains("--format sln ")
            || view.run.command.ends_with("--format sln");
        let format = view
            .call
            .text("format")
            .unwrap_or(if older { "sln" } else { "slnx" });
        let file = view
            .call
            .text("name")
            .map(|name| format!("{name}.{}", format.to_lowercase()));
        let path = match (view.call.text("output"), file) {
            (Some(folder), Some(file)) => Some(format!("{}/{file}", folder.trim_end_matches('/'))),
            (_, file) => file,
        };
        Reading::done(
            format!("Created solution {name}"),
            [("path", path.map(Value::from))],
        )
    })
}

/// Of a file that is no project nothing is said but on stderr, with status 0.
pub(super) fn add(view: &View<'_>) -> Reading {
    changed(
        view,
        "projects",
        "Added",
        &["Project `", "` added to the solution."],
    )
}

/// Of an absent one only a sentence is said.
pub(super) fn remove(view: &View<'_>) -> Reading {
    changed(
        view,
        "projects",
        "Removed",
        &["Project `", "` removed from the solution."],
    )
}

pub(super) fn reference_add(view: &View<'_>) -> Reading {
    changed(
        view,
        "references",
        "Added",
        &["Reference `", "` added to the project."],
    )
}

pub(super) fn reference_remove(view: &View<'_>) -> Reading {
    changed(
        view,
        "references",
        "Removed",
        &["Project reference `", "` removed."],
    )
}

/// One sentence each: what was changed has the mark; what else is in back-quotes stayed as it was.
fn changed(view: &View<'_>, what: &str, verb: &str, mark: &[&str; 2]) -> Reading {
    view.or_failure(|| {
        let mut done: Vec<&str> = Vec::new();
        let mut unchanged: Vec<&str> = Vec::new();
        for line in view.stdout().lines() {
            if let Some(path) = line
                .trim()
                .strip_prefix(mark[0])
                .and_then(|line| line.strip_suffix(mark[1]))
            {
                done.push(path);
            } else if let Some(path) = words::between(line, "`", "`") {
                unchanged.push(path);
            }
        }
        if done.is_empty() && !view.stderr().trim().is_empty() {
            return view
                .failing_with("OPERATION_FAILED", view.stderr().trim())
                .into();
        }
        let summary = match (done.len(), unchanged.len()) {
            (0, 0) => "Nothing was changed".to_owned(),
            (0, _) => format!("Nothing was changed: {}", view.stdout().trim()),
            (some, 0) => format!("{verb} {some} {}(s)", &what[..what.len() - 1]),
            (some, left) => format!("{verb} {some}, {left} stayed as it was"),
        };
        let unchanged = (!unchanged.is_empty()).then(|| unchanged.into());
        Reading::done(
            summary,
            [(what, Some(done.into())), ("unchanged", unchanged)],
        )
    })
}
