//! Arguments that an action has no word for: a change is refused where they say what is changed, or whether it is; the
//! others are passed over, and the answer says so.
#![cfg(unix)]

use serde_json::{Value, json};

use crate::dotnet_results::check_envelope;
use crate::support::replay::Replay;
use crate::support::text;

#[tokio::test]
async fn no_change_is_made_as_if_an_argument_were_not_there() {
    let replay = Replay::new(22);
    replay.prepare("app/app.csproj");
    let bridge = replay.bridge();
    for (tool, action, argument, arguments, users) in [
        (
            "dotnet_ef",
            "DatabaseUpdate",
            "dryRun",
            json!({"dryRun": true}),
            "DatabaseDrop",
        ),
        (
            "dotnet_ef",
            "DatabaseUpdate",
            "name",
            json!({"name": "Init"}),
            "MigrationsAdd",
        ),
        (
            "dotnet_ef",
            "DatabaseDrop",
            "connection",
            json!({"force": true, "connection": "Data Source=other.db"}),
            "DatabaseUpdate",
        ),
        (
            "dotnet_project",
            "Build",
            "projectPath",
            json!({"projectPath": "app/app.csproj"}),
            "Analyze",
        ),
        (
            "dotnet_dev_certs",
            "SecretsClear",
            "key",
            json!({"key": "ApiKey"}),
            "SecretsSet",
        ),
        (
            "dotnet_package",
            "ClearCache",
            "packageId",
            json!({"packageId": "A"}),
            "Add",
        ),
        (
            "dotnet_workload",
            "Update",
            "workloadIds",
            json!({"workloadIds": ["wasm-tools"]}),
            "Install",
        ),
        (
            "dotnet_tool",
            "Restore",
            "toolPath",
            json!({"toolPath": "tools"}),
            "Uninstall",
        ),
    ] {
        let mut call = arguments.clone();
        call["action"] = action.into();
        let result = bridge.call(tool, call).await;
        let error = &result["structuredContent"]["errors"][0];
        assert_eq!(result["isError"], true, "{action} {arguments}: {result:#}");
        check_envelope(action, &result["structuredContent"]);
        assert_eq!(error["code"], "INVALID_PARAMS", "{result:#}");
        assert_eq!(
            error["data"]["additionalData"]["parameter"], argument,
            "{result:#}"
        );
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains(argument) && message.contains(action),
            "{message}"
        );
        let hint = error["hint"].as_str().unwrap();
        assert!(hint.contains(users), "{hint}");
        assert!(!text(&result).contains("other.db"), "{result:#}");
    }
    assert!(replay.last().is_none() && replay.unrecorded().is_empty());
}

#[tokio::test]
async fn what_is_passed_over_is_told() {
    let replay = Replay::new(22);
    replay.prepare("multi20");
    let bridge = replay.bridge();
    let build = async |more: Value| {
        let mut call = json!({"action": "Build", "project": "multi20", "noRestore": true});
        let more = more.as_object().unwrap().clone();
        call.as_object_mut().unwrap().extend(more);
        let result = bridge.call("dotnet_project", call).await;
        assert!(replay.unrecorded().is_empty(), "{result:#}");
        let content = result["content"].as_array().unwrap();
        let last = content.last().unwrap()["text"].as_str().unwrap().to_owned();
        (content.len(), last)
    };
    let (count, last) =
        build(json!({"filter": "Name=a", "lockedMode": true, "verify": false})).await;
    assert_eq!(count, 2, "{last}");
    for said in [
        "Build",
        "filter (for Test, Watch)",
        "lockedMode (for Restore)",
    ] {
        assert!(last.contains(said), "{last}");
    }
    assert!(!last.contains("verify"), "{last}");
    // Nothing, what says nothing, and what is said twice.
    for more in [
        json!({}),
        json!({"filter": "", "verify": false, "logger": null, "unsafeOutput": true}),
        json!({"machineReadable": false}),
    ] {
        assert_eq!(build(more.clone()).await.0, 1, "{more}");
    }
    let (count, last) = build(json!({"projectPath": "multi20"})).await;
    assert!(count == 2 && last.contains("projectPath"), "{last}");
}
