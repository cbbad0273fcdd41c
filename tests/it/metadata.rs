//! What a client is told of each tool: schemas, hints, metadata, order.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value, json};

use crate::support::{Bridge, DocumentFile, serve, spec, tool};

#[tokio::test]
async fn every_schema_is_2020_12_and_descriptions_are_never_empty() {
    for name in [
        "petstore.yaml",
        "awkward.yaml",
        "conformance.yaml",
        "dotnet.yaml",
    ] {
        let bridge = Bridge::start([
            spec(name).into_os_string(),
            "--base-url".into(),
            "http://127.0.0.1:9".into(),
        ]);
        let tools = bridge.tools().await;
        assert!(tools.len() > 10, "{name}");
        let names: BTreeSet<String> = tools
            .iter()
            .map(|t| t["name"].as_str().unwrap().to_lowercase())
            .collect();
        assert_eq!(
            names.len(),
            tools.len(),
            "names are unique, whatever their case"
        );
        for tool in &tools {
            assert!(!tool["description"].as_str().unwrap().is_empty(), "{tool}");
            for key in ["inputSchema", "outputSchema"] {
                let Some(schema) = tool.get(key) else {
                    continue;
                };
                assert_eq!(schema["type"], "object", "{tool}");
                if let Err(error) = jsonschema::meta::validate(schema) {
                    panic!("{}: {key}: {error}", tool["name"]);
                }
                jsonschema::validator_for(schema).unwrap();
                assert_no_nulls(schema, tool);
            }
        }
    }
}

/// No keyword of a schema is null; null may stand in enumerations, constants, defaults and examples.
fn assert_no_nulls(schema: &Value, tool: &Value) {
    for (key, value) in schema.as_object().into_iter().flatten() {
        assert!(
            !value.is_null() || matches!(key.as_str(), "const" | "default"),
            "{key} in {tool}"
        );
        match value {
            Value::Object(_) if !matches!(key.as_str(), "default" | "const") => {
                assert_no_nulls(value, tool)
            }
            Value::Array(items) if !matches!(key.as_str(), "enum" | "examples" | "default") => {
                for item in items.iter().filter(|item| item.is_object()) {
                    assert_no_nulls(item, tool);
                }
            }
            _ => {}
        }
    }
}

#[tokio::test]
async fn hints_and_metadata_come_from_the_operation() {
    let paths = "  /a:
    get: {operationId: read, tags: [one, two], deprecated: true, x-team: core, externalDocs: {url: 'https://docs.test'}, responses: {'200': {description: ok}}}
    put: {operationId: put, responses: {'200': {description: ok}}}
    post: {operationId: post, summary: Add it, description: Adds it., responses: {'200': {description: ok}}}
    delete: {operationId: delete, responses: {'200': {description: ok}}}
    patch: {operationId: patch, x-mcp: {name: change, title: Change it, description: Changes it., annotations: {destructiveHint: false}}, responses: {'200': {description: ok}}}
  /b:
    get: {operationId: hidden, x-mcp: {exclude: not for models}, responses: {'200': {description: ok}}}
";
    let (_upstream, bridge) = serve(paths, "").await;
    let tools = bridge.tools().await;
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["read", "put", "post", "delete", "change"],
        "document order, exclusions gone"
    );
    let hints = |name: &str| tool(&tools, name)["annotations"].clone();
    assert_eq!(hints("read")["readOnlyHint"], true);
    assert_eq!(hints("read")["tags"], json!(["one", "two"]));
    assert_eq!(
        (
            &hints("put")["idempotentHint"],
            &hints("put")["destructiveHint"]
        ),
        (&json!(true), &json!(true))
    );
    assert_eq!(
        (
            &hints("delete")["idempotentHint"],
            &hints("delete")["destructiveHint"]
        ),
        (&json!(true), &json!(true))
    );
    assert!(hints("post").get("destructiveHint").is_none());
    assert_eq!(hints("change")["destructiveHint"], false);
    assert_eq!(tool(&tools, "change")["title"], "Change it");
    assert_eq!(tool(&tools, "post")["title"], "Add it");

    let meta = &tool(&tools, "read")["_meta"]["mcpinvoke/openapi"];
    assert_eq!(meta["method"], "GET");
    assert_eq!(meta["path"], "/a");
    assert_eq!(meta["operationId"], "read");
    assert_eq!(meta["deprecated"], true);
    assert_eq!(meta["externalDocs"]["url"], "https://docs.test");
    assert!(meta.to_string().contains("x-team"), "{meta}");
}

