//! Puts an outcome together: text for people or the envelope, and the structured content beside it.

use serde_json::{Map, Value};

use super::CommandCall;
use super::envelope::{self, Entry};
use super::reading::Reading;
use super::refusal;
use super::words;
use crate::handler::command::{CommandReply, LockInfo, Ran};
use crate::tool::{Content, Outcome, Text};

/// Errors shown in the text of a failure; the rest is counted.
const SHOWN: usize = 20;
/// Members that only the envelope may write.
const ENVELOPE: [&str; 3] = ["success", "errors", "exitCode"];

/// A failure, ready to be told.
#[derive(Debug)]
pub(super) struct Failed {
    /// At least one.
    pub(super) errors: Vec<Entry>,
    /// The program's; -1 where none ran or its status says nothing.
    pub(super) exit_code: i32,
    pub(super) metadata: Map<String, Value>,
    /// The action's own members of the structured content.
    pub(super) members: Map<String, Value>,
    /// The text for people; made of the errors where absent.
    pub(super) text: Option<String>,
    /// The text shows the first error's raw output.
    pub(super) output: bool,
}

impl Failed {
    pub(super) fn new(errors: Vec<Entry>, exit_code: i32) -> Self {
        Self {
            errors,
            exit_code,
            metadata: Map::new(),
            members: Map::new(),
            text: None,
            output: false,
        }
    }

    /// With the lock that was held.
    pub(super) fn locked(mut self, lock: Option<&LockInfo>) -> Self {
        self.members.extend(refusal::lock_members(lock));
        self
    }
}

/// The outcome of a plan that was carried out.
pub(super) fn of_reply(
    call: &CommandCall<'_>,
    reply: &CommandReply,
    mut reading: Reading,
) -> Outcome {
    let run = reply.runs.last();
    let status = run.and_then(|run| run.exit);
    let mut outcome = if let Some(mut failure) = reading.failure.take() {
        failure.metadata.extend(reading.metadata);
        for (name, value) in reading.members {
            failure.members.entry(name).or_insert(value);
        }
        let failure = failure.locked(reply.lock.as_ref());
        failed(call, failure)
    } else {
        succeeded(call, reply, reading)
    };
    outcome.status = status;
    outcome
}

fn succeeded(call: &CommandCall<'_>, reply: &CommandReply, reading: Reading) -> Outcome {
    let run = reply.runs.last();
    let text = if call.machine_readable() {
        let output = match (&reading.output, run) {
            (Some(output), _) => words::bounded(call, output),
            (None, Some(run)) => words::bounded(call, &both(run)),
            (None, None) => reading.text.clone().unwrap_or_default(),
        };
        let command = run.map(|run| run.command.as_str());
        let mut metadata = reading.metadata.clone();
        if let Some(exit) = run.and_then(|run| run.exit).filter(|&exit| exit != 0) {
            metadata.insert("processExitCode".to_owned(), exit.to_string().into());
        }
        Value::Object(envelope::success(command, &output, &metadata)).to_string()
    } else {
        people(call, run, &reading)
    };
    let mut members = reading.members;
    members.extend(refusal::lock_members(reply.lock.as_ref()));
    if !reading.metadata.is_empty() {
        members.insert("metadata".to_owned(), reading.metadata.into());
    }
    Outcome {
        content: vec![Content::Text(Text::from(text))],
        structured: Some(Value::Object(members).to_string().into()),
        is_error: false,
        status: None,
    }
}

