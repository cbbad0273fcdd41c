//! Versions, SDKs, runtimes and what `--info` tells.

use serde_json::{Map, Value, json};

use super::super::reading::Reading;
use super::super::words;
use super::View;

/// One line. Where global.json is not met, the installed SDK's line stands there and the status is 155.
pub(super) fn version(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let version = view
            .stdout()
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty());
        match version {
            Some(version) => Reading::of([("version", Some(version.into()))]),
            None => view
                .failing_with("OPERATION_FAILED", "No version was printed")
                .into(),
        }
    })
}

/// `10.0.401 [/usr/share/dotnet/sdk]`.
pub(super) fn sdks(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let text = view.reply.runs.first().map_or("", |run| &run.stdout.text);
        let sdks = sdk_lines(text);
        // A machine without an SDK lists nothing at all.
        if sdks.is_empty() && !text.trim().is_empty() {
            return view.unreadable();
        }
        let runtimes = second(view).map(runtime_lines);
        let runtimes = runtimes.filter(|found| !found.is_empty());
        Reading::of([
            ("sdks", Some(sdks.into())),
            ("runtimes", runtimes.map(Value::from)),
        ])
    })
}

/// The list of runtimes, where a second command line asked for it.
fn second<'a>(view: &View<'a>) -> Option<&'a str> {
    let run = view.reply.runs.get(1)?;
    (run.exit == Some(0)).then_some(run.stdout.text.as_str())
}

/// `Microsoft.NETCore.App 10.0.12 [/usr/share/dotnet/shared/Microsoft.NETCore.App]`.
pub(super) fn runtimes(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let runtimes = runtime_lines(view.stdout());
        if runtimes.is_empty() {
            return view.unreadable();
        }
        Reading::of([("runtimes", Some(runtimes.into()))])
    })
}

fn sdk_lines(text: &str) -> Vec<Value> {
    text.lines().filter_map(sdk_line).collect()
}

fn sdk_line(line: &str) -> Option<Value> {
    let (version, path) = bracketed(line)?;
    version
        .starts_with(|c: char| c.is_ascii_digit())
        .then(|| json!({"version": version, "path": path}))
}

fn runtime_lines(text: &str) -> Vec<Value> {
    text.lines().filter_map(runtime_line).collect()
}

fn runtime_line(line: &str) -> Option<Value> {
    let (left, path) = bracketed(line)?;
    let (name, version) = left.split_once(' ')?;
    let dotted = name.contains('.') && version.starts_with(|c: char| c.is_ascii_digit());
    dotted.then(|| json!({"name": name, "version": version, "path": path}))
}

/// `LEFT [RIGHT]`; the path may hold blanks and brackets.
fn bracketed(line: &str) -> Option<(&str, &str)> {
    let (left, right) = line.trim().split_once(" [")?;
    Some((left, right.strip_suffix(']')?))
}

/// Sections with a heading, and pairs below them.
pub(super) fn info(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let text = view.stdout();
        let is_there = |heading: &str| text.lines().any(|line| line.trim_end() == heading);
        let listed = |heading: &str| is_there(heading).then(|| section(text, heading).join("\n"));
        let section = |heading: &str| section(text, heading);
        let (sdk, system, host) = (
            section(".NET SDK:"),
            section("Runtime Environment:"),
            section("Host:"),
        );
        let global = section("global.json file:");
        let global = global.first().map(|line| line.trim());
        Reading::of([
            ("version", pair(&sdk, "Version")),
            ("commit", pair(&sdk, "Commit")),
            ("msbuildVersion", pair(&sdk, "MSBuild version")),
            ("basePath", pair(&system, "Base Path")),
            (
                "os",
                pairs(
                    &system,
                    [
                        ("name", "OS Name"),
                        ("version", "OS Version"),
                        ("platform", "OS Platform"),
                        ("rid", "RID"),
                    ],
                ),
            ),
            (
                "host",
                pairs(
                    &host,
                    [
                        ("version", "Version"),
                        ("architecture", "Architecture"),
                        ("commit", "Commit"),
                        ("rid", "RID"),
                    ],
                ),
            ),
            (
                "sdks",
                listed(".NET SDKs installed:").map(|lines| sdk_lines(&lines).into()),
            ),
            (
                "runtimes",
                listed(".NET runtimes installed:").map(|lines| runtime_lines(&lines).into()),
            ),
            (
                "globalJson",
                global.filter(|&path| path != "Not found").map(Value::from),
            ),
            (
                "output",
                Some(words::bounded(view.call, text.trim()).into()),
            ),
        ])
    })
}

/// The lines below a heading, up to the next blank line.
fn section<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    text.lines()
        .skip_while(|line| line.trim_end() != heading)
        .skip(1)
        .take_while(|line| !line.trim().is_empty())
        .collect()
}

fn pair(lines: &[&str], name: &str) -> Option<Value> {
    let found = lines.iter().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then_some(value.trim())
    });
    found.map(Value::from)
}

fn pairs<const N: usize>(lines: &[&str], names: [(&str, &str); N]) -> Option<Value> {
    let found: Map<String, Value> = names
        .into_iter()
        .filter_map(|(member, name)| Some((member.to_owned(), pair(lines, name)?)))
        .collect();
    (!found.is_empty()).then(|| found.into())
}
