//! Operations that run a program: when they may, and how their calls are answered.
#![cfg(unix)]

use serde_json::{Value, json};

use crate::support::toolset::{Toolset, Work};
use crate::support::{Answer, Bridge, DocumentFile, Upstream, run, spec, text, tool};

/// One action for each encoding, and some that show how programs are run.
pub const WORK: Work = Work {
    properties: "value: {type: string}, \
        list: {type: array, items: {type: string}}, \
        flag: {type: boolean}, \
        unsafeOutput: {type: boolean}, \
        project: {type: string}",
    actions: "
          Plain: {effect: read, requires: [value], run: [{words: [plain, {option: -x, value: value}, end]}]}
          Path: {effect: read, run: [{words: [path, {value: value, as: path}, end]}]}
          Property: {effect: read, run: [{words: [property, {prefix: '-p:A=', value: value, as: property}, end]}]}
          PropertyPath: {effect: read, run: [{words: [property, {option: -o, value: value, as: property-path}, end]}]}
          Verbatim: {effect: read, run: [{words: [verbatim, --, {value: value, as: verbatim}]}]}
          Split: {effect: read, run: [{words: [split, {split: value}, end]}]}
          List: {effect: read, run: [{words: [list, {option: -i, value: list}, {flag: --on, when: flag}, end]}]}
          Either: {effect: read, requires: [[value, project]], run: [{words: [either, {when: {given: project}, then: [project], else: [value]}]}]}
          Env: {effect: read, run: [{words: [env]}]}
          Stdin: {effect: read, run: [{words: [stdin]}]}
          Where: {effect: read, run: [{words: [where]}]}
          Fail: {run: [{words: [fail]}, {words: [never]}]}
          Optional: {run: [{words: [fail], optional: true}, {words: [second]}]}
          Secret: {secret: [value], run: [{words: [secret, {value: value}]}]}
          Leak: {run: [{words: [leak]}]}
          Lines: {run: [{words: [lines]}]}
          Destroy: {effect: destroy, secret: [value], run: [{words: [destroy, {value: value}]}]}",
};

pub fn arguments(action: &str, value: &str) -> Value {
    json!({"action": action, "value": value})
}

#[tokio::test]
async fn programs_get_no_input_and_a_chosen_environment() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    let result = bridge.call("work", json!({"action": "Stdin"})).await;
    assert!(text(&result).contains("end of input"), "{result}");
    let result = bridge.call("work", json!({"action": "Env"})).await;
    let names: Vec<&str> = text(&result)
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name)
        .collect();
    assert!(
        names.contains(&"PATH") && names.contains(&"DOTNET_NOLOGO"),
        "{names:?}"
    );
    // cargo sets these for the test, and so for the bridge.
    assert!(
        !names.iter().any(|name| name.starts_with("CARGO")),
        "{names:?}"
    );
}

#[tokio::test]
async fn null_is_absent_and_action_names_are_as_they_stand() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    let call = json!({"action": "List", "value": null, "list": null, "flag": null, "workingDirectory": null});
    let result = bridge.call("work", call).await;
    assert_ne!(result["isError"], true, "{result}");
    assert_eq!(toolset.argv().unwrap(), ["list", "end"]);
    toolset.forget();
    for (action, reason) in [(json!(null), "required"), (json!("list"), "invalid value")] {
        let result = bridge.call("work", json!({"action": action})).await;
        let error = &result["structuredContent"]["errors"][0];
        assert_eq!(error["code"], "INVALID_PARAMS", "{result}");
        let told = &error["data"]["additionalData"];
        assert_eq!(told["reason"], reason);
        assert!(told["validActions"].as_str().unwrap().contains("List"));
        if action == "list" {
            assert_eq!(told["providedValue"], "list");
            assert!(error["suggestedFixes"].to_string().contains("'List'"));
        }
    }
    let missing = json!({"action": "Plain", "value": null});
    let result = bridge.call("work", missing).await;
    let told = &result["structuredContent"]["errors"][0]["data"]["additionalData"];
    assert_eq!(
        (&told["parameter"], &told["reason"]),
        (&json!("value"), &json!("required"))
    );
    assert_eq!(toolset.starts(), 0);
}

