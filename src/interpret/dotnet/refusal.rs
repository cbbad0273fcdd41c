//! What was refused before anything ran, or ended before it was done.

use serde_json::{Map, Value, json};

use super::CommandCall;
use super::envelope::{Category, Data, Entry, rpc};
use super::outcome::{self, Failed};
use super::utc::utc;
use super::words;
use crate::handler::command::{CommandError, LockInfo};
use crate::tool::Outcome;

const VERIFY: &str = "Verify the parameter values and try again.";
const ROOTS: &str =
    "Name a path below one of them, or start the server with --root for each folder to work in.";
const WAIT: &str =
    "Wait for the conflicting operation to complete, or cancel it before retrying this operation.";
const CANCELLED: &str = "The command was terminated before completion";
const MISSING_CLI: [&str; 3] = [
    "Install the .NET SDK from https://dotnet.microsoft.com/download",
    "Verify 'dotnet' is on PATH (try: dotnet --info)",
    "If using global.json, ensure the requested SDK is installed",
];

/// Why a call was not carried out.
#[derive(Debug)]
pub enum Refusal {
    /// Arguments do not fit: each becomes one error. None at all counts as one without a name.
    Arguments(Vec<ArgumentFault>),
    /// The selector is missing or names no action.
    Action {
        /// What was given.
        provided: Option<String>,
    },
    /// The handler could not carry the plan out.
    Command(CommandError),
    /// The caller cancelled, or the bridge did.
    Cancelled {
        /// The command line as people may see it.
        command: Option<String>,
        /// What it had written.
        output: String,
        /// The lock that was held.
        lock: Option<LockInfo>,
    },
    /// The bridge knows the feature and cannot offer it here.
    Unavailable {
        /// What.
        feature: String,
        /// Why.
        reason: String,
        /// What to do instead.
        alternatives: Vec<String>,
    },
}

/// What is wrong with one argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentFault {
    /// Which; absent where the fault is in no single one.
    pub parameter: Option<String>,
    /// `required`, `invalid value`, `invalid characters`, or other few words.
    pub reason: Option<String>,
    /// For people; holds no secret.
    pub message: String,
    /// The values that would do, where they are few.
    pub allowed: Vec<String>,
    /// What to do; a general sentence where absent.
    pub hint: Option<String>,
}

impl ArgumentFault {
    /// A fault in other words than those below.
    #[must_use]
    pub fn new(parameter: &str, reason: &str, message: impl Into<String>) -> Self {
        Self {
            parameter: Some(parameter.to_owned()),
            reason: Some(reason.to_owned()),
            message: message.into(),
            allowed: Vec::new(),
            hint: None,
        }
    }

    /// A required argument is missing or blank.
    #[must_use]
    pub fn required(parameter: &str) -> Self {
        let message = format!("Parameter '{parameter}' is required and cannot be empty");
        Self::new(parameter, "required", message)
    }

    /// A value that is none of those allowed; `rule` goes on after the name, for instance `must be 'pfx' or 'pem'`.
    #[must_use]
    pub fn invalid(parameter: &str, rule: &str) -> Self {
        Self::new(
            parameter,
            "invalid value",
            format!("Parameter '{parameter}' {rule}"),
        )
    }

    /// A value with characters that may not be in it.
    #[must_use]
    pub fn characters(parameter: &str) -> Self {
        let message = format!("Parameter '{parameter}' contains invalid characters");
        Self::new(parameter, "invalid characters", message)
    }
}

/// The outcome of a refusal.
pub(super) fn outcome(call: &CommandCall<'_>, refusal: &Refusal) -> Outcome {
    match refusal {
        Refusal::Arguments(faults) => arguments(call, faults),
        Refusal::Action { provided } => before(call, vec![action(call, provided.as_deref())]),
        Refusal::Command(error) => command(call, error),
        Refusal::Cancelled {
            command,
            output,
            lock,
        } => {
            let why = "The operation was cancelled by the user";
            let failed = cancelled(call, why, command.as_deref(), output);
            outcome::failed(call, failed.locked(lock.as_ref()))
        }
        Refusal::Unavailable {
            feature,
            reason,
            alternatives,
        } => before(call, vec![unavailable(feature, reason, alternatives)]),
    }
}

