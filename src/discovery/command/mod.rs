//! Operations that run a program: `x-mcp-command` read strictly, with the place of each fault.
//!
//! What a document says here becomes a command line, so nothing is guessed: a member that is not known, a
//! condition that cannot be understood or a word of a wrong form costs the operation.

mod condition;
mod schema;
#[cfg(test)]
mod tests;
mod word;
mod written;

use std::time::Duration;

use serde_json::{Map, Value};

use super::overrides::place;
use crate::openapi::Operation;
use crate::pointer;
use crate::tool::{
    Action, CommandTarget, Condition, Effect, Input, LockRule, RunTemplate, Target, TestRunner,
    Work,
};
use written::{WrittenAction, WrittenRun, WrittenTarget, read};

/// Names the kind of handler of an operation.
const HANDLER: &str = "x-mcp-handler";
/// What its calls run.
const COMMAND: &str = "x-mcp-command";
/// The document of the .NET command line, as it ships.
pub const DOTNET_DOCUMENT: &str = include_str!("../../../specs/dotnet.yaml");
/// Where an action names no time limit.
const TIMEOUT: Duration = Duration::from_secs(600);
/// The longest time limit.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Whether the operations of a document may run programs.
#[derive(Debug, Clone)]
pub enum Commands {
    /// Some.
    Allowed(Allowed),
    /// None, and why.
    Refused(String),
}

/// What operations may name. Names that nobody knows cost the operation when it is loaded, not its first call.
#[derive(Debug, Clone)]
pub struct Allowed {
    /// Programs, by name.
    pub programs: Vec<String>,
    /// Whether there is a rule for values of this name.
    pub is_rule: fn(&str) -> bool,
    /// Whether there is a built-in part of this name.
    pub is_part: fn(&str) -> bool,
}

impl Default for Commands {
    fn default() -> Self {
        Self::Refused("this document may not run programs on this machine".to_owned())
    }
}

/// What of an operation concerns programs, for whoever compares documents: nothing for ordinary operations.
#[must_use]
pub fn data(operation: &Operation) -> Option<(Option<&Value>, Option<&Value>)> {
    let handler = operation.extensions.get(HANDLER);
    let command = operation.extensions.get(COMMAND);
    let is_http = handler.is_none_or(|handler| handler == "http");
    (!is_http || command.is_some()).then_some((handler, command))
}

/// Members that are of no use to a client.
pub(super) fn is_internal(extension: &str) -> bool {
    matches!(extension, HANDLER | COMMAND)
}

/// The target of an operation that runs a program; `None` for every other operation.
///
/// # Errors
/// Why it does not become a tool: programs are not allowed, or what it says cannot be understood.
pub(super) fn target(
    operation: &Operation,
    commands: &Commands,
) -> Result<Option<CommandTarget>, String> {
    let Some((handler, command)) = data(operation) else {
        return Ok(None);
    };
    let allowed = match commands {
        Commands::Allowed(allowed) => allowed,
        Commands::Refused(reason) => return Err(reason.clone()),
    };
    let handler = match handler {
        Some(Value::String(name)) => name.as_str(),
        Some(other) => return Err(format!("`{HANDLER}` is not a text but {other}")),
        None => return Err(format!("it has `{COMMAND}` and no `{HANDLER}`")),
    };
    let Some(command) = command else {
        return Err(format!("it has no `{COMMAND}`, which `{HANDLER}` needs"));
    };
    let target = parse(&place(operation), command)
        .and_then(|target| known_names(target, allowed))
        .and_then(|target| schema::check(command).map(|()| target))
        .map_err(|Fault { pointer, message }| format!("/{COMMAND}{pointer}: {message}"))?;
    if handler != target.program {
        let program = &target.program;
        return Err(format!(
            "`{HANDLER}` is `{handler}`, and the program is `{program}`"
        ));
    }
    if !allowed.programs.contains(&target.program) {
        return Err(format!("the program `{}` is not allowed", target.program));
    }
    Ok(Some(target))
}

