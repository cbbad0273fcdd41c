//! Output of programs that was too long to be kept whole.

use mcpinvoke::handler::command::{Captured, Ran};
use serde_json::{Value, json};

use crate::dotnet_results::{check_envelope, outcome, parts};
use crate::support::shown::{ran, reply};

/// What is kept of a longer text: its beginning and its end, with a marker line between them.
fn cut(text: &str) -> Captured {
    let (head, tail) = (text.len() / 3, text.len() * 2 / 3);
    let head = text[..head].rfind('\n').map_or(0, |at| at + 1);
    let tail = text[tail..]
        .find('\n')
        .map_or(text.len(), |at| tail + at + 1);
    let dropped = (tail - head) as u64;
    Captured {
        text: format!(
            "{}... ({dropped} bytes left out)\n{}",
            &text[..head],
            &text[tail..]
        ),
        dropped,
    }
}

fn read(tool: &str, shape: &str, arguments: &Value, run: Ran) -> (bool, String, Value) {
    let outcome = outcome(tool, shape, arguments, &reply(run));
    let (text, structured) = parts(&outcome);
    if outcome.is_error {
        check_envelope(shape, &structured);
    }
    (outcome.is_error, text, structured)
}

#[test]
fn a_list_with_its_middle_left_out_is_no_list() {
    let packages: Vec<Value> = (0..50)
        .map(|at| json!({"id": format!("P{at}"), "resolvedVersion": "1.0.0"}))
        .collect();
    let frameworks = json!([{"framework": "net10.0", "topLevelPackages": packages}]);
    let migrations: Vec<Value> = (0..50)
        .map(|at| json!({"id": format!("20261121233244_M{at}"), "name": format!("M{at}")}))
        .collect();
    let items =
        json!({"Items": {"Compile": packages}, "Properties": {"TargetFramework": "net10.0"}});
    let lines: Vec<String> = (0..50).map(|at| format!("p{at}/p{at}.csproj")).collect();
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
    for (tool, shape, text) in [
        (
            "dotnet_package",
            "packages",
            pretty(&json!({"projects": [{"path": "/a.csproj", "frameworks": frameworks}]})),
        ),
        (
            "dotnet_package",
            "package-search",
            pretty(&json!({"searchResult": [{"sourceName": "s", "packages": packages}]})),
        ),
        ("dotnet_ef", "ef-migrations", pretty(&migrations.into())),
        ("dotnet_project", "items", pretty(&items)),
        ("dotnet_project", "analysis", pretty(&items)),
        (
            "dotnet_tool",
            "tools",
            pretty(&json!({"version": 1, "data": packages})),
        ),
        (
            "dotnet_solution",
            "projects",
            format!("Project(s)\n----------\n{}\n", lines.join("\n")),
        ),
    ] {
        let whole = ran("dotnet x", 0, &text);
        assert!(!read(tool, shape, &json!({}), whole).0, "{shape}");
        let mut run = ran("dotnet x", 0, "");
        run.stdout = cut(&text);
        let (failed, told, structured) = read(tool, shape, &json!({}), run);
        assert!(failed, "{shape}: {structured:#}");
        assert!(told.contains("The output is too long to be read"), "{told}");
        assert!(told.contains("`commands.dotnet.output`"), "{told}");
    }
}

/// What was asked for as JSON and is none, is no empty list either.
#[test]
fn broken_json_is_no_empty_list() {
    for (tool, shape, text) in [
        ("dotnet_package", "packages", "{\n  \"version\": 1,\n"),
        ("dotnet_package", "packages", ""),
        ("dotnet_package", "package-search", "{\"searchResult\": ["),
        ("dotnet_tool", "tools", "{\"data\": ["),
        (
            "dotnet_ef",
            "ef-migrations",
            "Build started...\n[\n  {\n    \"id\"",
        ),
        ("dotnet_ef", "ef-contexts", "[\n  {\n    \"fullName\""),
    ] {
        let (failed, told, _) = read(tool, shape, &json!({}), ran("dotnet x", 0, text));
        assert!(failed, "{shape}: {told}");
    }
}
