//! A call of an operation that runs a program: bound, prepared, agreed to, run, interpreted.
//!
//! Whatever is wrong with such a call, from its arguments on, is an outcome that says so in full: the answer
//! has one form whether anything ran or not.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value};

use super::access::{self, Ended};
use super::{CallError, Catalogue, Commands, Invoker, Prepared};
use crate::binding::Fault;
use crate::binding::command::{CommandFault, bind};
use crate::handler::command::{CommandReply, Ready};
use crate::interpret::{
    ArgumentFault, Cleaning, CommandCall, Refusal, command_refused, command_reply,
};
use crate::pointer;
use crate::policy::confirm::{Confirm, Preview, mask};
use crate::policy::{CallRecord, Limited, Step, hidden};
use crate::registry::Entry;
use crate::tool::{Action, CommandTarget, Content, Outcome, Target, ToolCall};

/// Why no reply is there.
enum Failed {
    /// The answer says it.
    Refused(Refusal),
    /// The protocol says it, for instance by asking a human.
    Stopped(CallError),
    /// Too much is under way.
    Limited(Limited),
}

impl From<CallError> for Failed {
    fn from(error: CallError) -> Self {
        match error {
            CallError::InvalidArguments(faults) => {
                Self::Refused(Refusal::Arguments(faults.iter().map(of_schema).collect()))
            }
            other => Self::Stopped(other),
        }
    }
}

impl Invoker {
    /// Carries out a call whose tool is found and allowed.
    pub(super) async fn command(
        &self,
        entry: &Entry<Prepared>,
        target: &CommandTarget,
        call: &mut ToolCall,
        human: &dyn Confirm,
        record: &mut CallRecord,
    ) -> Result<Ended, CallError> {
        let started = Instant::now();
        // Many clients send null for what they leave out; no command line has a word for it.
        call.arguments.retain(|_, value| !value.is_null());
        let mut arguments = Value::Null;
        let result = self
            .attempt(entry, target, call, &mut arguments, human, record)
            .await;
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        let (outcome, refused) = match result {
            Ok(reply) => (self.told(entry, target, &arguments, Ok(&reply)), false),
            Err(Failed::Refused(refusal)) => {
                let ran = matches!(refusal, Refusal::Cancelled { .. });
                let outcome = self.told(entry, target, &arguments, Err(&refusal));
                (outcome, !ran)
            }
            Err(Failed::Limited(limited)) => {
                return Ok(self.limited(entry, target, &arguments, &limited, record));
            }
            Err(Failed::Stopped(error)) => return Err(self.refused(error, record)),
        };
        if refused {
            record.refused(Step::Validate, None);
        }
        if let Some(commands) = &self.commands {
            let tool = entry.tool.name.as_str();
            commands
                .handler
                .count(tool, outcome.is_error, started.elapsed());
        }
        Ok(Ended { outcome, refused })
    }

    /// What a call comes to that has to wait.
    pub(super) fn limited(
        &self,
        entry: &Entry<Prepared>,
        target: &CommandTarget,
        arguments: &Map<String, Value>,
        limited: &Limited,
        record: &mut CallRecord,
    ) -> Ended {
        let refusal = too_much(target, limited);
        Ended {
            outcome: self.told(entry, target, arguments, Err(&refusal)),
            ..Ended::limited(limited, record)
        }
    }

