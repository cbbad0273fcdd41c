//! Arguments into command lines (pure): nothing is looked up on the machine here.

mod fault;
mod plan;
mod project;
pub mod rules;
mod runner;
mod source;
#[cfg(test)]
mod tests;
mod words;

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::tool::{Action, CommandTarget, Effect, Input, LockRule, RunTemplate, Work, is_given};

pub use fault::{ArgumentFault, CommandFault};
pub use plan::{CommandPlan, Located, PlannedLock, PlannedRun, PlannedWord, PlannedWork};
pub use rules::RuleFault;
pub use words::escape_property;

/// The plan of a call: its action found, its arguments checked, its command lines written.
///
/// # Errors
/// [`CommandFault`] for the first thing that is wrong: the action, what is required, a value's rule, a word.
pub fn bind(
    target: &CommandTarget,
    arguments: &Map<String, Value>,
) -> Result<CommandPlan, CommandFault> {
    let action = target
        .action(arguments)
        .ok_or_else(|| fault::no_action(target, arguments))?;
    required(action, arguments)?;
    decisive(target, action, arguments)?;
    let spelled = checked(action, arguments)?;
    let arguments = spelled.as_ref().unwrap_or(arguments);
    let directory = match &target.directory {
        Some(argument) => located(argument, arguments)?,
        None => None,
    };
    let lock = match &action.lock {
        Some(rule) => Some(lock(rule, arguments)?),
        None => None,
    };
    Ok(CommandPlan {
        operation: target.operation.clone(),
        program: target.program.clone(),
        action: action.name.clone(),
        work: work(action, arguments)?,
        directory,
        asked: runner::asked(action, arguments),
        secrets: secrets(action, arguments),
        lock,
        timeout: action.timeout,
    })
}

/// A change is not made as if an argument were not there that says what is changed, or whether it is. One whose value
/// stands in another argument too, which counts, says nothing more.
fn decisive(
    target: &CommandTarget,
    action: &Action,
    arguments: &Map<String, Value>,
) -> Result<(), ArgumentFault> {
    if action.effect == Effect::Reads {
        return Ok(());
    }
    for (name, users) in target.passed_over(action, arguments) {
        let is_said = |(other, value): (&String, &Value)| {
            other != name && action.goes_by(other) && arguments.get(name) == Some(value)
        };
        let counts = target.decisive.iter().any(|one| one == name) && !action.has_rule(name);
        if counts && !arguments.iter().any(is_said) {
            return Err(ArgumentFault::passed_over(name, &action.name, &users));
        }
    }
    Ok(())
}

/// Applies the rules. With the arguments as the rules' lists spell them, where one was written in other letter cases:
/// the program takes it as it stands, and makes `bin/release` of it beside `bin/Release`.
fn checked(
    action: &Action,
    arguments: &Map<String, Value>,
) -> Result<Option<Map<String, Value>>, ArgumentFault> {
    let mut changed = None;
    for (argument, rule) in &action.rules {
        let given = arguments.get(argument).filter(|value| is_given(value));
        let Some(value) = given else { continue };
        let checked = rules::check(rule, argument, value);
        checked.map_err(|broken| ArgumentFault::of_rule(argument, broken))?;
        let Value::String(text) = value else { continue };
        let spelled = rules::spelled(rule, text).filter(|spelled| spelled != text);
        if let Some(spelled) = spelled {
            let arguments = changed.get_or_insert_with(|| arguments.clone());
            arguments.insert(argument.clone(), spelled.into());
        }
    }
    Ok(changed)
}

/// Of each group one argument has to say something.
fn required(action: &Action, arguments: &Map<String, Value>) -> Result<(), ArgumentFault> {
    for group in &action.requires {
        let given = |name: &String| arguments.get(name).is_some_and(is_given);
        if !group.iter().any(given) {
            return Err(ArgumentFault::required(group));
        }
    }
    Ok(())
}

fn work(action: &Action, arguments: &Map<String, Value>) -> Result<PlannedWork, ArgumentFault> {
    let templates = match &action.work {
        Work::BuiltIn(name) => {
            return Ok(PlannedWork::BuiltIn {
                name: name.clone(),
                arguments: arguments.clone(),
            });
        }
        Work::Runs(templates) => templates,
    };
    let secret: HashSet<&str> = action.secret.iter().map(String::as_str).collect();
    let plan = |template: &RunTemplate| {
        Ok(PlannedRun {
            runner: template.runner,
            optional: template.optional,
            neutral: template.neutral,
            background: template.background.holds(arguments),
            words: words::words(&template.words, arguments, &secret)?,
            input: template
                .input
                .as_ref()
                .map(|input| self::input(input, arguments)),
        })
    };
    let runs: Result<Vec<PlannedRun>, ArgumentFault> = templates.iter().map(plan).collect();
    Ok(PlannedWork::Runs(runs?))
}

/// The texts of secret arguments, as they may turn up in what a program writes.
fn secrets(action: &Action, arguments: &Map<String, Value>) -> Vec<String> {
    let mut texts = Vec::new();
    let values = action.secret.iter().filter_map(|name| arguments.get(name));
    for value in values {
        match value {
            Value::String(text) => texts.push(text.clone()),
            Value::Array(items) => {
                let items = items.iter().filter_map(Value::as_str);
                texts.extend(items.map(str::to_owned));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
        }
    }
    texts
}

/// A JSON object with one member: what it names and says may be anything.
fn input(input: &Input, arguments: &Map<String, Value>) -> String {
    let text = |name: &str| match arguments.get(name) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let member = (text(&input.key), Value::String(text(&input.value)));
    Value::Object(Map::from_iter([member])).to_string()
}

fn lock(rule: &LockRule, arguments: &Map<String, Value>) -> Result<PlannedLock, ArgumentFault> {
    let mut target = None;
    for argument in &rule.target {
        target = located(argument, arguments)?;
        if target.is_some() {
            break;
        }
    }
    Ok(PlannedLock {
        operation: rule.operation.clone(),
        target,
        global: rule.global.holds(arguments),
    })
}

/// An argument that is a path; nothing where it says nothing. Of a list, the first item counts.
fn located(
    argument: &str,
    arguments: &Map<String, Value>,
) -> Result<Option<Located>, ArgumentFault> {
    let value = arguments.get(argument).filter(|value| is_given(value));
    let value = match value {
        Some(Value::Array(items)) => items.iter().find(|item| is_given(item)),
        other => other,
    };
    let Some(value) = value else {
        return Ok(None);
    };
    let Value::String(path) = value else {
        return Err(ArgumentFault::invalid(argument, "has to be a path"));
    };
    words::check_path(argument, path)?;
    Ok(Some(Located {
        argument: argument.to_owned(),
        path: path.clone(),
    }))
}
