//! Human confirmation end to end: nothing reaches the upstream before the yes, one request after it.

use std::sync::mpsc;

use serde_json::{Value, json};

use crate::support::{Bridge, DocumentFile, Stdio, Upstream, document, question, run, serve, text};

const PETS: &str = "  /pets/{id}:
    delete:
      operationId: removePet
      x-mcp: {confirm: true}
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer}}
        - {name: pin, in: query, schema: {type: string, format: password}}
      responses: {'200': {description: ok, content: {application/json: {schema: {type: object}}}}}
    put:
      operationId: renamePet
      x-mcp: {confirm: true, ask: [name]}
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer}}
        - {name: name, in: query, required: true, schema: {type: string, minLength: 2}}
      responses: {'200': {description: ok}}
";

/// A call as revision 2026-07-28 makes it; the answer's `result` or `error`.
async fn modern(bridge: &Bridge, capabilities: Value, mut params: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    let name = params["name"].as_str().unwrap().to_owned();
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let headers = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", name.as_str()),
    ];
    let (_, text) = bridge.post(message.to_string(), &headers).await;
    let answer: Value = serde_json::from_str(&text).unwrap();
    answer
        .get("result")
        .or(answer.get("error"))
        .unwrap()
        .clone()
}

fn remove(id: u64) -> Value {
    json!({"name": "removePet", "arguments": {"id": id, "pin": "hunter2"}})
}

fn answered(mut call: Value, question: &str, answer: Value, state: &Value) -> Value {
    call["inputResponses"][question] = answer;
    call["requestState"] = state.clone();
    call
}

#[tokio::test]
async fn a_modern_client_is_asked_by_a_result() {
    let (upstream, bridge) = serve(PETS, "").await;
    let forms = || json!({"elicitation": {}});
    let asked = modern(&bridge, forms(), remove(1)).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let question = &asked["inputRequests"]["confirm"];
    assert_eq!(question["method"], "elicitation/create");
    let message = question["params"]["message"].as_str().unwrap();
    assert!(
        message.contains("DELETE") && message.contains("/pets/1?pin=***"),
        "{message}"
    );
    assert!(!asked.to_string().contains("hunter2"));
    assert_eq!(
        question["params"]["requestedSchema"],
        json!({"type": "object", "properties": {}})
    );
    let state = &asked["requestState"];
    let accept = || json!({"action": "accept", "content": {}});

    let refused = [
        answered(remove(2), "confirm", accept(), state),
        answered(
            remove(1),
            "confirm",
            accept(),
            &json!(format!("{}-", state.as_str().unwrap())),
        ),
    ];
    for call in refused {
        let error = modern(&bridge, forms(), call).await;
        assert_eq!(error["code"], -32602, "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("the confirmation state is refused: "));
    }
    for nothing in [json!(7), json!(["accept"]), json!(["accept", {}])] {
        let call = answered(remove(1), "confirm", nothing, state);
        let again = modern(&bridge, forms(), call).await;
        assert_eq!(again["resultType"], "input_required", "{again}");
    }
    let invalid = json!({"name": "removePet", "arguments": {"id": "x"}});
    let invalid = modern(&bridge, forms(), invalid).await;
    assert_eq!(invalid["isError"], true);
    assert_eq!(upstream.arrived(), 0);

    let mut yes = answered(remove(1), "confirm", accept(), state);
    yes["inputResponses"]["more"] = json!({"action": "accept"});
    let done = modern(&bridge, forms(), yes.clone()).await;
    assert_eq!(
        (&done["resultType"], &done["isError"]),
        (&json!("complete"), &json!(false)),
        "{done}"
    );
    assert_eq!(upstream.only().target, "/pets/1?pin=hunter2");
    assert_eq!(modern(&bridge, forms(), yes).await["code"], -32602);

    let state = &modern(&bridge, forms(), remove(3)).await["requestState"].clone();
    for answer in ["decline", "cancel"] {
        let no = answered(remove(3), "confirm", json!({"action": answer}), state);
        let told = modern(&bridge, forms(), no).await;
        // The second one comes with a state that the first has used up.
        match answer {
            "decline" => assert!(text(&told).contains("declined"), "{told}"),
            _ => assert_eq!(told["code"], -32602),
        }
    }
    assert_eq!(upstream.arrived(), 1);
    for word in [
        "elicitation",
        "declined",
        "state_used",
        "state_forged",
        "state_of_other_call",
    ] {
        bridge.logged(word).await;
    }
    assert!(!bridge.log().contains("hunter2"));
}

#[tokio::test]
async fn a_client_without_forms_gets_a_token_that_works_once() {
    let (upstream, bridge) = serve(PETS, "").await;
    for capabilities in [json!({}), json!({"elicitation": {"url": {}}})] {
        upstream.forget();
        let before = upstream.arrived();
        let told = modern(&bridge, capabilities.clone(), remove(1)).await;
        let data = &told["structuredContent"];
        assert_eq!(
            (&told["isError"], &data["status"]),
            (&json!(true), &json!("confirmation_required")),
            "{told}"
        );
        assert_eq!(data["preview"]["method"], "DELETE");
        assert!(data["expiresAt"].as_str().unwrap().ends_with('Z'));
        let token = data["token"].as_str().unwrap();
        assert!(text(&told).contains(token) && !told.to_string().contains("hunter2"));
        let with = |mut call: Value| {
            call["_meta"] = json!({"mcpinvoke/confirmation": token});
            call
        };
        let error = modern(&bridge, capabilities.clone(), with(remove(2))).await;
        assert_eq!(error["code"], -32602);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("the confirmation token is refused: "));
        assert_eq!(upstream.arrived(), before);
        let both = tokio::join!(
            modern(&bridge, capabilities.clone(), with(remove(1))),
            modern(&bridge, capabilities.clone(), with(remove(1)))
        );
        let won = [&both.0, &both.1]
            .iter()
            .filter(|one| one["isError"] == false)
            .count();
        let lost = [&both.0, &both.1]
            .iter()
            .filter(|one| one["code"] == -32602)
            .count();
        assert_eq!((won, lost), (1, 1), "{both:?}");
        assert_eq!(upstream.only().method, "DELETE");
    }
    // Older revisions, and a method that is the tool's name.
    let before = upstream.arrived();
    let told = bridge.legacy("removePet", json!({"id": 5})).await["result"].clone();
    let token = &told["structuredContent"]["token"];
    let call = json!({"id": 5, "_meta": {"mcpinvoke/confirmation": token}});
    let done = bridge.legacy("removePet", call).await;
    assert_eq!(done["result"]["isError"], false, "{done}");
    assert_eq!(upstream.arrived(), before + 1);
}

