//! Projects of a solution beside each other.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::evaluate::Project;
use super::super::frameworks::{RECOMMENDED, long_term};

/// A package that several projects use.
pub(super) struct Shared {
    pub(super) name: String,
    pub(super) versions: Vec<String>,
    pub(super) projects: Vec<String>,
}

/// Packages that several projects use, by name.
pub(super) fn shared(projects: &[Project]) -> Vec<Shared> {
    let mut by_name: BTreeMap<String, Shared> = BTreeMap::new();
    for project in projects {
        for package in &project.packages {
            let entry = by_name
                .entry(package.name.to_lowercase())
                .or_insert_with(|| Shared {
                    name: package.name.clone(),
                    versions: Vec::new(),
                    projects: Vec::new(),
                });
            if let Some(version) = package
                .version
                .as_ref()
                .filter(|it| !entry.versions.contains(it))
            {
                entry.versions.push(version.clone());
            }
            if !entry.projects.contains(&project.path) {
                entry.projects.push(project.path.clone());
            }
        }
    }
    by_name
        .into_values()
        .filter(|one| one.projects.len() > 1)
        .collect()
}

/// What is wrong, doubtful or old: of each project, then between them.
pub(super) fn issues(projects: &[Project]) -> Vec<Value> {
    let mut issues: Vec<Value> = projects.iter().flat_map(of_project).collect();
    let all = |severity: &str, rule: &str, message: String| json!({"severity": severity, "rule": rule, "project": "solution", "message": message});
    let mut frameworks: Vec<&str> = projects
        .iter()
        .flat_map(|one| &one.frameworks)
        .map(String::as_str)
        .collect();
    frameworks.sort_unstable();
    frameworks.dedup();
    if frameworks.len() > 1 {
        let message = format!(
            "the projects have different target frameworks: {}",
            frameworks.join(", ")
        );
        issues.push(all("warning", "mixed-frameworks", message));
    }
    for one in shared(projects).iter().filter(|one| one.versions.len() > 1) {
        let message = format!(
            "{} is used in different versions: {} ({})",
            one.name,
            one.versions.join(", "),
            one.projects.join(", ")
        );
        issues.push(all("warning", "mixed-versions", message));
    }
    if projects.is_empty() {
        issues.push(all(
            "warning",
            "no-projects",
            "the solution has no projects".to_owned(),
        ));
    }
    issues
}

fn of_project(project: &Project) -> Vec<Value> {
    let issue = |severity: &str, rule: &str, message: String| json!({"severity": severity, "rule": rule, "project": project.path, "message": message});
    if let Some(error) = &project.error {
        return vec![issue("error", "unreadable", error.clone())];
    }
    let mut issues = Vec::new();
    if project.frameworks.is_empty() {
        issues.push(issue(
            "error",
            "no-framework",
            "it has no target framework".to_owned(),
        ));
    }
    if !project.sdk {
        issues.push(issue(
            "warning",
            "no-sdk",
            "it does not use the .NET SDK".to_owned(),
        ));
    }
    if project.output_type.is_empty() {
        issues.push(issue(
            "warning",
            "no-output-type",
            "it has no output type".to_owned(),
        ));
    }
    for framework in &project.frameworks {
        if !framework.to_ascii_lowercase().starts_with("net") {
            issues.push(issue(
                "warning",
                "odd-framework",
                format!("{framework} is no target framework that is known"),
            ));
        } else if long_term(framework) == Some(false) {
            issues.push(issue(
                "info",
                "no-long-term-support",
                format!("{framework} has no long-term support; {RECOMMENDED} has"),
            ));
        }
    }
    if !project.nullable.eq_ignore_ascii_case("enable") && project.path.ends_with(".csproj") {
        issues.push(issue(
            "info",
            "nullable-off",
            "nullable reference types are off".to_owned(),
        ));
    }
    issues
}
