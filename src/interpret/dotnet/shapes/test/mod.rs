//! What a test run came to: counts over all projects, the first failures, and who ran it.

mod duration;
mod platform;
mod trx;
mod vstest;

use serde_json::{Map, Value};

use super::super::classify;
use super::super::diagnostics::{Diagnostics, Severity};
use super::super::envelope::Entry;
use super::super::outcome::{self, Failed};
use super::super::reading::Reading;
use super::super::words;
use super::View;
use crate::tool::TestRunner;

/// Failures and lines of one that are read.
const MAX_KEPT: usize = 200;
const MAX_LINES: usize = 60;
/// Failures told; the counts tell of the rest.
const MAX_FAILURES: usize = 5;
/// Errors of other projects in the text.
const SHOWN: usize = 20;
/// Characters of one message, and lines of one trace.
const MAX_MESSAGE: usize = 2000;
const MAX_TRACE: usize = 12;

/// Counts, added over projects.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Tally {
    passed: u64,
    failed: u64,
    skipped: u64,
    total: u64,
    duration: u64,
    /// At least one summary was read.
    counted: bool,
    projects: Vec<Value>,
    failures: Vec<Failure>,
    /// The names, where they were asked for instead of a run.
    listed: Vec<String>,
}

/// A test that failed.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Failure {
    name: String,
    message: String,
    trace: Vec<String>,
}

impl Failure {
    fn member(&self) -> Value {
        let message = words::cut(self.message.trim(), MAX_MESSAGE, "...");
        let message = if message.is_empty() {
            "The test failed".to_owned()
        } else {
            message
        };
        let trace = self.trace.iter().take(MAX_TRACE).map(|line| line.trim());
        let trace = trace.collect::<Vec<_>>().join("\n");
        words::members([
            ("testName", Some(self.name.as_str().into())),
            ("message", Some(message.into())),
            ("stackTrace", (!trace.is_empty()).then(|| trace.into())),
        ])
        .into()
    }

    /// Name, message, and where.
    fn text(&self) -> String {
        let mut lines = vec![format!("failed {}", self.name)];
        lines.extend(
            words::cut(self.message.trim(), 500, "...")
                .lines()
                .map(|line| format!("  {line}")),
        );
        lines.extend(
            self.trace
                .first()
                .map(|line| format!("    {}", line.trim())),
        );
        lines.join("\n")
    }
}

impl Tally {
    /// Adds what failed, passed, was skipped, all of it, and how long it took. A test may print any number.
    fn add(&mut self, [failed, passed, skipped, total]: [u64; 4], duration: u64) {
        for (sum, more) in [
            (&mut self.failed, failed),
            (&mut self.passed, passed),
            (&mut self.skipped, skipped),
            (&mut self.total, total),
            (&mut self.duration, duration),
        ] {
            *sum = sum.saturating_add(more);
        }
    }

    fn members(&self) -> Map<String, Value> {
        let failures: Vec<Value> = self
            .failures
            .iter()
            .take(MAX_FAILURES)
            .map(Failure::member)
            .collect();
        let some = |list: &[Value]| (!list.is_empty()).then(|| list.to_vec().into());
        let listed = (!self.listed.is_empty()).then(|| self.listed.clone().into());
        words::members([
            ("passed", Some(self.passed.into())),
            ("failed", Some(self.failed.into())),
            ("skipped", Some(self.skipped.into())),
            ("total", Some(self.total.into())),
            ("durationMs", Some(self.duration.into())),
            ("firstFailures", some(&failures)),
            ("projects", some(&self.projects)),
            ("tests", listed),
        ])
    }

    /// `3 passed, 1 failed, 1 skipped`.
    fn words(&self) -> String {
        let parts = [
            (self.passed, "passed"),
            (self.failed, "failed"),
            (self.skipped, "skipped"),
        ];
        let some: Vec<String> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if some.is_empty() {
            "no tests ran".to_owned()
        } else {
            some.join(", ")
        }
    }
}

