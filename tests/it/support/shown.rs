//! What the contract of the dotnet tools shows, compared with what the tools say.

use mcpinvoke::handler::command::{Captured, CommandReply, LockInfo, Ran};
use mcpinvoke::interpret::{CommandCall, Refusal, command_refused};
use mcpinvoke::tool::{CommandTarget, Outcome};
use serde_json::{Map, Value, json};

use crate::dotnet_results::{check_envelope, parts, target};

/// Members whose words are ours.
pub const WORDS: [&str; 4] = ["hint", "explanation", "suggestedFixes", "alternatives"];

pub fn ran(command: &str, exit: i32, stdout: &str) -> Ran {
    Ran {
        command: command.to_owned(),
        exit: Some(exit),
        stdout: Captured {
            text: stdout.to_owned(),
            dropped: 0,
        },
        ..Ran::default()
    }
}

pub fn reply(run: Ran) -> CommandReply {
    CommandReply {
        runs: vec![run],
        ..CommandReply::default()
    }
}

pub fn lock(scope: &'static str, key: &str) -> LockInfo {
    LockInfo {
        scope,
        key: key.to_owned(),
    }
}

pub fn refused(
    tool: &str,
    target: &CommandTarget,
    arguments: &Value,
    refusal: &Refusal,
) -> Outcome {
    let arguments: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
    let call = CommandCall {
        tool,
        target,
        action: target.actions.first(),
        arguments: &arguments,
        mask: &str::to_owned,
        mask_named: &|name, value| {
            mcpinvoke::policy::Redactor::default()
                .named(name, value)
                .into_owned()
        },
    };
    command_refused(&call, refusal)
}

/// The envelope of a refusal, as text (`machineReadable`) and as structured content: the same.
pub fn envelope_of(refusal: &Refusal) -> Value {
    let target = target("minimal");
    let outcome = refused(
        "dotnet_project",
        &target,
        &json!({"machineReadable": true}),
        refusal,
    );
    assert!(outcome.is_error);
    let (text, structured) = parts(&outcome);
    let envelope: Value = serde_json::from_str(&text).unwrap();
    for (name, value) in envelope.as_object().unwrap() {
        assert_eq!(&structured[name], value);
    }
    check_envelope("refusal", &structured);
    envelope
}

/// Every field of `shown` is there and as shown; `exact` forbids others.
pub fn assert_shown(place: &str, found: &Value, shown: &Value, exact: bool) {
    match (found, shown) {
        (Value::Object(found), Value::Object(shown)) => {
            for (name, value) in shown {
                let place = format!("{place}/{name}");
                let got = found
                    .get(name)
                    .unwrap_or_else(|| panic!("{place} is missing: {found:#?}"));
                if WORDS.contains(&name.as_str()) {
                    assert_eq!(got.is_array(), value.is_array(), "{place}");
                    assert!(
                        !got.to_string().trim_matches(['"', '[', ']']).is_empty(),
                        "{place}"
                    );
                } else {
                    assert_shown(&place, got, value, exact);
                }
            }
            if exact {
                let extra: Vec<&String> = found
                    .keys()
                    .filter(|name| !shown.contains_key(*name))
                    .collect();
                assert!(extra.is_empty(), "{place} has {extra:?} too");
            }
        }
        (Value::Array(found), Value::Array(shown)) => {
            assert_eq!(found.len(), shown.len(), "{place}");
            for (at, (found, shown)) in found.iter().zip(shown).enumerate() {
                assert_shown(&format!("{place}/{at}"), found, shown, exact);
            }
        }
        _ => assert_eq!(found, shown, "{place}"),
    }
}
