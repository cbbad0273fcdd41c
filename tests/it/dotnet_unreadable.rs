//! Output that is not as recorded: other lines around the answer, cut JSON, no answer at all. An answer is found among
//! them, or the call fails; nothing is made up.

use serde_json::{Value, json};

use crate::dotnet_results::{check_envelope, outcome, parts};
use crate::support::shown::{ran, reply};

/// What a success with this output says.
fn said(shape: &str, arguments: &Value, stdout: &str) -> Value {
    let outcome = outcome("tool", shape, arguments, &reply(ran("dotnet", 0, stdout)));
    let (_, structured) = parts(&outcome);
    assert!(!outcome.is_error, "{shape} {stdout:?}: {structured:#}");
    structured
}

/// This output fails, though the status is 0.
fn assert_unreadable(shape: &str, arguments: &Value, stdout: &str) {
    let outcome = outcome("tool", shape, arguments, &reply(ran("dotnet", 0, stdout)));
    let (_, structured) = parts(&outcome);
    assert!(outcome.is_error, "{shape} {stdout:?}: {structured:#}");
    check_envelope(shape, &structured);
    assert_eq!(structured["errors"][0]["code"], "OPERATION_FAILED");
}

#[test]
fn certificates_are_valid_and_trusted_only_where_that_was_said() {
    let none =
        "[{\"Thumbprint\": \"AB\", \"Subject\": \"CN=localhost\", \"TrustLevel\": \"None\"}]";
    let full = none.replace("None", "Full");
    for trust in [true, false] {
        let arguments = json!({"trust": trust});
        for stdout in [
            "",
            "warn: something\n",
            "[",
            "{}\n",
            "[1]\n",
            "A certificate\n",
        ] {
            assert_unreadable("certificates", &arguments, stdout);
        }
        for (stdout, valid, trusted) in [
            ("warn: something\n[]\n".to_owned(), false, false),
            (format!("{none}\nx"), true, false),
            (format!("warn: [x]\n{full}\nx\n"), true, true),
        ] {
            let found = said("certificates", &arguments, &stdout);
            assert_eq!(found["valid"], valid, "{stdout}");
            assert_eq!(found["trusted"], trusted, "{stdout}");
            let count = found["certificates"].as_array().map(Vec::len);
            assert_eq!(count, Some(usize::from(valid)), "{stdout}");
        }
    }
}
