//! The server as a whole, by messages alone: one connection without headers.

mod batches;
mod modern;

use std::sync::Arc;

use serde_json::{Value, json};

use super::testing::{modern, request, server, server_of, tools};
use super::{Accepted, Answer, Server, Session, Settings};
use crate::tool::Caller;

struct Client {
    server: Arc<Server>,
    session: Arc<Session>,
}

impl Client {
    fn new(settings: Settings) -> Self {
        let server = server(settings);
        let (session, _) = server.connect();
        Self { server, session }
    }

    fn accept(&self, message: &Value) -> Accepted {
        let caller = Caller::anonymous("stdio");
        self.server
            .line(message.to_string().as_bytes(), &self.session, &caller)
    }

    async fn answer(&self, message: &Value) -> Answer {
        match self.accept(message) {
            Accepted::Now(answer) => answer,
            Accepted::Later(work) => work.finish().await,
        }
    }

    async fn ask(&self, message: &Value) -> Value {
        let answer = self.answer(message).await;
        let Answer::Message(message) = answer else {
            panic!("{answer:?}");
        };
        serde_json::from_slice(&message.body.into_bytes()).unwrap()
    }

    async fn initialize(&self, version: &str, capabilities: Value) -> Value {
        let info = json!({"name": "test", "version": "1"});
        let params = json!({
            "protocolVersion": version, "capabilities": capabilities, "clientInfo": info
        });
        self.ask(&request("initialize", params)).await
    }
}

#[tokio::test]
async fn initialize_agrees_on_a_revision() {
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let client = Client::new(Settings::default());
        let answer = client.initialize(asked, json!({})).await;
        assert_eq!(answer["result"]["protocolVersion"], agreed);
        assert_eq!(answer["result"]["serverInfo"]["name"], "mcpinvoke");
        let capabilities = json!({"tools": {"listChanged": true}});
        assert_eq!(answer["result"]["capabilities"], capabilities);
    }
    let client = Client::new(Settings::default());
    let answer = client
        .ask(&request("initialize", json!({"capabilities": {}})))
        .await;
    assert_eq!(answer["error"]["code"], -32602);
}

#[tokio::test]
async fn lists_have_the_revision_s_form() {
    let members =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    let cases: [(&str, &[&str]); 4] = [
        ("2024-11-05", &["name", "description", "inputSchema"]),
        (
            "2025-03-26",
            &["name", "description", "inputSchema", "annotations"],
        ),
        (
            "2025-06-18",
            &[
                "name",
                "title",
                "description",
                "inputSchema",
                "outputSchema",
                "annotations",
                "_meta",
            ],
        ),
        (
            "2025-11-25",
            &[
                "name",
                "title",
                "description",
                "inputSchema",
                "outputSchema",
                "annotations",
                "_meta",
            ],
        ),
    ];
    for (revision, expected) in cases {
        let client = Client::new(Settings::default());
        client.initialize(revision, json!({})).await;
        let answer = client.ask(&request("tools/list", json!({}))).await;
        assert_eq!(members(&answer["result"]), ["tools"]);
        assert_eq!(
            members(&answer["result"]["tools"][0]),
            expected,
            "{revision}"
        );
        let modern = client.ask(&modern("tools/list", json!({}))).await;
        assert_eq!(
            members(&modern["result"]),
            ["resultType", "ttlMs", "cacheScope", "tools", "_meta"]
        );
        assert_eq!(modern["result"]["ttlMs"], 60_000);
    }
}

