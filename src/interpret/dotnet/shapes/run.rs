//! Programs that were run, and those that go on in the background.

use serde_json::Value;

use super::super::CommandCall;
use super::super::classify;
use super::super::reading::Reading;
use super::super::words;
use super::View;
use crate::handler::command::Ran;

/// How `dotnet run` says on stderr that it could not build.
const NOT_BUILT: &str = "The build failed. Fix the build errors and run again.";

/// The program's own status is the answer's. Diagnostics count only where the build failed: a program may print
/// what looks like one.
pub(super) fn run(view: &View<'_>) -> Reading {
    let output = [
        ("durationMs", Some(milliseconds(view.run))),
        ("stdout", shown(view, view.stdout())),
        ("stderr", shown(view, view.stderr())),
    ];
    if view.succeeded() {
        let mut reading = Reading::done("The program ended with exit code 0", output);
        reading.members.insert("exitCode".to_owned(), 0.into());
        return reading;
    }
    let not_built = view.stderr().contains(NOT_BUILT);
    let of_cli = view.stdout().trim().is_empty() && view.run.exit == Some(1);
    if not_built {
        let mut failed = view.failure();
        let first = failed
            .errors
            .first()
            .map_or("", |first| first.message.as_str());
        let summary = words::cut(
            &format!("The program could not be built: {first}"),
            300,
            "...",
        );
        failed.members.insert("summary".to_owned(), summary.into());
        return failed.into();
    }
    if of_cli || view.run.exit == Some(155) {
        return view.failure().into();
    }
    let status = classify::status(view.run);
    let message = format!("The program ended with exit code {status}");
    let code = format!("EXIT_{status}");
    let mut entry = classify::saying(view.call, view.run, &code, &message);
    if status != 150 && status != 134 {
        entry = entry.with_hint("The exit code is the program's own: read its output");
    }
    let mut failed = super::Failed::new(vec![entry], status);
    failed.output = true;
    failed.members = words::members(output);
    failed.into()
}

fn milliseconds(run: &Ran) -> Value {
    Value::from(u64::try_from(run.duration.as_millis()).unwrap_or(u64::MAX))
}

fn shown(view: &View<'_>, text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| words::bounded(view.call, text).into())
}

/// What goes on in the background, under its session's name.
pub(super) fn session(call: &CommandCall<'_>, session: &str, run: Option<&Ran>) -> Reading {
    let what = match call.shape() {
        "watch" => "Watching",
        _ => "Running",
    };
    let summary = format!("{what} in the background as session {session}");
    let text = format!(
        "{summary}\nUse dotnet_project with action Logs to read its output and Stop to end it."
    );
    let started = run.map(|run| run.command.clone().into());
    Reading::done(
        summary,
        [("sessionId", Some(session.into())), ("command", started)],
    )
    .telling(text)
}
