//! Every recorded run of the `dotnet` CLI that belongs to an action, read and compared with what it has to come to.

use std::time::Duration;

use mcpinvoke::handler::command::{CommandReply, RunnerChoice};
use mcpinvoke::interpret::{CommandCall, command_reply};
use mcpinvoke::tool::{
    Action, CommandTarget, Condition, Content, Effect, Outcome, RunTemplate, TestRunner, Work,
};
use serde_json::{Map, Value, json};

use crate::support::recorded::{self, Case};

/// Longer texts are cut in the goldens.
const CUT: usize = 400;
/// Groups whose tests run on the platform.
const PLATFORM: [u32; 2] = [34, 59];

/// A target with one action whose result has this shape.
pub fn target(shape: &str) -> CommandTarget {
    let action = Action {
        name: "Act".to_owned(),
        effect: Effect::Writes,
        confirm: Condition::Never,
        requires: Vec::new(),
        rules: Vec::new(),
        takes: Vec::new(),
        secret: Vec::new(),
        lock: None,
        timeout: Duration::from_secs(60),
        work: Work::Runs(Vec::<RunTemplate>::new()),
        result: shape.to_owned(),
    };
    CommandTarget {
        operation: "POST /tool".to_owned(),
        program: "dotnet".to_owned(),
        selector: Some("action".to_owned()),
        directory: None,
        security: Vec::new(),
        decisive: Vec::new(),
        actions: vec![action],
    }
}

/// Reads a reply in this shape.
pub fn outcome(tool: &str, shape: &str, arguments: &Value, reply: &CommandReply) -> Outcome {
    let target = target(shape);
    let arguments: Map<String, Value> = arguments
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let call = CommandCall {
        tool,
        target: &target,
        action: target.actions.first(),
        arguments: &arguments,
        mask: &str::to_owned,
        mask_named: &|name, value| {
            mcpinvoke::policy::Redactor::default()
                .named(name, value)
                .into_owned()
        },
    };
    command_reply(&call, reply)
}

/// The text and the structured content of an outcome.
pub fn parts(outcome: &Outcome) -> (String, Value) {
    let text = match outcome.content.first() {
        Some(Content::Text(text)) => text.as_str().to_owned(),
        other => panic!("no text: {other:?}"),
    };
    let structured = outcome.structured.as_ref().expect("structured content");
    (text, serde_json::from_str(&structured.to_text()).unwrap())
}

/// A recorded run in the shape that its command line asks for.
pub fn read(group: u32, case: &Case) -> Option<Outcome> {
    let (tool, shape, arguments) = case.action()?;
    let runner = (shape == "test").then(|| RunnerChoice {
        runner: if PLATFORM.contains(&group) {
            TestRunner::Platform
        } else {
            TestRunner::VsTest
        },
        source: "default",
    });
    let reply = CommandReply {
        runs: vec![case.ran()],
        runner,
        ..CommandReply::default()
    };
    Some(outcome(tool, shape, &arguments, &reply))
}

