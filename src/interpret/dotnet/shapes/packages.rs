//! Packages: what a project references, what a search finds, what was added, updated and removed.

use serde_json::{Map, Value, json};

use super::super::classify;
use super::super::reading::Reading;
use super::super::words;
use super::View;

/// The JSON of `list package`; where it is missing or broken, the table.
pub(super) fn list(view: &View<'_>) -> Reading {
    let parsed: Option<Value> = crate::tree::read(view.stdout().trim()).ok();
    if let Some(report) = &parsed {
        let problems = texts(&report["problems"]);
        if !view.succeeded() || !problems.is_empty() {
            return view
                .failing_with(&exit_code(view), &problems.join("\n"))
                .into();
        }
        let packages = of_report(view, report);
        let sources = report.get("sources").filter(|sources| sources.is_array());
        let remark = nothing_known(report);
        let mut reading = Reading::of([
            ("packages", Some(packages.into())),
            ("sources", sources.cloned()),
            ("remark", remark.map(Value::from)),
        ]);
        reading.text = remark.map(|remark| {
            let output = words::bounded(view.call, view.stdout());
            format!("{output}\n{remark}")
        });
        return reading;
    }
    // Sentences in any of the CLI's languages stand above a framework's name.
    let is_table = view.stdout().lines().any(|line| {
        let line = line.trim_start();
        (line.starts_with('[') && line.contains("]:"))
            || ["Project '", "Project `", "project `", "project '"]
                .iter()
                .any(|head| line.contains(head))
    });
    view.or_failure(|| match is_table {
        true => Reading::of([("packages", Some(of_table(view).into()))]),
        false => view.unreadable(),
    })
}

/// What was asked of the sources came to nothing: perhaps there is nothing, perhaps no source could be reached, which
/// the program does not tell.
fn nothing_known(report: &Value) -> Option<&'static str> {
    let asked = report["parameters"].as_str().unwrap_or_default();
    let of_sources = ["--outdated", "--deprecated", "--vulnerable"];
    let asked = of_sources.iter().any(|option| asked.contains(option));
    let empty = items(report, "projects").all(|project| project.get("frameworks").is_none());
    (asked && empty).then_some(
        "Nothing was found. A source that cannot be reached gives the same answer: if that may be, see with Restore \
         or Search whether the sources answer.",
    )
}

fn exit_code(view: &View<'_>) -> String {
    match classify::status(view.run) {
        0 => "OPERATION_FAILED".to_owned(),
        status => format!("EXIT_{status}"),
    }
}

fn texts(problems: &Value) -> Vec<&str> {
    let problems = problems.as_array().map(Vec::as_slice).unwrap_or_default();
    problems
        .iter()
        .filter(|problem| problem["level"].as_str() != Some("warning"))
        .filter_map(|problem| problem["text"].as_str())
        .collect()
}

fn items<'a>(value: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    value[member].as_array().into_iter().flatten()
}

/// Projects, frameworks, then direct and transitive packages.
fn of_report(view: &View<'_>, report: &Value) -> Vec<Value> {
    let mut packages = Vec::new();
    for project in items(report, "projects") {
        for framework in items(project, "frameworks") {
            for (member, transitive) in [("topLevelPackages", false), ("transitivePackages", true)]
            {
                for package in items(framework, member) {
                    packages.push(listed(package, project, framework, transitive));
                }
            }
        }
    }
    filtered(view, packages)
}

fn listed(package: &Value, project: &Value, framework: &Value, transitive: bool) -> Value {
    let text = |value: &Value| value.as_str().map(Value::from);
    let automatic = &package["autoReferenced"];
    let automatic = automatic.as_str() == Some("true") || automatic.as_bool() == Some(true);
    let deprecation = package.get("deprecationReasons").map(|reasons| {
        let alternative = package.get("alternativePackage").cloned();
        Value::from(words::members([
            ("reasons", Some(reasons.clone())),
            ("alternative", alternative),
        ]))
    });
    let vulnerabilities = package.get("vulnerabilities").map(|_| {
        items(package, "vulnerabilities")
            .map(
                |found| json!({"severity": found["severity"], "advisoryUrl": found["advisoryurl"]}),
            )
            .collect()
    });
    words::members([
        ("name", text(&package["id"])),
        ("requestedVersion", text(&package["requestedVersion"])),
        ("resolvedVersion", text(&package["resolvedVersion"])),
        ("latestVersion", text(&package["latestVersion"])),
        ("transitive", transitive.then(|| true.into())),
        ("autoReferenced", automatic.then(|| true.into())),
        ("project", text(&project["path"])),
        ("framework", text(&framework["framework"])),
        ("deprecation", deprecation),
        ("vulnerabilities", vulnerabilities),
    ])
    .into()
}

