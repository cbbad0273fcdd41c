//! Why a command line failed, where its exit status says that it did: its diagnostics, a sentence that is known, or
//! the bare status.

use super::CommandCall;
use super::diagnostics::{Diagnostic, Diagnostics, Severity, is_count};
use super::envelope::{Category, Data, Entry, rpc};
use super::outcome::{self, Failed};
use super::refusal::{not_available, sdk_alternatives};
use super::words;
use crate::handler::command::Ran;

/// Entries in one envelope.
const MAX_ENTRIES: usize = 100;
/// Entries that are explained even if one before them was.
const EXPLAINED: usize = 20;
/// A message made of output is not longer.
const MAX_MESSAGE: usize = 500;

/// The exit status as shells write it: a signal counts from 128.
pub(super) fn status(run: &Ran) -> i32 {
    run.exit
        .or_else(|| run.signal.map(|signal| 128 + signal))
        .unwrap_or(-1)
}

/// Why this run failed. A status of 0 becomes -1: it says nothing then.
pub(super) fn failed(call: &CommandCall<'_>, run: &Ran) -> Failed {
    failed_with(call, run, &Diagnostics::of_run(run))
}

/// The same with diagnostics that are read already.
pub(super) fn failed_with(call: &CommandCall<'_>, run: &Ran, diagnostics: &Diagnostics) -> Failed {
    let exit_code = match status(run) {
        0 => -1,
        other => other,
    };
    if let Some(entry) = capability(call, run) {
        let mut failed = Failed::new(vec![entry], -1);
        failed.output = false;
        return failed;
    }
    let mut errors = from_diagnostics(call, run, diagnostics);
    let omitted = diagnostics
        .count(Severity::Error)
        .saturating_sub(errors.len() as u64);
    let bare = errors.is_empty();
    if bare {
        errors.push(sentence(call, run).unwrap_or_else(|| by_status(call, run)));
    }
    let mut failed = Failed::new(errors, exit_code);
    failed.output = bare;
    if omitted > 0 && !bare {
        let omitted = omitted.to_string();
        failed
            .metadata
            .insert("omittedErrors".to_owned(), omitted.into());
    }
    failed
}

/// The errors that are more than a sentence.
fn errors(diagnostics: &Diagnostics) -> impl Iterator<Item = &Diagnostic> {
    diagnostics
        .of(Severity::Error)
        .filter(|found| !found.is_bare())
}

/// What every entry of this run has in common.
pub(super) fn data(call: &CommandCall<'_>, run: &Ran) -> Data {
    Data {
        command: Some((call.mask)(&run.command)),
        exit_code: Some(status(run)),
        ..Data::default()
    }
}

/// The errors among the diagnostics. What the catalogue says of a code stands at each of the first entries, and after
/// them once. `data.stderr` is the error output at the first entry, and where there is none, as of builds, which write
/// their errors to stdout, or at another entry, the line itself.
pub(super) fn from_diagnostics(
    call: &CommandCall<'_>,
    run: &Ran,
    diagnostics: &Diagnostics,
) -> Vec<Entry> {
    let mut explained = std::collections::HashSet::new();
    let stderr = (call.mask)(&run.stderr.text);
    let mut entries: Vec<Entry> = Vec::new();
    for found in errors(diagnostics).take(MAX_ENTRIES) {
        let output = if entries.is_empty() && !stderr.trim().is_empty() {
            stderr.clone()
        } else {
            (call.mask)(&found.raw)
        };
        let mut entry = found.entry(Some(data(call, run).with_stderr(&output)));
        if !explained.insert(entry.code.clone()) && entries.len() >= EXPLAINED {
            entry.shorten();
        }
        entries.push(entry);
    }
    entries
}

/// The host found no SDK, or the tool behind the verb is not installed.
fn capability(call: &CommandCall<'_>, run: &Ran) -> Option<Entry> {
    let stderr = run.stderr.text.as_str();
    let command = (call.mask)(&run.command);
    let no_sdk = status(run) == 155
        || stderr.contains("A compatible .NET SDK was not found.")
        || stderr.contains("No .NET SDKs were found.");
    let mut entry = if no_sdk {
        let asked = words::between(stderr, "Requested SDK version: ", "\n")
            .map_or_else(String::new, |version| {
                format!(" (global.json asks for {version})")
            });
        let feature = format!(".NET SDK{asked}");
        not_available(&feature, first_reason(stderr), sdk_alternatives(), &command)
    } else if stderr
        .contains("Could not execute because the specified command or file was not found")
        && (call.tool == "dotnet_ef" || run.command.contains(" ef --help"))
    {
        let alternatives = [
            "Install the tool: dotnet_tool with action Install and packageId dotnet-ef",
            "Restore the project's tools: dotnet_tool with action Restore",
        ];
        not_available("dotnet-ef", stderr.trim(), &alternatives, &command)
    } else {
        return None;
    };
    if let Some(data) = &mut entry.data {
        let exit = status(run).to_string();
        data.additional_data
            .insert("processExitCode".to_owned(), exit.into());
        let stderr = (call.mask)(stderr);
        *data = std::mem::take(data).with_stderr(&stderr);
    }
    entry.raw_output = words::bounded(call, &outcome::both(run));
    Some(entry)
}

/// The line that says what was not found, or what the author of global.json wrote instead.
fn first_reason(stderr: &str) -> &str {
    let behind = stderr
        .split_once("You intended to execute a .NET SDK command:")
        .map_or(stderr, |(_, behind)| behind);
    behind
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or("no SDK was found")
}