#[tokio::test]
async fn lists_are_identical_across_calls_clients_and_restarts() {
    let mut paths = String::new();
    for number in 0..250 {
        write!(
            paths,
            "  /resource{number}/{{id}}:\n    get:\n      operationId: Get.Resource {number}\n      parameters: [{{name: id, in: path, required: true, schema: {{type: integer}}}}, {{name: 'filter[{number}]', in: query, schema: {{type: string}}}}]\n      responses: {{'200': {{description: ok}}}}\n"
        )
        .unwrap();
    }
    let text = format!(
        "openapi: 3.0.0\ninfo: {{title: T, version: '1'}}\nservers: [{{url: 'http://127.0.0.1:9'}}]\npaths:\n{paths}"
    );
    let file = DocumentFile::new(&text, ".yaml");
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let first = Bridge::start([file.path()]);
    let answers = futures_util::future::join_all((0..50).map(|_| first.post(message, &[]))).await;
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert_eq!(
        Bridge::start([file.path()]).post(message, &[]).await,
        answers[0]
    );
    let tools = first.tools().await;
    let fits = |text: &str, more: &[u8]| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || more.contains(&byte);
        (1..=64).contains(&text.len()) && text.bytes().all(fits)
    };
    let names: BTreeSet<&str> = tools.iter().filter_map(|t| t["name"].as_str()).collect();
    assert_eq!(names.len(), 250);
    assert!(names.iter().all(|name| fits(name, b"_-")), "{names:?}");
    for tool in &tools {
        jsonschema::meta::validate(&tool["inputSchema"]).unwrap();
        let mut keys = tool["inputSchema"]["properties"]
            .as_object()
            .unwrap()
            .keys();
        assert!(keys.all(|key| fits(key, b"_.-")), "{tool}");
    }
}

#[tokio::test]
async fn several_documents_keep_apart_by_prefix() {
    let one = DocumentFile::new(
        r#"{"openapi":"3.1.0","info":{"title":"One","version":"1"},"servers":[{"url":"http://127.0.0.1:9/v1"}],"paths":{"/x":{"get":{"operationId":"get","responses":{}}}}}"#,
        ".json",
    );
    let bridge = Bridge::start([
        format!("a={}", one.path().display()),
        format!("b={}", one.path().display()),
    ]);
    let names: Vec<String> = bridge
        .tools()
        .await
        .iter()
        .map(|t| t["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, ["a_get", "b_get"]);
}

#[tokio::test]
async fn the_older_discovery_endpoints_show_the_same_tools() {
    let bridge = Bridge::start([spec("petstore.yaml")]);
    let tools = bridge.tools().await;
    for method in [http::Method::GET, http::Method::POST] {
        let url = format!("{}/api/discovery/tools", bridge.origin());
        let response = bridge.http().request(method, url).send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert!(
            response.headers()["content-type"]
                .to_str()
                .unwrap()
                .starts_with("application/json")
        );
        let body: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        let listed = body["tools"].as_array().unwrap();
        assert_eq!(listed.len(), tools.len());
        assert_eq!(listed[0]["name"], tools[0]["name"]);
        assert!(
            listed
                .iter()
                .all(|tool| tool["inputSchema"]["type"] == "object")
        );
        assert!(!body.to_string().contains(":null"), "no null keywords");
        let pet = tool(listed, "getPet");
        assert_eq!(
            pet["inputSchema"]["properties"]["petId"]["annotations"]["source"],
            "route"
        );
        assert_eq!(pet["inputSchema"]["required"], json!(["petId"]));
    }
    let url = format!("{}/.well-known/mcp-context", bridge.origin());
    let context: Value = serde_json::from_str(
        &bridge
            .http()
            .get(url)
            .send()
            .await
            .unwrap()
            .text()
            .await
            .unwrap(),
    )
    .unwrap();
    assert!(context["info"]["schema_version"].is_string(), "{context}");
    assert_eq!(context["tools"].as_array().unwrap().len(), tools.len());
    assert!(context["metadata"].is_object());
}

#[tokio::test]
async fn the_older_discovery_endpoint_tells_both_schemas_and_knows_an_empty_catalogue() {
    let file = DocumentFile::new(
        r#"{"openapi":"3.0.0","info":{"title":"T","version":"1"},"servers":[{"url":"http://127.0.0.1:9"}],"paths":{
            "/api/customer/{id?}":{"get":{"operationId":"x","parameters":[{"name":"id","in":"path","schema":{"type":"integer"}}],
            "responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"type":"object","properties":{"n":{"type":"integer"}}}}}}}}}}}"#,
        ".json",
    );
    let discovered = |bridge: &Bridge| {
        let url = format!("{}/api/discovery/tools", bridge.origin());
        let request = bridge.http().get(url).send();
        async {
            serde_json::from_str::<Value>(&request.await.unwrap().text().await.unwrap()).unwrap()
        }
    };
    let bridge = Bridge::start([file.path()]);
    let found = discovered(&bridge).await["tools"][0].clone();
    assert_eq!(
        found["outputSchema"]["properties"]["n"]["anyOf"][0]["type"], "integer",
        "{found}"
    );
    let id = &found["inputSchema"]["properties"]["id"];
    assert_eq!(
        (&id["type"], &id["annotations"]["source"]),
        (&json!("integer"), &json!("route"))
    );
    let empty = DocumentFile::new(
        r#"{"openapi":"3.0.0","info":{"title":"T","version":"1"},"paths":{}}"#,
        ".json",
    );
    let bridge = Bridge::start([empty.path()]);
    assert_eq!(discovered(&bridge).await, json!({"tools": []}));
}
