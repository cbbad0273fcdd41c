//! Templates: lists of them and of their packages, what was installed, and what was made of one.

use serde_json::{Map, Value, json};

use super::super::reading::Reading;
use super::super::words;
use super::View;

/// A table with fixed columns: the heads, and the rows cut where the dashes are.
struct Table<'a> {
    heads: Vec<&'a str>,
    rows: Vec<Vec<&'a str>>,
}

impl<'a> Table<'a> {
    /// The first table of a text: a line of dashes with the heads above it and the rows below, up to a blank line.
    /// Columns are counted in characters.
    fn read(text: &'a str) -> Option<Self> {
        let lines: Vec<&str> = text.lines().collect();
        let dashes = lines.iter().position(|line| {
            let line = line.trim_end();
            line.starts_with("--") && line.chars().all(|c| c == '-' || c == ' ')
        })?;
        let columns = columns(lines[dashes]);
        let heads = cells(lines.get(dashes.checked_sub(1)?)?, &columns);
        let rows = lines[dashes + 1..]
            .iter()
            .take_while(|line| !line.trim().is_empty())
            .map(|line| cells(line, &columns))
            .collect();
        Some(Self { heads, rows })
    }

    fn cell(&self, row: &[&'a str], head: &str) -> Option<&'a str> {
        let at = self.heads.iter().position(|found| *found == head)?;
        row.get(at).copied().filter(|cell| !cell.is_empty())
    }
}

/// Where each column begins.
fn columns(dashes: &str) -> Vec<usize> {
    let mut before = ' ';
    let mut starts = Vec::new();
    for (at, c) in dashes.chars().enumerate() {
        if c == '-' && before == ' ' {
            starts.push(at);
        }
        before = c;
    }
    starts
}

fn cells<'a>(line: &'a str, columns: &[usize]) -> Vec<&'a str> {
    // One pass: the byte offset of each column's first character.
    let mut offsets = Vec::with_capacity(columns.len());
    for (at, (offset, _)) in line.char_indices().enumerate() {
        if columns.get(offsets.len()) == Some(&at) {
            offsets.push(offset);
        }
    }
    offsets.resize(columns.len(), line.len());
    (0..columns.len())
        .map(|index| {
            let end = offsets.get(index + 1).copied().unwrap_or(line.len());
            line[offsets[index]..end].trim()
        })
        .collect()
}

/// Nothing found is an answer too, with status 103.
pub(super) fn list(view: &View<'_>) -> Reading {
    let nothing =
        view.run.exit == Some(103) && view.stderr().contains("No templates found matching");
    if nothing {
        let none = "No templates match";
        return Reading::of([("templates", Some(Value::Array(Vec::new())))]).telling(none);
    }
    view.or_failure(|| {
        let Some(table) = Table::read(view.stdout()) else {
            return view.unreadable();
        };
        let templates = filtered(view, rows(&table));
        Reading::of([("templates", Some(templates.into()))])
    })
}

/// The arguments `filter` and `maxResults` apply to whatever was listed.
fn filtered(view: &View<'_>, mut templates: Vec<Value>) -> Vec<Value> {
    if let Some(filter) = view.call.text("filter") {
        let filter = filter.to_lowercase();
        templates.retain(|template| {
            let names = [&template["name"], &template["shortNames"]];
            names
                .iter()
                .any(|name| name.to_string().to_lowercase().contains(&filter))
        });
    }
    let limit = view.call.arguments.get("maxResults");
    let limit = limit.and_then(Value::as_u64).map(usize::try_from);
    if let Some(Ok(limit)) = limit {
        templates.truncate(limit);
    }
    templates
}

fn rows(table: &Table<'_>) -> Vec<Value> {
    table.rows.iter().map(|row| template(table, row)).collect()
}

/// Several short names stand in one cell, and of several languages the default one has brackets.
fn template(table: &Table<'_>, row: &[&str]) -> Value {
    let cell = |head: &str| table.cell(row, head);
    let names: Vec<&str> = list_of(cell("Short Name"), ',');
    let languages = list_of(cell("Language"), ',');
    let default = languages
        .iter()
        .find_map(|language| language.strip_prefix('[')?.strip_suffix(']'));
    let plain: Vec<&str> = languages
        .iter()
        .map(|language| language.trim_matches(['[', ']']))
        .collect();
    let text = |value: Option<&str>| value.map(Value::from);
    words::members([
        ("name", text(cell("Template Name"))),
        ("shortName", text(names.first().copied())),
        ("shortNames", Some(names.into())),
        ("languages", Some(plain.into())),
        ("defaultLanguage", text(default)),
        ("type", text(cell("Type"))),
        ("author", text(cell("Author"))),
        ("tags", Some(list_of(cell("Tags"), '/').into())),
    ])
    .into()
}

fn list_of(cell: Option<&str>, separator: char) -> Vec<&str> {
    cell.map_or_else(Vec::new, |cell| {
        cell.split(separator)
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect()
    })
}

