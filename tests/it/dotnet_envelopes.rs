//! Every failure that the contract of the dotnet tools shows, field by field. Where the contract shows advice in words,
//! there has to be advice; every other field has to be as shown.

use std::io::{Error, ErrorKind};
use std::time::{Duration, SystemTime};

use mcpinvoke::handler::command::{Captured, CommandError, Ended, Ran};
use mcpinvoke::interpret::{ArgumentFault, CommandCall, Refusal};
use serde_json::{Map, Value, json};

use crate::dotnet_results::{check_envelope, outcome, parts, target};
use crate::support::shown::{assert_shown, envelope_of, lock, ran, refused, reply};

/// A failing command: shape, command line, exit code, what it wrote, and the first error as shown.
fn assert_failure(shape: &str, command: &str, stdout: &str, shown: &Value) -> Value {
    let outcome = outcome(
        "dotnet_project",
        shape,
        &json!({"machineReadable": true}),
        &reply(ran(command, 1, stdout)),
    );
    assert!(outcome.is_error);
    let (text, structured) = parts(&outcome);
    let envelope: Value = serde_json::from_str(&text).unwrap();
    check_envelope(shape, &structured);
    assert_eq!(envelope["exitCode"], 1);
    assert_shown(shape, &envelope["errors"][0], shown, false);
    assert_eq!(envelope["errors"], structured["errors"]);
    structured
}

#[test]
fn validation_failures() {
    let entry = |message: &str, parameter: &str, reason: &str| {
        json!({
            "success": false,
            "errors": [{
                "code": "INVALID_PARAMS", "message": message, "category": "Validation", "hint": "", "rawOutput": "",
                "mcpErrorCode": -32602,
                "data": {"exitCode": -1, "additionalData": {"parameter": parameter, "reason": reason}},
            }],
            "exitCode": -1,
        })
    };
    for (fault, shown) in [
        (
            ArgumentFault::required("packageName"),
            entry(
                "Parameter 'packageName' is required and cannot be empty",
                "packageName",
                "required",
            ),
        ),
        (
            ArgumentFault::invalid("format", "must be 'pfx' or 'pem'"),
            entry(
                "Parameter 'format' must be 'pfx' or 'pem'",
                "format",
                "invalid value",
            ),
        ),
        (
            ArgumentFault::characters("additionalOptions"),
            entry(
                "Parameter 'additionalOptions' contains invalid characters",
                "additionalOptions",
                "invalid characters",
            ),
        ),
    ] {
        assert_shown(
            "validation",
            &envelope_of(&Refusal::Arguments(vec![fault])),
            &shown,
            true,
        );
    }
}

#[test]
fn actions_that_are_not_there() {
    let mut target = target("build");
    target.actions = ["New", "Restore", "Build"]
        .into_iter()
        .map(|name| {
            let mut action = target.actions[0].clone();
            name.clone_into(&mut action.name);
            action
        })
        .collect();
    let refusal = Refusal::Action {
        provided: Some("build".to_owned()),
    };
    let (_, found) = parts(&refused("dotnet_project", &target, &json!({}), &refusal));
    let shown = json!({
        "success": false,
        "errors": [{
            "code": "INVALID_PARAMS", "message": "Invalid action 'build' is not supported. For tool 'dotnet_project'.",
            "category": "Validation", "rawOutput": "", "mcpErrorCode": -32602,
            "data": {"exitCode": -1, "additionalData": {
                "parameter": "action", "reason": "invalid value", "providedValue": "build", "validActions": "New, Restore, Build",
            }},
        }],
        "exitCode": -1,
    });
    assert_shown("action", &found, &shown, false);
    assert_eq!(
        found["errors"][0]["hint"],
        "Valid actions are: New, Restore, Build"
    );
    for (provided, meant) in [
        ("build", Some("'Build'")),
        ("RESTORE", Some("'Restore'")),
        ("bui_ld ", Some("'Build'")),
        ("Compile", None),
    ] {
        let refusal = Refusal::Action {
            provided: Some(provided.to_owned()),
        };
        let (_, found) = parts(&refused("dotnet_project", &target, &json!({}), &refusal));
        let fix = found["errors"][0]["suggestedFixes"][0].as_str();
        assert_eq!(
            fix.map(|fix| fix.contains(meant.unwrap_or("nothing"))),
            meant.map(|_| true),
            "{provided}: {fix:?}"
        );
    }
    for nothing in [None, Some(" ".to_owned())] {
        let refusal = Refusal::Action { provided: nothing };
        let (_, found) = parts(&refused("dotnet_project", &target, &json!({}), &refusal));
        assert_eq!(
            found["errors"][0]["message"],
            "Parameter 'action' is required and cannot be empty"
        );
        assert_eq!(
            found["errors"][0]["data"]["additionalData"]["reason"],
            "required"
        );
        assert_eq!(
            found["errors"][0]["data"]["additionalData"]["validActions"],
            "New, Restore, Build"
        );
    }
}

