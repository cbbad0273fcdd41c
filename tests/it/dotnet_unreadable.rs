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

/// What a program prints while EF asks it for its context.
const LOGS: &str = "Build started...\nBuild succeeded.\n[12:00:01 INF] x\n{\"@t\": \"2026\", \"@m\": \"log\"}\n[]\nstarted\n{\n  up\n";

#[test]
fn what_the_own_program_prints_is_no_answer_of_entity_framework() {
    let id = "20261121233244_Init";
    let migrations =
        format!("[{{\"id\": \"{id}\", \"name\": \"Init\", \"safeName\": \"Init\"}}]\n");
    let found = said(
        "ef-migrations",
        &json!({}),
        &format!("{LOGS}{migrations}bye\n"),
    );
    assert_eq!(found["migrations"][0]["id"], id);
    let found = said("ef-migrations", &json!({}), &format!("{LOGS}[\n]\n"));
    assert_eq!(found["migrations"], json!([]));
    let contexts = "[{\"fullName\": \"Store\", \"name\": \"Store\"}]\n";
    let found = said("ef-contexts", &json!({}), &format!("{LOGS}{contexts}"));
    assert_eq!(found["contexts"][0]["fullName"], "Store");
    let context = "{\"type\": \"Store\", \"providerName\": \"Sqlite\"}\n";
    let found = said("ef-context", &json!({}), &format!("{LOGS}{context}"));
    assert_eq!(found["context"]["type"], "Store");
    let added = format!(
        "{{\"migrationFile\": \"/s/{id}.cs\", \"metadataFile\": \"/s/x.cs\", \"snapshotFile\": \"/s/y.cs\"}}\n"
    );
    let found = said(
        "ef-migration-add",
        &json!({"name": "Init"}),
        &format!("{LOGS}{added}"),
    );
    assert_eq!(found["files"]["migration"], format!("/s/{id}.cs"));
    let made = "{\"contextFile\": \"/s/Store.cs\", \"entityTypeFiles\": [\"/s/Item.cs\"]}\n";
    let found = said("ef-scaffold", &json!({}), &format!("{LOGS}{made}"));
    assert_eq!(found["contextFile"], "/s/Store.cs");
}

#[test]
fn a_script_is_the_file_alone() {
    let noise = "Build started...\nBuild succeeded.\n[12:00:01 INF] x\n";
    let command = "dotnet ef migrations script --output /tmp/new/script.sql";
    let mut run = ran(command, 0, noise);
    let read = |run: &mcpinvoke::handler::command::Ran| {
        let arguments = json!({"machineReadable": true});
        let outcome = outcome("dotnet_ef", "ef-script", &arguments, &reply(run.clone()));
        (outcome.is_error, parts(&outcome))
    };
    let (failed, (_, structured)) = read(&run);
    assert!(failed, "{structured:#}");
    run.files = vec![("script.sql".to_owned(), "CREATE TABLE a;\n\n".to_owned())];
    let (failed, (envelope, structured)) = read(&run);
    assert!(!failed);
    assert_eq!(structured, json!({"script": "CREATE TABLE a;"}));
    let envelope: Value = serde_json::from_str(&envelope).unwrap();
    assert_eq!(envelope["output"], "CREATE TABLE a;");
}

#[test]
fn a_list_is_empty_only_where_that_was_said() {
    let table = "Name  Short Name\n----  ----------\n\n";
    let none = json!([]);
    for (shape, member, unreadable, empty) in [
        (
            "workloads",
            "installed",
            &["{\"installed\":[\"wasm-tools\"", "", "hello\n", "{}\n"][..],
            "noise\n{\"installed\":[],\"updateAvailable\":[]}\n",
        ),
        (
            "workloads",
            "installed",
            &[],
            "\nInstalled Workload Id\n---------\n\nUse\n",
        ),
        (
            "workload-search",
            "workloads",
            &["hello"],
            "\nWorkload ID\n-----------\n\n",
        ),
        (
            "workload-info",
            "workloads",
            &["", "hello"],
            "There are no installed workloads to display.\n",
        ),
        (
            "ef-migrations",
            "migrations",
            &[
                "Build succeeded.\nnothing json",
                "",
                "[",
                "[{\"id\": \"a\"},",
            ],
            "No migrations were found.\n",
        ),
        (
            "ef-contexts",
            "contexts",
            &["not a name", "", "[12:00 INF] x"],
            "[\n]\n",
        ),
        ("ef-contexts", "contexts", &[], "No DbContext was found.\n"),
        ("templates", "templates", &["hello", ""], table),
        (
            "template-packs",
            "packs",
            &["hello", ""],
            "Currently installed items:\n(No Items)\n",
        ),
        (
            "tool-search",
            "tools",
            &["hello", ""],
            "Package ID\n----------\n\n",
        ),
        (
            "tools",
            "tools",
            &["hello", ""],
            "{\"version\": 1, \"data\": []}\n",
        ),
        (
            "projects",
            "projects",
            &["hello", ""],
            "No projects found in the solution.\n",
        ),
        (
            "references",
            "references",
            &["hello", ""],
            "There are no Project to Project references in project con.\n",
        ),
        ("sdks", "sdks", &["x", "{}\n"], ""),
    ] {
        for stdout in unreadable {
            assert_unreadable(shape, &json!({}), stdout);
        }
        assert_eq!(said(shape, &json!({}), empty)[member], none, "{shape}");
    }
    for stdout in ["x", ""] {
        assert_unreadable("runtimes", &json!({}), stdout);
    }
    for stdout in ["Build succeeded.\n[12:00:01 INF] x", "{\"a\": 1}", ""] {
        assert_unreadable("ef-context", &json!({}), stdout);
    }
    for stdout in ["noise", "", "//BEGIN\n{\"a\": ", "//BEGIN"] {
        assert_unreadable("secrets", &json!({}), stdout);
    }
    for stdout in [
        "No secrets configured for this application.\n",
        "//BEGIN\n{}\n//END\n",
    ] {
        assert_eq!(said("secrets", &json!({}), stdout)["count"], 0);
    }
    let found = said("info", &json!({}), "hello\n");
    assert!(found.get("sdks").is_none() && found.get("runtimes").is_none());
}