/// The arguments `filter` and `maxResults` apply to whatever was listed.
fn filtered(view: &View<'_>, mut packages: Vec<Value>) -> Vec<Value> {
    if let Some(filter) = view.call.text("filter") {
        let filter = filter.to_lowercase();
        packages.retain(|package| {
            let name = package["name"].as_str().unwrap_or_default();
            name.to_lowercase().contains(&filter)
        });
    }
    let limit = view
        .call
        .arguments
        .get("maxResults")
        .and_then(Value::as_u64);
    if let Some(limit) = limit.and_then(|limit| usize::try_from(limit).ok()) {
        packages.truncate(limit);
    }
    packages
}

/// `   > Demo.Tool.Implicit   (A)   [1.0.0, )        1.0.0`: columns are three blanks apart.
fn of_table(view: &View<'_>) -> Vec<Value> {
    let (mut project, mut framework, mut transitive) = (None, None, false);
    let mut latest = false;
    let mut packages = Vec::new();
    for line in view.stdout().lines() {
        let text = line.trim();
        if let Some(row) = text.strip_prefix("> ") {
            packages.push(row_of(row, (project, framework, transitive, latest)));
        } else if let Some(name) = words::between(text, "Project '", "'") {
            project = Some(name);
        } else if let Some(name) = words::between(text, "Project `", "`") {
            project = Some(name);
        } else if let Some(name) = text
            .strip_prefix('[')
            .and_then(|text| text.split_once("]:"))
        {
            framework = Some(name.0);
        } else if text.starts_with("Top-level Package") {
            (transitive, latest) = (false, text.contains(" Latest"));
        } else if text.starts_with("Transitive Package") {
            (transitive, latest) = (true, text.contains(" Latest"));
        }
    }
    filtered(view, packages)
}

/// The project, the framework, whether the row is transitive, and whether it has the newest version.
type Above<'a> = (Option<&'a str>, Option<&'a str>, bool, bool);

fn row_of(row: &str, (project, framework, transitive, latest): Above<'_>) -> Value {
    let mut columns: Vec<&str> = row
        .split("  ")
        .map(str::trim)
        .filter(|column| !column.is_empty())
        .collect();
    let automatic = columns.get(1) == Some(&"(A)");
    if automatic {
        columns.remove(1);
    }
    let mut rest = columns.iter().skip(1).map(|&column| Value::from(column));
    let requested = if transitive { None } else { rest.next() };
    words::members([
        ("name", columns.first().map(|&name| name.into())),
        ("requestedVersion", requested),
        ("resolvedVersion", rest.next()),
        ("latestVersion", rest.next().filter(|_| latest)),
        ("transitive", transitive.then(|| true.into())),
        ("autoReferenced", automatic.then(|| true.into())),
        ("project", project.map(Value::from)),
        ("framework", framework.map(Value::from)),
    ])
    .into()
}

/// The whole search fails where it says so, with whatever status; a source that fails is named beside the others.
pub(super) fn search(view: &View<'_>) -> Reading {
    let Ok(report) = crate::tree::read::<Value>(view.stdout().trim()) else {
        let is_table = view.stdout().lines().any(|line| {
            line.starts_with("Source: ") || line.contains("Package ID") && line.contains('|')
        });
        return view.or_failure(|| match is_table {
            true => found_in_table(view),
            false => view.unreadable(),
        });
    };
    let problems = texts(&report["problems"]);
    if !view.succeeded() || !problems.is_empty() {
        return view
            .failing_with(&exit_code(view), &problems.join("\n"))
            .into();
    }
    let mut packages = Vec::new();
    let mut sources = Vec::new();
    for source in items(&report, "searchResult") {
        let name = source["sourceName"].as_str().unwrap_or_default();
        let problems = texts(&source["problems"]);
        let problems = (!problems.is_empty()).then(|| problems.into());
        sources.push(words::members([
            ("name", Some(name.into())),
            ("problems", problems),
        ]));
        packages.extend(items(source, "packages").map(|package| found(package, name)));
    }
    let failed = sources.iter().all(|source| source.contains_key("problems"));
    if failed && !sources.is_empty() {
        return view
            .failing_with("OPERATION_FAILED", "No source could be searched")
            .into();
    }
    Reading::of([
        ("packages", Some(packages.into())),
        ("sources", Some(sources.into())),
    ])
}