fn before(call: &CommandCall<'_>, errors: Vec<Entry>) -> Outcome {
    outcome::failed(call, Failed::new(errors, -1))
}

fn arguments(call: &CommandCall<'_>, faults: &[ArgumentFault]) -> Outcome {
    let mut errors: Vec<Entry> = faults.iter().map(fault).collect();
    if errors.is_empty() {
        let message = "The arguments are not valid";
        errors.push(invalid(message, &[]));
    }
    before(call, errors)
}

fn fault(fault: &ArgumentFault) -> Entry {
    let allowed = (!fault.allowed.is_empty()).then(|| fault.allowed.join(", "));
    let named = [
        ("parameter", fault.parameter.as_deref()),
        ("reason", fault.reason.as_deref()),
        ("allowedValues", allowed.as_deref()),
    ];
    let additional: Vec<(&str, &str)> = named
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect();
    let entry = invalid(&fault.message, &additional);
    match &fault.hint {
        Some(hint) => entry.with_hint(hint),
        None => entry,
    }
}

fn invalid(message: &str, additional: &[(&str, &str)]) -> Entry {
    Entry::new("INVALID_PARAMS", message, Category::Validation)
        .with_hint(VERIFY)
        .with_rpc(rpc::INVALID_PARAMS)
        .with_data(Data::before(additional))
}

fn action(call: &CommandCall<'_>, provided: Option<&str>) -> Entry {
    let selector = call.target.selector.as_deref().unwrap_or("action");
    let names: Vec<&str> = call
        .target
        .actions
        .iter()
        .map(|action| action.name.as_str())
        .collect();
    let valid = names.join(", ");
    let hint = format!("Valid actions are: {valid}");
    let entry = match provided.filter(|provided| !provided.trim().is_empty()) {
        Some(provided) => {
            let message = format!(
                "Invalid action '{provided}' is not supported. For tool '{}'.",
                call.tool
            );
            let additional = [
                ("parameter", selector),
                ("reason", "invalid value"),
                ("providedValue", provided),
                ("validActions", &valid),
            ];
            let mut entry = invalid(&message, &additional);
            entry.suggested_fixes = meant(provided, &names).into_iter().collect();
            entry
        }
        None => {
            let message = format!("Parameter '{selector}' is required and cannot be empty");
            let additional = [
                ("parameter", selector),
                ("reason", "required"),
                ("validActions", &valid),
            ];
            invalid(&message, &additional)
        }
    };
    entry.with_hint(&hint)
}

/// The action that is spelled the same but for letter case, blanks and signs. It is not taken by itself:
/// the contract has names as they stand.
fn meant(provided: &str, names: &[&str]) -> Option<String> {
    let letters = |text: &str| -> String {
        let kept = text.chars().filter(|c| c.is_alphanumeric());
        kept.flat_map(char::to_lowercase).collect()
    };
    let wanted = letters(provided);
    let found = names.iter().find(|name| letters(name) == wanted)?;
    Some(format!(
        "Did you mean '{found}'? Names of actions are case-sensitive."
    ))
}

fn command(call: &CommandCall<'_>, error: &CommandError) -> Outcome {
    match error {
        CommandError::NotStarted {
            program,
            command,
            source,
        } => before(call, vec![missing(program, command, &source.to_string())]),
        CommandError::Refused {
            parameter,
            reason,
            message,
        } => {
            let mut refused = ArgumentFault {
                parameter: (!parameter.is_empty()).then(|| parameter.clone()),
                ..ArgumentFault::new(parameter, reason, message.clone())
            };
            refused.hint = (*reason == CommandError::OUTSIDE).then(|| ROOTS.to_owned());
            before(call, vec![fault(&refused)])
        }
        CommandError::Conflict {
            operation,
            target,
            running,
            since,
            lock,
        } => {
            let other = format!("{running} on {} (started at {})", lock.key, utc(*since));
            conflict(call, (operation, target, &other), lock)
        }
    }
}