#[test]
fn capabilities_that_are_not_there() {
    for (feature, reason) in [
        (
            "telemetry reporting",
            "Not yet implemented - planned for future release",
        ),
        (
            "Windows authentication",
            "Requires Windows operating system",
        ),
    ] {
        let refusal = Refusal::Unavailable {
            feature: feature.to_owned(),
            reason: reason.to_owned(),
            alternatives: vec!["Use JWT authentication instead".to_owned()],
        };
        let shown = json!({
            "success": false,
            "errors": [{
                "code": "CAPABILITY_NOT_AVAILABLE", "message": format!("The '{feature}' capability is not available: {reason}"),
                "category": "Capability", "hint": "", "explanation": "", "alternatives": [], "rawOutput": "",
                "mcpErrorCode": -32603,
                "data": {"exitCode": -1, "additionalData": {"feature": feature, "reason": reason}},
            }],
            "exitCode": -1,
        });
        assert_shown(feature, &envelope_of(&refusal), &shown, true);
    }
    let details = "The system cannot find the file specified";
    let refusal = Refusal::Command(CommandError::NotStarted {
        program: "dotnet".to_owned(),
        command: "dotnet --version".to_owned(),
        source: Error::new(ErrorKind::NotFound, details),
    });
    let envelope = envelope_of(&refusal);
    let shown = json!({
        "success": false,
        "errors": [{
            "code": "CAPABILITY_NOT_AVAILABLE",
            "message": format!("Capability 'dotnet CLI' is not available in the current environment. Details: {details}"),
            "category": "Capability", "hint": "", "rawOutput": "", "mcpErrorCode": -32001,
            "data": {"command": "dotnet --version", "exitCode": -1, "stderr": details},
        }],
        "exitCode": -1,
    });
    assert_shown("missing", &envelope, &shown, false);
    assert_eq!(
        envelope["errors"][0]["alternatives"],
        json!([
            "Install the .NET SDK from https://dotnet.microsoft.com/download",
            "Verify 'dotnet' is on PATH (try: dotnet --info)",
            "If using global.json, ensure the requested SDK is installed",
        ])
    );
}

#[test]
fn cancelled_with_what_was_written() {
    let output = "Restoring packages for MyProject.csproj...\n[Output truncated]";
    let shown = |message: &str| {
        json!({
            "success": false,
            "errors": [{
                "code": "OPERATION_CANCELLED", "message": message, "category": "Cancellation", "hint": "",
                "rawOutput": output, "mcpErrorCode": -32603,
                "data": {"command": "dotnet restore MyProject.csproj", "exitCode": -1},
            }],
            "exitCode": -1,
        })
    };
    let refusal = Refusal::Cancelled {
        command: Some("dotnet restore MyProject.csproj".to_owned()),
        output: output.to_owned(),
        lock: None,
    };
    assert_shown(
        "cancelled",
        &envelope_of(&refusal),
        &shown("The operation was cancelled by the user"),
        true,
    );
    for (ended, message) in [
        (
            Ended::TimedOut,
            "The operation was cancelled: its time limit was reached",
        ),
        (
            Ended::Stopped,
            "The operation was cancelled: the server is shutting down",
        ),
    ] {
        // A build that is ended by SIGTERM exits with 0: why it ended decides.
        let run = Ran {
            ended,
            ..ran("dotnet restore MyProject.csproj", 0, output)
        };
        let outcome = outcome(
            "dotnet_project",
            "build",
            &json!({"machineReadable": true}),
            &reply(run),
        );
        assert!(outcome.is_error);
        let (text, _) = parts(&outcome);
        assert_shown(
            message,
            &serde_json::from_str(&text).unwrap(),
            &shown(message),
            true,
        );
    }
}