/// What is wrong, and where below `x-mcp-command`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fault {
    pointer: String,
    message: String,
}

impl Fault {
    fn new(pointer: &str, message: impl Into<String>) -> Self {
        Self {
            pointer: pointer.to_owned(),
            message: message.into(),
        }
    }
}

/// The target, whose rules and built-in parts are all known.
fn known_names(target: CommandTarget, allowed: &Allowed) -> Result<CommandTarget, Fault> {
    for action in &target.actions {
        let at = pointer::member("/actions", &action.name);
        for (argument, rule) in &action.rules {
            if !(allowed.is_rule)(rule) {
                let at = pointer::member(&format!("{at}/rules"), argument);
                return Err(Fault::new(&at, format!("there is no rule `{rule}`")));
            }
        }
        if let Work::BuiltIn(name) = &action.work
            && !(allowed.is_part)(name)
        {
            let message = format!("there is no built-in part `{name}`");
            return Err(Fault::new(&format!("{at}/builtin"), message));
        }
    }
    Ok(target)
}

fn parse(operation: &str, command: &Value) -> Result<CommandTarget, Fault> {
    let WrittenTarget {
        program,
        selector,
        directory,
        decisive,
        actions,
    } = read(command, "")?;
    if actions.is_empty() || (selector.is_none() && actions.len() > 1) {
        return Err(Fault::new(
            "/actions",
            "expected at least one action, and exactly one where there is no `selector`",
        ));
    }
    let one = |(name, value): (&String, &Value)| {
        let at = pointer::member("/actions", name);
        action(name, value, &at)
    };
    let actions: Result<Vec<Action>, Fault> = actions.iter().map(one).collect();
    Ok(CommandTarget {
        security: Vec::new(),
        operation: operation.to_owned(),
        program,
        selector,
        directory,
        decisive,
        actions: actions?,
    })
}

fn action(name: &str, value: &Value, at: &str) -> Result<Action, Fault> {
    let written: WrittenAction = read(value, at)?;
    let effect = match written.effect.as_deref() {
        Some("read") => Effect::Reads,
        None | Some("write") => Effect::Writes,
        Some("destroy") => Effect::Destroys,
        Some(other) => {
            let message = format!("expected read, write or destroy, found `{other}`");
            return Err(Fault::new(&format!("{at}/effect"), message));
        }
    };
    let confirm = match &written.confirm {
        Some(value) => condition::read(value, &format!("{at}/confirm"), 0)?,
        None if effect == Effect::Destroys => Condition::Always,
        None => Condition::Never,
    };
    let timeout = match &written.timeout {
        Some(text) => {
            duration(text).map_err(|message| Fault::new(&format!("{at}/timeout"), message))?
        }
        None => TIMEOUT,
    };
    Ok(Action {
        name: name.to_owned(),
        effect,
        confirm,
        requires: requires(&written.requires, at)?,
        rules: rules(&written.rules, at)?,
        lock: lock(&written, at)?,
        work: work(&written, at)?,
        takes: written.takes,
        secret: written.secret,
        timeout,
        result: written.result.unwrap_or_else(|| "minimal".to_owned()),
    })
}

/// Names, or lists of names of which one is needed.
fn requires(written: &[Value], at: &str) -> Result<Vec<Vec<String>>, Fault> {
    let group = |(index, value): (usize, &Value)| match value {
        Value::String(name) => Ok(vec![name.clone()]),
        other => read(other, &format!("{at}/requires/{index}")),
    };
    written.iter().enumerate().map(group).collect()
}

/// A rule's name, or several.
fn rules(written: &Map<String, Value>, at: &str) -> Result<Vec<(String, String)>, Fault> {
    let mut rules = Vec::new();
    for (argument, value) in written {
        let names: Vec<String> = match value {
            Value::String(name) => vec![name.clone()],
            other => read(other, &format!("{at}/rules/{argument}"))?,
        };
        rules.extend(names.into_iter().map(|name| (argument.clone(), name)));
    }
    Ok(rules)
}

