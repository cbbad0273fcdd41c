//! Hostile values in every argument of every action: what is planned is exactly what was meant, or nothing.

use mcpinvoke::binding::command::{PlannedRun, PlannedWord, PlannedWork, bind};
use mcpinvoke::discovery::DOTNET_DOCUMENT;
use mcpinvoke::tool::CommandTarget;
use serde_json::{Map, Value, json};

use super::{discovered, examples, target};

const VALUES: &[&str] = &[
    "--evil",
    "-x",
    "-p:Evil=1",
    "/p:Evil=1",
    "/property:Evil=1",
    "-property:Evil=1",
    "@evil.rsp",
    "@/etc/passwd",
    "a;Evil=1",
    "a,Evil=1",
    "a%3BEvil=1",
    "a%2CEvil=1",
    "Debug;CustomBeforeMicrosoftCommonProps=/x.props",
    "x.csproj\" -p:Evil=\"1.csproj",
    "a\" -o \"/etc",
    "\"",
    "'; rm -rf / #",
    "$(touch /tmp/evil)",
    "`touch /tmp/evil`",
    "$(Evil)",
    "@(Compile)",
    "%(FullPath)",
    "a\nb",
    "a\r\nb",
    "a\tb",
    "a\u{0}b",
    "a\u{1b}[31m",
    "a b",
    " --evil",
    "\t-x",
    "\u{a0}-x",
    "a && b",
    "a | b",
    "a > b",
    "a & b",
    "net10.0 -p:X=Y",
    "A --source http://evil",
    "1.0 --source http://evil",
    "x --source http://evil",
    "run --project evil --",
    "--in-root",
    "--help",
    "-- --evil",
    "--",
    "-",
    "@",
    "\\\\server\\share\\x.csproj",
    "//server/share/x.csproj",
    "../../etc/passwd",
    "..\\..\\x.csproj",
    "/etc/passwd",
    "C:\\x.csproj",
    "file:///etc/passwd",
    "install",
    "x.rsp",
    "a=b",
    "ΩΩ;ΩΩ",
    "\u{202e}gpj.exe",
];

/// Arguments whose text may become several words, since that is what they are for.
const SPLIT: &[&str] = &[
    "additionalOptions",
    "appArgs",
    "args",
    "command",
    "diagnostics",
    "tables",
    "schemas",
];

#[test]
fn hostile_values_are_one_word_each_or_refused() {
    let discovery = discovered(DOTNET_DOCUMENT);
    let (mut planned, mut refused) = (0, 0);
    for (tool, action, arguments, _) in examples() {
        let target = target(&discovery, &tool);
        let mut arguments = arguments;
        if let Some(selector) = &target.selector {
            arguments.insert(selector.clone(), json!(action));
        }
        let Some(usual) = runs(target, &arguments) else {
            panic!("{tool} {action}: the example is refused");
        };
        for name in texts(&arguments, target) {
            for value in VALUES {
                let mut hostile = arguments.clone();
                hostile.insert(name.clone(), json!(value));
                let Some(lines) = runs(target, &hostile) else {
                    refused += 1;
                    continue;
                };
                planned += 1;
                let place = format!("{tool} {action} {name}={value:?}");
                for (line, usual) in lines.iter().zip(&usual) {
                    judge(line, usual, SPLIT.contains(&name.as_str()), value, &place);
                }
            }
        }
    }
    assert!(planned > 500 && refused > 2000, "{planned} {refused}");
}

/// A line differs from the usual one in words that are the value, and none is more than it was meant to be.
fn judge(line: &PlannedRun, usual: &PlannedRun, split: bool, value: &str, place: &str) {
    assert!(
        split || line.words.len() == usual.words.len(),
        "{place}: {:?}",
        line.words
    );
    let mut behind = false;
    let mut before = "";
    for word in &line.words {
        if usual.words.contains(word) {
            before = text(word);
            behind |= before == "--";
            continue;
        }
        // What stands behind one of our own prefixes is judged without it.
        let new = text(word);
        let new = new.strip_prefix("-getProperty:").unwrap_or(new);
        let new = new.strip_prefix("-getItem:").unwrap_or(new);
        let option_of_ours = split && !behind && place.contains("additionalOptions");
        assert!(
            behind || option_of_ours || !new.trim_start().starts_with(['-', '@']),
            "{place}: {new:?}"
        );
        assert!(!new.contains(['\0']), "{place}: {new:?}");
        if matches!(before, "-c" | "-f" | "-r" | "--arch" | "--os") {
            assert!(!new.contains([';', ',', '"']), "{place}: {new:?}");
        }
        if !split && !matches!(word, PlannedWord::Path { .. }) {
            let whole = new.contains(value)
                || new.contains(
                    &value
                        .replace('%', "%25")
                        .replace(';', "%3B")
                        .replace(',', "%2C")
                        .replace('$', "%24")
                        .replace('@', "%40"),
                );
            assert!(whole, "{place}: {new:?}");
        }
        before = new;
        behind |= before == "--";
    }
}

fn text(word: &PlannedWord) -> &str {
    match word {
        PlannedWord::Text(text) | PlannedWord::Secret(text) => text,
        PlannedWord::Path { path, .. } => path,
        PlannedWord::Named { word, .. } => word,
        PlannedWord::Scratch { .. } => "",
    }
}

fn runs(target: &CommandTarget, arguments: &Map<String, Value>) -> Option<Vec<PlannedRun>> {
    match bind(target, arguments).ok()?.work {
        PlannedWork::Runs(mut runs) => {
            // Packing asks projects for more than solutions.
            let more =
                |word: &PlannedWord| matches!(text(word), "-getItem:NuGetPackOutput" | "-t:Pack");
            for run in &mut runs {
                run.words.retain(|word| !more(word));
            }
            Some(runs)
        }
        PlannedWork::BuiltIn { .. } => Some(Vec::new()),
    }
}

fn texts(arguments: &Map<String, Value>, target: &CommandTarget) -> Vec<String> {
    let text = |(name, value): (&String, &Value)| {
        (value.is_string() && target.selector.as_ref() != Some(name)).then(|| name.clone())
    };
    arguments.iter().filter_map(text).collect()
}
