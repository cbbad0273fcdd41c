//! Recorded runs through the whole bridge: a program that answers only recorded command lines stands in for `dotnet`, and
//! what the tools say has to be what the recordings come to.
#![cfg(unix)]

use serde_json::{Map, Value, json};

use crate::dotnet_results::{check_envelope, parts, read};
use crate::support::recorded::{self, Case};
use crate::support::replay::Replay;
use crate::support::replayed_calls::calls;
use crate::support::{Bridge, text, tool};

#[tokio::test(flavor = "multi_thread")]
async fn recorded_runs_through_the_bridge() {
    let mut faults = Vec::new();
    for (group, paths, calls) in calls() {
        let replay = Replay::new(group);
        for path in paths {
            replay.prepare(path);
        }
        let bridge = replay.bridge();
        let schemas = schemas(&bridge).await;
        for (name, arguments) in calls {
            let result = bridge.call(name, arguments.clone()).await;
            let place = format!("[{group}] {name} {arguments}");
            let structured = &result["structuredContent"];
            let schema = jsonschema::validator_for(&schemas[name]).unwrap();
            faults.extend(
                schema
                    .iter_errors(structured)
                    .map(|error| format!("{place}: {error}: {structured:#}")),
            );
            let unrecorded = replay.unrecorded();
            if !unrecorded.is_empty() {
                faults.push(format!("{place}: nobody recorded {unrecorded}"));
                continue;
            }
            let Some(case) = replay.last() else {
                faults.push(format!("{place}: nothing ran: {result:#}"));
                continue;
            };
            if let Err(fault) = compare(&replay, group, &case, &result) {
                faults.push(format!("{place}: {fault}"));
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// The output schema of each tool.
async fn schemas(bridge: &Bridge) -> Map<String, Value> {
    let tools = bridge.tools().await;
    let names = [
        "dotnet_project",
        "dotnet_package",
        "dotnet_solution",
        "dotnet_ef",
        "dotnet_workload",
        "dotnet_tool",
        "dotnet_sdk",
        "dotnet_dev_certs",
        "dotnet_help",
    ];
    names
        .iter()
        .map(|name| {
            (
                (*name).to_owned(),
                tool(&tools, name)["outputSchema"].clone(),
            )
        })
        .collect()
}

/// The answer against the golden of the case.
fn compare(replay: &Replay, group: u32, case: &Case, result: &Value) -> Result<(), String> {
    let golden =
        std::fs::read_to_string(recorded::fixture(&format!("results/{group:02}.json"))).unwrap();
    let golden: Map<String, Value> = serde_json::from_str(&golden).unwrap();
    let key = format!("{}: {}", case.name, case.argv.join(" "));
    let golden = golden
        .get(&key)
        .ok_or_else(|| format!("no golden for {key}"))?;
    if golden["isError"] != result["isError"] {
        return Err(format!(
            "isError is {}: {:#}",
            result["isError"], result["structuredContent"]
        ));
    }
    if result["isError"] == true {
        check_envelope(&key, &result["structuredContent"]);
    }
    let structured = result["structuredContent"].to_string();
    let structured =
        structured.replace(&replay.root().display().to_string(), &replay.placeholder());
    let found = essence(&serde_json::from_str(&structured).unwrap());
    let expected = essence(&golden["structured"]);
    if found != expected {
        return Err(format!("found {found:#}\nexpected {expected:#}"));
    }
    if text(result).is_empty() {
        return Err("no text".to_owned());
    }
    Ok(())
}

/// Without what depends on the command line as it was written and on the clock.
fn essence(value: &Value) -> Value {
    const LEFT_OUT: [&str; 12] = [
        "data",
        "lockInfo",
        "metadata",
        "durationMs",
        "project",
        "configuration",
        "command",
        "rawOutput",
        "output",
        "path",
        "runtime",
        "firstFailures",
    ];
    match value {
        Value::Object(members) => members
            .iter()
            .filter(|(name, _)| !LEFT_OUT.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), essence(value)))
            .collect::<Map<String, Value>>()
            .into(),
        Value::Array(items) => items.iter().take(5).map(essence).collect(),
        Value::String(text) => text.chars().take(200).collect::<String>().into(),
        other => other.clone(),
    }
}

/// A command line that nobody recorded is a failure that says so.
#[tokio::test]
async fn unrecorded_command_lines_are_refused() {
    let replay = Replay::new(21);
    replay.prepare("good");
    let bridge = replay.bridge();
    let result = bridge
        .call(
            "dotnet_project",
            json!({"action": "Build", "project": "good"}),
        )
        .await;
    assert_eq!(result["isError"], true, "{result:#}");
    assert_eq!(result["structuredContent"]["exitCode"], 97);
    assert!(
        text(&result).contains("nobody recorded"),
        "{}",
        text(&result)
    );
    assert!(
        replay.unrecorded().contains("build"),
        "{}",
        replay.unrecorded()
    );
}

/// What every recorded run comes to, whether the bridge would run it or not, fits the schema that its tool publishes.
#[tokio::test]
async fn every_recorded_answer_fits_its_output_schema() {
    let schemas = schemas(&Replay::new(1).bridge()).await;
    let compiled: Map<String, Value> = schemas;
    let mut faults = Vec::new();
    for group in recorded::groups() {
        for case in &group.cases {
            let (Some(outcome), Some((tool, _, _))) = (read(group.group, case), case.action())
            else {
                continue;
            };
            let (_, structured) = parts(&outcome);
            let schema = jsonschema::validator_for(&compiled[tool]).unwrap();
            let errors = schema.iter_errors(&structured);
            faults.extend(errors.map(|error| format!("[{}] {}: {error}", group.group, case.name)));
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
