//! Properties and items of project files: set and removed in the file itself, formatting, byte order mark and line
//! ends kept.

mod edit;
mod layout;
#[cfg(test)]
mod tests;
mod tree;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::file::{self, refused};
use super::{CommandError, Context, Made, text};
use edit::Edited;

/// Sets a property.
pub(super) async fn set_property(
    arguments: &Map<String, Value>,
    context: &dyn Context,
) -> Result<Made, CommandError> {
    let name = name(arguments, "propertyName")?;
    settable(&name)?;
    let Some(value) = arguments.get("propertyValue").and_then(Value::as_str) else {
        let message = "Parameter 'propertyValue' is required; it may be empty".to_owned();
        return Err(refused("propertyValue", "required", message));
    };
    characters("propertyValue", value)?;
    let (path, edited) = change(arguments, context, |text| {
        edit::set_property(text, &name, value)
    })
    .await?;
    let changed = edited.text.is_some();
    let mut summary = if changed {
        format!("Set {name} in {}.", shown(&path))
    } else {
        format!("{name} already has this value in {}.", shown(&path))
    };
    if edited.conditional > 0 {
        summary.push_str(
            " Definitions under a condition were left alone; they win where their condition holds.",
        );
    }
    let mut made = json!({
        "success": true,
        "summary": summary,
        "projectPath": path,
        "propertyName": name,
        "propertyValue": value,
        "changed": changed,
    });
    add_previous(&mut made, edited.previous);
    Ok(Made::of(made))
}

/// Removes a property.
pub(super) async fn remove_property(
    arguments: &Map<String, Value>,
    context: &dyn Context,
) -> Result<Made, CommandError> {
    let name = name(arguments, "propertyName")?;
    let (path, edited) = change(arguments, context, |text| {
        edit::remove_property(text, &name)
    })
    .await?;
    let removed = edited.text.is_some();
    let summary = if removed {
        format!("Removed {name} from {}.", shown(&path))
    } else {
        format!(
            "{} does not define {name}; nothing was changed.",
            shown(&path)
        )
    };
    let mut made = json!({
        "success": true,
        "summary": summary,
        "projectPath": path,
        "propertyName": name,
        "removed": removed,
    });
    add_previous(&mut made, edited.previous);
    Ok(Made::of(made))
}

/// Adds an item.
pub(super) async fn add_item(
    arguments: &Map<String, Value>,
    context: &dyn Context,
) -> Result<Made, CommandError> {
    let told = |Item { kind, include }: &Item, project: &str, added: bool| {
        if added {
            format!("Added {kind} '{include}' to {project}.")
        } else {
            format!("{project} has {kind} '{include}' already; nothing was changed.")
        }
    };
    change_item(arguments, context, edit::add_item, "changed", told).await
}

/// Removes an item.
pub(super) async fn remove_item(
    arguments: &Map<String, Value>,
    context: &dyn Context,
) -> Result<Made, CommandError> {
    let told = |Item { kind, include }: &Item, project: &str, removed: bool| {
        if removed {
            format!("Removed {kind} '{include}' from {project}.")
        } else {
            format!(
                "{project} has no {kind} with Include '{include}' of its own; items of wildcards and of the SDK cannot be removed here."
            )
        }
    };
    change_item(arguments, context, edit::remove_item, "removed", told).await
}

/// Edits one item; whether that changed the file is in the answer's member of this name, and `told` for
/// people, who get the project's name.
async fn change_item(
    arguments: &Map<String, Value>,
    context: &dyn Context,
    edit: fn(&str, &str, &str) -> Result<Edited, String>,
    member: &str,
    told: impl Fn(&Item, &str, bool) -> String,
) -> Result<Made, CommandError> {
    let item = Item::of(arguments)?;
    let (path, edited) = change(arguments, context, |text| {
        edit(text, &item.kind, &item.include)
    })
    .await?;
    let changed = edited.text.is_some();
    Ok(Made::of(json!({
        "success": true,
        "summary": told(&item, &shown(&path), changed),
        "projectPath": path,
        "itemType": item.kind,
        "include": item.include,
        member: changed,
    })))
}