    /// `arguments` become what was checked, for the answer to speak of.
    async fn attempt(
        &self,
        entry: &Entry<Prepared>,
        target: &CommandTarget,
        call: &mut ToolCall,
        arguments: &mut Value,
        human: &dyn Confirm,
        record: &mut CallRecord,
    ) -> Result<CommandReply, Failed> {
        let interview = self.gate.interview(&entry.tool, call, human);
        let mut interview = interview.map_err(CallError::from)?;
        *arguments = Value::Object(std::mem::take(&mut call.arguments));
        let validator = entry.handler.validator(&entry.tool)?;
        let secret = entry.handler.secret(&entry.tool);
        let hidden = |place: &str, value: &Value| self.policy.redactor.hides(place, value, secret);
        if let Err(faults) = validator.check(arguments, hidden) {
            return Err(Failed::Refused(refused_by_schema(
                target, arguments, &faults,
            )));
        }
        if let Some(interview) = &mut interview {
            let fits = |arguments: &mut Value| validator.check(arguments, |_, _| true).is_ok();
            let filled = interview.fill(arguments, fits).await;
            let secret = entry.handler.secret(&entry.tool);
            self.record_filled(interview, arguments, secret, record);
            filled.map_err(CallError::from)?;
        }
        let none = Map::new();
        let checked = arguments.as_object().unwrap_or(&none);
        let plan = bind(target, checked).map_err(|fault| Failed::Refused(of_binder(fault)))?;
        let commands = self.running()?;
        let command = |error| Failed::Refused(Refusal::Command(error));
        let ready = commands.handler.ready(plan).map_err(command)?;
        record.allowed(Step::Validate);
        let asks = target
            .action(checked)
            .is_some_and(|action| action.confirm.holds(checked));
        let mut yes = None;
        if let Some(interview) = interview.filter(|_| asks) {
            let preview = self.preview(entry, checked, &ready);
            yes = interview.confirm(preview).await.map_err(CallError::from)?;
        }
        let place = self.policy.limits.place(&target.program).await;
        let _place = place.map_err(Failed::Limited)?;
        // Not before there is a place: a yes to what never ran is not used up.
        if let Some(yes) = yes {
            let decision = yes.take().await.map_err(CallError::from)?;
            access::agreed(&decision, record);
        }
        record.allowed(Step::Send);
        let caller = Arc::clone(&call.progress);
        let action = target.action(checked);
        let progress = Masked {
            inner: &*call.progress,
            redactor: &self.policy.redactor,
            cleaning: self.cleaning,
            silent: action.is_some_and(|action| action.result == "secrets"),
        };
        commands
            .handler
            .run(ready, &call.caller.principal, &progress, caller)
            .await
            .map_err(command)
    }

    /// What somebody is to agree to.
    fn preview(
        &self,
        entry: &Entry<Prepared>,
        arguments: &Map<String, Value>,
        ready: &Ready,
    ) -> Preview {
        let redactor = &self.policy.redactor;
        let mut count = 0;
        let masked = |line: String| {
            let masked = redactor.text(&line);
            count += hidden(&line, &masked);
            masked.into_owned()
        };
        let lines: Vec<String> = ready.command_lines().into_iter().map(masked).collect();
        let directory = ready.directory().display().to_string();
        let preview = Preview::of_commands(entry.tool.name.as_str(), &lines, &directory);
        let preview = preview.hiding(count);
        if ready.goes_by_arguments() {
            return preview.with_arguments(&self.shown_arguments(entry, arguments));
        }
        preview
    }

    /// Checked arguments for people, without what is secret by its name, its schema or its look.
    fn shown_arguments(&self, entry: &Entry<Prepared>, arguments: &Map<String, Value>) -> String {
        let mut masked = Value::Object(arguments.clone());
        let secret = entry.handler.secret(&entry.tool);
        self.policy.redactor.json(&mut masked, secret);
        mask(&mut masked, &entry.tool.input_schema.parse());
        format!("{masked:#}")
    }

    fn running(&self) -> Result<&Commands, Failed> {
        self.commands.as_ref().ok_or_else(|| {
            Failed::Refused(Refusal::Unavailable {
                feature: "programs on this machine".to_owned(),
                reason: "they are switched off".to_owned(),
                alternatives: vec!["Start the bridge with --dotnet".to_owned()],
            })
        })
    }

    /// The answer, without secrets unless the operator lets callers ask for them.
    fn told(
        &self,
        entry: &Entry<Prepared>,
        target: &CommandTarget,
        arguments: &Map<String, Value>,
        result: Result<&CommandReply, &Refusal>,
    ) -> Outcome {
        let allowed = self.commands.as_ref().is_some_and(|one| one.unsafe_output);
        let as_it_is = allowed && arguments.get("unsafeOutput") == Some(&Value::Bool(true));
        let (redactor, cleaning) = (&self.policy.redactor, self.cleaning);
        // Before masking: a secret must not hide behind what is taken out later.
        let mask = |text: &str| match as_it_is {
            true => cleaning.text(text).into_owned(),
            false => redactor.text(&cleaning.text(text)).into_owned(),
        };
        let mask_named = |name: &str, value: &str| match as_it_is {
            true => value.to_owned(),
            false => redactor.named(name, value).into_owned(),
        };
        let call = CommandCall {
            tool: entry.tool.name.as_str(),
            target,
            action: target.action(arguments),
            arguments,
            mask: &mask,
            mask_named: &mask_named,
        };
        let outcome = match result {
            Ok(reply) => {
                let mut outcome = cleaning.outcome(command_reply(&call, reply));
                let note = call
                    .action
                    .and_then(|action| passed_over(entry, target, action, arguments));
                outcome
                    .content
                    .extend(note.map(|note| Content::Text(note.into())));
                if let Some(run) = reply.runs.last() {
                    let words = run.command.split(' ').take(2).collect::<Vec<_>>();
                    self.mark_output(&mut outcome, &words.join(" "));
                }
                outcome
            }
            Err(refusal) => cleaning.outcome(command_refused(&call, refusal)),
        };
        match as_it_is {
            true => outcome,
            false => redactor.output(outcome),
        }
    }
}