/// The status decides, but a run of no test at all is no success: `VSTest` ends with 0 then.
pub(super) fn test(view: &View<'_>) -> Reading {
    let platform = runner(view) == TestRunner::Platform;
    let tally = if platform {
        platform::read(view.stdout())
    } else {
        vstest::read(view)
    };
    let mut reading = Reading {
        metadata: metadata(view, platform),
        ..Reading::default()
    };
    let listing = view.call.is_set("listTests");
    let headed = platform || view.stdout().contains("The following Tests are available");
    if view.succeeded() && listing && headed {
        let summary = format!("{} test(s)", tally.listed.len());
        let text = format!("{summary}\n{}", tally.listed.join("\n"));
        reading.members = Reading::done(summary, []).members;
        reading.members.extend(tally.members());
        return reading.telling(words::bounded(view.call, &text));
    }
    if view.succeeded() && tally.total > 0 && tally.failed == 0 {
        let summary = format!("Test run succeeded: {}", tally.words());
        reading.members = Reading::done(summary.clone(), []).members;
        reading.members.extend(tally.members());
        return reading.telling(summary);
    }
    let mut failed = failure(view, &tally);
    let what = match failed.errors.first() {
        Some(first) if tally.failed == 0 => words::cut(&first.message, 300, "..."),
        _ => tally.words(),
    };
    let summary = format!("Test run failed: {what}");
    failed.members.extend(tally.members());
    failed
        .members
        .insert("summary".to_owned(), summary.clone().into());
    if tally.failed > 0 {
        failed.text = Some(text(view, &tally, &summary, &failed.errors[1..]));
    }
    reading.failing(failed)
}

/// Who ran: as selected, or as the output shows.
fn runner(view: &View<'_>) -> TestRunner {
    match view.reply.runner {
        Some(choice) => choice.runner,
        None if view.stdout().contains("\nTest run summary: ") => TestRunner::Platform,
        None => TestRunner::VsTest,
    }
}

fn metadata(view: &View<'_>, platform: bool) -> Map<String, Value> {
    let Some(choice) = view.reply.runner else {
        return Map::new();
    };
    let style = match view.call.text("project") {
        None => "none",
        Some(_) if view.run.command.contains(" --project ") => "--project",
        Some(_) => "positional",
    };
    let name = if platform {
        "microsoft-testing-platform"
    } else {
        "vstest"
    };
    words::members([
        ("selectedTestRunner", Some(name.into())),
        ("projectArgumentStyle", Some(style.into())),
        ("selectionSource", Some(choice.source.into())),
    ])
}

/// The names indented below a line that heads a list of tests.
fn listed(text: &str, indent: &str, heads: impl Fn(&str) -> bool) -> Vec<String> {
    let mut names = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line.strip_prefix(indent) {
            Some(name) if inside => names.push(name.trim().to_owned()),
            _ => inside = heads(line),
        }
    }
    names
}

/// Failing tests first, then what kept them from running.
fn failure(view: &View<'_>, tally: &Tally) -> Failed {
    if tally.failed > 0 {
        let message = format!("{} of {} tests failed", tally.failed, tally.total);
        let status = classify::status(view.run);
        let code = format!("EXIT_{status}");
        let mut entry = classify::saying(view.call, view.run, &code, &message)
            .with_hint("Read firstFailures: the names and messages of the first tests that failed");
        entry.severity = None;
        let mut errors = vec![entry];
        errors.extend(aborted(view));
        errors.extend(of_other_projects(view));
        return Failed::new(errors, status);
    }
    let mut diagnostics = Diagnostics::of_run(view.run);
    diagnostics
        .all
        .retain(|found| found.code.is_some() || found.place.file.is_some());
    if diagnostics.of(Severity::Error).next().is_some() {
        return classify::failed_with(view.call, view.run, &diagnostics);
    }
    if let Some(entry) = aborted(view) {
        let status = classify::status(view.run);
        let mut failed = Failed::new(vec![entry], if status == 0 { -1 } else { status });
        failed.output = true;
        return failed;
    }
    let (message, hint) = match view.run.exit {
        Some(0) => no_tests(view),
        Some(5) => (
            unknown_option(view),
            "An option is unknown to the test program: its packages decide which there are",
        ),
        Some(8) => (
            "No tests ran".to_owned(),
            "Check the filter, and that the project has tests that are not all skipped",
        ),
        Some(9) => (
            "Fewer tests ran than the minimum that was asked for".to_owned(),
            "Check the filter and the minimum",
        ),
        _ => return classify::failed_with(view.call, view.run, &diagnostics),
    };
    let status = classify::status(view.run);
    let code = match status {
        0 => "NO_TESTS_RAN".to_owned(),
        status => format!("EXIT_{status}"),
    };
    let entry = classify::saying(view.call, view.run, &code, &message).with_hint(hint);
    let mut failed = Failed::new(vec![entry], if status == 0 { -1 } else { status });
    failed.output = status != 5;
    failed
}

