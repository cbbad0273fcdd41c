//! Plans, compared as the plain data that they are.

use std::time::Duration;

use serde_json::json;

use super::*;
use crate::tool::{Condition, Effect, Encoding, TestRunner, Word};

fn action(name: &str, words: Vec<Word>) -> Action {
    Action {
        name: name.to_owned(),
        effect: Effect::Writes,
        confirm: Condition::Never,
        requires: Vec::new(),
        rules: Vec::new(),
        takes: Vec::new(),
        secret: vec!["secret".to_owned()],
        lock: None,
        timeout: Duration::from_secs(1),
        work: Work::Runs(vec![RunTemplate {
            runner: None,
            optional: false,
            neutral: false,
            background: Condition::Given("background".to_owned()),
            words,
            input: None,
        }]),
        result: "minimal".to_owned(),
    }
}

fn planned(action: Action, arguments: Value) -> Result<CommandPlan, CommandFault> {
    let target = CommandTarget {
        operation: "POST /x".to_owned(),
        program: "dotnet".to_owned(),
        selector: None,
        directory: Some("directory".to_owned()),
        security: Vec::new(),
        decisive: Vec::new(),
        actions: vec![action],
    };
    match arguments {
        Value::Object(arguments) => bind(&target, &arguments),
        other => panic!("expected an object, found {other}"),
    }
}

fn words_of(words: Vec<Word>, arguments: Value) -> Result<Vec<PlannedWord>, CommandFault> {
    match planned(action("A", words), arguments)?.work {
        PlannedWork::Runs(mut runs) => Ok(runs.remove(0).words),
        PlannedWork::BuiltIn { .. } => panic!("a command line was expected"),
    }
}

fn value(argument: &str, encoding: Encoding) -> Word {
    Word::Value {
        argument: argument.to_owned(),
        encoding,
        option: None,
        prefix: None,
        separators: None,
    }
}

fn text(text: &str) -> PlannedWord {
    PlannedWord::Text(text.to_owned())
}

#[test]
fn joined_words_are_one() {
    let at = |parts: Vec<Word>, arguments| words_of(vec![Word::Joined(parts)], arguments).unwrap();
    let literal = |text: &str| Word::Literal(text.to_owned());
    let named = || {
        vec![
            value("id", Encoding::Plain),
            literal("@"),
            value("version", Encoding::Plain),
        ]
    };
    assert_eq!(
        at(named(), json!({"id": "X", "version": "1.0"})),
        [text("X@1.0")]
    );
    assert_eq!(at(named(), json!({"version": "1.0"})), []);
    let path = vec![
        literal("out="),
        value("dir", Encoding::Path),
        literal("/"),
        value("id", Encoding::Plain),
    ];
    assert_eq!(
        at(path, json!({"dir": "a b", "id": "X"})),
        [PlannedWord::Path {
            argument: "dir".to_owned(),
            prefix: "out=".to_owned(),
            path: "a b/X".to_owned(),
            escaped: false,
        }]
    );
    let secret = vec![literal("k="), value("secret", Encoding::Plain)];
    let masked = PlannedWord::Secret("k=s3cret".to_owned());
    assert_eq!(at(secret, json!({"secret": "s3cret"})), [masked]);
}

#[test]
fn values_are_cut_and_typed() {
    let list = Word::Value {
        argument: "ids".to_owned(),
        encoding: Encoding::Plain,
        option: Some("-d".to_owned()),
        prefix: Some("=".to_owned()),
        separators: Some(", ".to_owned()),
    };
    let found = words_of(vec![list], json!({"ids": "a,b  c, "})).unwrap();
    assert_eq!(found, ["-d", "=a", "-d", "=b", "-d", "=c"].map(text));
    let plain = |arguments| words_of(vec![value("v", Encoding::Plain)], arguments);
    assert_eq!(
        plain(json!({"v": 12345678901234567890_u64})).unwrap(),
        [text("12345678901234567890")]
    );
    assert_eq!(plain(json!({"v": false})).unwrap(), [text("false")]);
    for nothing in [
        json!({}),
        json!({"v": null}),
        json!({"v": " "}),
        json!({"v": []}),
    ] {
        assert_eq!(plain(nothing).unwrap(), []);
    }
    let fault = plain(json!({"v": {"a": 1}})).unwrap_err();
    assert!(matches!(fault, CommandFault::Argument(fault) if fault.parameter == "v"));
    let either = |text: &str| words_of(vec![value("v", Encoding::NameOrPath)], json!({"v": text}));
    let named = |name: &str, word: &str| PlannedWord::Named {
        argument: "v".to_owned(),
        name: name.to_owned(),
        word: word.to_owned(),
    };
    assert_eq!(
        either("Some.Package").unwrap(),
        [named("Some.Package", "Some.Package")]
    );
    for path in ["./x", "a/b", "a\\b", "x.nupkg"] {
        let found = either(path).unwrap();
        assert!(matches!(found[..], [PlannedWord::Path { .. }]), "{found:?}");
    }
    let source = |encoding, text: &str| words_of(vec![value("v", encoding)], json!({"v": text}));
    for encoding in [Encoding::Source, Encoding::PropertySource] {
        let escaped = encoding == Encoding::PropertySource;
        let word = if escaped { "a%2Cb" } else { "a,b" };
        assert_eq!(source(encoding, "a,b").unwrap(), [named("a,b", word)]);
        let address = "HTTPS://feed.test/v3/index.json";
        assert_eq!(source(encoding, address).unwrap(), [text(address)]);
        for path in ["../feed", "/tmp/x", "http://x/v3", "a\\b"] {
            let found = source(encoding, path).unwrap();
            let [PlannedWord::Path { escaped: found, .. }] = found[..] else {
                panic!("{found:?}");
            };
            assert_eq!(found, escaped);
        }
    }
}

