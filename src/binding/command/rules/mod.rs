//! Named rules for values of command arguments, beyond what a JSON Schema says: what is legitimate for the
//! program passes, what could become something other than one value is refused.

mod help;
mod shapes;
#[cfg(test)]
mod tests;

use serde_json::Value;

/// A value that a rule refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFault {
    /// In short: `invalid value` or `invalid characters`.
    pub reason: &'static str,
    /// For people; begins with `Parameter 'NAME'`. The value is not repeated.
    pub message: String,
    /// What would be accepted, where that is a short list.
    pub allowed: Vec<&'static str>,
    /// What to do instead.
    pub hint: Option<String>,
}

/// Whether there is a rule of this name.
#[must_use]
pub fn known(rule: &str) -> bool {
    find(rule).is_some()
}

/// Applies `rule` to the argument's value; of an array to each item. Nothing, null, blank text and what is no
/// text pass, blank items of an array do not. An unknown rule refuses everything.
///
/// # Errors
/// What is wrong with the value.
pub fn check(rule: &str, argument: &str, value: &Value) -> Result<(), RuleFault> {
    let refused = |problem: Problem| Err(problem.fault(argument));
    let Some(rule) = find(rule) else {
        return refused(Problem::Value("cannot be checked: its rule is unknown"));
    };
    match value {
        Value::String(text) if !text.trim().is_empty() => rule.check(text).or_else(refused),
        Value::Array(items) => items.iter().try_for_each(|item| match item {
            Value::String(text) if !text.trim().is_empty() => rule.check(text).or_else(refused),
            _ => refused(Problem::Value("must not have blank entries")),
        }),
        _ => Ok(()),
    }
}

/// `text` as the rule's list spells it, whatever its letter case; `None` where the rule has no list or
/// the list has no such value.
#[must_use]
pub fn spelled(rule: &str, text: &str) -> Option<&'static str> {
    let (Rule::OneOf(list) | Rule::Exactly(list)) = find(rule)? else {
        return None;
    };
    let found = list.iter().find(|one| one.eq_ignore_ascii_case(text));
    found.copied()
}

fn find(name: &str) -> Option<&'static Rule> {
    let found = RULES.iter().find(|(known, _)| *known == name);
    found.map(|(_, rule)| rule)
}

/// How a value is judged.
enum Rule {
    /// One of these, in any letter case.
    OneOf(&'static [&'static str]),
    /// One of these as they stand.
    Exactly(&'static [&'static str]),
    /// It has a shape.
    Shape(fn(&str) -> Result<(), Problem>),
}

impl Rule {
    fn check(&self, text: &str) -> Result<(), Problem> {
        let (list, found) = match self {
            Self::OneOf(list) => (list, list.iter().any(|one| one.eq_ignore_ascii_case(text))),
            Self::Exactly(list) => (list, list.contains(&text)),
            Self::Shape(shape) => return shape(text),
        };
        if found {
            Ok(())
        } else {
            Err(Problem::Choice(list))
        }
    }
}

/// What is wrong.
enum Problem {
    /// Characters that the program or the bridge could take for something else.
    Characters,
    /// None of these.
    Choice(&'static [&'static str]),
    /// This, said behind the parameter's name.
    Value(&'static str),
    /// This, and what to do.
    Hint(&'static str, &'static str),
}

impl Problem {
    fn fault(self, argument: &str) -> RuleFault {
        let (reason, said, allowed, hint) = match self {
            Self::Characters => {
                let said = "contains invalid characters".to_owned();
                ("invalid characters", said, Vec::new(), None)
            }
            Self::Choice(list) => {
                let quoted: Vec<String> = list.iter().map(|one| format!("'{one}'")).collect();
                let said = match quoted.split_last() {
                    Some((last, rest)) if !rest.is_empty() => {
                        format!("must be {} or {last}", rest.join(", "))
                    }
                    _ => format!("must be {}", quoted.concat()),
                };
                ("invalid value", said, list.to_vec(), None)
            }
            Self::Value(said) => ("invalid value", said.to_owned(), Vec::new(), None),
            Self::Hint(said, hint) => {
                let hint = Some(hint.to_owned());
                ("invalid value", said.to_owned(), Vec::new(), hint)
            }
        };
        RuleFault {
            reason,
            message: format!("Parameter '{argument}' {said}"),
            allowed,
            hint,
        }
    }
}

