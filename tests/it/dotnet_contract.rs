//! Every success that the contract of the dotnet tools shows, field by field.

use mcpinvoke::handler::command::{CommandReply, RunnerChoice};
use mcpinvoke::tool::TestRunner;
use serde_json::{Value, json};

use crate::dotnet_results::{outcome, parts};
use crate::support::shown::{assert_shown, lock, ran, reply};

#[test]
fn structured_content_of_the_table() {
    let build = reply(ran("dotnet build", 0, "    0 Warning(s)\n    0 Error(s)\n"));
    let key = "/home/user/projects/myapp/myapp.csproj";
    let build = CommandReply {
        lock: Some(lock("project", key)),
        ..build
    };
    let arguments =
        json!({"project": "/home/user/projects/myapp/MyApp.csproj", "configuration": "Release"});
    let shown = json!({
        "success": true, "project": "MyApp.csproj", "configuration": "Release", "errorCount": 0, "warningCount": 0,
        "summary": "Build succeeded", "lockInfo": {"lockScope": "project", "lockKey": key},
    });
    let (text, found) = parts(&outcome("dotnet_project", "build", &arguments, &build));
    assert_shown("Build", &found, &shown, true);
    assert!(
        text.contains("Build succeeded") && text.ends_with("Exit Code: 0"),
        "{text}"
    );

    let table = [
        ("version", "10.0.100\n", json!({"version": "10.0.100"})),
        (
            "sdks",
            "10.0.100 [/usr/share/dotnet/sdk]\n",
            json!({"sdks": [{"version": "10.0.100", "path": "/usr/share/dotnet/sdk"}]}),
        ),
        (
            "runtimes",
            "Microsoft.AspNetCore.App 10.0.0 [/usr/share/dotnet/shared/...]\n",
            json!({"runtimes": [{"name": "Microsoft.AspNetCore.App", "version": "10.0.0", "path": "/usr/share/dotnet/shared/..."}]}),
        ),
        (
            "projects",
            "Project(s)\n----------\nDotNetMcp/DotNetMcp.csproj\nDotNetMcp.Tests/DotNetMcp.Tests.csproj\n",
            json!({"projects": ["DotNetMcp/DotNetMcp.csproj", "DotNetMcp.Tests/DotNetMcp.Tests.csproj"]}),
        ),
    ];
    for (shape, stdout, shown) in table {
        let (text, found) = parts(&outcome(
            "tool",
            shape,
            &json!({}),
            &reply(ran("dotnet", 0, stdout)),
        ));
        assert_shown(shape, &found, &shown, true);
        assert!(
            text.contains(stdout.trim()) && text.ends_with("Exit Code: 0"),
            "{text}"
        );
    }
}

#[test]
fn locks_are_told() {
    let key = "/home/user/projects/myapp";
    let passed = "Passed!  - Failed:     0, Passed:    42, Skipped:     0, Total:    42, Duration: 1 s - a.dll (net10.0)\n";
    let shown = json!({"lockInfo": {"lockScope": "workingDirectory", "lockKey": key}});
    for (shape, stdout) in [
        ("test", passed),
        ("run", "hello\n"),
        ("publish", "  a -> /out/\n"),
    ] {
        let held = CommandReply {
            lock: Some(lock("workingDirectory", key)),
            ..reply(ran("dotnet", 0, stdout))
        };
        let (_, found) = parts(&outcome("dotnet_project", shape, &json!({}), &held));
        assert_shown(shape, &found, &shown, false);
        assert_eq!(found["lockInfo"].as_object().unwrap().len(), 2, "{shape}");
        assert_eq!(found["success"], true, "{shape}");
    }
}

#[test]
fn success_envelopes_hold_the_output() {
    for (shape, command, output) in [
        (
            "new",
            "dotnet new webapi -n MyApi",
            "The template \"ASP.NET Core Web API\" was created successfully.\n\nProcessing post-creation actions...",
        ),
        (
            "new",
            "dotnet new webapi -n ProductApi --framework net10.0",
            "The template \"ASP.NET Core Web API\" was created successfully.\n\nProcessing post-creation actions...\nRestoring NuGet packages...\nRestore completed in 2.3 sec for ProductApi.csproj.",
        ),
        (
            "build",
            "dotnet build ProductApi/ProductApi.csproj -c Release",
            "Microsoft (R) Build Engine version 10.0.100+xyz\nBuild succeeded.\n    0 Warning(s)\n    0 Error(s)\n\nTime Elapsed 00:00:03.45",
        ),
        (
            "package-search",
            "dotnet package search serilog --take 3",
            "Package ID                        | Latest Version | Total Downloads\n----------------------------------+----------------+----------------\nSerilog                           | 4.0.0          | 250M+",
        ),
        (
            "package-add",
            "dotnet add ProductApi/ProductApi.csproj package Serilog.AspNetCore",
            "info : PackageReference for package 'Serilog.AspNetCore' version '8.0.0' added to file 'ProductApi.csproj'.",
        ),
        (
            "ef-migration-add",
            "dotnet ef migrations add InitialCreate --project ProductApi/ProductApi.csproj",
            "Build started...\nBuild succeeded.\nDone. To undo this action, use 'ef migrations remove'",
        ),
        (
            "solution-create",
            "dotnet new sln -n MyApp --use-slnx",
            "The template \"Solution File\" was created successfully.",
        ),
        (
            "solution-add",
            "dotnet sln MyApp.slnx add ProductApi/ProductApi.csproj",
            "Project `ProductApi/ProductApi.csproj` added to the solution.",
        ),
    ] {
        let arguments = json!({"machineReadable": true});
        let outcome = outcome(
            "tool",
            shape,
            &arguments,
            &reply(ran(command, 0, &format!("{output}\n"))),
        );
        assert!(!outcome.is_error, "{shape}");
        let (text, _) = parts(&outcome);
        let shown = json!({"success": true, "command": command, "output": output, "exitCode": 0});
        assert_shown(shape, &serde_json::from_str(&text).unwrap(), &shown, true);
    }
}