#[tokio::test]
async fn pages_follow_each_other_on_any_replica() {
    let settings = || Settings {
        page_size: 2,
        ..Settings::default()
    };
    let mut names = Vec::new();
    let mut cursor = None;
    for _ in 0..3 {
        // Each page from another process, as it were.
        let client = Client::new(settings());
        let params = cursor.map_or_else(|| json!({}), |cursor: Value| json!({"cursor": cursor}));
        let answer = client.ask(&modern("tools/list", params)).await;
        for tool in answer["result"]["tools"].as_array().unwrap() {
            names.push(tool["name"].as_str().unwrap().to_owned());
        }
        cursor = answer["result"].get("nextCursor").cloned();
    }
    assert_eq!(names, ["first", "second", "third", "sampler", "regional"]);
    assert_eq!(cursor, None);
    let client = Client::new(settings());
    let answer = client.ask(&request("tools/list", json!({}))).await;
    let good = answer["result"]["nextCursor"].clone();
    for bad in [
        json!(""),
        json!("2"),
        json!("AAAAAAAAAAAAAAAAAAAAAg"),
        json!(7),
    ] {
        let answer = client
            .ask(&request("tools/list", json!({"cursor": bad})))
            .await;
        assert_eq!(answer["error"]["code"], -32602, "{bad}");
    }
    let mut fewer = tools();
    fewer.remove(0);
    client.server.invoker.replace(fewer).unwrap();
    let answer = client
        .ask(&request("tools/list", json!({"cursor": good})))
        .await;
    assert_eq!(answer["error"]["code"], -32602);
}

#[tokio::test]
async fn lists_are_the_same_bytes_every_time() {
    let body = |client: Client| async move {
        let Answer::Message(message) = client.answer(&modern("tools/list", json!({}))).await else {
            panic!("no message");
        };
        message.body
    };
    let first = body(Client::new(Settings::default())).await;
    assert_eq!(first, body(Client::new(Settings::default())).await);
}

#[tokio::test]
async fn an_empty_catalogue_is_an_empty_list() {
    let (server, _) = server_of(Vec::new(), Settings::default());
    let (session, _) = server.connect();
    let client = Client { server, session };
    let answer = client.ask(&request("tools/list", json!({}))).await;
    assert_eq!(answer["result"], json!({"tools": []}));
    assert_eq!(
        client.server.discovery_document(&Caller::anonymous("http")),
        &br#"{"tools":[]}"#[..]
    );
}

#[tokio::test]
async fn handshake_methods() {
    let client = Client::new(Settings::default());
    let ask = |method: &'static str, params: Value| {
        let message = request(method, params);
        let client = &client;
        async move { client.ask(&message).await }
    };
    assert_eq!(ask("ping", json!({})).await["result"], json!({}));
    let none = [
        "prompts/list",
        "resources/list",
        "completion/complete",
        "logging/setLevel",
        "x",
    ];
    for method in none {
        assert_eq!(
            ask(method, json!({})).await["error"]["code"],
            -32601,
            "{method}"
        );
    }
    let cases = [
        json!({}),
        json!({"name": 7}),
        json!({"name": "first", "arguments": [1]}),
        json!({"name": "first", "arguments": null}),
        json!({"name": "nobody"}),
        json!([1]),
        json!(null),
    ];
    for params in cases {
        let answer = ask("tools/call", params.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{params}");
        assert_eq!(answer["id"], 7);
    }
    let unknown = ask("tools/call", json!({"name": "nobody"})).await;
    assert_eq!(unknown["error"]["message"], "Unknown tool: nobody");
    for params in [json!({"cursor": null, "_meta": null}), json!(null)] {
        let answer = ask("tools/list", params.clone()).await;
        assert!(answer["result"]["tools"].is_array(), "{params}: {answer}");
    }
}

/// The message is JSON, and only what the tool is to get cannot be taken.
#[tokio::test]
async fn arguments_that_cannot_be_read() {
    let nested = format!(r#"{{"id":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
    let half = r#"{"id":"\ud800"}"#;
    for (revision, is_error) in [
        ("2025-03-26", true),
        ("2025-06-18", true),
        ("2025-11-25", false),
        ("2026-07-28", false),
    ] {
        for arguments in [&nested, half] {
            let client = Client::new(Settings::default());
            let meta = modern("", json!({}))["params"]["_meta"].to_string();
            let meta = match revision {
                "2026-07-28" => meta,
                _ => {
                    client.initialize(revision, json!({})).await;
                    "{}".to_owned()
                }
            };
            let text = |name: &str| {
                format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{arguments},"_meta":{meta}}}}}"#
                )
            };
            let caller = Caller::anonymous("stdio");
            let answer =
                |text: String| match client
                    .server
                    .line(text.as_bytes(), &client.session, &caller)
                {
                    Accepted::Now(Answer::Message(message)) => {
                        serde_json::from_slice::<Value>(&message.body.into_bytes()).unwrap()
                    }
                    other => panic!("{other:?}"),
                };
            let value = answer(text("first"));
            assert_eq!(value["id"], 1);
            match is_error {
                true => assert_eq!(value["error"]["code"], -32602, "{revision}: {value}"),
                false => assert_eq!(value["result"]["isError"], true, "{revision}: {value}"),
            }
        }
    }
}