/// Indented text; three blanks a step.
pub(super) fn packs(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let mut packs: Vec<Map<String, Value>> = Vec::new();
        let mut heading = "";
        for line in view.stdout().lines() {
            let text = line.trim();
            match line.len() - line.trim_start().len() {
                3 => {
                    packs.push(words::members([
                        ("id", Some(text.into())),
                        ("details", Some(json!({}))),
                        ("templates", Some(json!([]))),
                    ]));
                    heading = "";
                }
                6 => heading = pack_line(packs.last_mut(), text),
                9 => pack_detail(packs.last_mut(), heading, text),
                _ => {}
            }
        }
        let none = || {
            view.stdout()
                .lines()
                .any(|line| line.trim() == "(No Items)")
        };
        if packs.is_empty() && !none() {
            return view.unreadable();
        }
        Reading::of([("packs", Some(packs.into()))])
    })
}

fn pack_line<'a>(pack: Option<&mut Map<String, Value>>, text: &'a str) -> &'a str {
    if let (Some(pack), Some(version)) = (pack, text.strip_prefix("Version: ")) {
        pack.insert("version".to_owned(), version.into());
    }
    text
}

fn pack_detail(pack: Option<&mut Map<String, Value>>, heading: &str, text: &str) {
    let Some(pack) = pack else { return };
    match heading {
        "Templates:" => {
            if let Some(Value::Array(templates)) = pack.get_mut("templates") {
                templates.push(text.into());
            }
        }
        "Details:" => {
            if let (Some(Value::Object(details)), Some((name, value))) =
                (pack.get_mut("details"), text.split_once(": "))
            {
                details.insert(name.to_owned(), value.into());
            }
        }
        _ => {}
    }
}

/// Already there in that version is no failure, though the status is 106 as for every other trouble: only the sentence
/// tells.
pub(super) fn install(view: &View<'_>) -> Reading {
    let already = view.run.exit == Some(106) && view.stderr().contains(" is already installed.");
    if already {
        let package = view
            .stderr()
            .split(" is already installed.")
            .next()
            .unwrap_or_default()
            .trim();
        let summary = format!("{package} is already installed");
        return Reading::done(
            summary.clone(),
            [
                ("package", Some(package.into())),
                ("alreadyInstalled", Some(true.into())),
            ],
        )
        .telling(summary);
    }
    view.or_failure(|| {
        let stdout = view.stdout();
        if let Some(package) =
            words::between(stdout, "No templates were found in the package ", "\n")
        {
            let message = format!("No templates were found in the package {package}");
            return view.failing_with("OPERATION_FAILED", &message).into();
        }
        let installed = words::between(stdout, "Success: ", " installed the following templates:");
        let (id, version) = installed.map_or((None, None), |name| match name.split_once('@') {
            Some((id, version)) => (Some(id), Some(version)),
            None => (Some(name), None),
        });
        let templates = Table::read(stdout).map_or_else(Vec::new, |table| rows(&table));
        let summary = format!(
            "Installed {} with {} template(s)",
            installed.unwrap_or("the package"),
            templates.len()
        );
        Reading::done(
            summary,
            [
                ("package", id.map(Value::from)),
                ("version", version.map(Value::from)),
                ("templates", Some(templates.into())),
            ],
        )
    })
}

/// Without a package it lists what is installed.
pub(super) fn uninstall(view: &View<'_>) -> Reading {
    if view.stdout().starts_with("Currently installed items:") {
        let mut listed = packs(view);
        listed
            .members
            .extend(Reading::done("Nothing was named, so nothing was removed", []).members);
        return listed;
    }
    view.or_failure(|| {
        let package = words::between(view.stdout(), "Success: ", " was uninstalled.");
        let summary = format!("Uninstalled {}", package.unwrap_or("the package"));
        let id = package.map(|package| package.split('@').next().unwrap_or(package));
        Reading::done(summary, [("package", id.map(Value::from))])
    })
}

/// A sentence with the template's name; a restore may follow that does not decide.
pub(super) fn new(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let stdout = view.stdout();
        let template = words::between(stdout, "The template \"", "\" was created successfully.");
        let project = words::between(stdout, "\nRestoring ", ":\n");
        let failed = stdout.contains("Restore failed.") || stdout.contains("Post action failed.");
        let mut summary = match template {
            Some(template) => format!("Created {template}"),
            None => stdout.trim().lines().next().unwrap_or("Done").to_owned(),
        };
        if failed {
            summary.push_str("; a step after it failed, see the text");
        }
        Reading::done(
            summary,
            [
                (
                    "template",
                    view.given("template").or_else(|| template.map(Value::from)),
                ),
                ("name", view.given("name")),
                ("path", view.given("output")),
                ("project", project.map(Value::from)),
            ],
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_cut_where_the_dashes_are() {
        let text = "Template Name  Short Name  Language\n-------------  ----------  --------\nÄpfel und B.   a,b                 \nX              x           [C#],F# \n\nrest";
        let table = Table::read(text).unwrap();
        assert_eq!(table.rows[0], ["Äpfel und B.", "a,b", ""]);
        assert_eq!(table.cell(&table.rows[1], "Language"), Some("[C#],F#"));
        assert_eq!(table.rows.len(), 2);
    }
}
