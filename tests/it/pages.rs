//! Parts of documentation pages that are made from what the program says of itself. `UPDATE_PAGES=1 cargo test pages`
//! writes them anew.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::{run, spec};

const END: &str = "<!-- end -->";

/// Compares the part of a page between the comment that begins like this and [`END`].
fn compare(page: &str, begin: &str, made: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("docs")
        .join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(begin).unwrap();
    let (comment, rest) = rest.split_once("-->\n").unwrap();
    let (part, after) = rest.split_once(END).unwrap();
    if part == made {
        return;
    }
    assert!(
        std::env::var_os("UPDATE_PAGES").is_some(),
        "docs/{page} is not what the program says: run `UPDATE_PAGES=1 cargo test pages`"
    );
    let new = format!("{before}{begin}{comment}-->\n{made}{END}{after}");
    std::fs::write(path, new).unwrap();
}

#[test]
fn every_action_of_the_dotnet_tools_is_listed() {
    let text = std::fs::read_to_string(spec("dotnet.yaml")).unwrap();
    let document: Value = serde_yaml::from_str(&text).unwrap();
    let mut made = String::from("| tool | for | actions | asks first |\n|---|---|---|---|\n");
    let mut count = 0;
    for item in document["paths"].as_object().unwrap().values() {
        let operation = &item["post"];
        let actions = operation["x-mcp-command"]["actions"].as_object().unwrap();
        count += actions.len();
        let destroying = actions
            .iter()
            .filter(|(_, action)| action["effect"] == "destroy");
        writeln!(
            made,
            "| `{}` | {} | {} | {} |",
            operation["operationId"].as_str().unwrap(),
            operation["summary"].as_str().unwrap(),
            list(actions.keys()),
            list(destroying.map(|(name, _)| name)),
        )
        .unwrap();
    }
    assert_eq!(count, 91);
    compare("commands.md", "<!-- made from specs/dotnet.yaml", &made);
}

fn list<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<&str> = names.map(String::as_str).collect();
    names.join(", ")
}

/// One table for each part of the file; a setting's default is what the program prints without any settings.
#[test]
fn every_setting_is_listed() {
    let told = |arguments: &[&str]| String::from_utf8(run(arguments).stdout).unwrap();
    let schema: Value = serde_json::from_str(&told(&["config", "--schema"])).unwrap();
    let defaults: Value = serde_yaml::from_str(&told(&["config"])).unwrap();
    let settings = Settings { schema: &schema };
    let mut made = String::from(HEAD);
    let mut parts = Vec::new();
    settings.table(&mut made, &schema, &defaults, "", &mut parts);
    // The parts of parts come right behind them.
    let mut shown: Vec<&Value> = Vec::new();
    while !parts.is_empty() {
        let (path, part, values) = parts.remove(0);
        if shown.iter().any(|one| std::ptr::eq(*one, part)) {
            continue;
        }
        shown.push(part);
        write!(made, "\n## `{path}`\n{HEAD}").unwrap();
        let mut inner = Vec::new();
        settings.table(&mut made, part, &values, &path, &mut inner);
        parts.splice(0..0, inner);
    }
    compare(
        "configuration.md",
        "<!-- made from the schema of the file",
        &made,
    );
}

const HEAD: &str = "| setting | is | default | |\n|---|---|---|---|\n";

struct Settings<'a> {
    schema: &'a Value,
}

/// A part of the file that has a table of its own: where it stands, its schema, its default.
type Part<'a> = (String, &'a Value, Value);

impl<'a> Settings<'a> {
    fn table(
        &self,
        made: &mut String,
        part: &'a Value,
        values: &Value,
        path: &str,
        parts: &mut Vec<Part<'a>>,
    ) {
        for (name, setting) in part["properties"].as_object().unwrap() {
            let place = match path {
                "" => name.clone(),
                path => format!("{path}.{name}"),
            };
            let (kind, nested) = self.kind(setting);
            let default = match (&values[name], &nested) {
                (Value::Null, _) => String::new(),
                (Value::Object(_) | Value::Array(_), _) => String::new(),
                (Value::String(text), _) if text.contains('\n') => "see `mcpinvoke config`".into(),
                (value, _) => format!("`{}`", value.to_string().trim_matches('"')),
            };
            let text = setting["description"].as_str().unwrap_or_default();
            let text = text.replace('\n', " ").replace('|', "\\|");
            writeln!(made, "| `{name}` | {kind} | {default} | {text} |").unwrap();
            if let Some((suffix, schema)) = nested {
                parts.push((format!("{place}{suffix}"), schema, values[name].clone()));
            }
        }
    }

    /// What a setting is, and the part of the schema that describes its members.
    fn kind(&self, setting: &'a Value) -> (String, Option<(&'static str, &'a Value)>) {
        let setting = self.meant(setting);
        if let Some(words) = words(setting) {
            return (words, None);
        }
        if setting["properties"].is_object() {
            return ("section".to_owned(), Some(("", setting)));
        }
        if let Some(alternatives) = setting["anyOf"].as_array().or(setting["oneOf"].as_array()) {
            let all: Vec<_> = alternatives.iter().map(|one| self.kind(one)).collect();
            let names: Vec<String> = all.iter().map(|(kind, _)| kind.clone()).collect();
            let nested = all.into_iter().find_map(|(_, nested)| nested);
            return (names.join(" or "), nested);
        }
        if setting["items"].is_object() {
            let (kind, nested) = self.kind(&setting["items"]);
            return (
                format!("list of {kind}"),
                nested.map(|(_, schema)| ("[]", schema)),
            );
        }
        if setting["additionalProperties"].is_object() {
            let (kind, nested) = self.kind(&setting["additionalProperties"]);
            return (
                format!("{kind} by name"),
                nested.map(|(_, schema)| (".*", schema)),
            );
        }
        let kinds = match &setting["type"] {
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            kind => vec![kind.as_str().unwrap_or("anything")],
        };
        let kinds: Vec<&str> = kinds.into_iter().filter(|kind| *kind != "null").collect();
        (kinds.join(" or "), None)
    }

    /// Behind references and a `null` that stands for the absence of a setting.
    fn meant(&self, setting: &'a Value) -> &'a Value {
        if let Some(reference) = setting["$ref"].as_str() {
            let pointer = reference.trim_start_matches('#');
            return self.meant(self.schema.pointer(pointer).unwrap());
        }
        let alternatives = setting["anyOf"].as_array();
        let mut rest = alternatives
            .into_iter()
            .flatten()
            .filter(|one| one["type"] != "null");
        match (rest.next(), rest.next()) {
            (Some(only), None) => self.meant(only),
            _ => setting,
        }
    }
}

/// The values of an enumeration.
fn words(setting: &Value) -> Option<String> {
    let quoted = |value: &Value| Some(format!("`{}`", value.as_str()?));
    if let Some(values) = setting["enum"].as_array() {
        return values
            .iter()
            .map(quoted)
            .collect::<Option<Vec<_>>>()
            .map(|all| all.join(", "));
    }
    let alternatives = setting["oneOf"].as_array()?;
    let all: Option<Vec<_>> = alternatives
        .iter()
        .map(|one| quoted(&one["const"]))
        .collect();
    Some(all?.join(", "))
}