const RULES: &[(&str, Rule)] = &[
    (
        "additional-options",
        Rule::Shape(shapes::additional_options),
    ),
    ("architecture", Rule::OneOf(ARCHITECTURES)),
    (
        "cache-location",
        Rule::Exactly(&[
            "all",
            "http-cache",
            "global-packages",
            "temp",
            "plugins-cache",
        ]),
    ),
    ("certificate-format", Rule::OneOf(&["pfx", "pem"])),
    ("configuration", Rule::OneOf(&["Debug", "Release"])),
    ("diagnostic-ids", Rule::Shape(shapes::diagnostic_ids)),
    ("file-name", Rule::Shape(shapes::file_name)),
    ("framework", Rule::Shape(shapes::framework)),
    ("help-command", Rule::Shape(help::command)),
    ("item-type", Rule::Shape(shapes::identifier)),
    ("migration", Rule::Shape(shapes::migration)),
    ("migration-name", Rule::Shape(shapes::migration)),
    ("msbuild-file", Rule::Shape(shapes::msbuild_file)),
    ("no-control", Rule::Shape(shapes::no_control)),
    ("no-quotes", Rule::Shape(shapes::no_quotes)),
    ("operating-system", Rule::OneOf(SYSTEMS)),
    ("package-id", Rule::Shape(shapes::package_id)),
    ("package-source", Rule::Shape(shapes::package_source)),
    ("package-version", Rule::Shape(shapes::package_version)),
    ("project-file", Rule::Shape(shapes::project_file)),
    ("property-name", Rule::Shape(shapes::identifier)),
    (
        "roll-forward",
        Rule::OneOf(&[
            "patch",
            "feature",
            "minor",
            "major",
            "latestPatch",
            "latestFeature",
            "latestMinor",
            "latestMajor",
            "disable",
        ]),
    ),
    (
        "runtime-identifier",
        Rule::Shape(shapes::runtime_identifier),
    ),
    ("sdk-version", Rule::Shape(shapes::sdk_version)),
    (
        "severity",
        Rule::Exactly(&["info", "warn", "error", "hidden"]),
    ),
    ("solution-file", Rule::Shape(shapes::solution_file)),
    ("solution-format", Rule::Exactly(&["sln", "slnx"])),
    ("template", Rule::Shape(shapes::template)),
    ("template-package", Rule::Shape(shapes::template_package)),
    ("template-version", Rule::Shape(shapes::template_version)),
    ("template-options", Rule::Shape(shapes::template_options)),
    ("test-extension", Rule::Shape(shapes::test_extension)),
    ("test-filter", Rule::Shape(shapes::test_filter)),
    (
        "test-runner",
        Rule::OneOf(&["VSTest", "Microsoft.Testing.Platform"]),
    ),
    ("timestamp", Rule::Shape(shapes::timestamp)),
    ("type-name", Rule::Shape(shapes::type_name)),
    (
        "verbosity",
        Rule::OneOf(&[
            "q",
            "quiet",
            "m",
            "minimal",
            "n",
            "normal",
            "d",
            "detailed",
            "diag",
            "diagnostic",
        ]),
    ),
    ("watch-action", Rule::Exactly(&["run", "test", "build"])),
    ("workload-id", Rule::Shape(shapes::workload_id)),
];

const ARCHITECTURES: &[&str] = &[
    "x86",
    "x64",
    "arm",
    "arm64",
    "armel",
    "armv6",
    "s390x",
    "ppc64le",
    "riscv64",
    "loongarch64",
    "wasm",
];

const SYSTEMS: &[&str] = &[
    "win",
    "linux",
    "linux-musl",
    "linux-bionic",
    "osx",
    "freebsd",
    "android",
    "ios",
    "iossimulator",
    "tvos",
    "tvossimulator",
    "maccatalyst",
    "browser",
    "wasi",
];