fn lock(written: &WrittenAction, at: &str) -> Result<Option<LockRule>, Fault> {
    let Some(lock) = &written.lock else {
        return Ok(None);
    };
    let at = format!("{at}/lock");
    let lock: written::WrittenLock = read(lock, &at)?;
    let global = match &lock.global {
        Some(value) => condition::read(value, &format!("{at}/global"), 0)?,
        None => Condition::Never,
    };
    Ok(Some(LockRule {
        operation: lock.operation,
        target: lock.target,
        global,
    }))
}

fn work(written: &WrittenAction, at: &str) -> Result<Work, Fault> {
    match (&written.run, &written.builtin) {
        (Some(runs), None) if !runs.is_empty() => {
            let run = |(index, value)| run(value, &format!("{at}/run/{index}"));
            let runs: Result<Vec<RunTemplate>, Fault> = runs.iter().enumerate().map(run).collect();
            Ok(Work::Runs(runs?))
        }
        (None, Some(name)) => Ok(Work::BuiltIn(name.clone())),
        _ => Err(Fault::new(
            at,
            "expected either `run`, a list of command lines, or `builtin`",
        )),
    }
}

fn run(value: &Value, at: &str) -> Result<RunTemplate, Fault> {
    let written: WrittenRun = read(value, at)?;
    let runner = match written.runner.as_deref() {
        None => None,
        Some("vstest") => Some(TestRunner::VsTest),
        Some("platform") => Some(TestRunner::Platform),
        Some(other) => {
            let message = format!("expected vstest or platform, found `{other}`");
            return Err(Fault::new(&format!("{at}/runner"), message));
        }
    };
    let background = match &written.background {
        Some(value) => condition::read(value, &format!("{at}/background"), 0)?,
        None => Condition::Never,
    };
    if written.neutral && background != Condition::Never {
        return Err(Fault::new(
            &format!("{at}/neutral"),
            "the empty folder is gone with the answer: nothing can go on in it",
        ));
    }
    let words = word::list(&written.words, &format!("{at}/words"), 0)?;
    word::check_verbatim(&words).map_err(|message| Fault::new(&format!("{at}/words"), message))?;
    Ok(RunTemplate {
        runner,
        optional: written.optional,
        neutral: written.neutral,
        background,
        words,
        input: written.input.map(|input| Input {
            key: input.key,
            value: input.value,
        }),
    })
}

/// `500ms`, `30s`, `10m` or `1h`.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text.get(digits.len()..).unwrap_or_default();
    let number = digits.parse::<u32>().ok();
    let found = number.and_then(|number| match unit {
        "ms" => Some(Duration::from_millis(u64::from(number))),
        "s" => Some(Duration::from_secs(u64::from(number))),
        "m" => Some(Duration::from_secs(u64::from(number) * 60)),
        "h" => Some(Duration::from_secs(u64::from(number) * 3600)),
        _ => None,
    });
    found
        .filter(|found| !found.is_zero() && *found <= LONGEST)
        .ok_or_else(|| {
            format!("expected a time up to 24h, for instance 30s or 10m, found `{text}`")
        })
}

/// The target with what the operator says of agreeing to its calls, and whether any of them needs it.
/// A rule that asks for every call is for those that change something; `told` is for all or none.
pub(super) fn confirmed(
    mut target: CommandTarget,
    told: Option<bool>,
    by_rule: bool,
) -> (Target, bool) {
    for action in &mut target.actions {
        match told {
            Some(true) => action.confirm = Condition::Always,
            Some(false) => action.confirm = Condition::Never,
            None if by_rule && action.effect != Effect::Reads => action.confirm = Condition::Always,
            None => {}
        }
    }
    let asks = |action: &Action| action.confirm != Condition::Never;
    let any = target.actions.iter().any(asks);
    (Target::Command(Box::new(target)), any)
}
