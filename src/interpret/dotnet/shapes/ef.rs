//! Entity Framework: everything is on stdout, JSON behind the lines of its build.

use serde_json::Value;

use super::super::classify;
use super::super::outcome::Failed;
use super::super::reading::Reading;
use super::super::words;
use super::{View, found};

/// What the tool prints before its answer.
const BEFORE: [&str; 2] = ["Build started...", "Build succeeded."];

/// The tool's message is the last line, behind a stack trace; `MSBuild`'s errors are on stderr.
fn failure(view: &View<'_>) -> Failed {
    let mut failed = view.failure();
    let generic = failed.errors.len() == 1 && failed.errors[0].code.starts_with("EXIT_");
    let last = view
        .stdout()
        .lines()
        .rev()
        .map(message_of)
        .find(|line| !line.is_empty());
    let only_warnings = view
        .stderr()
        .lines()
        .all(|line| line.trim().is_empty() || line.contains(": warning "));
    if generic
        && only_warnings
        && let Some(last) = last
    {
        let code = failed.errors[0].code.clone();
        let message = words::cut(last, 500, "...");
        failed.errors = vec![classify::saying(view.call, view.run, &code, &message)];
    }
    failed
}

/// Without the nine columns of `--prefix-output`.
fn message_of(line: &str) -> &str {
    let plain = ["data:", "info:", "error:", "warn:", "verbose:"]
        .iter()
        .find_map(|prefix| line.strip_prefix(prefix))
        .unwrap_or(line);
    plain.trim()
}

fn or_failure(view: &View<'_>, reading: impl FnOnce() -> Reading) -> Reading {
    if view.succeeded() {
        reading()
    } else {
        failure(view).into()
    }
}

/// The lines of the answer, without the build's and without prefixes.
fn answer(view: &View<'_>) -> String {
    let lines: Vec<&str> = view
        .stdout()
        .lines()
        .map(|line| {
            ["data:    ", "info:    ", "warn:    "]
                .iter()
                .find_map(|prefix| line.strip_prefix(prefix))
                .unwrap_or(line)
        })
        .skip_while(|line| BEFORE.contains(&line.trim()) || line.trim().is_empty())
        .collect();
    lines.join("\n").trim_end().to_owned()
}

/// The JSON of this form among the lines. A program runs when EF asks it for its context, and what it prints, JSON
/// or not, stands before the answer.
fn json(view: &View<'_>, fits: impl Fn(&Value) -> bool) -> Option<Value> {
    found::json(&answer(view), fits)
}

/// What EF says where a list has nothing in it.
fn is_nothing(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    lines.any(|line| {
        line.starts_with("No migrations were found") || line == "No DbContext was found."
    })
}

/// Added or removed; with the files where the JSON tells them.
pub(super) fn migration(view: &View<'_>) -> Reading {
    or_failure(view, || {
        let found = json(view, |value| value.get("migrationFile").is_some()).unwrap_or_default();
        let file = |name: &str| found[name].as_str().map(Value::from);
        let files = words::members([
            ("migration", file("migrationFile")),
            ("metadata", file("metadataFile")),
            ("snapshot", file("snapshotFile")),
        ]);
        let text = answer(view);
        let named = view
            .call
            .text("name")
            .or_else(|| words::between(&text, "Removing migration '", "'"))
            .map(str::to_owned)
            .or_else(|| of_file(found["migrationFile"].as_str()?));
        let verb = match view.call.shape() {
            "ef-migration-add" => "Added",
            _ => "Removed",
        };
        let shown = named.as_deref().unwrap_or("the last one");
        Reading::done(
            format!("{verb} migration {shown}"),
            [
                ("migrationName", named.map(Value::from)),
                ("files", (!files.is_empty()).then(|| files.into())),
            ],
        )
    })
}

/// `.../20261121233244_Init.cs` is `Init`.
fn of_file(path: &str) -> Option<String> {
    let name = words::file_name(path).strip_suffix(".cs")?;
    let (stamp, name) = name.split_once('_')?;
    (stamp.len() == 14).then(|| name.to_owned())
}

/// JSON, or a line each: `20261121233244_Init (Pending)`.
pub(super) fn migrations(view: &View<'_>) -> Reading {
    or_failure(view, || {
        if let Some(found) = json(view, |value| found::is_list_of(value, &["id"])) {
            return Reading::of([("migrations", Some(found))]);
        }
        let text = answer(view);
        if text.lines().any(|line| line.starts_with(['[', '{'])) {
            return view.unreadable();
        }
        let listed: Vec<Value> = text.lines().filter_map(migration_line).collect();
        if listed.is_empty() && !is_nothing(&text) {
            return view.unreadable();
        }
        Reading::of([("migrations", Some(listed.into()))])
    })
}

fn migration_line(line: &str) -> Option<Value> {
    let line = line.trim();
    let (id, pending) = match line.strip_suffix(" (Pending)") {
        Some(id) => (id, true),
        None => (line, false),
    };
    let (stamp, name) = id.split_once('_')?;
    let dated = stamp.len() == 14 && stamp.bytes().all(|byte| byte.is_ascii_digit());
    dated.then(|| {
        words::members([
            ("id", Some(id.into())),
            ("name", Some(name.into())),
            ("safeName", Some(name.into())),
            ("applied", Some((!pending).into())),
        ])
        .into()
    })
}

/// Where a script is written to that the answer is to hold, in the run's fresh folder.
const SCRIPT: &str = "script.sql";

