//! What `MSBuild` made: build, restore, publish, pack, clean.

use serde_json::{Value, json};

use super::super::classify;
use super::super::diagnostics::{Diagnostics, Severity};
use super::super::outcome::Failed;
use super::super::reading::Reading;
use super::super::refusal;
use super::super::words;
use super::View;

/// Warnings in one answer, and in its text.
const MAX_WARNINGS: usize = 100;
const SHOWN: usize = 20;

/// What all of them have: counts, and the warnings.
struct Built {
    diagnostics: Diagnostics,
    errors: u64,
    warnings: u64,
}

impl Built {
    fn read(view: &View<'_>) -> Self {
        let diagnostics = Diagnostics::of_run(view.run);
        Self {
            errors: diagnostics.count(Severity::Error),
            warnings: diagnostics.count(Severity::Warning),
            diagnostics,
        }
    }

    /// The warnings without what every entry of a failing command has.
    fn warnings(&self) -> Option<Value> {
        let mut explained = std::collections::HashSet::new();
        let entries: Vec<_> = self
            .diagnostics
            .of(Severity::Warning)
            .take(MAX_WARNINGS)
            .map(|found| {
                let mut entry = found.entry(None);
                entry.mcp_error_code = None;
                if !explained.insert(entry.code.clone()) {
                    entry.shorten();
                }
                entry
            })
            .collect();
        (!entries.is_empty()).then(|| serde_json::to_value(entries).unwrap_or_default())
    }

    /// The contract's sentences for `what`.
    fn summary(&self, what: &str, failed: bool) -> String {
        let errors = words::counted(self.errors, "error");
        let warnings = words::counted(self.warnings, "warning");
        match (failed, self.warnings) {
            (true, _) => format!("{what} FAILED ({errors}, {warnings})"),
            (false, 0) => format!("{what} succeeded"),
            (false, _) => format!("{what} succeeded ({warnings})"),
        }
    }