/// The program itself is not there.
fn missing(program: &str, command: &str, details: &str) -> Entry {
    let feature = match program {
        "dotnet" => "dotnet CLI",
        other => other,
    };
    not_available(feature, details, &MISSING_CLI, command)
}

/// A capability without which the command line could not do its work; `command` is what was tried.
pub(super) fn not_available(
    feature: &str,
    details: &str,
    alternatives: &[&str],
    command: &str,
) -> Entry {
    let message = format!(
        "Capability '{feature}' is not available in the current environment. Details: {details}"
    );
    let mut data = Data::before(&[]);
    data.command = Some(command.to_owned());
    let mut entry = Entry::new("CAPABILITY_NOT_AVAILABLE", message, Category::Capability)
        .with_hint(
            "Try one of the alternatives or adjust the environment to enable this capability.",
        )
        .with_rpc(rpc::NOT_AVAILABLE)
        .with_data(data.with_stderr(details));
    entry.alternatives = alternatives.iter().map(|&text| text.to_owned()).collect();
    entry
}

/// What to do where no SDK serves.
pub(super) fn sdk_alternatives() -> &'static [&'static str] {
    &MISSING_CLI
}

fn unavailable(feature: &str, reason: &str, alternatives: &[String]) -> Entry {
    let message = format!("The '{feature}' capability is not available: {reason}");
    let additional = [("feature", feature), ("reason", reason)];
    let mut entry = Entry::new("CAPABILITY_NOT_AVAILABLE", message, Category::Capability)
        .with_hint("Consider using one of the suggested alternatives.")
        .with_rpc(rpc::INTERNAL)
        .with_data(Data::before(&additional));
    entry.explanation = Some(
        "The server knows this feature, but this machine or its configuration does not allow it: \
         something it depends on is missing, it is switched off, another system is needed, or it is not built yet."
            .to_owned(),
    );
    entry.alternatives = alternatives.to_vec();
    entry
}

fn conflict(
    call: &CommandCall<'_>,
    (operation, target, other): (&str, &str, &str),
    lock: &LockInfo,
) -> Outcome {
    let message = format!(
        "Cannot execute '{operation}' on '{target}' because a conflicting operation is already in progress: {other}"
    );
    let additional = [
        ("operationType", operation),
        ("target", target),
        ("conflictingOperation", other),
    ];
    let entry = Entry::new("CONCURRENCY_CONFLICT", message, Category::Concurrency)
        .with_hint(WAIT)
        .with_rpc(rpc::INTERNAL)
        .with_data(Data::before(&additional));
    let mut failed = Failed::new(vec![entry], -1);
    failed.members.insert("summary".to_owned(), "".into());
    let info = json!({
        "lockScope": lock.scope,
        "lockKey": lock.key,
        "lockContended": true,
        "lockWaitedMs": 0,
    });
    failed.members.insert("lockInfo".to_owned(), info);
    outcome::failed(call, failed)
}

/// A command line that was ended before it was done, with what it had written.
pub(super) fn cancelled(
    call: &CommandCall<'_>,
    why: &str,
    command: Option<&str>,
    output: &str,
) -> Failed {
    let mut data = Data::before(&[]);
    data.command = command.map(str::to_owned);
    let mut entry = Entry::new("OPERATION_CANCELLED", why, Category::Cancellation)
        .with_hint(CANCELLED)
        .with_rpc(rpc::INTERNAL)
        .with_data(data);
    entry.raw_output = words::bounded(call, output);
    let mut failed = Failed::new(vec![entry], -1);
    failed.output = true;
    failed
}

/// What was locked, for the structured content.
pub(super) fn lock_members(lock: Option<&LockInfo>) -> Map<String, Value> {
    let info = lock.map(|lock| json!({"lockScope": lock.scope, "lockKey": lock.key}));
    words::members([("lockInfo", info)])
}
