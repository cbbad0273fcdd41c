//! What a project is made of, and whether it is in good order: read out of its evaluated properties and items.

use serde_json::{Map, Value, json};

use super::super::reading::Reading;
use super::super::words;
use super::View;
use super::properties::{evaluated, metadata};

/// Frameworks with long-term support.
const LONG_TERM: [&str; 5] = [
    "net6.0",
    "net8.0",
    "net10.0",
    "netcoreapp2.1",
    "netcoreapp3.1",
];

/// A project's evaluation.
struct Project {
    properties: Map<String, Value>,
    items: Map<String, Value>,
}

impl Project {
    fn read(view: &View<'_>) -> Option<Self> {
        let mut found = evaluated(view.stdout())?;
        let mut take = |name: &str| match found.get_mut(name).map(Value::take) {
            Some(Value::Object(members)) => Some(members),
            _ => None,
        };
        let (properties, items) = (take("Properties"), take("Items"));
        if properties.is_none() && items.is_none() {
            return None;
        }
        Some(Self {
            properties: properties.unwrap_or_default(),
            items: items.unwrap_or_default(),
        })
    }

    /// A property that is set.
    fn property(&self, name: &str) -> Option<&str> {
        let value = self.properties.get(name)?.as_str()?;
        (!value.is_empty()).then_some(value)
    }

    /// One or several.
    fn frameworks(&self) -> Vec<&str> {
        let several = self.property("TargetFrameworks").unwrap_or_default();
        let mut found: Vec<&str> = several
            .split(';')
            .map(str::trim)
            .filter(|framework| !framework.is_empty())
            .collect();
        if found.is_empty() {
            found.extend(self.property("TargetFramework"));
        }
        found
    }

    fn items(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.items
            .get(kind)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    }

    fn packages(&self) -> Vec<Value> {
        self.items("PackageReference").map(package).collect()
    }

    fn references(&self) -> Vec<Value> {
        self.items("ProjectReference")
            .filter_map(|item| {
                let path = item["Identity"].as_str()?;
                let file = words::file_name(path);
                let name = file.rsplit_once('.').map_or(file, |(name, _)| name);
                Some(json!({"name": name, "path": path}))
            })
            .collect()
    }
}

/// Its version and what else is said of it.
fn package(item: &Value) -> Value {
    let mut rest = metadata(item);
    let version = rest
        .remove("Version")
        .or_else(|| rest.remove("VersionOverride"));
    let mut members = words::members([
        ("name", item.get("Identity").cloned()),
        ("version", version),
    ]);
    for (name, member) in [
        ("PrivateAssets", "privateAssets"),
        ("IncludeAssets", "includeAssets"),
    ] {
        if let Some(value) = rest.remove(name).filter(|value| value != "") {
            members.insert(member.to_owned(), value);
        }
    }
    if rest.get("IsImplicitlyDefined").and_then(Value::as_str) == Some("true") {
        members.insert("autoReferenced".to_owned(), true.into());
    }
    members.into()
}

fn read(view: &View<'_>, reading: impl FnOnce(&Project) -> Reading) -> Reading {
    view.or_failure(|| match Project::read(view) {
        Some(project) => reading(&project),
        None => view
            .failing_with(
                "OPERATION_FAILED",
                "MSBuild did not print the project's properties",
            )
            .into(),
    })
}

/// Everything that was asked for.
pub(super) fn analysis(view: &View<'_>) -> Reading {
    read(view, |project| {
        let set: Map<String, Value> = project
            .properties
            .iter()
            .filter(|(_, value)| *value != "")
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let counts: Map<String, Value> = project
            .items
            .iter()
            .map(|(kind, items)| (kind.clone(), items.as_array().map_or(0, Vec::len).into()))
            .collect();
        let analyzers: Vec<Value> = project
            .items("Analyzer")
            .filter_map(|item| item["Identity"].as_str())
            .map(|path| words::file_name(path).into())
            .collect();
        Reading::of([
            ("project", view.project()),
            ("targetFrameworks", Some(project.frameworks().into())),
            (
                "outputType",
                project.property("OutputType").map(Value::from),
            ),
            ("packageReferences", Some(project.packages().into())),
            ("projectReferences", Some(project.references().into())),
            (
                "analyzers",
                (!analyzers.is_empty()).then(|| analyzers.into()),
            ),
            ("items", Some(counts.into())),
            ("properties", Some(set.into())),
        ])
    })
}

