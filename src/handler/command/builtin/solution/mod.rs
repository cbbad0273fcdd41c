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
    let found = match load(arguments, context).await? {
        Ok(found) => found,
        Err(failed) => return Ok(failed),
    };
    let packages: usize = found.projects.iter().map(|one| one.packages.len()).sum();
    let references: usize = found.projects.iter().map(|one| one.references.len()).sum();
    let mut frameworks: Vec<&String> = found
        .projects
        .iter()
        .flat_map(|one| &one.frameworks)
        .collect();
    frameworks.sort();
    frameworks.dedup();
    let summary = format!(
        "{}: {}, {packages} package references, {references} project references.{}",
        found.shown,
        found.counted(),
        found.remark()
    );
    let mut lines = summary.clone();
    for project in &found.projects {
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
        lines.push_str(&format!("\n{}: {about}", project.path));
    }
    let mut made = found.made(&summary, &lines);
    made.insert("totalPackages".to_owned(), packages.into());
    made.insert("totalProjectReferences".to_owned(), references.into());
    made.insert("targetFrameworks".to_owned(), json!(frameworks));
    Ok(found.ran(made))
}

/// Who refers to whom, and packages that several projects use.
pub(super) async fn dependencies(
    arguments: &Map<String, Value>,
    context: &dyn Context,
) -> Result<Made, CommandError> {
    let found = match load(arguments, context).await? {
        Ok(found) => found,
        Err(failed) => return Ok(failed),
    };
    let shared = shared(&found.projects);
    let summary = format!(
        "{}: {}, {} packages in several of them.{}",
        found.shown,
        found.counted(),
        shared.len(),
        found.remark()
    );
    let mut lines = summary.clone();
    for project in &found.projects {
        let references = if project.references.is_empty() {
            "nothing".to_owned()
        } else {
            project.references.join(", ")
        };
        lines.push_str(&format!("\n{} -> {references}", project.path));
    }
    for one in &shared {
        lines.push_str(&format!(
            "\n{} {}: {}",
            one.name,
            one.versions.join(", "),
            one.projects.join(", ")
        ));
    }
    let listed: Vec<Value> = shared
        .iter()
        .map(|one| json!({"name": one.name, "versions": one.versions, "projects": one.projects}))
        .collect();
    let mut made = found.made(&summary, &lines);
    made.insert("sharedPackages".to_owned(), listed.into());
    Ok(found.ran(made))
}

/// What is wrong, doubtful or old.
pub(super) async fn validate(
    arguments: &Map<String, Value>,
    context: &dyn Context,
) -> Result<Made, CommandError> {
    let found = match load(arguments, context).await? {
        Ok(found) => found,
        Err(failed) => return Ok(failed),
    };
    let issues = issues(&found.projects);
    let count = |severity: &str| {
        issues
            .iter()
            .filter(|one| one["severity"] == severity)
            .count()
    };
    let (errors, warnings) = (count("error"), count("warning"));
    let summary = format!(
        "{}: {}, {errors} errors, {warnings} warnings.{}",
        found.shown,
        found.counted(),
        found.remark()
    );
    let mut lines = summary.clone();
    for issue in &issues {
        let word = |name: &str| issue[name].as_str().unwrap_or_default();
        lines.push_str(&format!(
            "\n{} {}: {}",
            word("severity"),
            word("project"),
            word("message")
        ));
    }
    let mut made = found.made(&summary, &lines);
    made.insert("isValid".to_owned(), (errors == 0).into());
    made.insert("errorCount".to_owned(), errors.into());
    made.insert("warningCount".to_owned(), warnings.into());
    made.insert("issues".to_owned(), issues.into());
    Ok(found.ran(made))
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

    fn made(&self, summary: &str, text: &str) -> Map<String, Value> {
        let projects: Vec<Value> = self.projects.iter().map(Project::json).collect();
        let mut made = Map::new();
        made.insert("success".to_owned(), true.into());
        made.insert("summary".to_owned(), summary.into());
        made.insert("text".to_owned(), text.into());
        made.insert(
            "solution".to_owned(),
            self.solution.to_string_lossy().into(),
        );
        made.insert("projectCount".to_owned(), self.projects.len().into());
        made.insert("projects".to_owned(), projects.into());
        made
    }

    fn ran(self, made: Map<String, Value>) -> Made {
        Made {
            value: Value::Object(made),
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
    let folder = if solution.is_dir() {
        Some(solution.as_path())
    } else {
        solution.parent()
    };
    let folder = folder.unwrap_or_else(|| Path::new("")).to_owned();
    let mut paths = listed(&list.stdout.text);
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

/// The lines behind the one that is all dashes.
fn listed(text: &str) -> Vec<String> {
    let dashes = |line: &&str| line.len() >= 3 && line.bytes().all(|byte| byte == b'-');
    let mut lines = text.lines().map(str::trim).skip_while(|line| !dashes(line));
    lines.next();
    lines
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}
