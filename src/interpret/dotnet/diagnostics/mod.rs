//! Errors and warnings as compilers, `MSBuild`, `NuGet` and the SDK print them: read, joined where one takes several
//! lines, each kept once.

mod line;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use self::line::Line;
use super::envelope::{Data, Entry, Place};
use super::words;
use crate::handler::command::Ran;

/// More than these are not kept; they are counted.
const MAX_KEPT: usize = 2000;
/// Lines of one diagnostic beyond these are left out.
const MAX_LINES: usize = 60;
/// One diagnostic each, over several lines that do not begin with a blank.
const LONG: [&str; 5] = ["MSB4018", "MSB4025", "NETSDK1147", "NU1403", "NU1605"];

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Severity {
    Error,
    Warning,
}

/// One error or warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Diagnostic {
    pub(super) severity: Severity,
    /// As printed; `None` where it has none.
    pub(super) code: Option<String>,
    /// Without the project at its end; several lines where it had several.
    pub(super) text: String,
    pub(super) place: Place,
    /// As printed.
    pub(super) raw: String,
    lines: usize,
}

/// What an output holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Diagnostics {
    /// In the order of their first appearance, each once.
    pub(super) all: Vec<Diagnostic>,
    /// `N Warning(s)` and `N Error(s)` where they were printed: what the build counted, repetitions included.
    pub(super) counted: Option<(u64, u64)>,
    /// Warnings and errors beyond those that are kept.
    beyond: (u64, u64),
    /// The output's middle was left out.
    cut: bool,
}

impl Diagnostics {
    /// Reads what a program wrote.
    pub(super) fn of_run(run: &Ran) -> Self {
        Self {
            cut: run.stdout.dropped > 0 || run.stderr.dropped > 0,
            ..Self::read(&[&run.stdout.text, &run.stderr.text])
        }
    }

    /// Reads the lines of these texts, one after another.
    pub(super) fn read(texts: &[&str]) -> Self {
        let mut reader = Reader::default();
        for text in texts {
            reader.read(text);
        }
        reader.finish()
    }

    /// Those of one severity.
    pub(super) fn of(&self, severity: Severity) -> impl Iterator<Item = &Diagnostic> {
        self.all
            .iter()
            .filter(move |diagnostic| diagnostic.severity == severity)
    }

    /// How many there are of one severity; the printed count where none, or not all, could be read.
    pub(super) fn count(&self, severity: Severity) -> u64 {
        let read = self.of(severity).count() as u64;
        let of = |(warnings, errors)| match severity {
            Severity::Error => errors,
            Severity::Warning => warnings,
        };
        let beyond = of(self.beyond);
        match self.counted.map_or(0, of) {
            0 => read + beyond,
            printed if read == 0 || beyond > 0 || self.cut => printed.max(read),
            _ => read,
        }
    }
}

impl Severity {
    /// As it is printed.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl Diagnostic {
    /// As an entry of both versions of the contract. What has no code gets the name of what raised it.
    pub(super) fn entry(&self, data: Option<Data>) -> Entry {
        let failed = data.as_ref().and_then(|data| data.exit_code) != Some(0);
        let code = self.code.as_deref().unwrap_or("MSBUILD");
        let mut entry = Entry::coded(code, self.text.clone(), failed);
        if self.code.is_none() {
            entry.category = super::envelope::Category::Build;
            entry.mcp_error_code = None;
        }
        entry.severity = Some(self.severity.name());
        entry.place = self.place.clone();
        entry.raw_output.clone_from(&self.raw);
        entry.data = data;
        entry
    }

    /// `error: TEXT` as tools print it for people: neither a code nor an origin.
    pub(super) fn is_bare(&self) -> bool {
        self.code.is_none() && self.place.file.is_none() && !self.raw.starts_with("MSBUILD")
    }

    fn is_like(&self, other: &Self) -> bool {
        self.severity == other.severity && self.code == other.code && self.place == other.place
    }

    fn join(&mut self, text: &str, raw: &str) {
        self.lines += 1;
        if self.lines > MAX_LINES {
            return;
        }
        for (whole, part) in [(&mut self.text, text), (&mut self.raw, raw)] {
            whole.push('\n');
            whole.push_str(part);
        }
    }
}

/// What the lines of one diagnostic have in common: severity, code, place.
type Beginning = (Severity, Option<String>, Place);

#[derive(Default)]
struct Reader {
    found: Vec<Diagnostic>,
    /// The last one of each place and code: what the next line may go on with.
    last: HashMap<Beginning, usize>,
    warnings: Option<u64>,
    errors: Option<u64>,
    beyond: (u64, u64),
}