/// The command, what it wrote or what it came to, and its exit code.
fn people(call: &CommandCall<'_>, run: Option<&Ran>, reading: &Reading) -> String {
    let mut parts = Vec::new();
    if let Some(run) = run {
        parts.push(format!("Command: {}", run.command));
    }
    match (&reading.text, run) {
        (Some(text), _) => parts.push(text.clone()),
        (None, Some(run)) => parts.extend(streams(call, run)),
        (None, None) => {}
    }
    if let Some(exit) = run.and_then(|run| run.exit) {
        parts.push(format!("Exit Code: {exit}"));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// Both streams, the second one with a heading.
fn streams(call: &CommandCall<'_>, run: &Ran) -> Vec<String> {
    let mut parts = vec![words::bounded(
        call,
        run.stdout.text.trim_start_matches('\n'),
    )];
    let errors = words::bounded(call, run.stderr.text.trim_start_matches('\n'));
    if !errors.trim().is_empty() {
        parts.push(format!("Errors:\n{errors}"));
    }
    parts
}

/// Both streams in one text.
pub(super) fn both(run: &Ran) -> String {
    let (out, err) = (run.stdout.text.trim_end(), run.stderr.text.trim_end());
    match (out.is_empty(), err.is_empty()) {
        (_, true) => out.to_owned(),
        (true, false) => err.to_owned(),
        (false, false) => format!("{out}\n{err}"),
    }
}

/// The outcome of a failure.
pub(super) fn failed(call: &CommandCall<'_>, failed: Failed) -> Outcome {
    let mut envelope = envelope::failure(&failed.errors, failed.exit_code, &failed.metadata);
    let text = if call.machine_readable() {
        Value::Object(envelope.clone()).to_string()
    } else {
        failed.text.clone().unwrap_or_else(|| told(&failed))
    };
    for (name, value) in default_members(call).into_iter().chain(failed.members) {
        if !ENVELOPE.contains(&name.as_str()) {
            envelope.insert(name, value);
        }
    }
    if !envelope.contains_key("summary") {
        let summary = failed.errors.first().map(|error| error.message.as_str());
        let summary = words::cut(summary.unwrap_or_default(), 300, "...");
        envelope.insert("summary".to_owned(), summary.into());
    }
    Outcome {
        content: vec![Content::Text(Text::from(text))],
        structured: Some(Value::Object(envelope).to_string().into()),
        is_error: true,
        status: None,
    }
}

/// What a shape always has, also where nothing was run.
fn default_members(call: &CommandCall<'_>) -> Map<String, Value> {
    let names: &[&str] = match call.shape() {
        "build" | "restore" | "publish" | "pack" => &["errorCount", "warningCount"],
        "test" => &["passed", "failed", "skipped"],
        _ => &[],
    };
    names
        .iter()
        .map(|&name| (name.to_owned(), Value::from(0)))
        .collect()
}

/// The errors in words: what, where, what to do.
fn told(failed: &Failed) -> String {
    let mut lines = Vec::new();
    let command = failed.errors.first().and_then(|first| first.data.as_ref());
    let command = command.and_then(|data| data.command.as_deref());
    lines.extend(command.map(|command| format!("Command: {command}")));
    for error in failed.errors.iter().take(SHOWN) {
        lines.push(line(error));
        lines.extend(error.hint.as_ref().map(|hint| format!("Hint: {hint}")));
        lines.extend(error.alternatives.iter().map(|text| format!("- {text}")));
    }
    if failed.errors.len() > SHOWN {
        lines.push(format!("[{} more errors]", failed.errors.len() - SHOWN));
    }
    if failed.output
        && let Some(first) = failed.errors.first()
        && !first.raw_output.is_empty()
        && first.raw_output.trim() != first.message
    {
        lines.push(format!("Output:\n{}", first.raw_output));
    }
    // Where the envelope says -1, a program may have run nevertheless.
    let of_program = failed.errors.first().and_then(|first| first.data.as_ref());
    let exit = match failed.exit_code {
        -1 => of_program.and_then(|data| data.exit_code).unwrap_or(-1),
        other => other,
    };
    if exit != -1 {
        lines.push(format!("Exit Code: {exit}"));
    }
    lines.join("\n")
}

/// What an error is and where.
pub(super) fn line(error: &Entry) -> String {
    format!("Error: {}{}", place(error), error.message)
}

/// `file(line,column): CODE: `, as far as known.
fn place(error: &Entry) -> String {
    let Some(severity) = error.severity else {
        return String::new();
    };
    let place = &error.place;
    let file = place.file.as_deref().unwrap_or_default();
    let at = match (place.line, place.column) {
        (Some(line), Some(column)) => format!("{file}({line},{column}): "),
        (Some(line), None) => format!("{file}({line}): "),
        _ if file.is_empty() => String::new(),
        _ => format!("{file}: "),
    };
    format!("{at}{severity} {}: ", error.code)
}
