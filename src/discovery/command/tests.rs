//! What is read of command data, and what is refused with its place.

use serde_json::json;

use super::*;
use crate::tool::{Encoding, Word};

#[expect(
    clippy::needless_pass_by_value,
    reason = "the cases are written in place"
)]
fn parsed(actions: Value) -> Result<CommandTarget, String> {
    let data = json!({"program": "dotnet", "selector": "action", "actions": actions});
    parse("POST /x", &data).map_err(|fault| format!("{}: {}", fault.pointer, fault.message))
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the cases are written in place"
)]
fn words(words: Value) -> Result<Vec<Word>, String> {
    let target = parsed(json!({"A": {"run": [{"words": words}]}}))?;
    match &target.actions[0].work {
        Work::Runs(runs) => Ok(runs[0].words.clone()),
        Work::BuiltIn(name) => Err(name.clone()),
    }
}

#[test]
fn defaults_are_careful() {
    let target = parsed(json!({
        "Build": {"run": [{"words": ["build"]}]},
        "Clean": {"effect": "destroy", "builtin": "clean"},
        "Drop": {"effect": "destroy", "confirm": {"not": {"given": "dryRun"}}, "timeout": "90s", "builtin": "x",
            "lock": {"operation": "drop", "target": ["project"], "global": {"is": {"scope": "machine"}}},
            "requires": ["a", ["b", "c"]], "rules": {"a": "one", "b": ["two", "three"]}},
    }))
    .unwrap();
    let [build, clean, drop] = &target.actions[..] else {
        panic!("{target:?}");
    };
    assert_eq!(
        (build.effect, &build.confirm),
        (Effect::Writes, &Condition::Never)
    );
    assert_eq!((build.timeout, build.result.as_str()), (TIMEOUT, "minimal"));
    assert_eq!(clean.confirm, Condition::Always);
    assert_eq!(clean.work, Work::BuiltIn("clean".to_owned()));
    assert_eq!(
        drop.confirm,
        Condition::Not(Box::new(Condition::Given("dryRun".to_owned())))
    );
    assert_eq!(drop.timeout, Duration::from_secs(90));
    assert_eq!(
        drop.requires,
        [vec!["a".to_owned()], vec!["b".to_owned(), "c".to_owned()]]
    );
    let rules: Vec<&str> = drop.rules.iter().map(|(_, rule)| rule.as_str()).collect();
    assert_eq!(rules, ["one", "two", "three"]);
    let global = Condition::Is("scope".to_owned(), vec!["machine".to_owned()]);
    assert_eq!(drop.lock.as_ref().map(|lock| &lock.global), Some(&global));
}