impl Reader {
    fn read(&mut self, text: &str) {
        for line in text.lines() {
            let line = words::plain(line);
            let raw = line.trim_end_matches('\r');
            if let Some(parsed) = Line::parse(raw) {
                self.push(&parsed, raw);
            } else if raw.starts_with("Switch: ") {
                // Says which one of the command line's words the error before is about.
                if let Some(last) = self.found.last_mut() {
                    last.raw.push('\n');
                    last.raw.push_str(raw.trim_end());
                }
            } else if let Some((count, what)) = count_line(raw) {
                match what {
                    Severity::Warning => self.warnings = Some(count),
                    Severity::Error => self.errors = Some(count),
                }
            }
        }
    }

    fn push(&mut self, line: &Line<'_>, raw: &str) {
        if self.found.len() >= MAX_KEPT {
            match line.severity {
                Severity::Warning => self.beyond.0 += 1,
                Severity::Error => self.beyond.1 += 1,
            }
            return;
        }
        let place = line.place();
        // The project is left out: a line that goes on may lack it.
        let at = Place {
            project: None,
            ..place.clone()
        };
        let key = (line.severity, line.code.map(str::to_owned), at);
        let goes_on = line.text.trim().is_empty() || line.text.starts_with(' ');
        if goes_on && let Some(found) = self.last.get(&key).and_then(|&at| self.found.get_mut(at)) {
            found.join(line.text.trim_end(), raw.trim());
            return;
        }
        self.last.insert(key, self.found.len());
        self.found.push(Diagnostic {
            severity: line.severity,
            code: line.code.map(str::to_owned),
            text: line.text.trim().to_owned(),
            place,
            raw: raw.trim().to_owned(),
            lines: 1,
        });
    }

    fn finish(self) -> Diagnostics {
        let counted = match (self.warnings, self.errors) {
            (None, None) => None,
            (warnings, errors) => Some((warnings.unwrap_or(0), errors.unwrap_or(0))),
        };
        let mut all = once(join_known(self.found));
        if let Some((warnings, errors)) = counted {
            join_surplus(&mut all, Severity::Warning, warnings);
            join_surplus(&mut all, Severity::Error, errors);
        }
        Diagnostics {
            all,
            counted,
            beyond: self.beyond,
            cut: false,
        }
    }
}

/// Joins neighbours of a code that is known to take several lines.
fn join_known(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut joined: Vec<Diagnostic> = Vec::with_capacity(found.len());
    for diagnostic in found {
        let known = diagnostic
            .code
            .as_deref()
            .is_some_and(|code| LONG.contains(&code));
        match joined.last_mut() {
            // The same first line again is the same diagnostic again.
            Some(last) if known && last.is_like(&diagnostic) && !begins_like(last, &diagnostic) => {
                last.join(&diagnostic.text, &diagnostic.raw);
            }
            _ => joined.push(diagnostic),
        }
    }
    joined
}

fn begins_like(one: &Diagnostic, other: &Diagnostic) -> bool {
    one.text.lines().next() == other.text.lines().next()
}

/// Keeps each once.
fn once(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = std::collections::HashSet::new();
    found
        .into_iter()
        .filter(|diagnostic| {
            let place = &diagnostic.place;
            seen.insert((
                diagnostic.severity,
                diagnostic.code.clone(),
                diagnostic.text.clone(),
                (place.file.clone(), place.line, place.column),
                (place.project.clone(), place.target_framework.clone()),
            ))
        })
        .collect()
}

/// Where more were read than the build counted, neighbours of one place and code are one.
fn join_surplus(all: &mut Vec<Diagnostic>, severity: Severity, counted: u64) {
    let read = all
        .iter()
        .filter(|found| found.severity == severity)
        .count() as u64;
    let mut surplus = read.saturating_sub(counted);
    if surplus == 0 || counted == 0 {
        return;
    }
    let mut joined: Vec<Diagnostic> = Vec::with_capacity(all.len());
    for diagnostic in all.drain(..) {
        match joined.last_mut() {
            Some(last)
                if surplus > 0 && diagnostic.severity == severity && last.is_like(&diagnostic) =>
            {
                last.join(&diagnostic.text, &diagnostic.raw);
                surplus -= 1;
            }
            _ => joined.push(diagnostic),
        }
    }
    *all = joined;
}

/// Whether a line tells how many warnings or errors there were.
pub(super) fn is_count(line: &str) -> bool {
    count_line(line).is_some()
}

/// `    2 Warning(s)`, in any of the CLI's languages only by the number: English is asked for.
fn count_line(raw: &str) -> Option<(u64, Severity)> {
    if raw.len() > 60 {
        return None;
    }
    let line = words::plain(raw);
    let (number, what) = line.trim().split_once(' ')?;
    let severity = match what {
        "Warning(s)" => Severity::Warning,
        "Error(s)" => Severity::Error,
        _ => return None,
    };
    Some((number.parse().ok()?, severity))
}
