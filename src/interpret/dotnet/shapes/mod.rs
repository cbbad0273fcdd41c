//! The shapes of results, by the name that an action's `result` gives: what is read out of a reply, and whether it is
//! a success at all.

mod build;
mod certificates;
mod ef;
mod format;
mod found;
mod packages;
mod projects;
mod properties;
mod run;
mod sdk;
mod solutions;
mod template_help;
mod templates;
mod test;
mod tools;
mod workloads;

use serde_json::Value;

use super::CommandCall;
use super::classify;
use super::outcome::{self, Failed};
use super::reading::Reading;
use super::refusal;
use super::words;
use crate::handler::command::{CommandReply, Ended, Ran};

/// Shapes that are one list or one value: with its middle left out, their output would say something else.
const WHOLE: [&str; 19] = [
    "sdks",
    "runtimes",
    "templates",
    "template-packs",
    "property",
    "items",
    "analysis",
    "dependencies",
    "validation",
    "projects",
    "packages",
    "package-search",
    "references",
    "ef-migrations",
    "ef-contexts",
    "workloads",
    "tools",
    "tool-search",
    "secrets",
];

/// One run with the call it was made for.
#[derive(Clone, Copy)]
struct View<'a> {
    call: &'a CommandCall<'a>,
    reply: &'a CommandReply,
    run: &'a Ran,
}

impl<'a> View<'a> {
    fn stdout(&self) -> &'a str {
        &self.run.stdout.text
    }

    fn stderr(&self) -> &'a str {
        &self.run.stderr.text
    }

    /// It ended by itself with status 0.
    fn succeeded(&self) -> bool {
        self.run.exit == Some(0)
    }

    /// An argument's text as a member.
    fn given(&self, argument: &str) -> Option<Value> {
        self.call.text(argument).map(Value::from)
    }

    /// The project as results name it: the file's name, where it was given.
    fn project(&self) -> Option<Value> {
        let project = self
            .call
            .text("project")
            .or_else(|| self.call.text("projectPath"))?;
        let absolute = project.starts_with(['/', '\\']) || project.get(1..3) == Some(":\\");
        Some(
            if absolute {
                words::file_name(project)
            } else {
                project
            }
            .into(),
        )
    }

    /// Why it failed.
    fn failure(&self) -> Failed {
        classify::failed(self.call, self.run)
    }

    /// It failed with status 0, for this reason.
    fn failing_with(&self, code: &str, message: &str) -> Failed {
        let entry = classify::saying(self.call, self.run, code, message);
        let status = match classify::status(self.run) {
            0 => -1,
            other => other,
        };
        let mut failed = Failed::new(vec![entry], status);
        failed.output = true;
        failed
    }

    /// It went well, but its answer is not all there.
    fn too_long(&self) -> Failed {
        let left_out = self.run.stdout.dropped;
        let message = format!("The output is too long to be read: {left_out} bytes were left out");
        let setting = format!("commands.{}.output", self.call.target.program);
        let mut entry = classify::saying(self.call, self.run, "OPERATION_FAILED", &message)
            .with_hint(&format!(
                "Ask for less, or have the operator raise `{setting}`"
            ));
        entry.raw_output.clear();
        Failed::new(vec![entry], -1)
    }

    /// It went well, but what it printed is neither the JSON that was asked for nor the table in its place.
    fn unreadable(&self) -> Reading {
        self.failing_with("OPERATION_FAILED", "The output could not be read")
            .into()
    }

    /// The reading of what succeeded, or why it did not.
    fn or_failure(&self, reading: impl FnOnce() -> Reading) -> Reading {
        if self.succeeded() {
            reading()
        } else {
            self.failure().into()
        }
    }
}

/// Reads a reply in the shape that the action asks for.
pub(super) fn read(call: &CommandCall<'_>, reply: &CommandReply) -> Reading {
    if let Some(value) = &reply.value {
        return built_in(value);
    }
    let hidden;
    let reply = if call.shape() == "secrets" {
        hidden = certificates::without_values(call, reply);
        &hidden
    } else {
        reply
    };
    let Some(run) = reply.runs.last() else {
        return match &reply.session {
            Some(session) => run::session(call, session, None),
            None => Reading::done("Nothing had to be done", []),
        };
    };
    if let Some(stopped) = reply.runs.iter().find(|run| run.ended != Ended::Exited) {
        return cancelled(call, stopped).into();
    }
    if let Some(told) = reply.runs.iter().find(|run| told_to_stop(call, run)) {
        let why = "The operation was cancelled: the build was told to stop";
        let output = outcome::both(told);
        return refusal::cancelled(call, why, Some(&told.command), &output).into();
    }
    let view = View { call, reply, run };
    if let Some(session) = &reply.session {
        return run::session(call, session, Some(run));
    }
    if view.succeeded() && run.stdout.dropped > 0 && WHOLE.contains(&call.shape()) {
        return view.too_long().into();
    }
    shape(&view)
}

