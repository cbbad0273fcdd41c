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

/// The result files are whole where the console is not.
#[test]
fn tests_are_counted_where_the_console_was_cut() {
    let summary = "Passed!  - Failed:     0, Passed:     2, Skipped:     0, Total:     2, Duration: 9 ms - a.dll (net10.0)\n";
    let test = |name: &str, outcome: &str| {
        format!(
            "<UnitTestResult testName=\"{name}\" outcome=\"{outcome}\" duration=\"00:00:00.01\"></UnitTestResult>"
        )
    };
    let files = |texts: &[String]| -> Vec<(String, String)> {
        let named = |(at, text): (usize, &String)| (format!("{at}.trx"), text.clone());
        texts.iter().enumerate().map(named).collect()
    };
    let passed = test("a", "Passed").repeat(2);
    let failed = test("b", "Failed") + &test("c", "Passed") + &test("d", "NotExecuted");
    let mut run = ran("dotnet test", 1, summary);
    run.stdout.dropped = 3_000_000;
    run.files = files(&[passed, failed.clone()]);
    let (is_failed, _, found) = read("dotnet_project", "test", &json!({}), run.clone());
    assert!(is_failed);
    let counts =
        |found: &Value| ["total", "passed", "failed", "skipped"].map(|name| found[name].clone());
    assert_eq!(counts(&found), [5, 3, 1, 1].map(Value::from));
    assert_eq!(found["firstFailures"][0]["testName"], "b");
    // A test program that died printed nothing.
    run.stdout.dropped = 0;
    let (_, _, found) = read("dotnet_project", "test", &json!({}), run.clone());
    assert_eq!(counts(&found), [5, 3, 1, 1].map(Value::from));
    // Rows inside of a test are not counted twice, and files that are missing take nothing away.
    for text in [
        format!("<InnerResults>{failed}</InnerResults>"),
        test("a", "Passed"),
    ] {
        run.files = files(&[text]);
        run.exit = Some(0);
        let (is_failed, _, found) = read("dotnet_project", "test", &json!({}), run.clone());
        assert!(!is_failed);
        assert_eq!(counts(&found), [2, 2, 0, 0].map(Value::from));
    }
}

/// A test may print what looks like a summary: it stands indented below the test.
#[test]
fn what_a_test_prints_is_no_summary() {
    let line = "Passed!  - Failed:     0, Passed:     2, Skipped:     0, Total:     2, Duration: 9 ms - a.dll (net10.0)\n";
    let text = format!(
        "  Passed T [1 ms]\n  Standard Output Messages:\n {line}\n Total tests: 7\n Passed: 7\n{line}"
    );
    let (failed, _, found) = read(
        "dotnet_project",
        "test",
        &json!({}),
        ran("dotnet test", 0, &text),
    );
    assert!(!failed);
    assert_eq!((&found["total"], &found["passed"]), (&json!(2), &json!(2)));
    let own = format!("  Standard Output Messages:\n {line}\n Total tests: 7\n Passed: 7\n");
    assert!(
        read(
            "dotnet_project",
            "test",
            &json!({}),
            ran("dotnet test", 0, &own)
        )
        .0
    );
}

/// What the build counted tells how many errors and warnings there were where they were not all kept.
#[test]
fn errors_are_counted_where_the_output_was_cut() {
    let line = |at: usize| format!("/p/a.cs({at},1): error CS0103: no {at} [/p/a.csproj]\n");
    let lines: String = (1..=150).map(line).collect();
    let mut run = ran(
        "dotnet build",
        1,
        &format!("{lines}    700 Warning(s)\n    900 Error(s)\n"),
    );
    let (_, _, found) = read("dotnet_project", "build", &json!({}), run.clone());
    assert_eq!(
        (&found["errorCount"], &found["metadata"]["omittedErrors"]),
        (&json!(150), &json!("50"))
    );
    run.stdout.dropped = 1;
    let (_, _, found) = read("dotnet_project", "build", &json!({}), run);
    let counts = ["errorCount", "warningCount"].map(|name| found[name].clone());
    assert_eq!(counts, [900, 700].map(Value::from));
    assert_eq!(found["metadata"]["omittedErrors"], "800");
    // Without counts those are counted that are not kept.
    let many: String = (1..=2500).map(line).collect();
    let (_, _, found) = read(
        "dotnet_project",
        "publish",
        &json!({}),
        ran("dotnet publish", 1, &many),
    );
    assert_eq!(found["errorCount"], 2500);
    assert_eq!(found["metadata"]["omittedErrors"], "2400");
}

/// One project's tests fail, another one is not built at all.
#[test]
fn failing_tests_hide_no_compiler_error() {
    let text = "/p/b.cs(3,5): error CS0246: The type 'X' could not be found [/p/b.csproj]\n  Failed N.T [4 ms]\n  Error Message:\n   no\n\nFailed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4, Duration: 9 ms - a.dll (net10.0)\n";
    let (_, told, found) = read(
        "dotnet_project",
        "test",
        &json!({}),
        ran("dotnet test", 1, text),
    );
    assert_eq!(found["errors"][0]["message"], "1 of 4 tests failed");
    assert_eq!(found["errors"][1]["code"], "CS0246");
    assert_eq!(found["errors"][1]["file"], "/p/b.cs");
    assert!(
        told.contains("/p/b.cs(3,5): error CS0246: The type 'X' could not be found"),
        "{told}"
    );
}
