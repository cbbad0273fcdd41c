//! What `VSTest` prints: a summary line for each project, failures as blocks, and results as files.

use serde_json::Value;

use super::super::super::words;
use super::super::View;
use super::duration::milliseconds;
use super::{Failure, MAX_KEPT, MAX_LINES, Tally, listed, trx};

/// Counts from the summaries, or from the result files where these know of more: output may be cut, and a test program
/// that dies prints no summary. Failures the other way round.
pub(super) fn read(view: &View<'_>) -> Tally {
    let mut tally = Tally::default();
    for line in view.stdout().lines() {
        if let Some(project) = Project::parse(line) {
            project.add_to(&mut tally);
        }
    }
    if !tally.counted {
        detailed(view.stdout(), &mut tally);
    }
    let files = trx::read(&view.run.files);
    let whole = view.run.stdout.dropped == 0;
    let more =
        files.total > tally.total && !(tally.counted && whole && trx::nested(&view.run.files));
    if files.counted && (!tally.counted || more) {
        tally = Tally {
            failures: Vec::new(),
            projects: std::mem::take(&mut tally.projects),
            ..files.clone()
        };
    }
    tally.failures = if files.failures.is_empty() {
        blocks(view.stdout())
    } else {
        files.failures
    };
    tally.listed = listed(view.stdout(), "    ", |line| {
        line.trim() == "The following Tests are available:"
    });
    tally
}

/// `Failed!  - Failed:     1, Passed:     3, Skipped:     1, Total:     5, Duration: 129 ms - vst.dll (net10.0)`.
struct Project<'a> {
    counts: [u64; 4],
    duration: u64,
    assembly: &'a str,
    framework: Option<&'a str>,
}

impl<'a> Project<'a> {
    /// In the first column, or as `MSBuild` writes it behind two blanks with one before the dash: what a test prints
    /// itself is indented by one blank.
    fn parse(line: &'a str) -> Option<Self> {
        let (line, behind) = match line.strip_prefix("  ") {
            Some(line) => (line, " - "),
            None => (line, "  - "),
        };
        let (outcome, rest) = line.trim_end().split_once('!')?;
        if !matches!(outcome, "Passed" | "Failed" | "Skipped") {
            return None;
        }
        let rest = rest.strip_prefix(behind)?;
        let mut parts = rest.splitn(5, ',');
        let mut counts = [0; 4];
        for (count, name) in counts
            .iter_mut()
            .zip(["Failed:", "Passed:", "Skipped:", "Total:"])
        {
            *count = parts
                .next()?
                .trim()
                .strip_prefix(name)?
                .trim()
                .parse()
                .ok()?;
        }
        let (duration, assembly) = parts
            .next()?
            .trim()
            .strip_prefix("Duration:")?
            .split_once(" - ")?;
        let (assembly, framework) = match assembly.rsplit_once(" (") {
            Some((assembly, framework)) => (assembly, framework.strip_suffix(')')),
            None => (assembly, None),
        };
        Some(Self {
            counts,
            duration: milliseconds(duration).unwrap_or(0),
            assembly,
            framework,
        })
    }

    fn add_to(&self, tally: &mut Tally) {
        let [failed, passed, skipped, total] = self.counts;
        tally.counted = true;
        tally.add(self.counts, self.duration);
        let framework = self
            .framework
            .map(|framework| framework.split('|').next().unwrap_or(framework));
        tally.projects.push(
            words::members([
                ("assembly", Some(self.assembly.into())),
                ("targetFramework", framework.map(Value::from)),
                ("passed", Some(passed.into())),
                ("failed", Some(failed.into())),
                ("skipped", Some(skipped.into())),
                ("total", Some(total.into())),
            ])
            .into(),
        );
    }
}

/// A detailed console prints `Total tests: 5` and a line each instead.
fn detailed(text: &str, tally: &mut Tally) {
    let mut inside = false;
    for line in text.lines() {
        let Some((name, value)) = line.trim().split_once(": ") else {
            continue;
        };
        // The head stands in the first column, what a test prints is indented.
        if name == "Total tests" && line.starts_with(' ') {
            continue;
        }
        if name == "Total time" {
            tally.add([0; 4], milliseconds(value).unwrap_or(0));
            inside = false;
            continue;
        }
        let Ok(count) = value.trim().parse::<u64>() else {
            continue;
        };
        match name {
            "Total tests" => {
                inside = true;
                tally.counted = true;
                tally.add([0, 0, 0, count], 0);
            }
            "Passed" if inside => tally.add([0, count, 0, 0], 0),
            "Failed" if inside => tally.add([count, 0, 0, 0], 0),
            "Skipped" if inside => tally.add([0, 0, count, 0], 0),
            _ => {}
        }
    }
}

/// Where in a failure's block a line stands.
#[derive(PartialEq)]
enum Part {
    Outside,
    Head,
    Message,
    Trace,
}

/// `  Failed NAME [42 ms]`, `  Error Message:` and its lines, `  Stack Trace:` and its lines.
fn blocks(text: &str) -> Vec<Failure> {
    let mut failures: Vec<Failure> = Vec::new();
    let (mut part, mut lines) = (Part::Outside, 0);
    for line in text.lines() {
        if let Some(name) = head(line) {
            if failures.len() == MAX_KEPT {
                break;
            }
            failures.push(Failure {
                name: name.to_owned(),
                ..Failure::default()
            });
            (part, lines) = (Part::Head, 0);
            continue;
        }
        let ends = [
            "  Passed ",
            "  Skipped ",
            "Passed!",
            "Failed!",
            "Test run for ",
            "[xUnit.net",
            "Results File:",
            "Attachments:",
        ];
        if ends.iter().any(|end| line.starts_with(end)) {
            part = Part::Outside;
        }
        part = match line {
            "  Error Message:" if part != Part::Outside => Part::Message,
            "  Stack Trace:" if part != Part::Outside => Part::Trace,
            "  Standard Output Messages:" | "  Standard Error Messages:" => Part::Outside,
            _ => {
                let Some(failure) = failures.last_mut() else {
                    continue;
                };
                lines += 1;
                match part {
                    Part::Message if lines <= MAX_LINES => {
                        if !failure.message.is_empty() {
                            failure.message.push('\n');
                        }
                        failure.message.push_str(line.trim_end());
                    }
                    Part::Trace if lines <= MAX_LINES && !line.trim().is_empty() => {
                        failure.trace.push(line.trim().to_owned());
                    }
                    _ => {}
                }
                continue;
            }
        };
    }
    failures
}

/// The name in `  Failed NAME [42 ms]`.
fn head(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("  Failed ")?;
    let (name, duration) = rest.trim_end().strip_suffix(']')?.rsplit_once(" [")?;
    milliseconds(duration).map(|_| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_no_run_has_stay_the_largest() {
        let line = "Failed!  - Failed: 18446744073709551615, Passed: 1, Skipped: 0, Total: 18446744073709551615, Duration: 99999999999999 h - a.dll (net10.0)";
        let mut tally = Tally::default();
        for _ in 0..2 {
            Project::parse(line).expect("a summary").add_to(&mut tally);
        }
        assert_eq!((tally.failed, tally.passed), (u64::MAX, 2));
        assert_eq!((tally.total, tally.duration), (u64::MAX, u64::MAX));
        let lines = "Total tests: 18446744073709551615\nPassed: 18446744073709551615\n";
        let mut tally = Tally::default();
        detailed(&lines.repeat(2), &mut tally);
        assert_eq!((tally.total, tally.passed), (u64::MAX, u64::MAX));
    }
}
