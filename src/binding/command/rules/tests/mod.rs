//! Every rule, with values that pass and values that do not.

mod cases;

use serde_json::{Value, json};

use super::{RULES, check, known};
use cases::TABLE;

#[test]
fn legitimate_values_pass_and_injections_are_refused() {
    for (rule, good, bad) in TABLE {
        for value in *good {
            assert_eq!(check(rule, "x", &json!(value)), Ok(()), "{rule}: {value:?}");
        }
        for value in *bad {
            let fault = check(rule, "x", &json!(value)).expect_err(&format!("{rule}: {value:?}"));
            assert!(
                fault.message.starts_with("Parameter 'x' "),
                "{}",
                fault.message
            );
            assert!(
                !value.contains(' ') || !fault.message.contains(value),
                "{}",
                fault.message
            );
        }
    }
}

#[test]
fn every_rule_is_in_the_table() {
    for (rule, _) in RULES {
        assert!(
            TABLE.iter().any(|(tested, ..)| tested == rule) || *rule == "migration",
            "{rule}"
        );
        assert!(known(rule));
    }
    assert!(!known("nothing"));
    assert!(check("nothing", "x", &json!("a")).is_err());
}

#[test]
fn absent_and_blank_values_pass_but_blank_entries_do_not() {
    for value in [
        Value::Null,
        json!(""),
        json!("  "),
        json!(5),
        json!(true),
        json!([]),
        json!(["a-b"]),
    ] {
        assert_eq!(
            check("workload-id", "workloadIds", &value),
            Ok(()),
            "{value}"
        );
    }
    for value in [
        json!(["a", ""]),
        json!(["a", 5]),
        json!(["a", null]),
        json!(["a", "b c"]),
    ] {
        assert!(
            check("workload-id", "workloadIds", &value).is_err(),
            "{value}"
        );
    }
}

#[test]
fn faults_speak_as_the_contract_does() {
    let choice = check("certificate-format", "format", &json!("der")).expect_err("refused");
    assert_eq!(choice.message, "Parameter 'format' must be 'pfx' or 'pem'");
    assert_eq!(
        (choice.reason, choice.allowed),
        ("invalid value", vec!["pfx", "pem"])
    );
    let characters =
        check("additional-options", "additionalOptions", &json!("a;b")).expect_err("refused");
    assert_eq!(
        characters.message,
        "Parameter 'additionalOptions' contains invalid characters"
    );
    assert_eq!(characters.reason, "invalid characters");
}