/// Arguments that made no difference, for a caller who counts on them; those that say what is so anyway are not told.
fn passed_over(
    entry: &Entry<Prepared>,
    target: &CommandTarget,
    action: &Action,
    arguments: &Map<String, Value>,
) -> Option<String> {
    let mut found = target.passed_over(action, arguments);
    if found.is_empty() {
        return None;
    }
    let schema = entry.tool.input_schema.parse();
    found.retain(|(name, _)| arguments.get(*name) != schema["properties"][*name].get("default"));
    let one = |(name, users): &(&str, Vec<&str>)| format!("{name} (for {})", users.join(", "));
    let told: Vec<String> = found.iter().map(one).collect();
    let action = &action.name;
    (!told.is_empty()).then(|| format!("Passed over, not for {action}: {}", told.join("; ")))
}

fn too_much(target: &CommandTarget, limited: &Limited) -> Refusal {
    Refusal::Unavailable {
        feature: target.program.clone(),
        reason: limited.to_string(),
        alternatives: vec!["Wait, and make the same call again".to_owned()],
    }
}

/// Reports without secrets.
#[derive(Debug)]
struct Masked<'a> {
    inner: &'a dyn crate::tool::Progress,
    redactor: &'a crate::policy::Redactor,
    cleaning: Cleaning,
    /// Every line may be a secret.
    silent: bool,
}

impl crate::tool::Progress for Masked<'_> {
    fn wanted(&self) -> bool {
        !self.silent && self.inner.wanted()
    }

    fn report(&self, done: u64, total: Option<u64>, message: &str) {
        let message = self.cleaning.text(message);
        self.inner
            .report(done, total, &self.redactor.text(&message));
    }
}

/// A wrong action is told as such, with those that there are.
fn refused_by_schema(target: &CommandTarget, arguments: &Value, faults: &[Fault]) -> Refusal {
    let empty = Map::new();
    let arguments = arguments.as_object().unwrap_or(&empty);
    if target.action(arguments).is_none()
        && let Err(fault @ CommandFault::Action { .. }) = bind(target, arguments)
    {
        return of_binder(fault);
    }
    Refusal::Arguments(faults.iter().map(of_schema).collect())
}

fn of_binder(fault: CommandFault) -> Refusal {
    match fault {
        CommandFault::Action { provided, .. } => Refusal::Action { provided },
        CommandFault::Argument(fault) => Refusal::Arguments(vec![ArgumentFault {
            allowed: fault.allowed.into_iter().map(str::to_owned).collect(),
            hint: fault.hint,
            ..ArgumentFault::new(&fault.parameter, fault.reason, fault.message)
        }]),
    }
}

fn of_schema(fault: &Fault) -> ArgumentFault {
    let name = pointer::names(&fault.path).next().unwrap_or_default();
    let reason = match fault.keyword.as_str() {
        "required" => "required",
        _ => "invalid value",
    };
    // An unknown name is told with its name; of a value that does not fit, the schema knows only the value.
    let message = match name.is_empty() || fault.message.contains(&*name) {
        true => fault.message.clone(),
        false => format!("Parameter '{name}': {}", fault.message),
    };
    ArgumentFault {
        parameter: (!name.is_empty()).then(|| name.into_owned()),
        ..ArgumentFault::new("", reason, message)
    }
}

/// The tools that run programs, with the actions of each.
pub(super) fn tools(catalogue: &Catalogue) -> Vec<(String, Vec<String>)> {
    let tool = |entry: &Entry<Prepared>| match &entry.tool.target {
        Target::Http(_) => None,
        Target::Command(target) => {
            let actions = target.actions.iter().map(|action| action.name.clone());
            Some((entry.tool.name.to_string(), actions.collect()))
        }
    };
    catalogue.iter().filter_map(tool).collect()
}
