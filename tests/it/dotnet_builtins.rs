//! The bridge's own parts, called as a client calls them: what they answer fits the published output schemas.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Bridge, spec, tool};

#[tokio::test]
async fn parts_of_the_bridge_answer_as_published() {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    fs::write(
        root.join("App.csproj"),
        "<Project>\r\n\t<PropertyGroup>\r\n\t\t<A>1</A>\r\n\t</PropertyGroup>\r\n</Project>\r\n",
    )
    .unwrap();
    let document = spec("dotnet.yaml").display().to_string();
    let root_text = root.display().to_string();
    let bridge = Bridge::start([document.as_str(), "--root", root_text.as_str()]);
    let tools = bridge.tools().await;
    for (name, arguments, succeeds) in [
        (
            "dotnet_project",
            json!({"action": "SetProperty", "project": "App.csproj", "propertyName": "A", "propertyValue": "2"}),
            true,
        ),
        (
            "dotnet_project",
            json!({"action": "AddItem", "project": "App.csproj", "itemType": "Compile", "include": "x.cs"}),
            true,
        ),
        (
            "dotnet_project",
            json!({"action": "RemoveItem", "project": "App.csproj", "itemType": "Compile", "include": "x.cs"}),
            true,
        ),
        (
            "dotnet_project",
            json!({"action": "RemoveProperty", "project": "App.csproj", "propertyName": "Nothing"}),
            true,
        ),
        (
            "dotnet_project",
            json!({"action": "SetProperty", "project": "App.csproj", "propertyName": "A"}),
            false,
        ),
        (
            "dotnet_project",
            json!({"action": "SetProperty", "project": "gone.csproj", "propertyName": "A", "propertyValue": "2"}),
            false,
        ),
        (
            "dotnet_project",
            json!({"action": "Logs", "sessionId": "none"}),
            false,
        ),
        ("dotnet_project", json!({"action": "build"}), false),
        (
            "dotnet_sdk",
            json!({"action": "ConfigureGlobalJson", "sdkVersion": "10.0.100"}),
            true,
        ),
        (
            "dotnet_sdk",
            json!({"action": "ConfigureGlobalJson"}),
            false,
        ),
        (
            "dotnet_sdk",
            json!({"action": "ConfigureGlobalJson", "sdkVersion": "10.0.100", "globalJsonPath": "../global.json"}),
            false,
        ),
        ("dotnet_sdk", json!({"action": "CacheMetrics"}), true),
        ("dotnet_sdk", json!({"action": "ClearTemplateCache"}), true),
        ("dotnet_server_info", json!({}), true),
        ("dotnet_server_metrics", json!({"action": "Get"}), true),
        (
            "dotnet_server_metrics",
            json!({"action": "TokenSavingsGet"}),
            true,
        ),
        ("dotnet_server_metrics", json!({"action": "Reset"}), true),
    ] {
        let result = bridge.call(name, arguments.clone()).await;
        let structured = &result["structuredContent"];
        assert_eq!(result["isError"], json!(!succeeds), "{arguments}: {result}");
        assert_eq!(
            structured["success"],
            json!(succeeds),
            "{arguments}: {result}"
        );
        assert!(
            succeeds || structured["errors"][0]["code"] == "INVALID_PARAMS",
            "{arguments}: {result}"
        );
        let schema = &tool(&tools, name)["outputSchema"];
        let validator = jsonschema::validator_for(schema).unwrap();
        let faults: Vec<String> = validator
            .iter_errors(structured)
            .map(|fault| fault.to_string())
            .collect();
        assert!(faults.is_empty(), "{arguments}: {faults:?}");
    }
    let text = fs::read_to_string(root.join("App.csproj")).unwrap();
    assert_eq!(
        text,
        "<Project>\r\n\t<PropertyGroup>\r\n\t\t<A>2</A>\r\n\t</PropertyGroup>\r\n</Project>\r\n"
    );
    let written: Value =
        serde_json::from_str(&fs::read_to_string(root.join("global.json")).unwrap()).unwrap();
    assert_eq!(written, json!({"sdk": {"version": "10.0.100"}}));
}
