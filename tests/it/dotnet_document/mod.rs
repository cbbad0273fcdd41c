//! The shipped document of the .NET command line: every action becomes a command line that was recorded, its data
//! fits its own schema, and its answers fit what it says of them.

mod hostile;
mod proof;
mod schema;
mod takes;

use std::collections::{BTreeMap, BTreeSet};

use mcpinvoke::binding::command::{PlannedRun, PlannedWord, PlannedWork, bind, rules};
use mcpinvoke::discovery::{self, Allowed, Commands, DOTNET_DOCUMENT, Discovery, Source};
use mcpinvoke::handler::command::known_part;
use mcpinvoke::openapi;
use mcpinvoke::tool::{CommandTarget, Effect, Target, Tool, Work};
use serde_json::{Map, Value, json};

use proof::Said;

/// Arguments of an action and what becomes of them.
type Example = (String, String, Map<String, Value>, Value);

#[test]
fn every_action_becomes_its_command_line() {
    let discovery = discovered(DOTNET_DOCUMENT);
    let examples = examples();
    let mut tried = BTreeSet::new();
    for (tool, action, arguments, expected) in &examples {
        let target = target(&discovery, tool);
        let mut arguments = arguments.clone();
        if let Some(selector) = &target.selector {
            arguments.insert(selector.clone(), action.clone().into());
        }
        let plan =
            bind(target, &arguments).unwrap_or_else(|fault| panic!("{tool} {action}: {fault:?}"));
        tried.insert((tool.clone(), plan.action.clone()));
        match plan.work {
            PlannedWork::BuiltIn { name, .. } => {
                assert_eq!(expected["builtin"], json!(name), "{tool} {action}")
            }
            PlannedWork::Runs(runs) => {
                let lines: Vec<Vec<String>> = runs.iter().map(line).collect();
                assert_eq!(lines, expected_lines(expected), "{tool} {action}");
            }
        }
    }
    for tool in &discovery.tools {
        for action in &command(tool).actions {
            let key = (tool.name.as_str().to_owned(), action.name.clone());
            assert!(tried.contains(&key), "no example of {key:?}");
        }
    }
}

#[test]
fn a_plain_command_line_is_added_by_the_document_alone() {
    let text = DOTNET_DOCUMENT.replace(
        "    enum: [List, Info, Search, Install, Update, Uninstall]",
        "    enum: [List, Info, Search, Install, Update, Uninstall, History]",
    );
    let history = "        actions:\n          History:\n            effect: read\n            run:\n              - words: [workload, history]\n          List:\n            effect: read\n            timeout: 2m\n            result: workloads\n";
    let text = text.replace("        actions:\n          List:\n            effect: read\n            timeout: 2m\n            result: workloads\n", history);
    let discovery = discovered(&text);
    let plan = bind(
        target(&discovery, "dotnet_workload"),
        &arguments(json!({"action": "History"})),
    )
    .expect("bound");
    let PlannedWork::Runs(runs) = plan.work else {
        panic!("it runs a program");
    };
    assert_eq!(
        runs.iter().map(line).collect::<Vec<_>>(),
        [["workload", "history"]]
    );
}

#[test]
fn rules_parts_and_arguments_that_actions_name_exist() {
    let discovery = discovered(DOTNET_DOCUMENT);
    let mut actions = 0;
    for tool in &discovery.tools {
        let schema = tool.input_schema.parse();
        let properties = schema["properties"].as_object().expect("properties");
        let known = |name: &String| {
            assert!(
                properties.contains_key(name),
                "{}: {name}",
                tool.name.as_str()
            )
        };
        for action in &command(tool).actions {
            actions += 1;
            action.requires.iter().flatten().for_each(known);
            action.secret.iter().for_each(known);
            action
                .lock
                .iter()
                .flat_map(|lock| &lock.target)
                .for_each(known);
            for (argument, rule) in &action.rules {
                known(argument);
                assert!(rules::known(rule), "{rule}");
            }
            match &action.work {
                Work::BuiltIn(part) => assert!(known_part(part), "{part}"),
                Work::Runs(templates) => {
                    let mut said = Said::default();
                    templates
                        .iter()
                        .for_each(|template| said.read(&template.words));
                    said.arguments.iter().for_each(known);
                }
            }
        }
    }
    assert_eq!((discovery.tools.len(), actions), (12, 91));
}

#[test]
fn what_changes_something_is_locked_and_what_destroys_asks() {
    let discovery = discovered(DOTNET_DOCUMENT);
    let unlocked = ["Stop", "ClearTemplateCache", "TokenSavingsReset", "Reset"];
    let mut destructive = Vec::new();
    for action in discovery
        .tools
        .iter()
        .flat_map(|tool| &command(tool).actions)
    {
        let reads = action.effect == Effect::Reads;
        let locked = action.lock.is_some();
        assert_eq!(
            locked,
            !reads && !unlocked.contains(&action.name.as_str()),
            "{}",
            action.name
        );
        if action.effect == Effect::Destroys {
            destructive.push(action.name.as_str());
        }
    }
    assert_eq!(
        destructive,
        [
            "Clean",
            "Remove",
            "ClearCache",
            "Remove",
            "MigrationsRemove",
            "DatabaseUpdate",
            "DatabaseDrop",
            "Uninstall",
            "Uninstall",
            "UninstallTemplatePack",
            "CertificateClean",
            "SecretsRemove",
            "SecretsClear"
        ]
    );
}

