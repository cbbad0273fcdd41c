//! A report as SARIF 2.1.0 (OASIS), which code hosts show at the lines of a change.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};
use url::Url;

use super::render::word;
use super::report::{Group, Placed, Report, rules};

/// What a path of a relative URI reference may not hold (RFC 3986, section 3.3), and a colon, which
/// would make a scheme of what stands before it.
const NOT_IN_PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b':')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// One run with all rules and all results.
pub(super) fn log(report: &Report) -> String {
    let rules = rules();
    let described: Vec<Value> = rules
        .iter()
        .map(|rule| {
            json!({
                "id": rule.name,
                "shortDescription": {"text": rule.meaning},
                "help": {"text": rule.remedy},
                "defaultConfiguration": {"level": word(rule.severity)},
            })
        })
        .collect();
    let index = |name: &str| rules.iter().position(|rule| rule.name == name);
    let results: Vec<Value> = report
        .documents
        .iter()
        .flat_map(|group| group.placed.iter().map(move |placed| (group, placed)))
        .map(|(group, placed)| result(group, placed, index(placed.finding.rule)))
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "mcpinvoke",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": described,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}")
}

fn result(group: &Group, placed: &Placed, rule: Option<usize>) -> Value {
    let finding = &placed.finding;
    let text = match &finding.hint {
        Some(hint) => format!("{}; {hint}", finding.message),
        None => finding.message.clone(),
    };
    let mut result = json!({
        "ruleId": finding.rule,
        "level": word(finding.severity),
        "message": {"text": text},
        "locations": [],
    });
    if group.is_document {
        result["locations"] = json!([location(group, placed)]);
    }
    if let Some(rule) = rule {
        result["ruleIndex"] = json!(rule);
    }
    result
}

fn location(group: &Group, placed: &Placed) -> Value {
    let file = placed.file.as_deref().unwrap_or(&group.name);
    let mut physical = json!({"artifactLocation": {"uri": uri(file)}});
    if let Some(at) = placed.position {
        physical["region"] = json!({"startLine": at.line, "startColumn": at.column});
    }
    let mut location = json!({"physicalLocation": physical});
    if !placed.pointer.is_empty() {
        location["logicalLocations"] = json!([{"fullyQualifiedName": placed.pointer}]);
    }
    location
}

/// A URI reference of a document's name: its URL, `file:` for an absolute path, else the relative path.
fn uri(name: &str) -> String {
    if name == "-" {
        return "stdin".to_owned();
    }
    if name.contains("://") {
        return name.to_owned();
    }
    match Url::from_file_path(name) {
        Ok(url) => url.to_string(),
        Err(()) => {
            let slashes = name.replace('\\', "/");
            utf8_percent_encode(&slashes, NOT_IN_PATH).to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn names_become_uri_references() {
        // A path of the system that this runs on.
        let absolute = match cfg!(windows) {
            true => ("C:\\tmp\\a b.yaml", "file:///C:/tmp/a%20b.yaml"),
            false => ("/tmp/a b.yaml", "file:///tmp/a%20b.yaml"),
        };
        for (name, expected) in [
            ("-", "stdin"),
            ("specs/my api.yaml", "specs/my%20api.yaml"),
            ("c:x.yaml", "c%3Ax.yaml"),
            (
                "https://u:***@a.test/x?k=***",
                "https://u:***@a.test/x?k=***",
            ),
            absolute,
        ] {
            assert_eq!(uri(name), expected);
        }
    }
}