/// A program of tests that died: the line with the reason, not the last one, which says only that it was so.
fn aborted(view: &View<'_>) -> Option<Entry> {
    let lines = view.stdout().lines().chain(view.stderr().lines());
    let mut reasons = lines.filter(|line| line.contains("test run was aborted. Reason:"));
    let reason = words::cut(reasons.next()?.trim(), 500, "...");
    let code = match classify::status(view.run) {
        0 => "OPERATION_FAILED".to_owned(),
        status => format!("EXIT_{status}"),
    };
    let entry = classify::saying(view.call, view.run, &code, &reason);
    Some(
        entry.with_hint(
            "Call again with blame: true: the output then names the test that was running",
        ),
    )
}

/// Projects of a solution that were not built, beside those whose tests failed. What runs tests under `MSBuild` tells
/// the tests as errors once more.
fn of_other_projects(view: &View<'_>) -> Vec<Entry> {
    let mut diagnostics = Diagnostics::of_run(view.run);
    diagnostics.all.retain(|found| {
        let of_tests = found.code.as_deref() == Some("TESTERROR");
        found.code.is_some() && found.place.file.is_some() && !of_tests
    });
    classify::from_diagnostics(view.call, view.run, &diagnostics)
}

/// Status 0 and not one test.
fn no_tests(view: &View<'_>) -> (String, &'static str) {
    let lines = || view.stdout().lines().map(str::trim);
    if let Some(line) = lines().find(|line| line.contains("Incorrect format for TestCaseFilter")) {
        return (line.to_owned(), "Mend the filter expression");
    }
    if let Some(line) = lines().find(|line| line.starts_with("No test matches")) {
        return (line.to_owned(), "Check the filter");
    }
    if let Some(line) = lines().find(|line| line.starts_with("No test is available")) {
        return (
            line.to_owned(),
            "Check that the project references its test framework's adapter",
        );
    }
    (
        "No tests ran: the project has none that VSTest can run".to_owned(),
        "If the project uses Microsoft.Testing.Platform, select that runner in global.json (test.runner) or with testRunner",
    )
}

fn unknown_option(view: &View<'_>) -> String {
    let line = view
        .stdout()
        .lines()
        .map(str::trim)
        .find(|line| line.starts_with("Unknown option") || line.contains("Unknown option '"));
    line.map_or_else(
        || "An option is unknown to the test program".to_owned(),
        str::to_owned,
    )
}

/// `others` are errors of projects that were not built.
fn text(view: &View<'_>, tally: &Tally, summary: &str, others: &[Entry]) -> String {
    let mut lines = vec![format!("Command: {}", view.run.command), summary.to_owned()];
    lines.extend(tally.failures.iter().take(MAX_FAILURES).map(Failure::text));
    let left = tally
        .failed
        .saturating_sub(tally.failures.len().min(MAX_FAILURES) as u64);
    if left > 0 {
        lines.push(format!("[{left} more failures]"));
    }
    lines.extend(others.iter().take(SHOWN).map(outcome::line));
    if others.len() > SHOWN {
        lines.push(format!("[{} more errors]", others.len() - SHOWN));
    }
    lines.push(format!("Exit Code: {}", classify::status(view.run)));
    words::bounded(view.call, &lines.join("\n"))
}