/// Failures without a code whose meaning has one.
fn sentence(call: &CommandCall<'_>, run: &Ran) -> Option<Entry> {
    let known = [
        (
            "There are no versions available for the package '",
            "NU1101",
        ),
        ("Unable to load the service index for source ", "NU1301"),
        (
            "The current working directory does not contain a project or solution file",
            "MSB1003",
        ),
    ];
    for stream in [&run.stdout.text, &run.stderr.text] {
        for (text, code) in known {
            let Some(line) = stream.lines().find(|line| line.contains(text)) else {
                continue;
            };
            let mut entry = Entry::coded(code, message(call, run), true);
            entry.raw_output = line.trim().to_owned();
            return Some(entry.with_data(data(call, run).with_stderr(&(call.mask)(line))));
        }
    }
    None
}

/// An entry made of the status and of what the program said.
pub(super) fn by_status(call: &CommandCall<'_>, run: &Ran) -> Entry {
    let status = status(run);
    let code = match status {
        0 => "OPERATION_FAILED".to_owned(),
        status => format!("EXIT_{status}"),
    };
    saying(call, run, &code, &message(call, run))
}

/// An entry of the category `Unknown` with the whole output.
pub(super) fn saying(call: &CommandCall<'_>, run: &Ran, code: &str, message: &str) -> Entry {
    let mut entry = Entry::new(code, message, Category::Unknown)
        .with_hint(hint(run))
        .with_rpc(rpc::INTERNAL)
        .with_data(data(call, run).with_stderr(&(call.mask)(&run.stderr.text)));
    entry.raw_output = words::bounded(call, &outcome::both(run));
    entry
}

/// What the program said: on stderr, or else its `error:` lines, or the last line.
fn message(call: &CommandCall<'_>, run: &Ran) -> String {
    let stderr = (call.mask)(run.stderr.text.trim());
    let said = without_trace(&stderr);
    if !said.is_empty() {
        return words::cut(&said, MAX_MESSAGE, "...");
    }
    let stdout = (call.mask)(&run.stdout.text);
    let errors: Vec<&str> = stdout
        .lines()
        .filter_map(|line| line.strip_prefix("error: "))
        .take(5)
        .collect();
    let said = if errors.is_empty() {
        let plain = stdout.lines().rev().map(words::plain);
        plain
            .map(|line| line.trim().to_owned())
            .find(|line| {
                let counts = line.starts_with("Time Elapsed ") || is_count(line);
                !line.is_empty() && !counts
            })
            .unwrap_or_default()
    } else {
        errors.join("\n")
    };
    if said.is_empty() {
        return format!(
            "The command ended with exit code {} and said nothing",
            status(run)
        );
    }
    words::cut(&said, MAX_MESSAGE, "...")
}

/// Without the frames of a stack trace, and of nested exceptions the innermost one; without the pointer to a page on
/// exit codes.
fn without_trace(stderr: &str) -> String {
    let said = stderr
        .split("\n\nFor details on the exit code")
        .next()
        .unwrap_or_default();
    if !said.contains("\n   at ") {
        return said.trim().to_owned();
    }
    let inner = said
        .lines()
        .rev()
        .find_map(|line| line.trim_start().strip_prefix("---> "));
    let first = said.lines().find(|line| !line.trim().is_empty());
    inner.or(first).unwrap_or_default().trim().to_owned()
}

/// Sentences that are known, and what to do; the first that is found counts.
const SAID: [(&str, &str); 13] = [
    (
        "Could not find the global property 'UserSecretsId'",
        "Prepare the project first: dotnet_dev_certs with action SecretsInit",
    ),
    (
        "Run `dotnet restore` for more details",
        "Restore the project to see why: dotnet_project with action Restore",
    ),
    (
        "Run \"dotnet tool restore\"",
        "Restore the tools of the manifest: dotnet_tool with action Restore",
    ),
    (
        "Cannot find a manifest file.",
        "Make a manifest (dotnet_tool with action CreateManifest), or work in the folder that has one",
    ),
    (
        "Microsoft.DotNet.Cli.Parser",
        "Mend global.json in the working directory or in a folder above it: no command works with it",
    ),
    (
        "Could not find a test logger",
        "Check the name of the logger",
    ),
    (
        "Could not find",
        "Check the path; relative paths start at the working directory",
    ),
    (
        "Couldn't find a project",
        "Name the project; relative paths start at the working directory",
    ),
    (
        "does not exist",
        "Check the path; relative paths start at the working directory",
    ),
    (
        "could not be found",
        "Check the path; relative paths start at the working directory",
    ),
    ("Specify which one to use", "Name the one that is meant"),
    (
        "defines test runner to be",
        "Select the other test runner in global.json or with testRunner",
    ),
    (
        "Unrecognized",
        "Check the options against the command's help (dotnet_help)",
    ),
];

/// What to do: by a sentence that is known, or by the exit status.
fn hint(run: &Ran) -> &'static str {
    // What these two mean is said better by the status than by the sentences around it.
    if let Some(status @ (103 | 106)) = run.exit {
        return by_number(status);
    }
    for stream in [&run.stderr.text, &run.stdout.text] {
        let known = SAID.iter().find(|(text, _)| stream.contains(text));
        if let Some((_, hint)) = known {
            return hint;
        }
    }
    by_number(status(run))
}

/// What an exit status is known to mean.
fn by_number(status: i32) -> &'static str {
    match status {
        73 => "Files exist already: choose another name or folder, or force it",
        100 => "The template cannot be used here, for instance outside a project",
        103 => "Nothing of that name was found: check the name, or list what there is",
        106 => "The package could not be installed: check the path, the version and the source",
        127 => "An option or value is not accepted: check it against the template's options",
        129 => "The file is no .NET program",
        134 => "The program crashed: read its output",
        130 | 137 | 143 => "The program was ended by a signal",
        150 => {
            "The .NET runtime that the program needs is not installed: install it, or retarget the program"
        }
        _ => "Check the command syntax and the arguments",
    }
}
