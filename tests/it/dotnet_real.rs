//! A real SDK, where one is on PATH: a console project and a test project made, built, tested, broken and mended
//! through the tools. Without one the test says so and passes.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Bridge, text};

const BROKEN: &str = "System.Console.WriteLine(missing);\n";
const WHOLE: &str = "System.Console.WriteLine(\"mended\");\n";

fn skip(why: &str) {
    // Straight to stderr, so that it is seen without `--nocapture`.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

fn has_sdk() -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut programs = std::env::split_paths(&folders).map(|folder: PathBuf| {
        folder.join(if cfg!(windows) {
            "dotnet.exe"
        } else {
            "dotnet"
        })
    });
    programs.any(|program| program.is_file())
}

/// Calls `dotnet_project`.
async fn project(bridge: &Bridge, arguments: Value) -> Value {
    bridge.call("dotnet_project", arguments).await
}

fn done(result: &Value) -> &Value {
    assert_ne!(result["isError"], true, "{}", text(result));
    let structured = &result["structuredContent"];
    assert_eq!(structured["success"], true, "{structured}");
    structured
}

#[tokio::test]
async fn a_project_is_made_built_tested_broken_and_mended() {
    if !has_sdk() {
        return skip("there is no dotnet on PATH");
    }
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    let root_text = root.display().to_string();
    let bridge = Bridge::start(["--dotnet", "--root", root_text.as_str()]);
    let capabilities = bridge.call("dotnet_server_capabilities", json!({})).await;
    let installed = &capabilities["structuredContent"]["sdkVersions"]["installed"];
    if installed.as_array().is_none_or(Vec::is_empty) {
        return skip("the dotnet on PATH has no SDK");
    }
    console(&bridge, &root.join("App/Program.cs")).await;
    tests(&bridge).await;
}

async fn console(bridge: &Bridge, source: &std::path::Path) {
    let new = json!({"action": "New", "template": "console", "name": "App"});
    done(&project(bridge, new).await);
    let build = json!({"action": "Build", "project": "App/App.csproj"});
    let built = project(bridge, build.clone()).await;
    assert_eq!(done(&built)["errorCount"], 0);

    fs::write(source, BROKEN).unwrap();
    let broken = project(bridge, build.clone()).await;
    assert_eq!(broken["isError"], true, "{broken}");
    let errors = &broken["structuredContent"]["errors"];
    assert_eq!(errors.as_array().unwrap().len(), 1, "{errors}");
    let error = &errors[0];
    assert_eq!(
        (&error["code"], &error["line"]),
        (&json!("CS0103"), &json!(1))
    );
    assert!(error["file"].as_str().unwrap().ends_with("Program.cs"));
    assert!(error["message"].as_str().unwrap().contains("missing"));

    fs::write(source, WHOLE).unwrap();
    done(&project(bridge, build).await);
    let run = json!({"action": "Run", "project": "App/App.csproj", "noBuild": true});
    let ran = project(bridge, run).await;
    assert!(done(&ran).to_string().contains("mended"), "{ran}");
}

async fn tests(bridge: &Bridge) {
    let new = json!({"action": "New", "template": "xunit", "name": "Checks"});
    let made = project(bridge, new).await;
    let test = json!({"action": "Test", "project": "Checks/Checks.csproj"});
    let tested = project(bridge, test).await;
    let said = format!("{made}{tested}");
    if said.contains("NU1301") || said.contains("NU1101") {
        return skip("the test packages cannot be fetched from here");
    }
    let counts = done(&tested);
    assert_eq!(
        (&counts["passed"], &counts["failed"]),
        (&json!(1), &json!(0)),
        "{counts}"
    );
}
