//! Calls of the shipped document that are refused or wait for a human, as a client sees them.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Bridge, spec, text};

struct Served {
    _folder: tempfile::TempDir,
    root: String,
    bridge: Bridge,
}

fn served() -> Served {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    let root = root.display().to_string();
    // As programs on Windows write it.
    let root = root.trim_start_matches(r"\\?\").to_owned();
    let document = spec("dotnet.yaml").display().to_string();
    let bridge = Bridge::start([document.as_str(), "--root", root.as_str()]);
    Served {
        _folder: folder,
        root,
        bridge,
    }
}

#[tokio::test]
async fn every_tool_publishes_an_output_schema_that_stands_alone() {
    let served = served();
    let tools = served.bridge.tools().await;
    assert_eq!(tools.len(), 12);
    for tool in tools {
        let schema = &tool["outputSchema"];
        assert_eq!(schema["type"], "object", "{}", tool["name"]);
        // Clients of 2025-06-18 are not given schemas with references.
        assert!(!schema.to_string().contains("\"$ref\""), "{}", tool["name"]);
    }
}

#[tokio::test]
async fn a_refused_path_tells_where_work_is_allowed() {
    let served = served();
    for arguments in [
        json!({"action": "Build", "workingDirectory": "/"}),
        json!({"action": "Build", "project": "/elsewhere/App.csproj"}),
    ] {
        let answer = served.bridge.call("dotnet_project", arguments).await;
        let error = &answer["structuredContent"]["errors"][0];
        assert_eq!(error["code"], "INVALID_PARAMS", "{answer}");
        let (message, hint) = (error["message"].as_str(), error["hint"].as_str());
        assert!(message.unwrap().contains(&served.root), "{answer}");
        assert!(hint.unwrap().contains("--root"), "{answer}");
    }
}

#[tokio::test]
async fn a_value_of_another_type_is_told_with_its_name() {
    let served = served();
    let arguments = json!({"action": "Build", "noRestore": "yes"});
    let answer = served.bridge.call("dotnet_project", arguments).await;
    let error = &answer["structuredContent"]["errors"][0];
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with("Parameter 'noRestore'"), "{answer}");
}

#[tokio::test]
async fn a_call_that_waits_for_a_human_is_an_envelope_too() {
    let served = served();
    for (tool, arguments) in [
        ("dotnet_project", json!({"action": "Clean"})),
        ("dotnet_dev_certs", json!({"action": "SecretsClear"})),
        ("dotnet_dev_certs", json!({"action": "CertificateClean"})),
        (
            "dotnet_package",
            json!({"action": "Remove", "packageId": "X"}),
        ),
        (
            "dotnet_package",
            json!({"action": "ClearCache", "cacheType": "all"}),
        ),
    ] {
        let mut arguments = arguments;
        arguments["machineReadable"] = true.into();
        let answer = served.bridge.call(tool, arguments).await;
        assert_eq!(answer["isError"], true, "{answer}");
        let envelope: Value = serde_json::from_str(text(&answer)).unwrap();
        let structured = &answer["structuredContent"];
        assert_eq!(envelope["success"], false);
        assert_eq!(envelope["exitCode"], -1);
        assert_eq!(envelope["errors"], structured["errors"], "{answer}");
        assert_eq!(envelope["errors"][0]["code"], "CONFIRMATION_REQUIRED");
        assert_eq!(structured["status"], "confirmation_required");
        let additional = &envelope["errors"][0]["data"]["additionalData"];
        assert_eq!(additional["token"], structured["token"], "{answer}");
    }
}