#[test]
fn commands_that_fail() {
    let raw = "/w/App.csproj : error NU1101: Unable to find package NonExistentPackage. No packages exist with this id in source(s): nuget.org";
    assert_failure(
        "package-add",
        "dotnet add package NonExistentPackage",
        &format!("{raw}\n"),
        &json!({
            "code": "NU1101",
            "message": "Unable to find package NonExistentPackage. No packages exist with this id in source(s): nuget.org",
            "category": "Package", "hint": "", "explanation": "",
            "documentationUrl": "https://learn.microsoft.com/en-us/nuget/reference/errors-and-warnings/nu1101",
            "suggestedFixes": [], "rawOutput": raw, "mcpErrorCode": -32002,
            "data": {"command": "dotnet add package NonExistentPackage", "exitCode": 1, "stderr": raw},
        }),
    );
    let raw = "Program.cs(5,9): error CS0103: The name 'Console' does not exist in the current context [/w/MyProject.csproj]";
    let build = assert_failure(
        "build",
        "dotnet build MyProject.csproj",
        &format!("{raw}\n    0 Warning(s)\n    1 Error(s)\n"),
        &json!({
            "code": "CS0103", "message": "The name 'Console' does not exist in the current context", "category": "Compilation",
            "hint": "", "explanation": "",
            "documentationUrl": "https://learn.microsoft.com/en-us/dotnet/csharp/language-reference/compiler-messages/cs0103",
            "suggestedFixes": [], "rawOutput": raw,
            "data": {"command": "dotnet build MyProject.csproj", "exitCode": 1, "stderr": raw},
            "severity": "error", "file": "Program.cs", "line": 5, "column": 9, "project": "/w/MyProject.csproj",
        }),
    );
    assert!(build["errors"][0].get("mcpErrorCode").is_none());
    assert_eq!(build["errorCount"], 1);
    assert_eq!(build["summary"], "Build FAILED (1 error(s), 0 warning(s))");
    let raw = "/sdk/Microsoft.Common.targets(1259,5): error MSB3644: The reference assemblies for .NETFramework,Version=v4.7.2 were not found [/w/LegacyProject.csproj]";
    let build = assert_failure(
        "build",
        "dotnet build LegacyProject.csproj",
        &format!("{raw}\n"),
        &json!({
            "code": "MSB3644", "message": "The reference assemblies for .NETFramework,Version=v4.7.2 were not found",
            "category": "Build", "hint": "", "explanation": "",
            "documentationUrl": "https://learn.microsoft.com/en-us/visualstudio/msbuild/errors/msb3644",
            "suggestedFixes": [], "rawOutput": raw,
            "data": {"command": "dotnet build LegacyProject.csproj", "exitCode": 1, "stderr": raw},
        }),
    );
    assert!(build["errors"][0].get("mcpErrorCode").is_none());
}

#[test]
fn statuses_without_a_code() {
    for (exit, code) in [(1, "EXIT_1"), (127, "EXIT_127"), (150, "EXIT_150")] {
        let outcome = outcome(
            "dotnet_tool",
            "minimal",
            &json!({}),
            &reply(ran("dotnet x", exit, "nothing known\n")),
        );
        let (_, structured) = parts(&outcome);
        let shown = json!({
            "code": code, "message": "nothing known", "category": "Unknown", "hint": "", "rawOutput": "nothing known",
            "mcpErrorCode": -32603, "data": {"command": "dotnet x", "exitCode": exit},
        });
        assert_shown(code, &structured["errors"][0], &shown, true);
        assert_eq!(structured["exitCode"], exit);
        assert_eq!(outcome.status, Some(exit));
    }
}

#[test]
fn stderr_is_cut_and_masked_before() {
    let secret = "s3cret-value";
    let stderr = format!("{}{secret}{}", "x".repeat(980), "y".repeat(100));
    let mut run = ran("dotnet x", 1, "");
    run.stderr = Captured {
        text: stderr,
        dropped: 0,
    };
    let target = target("minimal");
    let call = CommandCall {
        tool: "dotnet_tool",
        target: &target,
        action: target.actions.first(),
        arguments: &Map::new(),
        mask: &|text| text.replace(secret, "[REDACTED]"),
        mask_named: &|_, value| value.to_owned(),
    };
    let (_, structured) = parts(&mcpinvoke::interpret::command_reply(&call, &reply(run)));
    let shown = structured["errors"][0]["data"]["stderr"].as_str().unwrap();
    assert_eq!(shown.chars().count(), 1000);
    assert!(shown.ends_with("... (truncated)"), "{shown}");
    assert!(!structured.to_string().contains("s3cret"), "{structured:#}");
}

#[test]
fn a_conflict_is_told_in_both_forms() {
    let key = "/home/user/projects/myapp/myapp.csproj";
    let conflict = Refusal::Command(CommandError::Conflict {
        operation: "build".to_owned(),
        target: "MyApp.csproj".to_owned(),
        running: "build".to_owned(),
        since: SystemTime::UNIX_EPOCH + Duration::from_secs(1_775_885_400),
        lock: Box::new(lock("project", key)),
    });
    let target = target("build");
    let outcome = refused("dotnet_project", &target, &json!({}), &conflict);
    assert!(outcome.is_error);
    let (text, found) = parts(&outcome);
    assert_eq!(
        text,
        "Error: Cannot execute 'build' on 'MyApp.csproj' because a conflicting operation is already in progress: build on \
         /home/user/projects/myapp/myapp.csproj (started at 2026-04-11 05:30:00)\nHint: Wait for the conflicting operation to \
         complete, or cancel it before retrying this operation."
    );
    let shown = json!({
        "success": false, "errorCount": 0, "warningCount": 0, "summary": "",
        "lockInfo": {"lockScope": "project", "lockKey": key, "lockContended": true, "lockWaitedMs": 0},
        "errors": [{
            "code": "CONCURRENCY_CONFLICT", "category": "Concurrency", "hint": "", "rawOutput": "", "mcpErrorCode": -32603,
            "data": {"exitCode": -1, "additionalData": {
                "operationType": "build", "target": "MyApp.csproj",
                "conflictingOperation": "build on /home/user/projects/myapp/myapp.csproj (started at 2026-04-11 05:30:00)",
            }},
        }],
        "exitCode": -1,
    });
    assert_shown("Conflict", &found, &shown, false);
    check_envelope("Conflict", &found);
}
