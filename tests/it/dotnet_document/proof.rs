//! Which options and verbs of the document were recorded.

use std::collections::BTreeSet;

use mcpinvoke::discovery::DOTNET_DOCUMENT;
use mcpinvoke::tool::{Word, Work};

use super::{command, discovered, fixture, fixtures};

#[test]
fn options_were_recorded_or_stand_in_a_recorded_help_text() {
    let discovery = discovered(DOTNET_DOCUMENT);
    let recorded = recorded();
    let mut unproven = BTreeSet::new();
    for action in discovery
        .tools
        .iter()
        .flat_map(|tool| &command(tool).actions)
    {
        let Work::Runs(templates) = &action.work else {
            continue;
        };
        for template in templates {
            let mut said = Said::default();
            said.read(&template.words);
            let verbs: Vec<&str> = said.verbs.iter().map(String::as_str).collect();
            if !recorded.iter().any(|one| one.has(&verbs)) {
                unproven.insert(verbs.join(" "));
                continue;
            }
            for option in &said.options {
                if !proven(&recorded, &verbs, option) {
                    unproven.insert(format!("{} {option}", verbs.join(" ")));
                }
            }
        }
    }
    let listed = fixture("dotnet/unproven.txt");
    let listed: BTreeSet<String> = listed
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    assert_eq!(
        unproven, listed,
        "tests/fixtures/dotnet/unproven.txt is the list"
    );
}

/// The words that name what is done, not how.
const VERBS: &[&str] = &[
    "add",
    "build",
    "certificate",
    "clean",
    "clear",
    "database",
    "dbcontext",
    "dev-certs",
    "drop",
    "ef",
    "format",
    "https",
    "info",
    "init",
    "install",
    "list",
    "locals",
    "migrations",
    "msbuild",
    "new",
    "nuget",
    "pack",
    "package",
    "publish",
    "reference",
    "remove",
    "restore",
    "run",
    "scaffold",
    "script",
    "search",
    "set",
    "sln",
    "solution",
    "test",
    "tool",
    "tool-manifest",
    "uninstall",
    "update",
    "user-secrets",
    "watch",
    "workload",
];

/// What a template can say.
#[derive(Default)]
pub struct Said {
    verbs: Vec<String>,
    options: BTreeSet<String>,
    pub arguments: BTreeSet<String>,
}

impl Said {
    pub fn read(&mut self, words: &[Word]) {
        for word in words {
            match word {
                Word::Literal(text)
                    if VERBS.contains(&text.as_str())
                        && !self.verbs.iter().any(|verb| verb == "watch") =>
                {
                    self.verbs.push(text.clone());
                }
                Word::Literal(text) => self.option(text),
                Word::Value {
                    argument,
                    option,
                    prefix,
                    ..
                } => {
                    self.arguments.insert(argument.clone());
                    option
                        .iter()
                        .chain(prefix)
                        .for_each(|option| self.option(option));
                }
                Word::Split { argument, .. } => {
                    self.arguments.insert(argument.clone());
                }
                Word::Scratch { option, .. } => self.option(option),
                Word::Joined(parts) => self.read(parts),
                Word::When {
                    then, otherwise, ..
                } => {
                    self.read(then);
                    self.read(otherwise);
                }
            }
        }
    }

    fn option(&mut self, text: &str) {
        // What every line gets, and what is behind it.
        if text.starts_with('-') && !matches!(text, "--" | "-tl:off") {
            self.options.insert(stem(text).to_owned());
        }
    }
}

/// An option without what follows a colon; long and short spellings alike.
fn stem(option: &str) -> &str {
    match option.split(':').next().unwrap_or(option) {
        "--framework" => "-f",
        "--verbosity" => "-v",
        "--configuration" => "-c",
        other => other,
    }
}

/// A recorded command line.
struct Recorded {
    words: Vec<String>,
    help: Option<String>,
}

impl Recorded {
    fn has(&self, verbs: &[&str]) -> bool {
        verbs
            .iter()
            .all(|verb| self.words.iter().any(|word| word == verb))
    }
}

fn recorded() -> Vec<Recorded> {
    let mut recorded = Vec::new();
    for (_, group) in fixtures("dotnet/recordings") {
        for case in group["cases"].as_array().into_iter().flatten() {
            let argv: Vec<String> =
                serde_json::from_value(case["argv"].clone()).unwrap_or_default();
            let words = argv.iter().skip(1).take_while(|word| *word != "--");
            recorded.push(Recorded {
                help: argv
                    .iter()
                    .any(|word| word == "--help")
                    .then(|| case["stdout"].as_str().unwrap_or_default().to_owned()),
                words: words.cloned().collect(),
            });
        }
    }
    recorded
}

/// Whether the option was used with these verbs, or their help text names it. All commands of Entity Framework
/// share the options of the one whose help was recorded.
fn proven(recorded: &[Recorded], verbs: &[&str], option: &str) -> bool {
    let ef = verbs.first() == Some(&"ef");
    recorded.iter().any(|one| {
        let same = one.has(verbs);
        let used = same && one.words.iter().any(|word| stem(word) == option);
        let whole = verbs.len() + 1 == one.words.len();
        let told = one.help.as_ref().is_some_and(|help| {
            let related = (same && whole) || (ef && one.has(&["ef", "migrations", "list"]));
            related
                && help
                    .split(|c: char| c.is_whitespace() || c == ',' || c == '|')
                    .any(|word| stem(word) == option)
        });
        used || told
    })
}
