//! Tools: lists, searches, and what was installed, updated, removed and restored.

use serde_json::{Map, Value, json};

use super::super::reading::Reading;
use super::super::words;
use super::View;

/// JSON; a package that is not there ends with 1 and an empty list. Where the JSON is missing, the table.
pub(super) fn list(view: &View<'_>) -> Reading {
    let report: Option<Value> = crate::tree::read(view.stdout().trim()).ok();
    if let Some(tools) = report.as_ref().and_then(|report| report["data"].as_array()) {
        let absent = view.run.exit == Some(1) && view.stderr().trim().is_empty();
        if view.succeeded() || absent {
            return Reading::of([("tools", Some(tools.clone().into()))]);
        }
    }
    view.or_failure(|| {
        if !has_dashes(view.stdout()) {
            return view.unreadable();
        }
        let rows: Vec<Value> = below_dashes(view.stdout())
            .map(|columns| {
                words::members([
                    ("packageId", columns.first().map(|&id| id.into())),
                    ("version", columns.get(1).map(|&version| version.into())),
                    (
                        "commands",
                        Some(
                            columns
                                .get(2)
                                .map_or_else(Vec::new, |names| names.split(", ").collect())
                                .into(),
                        ),
                    ),
                    ("manifest", columns.get(3).map(|&path| path.into())),
                ])
                .into()
            })
            .collect();
        Reading::of([("tools", Some(rows.into()))])
    })
}

/// Whether there is a table, be it an empty one.
pub(super) fn has_dashes(text: &str) -> bool {
    text.lines().any(|line| line.trim().starts_with("-----"))
}

/// The rows of a table without fixed columns: two blanks or more between cells.
pub(super) fn below_dashes(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines()
        .skip_while(|line| !line.trim().starts_with("-----"))
        .skip(1)
        .take_while(|line| !line.trim().is_empty())
        .map(|line| {
            line.split("  ")
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
                .collect()
        })
}

/// The search asks nuget.org alone; without that among the sources it says so and ends with 0.
pub(super) fn search(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let text = view.stdout();
        if text.contains("unconditionally accesses nuget.org") {
            return view.failing_with("OPERATION_FAILED", text.trim()).into();
        }
        let nothing = text.trim().starts_with("Could not find any results");
        if !has_dashes(text) && !nothing {
            return view.unreadable();
        }
        let tools: Vec<Value> = below_dashes(text)
            .map(|columns| {
                let cell = |at: usize| columns.get(at).map(|&cell| cell.into());
                words::members([
                    ("packageId", cell(0)),
                    ("latestVersion", cell(1)),
                    ("authors", cell(2)),
                    ("downloads", cell(3)),
                    ("verified", columns.get(4).map(|&mark| (mark == "x").into())),
                ])
                .into()
            })
            .collect();
        Reading::of([("tools", Some(tools.into()))])
    })
}

/// `Tool 'X' (version 'V') was successfully installed.` and its like; of a restore one for each tool.
pub(super) fn change(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let text = view.stdout();
        if text.contains("Cannot find a manifest file.") && text.contains("No tools were restored.")
        {
            let message = "There is no tool manifest, so no tools were restored";
            return view.failing_with("OPERATION_FAILED", message).into();
        }
        let tools: Vec<Map<String, Value>> = text.lines().filter_map(tool_line).collect();
        let restored = text.lines().any(|line| line.contains(" was restored. "))
            || text.contains("No tools were restored");
        let last = text
            .lines()
            .rev()
            .map(str::trim)
            .find(|line| line.starts_with("Tool '"))
            .or_else(|| {
                text.lines()
                    .rev()
                    .map(str::trim)
                    .find(|line| !line.is_empty())
            });
        let summary = words::cut(last.unwrap_or("Done"), 300, "...");
        let mut reading = Reading::done(summary, []);
        if restored {
            reading.members.insert("tools".to_owned(), tools.into());
        } else {
            reading
                .members
                .extend(tools.into_iter().next().unwrap_or_default());
            let manifest = words::between(text, "manifest file ", "\n")
                .map(|path| path.trim_end_matches(['.', ' ', ')']));
            reading
                .members
                .extend(words::members([("manifest", manifest.map(Value::from))]));
        }
        reading
    })
}

fn tool_line(line: &str) -> Option<Map<String, Value>> {
    let line = line.trim();
    let id = words::between(line, "Tool '", "'")?;
    let (before, after) = match words::between(line, "from version '", "'") {
        Some(before) => (Some(before), words::between(line, "to version '", "'")),
        None => (None, words::between(line, "version '", "'")),
    };
    let commands = line
        .split_once("Available commands: ")
        .map(|(_, names)| names.split(", ").map(str::trim).collect::<Vec<_>>());
    Some(words::members([
        ("packageId", Some(id.into())),
        ("version", after.map(Value::from)),
        ("previousVersion", before.map(Value::from)),
        ("commands", commands.map(|names| json!(names))),
    ]))
}

pub(super) fn manifest(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let folder = view
            .call
            .text("output")
            .map(|folder| folder.trim_end_matches('/'));
        let path = folder.map_or_else(
            || ".config/dotnet-tools.json".to_owned(),
            |folder| format!("{folder}/.config/dotnet-tools.json"),
        );
        Reading::done(format!("Created {path}"), [("path", Some(path.into()))])
    })
}