#[tokio::test]
async fn what_is_missing_is_asked_for_first() {
    let (upstream, bridge) = serve(PETS, "").await;
    let forms = || json!({"elicitation": {"form": {}}});
    let rename = || json!({"name": "renamePet", "arguments": {"id": 1}});
    let first = modern(&bridge, forms(), rename()).await;
    let schema = &first["inputRequests"]["arguments"]["params"]["requestedSchema"];
    assert_eq!(
        schema["properties"]["name"],
        json!({"type": "string", "minLength": 2}),
        "{first}"
    );
    assert_eq!(schema["required"], json!(["name"]));
    let short = json!({"action": "accept", "content": {"name": "x"}});
    let short = answered(rename(), "arguments", short, &first["requestState"]);
    let again = modern(&bridge, forms(), short).await;
    let good = json!({"action": "accept", "content": {"name": "Rex", "id": 9}});
    let good = answered(rename(), "arguments", good, &again["requestState"]);
    let second = modern(&bridge, forms(), good).await;
    let message = second["inputRequests"]["confirm"]["params"]["message"].as_str();
    assert!(
        message.unwrap_or_default().contains("/pets/1?name=Rex"),
        "{second}"
    );
    assert_eq!(upstream.arrived(), 0);
    let yes = answered(
        rename(),
        "confirm",
        json!({"action": "accept"}),
        &second["requestState"],
    );
    let done = modern(&bridge, forms(), yes).await;
    assert_eq!(done["isError"], false, "{done}");
    assert_eq!(upstream.only().target, "/pets/1?name=Rex");
    // Nobody can be asked: the argument is simply missing.
    let missing = modern(&bridge, json!({}), rename()).await;
    assert!(text(&missing).contains("name"), "{missing}");
}