/// What it needs directly.
pub(super) fn dependencies(view: &View<'_>) -> Reading {
    read(view, |project| {
        let frameworks: Vec<Value> = project
            .items("FrameworkReference")
            .filter_map(|item| item.get("Identity").cloned())
            .collect();
        let (packages, references) = (project.packages(), project.references());
        let total = packages.len() + references.len();
        Reading::of([
            ("project", view.project()),
            ("targetFrameworks", Some(project.frameworks().into())),
            ("packageReferences", Some(packages.into())),
            ("projectReferences", Some(references.into())),
            ("frameworkReferences", Some(frameworks.into())),
            ("totalDirectDependencies", Some(total.into())),
        ])
    })
}

/// A look at what is usually wrong; a project with findings is an answer, not a failure.
pub(super) fn validation(view: &View<'_>) -> Reading {
    read(view, |project| {
        let mut issues = Vec::new();
        let frameworks = project.frameworks();
        if frameworks.is_empty() {
            issues.push(issue(
                "error",
                "target-framework",
                "No target framework is set",
                "Set TargetFramework, for instance to net10.0",
            ));
        }
        for framework in &frameworks {
            issues.extend(framework_issue(framework));
        }
        if project.property("UsingMicrosoftNETSdk").is_none()
            && project.properties.contains_key("UsingMicrosoftNETSdk")
        {
            issues.push(issue(
                "warning",
                "sdk",
                "The project names no SDK",
                "Use an SDK-style project file",
            ));
        }
        if project.property("OutputType").is_none() && project.properties.contains_key("OutputType")
        {
            issues.push(issue(
                "warning",
                "output-type",
                "OutputType is empty",
                "Set OutputType to Exe or Library",
            ));
        }
        let nullable = project.property("Nullable").unwrap_or("disable");
        if nullable.eq_ignore_ascii_case("disable") && project.properties.contains_key("Nullable") {
            issues.push(issue(
                "info",
                "nullable",
                "Nullable reference types are off",
                "Set Nullable to enable",
            ));
        }
        let count = |severity: &str| {
            issues
                .iter()
                .filter(|issue| issue["severity"] == severity)
                .count()
        };
        let (errors, warnings) = (count("error"), count("warning"));
        Reading::of([
            ("project", view.project()),
            ("isValid", Some((errors == 0).into())),
            ("errorCount", Some(errors.into())),
            ("warningCount", Some(warnings.into())),
            ("targetFrameworks", Some(frameworks.into())),
            ("issues", Some(issues.into())),
        ])
    })
}

fn framework_issue(framework: &str) -> Option<Value> {
    if !framework.starts_with("net") {
        let message = format!("{framework} is no target framework moniker");
        return Some(issue(
            "warning",
            "target-framework",
            &message,
            "Use a moniker such as net10.0",
        ));
    }
    let modern = framework.split('-').next().unwrap_or(framework);
    let numbered = modern
        .strip_prefix("netcoreapp")
        .or_else(|| modern.strip_prefix("net"))?;
    let dotted = numbered.contains('.') && !numbered.starts_with("standard");
    if !dotted || LONG_TERM.contains(&modern) {
        return None;
    }
    let message = format!("{framework} has no long-term support");
    Some(issue(
        "info",
        "long-term-support",
        &message,
        "Consider net10.0",
    ))
}

fn issue(severity: &str, rule: &str, message: &str, recommendation: &str) -> Value {
    json!({"severity": severity, "rule": rule, "message": message, "recommendation": recommendation})
}