fn shape(view: &View<'_>) -> Reading {
    match view.call.shape() {
        "version" => sdk::version(view),
        "sdks" => sdk::sdks(view),
        "runtimes" => sdk::runtimes(view),
        "info" => sdk::info(view),
        "templates" => templates::list(view),
        "template-options" => template_help::options(view),
        "template-packs" => templates::packs(view),
        "template-install" => templates::install(view),
        "template-uninstall" => templates::uninstall(view),
        "new" => templates::new(view),
        "build" => build::build(view),
        "restore" => build::restore(view),
        "publish" => build::publish(view),
        "pack" => build::pack(view),
        "clean" => build::clean(view),
        "run" | "tool-run" => run::run(view),
        "watch" => run::run(view),
        "test" => test::test(view),
        "format" => format::format(view),
        "property" => properties::property(view),
        "items" => properties::items(view),
        "analysis" => projects::analysis(view),
        "dependencies" => projects::dependencies(view),
        "validation" => projects::validation(view),
        name => other(name, view),
    }
}

fn other(name: &str, view: &View<'_>) -> Reading {
    match name {
        "projects" => solutions::projects(view),
        "solution-create" => solutions::create(view),
        "solution-add" => solutions::add(view),
        "solution-remove" => solutions::remove(view),
        "packages" => packages::list(view),
        "package-search" => packages::search(view),
        "package-add" => packages::add(view),
        "package-update" => packages::update(view),
        "package-remove" => packages::remove(view),
        "references" => solutions::references(view),
        "reference-add" => solutions::reference_add(view),
        "reference-remove" => solutions::reference_remove(view),
        "cache-clear" => packages::cache_clear(view),
        "ef-migration-add" | "ef-migration-remove" => ef::migration(view),
        "ef-migrations" => ef::migrations(view),
        "ef-script" => ef::script(view),
        "ef-database-update" => ef::update(view),
        "ef-database-drop" => ef::drop(view),
        "ef-contexts" => ef::contexts(view),
        "ef-context" => ef::context(view),
        "ef-scaffold" => ef::scaffold(view),
        "workloads" => workloads::list(view),
        "workload-info" => workloads::info(view),
        "workload-search" => workloads::search(view),
        "workload-change" => workloads::change(view),
        "tools" => tools::list(view),
        "tool-search" => tools::search(view),
        "tool-change" => tools::change(view),
        "tool-manifest" => tools::manifest(view),
        "certificates" => certificates::check(view),
        "certificate-change" => certificates::change(view),
        "secrets" => certificates::secrets(view),
        "secrets-change" => certificates::secrets_change(view),
        "help" => help(view),
        _ => minimal(view),
    }
}

/// An object stands as it is; its `text` is what people read.
fn built_in(value: &Value) -> Reading {
    let mut members = match value {
        Value::Object(members) => members.clone(),
        other => words::members([("value", Some(other.clone()))]),
    };
    let text = match members.remove("text") {
        Some(Value::String(text)) => text,
        _ => ["summary", "message"]
            .iter()
            .find_map(|name| members.get(*name)?.as_str())
            .map_or_else(
                || serde_json::to_string_pretty(&members).unwrap_or_default(),
                str::to_owned,
            ),
    };
    Reading {
        members,
        text: Some(text),
        ..Reading::default()
    }
}

fn cancelled(call: &CommandCall<'_>, run: &Ran) -> Failed {
    let why = match run.ended {
        Ended::TimedOut => "The operation was cancelled: its time limit was reached",
        Ended::Stopped | Ended::Exited => {
            "The operation was cancelled: the server is shutting down"
        }
    };
    refusal::cancelled(call, why, Some(&run.command), &outcome::both(run))
}

/// `MSBuild` was interrupted from elsewhere and ended by itself, without an error.
fn told_to_stop(call: &CommandCall<'_>, run: &Ran) -> bool {
    let builds = ["build", "restore", "publish", "pack", "clean"].contains(&call.shape());
    let said = |line: &str| line.starts_with("Attempting to cancel the build");
    builds && run.exit != Some(0) && run.stdout.text.lines().any(said)
}

/// Help, whatever its status: `user-secrets --help` ends with 2.
fn help(view: &View<'_>) -> Reading {
    let output = view.stdout().trim();
    let secrets = view.run.exit == Some(2) && output.contains("Usage:");
    if !view.succeeded() && !secrets {
        return view.failure().into();
    }
    Reading::of([
        ("command", Some(view.run.command.clone().into())),
        ("output", Some(words::bounded(view.call, output).into())),
    ])
}

fn minimal(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let output = view.stdout().trim();
        let first = output.lines().next().unwrap_or("Done").trim();
        let shown = (!output.is_empty()).then(|| words::bounded(view.call, output).into());
        Reading::done(words::cut(first, 300, "..."), [("output", shown)])
    })
}