/// Reads the project, edits it and writes it back where something changed.
async fn change(
    arguments: &Map<String, Value>,
    context: &dyn Context,
    edit: impl FnOnce(&str) -> Result<Edited, String>,
) -> Result<(PathBuf, Edited), CommandError> {
    let given = text(arguments, "project")?;
    let path = project_file(context.path("project", given)?).await?;
    let bytes = file::read("project", &path).await?;
    let unusable = |why: String| {
        refused(
            "project",
            "invalid value",
            format!("{} cannot be edited: {why}", shown(&path)),
        )
    };
    let mark = bytes.starts_with(file::MARK);
    let content = bytes
        .get(if mark { file::MARK.len() } else { 0 }..)
        .unwrap_or_default();
    let content =
        std::str::from_utf8(content).map_err(|_| unusable("it is not UTF-8".to_owned()))?;
    let edited = edit(content).map_err(unusable)?;
    if let Some(new) = &edited.text {
        let mut out = if mark {
            file::MARK.to_vec()
        } else {
            Vec::new()
        };
        out.extend_from_slice(new.as_bytes());
        file::write("project", &path, &out).await?;
    }
    Ok((path, edited))
}

/// The file itself, or the only project in a folder.
async fn project_file(path: PathBuf) -> Result<PathBuf, CommandError> {
    let metadata = tokio::fs::metadata(&path).await;
    match metadata {
        Ok(metadata) if metadata.is_file() => Ok(path),
        Ok(metadata) if metadata.is_dir() => only_project(&path).await,
        _ => Err(refused(
            "project",
            "not found",
            format!("The project '{}' does not exist", shown(&path)),
        )),
    }
}

async fn only_project(folder: &Path) -> Result<PathBuf, CommandError> {
    let wrong = |what: &str| {
        let message = format!("The folder '{}' holds {what}", shown(folder));
        refused("project", "not found", message)
    };
    let mut entries = tokio::fs::read_dir(folder)
        .await
        .map_err(|_| wrong("nothing that can be read"))?;
    let mut found = None;
    while let Ok(Some(entry)) = entries.next_entry().await {
        let path = entry.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension.is_some_and(|it| it.ends_with("proj")) && path.is_file() {
            if found.is_some() {
                return Err(wrong("several projects: name one"));
            }
            found = Some(path);
        }
    }
    found.ok_or_else(|| wrong("no project"))
}

/// What an item is called by.
struct Item {
    kind: String,
    include: String,
}

impl Item {
    fn of(arguments: &Map<String, Value>) -> Result<Self, CommandError> {
        let kind = name(arguments, "itemType")?;
        let include = text(arguments, "include")?;
        characters("include", include)?;
        Ok(Self {
            kind,
            include: include.to_owned(),
        })
    }
}

/// A name that `MSBuild` and XML both take. The rules of the document say the same; a file must not be
/// broken where it has none.
fn name(arguments: &Map<String, Value>, parameter: &str) -> Result<String, CommandError> {
    let name = text(arguments, parameter)?.trim();
    let first = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if first
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    {
        return Ok(name.to_owned());
    }
    let message = format!("Parameter '{parameter}' contains invalid characters");
    Err(refused(parameter, "invalid characters", message))
}

/// `MSBuild` refuses to build a project that sets one of these.
fn settable(name: &str) -> Result<(), CommandError> {
    const RESERVED: &[&str] = &[
        "MSBuildBinPath",
        "MSBuildExtensionsPath",
        "MSBuildLastTaskResult",
        "MSBuildNodeCount",
        "MSBuildProgramFiles32",
        "MSBuildProjectDefaultTargets",
        "MSBuildProjectDirectory",
        "MSBuildProjectDirectoryNoRoot",
        "MSBuildProjectExtension",
        "MSBuildProjectFile",
        "MSBuildProjectFullPath",
        "MSBuildProjectName",
        "MSBuildStartupDirectory",
        "MSBuildThisFile",
        "MSBuildThisFileDirectory",
        "MSBuildThisFileDirectoryNoRoot",
        "MSBuildThisFileExtension",
        "MSBuildThisFileFullPath",
        "MSBuildThisFileName",
        "MSBuildToolsPath",
        "MSBuildToolsVersion",
    ];
    if RESERVED
        .iter()
        .any(|reserved| reserved.eq_ignore_ascii_case(name))
    {
        let message = format!("Parameter 'propertyName' names a reserved property: {name}");
        return Err(refused("propertyName", "invalid value", message));
    }
    Ok(())
}

/// XML 1.0 has no way to write most control characters.
fn characters(parameter: &str, value: &str) -> Result<(), CommandError> {
    let bad = |c: char| {
        c.is_control() && !matches!(c, '\t' | '\n' | '\r') || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    if value.chars().any(bad) {
        let message = format!("Parameter '{parameter}' contains invalid characters");
        return Err(refused(parameter, "invalid characters", message));
    }
    Ok(())
}

fn add_previous(made: &mut Value, previous: Option<String>) {
    if let (Some(made), Some(previous)) = (made.as_object_mut(), previous) {
        made.insert("previousValue".to_owned(), previous.into());
    }
}

fn shown(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}
