//! The options of a template, out of its help text.

use serde_json::{Map, Value};

use super::super::reading::Reading;
use super::super::words;
use super::View;

/// An unknown template ends with status 0 too: only a text with "Usage:" is one's help.
pub(super) fn options(view: &View<'_>) -> Reading {
    view.or_failure(|| {
        let text = view.stdout();
        if !text.lines().any(|line| line.trim_end() == "Usage:") {
            let said = text
                .trim()
                .lines()
                .next()
                .or_else(|| view.stderr().trim().lines().next());
            let message = said.unwrap_or("No template of that name was found");
            return view.failing_with("OPERATION_FAILED", message).into();
        }
        Reading::of([
            ("template", Some(template(view, text).into())),
            ("options", Some(template_options(text).into())),
            (
                "output",
                Some(words::bounded(view.call, text.trim()).into()),
            ),
        ])
    })
}

/// The lines above "Usage:".
fn template(view: &View<'_>, text: &str) -> Map<String, Value> {
    let head: Vec<&str> = text
        .lines()
        .take_while(|line| line.trim_end() != "Usage:")
        .map(str::trim)
        .collect();
    let named = |name: &str| {
        let found = head.iter().find_map(|line| line.strip_prefix(name));
        found.map(|value| Value::from(value.trim()))
    };
    let shown = head.iter().find(|line| !line.is_empty());
    words::members([
        (
            "shortName",
            view.given("template")
                .or_else(|| view.given("templateShortName")),
        ),
        ("name", shown.map(|&name| name.into())),
        ("author", named("Author:")),
        ("description", named("Description:")),
    ])
}

/// One option begins in the third column; what belongs to it stands in the column of its description.
fn template_options(text: &str) -> Vec<Value> {
    let lines = text
        .lines()
        .skip_while(|line| line.trim_end() != "Template options:")
        .skip(1)
        .take_while(|line| !line.trim().is_empty());
    let mut options: Vec<Map<String, Value>> = Vec::new();
    for line in lines {
        if line.starts_with("  -") {
            options.push(option(line.trim()));
        } else if let Some(option) = options.last_mut() {
            detail(option, line.trim());
        }
    }
    options.into_iter().map(Value::Object).collect()
}

/// `-f, --framework <net10.0>   The target framework.`
fn option(line: &str) -> Map<String, Value> {
    let (usage, description) = line.split_once("  ").unwrap_or((line, ""));
    let (names, value) = match usage.split_once(" <") {
        Some((names, value)) => (names, value.strip_suffix('>')),
        None => (usage, None),
    };
    let mut names: Vec<&str> = names.split(", ").map(str::trim).collect();
    let long = names
        .iter()
        .rposition(|name| name.starts_with("--"))
        .unwrap_or(0);
    let name = names.remove(long);
    let values: Option<Vec<&str>> = value
        .filter(|value| value.contains('|'))
        .map(|value| value.split('|').collect());
    words::members([
        ("name", Some(name.into())),
        ("aliases", Some(names.into())),
        ("description", Some(description.trim().into())),
        ("values", values.map(Value::from)),
    ])
}

fn detail(option: &mut Map<String, Value>, line: &str) {
    if let Some(kind) = line.strip_prefix("Type: ") {
        option.insert("type".to_owned(), kind.into());
    } else if let Some(default) = line.strip_prefix("Default: ") {
        option.insert("default".to_owned(), default.into());
    } else if option.get("type").and_then(Value::as_str) == Some("choice")
        && let Some(value) = line.split("  ").next()
    {
        // A choice with one value has no `|` in its usage.
        let values = option
            .entry("values")
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(values) = values
            && !values.iter().any(|known| known == value)
        {
            values.push(value.into());
        }
    }
}
