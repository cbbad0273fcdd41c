//! Which arguments an action of a command goes by, and which it passes over.

use serde_json::{Map, Value};

use super::command::{Action, CommandTarget, Condition, Word, Work, is_given};

/// Arguments of every action: they concern the answer.
const ALWAYS: [&str; 2] = ["machineReadable", "unsafeOutput"];

impl CommandTarget {
    /// Given arguments that the action passes over and another one of this operation goes by, with the names of those
    /// actions.
    #[must_use]
    pub fn passed_over<'a>(
        &'a self,
        action: &Action,
        arguments: &'a Map<String, Value>,
    ) -> Vec<(&'a str, Vec<&'a str>)> {
        let given = arguments.iter().filter(|(_, value)| is_given(value));
        let names = given.map(|(name, _)| name.as_str());
        names
            .filter(|name| !self.is_common(name) && !action.goes_by(name))
            .map(|name| (name, self.users(name)))
            .filter(|(_, users)| !users.is_empty())
            .collect()
    }

    /// The actions that go by this argument.
    fn users(&self, argument: &str) -> Vec<&str> {
        let users = self.actions.iter().filter(|one| one.goes_by(argument));
        users.map(|one| one.name.as_str()).collect()
    }

    fn is_common(&self, argument: &str) -> bool {
        let own = [self.selector.as_deref(), self.directory.as_deref()];
        own.contains(&Some(argument)) || ALWAYS.contains(&argument)
    }
}

impl Action {
    /// Whether what is done, or what is told of it, depends on this argument.
    #[must_use]
    pub fn goes_by(&self, argument: &str) -> bool {
        let is = |name: &String| name == argument;
        let in_work = match &self.work {
            // What it reads is checked, if it has a form.
            Work::BuiltIn(_) => self.has_rule(argument),
            Work::Runs(runs) => runs.iter().any(|run| {
                let input = run.input.as_ref();
                say(&run.words, argument)
                    || asks(&run.background, argument)
                    || input.is_some_and(|input| is(&input.key) || is(&input.value))
            }),
        };
        let lock = self.lock.as_ref();
        in_work
            || self.takes.iter().any(is)
            || self.requires.iter().flatten().any(is)
            || asks(&self.confirm, argument)
            || lock.is_some_and(|lock| lock.target.iter().any(is) || asks(&lock.global, argument))
    }

    /// Whether it judges this argument's value, used or not.
    #[must_use]
    pub fn has_rule(&self, argument: &str) -> bool {
        self.rules.iter().any(|(name, _)| name == argument)
    }
}

/// Groups of words are nested to a bounded depth when the document is read, and so are conditions.
fn say(words: &[Word], name: &str) -> bool {
    words.iter().any(|word| match word {
        Word::Literal(_) | Word::Scratch { .. } => false,
        Word::Value { argument, .. } | Word::Split { argument, .. } => argument == name,
        Word::Joined(parts) => say(parts, name),
        Word::When {
            condition,
            then,
            otherwise,
        } => asks(condition, name) || say(then, name) || say(otherwise, name),
    })
}

fn asks(condition: &Condition, name: &str) -> bool {
    match condition {
        Condition::Always | Condition::Never => false,
        Condition::Given(argument) | Condition::Is(argument, _) | Condition::Ends(argument, _) => {
            argument == name
        }
        Condition::All(all) | Condition::Any(all) => all.iter().any(|one| asks(one, name)),
        Condition::Not(one) => asks(one, name),
    }
}