#[test]
fn a_folder_of_a_project_starts_at_the_project() {
    let template = || vec![value("out", Encoding::ProjectPath)];
    for (project, out, expected) in [
        (None, "Data", "Data"),
        (Some("App.csproj"), "Data", "Data"),
        (Some("src/App/App.csproj"), "Data", "src/App/Data"),
        (Some("src\\App\\App.csproj"), "Data", "src\\App/Data"),
        (Some("src/App/"), "Data", "src/App/Data"),
        (Some("src/App/App.csproj"), "/root/Data", "/root/Data"),
        (Some("/App.csproj"), "../Data", "/../Data"),
    ] {
        let found = words_of(template(), json!({"out": out, "project": project})).unwrap();
        let [PlannedWord::Path { path, .. }] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(path, expected);
    }
}

#[test]
fn a_program_s_own_arguments_are_split_as_people_quote_them() {
    let split = vec![Word::Split {
        argument: "v".to_owned(),
        verbatim: true,
    }];
    let found = words_of(split, json!({"v": r#"a "b c" --d="e f" \"g "" \\ 'h"#})).unwrap();
    assert_eq!(
        found,
        ["a", "b c", "--d=e f", "\"g", "", "\\", "'h"].map(text)
    );
}

#[test]
fn the_rest_of_a_plan() {
    let mut build = action("Build", vec![]);
    build.lock = Some(LockRule {
        operation: "build".to_owned(),
        target: vec!["project".to_owned(), "projects".to_owned()],
        global: Condition::Given("global".to_owned()),
    });
    build.requires = vec![vec!["a".to_owned(), "b".to_owned()]];
    let arguments = json!({"b": 0, "projects": ["", "x.csproj"], "directory": "src", "secret": "s3cret", "background": true});
    let plan = planned(build.clone(), arguments).unwrap();
    let located = |argument: &str, path: &str| {
        Some(Located {
            argument: argument.to_owned(),
            path: path.to_owned(),
        })
    };
    let lock = plan.lock.unwrap();
    assert_eq!(
        (lock.target, lock.global),
        (located("projects", "x.csproj"), false)
    );
    assert_eq!(plan.directory, located("directory", "src"));
    assert_eq!(plan.secrets, ["s3cret"]);
    assert!(matches!(plan.work, PlannedWork::Runs(runs) if runs[0].background));
    let fault = planned(build, json!({"a": "", "b": []})).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "One of the parameters 'a', 'b' is required"
    );
}

#[test]
fn standard_input_is_a_json_object() {
    let mut set = action("Set", vec![]);
    if let Work::Runs(runs) = &mut set.work {
        runs[0].input = Some(Input {
            key: "key".to_owned(),
            value: "secret".to_owned(),
        });
    }
    let plan = planned(set, json!({"key": "A:\"B\"", "secret": "-x\n@y"})).unwrap();
    let PlannedWork::Runs(runs) = plan.work else {
        panic!("a command line was expected");
    };
    assert_eq!(runs[0].input.as_deref(), Some(r#"{"A:\"B\"":"-x\n@y"}"#));
}

#[test]
fn the_test_runner_is_asked_for() {
    let mut test = action("Test", vec![]);
    let asked = |test: &Action, arguments| planned(test.clone(), arguments).unwrap().asked;
    assert_eq!(asked(&test, json!({"testRunner": "VSTest"})), None);
    if let Work::Runs(runs) = &mut test.work {
        runs[0].runner = Some(TestRunner::VsTest);
    }
    let by_name = |runner| Some((runner, "testRunner-parameter"));
    for (arguments, expected) in [
        (json!({}), None),
        (json!({"testRunner": "Auto"}), None),
        (json!({"testRunner": "vstest"}), by_name(TestRunner::VsTest)),
        (
            json!({"testRunner": "MicrosoftTestingPlatform"}),
            by_name(TestRunner::Platform),
        ),
        (
            json!({"testRunner": "MicrosoftTestingPlatform", "useLegacyProjectArgument": true}),
            Some((TestRunner::VsTest, "useLegacyProjectArgument-parameter")),
        ),
    ] {
        assert_eq!(asked(&test, arguments), expected);
    }
}
