//! Search mode from outside: three tools instead of many, with the same calls behind them; and the
//! profiles and budgets that decide what is listed.

use serde_json::{Value, json};

use crate::support::{
    Answer, Bridge, Seen, Stdio, Upstream, configured, document, run, serve, spec, text, tool,
};

const SHOP: &str = "  /orders/{id}:
    get:
      operationId: getOrder
      summary: One order
      tags: [Orders]
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses:
        '200': {description: ok, content: {application/json: {schema: {type: object, properties: {ok: {type: boolean}}}}}}
  /orders:
    post:
      operationId: createOrder
      summary: Places an order
      tags: [Orders]
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [item], properties: {item: {type: string}, color: {type: string, enum: [red, green]}}, additionalProperties: false}}}}
      responses: {'201': {description: ok}}
  /invoices:
    get: {operationId: listInvoices, summary: All bills, tags: [Billing], responses: {'200': {description: ok}}}
";

fn answer(seen: &Seen) -> Answer {
    match seen.target.as_str() {
        "/orders/404" => Answer::new(404, "application/json", r#"{"error":"no such order"}"#),
        _ => Answer::json(r#"{"ok":true}"#),
    }
}

async fn shop(flags: &[&str]) -> (Upstream, Bridge) {
    let upstream = Upstream::start(answer).await;
    let document = document(SHOP, "");
    let mut words = vec![
        document.path().display().to_string(),
        "--base-url".to_owned(),
        upstream.url(),
    ];
    words.extend(flags.iter().map(|flag| (*flag).to_owned()));
    let bridge = Bridge::start(words);
    // The document's file is to live until it is read.
    bridge.tools().await;
    (upstream, bridge)
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect()
}

#[tokio::test]
async fn three_tools_stand_for_all() {
    let (upstream, bridge) = shop(&["--tools-mode", "search"]).await;
    let tools = bridge.tools().await;
    assert_eq!(
        names(&tools),
        ["search_tools", "describe_tool", "call_tool"]
    );
    assert!(
        tool(&tools, "search_tools")["description"]
            .as_str()
            .unwrap()
            .contains("Billing")
    );
    let (_, modern) = bridge.modern("tools/list", json!({})).await;
    assert_eq!(modern["result"]["tools"].as_array().unwrap().len(), 3);

    let found = bridge
        .call(
            "search_tools",
            json!({"query": "place an order", "limit": 1}),
        )
        .await;
    let hits = &found["structuredContent"];
    assert_eq!(hits["tools"][0]["name"], "createOrder", "{found}");
    assert_eq!(hits["tools"].as_array().unwrap().len(), 1);
    assert!(hits["total"].as_u64().unwrap() >= 2, "{found}");
    assert_eq!(serde_json::from_str::<Value>(text(&found)).unwrap(), *hits);
    let billing = bridge
        .call("search_tools", json!({"query": "", "tag": "billing"}))
        .await;
    assert_eq!(
        billing["structuredContent"]["tools"][0]["name"],
        "listInvoices"
    );

    let described = bridge
        .call("describe_tool", json!({"name": "getOrder"}))
        .await;
    let definition = &described["structuredContent"];
    assert_eq!(
        definition["inputSchema"]["required"],
        json!(["id"]),
        "{described}"
    );
    assert!(definition["outputSchema"].is_object());
    let unknown = bridge
        .call("describe_tool", json!({"name": "getOrders"}))
        .await;
    assert_eq!(unknown["isError"], true);
    assert!(text(&unknown).contains("`getOrder`"), "{unknown}");
    assert_eq!(upstream.arrived(), 0);
    bridge.logged("searching").await;
}

#[tokio::test]
async fn searching_counts_as_calling_does() {
    let upstream = Upstream::start(answer).await;
    let document = document(SHOP, "");
    let settings = "tools: {mode: search}\nrate: {caller: 2/1h}\n";
    let bridge = configured(&document, &upstream.url(), settings);
    let search = json!({"query": "order"});
    for refused in [false, false, true] {
        let found = bridge.call("search_tools", search.clone()).await;
        assert_eq!(found["isError"] == true, refused, "{found}");
        assert_eq!(text(&found).contains("wait 1800 s"), refused, "{found}");
    }
}

#[tokio::test]
async fn a_call_through_call_tool_is_the_call_itself() {
    let (upstream, bridge) = shop(&["--tools-mode", "search"]).await;
    let wrapped = |name: &str, arguments: Value| json!({"name": "call_tool", "arguments": {"name": name, "arguments": arguments}});
    for (name, arguments) in [
        ("getOrder", json!({"id": 7})),
        ("getOrder", json!({"id": 404})),
        ("getOrder", json!({"id": "x"})),
        ("getOrder", json!({"Id": 7})),
        (
            "createOrder",
            json!({"body": {"item": "tea", "color": "gren"}}),
        ),
        ("nothing", json!({})),
    ] {
        let plain = json!({"name": name, "arguments": arguments});
        let direct = bridge.legacy("tools/call", plain.clone()).await;
        let through = bridge
            .legacy("tools/call", wrapped(name, arguments.clone()))
            .await;
        assert_eq!(direct, through, "{name} {arguments}");
        let direct = bridge.modern("tools/call", plain).await;
        let through = bridge
            .modern("tools/call", wrapped(name, arguments.clone()))
            .await;
        assert_eq!(direct, through, "{name} {arguments}");
        // The method is the tool's name.
        let direct = bridge.legacy(name, arguments.clone()).await;
        let through = bridge
            .legacy("call_tool", wrapped(name, arguments)["arguments"].clone())
            .await;
        if name != "nothing" {
            assert_eq!(direct, through);
        }
    }
    assert!(
        upstream
            .seen()
            .iter()
            .all(|seen| seen.target.starts_with("/orders/"))
    );
    let log = bridge.logged("getOrder").await;
    assert!(!log.contains("tool=\"call_tool\""), "{log}");

    let wrong = bridge.call("call_tool", json!({"tool": "getOrder"})).await;
    assert_eq!(wrong["isError"], true);
    assert!(text(&wrong).contains("name"), "{wrong}");
}

#[tokio::test(flavor = "multi_thread")]
async fn stdio_serves_the_same() {
    let upstream = Upstream::start(answer).await;
    let document = document(SHOP, "");
    let mut client = Stdio::start([
        document.path().display().to_string(),
        "--base-url".to_owned(),
        upstream.url(),
        "--tools-mode=search".to_owned(),
    ]);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "call_tool", "arguments": {"name": "getOrder", "arguments": {"id": 1}}}});
    client.send(&call.to_string());
    assert_eq!(
        client.receive()["result"]["content"][0]["text"],
        r#"{"ok":true}"#
    );
    let search = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "search_tools", "arguments": {"query": "bills"},
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}}}});
    client.send(&search.to_string());
    let found = client.receive();
    assert_eq!(found["result"]["resultType"], "complete");
    assert_eq!(
        found["result"]["structuredContent"]["tools"][0]["name"], "listInvoices",
        "{found}"
    );
    drop(client);
}

