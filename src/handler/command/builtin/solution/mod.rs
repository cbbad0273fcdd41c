//! All projects of a solution at once: described, compared, checked.

mod compare;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use futures_util::stream::{self, StreamExt, TryStreamExt};
use serde_json::{Map, Value, json};

use super::evaluate::{self, Project};
use super::{CommandError, Context, Made, Ran, text};
use compare::{issues, shared};

/// More projects are not looked at, and that is said.
const LIMIT: usize = 300;
/// So many are evaluated at once.
const TOGETHER: usize = 4;

/// Frameworks, packages and references of each project.
pub(super) async fn analyze(
    arguments: &Map<String, Value>,
    context: &dyn Context,
) -> Result<Made, CommandError> {
    tell(arguments, context, contents).await
}

/// Who refers to whom, and packages that several projects use.
pub(super) async fn dependencies(
    arguments: &Map<String, Value>,
    context: &dyn Context,
) -> Result<Made, CommandError> {
    tell(arguments, context, relations).await
}

/// What is wrong, doubtful or old.
pub(super) async fn validate(
    arguments: &Map<String, Value>,
    context: &dyn Context,
) -> Result<Made, CommandError> {
    tell(arguments, context, faults).await
}

/// What is told of a solution besides its projects.
struct Told {
    /// Joins the summary behind the number of projects.
    summary: String,
    /// For people, below the summary.
    lines: Vec<String>,
    members: Vec<(&'static str, Value)>,
}

async fn tell(
    arguments: &Map<String, Value>,
    context: &dyn Context,
    look: fn(&[Project]) -> Told,
) -> Result<Made, CommandError> {
    match load(arguments, context).await? {
        Ok(found) => {
            let told = look(&found.projects);
            Ok(found.made(told))
        }
        Err(failed) => Ok(failed),
    }
}

fn contents(projects: &[Project]) -> Told {
    let packages: usize = projects.iter().map(|one| one.packages.len()).sum();
    let references: usize = projects.iter().map(|one| one.references.len()).sum();
    let mut frameworks: Vec<&String> = projects.iter().flat_map(|one| &one.frameworks).collect();
    frameworks.sort();
    frameworks.dedup();
    let line = |project: &Project| {
        let about = match &project.error {
            Some(error) => format!("not readable: {error}"),
            None => format!(
                "{} {}, {} packages, {} references",
                project.frameworks.join(";"),
                project.output_type,
                project.packages.len(),
                project.references.len()
            ),
        };
        format!("{}: {about}", project.path)
    };
    Told {
        summary: format!("{packages} package references, {references} project references"),
        lines: projects.iter().map(line).collect(),
        members: vec![
            ("totalPackages", packages.into()),
            ("totalProjectReferences", references.into()),
            ("targetFrameworks", json!(frameworks)),
        ],
    }
}

fn relations(projects: &[Project]) -> Told {
    let shared = shared(projects);
    let references = projects.iter().map(|project| {
        let references = if project.references.is_empty() {
            "nothing".to_owned()
        } else {
            project.references.join(", ")
        };
        format!("{} -> {references}", project.path)
    });
    let packages = shared.iter().map(|one| {
        let (versions, projects) = (one.versions.join(", "), one.projects.join(", "));
        format!("{} {versions}: {projects}", one.name)
    });
    let listed: Vec<Value> = shared
        .iter()
        .map(|one| json!({"name": one.name, "versions": one.versions, "projects": one.projects}))
        .collect();
    Told {
        summary: format!("{} packages in several of them", shared.len()),
        lines: references.chain(packages).collect(),
        members: vec![("sharedPackages", listed.into())],
    }
}

fn faults(projects: &[Project]) -> Told {
    let issues = issues(projects);
    let count = |severity: &str| {
        issues
            .iter()
            .filter(|one| one["severity"] == severity)
            .count()
    };
    let (errors, warnings) = (count("error"), count("warning"));
    let line = |issue: &Value| {
        let word = |name: &str| issue[name].as_str().unwrap_or_default();
        let (severity, project) = (word("severity"), word("project"));
        format!("{severity} {project}: {}", word("message"))
    };
    Told {
        summary: format!("{errors} errors, {warnings} warnings"),
        lines: issues.iter().map(line).collect(),
        members: vec![
            ("isValid", (errors == 0).into()),
            ("errorCount", errors.into()),
            ("warningCount", warnings.into()),
            ("issues", issues.into()),
        ],
    }
}

/// A solution with its projects.
struct Found {
    shown: String,
    solution: PathBuf,
    projects: Vec<Project>,
    /// How many there are beyond those looked at.
    beyond: usize,
    list: Ran,
}

impl Found {
    fn counted(&self) -> String {
        match self.projects.len() {
            1 => "1 project".to_owned(),
            count => format!("{count} projects"),
        }
    }