#[test]
fn test_runs_say_who_ran_them() {
    let choice = |source: &'static str| RunnerChoice {
        runner: TestRunner::Platform,
        source,
    };
    let arguments = json!({"machineReadable": true, "project": "MyTests.csproj"});
    let command = "dotnet test --project MyTests.csproj";
    let metadata = |source: &str| json!({"selectedTestRunner": "microsoft-testing-platform", "projectArgumentStyle": "--project", "selectionSource": source});
    let output = "Test run summary: Passed!\n  total: 42\n  failed: 0\n  succeeded: 42\n  skipped: 0\n  duration: 1s 200ms";
    let passed = CommandReply {
        runner: Some(choice("global.json")),
        ..reply(ran(command, 0, output))
    };
    let (text, structured) = parts(&outcome("dotnet_project", "test", &arguments, &passed));
    let shown = json!({"success": true, "command": command, "output": output, "exitCode": 0, "metadata": metadata("global.json")});
    assert_shown(
        "passed",
        &serde_json::from_str(&text).unwrap(),
        &shown,
        true,
    );
    assert_eq!(structured["passed"], 42);
    assert_eq!(structured["durationMs"], 1200);

    let raw = "MSBUILD : error MSB1001: Unknown switch.\nSwitch: --project";
    let failed = CommandReply {
        runner: Some(choice("testRunner-parameter")),
        ..reply(ran(
            command,
            1,
            &format!("{raw}\n\nFor switch syntax, type \"MSBuild -help\"\n"),
        ))
    };
    let (text, _) = parts(&outcome("dotnet_project", "test", &arguments, &failed));
    let shown = json!({
        "success": false,
        "errors": [{
            "code": "MSB1001", "message": "Unknown switch.", "category": "Build", "hint": "", "rawOutput": raw,
            "data": {"command": command, "exitCode": 1},
        }],
        "exitCode": 1,
        "metadata": metadata("testRunner-parameter"),
    });
    assert_shown(
        "failed",
        &serde_json::from_str(&text).unwrap(),
        &shown,
        false,
    );

    for (arguments, command, style) in [
        (json!({}), "dotnet test", "none"),
        (
            json!({"project": "a.csproj"}),
            "dotnet test a.csproj",
            "positional",
        ),
    ] {
        let passed = CommandReply {
            runner: Some(RunnerChoice {
                runner: TestRunner::VsTest,
                source: "default",
            }),
            ..reply(ran(
                command,
                0,
                "Passed!  - Failed: 0, Passed: 1, Skipped: 0, Total: 1, Duration: 1 s - a.dll (net10.0)\n",
            ))
        };
        let (_, structured) = parts(&outcome("dotnet_project", "test", &arguments, &passed));
        let shown = json!({"selectedTestRunner": "vstest", "projectArgumentStyle": style, "selectionSource": "default"});
        assert_eq!(structured["metadata"], shown);
    }
}

#[test]
fn built_in_parts_speak_for_themselves() {
    let value = json!({"serverVersion": "1.0.0", "supports": {"structuredErrors": true}});
    let made = CommandReply {
        value: Some(value.clone()),
        ..CommandReply::default()
    };
    let (text, structured) = parts(&outcome(
        "dotnet_server_capabilities",
        "value",
        &json!({}),
        &made,
    ));
    assert_eq!(structured, value);
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    let told = CommandReply {
        value: Some(json!({"success": true, "text": "for people"})),
        ..CommandReply::default()
    };
    let (text, structured) = parts(&outcome("tool", "value", &json!({}), &told));
    assert_eq!(
        (text.as_str(), structured),
        ("for people", json!({"success": true}))
    );
}

#[test]
fn every_code_of_the_catalogue_is_classified() {
    let catalogue = include_str!("../../src/interpret/dotnet/catalogue.json");
    let catalogue: Vec<Value> = serde_json::from_str(catalogue).unwrap();
    assert!(catalogue.len() >= 52);
    for known in &catalogue {
        let code = known["code"].as_str().unwrap();
        let line = format!("/w/a.cs(3,7): error {code}: it does not work [/w/a.csproj]\n");
        let outcome = outcome(
            "dotnet_project",
            "build",
            &json!({}),
            &reply(ran("dotnet build", 1, &line)),
        );
        let (_, structured) = parts(&outcome);
        let error = &structured["errors"][0];
        for name in [
            "code",
            "category",
            "hint",
            "explanation",
            "documentationUrl",
            "suggestedFixes",
        ] {
            assert_eq!(error[name], known[name], "{code}: {name}");
        }
        assert_eq!(
            error.get("mcpErrorCode"),
            known.get("mcpErrorCode"),
            "{code}"
        );
    }
}