#[test]
fn words_have_their_forms() {
    let found = words(json!([
        "build",
        {"value": "p", "as": "path", "option": "-o"},
        {"flag": "--x", "when": "x"},
        {"when": {"any": [{"given": "a"}, "b"]}, "then": ["one"], "else": ["two"]},
        {"split": "more"},
        {"option": "--dir", "scratch": true},
        {"join": [{"value": "a"}, "@", {"value": "b"}]},
        "--",
        {"split": "rest", "as": "verbatim"},
    ]))
    .unwrap();
    assert_eq!(found.len(), 9);
    let Word::Value {
        encoding, option, ..
    } = &found[1]
    else {
        panic!("{found:?}");
    };
    assert_eq!((*encoding, option.as_deref()), (Encoding::Path, Some("-o")));
    assert!(matches!(&found[8], Word::Split { verbatim: true, .. }));
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn faults_have_a_place() {
    for (data, expected) in [
        (
            json!({"A": {"run": [{"words": ["x"]}], "rn": 1}}),
            "/actions/A: unknown field `rn`",
        ),
        (
            json!({"A": {"run": []}}),
            "/actions/A: expected either `run`",
        ),
        (
            json!({"A": {"builtin": "x", "run": [{"words": []}]}}),
            "/actions/A: expected either `run`",
        ),
        (
            json!({"A": {"builtin": "x", "effect": "kill"}}),
            "/actions/A/effect: expected read",
        ),
        (
            json!({"A": {"builtin": "x", "timeout": "2d"}}),
            "/actions/A/timeout: expected a time",
        ),
        (
            json!({"A": {"builtin": "x", "timeout": "0s"}}),
            "/actions/A/timeout",
        ),
        (
            json!({"A": {"builtin": "x", "confirm": {"given": 1}}}),
            "/actions/A/confirm",
        ),
        (
            json!({"A": {"builtin": "x", "lock": {"target": []}}}),
            "/actions/A/lock: missing field `operation`",
        ),
        (
            json!({"a/b": {"run": [{"words": ["x", 7]}]}}),
            "/actions/a~1b/run/0/words/1: invalid type",
        ),
        (
            json!({"A": {"run": [{"words": [{"value": "v", "as": "raw"}]}]}}),
            "/actions/A/run/0/words/0/as",
        ),
        (
            json!({"A": {"run": [{"words": [{"value": "v", "split": "x"}]}]}}),
            "/actions/A/run/0/words/0: expected a text",
        ),
        (
            json!({"A": {"run": [{"words": [{"value": "v", "as": "verbatim"}]}]}}),
            "does not stand behind `--`",
        ),
        (
            json!({"A": {"run": [{"words": [{"when": "x", "then": ["--"]}, {"split": "v", "as": "verbatim"}]}]}}),
            "does not stand behind",
        ),
        (
            json!({"A": {"run": [{"runner": "nunit", "words": []}]}}),
            "/actions/A/run/0/runner",
        ),
        (
            json!({"A": {"run": [{"neutral": true, "background": "x", "words": []}]}}),
            "/actions/A/run/0/neutral: the empty folder",
        ),
        (json!({}), "/actions: expected at least one"),
    ] {
        let fault = parsed(data.clone()).unwrap_err();
        assert!(fault.contains(expected), "{data}: {fault}");
    }
}

#[test]
fn depth_is_bounded() {
    let mut deep = json!("x");
    for _ in 0..40 {
        deep = json!({"when": "a", "then": [deep]});
    }
    assert!(words(json!([deep])).unwrap_err().contains("too deeply"));
    let mut deep = json!("x");
    for _ in 0..40 {
        deep = json!({ "not": deep });
    }
    let fault = words(json!([{"flag": "-x", "when": deep}])).unwrap_err();
    assert!(fault.contains("too deeply"), "{fault}");
}

/// What a bridge with this program knows.
fn allowed(program: &str) -> Commands {
    Commands::Allowed(Allowed {
        programs: vec![program.to_owned()],
        is_rule: crate::binding::command::rules::known,
        is_part: crate::handler::command::known_part,
    })
}

#[test]
fn names_that_nobody_knows_cost_the_operation() {
    let Commands::Allowed(allowed) = allowed("dotnet") else {
        panic!("allowed");
    };
    let run = json!([{"words": ["build"]}]);
    for (action, expected) in [
        (json!({"rules": {"x": "configuration"}, "run": run}), None),
        (json!({"builtin": "metrics"}), None),
        (
            json!({"rules": {"a/b": "colour"}, "run": run}),
            Some(("/actions/A/rules/a~1b", "there is no rule `colour`")),
        ),
        (
            json!({"builtin": "self-destruct"}),
            Some((
                "/actions/A/builtin",
                "there is no built-in part `self-destruct`",
            )),
        ),
    ] {
        let target = parsed(json!({"A": action})).unwrap();
        let found = known_names(target, &allowed).err();
        let found = found.map(|fault| (fault.pointer, fault.message));
        assert_eq!(
            found,
            expected.map(|(pointer, message)| (pointer.to_owned(), message.to_owned()))
        );
    }
}

#[test]
fn the_shipped_document_is_understood() {
    let settings = crate::openapi::Settings::default();
    let document =
        crate::openapi::parse(DOTNET_DOCUMENT.as_bytes(), "dotnet.yaml", None, &settings).unwrap();
    let allowed = allowed("dotnet");
    let (mut tools, mut actions) = (0, 0);
    for operation in &document.operations {
        let found = target(operation, &allowed).unwrap().unwrap();
        tools += 1;
        actions += found.actions.len();
        assert!(target(operation, &Commands::default()).is_err());
        let make = self::allowed("make");
        assert!(target(operation, &make).unwrap_err().contains("`dotnet`"));
    }
    assert_eq!((tools, actions), (12, 91));
}