    fn remark(&self) -> String {
        let unreadable = self
            .projects
            .iter()
            .filter(|one| one.error.is_some())
            .count();
        let mut remark = String::new();
        if unreadable > 0 {
            remark.push_str(&format!(" {unreadable} could not be evaluated."));
        }
        if self.beyond > 0 {
            remark.push_str(&format!(" {} more were not looked at.", self.beyond));
        }
        remark
    }

    fn made(self, told: Told) -> Made {
        let summary = format!(
            "{}: {}, {}.{}",
            self.shown,
            self.counted(),
            told.summary,
            self.remark()
        );
        let mut text = summary.clone();
        for line in told.lines {
            text.push('\n');
            text.push_str(&line);
        }
        let projects: Vec<Value> = self.projects.iter().map(Project::json).collect();
        let solution = self.solution.to_string_lossy();
        let common = [
            ("success", true.into()),
            ("summary", summary.into()),
            ("text", text.into()),
            ("solution", solution.into()),
            ("projectCount", projects.len().into()),
            ("projects", projects.into()),
        ];
        let members = common.into_iter().chain(told.members);
        let made = members.map(|(name, value)| (name.to_owned(), value));
        Made {
            value: Value::Object(made.collect()),
            runs: vec![self.list],
        }
    }
}

/// Lists the solution and evaluates its projects; where the list fails, what was run is the answer.
async fn load(
    arguments: &Map<String, Value>,
    context: &dyn Context,
) -> Result<Result<Found, Made>, CommandError> {
    let solution = context.path("solution", text(arguments, "solution")?)?;
    let words = ["solution", &solution.to_string_lossy(), "list"].map(str::to_owned);
    let list = context.run(words.to_vec()).await?;
    if list.exit != Some(0) {
        return Ok(Err(Made {
            value: Value::Null,
            runs: vec![list],
        }));
    }
    let listed = listed(&list.stdout.text).filter(|_| list.stdout.dropped == 0);
    let Some(mut paths) = listed else {
        let why = match list.stdout.dropped {
            0 => "the output could not be read".to_owned(),
            left_out => evaluate::too_long(left_out),
        };
        let message = format!(
            "The projects of '{}' cannot be listed: {why}",
            solution.display()
        );
        return Err(super::file::refused("solution", "invalid value", message));
    };
    let folder = if solution.is_dir() {
        Some(solution.as_path())
    } else {
        solution.parent()
    };
    let folder = folder.unwrap_or_else(|| Path::new("")).to_owned();
    let beyond = paths.len().saturating_sub(LIMIT);
    paths.truncate(LIMIT);
    let evaluated = paths
        .into_iter()
        .map(|path| evaluated(path, &folder, context));
    let projects = stream::iter(evaluated)
        .buffered(TOGETHER)
        .try_collect()
        .await?;
    let name = solution.file_name().unwrap_or(solution.as_os_str());
    Ok(Ok(Found {
        shown: name.to_string_lossy().into_owned(),
        solution,
        projects,
        beyond,
        list,
    }))
}

async fn evaluated(
    path: String,
    folder: &Path,
    context: &dyn Context,
) -> Result<Project, CommandError> {
    let unreadable = |error: String, path| Project {
        path,
        error: Some(error),
        ..Project::default()
    };
    let file = folder.join(path.replace('\\', "/"));
    match context.path("solution", &file.to_string_lossy()) {
        Ok(file) if file.is_file() => evaluate::project(path, &file, context).await,
        Ok(_) => Ok(unreadable("the file does not exist".to_owned(), path)),
        Err(CommandError::Refused { message, .. }) => Ok(unreadable(message, path)),
        Err(other) => Err(other),
    }
}

/// The lines behind the one that is all dashes; without it, none where that was said.
fn listed(text: &str) -> Option<Vec<String>> {
    let dashes = |line: &&str| line.len() >= 3 && line.bytes().all(|byte| byte == b'-');
    let mut lines = text.lines().map(str::trim).skip_while(|line| !dashes(line));
    if lines.next().is_none() {
        let none = text.contains("No projects found in the solution.");
        return none.then(Vec::new);
    }
    let paths = lines.filter(|line| !line.is_empty());
    Some(paths.map(str::to_owned).collect())
}