#[tokio::test]
async fn an_older_client_is_asked_on_the_stream_of_its_call() {
    let (upstream, bridge) = serve(PETS, "").await;
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "t", "version": "1"}});
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let opened = bridge.request(initialize.to_string()).send().await.unwrap();
    let session = opened.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    for (action, arrives) in [("decline", 0), ("accept", 1)] {
        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": remove(1)});
        let mut stream = bridge
            .request(call.to_string())
            .header("accept", "application/json, text/event-stream")
            .header("mcp-session-id", &session)
            .send()
            .await
            .unwrap();
        let question = question(&mut stream).await;
        assert_eq!(upstream.arrived(), 0);
        let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": action, "content": {}}});
        let posted = bridge
            .post(answer.to_string(), &[("mcp-session-id", &session)])
            .await;
        assert_eq!(posted.0, 202);
        let rest = stream.text().await.unwrap();
        assert!(
            rest.contains(if action == "accept" {
                "\"isError\":false"
            } else {
                "declined"
            }),
            "{rest}"
        );
        assert_eq!(upstream.arrived(), arrives);
    }
}

#[tokio::test]
async fn stdio_asks_in_both_eras() {
    let upstream = Upstream::ok().await;
    let document = document(PETS, "");
    let path = document.path().to_str().unwrap().to_owned();
    let (done, finished) = mpsc::channel();
    let (url, counter) = (upstream.url(), upstream.clone());
    // The upstream needs this test's runtime while the client waits.
    let client = std::thread::spawn(move || {
        let mut bridge = Stdio::start([path.as_str(), "--base-url", &url]);
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "t", "version": "1"}});
        bridge.send(
            &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
                .to_string(),
        );
        bridge.receive();
        bridge.send(
            &json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": remove(1)})
                .to_string(),
        );
        let question = bridge.receive();
        assert_eq!(question["method"], "elicitation/create");
        assert_eq!(counter.arrived(), 0);
        bridge.send(
            &json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept"}})
                .to_string(),
        );
        let answer = bridge.receive();
        assert_eq!(
            (&answer["id"], &answer["result"]["isError"]),
            (&json!(2), &json!(false)),
            "{answer}"
        );

        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}});
        let mut call = remove(2);
        call["_meta"] = meta;
        bridge.send(
            &json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call}).to_string(),
        );
        let asked = bridge.receive();
        let yes = answered(
            call,
            "confirm",
            json!({"action": "accept"}),
            &asked["result"]["requestState"],
        );
        bridge.send(
            &json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": yes}).to_string(),
        );
        let answer = bridge.receive();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        done.send(()).unwrap();
    });
    while !client.is_finished() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    client.join().unwrap();
    finished.recv().unwrap();
    assert_eq!(upstream.arrived(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_operator_decides_what_needs_a_yes_and_whether_tokens_do() {
    let paths = PETS
        .replace("confirm: true, ", "")
        .replace("x-mcp: {confirm: true}", "deprecated: false");
    let (upstream, document) = (Upstream::ok().await, document(&paths, ""));
    let settings = "confirm: {rules: [{operations: ['remove*']}], fallback: deny}\n";
    let settings = DocumentFile::new(settings, ".yaml");
    let path = |file: &DocumentFile| file.path().to_str().unwrap().to_owned();
    let (document, settings, url) = (path(&document), path(&settings), upstream.url());
    let bridge = Bridge::start([&document, "--config", &settings, "--base-url", &url]);
    let told = modern(&bridge, json!({}), remove(1)).await;
    assert_eq!(told["isError"], true);
    assert!(
        told.get("structuredContent").is_none() && text(&told).contains("no way to ask"),
        "{told}"
    );
    let free = json!({"name": "renamePet", "arguments": {"id": 1, "name": "Rex"}});
    assert_eq!(modern(&bridge, json!({}), free).await["isError"], false);
    assert_eq!(upstream.arrived(), 1);
    // On the shell, somebody else says yes.
    let call = [
        "call",
        &document,
        "removePet",
        "--config",
        &settings,
        "--base-url",
        &url,
        "--arg",
        "id=1",
    ];
    let refused = run(&call);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--yes"));
    assert_eq!(upstream.arrived(), 1);
    let done = run(&[&call[..], &["--yes"]].concat());
    assert!(done.status.success(), "{done:?}");
    assert_eq!(upstream.arrived(), 2);
}
