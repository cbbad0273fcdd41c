//! Workloads: what is installed, what there is, and what was changed.

use serde_json::{Value, json};

use super::super::reading::Reading;
use super::super::words;
use super::tools::{below_dashes, has_dashes};
use super::{View, found};

/// JSON; lines may stand around it. Where it is missing, the table.
pub(super) fn list(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let is_list = |value: &Value| value["installed"].is_array();
        if let Some(found) = found::json(view.stdout(), is_list) {
            return Reading::of([
                ("installed", found.get("installed").cloned()),
                ("updateAvailable", found.get("updateAvailable").cloned()),
            ]);
        }
        if !has_dashes(view.stdout()) {
            return view.unreadable();
        }
        let ids: Vec<&str> = below_dashes(view.stdout())
            .filter_map(|columns| columns.first().copied())
            .collect();
        Reading::of([
            ("installed", Some(ids.into())),
            ("updateAvailable", Some(json!([]))),
        ])
    })
}

/// `[wasm-tools]` begins a workload's block.
pub(super) fn info(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let text = view.stdout();
        let version = words::between(text, "Workload version: ", "\n").map(str::trim);
        let workloads: Vec<Value> = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix('[')?.strip_suffix(']'))
            .map(|id| json!({"id": id}))
            .collect();
        let none = text.contains("There are no installed workloads");
        if workloads.is_empty() && version.is_none() && !none {
            return view.unreadable();
        }
        Reading::of([
            ("version", version.map(Value::from)),
            ("workloads", Some(workloads.into())),
            (
                "output",
                Some(words::bounded(view.call, text.trim()).into()),
            ),
        ])
    })
}

pub(super) fn search(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        if !has_dashes(view.stdout()) {
            return view.unreadable();
        }
        let found: Vec<Value> = below_dashes(view.stdout())
            .filter_map(|columns| {
                let id = columns.first()?;
                Some(json!({"id": id, "description": columns.get(1).unwrap_or(&"")}))
            })
            .collect();
        Reading::of([("workloads", Some(found.into()))])
    })
}

/// `Successfully installed workload(s) wasm-tools.`
pub(super) fn change(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let text = view.stdout();
        let line = text
            .lines()
            .map(str::trim)
            .find(|line| line.starts_with("Successfully "));
        let names: Option<Vec<&str>> =
            line.and_then(|line| line.split_once("workload(s)"))
                .map(|(_, names)| {
                    names
                        .split([' ', ',', ':', '.'])
                        .filter(|name| !name.is_empty())
                        .collect()
                });
        let nothing = text
            .lines()
            .map(str::trim)
            .find(|line| line.starts_with("No workloads installed"));
        let summary = nothing.or(line).unwrap_or("Done");
        Reading::done(
            words::cut(summary, 300, "..."),
            [("workloads", names.map(Value::from))],
        )
    })
}