/// An exact search lists every version under `version`, any other the newest under `latestVersion`.
fn found(package: &Value, source: &str) -> Value {
    let mut members: Map<String, Value> = package.as_object().cloned().unwrap_or_default();
    if !members.contains_key("version")
        && let Some(latest) = members.get("latestVersion").cloned()
    {
        members.insert("version".to_owned(), latest);
    }
    members.insert("source".to_owned(), source.into());
    members.into()
}

/// `Source: NAME (ADDRESS)`, then rows of `| id | version | owners | downloads |`; long cells are wrapped, their rests dropped.
fn found_in_table(view: &View<'_>) -> Reading {
    let (mut packages, mut sources) = (Vec::new(), Vec::new());
    let mut source = "";
    for line in view.stdout().lines() {
        if let Some(named) = line.strip_prefix("Source: ") {
            source = named.split(" (").next().unwrap_or(named);
            sources.push(json!({"name": source}));
            continue;
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let row = cells.len() > 4 && !cells[1].is_empty() && !cells[1].starts_with("---");
        if row && cells[1] != "Package ID" {
            packages.push(json!({"id": cells[1], "version": cells[2], "source": source}));
        }
    }
    Reading::of([
        ("packages", Some(packages.into())),
        ("sources", Some(sources.into())),
    ])
}

/// `PackageReference for package 'X' version 'V' added to file 'P'`; `updated in` where it was there.
pub(super) fn add(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let line = view.stdout().lines().find(|line| {
            line.contains("PackageReference for package '") && line.contains("' version '")
        });
        let Some(line) = line else {
            // Central package management says it in other words.
            return written(
                view,
                view.call.text("packageId"),
                view.call.text("version"),
                "Added",
            );
        };
        let verb = if line.contains(" updated in ") {
            "Updated"
        } else {
            "Added"
        };
        let name = words::between(line, "for package '", "'");
        written(view, name, words::between(line, "' version '", "'"), verb)
    })
}

fn written(view: &View<'_>, name: Option<&str>, version: Option<&str>, verb: &str) -> Reading {
    let shown = name.unwrap_or("the package");
    let summary = match version {
        Some(version) => format!("{verb} {shown} {version}"),
        None => format!("{verb} {shown}"),
    };
    Reading::done(
        summary,
        [
            ("packageName", name.map(Value::from)),
            ("version", version.map(Value::from)),
            ("project", view.project()),
        ],
    )
}

/// `package update` ends with 2 where nothing had to be done.
pub(super) fn update(view: &View<'_>) -> Reading {
    let nothing = view.run.exit == Some(2) && view.stdout().contains("All packages are up to date");
    if nothing {
        let summary = "All packages are up to date";
        return Reading::done(summary, [("packageName", view.given("packageId"))]);
    }
    let updated = view.stdout().lines().find_map(|line| {
        // `Updating X 1.0.0 to 1.1.0.`
        let (name, rest) = line.trim().strip_prefix("Updating ")?.split_once(' ')?;
        let (before, after) = rest.split_once(" to ")?;
        Some((name, before, after.trim_end_matches(['.', ' '])))
    });
    match updated {
        Some((name, before, after)) if view.succeeded() => {
            let mut reading = written(view, Some(name), Some(after), "Updated");
            reading
                .members
                .insert("previousVersion".to_owned(), before.into());
            reading
        }
        _ => add(view),
    }
}

pub(super) fn remove(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let name = words::between(
            view.stdout(),
            "Removing PackageReference for package '",
            "'",
        );
        written(
            view,
            name.or_else(|| view.call.text("packageId")),
            None,
            "Removed",
        )
    })
}

/// `Clearing NuGet HTTP cache: /path`.
pub(super) fn cache_clear(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let cleared: Vec<Value> = view
            .stdout()
            .lines()
            .filter_map(|line| line.trim().strip_prefix("Clearing "))
            .filter_map(|line| line.split_once(": "))
            .map(|(name, path)| json!({"name": name, "path": path}))
            .collect();
        let summary = format!("Cleared {} cache(s)", cleared.len());
        Reading::done(summary, [("cleared", Some(cleared.into()))])
    })
}