#[tokio::test]
async fn the_budget_decides_and_says_so() {
    let (_upstream, bridge) = shop(&["--tools-budget", "100000"]).await;
    assert_eq!(bridge.tools().await.len(), 3);
    assert!(tool(&bridge.tools().await, "getOrder").is_object());
    let (_upstream, bridge) = shop(&["--tools-budget", "10"]).await;
    assert_eq!(names(&bridge.tools().await)[0], "search_tools");
    bridge.logged("budget").await;
    let (_upstream, bridge) = shop(&["--tools-budget", "10", "--tools-mode", "list"]).await;
    assert!(tool(&bridge.tools().await, "getOrder").is_object());
    bridge.logged("budget").await;
}

#[tokio::test]
async fn slips_are_answered_with_what_was_meant() {
    let (upstream, bridge) = shop(&[]).await;
    let wrong = bridge.call("getOrder", json!({"ID": 7})).await;
    assert!(text(&wrong).contains("`id`"), "{wrong}");
    let body = json!({"body": {"item": "tea", "color": "gren"}});
    let wrong = bridge.call("createOrder", body).await;
    assert!(text(&wrong).contains("green"), "{wrong}");
    assert_eq!(upstream.arrived(), 0);
}

#[tokio::test]
async fn older_clients_get_no_references_in_output_schemas() {
    let node = "  /nodes:
    get:
      operationId: nodes
      responses:
        '200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Node'}}}}
";
    let components = "  schemas:
    Node: {type: object, properties: {next: {$ref: '#/components/schemas/Node'}}}";
    let (_upstream, bridge) = serve(node, components).await;
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    for (revision, there) in [("2025-06-18", false), ("2025-11-25", true)] {
        let headers = [("mcp-protocol-version", revision)];
        let (_, answer) = bridge.post(list.clone(), &headers).await;
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let output = &answer["result"]["tools"][0]["outputSchema"];
        assert_eq!(output.is_object(), there, "{revision}: {answer}");
    }
}

#[test]
fn every_profile_of_the_shipped_documents_is_valid() {
    for document in ["petstore.yaml", "awkward.yaml"] {
        let path = spec(document).display().to_string();
        for profile in ["default", "openai", "gemini", "simple"] {
            let output = run(&["tools", &path, "--json", "--schema-profile", profile]);
            let tools: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
            assert!(!tools.is_empty());
            for tool in tools {
                let schema = &tool["inputSchema"];
                assert!(jsonschema::draft202012::meta::is_valid(schema), "{schema}");
                assert_eq!(schema["type"], "object");
                let listed = schema.to_string();
                if profile == "gemini" || profile == "simple" {
                    assert!(!listed.contains("\"$ref\""), "{listed}");
                    assert!(!listed.contains("\"type\":["), "{listed}");
                }
            }
        }
    }
}

#[test]
fn costs_are_told_for_every_form() {
    let path = spec("petstore.yaml").display().to_string();
    let output = run(&["tools", &path, "--cost", "--tools-mode", "search"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for expected in [
        "the full list",
        "a slim list",
        "search mode  (this is what clients get)",
    ] {
        assert!(text.contains(expected), "no {expected} in {text}");
    }
    let costs: Vec<usize> = text
        .lines()
        .filter(|line| !line.contains("in all"))
        .map(|line| line.split_whitespace().next().unwrap().parse().unwrap())
        .collect();
    assert!(costs.is_sorted_by(|a, b| a >= b), "{costs:?}");
}