#[tokio::test]
async fn command_lines_follow_each_other_until_one_fails() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    let result = bridge.call("work", json!({"action": "Fail"})).await;
    assert_eq!(result["isError"], true);
    assert!(
        text(&result).contains("it broke") && text(&result).contains("Exit Code: 3"),
        "{result}"
    );
    assert_eq!(toolset.starts(), 1);
    bridge.call("work", json!({"action": "Optional"})).await;
    assert_eq!(toolset.starts(), 3);
    assert_eq!(toolset.argv().unwrap(), ["second"]);
}

#[tokio::test]
async fn secrets_are_nowhere() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    let secret = "correct horse battery";
    let result = bridge.call("work", arguments("Secret", secret)).await;
    assert_eq!(toolset.argv().unwrap(), ["secret", secret]);
    assert!(!result.to_string().contains(secret), "{result}");
    assert!(text(&result).contains("you said [REDACTED]"), "{result}");
    let result = bridge.call("work", arguments("Destroy", secret)).await;
    assert!(!result.to_string().contains(secret), "{result}");
    assert!(!bridge.log().contains(secret));
}

#[tokio::test]
async fn output_is_masked_unless_the_operator_allows_it() {
    for (allowed, shown) in [(false, false), (true, true)] {
        let toolset = Toolset::new(&WORK);
        toolset.configure(&format!("unsafe_output: {allowed}"));
        let bridge = toolset.bridge();
        let asked = json!({"action": "Leak", "unsafeOutput": true});
        let result = bridge.call("work", asked).await.to_string();
        assert_eq!(result.contains("SuperSecret123"), shown, "{result}");
        let result = bridge
            .call("work", json!({"action": "Leak"}))
            .await
            .to_string();
        assert!(!result.contains("SuperSecret123"), "{result}");
    }
}

#[tokio::test]
async fn what_no_command_line_tells_is_shown_before_it_is_agreed_to() {
    let toolset = Toolset::new(&Work {
        properties: "key: {type: string}, value: {type: string}, project: {type: string}, \
            pin: {type: string, format: password}",
        actions: "
          Feed: {effect: destroy, secret: [value], run: [{input: {key: key, value: value}, words: [feed]}]}
          Part: {effect: destroy, builtin: set-property}
          Plain: {effect: destroy, run: [{words: [plain, {value: key}]}]}",
    });
    let bridge = toolset.bridge();
    let call = async |action: &str| {
        let arguments = json!({
            "action": action, "key": "Shop:Name", "value": "planted-value", "pin": "planted-pin", "project": "App.csproj"
        });
        let asked = bridge.call("work", arguments).await;
        let told = &asked["structuredContent"];
        assert_eq!(
            told["errors"][0]["code"], "CONFIRMATION_REQUIRED",
            "{asked}"
        );
        asked.to_string()
    };
    for action in ["Feed", "Part"] {
        let asked = call(action).await;
        assert!(
            asked.contains("Shop:Name") && asked.contains("App.csproj"),
            "{asked}"
        );
        assert!(asked.contains("value"), "{asked}");
        assert!(!asked.contains("planted"), "{asked}");
    }
    let asked = call("Plain").await;
    assert!(
        asked.contains("plain Shop:Name") && !asked.contains("App.csproj"),
        "{asked}"
    );
    assert_eq!(toolset.starts(), 0);
}

