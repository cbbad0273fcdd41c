//! What tests on Microsoft.Testing.Platform print: one summary at the end, failures as blocks.

use serde_json::Value;

use super::super::super::words;
use super::duration::milliseconds;
use super::{Failure, MAX_KEPT, MAX_LINES, Tally, listed};

/// Of several summaries the last one counts: a test may print what looks like one.
pub(super) fn read(text: &str) -> Tally {
    let mut tally = Tally::default();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("Test run summary: ") {
            (tally, inside) = (
                Tally {
                    counted: true,
                    ..Tally::default()
                },
                true,
            );
            continue;
        }
        if inside {
            inside = line.is_empty() || line.starts_with("  ");
            count(line, &mut tally);
        }
    }
    tally.projects = text.lines().filter_map(assembly).collect();
    tally.failures = blocks(text);
    tally.listed = listed(text, "  ", |line| {
        line.starts_with("Discovered ") && line.contains(" in assembly - ")
    });
    tally
}

fn count(line: &str, tally: &mut Tally) {
    let Some((name, value)) = line.trim().split_once(": ") else {
        return;
    };
    let number = || value.trim().parse().unwrap_or(0);
    match name {
        "total" => tally.total = number(),
        "failed" => tally.failed = number(),
        "succeeded" => tally.passed = number(),
        "skipped" => tally.skipped = number(),
        "duration" => tally.duration = milliseconds(value).unwrap_or(0),
        _ => {}
    }
}

/// `/path/xufail.dll (net10.0|x64) failed with 1 error(s) (558ms)`.
fn assembly(line: &str) -> Option<Value> {
    let (path, rest) = line.trim().split_once(".dll (")?;
    let (framework, outcome) = rest.split_once(") ")?;
    let (outcome, duration) = outcome.strip_suffix(')')?.rsplit_once(" (")?;
    let (framework, _) = framework.split_once('|')?;
    let known =
        outcome == "passed" || outcome == "Zero tests ran" || outcome.starts_with("failed with ");
    let duration = milliseconds(duration)?;
    known.then(|| {
        words::members([
            (
                "assembly",
                Some(format!("{}.dll", words::file_name(path)).into()),
            ),
            ("targetFramework", Some(framework.into())),
            ("outcome", Some(outcome.into())),
            ("durationMs", Some(duration.into())),
        ])
        .into()
    })
}

/// `failed NAME (3ms)`, the message, `  from ASSEMBLY`, the message again and the trace. What a test prints itself is indented.
fn blocks(text: &str) -> Vec<Failure> {
    let mut failures: Vec<Failure> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(name) = head(line) else { continue };
        if failures.len() == MAX_KEPT {
            break;
        }
        let mut failure = Failure {
            name: name.to_owned(),
            ..Failure::default()
        };
        let mut message = Vec::new();
        while let Some(line) =
            lines.next_if(|line| !line.starts_with("  from ") && head(line).is_none())
        {
            if message.len() < MAX_LINES {
                message.push(line.trim_end());
            }
        }
        failure.message = message.join("\n").trim().to_owned();
        while let Some(line) = lines.next_if(|line| line.starts_with("  ") || line.is_empty()) {
            let is_frame = line.trim_start().starts_with("at ");
            if is_frame && failure.trace.len() < MAX_LINES {
                failure.trace.push(line.trim().to_owned());
            }
            if line.trim() == "Standard output" {
                break;
            }
        }
        failures.push(failure);
    }
    failures
}

fn head(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("failed ")?;
    let (name, duration) = rest.trim_end().strip_suffix(')')?.rsplit_once(" (")?;
    milliseconds(duration).map(|_| name)
}