    fn counts(&self) -> [(&'static str, Option<Value>); 3] {
        [
            ("errorCount", Some(self.errors.into())),
            ("warningCount", Some(self.warnings.into())),
            ("warnings", self.warnings()),
        ]
    }

    /// The summary and the warnings, a line each.
    fn text(&self, summary: &str) -> String {
        let mut lines = vec![summary.to_owned()];
        let warnings = self.diagnostics.of(Severity::Warning);
        lines.extend(warnings.take(SHOWN).map(|found| found.raw.clone()));
        let more = self
            .diagnostics
            .of(Severity::Warning)
            .count()
            .saturating_sub(SHOWN);
        if more > 0 {
            lines.push(format!("[{more} more warnings]"));
        }
        lines.join("\n")
    }

    /// The failure with the summary, the counts and the warnings beside it.
    fn failed<const N: usize>(
        &self,
        view: &View<'_>,
        what: &str,
        mut failed: Failed,
        members: [(&str, Option<Value>); N],
    ) -> Reading {
        let mut summary = self.summary(what, true);
        if self.errors == 0
            && let Some(first) = failed.errors.first()
        {
            summary = format!("{what} FAILED: {}", words::cut(&first.message, 300, "..."));
        }
        failed.members.extend(words::members(members));
        failed.members.extend(words::members(self.counts()));
        if self.errors > 0 {
            failed.text = Some(self.failure_text(view, &failed, &summary));
        }
        failed.members.insert("summary".to_owned(), summary.into());
        failed.into()
    }

    /// Each error with its place and what to do about it, so that it can be mended from the text alone.
    fn failure_text(&self, view: &View<'_>, failed: &Failed, summary: &str) -> String {
        let mut lines = vec![format!("Command: {}", view.run.command), summary.to_owned()];
        let mut hinted = std::collections::HashSet::new();
        for error in failed.errors.iter().take(SHOWN) {
            lines.push(error.raw_output.clone());
            if let Some(hint) = &error.hint
                && hinted.insert(error.code.clone())
            {
                lines.push(format!("Hint ({}): {hint}", error.code));
            }
        }
        let more = self
            .diagnostics
            .of(Severity::Error)
            .count()
            .saturating_sub(SHOWN);
        if more > 0 {
            lines.push(format!("[{more} more errors]"));
        }
        lines.push(format!("Exit Code: {}", classify::status(view.run)));
        lines.join("\n")
    }
}

/// Its process's status decides; but a build that was ended by a signal from outside exits with 0 and without its counts.
pub(super) fn build(view: &View<'_>) -> Reading {
    let built = Built::read(view);
    let about = [
        ("project", view.project()),
        ("configuration", view.given("configuration")),
    ];
    if !view.succeeded() || built.errors > 0 {
        let failed = classify::failed_with(view.call, view.run, &built.diagnostics);
        return built.failed(view, "Build", failed, about);
    }
    if built.diagnostics.counted.is_none() && !says_so(view) {
        let why = "The build ended before it was done: it exits with 0 and without its counts when something ends it";
        let failed = refusal::cancelled(view.call, why, Some(&view.run.command), view.stdout());
        return built.failed(view, "Build", failed, about);
    }
    done(&built, "Build", about)
}

/// The terminal logger prints no counts, and of a file-based program nothing but what was made.
fn says_so(view: &View<'_>) -> bool {
    let lines = || view.stdout().lines().map(words::plain);
    let single = view
        .call
        .text("project")
        .is_some_and(|project| project.ends_with(".cs"));
    lines().any(|line| line.trim_start().starts_with("Build succeeded"))
        || (single && lines().any(|line| line.contains(" -> ")))
}

fn done<const N: usize>(built: &Built, what: &str, about: [(&str, Option<Value>); N]) -> Reading {
    let summary = built.summary(what, false);
    let text = built.text(&summary);
    let mut reading = Reading::done(summary, about);
    reading.members.extend(words::members(built.counts()));
    reading.telling(text)
}

/// Restored projects are named one a line.
pub(super) fn restore(view: &View<'_>) -> Reading {
    let built = Built::read(view);
    let about = [("project", view.project())];
    if !view.succeeded() {
        let failed = classify::failed_with(view.call, view.run, &built.diagnostics);
        return built.failed(view, "Restore", failed, about);
    }
    let mut reading = done(&built, "Restore", about);
    let restored: Vec<Value> = view
        .stdout()
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Restored "))
        .filter_map(|line| line.rsplit_once(" (in "))
        .map(|(path, _)| path.into())
        .collect();
    reading
        .members
        .insert("restored".to_owned(), restored.into());
    reading
}

/// The last `NAME -> FOLDER/` line says where it went.
pub(super) fn publish(view: &View<'_>) -> Reading {
    let built = Built::read(view);
    let arrow = view
        .stdout()
        .lines()
        .rev()
        .filter_map(|line| line.trim().split_once(" -> "))
        .map(|(_, path)| path)
        .find(|path| path.ends_with(['/', '\\']));
    let asked = single_property(view.stdout());
    let output = arrow.or(asked).or_else(|| view.call.text("output"));
    let about = [
        ("project", view.project()),
        ("configuration", view.given("configuration")),
        ("framework", view.given("framework")),
        ("runtime", view.given("runtime")),
    ];
    if !view.succeeded() {
        let failed = classify::failed_with(view.call, view.run, &built.diagnostics);
        return built.failed(view, "Publish", failed, about);
    }
    let mut reading = done(&built, "Publish", about);
    if let Some(output) = output {
        reading
            .members
            .insert("outputPath".to_owned(), output.into());
        let summary = format!("{} to {output}", built.summary("Publish", false));
        let text = built.text(&summary);
        reading.members.insert("summary".to_owned(), summary.into());
        return reading.telling(text);
    }
    reading
}

/// `-getProperty:PublishDir` prints the bare value and nothing else.
fn single_property(stdout: &str) -> Option<&str> {
    let text = stdout.trim();
    let one = !text.is_empty() && !text.contains('\n') && text.ends_with(['/', '\\']);
    one.then_some(text)
}

/// Packages are told by MSBuild's items, or by a sentence each; nothing is said where nothing was packed.
pub(super) fn pack(view: &View<'_>) -> Reading {
    let built = Built::read(view);
    if !view.succeeded() {
        let failed = classify::failed_with(view.call, view.run, &built.diagnostics);
        return built.failed(view, "Pack", failed, [("project", view.project())]);
    }
    let paths = packed(view.stdout());
    let packages: Vec<Value> = paths.iter().map(|path| package(path)).collect();
    let first = paths.iter().find(|path| path.ends_with(".nupkg"));
    let version = first
        .and_then(|path| identity(path))
        .map(|(_, version)| version);
    let about = [
        ("project", view.project()),
        ("packagePath", first.map(|path| path.as_str().into())),
        ("version", version.map(Value::from)),
        ("packages", Some(packages.into())),
    ];
    let mut reading = done(&built, "Pack", about);
    let summary = match first {
        Some(path) => format!("{}: {path}", built.summary("Pack", false)),
        None => "Nothing was packed: the package is up to date, or the project is not packable"
            .to_owned(),
    };
    let text = built.text(&summary);
    reading.members.insert("summary".to_owned(), summary.into());
    reading.telling(text)
}

fn packed(stdout: &str) -> Vec<String> {
    let items = super::properties::evaluated(stdout);
    let items = items
        .as_ref()
        .and_then(|items| items["Items"]["NuGetPackOutput"].as_array());
    if let Some(items) = items {
        return items
            .iter()
            .filter_map(|item| item["Identity"].as_str())
            .filter(|path| path.ends_with(".nupkg") || path.ends_with(".snupkg"))
            .map(str::to_owned)
            .collect();
    }
    stdout
        .lines()
        .filter_map(|line| words::between(line, "Successfully created package '", "'."))
        .map(str::to_owned)
        .collect()
}

fn package(path: &str) -> Value {
    match identity(path) {
        Some((id, version)) => json!({"id": id, "version": version, "path": path}),
        None => json!({"path": path}),
    }
}

/// `Rec.Lib.1.2.3-rc.1.nupkg` is `Rec.Lib` in version `1.2.3-rc.1`: the version begins at the first part that is a
/// number and is followed by another one.
fn identity(path: &str) -> Option<(&str, &str)> {
    let name = words::file_name(path);
    let name = name
        .strip_suffix(".nupkg")
        .or_else(|| name.strip_suffix(".snupkg"))?;
    let name = name.strip_suffix(".symbols").unwrap_or(name);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut at = 0;
    loop {
        let dot = at + name[at..].find('.')?;
        let rest = &name[dot + 1..];
        let mut parts = rest.splitn(2, '.');
        let numbers = parts.next().is_some_and(is_number)
            && parts
                .next()
                .is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()));
        if numbers {
            return Some((&name[..dot], rest));
        }
        at = dot + 1;
    }
}

/// Says nothing when quiet.
pub(super) fn clean(view: &View<'_>) -> Reading {
    let about = [
        ("project", view.project()),
        ("configuration", view.given("configuration")),
    ];
    view.or_failure(|| Reading::done("Clean succeeded", about).telling("Clean succeeded"))
}
