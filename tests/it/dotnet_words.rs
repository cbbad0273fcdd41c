//! What is said where the program's own words would mislead.

use mcpinvoke::handler::command::Captured;
use serde_json::{Value, json};

use crate::dotnet_results::{check_envelope, outcome, parts};
use crate::support::shown::{ran, reply};

fn read(tool: &str, shape: &str, (exit, out, err): (i32, &str, &str)) -> (bool, String, Value) {
    let mut run = ran("dotnet x", exit, out);
    run.stderr = Captured {
        text: err.to_owned(),
        dropped: 0,
    };
    let arguments = json!({"listTests": shape == "test"});
    let outcome = outcome(tool, shape, &arguments, &reply(run));
    let (text, structured) = parts(&outcome);
    if outcome.is_error {
        check_envelope(shape, &structured);
    }
    (outcome.is_error, text, structured)
}

#[test]
fn hints_lead_on() {
    for (shape, exit, out, err, hint) in [
        (
            "template-install",
            103,
            "",
            "No.Such.Package could not be installed, the package does not exist.",
            "Nothing of that name was found",
        ),
        (
            "secrets",
            1,
            "",
            "Could not find the global property 'UserSecretsId' in MSBuild project '/a.csproj'.",
            "SecretsInit",
        ),
        (
            "packages",
            1,
            "{\"problems\": [{\"text\": \"Restore failed. Run `dotnet restore` for more details on the issue.\", \"level\": \"error\"}]}",
            "",
            "action Restore",
        ),
        (
            "tool-run",
            1,
            "",
            "Run \"dotnet tool restore\" to make the \"rec-tool\" command available.",
            "dotnet_tool with action Restore",
        ),
        (
            "tool-change",
            0,
            "Cannot find a manifest file. The list of searched paths:\n\t/a\nNo tools were restored.\n",
            "",
            "CreateManifest",
        ),
    ] {
        let (failed, text, found) = read("dotnet_x", shape, (exit, out, err));
        assert!(failed, "{shape}: {text}");
        let said = found["errors"][0]["hint"].as_str().unwrap();
        assert!(said.contains(hint), "{shape}: {said}");
    }
}

#[test]
fn a_build_that_was_interrupted_is_cancelled() {
    let out = "  slow target begins\nAttempting to cancel the build...\n/p.csproj(8,5): warning MSB5021: Terminating\n\nBuild FAILED.\n\n    1 Warning(s)\n    0 Error(s)\n\nTime Elapsed 00:00:01.69\n";
    let (failed, _, found) = read("dotnet_project", "build", (1, out, ""));
    assert!(failed);
    assert_eq!(found["errors"][0]["category"], "Cancellation");
    assert_eq!(found["errors"][0]["code"], "OPERATION_CANCELLED");
    // A count is no reason.
    let out = out.replace("Attempting to cancel the build...\n", "");
    let (_, _, found) = read("dotnet_project", "build", (1, &out, ""));
    assert_eq!(found["errors"][0]["message"], "Build FAILED.");
}

#[test]
fn an_answer_of_nothing_is_told_as_such() {
    let (failed, _, found) = read("dotnet_project", "test", (0, "  Restored /a.csproj\n", ""));
    assert!(failed);
    assert_eq!(found["errors"][0]["code"], "NO_TESTS_RAN");
    let head = "The following Tests are available:\n    A.B\n";
    let (failed, _, found) = read("dotnet_project", "test", (0, head, ""));
    assert!(!failed);
    assert_eq!(found["tests"], json!(["A.B"]));
    let report = |parameters: &str, project: Value| {
        json!({"version": 1, "parameters": parameters, "projects": [project]}).to_string()
    };
    let empty = json!({"path": "/a.csproj"});
    for (parameters, project, remarks) in [
        ("--outdated", empty.clone(), true),
        ("--vulnerable --include-transitive", empty.clone(), true),
        ("", empty, false),
        (
            "--outdated",
            json!({"path": "/a.csproj", "frameworks": []}),
            false,
        ),
    ] {
        let out = report(parameters, project);
        let (failed, text, found) = read("dotnet_package", "packages", (0, &out, ""));
        assert!(!failed);
        assert_eq!(found.get("remark").is_some(), remarks, "{parameters}");
        assert_eq!(text.contains("cannot be reached"), remarks, "{text}");
    }
}

#[test]
fn a_script_that_is_cut_is_said_to_be() {
    let sql = "CREATE TABLE a (b int);\n".repeat(2000);
    let (failed, text, found) = read("dotnet_ef", "ef-script", (0, &sql, ""));
    assert!(!failed);
    assert_eq!(found["truncated"], true);
    assert!(
        text.contains("have it written to a file with output"),
        "{text}"
    );
    let (_, _, found) = read("dotnet_ef", "ef-script", (0, "SELECT 1;\n", ""));
    assert_eq!(found, json!({"script": "SELECT 1;"}));
}

#[test]
fn a_test_program_that_died_is_told_with_its_reason() {
    let reason = "The active test run was aborted. Reason: Test host process crashed";
    let summary = "Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4, Duration: 67 ms - vst.dll (net10.0)\n";
    for (before, out, err, at) in [
        (
            "",
            format!("{reason}\nTest Run Aborted.\n"),
            String::new(),
            0,
        ),
        (
            "",
            "Test Run Aborted.\n".to_owned(),
            format!("{reason}\n"),
            0,
        ),
        (
            summary,
            format!("{reason}\nTest Run Aborted.\n"),
            String::new(),
            1,
        ),
    ] {
        let out = format!("{before}{out}");
        let (failed, text, found) = read("dotnet_project", "test", (1, &out, &err));
        assert!(failed);
        let entry = &found["errors"][at];
        assert_eq!(entry["message"], reason, "{found:#}");
        assert!(entry["hint"].as_str().unwrap().contains("blame: true"));
        assert!(text.contains(reason), "{text}");
    }
}
