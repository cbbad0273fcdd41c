//! The data of the extension and its JSON Schema.

use mcpinvoke::discovery::DOTNET_DOCUMENT;
use serde_json::{Value, json};

use super::discovered;

#[test]
fn the_document_fits_the_schema_of_its_extension() {
    let validator = schema();
    for (path, data) in written() {
        let faults: Vec<String> = validator
            .iter_errors(&data)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{path}: {faults:?}");
    }
}

/// What is broken, where, and how.
#[test]
fn broken_data_is_refused_with_its_place_by_the_schema_and_at_load() {
    let validator = schema();
    let base = json!({"program": "dotnet", "selector": "action", "actions": {"A": {"run": [{"words": ["build"]}]}}});
    assert!(validator.is_valid(&base));
    assert_eq!(loaded(&base), None);
    for (pointer, value) in [
        ("/program", json!(5)),
        ("/colour", json!("red")),
        ("/decisive", json!("x")),
        ("/actions/A/takes", json!("x")),
        ("/actions", json!({})),
        ("/actions/A/efect", json!("read")),
        ("/actions/A/effect", json!("reads")),
        ("/actions/A/timeout", json!("soon")),
        ("/actions/A/timeout", json!(5)),
        ("/actions/A/requires", json!("x")),
        ("/actions/A/rules", json!({"x": 5})),
        ("/actions/A/lock", json!({"target": ["x"]})),
        ("/actions/A/lock", json!({"operation": "x", "globl": true})),
        ("/actions/A/builtin", json!("stop-session")),
        ("/actions/A/run", json!([])),
        ("/actions/A/run/0/runner", json!("nunit")),
        ("/actions/A/run/0/background", json!(5)),
        ("/actions/A/run/0/neutral", json!("yes")),
        ("/actions/A/run/0/words", json!("build")),
        (
            "/actions/A/run/0/words/0",
            json!({"value": "x", "as": "shell"}),
        ),
        ("/actions/A/run/0/words/0", json!({"valeu": "x"})),
        ("/actions/A/run/0/words/0", json!({"flag": "--x"})),
        (
            "/actions/A/run/0/words/0",
            json!({"when": {"givn": "x"}, "then": ["y"]}),
        ),
        (
            "/actions/A/run/0/words/0",
            json!({"option": "-o", "scratch": false}),
        ),
        (
            "/actions/A/run/0/words/0",
            json!({"option": "-o", "scratch": "../x.sql"}),
        ),
        (
            "/actions/A/run/0/words/0",
            json!({"option": "-o", "scratch": ""}),
        ),
        ("/actions/A/run/0/words/0", json!(5)),
    ] {
        let mut data = base.clone();
        put(&mut data, pointer, value.clone());
        assert!(!validator.is_valid(&data), "{pointer} {value}");
        let reason = loaded(&data).unwrap_or_else(|| panic!("{pointer} {value} was taken"));
        assert!(
            reason.contains("/x-mcp-command"),
            "{pointer} {value}: {reason}"
        );
    }
}

/// Forms that the shipped document does not use.
#[test]
fn every_form_that_is_read_fits_the_schema() {
    let run = json!([{"words": ["build"]}]);
    let word = |word: Value| json!({"run": [{"words": ["x", "--", word]}]});
    for action in [
        json!({"description": "For people.", "run": run}),
        json!({"rules": {"a": ["configuration", "framework"]}, "run": run}),
        json!({"confirm": true, "run": run}),
        json!({"takes": ["a"], "run": run}),
        json!({"confirm": {"any": ["a", {"not": {"is": {"b": 5}}}]}, "run": run}),
        json!({"lock": {"operation": "x", "global": true}, "run": run}),
        json!({"run": [{"words": ["x"], "neutral": true, "optional": true}]}),
        json!({"run": [{"words": ["x"], "background": {"ends": {"a": ".csproj"}}}]}),
        word(json!({"when": "a", "else": ["y"]})),
        word(json!({"when": {"all": ["a", false]}, "then": ["y"], "else": []})),
        word(json!({"join": ["-p:A=", {"value": "a"}]})),
        word(json!({"split": "a", "as": "verbatim"})),
        word(json!({"option": "-o", "scratch": true})),
        word(json!({"option": "-o", "scratch": "a-1_b.sql"})),
    ] {
        let data = json!({"program": "dotnet", "selector": "action", "actions": {"A": action}});
        assert_eq!(loaded(&data), None, "{action}");
    }
}

fn schema() -> jsonschema::Validator {
    let text = include_str!("../../../specs/x-mcp-command.schema.json");
    let schema = serde_json::from_str(text).expect("JSON");
    jsonschema::meta::validate(&schema).expect("a schema of 2020-12");
    jsonschema::validator_for(&schema).expect("a schema")
}

/// The data of each operation.
fn written() -> Vec<(String, Value)> {
    let document: Value = serde_yaml::from_str(DOTNET_DOCUMENT).expect("YAML");
    let paths = document["paths"].as_object().expect("paths");
    let data =
        |(path, item): (&String, &Value)| (path.clone(), item["post"]["x-mcp-command"].clone());
    paths.iter().map(data).collect()
}

/// Why an operation with this data becomes no tool.
fn loaded(data: &Value) -> Option<String> {
    let document = json!({
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/x": {"post": {"operationId": "x", "x-mcp-handler": "dotnet", "x-mcp-command": data, "responses": {}}}}
    });
    let discovery = discovered(&document.to_string());
    let skipped = discovery.skipped.first()?;
    Some(skipped.reason.clone())
}

fn put(data: &mut Value, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    match data.pointer_mut(parent).expect("a place") {
        Value::Object(members) => {
            members.insert(name.to_owned(), value);
        }
        Value::Array(items) => items[name.parse::<usize>().expect("an index")] = value,
        other => panic!("no place: {other}"),
    }
}
