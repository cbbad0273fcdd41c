//! A report as text for people, and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use super::report::{Placed, Report};
use crate::openapi::Severity;

/// A severity as all reports call it (SARIF's levels).
pub(super) fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// Grouped by document, one finding a paragraph, a summary at the end.
pub(super) fn text(report: &Report, colours: bool) -> String {
    let paint = Paint(colours);
    let mut out = String::new();
    for group in report
        .documents
        .iter()
        .filter(|group| !group.placed.is_empty())
    {
        line(&mut out, &paint.bold(&group.name));
        for placed in &group.placed {
            paragraph(&mut out, placed, &paint);
        }
        out.push('\n');
    }
    let count = |severity, many: &str| {
        let count = report.count(severity);
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} {many}{plural}")
    };
    let documents = report
        .documents
        .iter()
        .filter(|group| group.is_document)
        .count();
    let plural = if documents == 1 { "" } else { "s" };
    let _ = write!(
        out,
        "{}, {}, {} in {documents} document{plural}",
        count(Severity::Error, "error"),
        count(Severity::Warning, "warning"),
        count(Severity::Note, "note"),
    );
    out
}

fn paragraph(out: &mut String, placed: &Placed, paint: &Paint) {
    let finding = &placed.finding;
    let place = placed
        .position
        .map_or_else(|| "-".to_owned(), |at| format!("{}:{}", at.line, at.column));
    let level = paint.level(finding.severity);
    line(
        out,
        &format!(
            "  {place:>8}  {level}  {}  [{}]",
            plain(&finding.message),
            finding.rule
        ),
    );
    let file = placed.file.as_deref().unwrap_or_default();
    if !placed.pointer.is_empty() || !file.is_empty() {
        let mark = if file.is_empty() { "" } else { "#" };
        line(
            out,
            &format!("{:12}at {file}{mark}{}", "", plain(&placed.pointer)),
        );
    }
    if let Some(hint) = &finding.hint {
        line(
            out,
            &format!("{:12}{}", "", paint.dim(&format!("hint: {hint}"))),
        );
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// A document's words must not steer a terminal.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// ANSI colours, or none.
struct Paint(bool);

impl Paint {
    fn with(&self, code: &str, text: &str) -> String {
        if self.0 {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    fn bold(&self, text: &str) -> String {
        self.with("1", &plain(text))
    }

    fn dim(&self, text: &str) -> String {
        self.with("2", &plain(text))
    }

    fn level(&self, severity: Severity) -> String {
        let code = match severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Note => "36",
        };
        self.with(code, &format!("{:<7}", word(severity)))
    }
}

/// One object: the documents with their findings, and the counts.
pub(super) fn json(report: &Report) -> String {
    let documents: Vec<Value> = report
        .documents
        .iter()
        .map(|group| {
            let findings: Vec<Value> = group.placed.iter().map(finding).collect();
            json!({"name": group.name, "findings": findings})
        })
        .collect();
    let whole = json!({
        "documents": documents,
        "errors": report.count(Severity::Error),
        "warnings": report.count(Severity::Warning),
        "notes": report.count(Severity::Note),
    });
    format!("{whole:#}")
}

/// Members that are unknown are absent.
fn finding(placed: &Placed) -> Value {
    let finding = &placed.finding;
    let mut value = json!({
        "severity": word(finding.severity),
        "rule": finding.rule,
        "pointer": placed.pointer,
        "message": finding.message,
    });
    if let Some(hint) = &finding.hint {
        value["hint"] = json!(hint);
    }
    if let Some(file) = &placed.file {
        value["file"] = json!(file);
    }
    if let Some(at) = placed.position {
        value["line"] = json!(at.line);
        value["column"] = json!(at.column);
    }
    value
}