/// An error about an answer would be answered by another error, and so on.
#[tokio::test]
async fn an_answer_to_nothing_is_not_answered() {
    let client = Client::new(Settings::default());
    for message in [
        json!({"jsonrpc": "2.0", "error": {"code": -32700, "message": "no"}}),
        json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "no"}}),
        json!({"jsonrpc": "2.0", "id": 5, "result": {}, "error": {}}),
    ] {
        let answer = client.answer(&message).await;
        assert!(matches!(answer, Answer::Nothing), "{message}: {answer:?}");
    }
}

#[tokio::test]
async fn a_tool_s_name_is_a_method() {
    let client = Client::new(Settings::default());
    let answer = client.ask(&request("first", json!({"id": 1}))).await;
    assert!(answer["result"]["content"].is_array(), "{answer}");
    let answer = client.ask(&request("first", json!([1]))).await;
    assert_eq!(answer["error"]["code"], -32602);
    let answer = client.ask(&modern("first", json!({"id": 1}))).await;
    assert_eq!(answer["error"]["code"], -32601);
    let client = Client::new(Settings {
        direct_invocation: false,
        ..Settings::default()
    });
    let answer = client.ask(&request("first", json!({"id": 1}))).await;
    assert_eq!(answer["error"]["code"], -32601);
}

#[tokio::test]
async fn batches_are_for_one_revision() {
    let client = Client::new(Settings::default());
    client.initialize("2025-03-26", json!({})).await;
    let batch = json!([
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": "2", "method": "tools/call", "params": {"name": "first"}},
        {"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {"protocolVersion": "x"}},
        5,
        ["2.0", 7, "tools/call", {"name": "first", "arguments": {"id": 1}}]
    ]);
    let answer = client.ask(&batch).await;
    let answers = answer.as_array().unwrap();
    assert_eq!(answers.len(), 5);
    assert_eq!(answers[0], json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert_eq!(answers[1]["id"], "2");
    assert_eq!(answers[2]["error"]["code"], -32600);
    assert_eq!(answers[3]["error"]["code"], -32600);
    assert_eq!(answers[4]["error"]["code"], -32600);
    let silent = json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}]);
    assert!(matches!(client.answer(&silent).await, Answer::Nothing));
    assert_eq!(client.ask(&json!([])).await["error"]["code"], -32600);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let many = Value::Array(vec![ping; 101]);
    assert_eq!(client.ask(&many).await["error"]["code"], -32600);
    client.initialize("2025-06-18", json!({})).await;
    assert_eq!(client.ask(&batch).await["error"]["code"], -32600);
}

#[tokio::test]
async fn the_discovery_views_tell_each_argument_s_place() {
    let client = Client::new(Settings::default());
    let context: Value =
        serde_json::from_slice(&client.server.context_document(&Caller::anonymous("http")))
            .unwrap();
    assert_eq!(context["info"]["schema_version"], "1.0.0");
    let id = &context["tools"][0]["inputSchema"]["properties"]["id"];
    assert_eq!(id["annotations"]["source"], "route");
    assert_eq!(id["annotations"]["isRouteParameter"], true);
    assert_eq!(
        context["tools"][0]["inputSchema"]["required"],
        json!(["id"])
    );
    assert!(
        !client
            .server
            .context_document(&Caller::anonymous("http"))
            .windows(4)
            .any(|window| window == b"null")
    );
}