#[test]
fn every_recorded_case_reads_as_specified() {
    let refresh = std::env::vars().any(|(name, _)| name == "MCPINVOKE_REFRESH");
    let mut faults = Vec::new();
    for group in recorded::groups() {
        let found: Map<String, Value> = group
            .cases
            .iter()
            .filter_map(|case| {
                let outcome = read(group.group, case)?;
                Some((key(case), golden(case, &outcome)))
            })
            .collect();
        if found.is_empty() {
            continue;
        }
        let path = recorded::fixture(&format!("results/{:02}.json", group.group));
        if refresh {
            let text = serde_json::to_string_pretty(&found).unwrap();
            std::fs::write(&path, text + "\n").unwrap();
            continue;
        }
        let expected: Map<String, Value> = serde_json::from_str(
            &std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("no {path:?}")),
        )
        .unwrap();
        for (name, value) in &found {
            if expected.get(name) != Some(value) {
                faults.push(format!("[{}] {name}:\n{value:#}", group.group));
            }
        }
        assert_eq!(expected.len(), found.len(), "group {}", group.group);
    }
    assert!(
        faults.is_empty(),
        "{} differ:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// Names repeat within a group; their command lines do not.
fn key(case: &Case) -> String {
    format!("{}: {}", case.name, case.argv.join(" "))
}

fn golden(case: &Case, outcome: &Outcome) -> Value {
    let (text, structured) = parts(outcome);
    let (_, shape, _) = case.action().unwrap();
    json!({
        "shape": shape,
        "exit": case.exit,
        "isError": outcome.is_error,
        "text": cut(&Value::from(text)),
        "structured": cut(&structured),
    })
}

/// Long texts shortened, long lists too.
fn cut(value: &Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > CUT => {
            let head: String = text.chars().take(CUT).collect();
            format!("{head} [...{}]", text.len()).into()
        }
        Value::Array(items) => {
            let mut short: Vec<Value> = items.iter().take(12).map(cut).collect();
            if items.len() > 12 {
                short.push(format!("[...{}]", items.len()).into());
            }
            short.into()
        }
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), cut(value)))
            .collect::<Map<String, Value>>()
            .into(),
        other => other.clone(),
    }
}

/// What holds of every answer, whatever the shape.
#[test]
fn every_answer_keeps_the_contract() {
    for group in recorded::groups() {
        for case in &group.cases {
            let Some(outcome) = read(group.group, case) else {
                continue;
            };
            let place = format!("[{}] {}", group.group, case.name);
            let (text, structured) = parts(&outcome);
            assert!(structured.is_object(), "{place}");
            assert!(!holds_null(&structured), "{place}: {structured:#}");
            assert!(
                !text.contains('\u{1b}') || case.stdout.contains('\u{1b}'),
                "{place}"
            );
            if outcome.is_error {
                check_envelope(&place, &structured);
            } else {
                assert_ne!(structured["success"], false, "{place}");
                assert!(structured.get("errors").is_none(), "{place}");
            }
        }
    }
}

fn holds_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(holds_null),
        Value::Object(members) => members.values().any(holds_null),
        _ => false,
    }
}

/// The error envelope's required members, and the rules for its codes.
pub fn check_envelope(place: &str, envelope: &Value) {
    const CATEGORIES: [&str; 9] = [
        "Validation",
        "Compilation",
        "Build",
        "Package",
        "Runtime",
        "Capability",
        "Concurrency",
        "Cancellation",
        "Unknown",
    ];
    assert_eq!(envelope["success"], false, "{place}");
    let exit = envelope["exitCode"]
        .as_i64()
        .unwrap_or_else(|| panic!("{place}: no exitCode"));
    assert_ne!(exit, 0, "{place}");
    let errors = envelope["errors"].as_array().unwrap();
    assert!(!errors.is_empty(), "{place}");
    for error in errors {
        let text = |name: &str| {
            error[name]
                .as_str()
                .unwrap_or_else(|| panic!("{place}: no {name}: {error:#}"))
        };
        assert!(
            !text("code").is_empty() && !text("message").is_empty(),
            "{place}: {error:#}"
        );
        assert!(CATEGORIES.contains(&text("category")), "{place}: {error:#}");
        text("rawOutput");
        if let Some(data) = error.get("data") {
            assert!(
                data["stderr"].as_str().unwrap_or_default().chars().count() <= 1000,
                "{place}"
            );
            let additional = data.get("additionalData").and_then(Value::as_object);
            assert!(
                additional
                    .into_iter()
                    .flatten()
                    .all(|(_, value)| value.is_string()),
                "{place}"
            );
        }
        if let Some(status) = text("code").strip_prefix("EXIT_") {
            assert_eq!(text("category"), "Unknown", "{place}");
            assert_eq!(error["mcpErrorCode"], -32603, "{place}");
            assert_eq!(status, exit.to_string(), "{place}");
        }
    }
}
