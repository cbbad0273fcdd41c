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

/// The members that the contract names, each with what is so here.
#[tokio::test]
async fn the_bridge_tells_the_truth_of_itself() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("dotnet");
    let path = folder.path().display().to_string();
    let text = format!(
        "commands: {{dotnet: {{roots: ['{path}'], program: '{}'}}}}",
        program.display()
    );
    let configuration = folder.path().join("mcpinvoke.yaml");
    fs::write(&configuration, text).unwrap();
    let configuration = configuration.display().to_string();
    let bridge = Bridge::start(["--dotnet", "--config", configuration.as_str()]);
    let hello = json!({"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let hello = bridge.legacy("initialize", hello).await;
    let told = bridge.call("dotnet_server_capabilities", json!({})).await;
    let told = &told["structuredContent"];
    assert_eq!(told["serverVersion"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        told["serverVersion"],
        hello["result"]["serverInfo"]["version"]
    );
    assert_eq!(told["protocolVersion"], hello["result"]["protocolVersion"]);
    let categories = told["supportedCategories"].as_array().unwrap();
    assert!(categories.contains(&json!("template")) && categories.contains(&json!("project")));
    // Without the program nothing is installed; what is recommended is known all the same.
    assert_eq!(
        told["sdkVersions"],
        json!({"installed": [], "recommended": "net10.0", "lts": "net10.0"})
    );
    let supports = told["supports"].as_object().unwrap();
    for feature in [
        "structuredErrors",
        "machineReadable",
        "cancellation",
        "metrics",
        "elicitation",
        "progressNotifications",
    ] {
        assert_eq!(supports[feature], true, "{feature}");
    }
    for feature in ["telemetry", "sampling", "tokenSavings"] {
        assert_eq!(supports[feature], false, "{feature}");
    }
    let declared = &hello["result"]["capabilities"];
    for (feature, capability) in [
        ("prompts", "prompts"),
        ("completions", "completions"),
        ("mcpLogging", "logging"),
        ("asyncTasks", "tasks"),
    ] {
        assert_eq!(
            supports[feature],
            declared[capability].is_object(),
            "{feature}"
        );
    }
    let info = bridge.call("dotnet_server_info", json!({})).await;
    let info = &info["structuredContent"];
    assert_eq!(info["version"], told["serverVersion"]);
    assert_eq!(
        (
            &info["actionCount"],
            info["tools"].as_array().unwrap().len()
        ),
        (&json!(91), 12)
    );
}