#[tokio::test]
async fn what_destroys_is_asked_for() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    let call = json!({"action": "Destroy", "value": "it all", "workingDirectory": "app"});
    let asked = bridge.call("work", call.clone()).await;
    assert_eq!(toolset.starts(), 0);
    let shown = asked.to_string();
    let preview = format!("in {}/app", toolset.root().display());
    assert!(
        shown.contains("dotnet destroy [REDACTED]") && shown.contains(&preview),
        "{asked}"
    );
    // It is a failure like any other of such a tool.
    let told = &asked["structuredContent"];
    assert_eq!(asked["isError"], true);
    assert_eq!(told["success"], false, "{asked}");
    assert_eq!(told["exitCode"], -1);
    let error = &told["errors"][0];
    assert_eq!(error["code"], "CONFIRMATION_REQUIRED");
    assert_eq!(error["category"], "Validation");
    assert_eq!(error["rawOutput"], "");
    assert_eq!(error["data"]["additionalData"]["token"], told["token"]);
    // The same call with the token runs, another one does not.
    let token = &asked["structuredContent"]["token"];
    let with = |arguments: &Value| json!({"name": "work", "arguments": arguments, "_meta": {"mcpinvoke/confirmation": token}});
    let mut other = call.clone();
    other["value"] = "something else".into();
    let refused = bridge.legacy("tools/call", with(&other)).await;
    let error = &refused["result"]["structuredContent"]["errors"][0];
    assert_eq!(error["code"], "INVALID_PARAMS", "{refused}");
    assert_eq!(toolset.starts(), 0);
    let done = bridge.legacy("tools/call", with(&call)).await;
    assert_ne!(done["result"]["isError"], true, "{done}");
    assert_eq!(toolset.argv().unwrap(), ["destroy", "it all"]);
    bridge.legacy("tools/call", with(&call)).await;
    assert_eq!(toolset.starts(), 1);
    // A spelling that is put right on the way is asked for as well.
    let spelled = json!({"action": "\"Destroy\"", "value": "x"});
    bridge.call("work", spelled).await;
    assert_eq!(toolset.starts(), 1);
    // The other actions of the same tool are not.
    bridge.call("work", arguments("Plain", "x")).await;
    assert_eq!(toolset.starts(), 2);
}

