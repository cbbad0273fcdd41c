//! What the formatter changed, or would change.

use serde_json::{Value, json};

use super::super::diagnostics::Diagnostics;
use super::super::reading::Reading;
use super::super::words;
use super::View;

/// Changes in one answer.
const MAX_CHANGES: usize = 500;

/// Status 2 means that something would change, which is what was asked.
pub(super) fn format(view: &View<'_>) -> Reading {
    let would_change = view.run.exit == Some(2);
    if !view.succeeded() && !would_change {
        return view.failure().into();
    }
    let files = report(view).unwrap_or_else(|| printed(view));
    let verified = view.call.is_set("verify") || would_change;
    let changes: usize = files
        .iter()
        .map(|file| file["changes"].as_array().map_or(0, Vec::len))
        .sum();
    // An F# project, or one that does not load, is passed over with status 0 and a sentence.
    if view.succeeded() && files.is_empty() && !view.stderr().trim().is_empty() {
        return view
            .failing_with("OPERATION_FAILED", view.stderr().trim())
            .into();
    }
    let summary = if files.is_empty() {
        "Nothing to format".to_owned()
    } else {
        let verb = if verified { "would change" } else { "changed" };
        format!("{changes} place(s) in {} file(s) {verb}", files.len())
    };
    let summary = words::cut(&summary, 400, "...");
    let mut text = summary.clone();
    if verified && !files.is_empty() {
        text = format!("{summary}\n{}", view.stderr().trim());
    }
    let text = words::bounded(view.call, &text);
    Reading::done(
        summary,
        [
            ("verified", Some(verified.into())),
            (
                "changesNeeded",
                Some((verified && !files.is_empty()).into()),
            ),
            ("files", Some(files.into())),
        ],
    )
    .telling(text)
}

/// `format-report.json` in the folder that was given for it.
fn report(view: &View<'_>) -> Option<Vec<Value>> {
    let (_, text) = view
        .run
        .files
        .iter()
        .find(|(name, _)| name.ends_with("format-report.json"))?;
    let report: Value = crate::tree::read(text.trim_start_matches('\u{feff}')).ok()?;
    let mut left = MAX_CHANGES;
    let mut files = Vec::new();
    for file in report.as_array()? {
        let changes: Vec<Value> = file["FileChanges"]
            .as_array()
            .into_iter()
            .flatten()
            .take(left)
            .map(|change| {
                json!({
                    "line": change["LineNumber"],
                    "column": change["CharNumber"],
                    "rule": change["DiagnosticId"],
                    "description": change["FormatDescription"],
                })
            })
            .collect();
        left -= changes.len();
        files.push(json!({"path": file["FilePath"], "changes": changes}));
    }
    Some(files)
}

/// The same out of the lines on stderr.
fn printed(view: &View<'_>) -> Vec<Value> {
    let found = Diagnostics::read(&[view.stderr()]);
    let mut files: indexmap::IndexMap<&str, Vec<Value>> = indexmap::IndexMap::new();
    for diagnostic in found.all.iter().take(MAX_CHANGES) {
        let Some(file) = diagnostic.place.file.as_deref() else {
            continue;
        };
        files.entry(file).or_default().push(json!({
            "line": diagnostic.place.line,
            "column": diagnostic.place.column,
            "rule": diagnostic.code,
            "description": diagnostic.text,
        }));
    }
    files
        .into_iter()
        .map(|(path, changes)| json!({"path": path, "changes": changes}))
        .collect()
}
