//! Clients that open addresses, in both eras, and a bridge without an endpoint.

use serde_json::{Value, json};

use super::{PETS, TOKEN, decide, listed, remove, world};
use crate::support::{DocumentFile, Stdio, Upstream, document, question, text};

#[tokio::test]
async fn a_client_that_opens_addresses_is_sent_to_the_page() {
    let world = world("").await;
    let links = || json!({"elicitation": {"url": {}}});
    let asked = world.call("ann", links(), remove(1)).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let params = &asked["inputRequests"]["confirm"]["params"];
    let id = json!(params["url"].as_str().unwrap().rsplit('/').next().unwrap());
    assert_eq!(params["mode"], "url");
    assert!(params.get("elicitationId").is_none(), "{params}");
    let answered = |answer: &str, state: &Value| {
        let mut call = remove(1);
        call["inputResponses"]["confirm"] = json!({ "action": answer });
        call["requestState"] = state.clone();
        call
    };
    // It agreed to open the page; nobody has decided.
    let yes = answered("accept", &asked["requestState"]);
    let again = world.call("ann", links(), yes.clone()).await;
    assert_eq!(again["resultType"], "input_required", "{again}");
    let of_bob = world.call("bob", links(), yes.clone()).await;
    assert_eq!(
        (&of_bob["code"], world.upstream.arrived()),
        (&json!(-32602), 0)
    );
    let (done, decided) = tokio::join!(
        world.call("ann", links(), yes.clone()),
        world.decide(&id, "approve")
    );
    assert_eq!(
        (decided.0, &done["isError"]),
        (200, &json!(false)),
        "{done}"
    );
    assert_eq!(world.upstream.only().method, "DELETE");
    assert_eq!(world.call("ann", links(), yes).await["code"], -32602);

    let asked = world.call("ann", links(), remove(1)).await;
    let no = answered("decline", &asked["requestState"]);
    let told = world.call("ann", links(), no).await;
    assert!(text(&told).contains("declined"), "{told}");
    assert_eq!(world.listed().await["pending"], json!([]));
    assert_eq!(world.upstream.arrived(), 1);
}

#[tokio::test]
async fn an_older_client_is_sent_there_on_the_stream_of_its_call() {
    let world = world("").await;
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {"url": {}}}, "clientInfo": {"name": "t", "version": "1"}});
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let request = |body: String| {
        let request = world.bridge.request(body).bearer_auth("key-of-ann");
        request.header("accept", "application/json, text/event-stream")
    };
    let opened = request(initialize.to_string()).send().await.unwrap();
    let session = opened.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    for (decision, arrives) in [("deny", 0), ("approve", 1)] {
        let call = remove(7 + arrives as u64);
        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call});
        let call = request(call.to_string()).header("mcp-session-id", &session);
        let mut stream = call.send().await.unwrap();
        let question = question(&mut stream).await;
        let id = question["params"]["elicitationId"].clone();
        assert_eq!(question["params"]["mode"], "url");
        assert!(
            question["params"]["url"]
                .as_str()
                .unwrap()
                .ends_with(id.as_str().unwrap())
        );
        let answer =
            json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept"}});
        let posted = request(answer.to_string()).header("mcp-session-id", &session);
        assert_eq!(posted.send().await.unwrap().status(), 202);
        assert_eq!(world.upstream.arrived(), 0);
        assert_eq!(world.decide(&id, decision).await.0, 200);
        let rest = stream.text().await.unwrap();
        assert!(
            rest.contains("notifications/elicitation/complete"),
            "{rest}"
        );
        let end = if arrives == 1 {
            "\"isError\":false"
        } else {
            "denied"
        };
        assert!(rest.contains(end), "{rest}");
        assert_eq!(world.upstream.arrived(), arrives);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_stdio_the_page_has_a_listener_of_its_own() {
    let (upstream, document) = (Upstream::ok().await, document(PETS, ""));
    let settings =
        format!("confirm: {{approvals: {{token: {TOKEN}, listen: '127.0.0.1:0', wait: 1s}}}}\n");
    let settings = DocumentFile::new(&settings, ".yaml");
    let path = |file: &DocumentFile| file.path().to_str().unwrap().to_owned();
    let (document_path, settings_path, url) = (path(&document), path(&settings), upstream.url());
    let mut bridge = Stdio::start([
        &document_path,
        "--base-url",
        &url,
        "--config",
        &settings_path,
    ]);
    let call = |id: u64| {
        let message =
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": remove(1)});
        message.to_string()
    };
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    bridge.send(&initialize.to_string());
    bridge.receive();
    bridge.send(&call(1));
    let told = bridge.receive();
    let data = &told["result"]["structuredContent"];
    assert_eq!(data["status"], "approval_pending", "{told}");
    let (page, id) = data["url"].as_str().unwrap().rsplit_once('/').unwrap();
    assert_eq!(listed(page).await["pending"][0]["transport"], "stdio");
    assert_eq!(upstream.arrived(), 0);
    assert_eq!(decide(page, &json!(id), "approve").await.0, 200);
    bridge.send(&call(2));
    let done = bridge.receive();
    assert_eq!(done["result"]["isError"], false, "{done}");
    assert_eq!(upstream.arrived(), 1);
}