#[tokio::test]
async fn an_operator_is_asked_for_it_where_there_is_one() {
    let token = "a-long-token-of-the-operator";
    let toolset = Toolset::new(&WORK);
    toolset.append(&format!(
        "confirm: {{approvals: {{token: {token}, name: olga, wait: 1s}}}}"
    ));
    let bridge = toolset.bridge();
    let call = json!({"action": "Destroy", "value": "it all", "workingDirectory": "app"});
    let asked = bridge.call("work", call.clone()).await;
    let told = &asked["structuredContent"];
    assert_eq!(told["status"], "approval_pending", "{asked}");
    let url = told["url"].as_str().unwrap();
    let client = bridge.http();
    let page = client.get(url).bearer_auth(token);
    let page = page.send().await.unwrap().text().await.unwrap();
    let place = format!("in {}/app", toolset.root().display());
    assert!(
        page.contains("dotnet destroy [REDACTED]") && page.contains(&place),
        "{page}"
    );
    assert!(!page.contains("it all"), "{page}");
    let decided = client.post(url).bearer_auth(token);
    let decided = decided.header("content-type", "application/json");
    let decided = decided.body(json!({"decision": "approve"}).to_string());
    assert_eq!(decided.send().await.unwrap().status(), 200);
    // Another call is another question.
    let mut other = call.clone();
    other["value"] = "something else".into();
    let result = bridge.call("work", other).await;
    assert_eq!(result["structuredContent"]["status"], "approval_pending");
    assert_eq!(toolset.starts(), 0);
    let done = bridge.call("work", call.clone()).await;
    assert_eq!(done["isError"], false, "{done}");
    assert_eq!(toolset.argv().unwrap(), ["destroy", "it all"]);
    let again = bridge.call("work", call).await;
    assert_eq!(again["structuredContent"]["status"], "approval_pending");
    assert_eq!(toolset.starts(), 1);
    let log = bridge.logged(r#"confirmation="approved""#).await;
    let line = log
        .lines()
        .find(|line| line.contains(r#"confirmation="approved""#));
    assert!(line.unwrap().contains(r#"by="olga""#), "{log}");
}

#[tokio::test]
async fn progress_tells_the_lines() {
    let toolset = Toolset::new(&WORK);
    let mut stdio = toolset.session();
    stdio.send(
        &json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "work", "arguments": {"action": "Lines"}, "_meta": {"progressToken": 7}}})
        .to_string(),
    );
    let first = stdio.receive();
    assert_eq!(first["method"], "notifications/progress", "{first}");
    assert_eq!(first["params"]["message"], "one");
    let mut last = first;
    while last.get("id").is_none() {
        last = stdio.receive();
    }
    assert!(text(&last["result"]).contains("three"), "{last}");
    let (code, rest) = stdio.finish();
    assert_eq!((code, rest.len()), (Some(0), 0), "{rest:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_document_runs_nothing() {
    let toolset = Toolset::new(&WORK);
    let document = toolset.base().join("tools.yaml");
    let text = std::fs::read_to_string(&document).unwrap();
    // Another file, where nobody named the toolset.
    let output = run(&["tools", document.to_str().unwrap(), "--why"]);
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        said.contains("--dotnet") && !said.contains("\nwork "),
        "{said}"
    );
    // A URL, although somebody did.
    let served = Upstream::start(move |_| Answer::new(200, "application/yaml", text.clone())).await;
    let url = format!("{}/tools.yaml", served.url());
    let output = run(&["tools", &url, "--why", "--dotnet"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("from a URL") && !said.contains("runs dotnet"),
        "{said}"
    );
    // A file with the toolset named.
    let output = run(&["tools", document.to_str().unwrap(), "--dotnet"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("runs dotnet"), "{said}");
}

#[tokio::test]
async fn the_shipped_document_is_served_as_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().display().to_string();
    for arguments in [
        vec![spec("dotnet.yaml").display().to_string()],
        vec!["--dotnet".to_owned()],
    ] {
        let bridge = Bridge::start(arguments.iter().chain([&"--root".to_owned(), &root]));
        let tools = bridge.tools().await;
        assert_eq!(tools.len(), 12);
        let project = tool(&tools, "dotnet_project");
        assert!(!project.to_string().contains("x-mcp-command"));
        assert!(bridge.log().contains("12 tools run"), "{}", bridge.log());
    }
    // Somebody changed what one action runs.
    let text = std::fs::read_to_string(spec("dotnet.yaml")).unwrap();
    let edited = DocumentFile::new(
        &text
            .replace("- -n\n", "- -m\n")
            .replace("{option: -n, value: name}", "{option: -m, value: name}"),
        ".yaml",
    );
    let output = run(&["tools", edited.path().to_str().unwrap(), "--why"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("POST /dotnet_project: it runs programs"),
        "{said}"
    );
}

#[tokio::test]
async fn without_the_program_the_server_stays() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    std::fs::rename(toolset.base().join("dotnet"), toolset.base().join("gone")).unwrap();
    let result = bridge.call("work", arguments("Plain", "x")).await;
    assert_eq!(result["isError"], true);
    assert!(
        result["structuredContent"]
            .to_string()
            .contains("CAPABILITY_NOT_AVAILABLE"),
        "{result}"
    );
    std::fs::rename(toolset.base().join("gone"), toolset.base().join("dotnet")).unwrap();
    let result = bridge.call("work", arguments("Plain", "x")).await;
    assert_ne!(result["isError"], true, "{result}");
}

#[tokio::test]
async fn a_call_that_has_to_wait_is_told_in_the_envelope() {
    let toolset = Toolset::new(&WORK);
    toolset.append("rate: {tool: 1/1h}\n");
    let bridge = toolset.bridge();
    let first = bridge.call("work", arguments("Plain", "a")).await;
    assert_ne!(first["isError"], true, "{first}");
    toolset.forget();
    let limited = bridge.call("work", arguments("Plain", "a")).await;
    assert_eq!(limited["isError"], true);
    let error = &limited["structuredContent"]["errors"][0];
    assert_eq!(error["code"], "CAPABILITY_NOT_AVAILABLE", "{limited}");
    assert!(text(&limited).contains("wait 3600 s"), "{limited}");
    assert_eq!(toolset.argv(), None);
}