/// The SQL, or where it was written to. It is read from a file: on stdout, the program's own lines stand around it.
pub(super) fn script(view: &View<'_>) -> Reading {
    or_failure(view, || {
        let path = view.given("output");
        if path.is_some() {
            return Reading::of([("outputPath", path)]);
        }
        let written = view.run.files.iter().find(|(name, _)| name == SCRIPT);
        let text = match written {
            Some((_, sql)) => sql.trim_end().to_owned(),
            None if view.run.command.contains(SCRIPT) => {
                let message = "The script was not written, or is too long to be read: have it written to a file with output";
                return view.failing_with("OPERATION_FAILED", message).into();
            }
            None => answer(view),
        };
        let sql = words::bounded(view.call, &text);
        let dropped = written.is_none() && view.run.stdout.dropped > 0;
        let cut = dropped || words::is_long(view.call, &text);
        let shown = match cut {
            true => format!(
                "{sql}\nThe script is too long to be shown whole: have it written to a file with output."
            ),
            false => sql.clone(),
        };
        let mut reading = Reading::of([
            ("script", Some(sql.clone().into())),
            ("truncated", cut.then(|| true.into())),
        ]);
        if cut || written.is_some() {
            reading.text = Some(shown);
        }
        reading.output = written.is_some().then_some(sql);
        reading
    })
}

pub(super) fn update(view: &View<'_>) -> Reading {
    or_failure(view, || {
        let text = answer(view);
        let named = |mark: &str| -> Vec<&str> {
            text.lines()
                .filter_map(|line| words::between(line, mark, "'."))
                .collect()
        };
        let (applied, reverted) = (
            named("Applying migration '"),
            named("Reverting migration '"),
        );
        let summary = match (applied.len(), reverted.len()) {
            (0, 0) => "The database was up to date".to_owned(),
            (applied, 0) => format!("Applied {applied} migration(s)"),
            (0, reverted) => format!("Reverted {reverted} migration(s)"),
            (applied, reverted) => {
                format!("Applied {applied} and reverted {reverted} migration(s)")
            }
        };
        Reading::done(
            summary,
            [
                ("migrationsApplied", Some(applied.into())),
                ("migrationsReverted", Some(reverted.into())),
            ],
        )
    })
}

pub(super) fn drop(view: &View<'_>) -> Reading {
    or_failure(view, || {
        let text = answer(view);
        let database = words::between(&text, "database '", "'");
        let dry = view.call.is_set("dryRun") || text.contains("This would drop the database");
        let shown = database.unwrap_or("the database");
        let summary = if dry {
            format!("Would drop {shown}")
        } else if text.contains("Successfully dropped") {
            format!("Dropped {shown}")
        } else {
            text.lines().last().unwrap_or("Done").to_owned()
        };
        Reading::done(
            summary,
            [
                ("database", database.map(Value::from)),
                ("dryRun", Some(dry.into())),
            ],
        )
    })
}

/// JSON, or a name each.
pub(super) fn contexts(view: &View<'_>) -> Reading {
    or_failure(view, || {
        if let Some(found) = json(view, |value| found::is_list_of(value, &["fullName"])) {
            return Reading::of([("contexts", Some(found))]);
        }
        let text = answer(view);
        let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
        let none = is_nothing(&text);
        if !none && (text.is_empty() || !lines().all(is_type_name)) {
            return view.unreadable();
        }
        let listed: Vec<Value> = lines()
            .filter(|_| !none)
            .map(|name| {
                words::members([
                    ("fullName", Some(name.into())),
                    ("name", Some(name.rsplit('.').next().into())),
                ])
                .into()
            })
            .collect();
        Reading::of([("contexts", Some(listed.into()))])
    })
}

/// `Shop.Data.Store`; `+` stands before a nested one.
fn is_type_name(line: &str) -> bool {
    line.chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '+' | '`'))
}

/// JSON, or a pair each: `Provider name: ...`.
pub(super) fn context(view: &View<'_>) -> Reading {
    or_failure(view, || {
        let is_context =
            |value: &Value| value["type"].is_string() || value["providerName"].is_string();
        if let Some(found) = json(view, is_context) {
            return Reading::of([("context", Some(found))]);
        }
        let names = [
            ("type", "Type"),
            ("providerName", "Provider name"),
            ("databaseName", "Database name"),
            ("dataSource", "Data source"),
            ("options", "Options"),
        ];
        let text = answer(view);
        let found = names.map(|(member, name)| {
            let value = text
                .lines()
                .find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(": "));
            (member, value.map(Value::from))
        });
        let context = words::members(found);
        if !context.contains_key("type") && !context.contains_key("providerName") {
            return view.unreadable();
        }
        Reading::of([("context", Some(context.into()))])
    })
}

pub(super) fn scaffold(view: &View<'_>) -> Reading {
    or_failure(view, || {
        let is_made = |value: &Value| value.get("contextFile").is_some();
        let found = json(view, is_made).unwrap_or_default();
        let text = answer(view);
        let warnings: Vec<&str> = text
            .lines()
            .take_while(|line| !line.starts_with(['{', '[']))
            .filter(|line| !line.trim().is_empty())
            .collect();
        let entities = found.get("entityTypeFiles").cloned();
        let count = entities.as_ref().and_then(Value::as_array).map(Vec::len);
        let summary = match count {
            Some(count) => format!("Scaffolded a context and {count} entity type(s)"),
            None => "Scaffolded".to_owned(),
        };
        Reading::done(
            summary,
            [
                ("contextFile", found.get("contextFile").cloned()),
                (
                    "entityTypeFiles",
                    entities.or_else(|| Some(Value::Array(Vec::new()))),
                ),
                ("warnings", (!warnings.is_empty()).then(|| warnings.into())),
            ],
        )
    })
}