#[test]
fn recorded_results_fit_the_output_schemas() {
    let discovery = discovered(DOTNET_DOCUMENT);
    let mut by_shape: BTreeMap<&str, Vec<jsonschema::Validator>> = BTreeMap::new();
    for tool in &discovery.tools {
        let schema = tool.output_schema.as_ref().expect("an output schema");
        let schema = schema.parse();
        for action in &command(tool).actions {
            let validator = jsonschema::validator_for(&schema).expect("a schema");
            by_shape.entry(&action.result).or_default().push(validator);
        }
    }
    let mut checked = 0;
    for (file, results) in fixtures("dotnet/results") {
        for (name, result) in results.as_object().into_iter().flatten() {
            let shape = result["shape"].as_str().unwrap_or_default();
            let structured = &uncut(&result["structured"]);
            for validator in by_shape.get(shape).into_iter().flatten() {
                checked += 1;
                let faults: Vec<String> = validator
                    .iter_errors(structured)
                    .map(|fault| format!("{}: {fault}", fault.instance_path()))
                    .collect();
                assert!(faults.is_empty(), "{file}, {name}: {faults:?}");
            }
        }
    }
    assert!(checked > 300, "{checked}");
}

/// Without the marks that stand where the fixtures cut a list.
fn uncut(value: &Value) -> Value {
    match value {
        Value::Array(items) => {
            let mark = |item: &&Value| item.as_str().is_some_and(|text| text.starts_with("[..."));
            items.iter().filter(|item| !mark(item)).map(uncut).collect()
        }
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| (name.clone(), uncut(value));
            Value::Object(members.iter().map(member).collect())
        }
        other => other.clone(),
    }
}

/// What lies in the working directory must not decide what asking for help does.
#[test]
fn help_is_asked_for_in_an_empty_folder() {
    let discovery = discovered(DOTNET_DOCUMENT);
    let help = &target(&discovery, "dotnet_help").actions;
    let Work::Runs(runs) = &help[0].work else {
        panic!("it runs the program");
    };
    assert!(runs.iter().all(|run| run.neutral), "{runs:?}");
}

fn discovered(text: &str) -> Discovery {
    let document = openapi::parse(
        text.as_bytes(),
        "dotnet.yaml",
        None,
        &openapi::Settings::default(),
    )
    .expect("a document");
    let source = Source {
        document: &document,
        number: 0,
        prefix: None,
        base_url: None,
        commands: Commands::Allowed(Allowed {
            programs: vec!["dotnet".to_owned()],
            is_rule: rules::known,
            is_part: known_part,
        }),
        credentials: Default::default(),
    };
    discovery::discover(&[source], &discovery::Settings::default())
}

fn command(tool: &Tool) -> &CommandTarget {
    match &tool.target {
        Target::Command(target) => target,
        Target::Http(_) => panic!("{} runs no program", tool.name.as_str()),
    }
}

fn target<'d>(discovery: &'d Discovery, name: &str) -> &'d CommandTarget {
    let tool = discovery
        .tools
        .iter()
        .find(|tool| tool.name.as_str() == name);
    command(tool.unwrap_or_else(|| panic!("{name} is missing: {:?}", discovery.skipped)))
}

fn arguments(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(arguments) => arguments,
        other => panic!("no arguments: {other}"),
    }
}

fn examples() -> Vec<Example> {
    serde_yaml::from_str(&fixture("dotnet/argv.yaml")).expect("the examples")
}

/// A planned command line, paths as they were given.
fn line(run: &PlannedRun) -> Vec<String> {
    let word = |word: &PlannedWord| match word {
        PlannedWord::Text(text) | PlannedWord::Secret(text) => text.clone(),
        PlannedWord::Path { prefix, path, .. } => format!("{prefix}{path}"),
        PlannedWord::Named { word, .. } => word.clone(),
        PlannedWord::Scratch { file: None } => "SCRATCH".to_owned(),
        PlannedWord::Scratch { file: Some(name) } => format!("SCRATCH/{name}"),
    };
    run.words.iter().map(word).collect()
}

fn expected_lines(expected: &Value) -> Vec<Vec<String>> {
    let words = |line: &Value| match line {
        Value::String(text) => text.split(' ').map(str::to_owned).collect(),
        other => serde_json::from_value(other.clone()).expect("words"),
    };
    match expected {
        Value::Object(runners) => runners.values().map(words).collect(),
        line => vec![words(line)],
    }
}

fn fixture(name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    std::fs::read_to_string(folder.join(name)).expect("a fixture")
}

fn fixtures(folder: &str) -> Vec<(String, Value)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(folder);
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .expect("fixtures")
        .map(|entry| entry.expect("a file").path())
        .collect();
    names.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("a fixture");
        (
            path.display().to_string(),
            serde_json::from_str(&text).expect("JSON"),
        )
    };
    names.iter().map(read).collect()
}
