//! Who may see and call which tool: three principals, five tools, each decision as configured, over both
//! transports and in both modes of listing.

mod rules;

use serde_json::{Value, json};

use crate::support::{Bridge, DocumentFile, Stdio, Upstream, document, hash, text};

const PATHS: &str = "
  /pets: {get: {operationId: list_pets, summary: All pets, responses: {default: {description: any}}}, post: {operationId: create_pet, summary: A new pet, responses: {default: {description: any}}}}
  /pet: {get: {operationId: get_pet, summary: One pet, responses: {default: {description: any}}}, delete: {operationId: delete_pet, summary: One pet less, responses: {default: {description: any}}}}
  /audit: {get: {operationId: read_audit, summary: The pet audit, responses: {default: {description: any}}}}
";

const TOOLS: [&str; 5] = [
    "list_pets",
    "create_pet",
    "get_pet",
    "delete_pet",
    "read_audit",
];

/// Each principal, its key and what it may call.
const MATRIX: [(&str, &str, &[&str]); 3] = [
    ("root", "key-of-root", &TOOLS),
    ("reader", "key-of-reader", &["list_pets", "get_pet"]),
    (
        "writer",
        "key-of-writer",
        &["list_pets", "create_pet", "get_pet", "delete_pet"],
    ),
];

fn configuration(mode: &str, more: &str) -> DocumentFile {
    let [root, reader, writer] = MATRIX.map(|(_, key, _)| hash(key));
    let text = format!(
        "tools: {{mode: {mode}}}
access:
  keys:
    - {{name: root, hash: {root}}}
    - {{name: reader, hash: {reader}, tools: ['list_*', get_pet]}}
    - {{name: writer, hash: {writer}, tools: ['*_pet?', '*_pet']}}
{more}"
    );
    DocumentFile::new(&text, ".yaml")
}

struct Site {
    upstream: Upstream,
    document: DocumentFile,
    configuration: DocumentFile,
}

impl Site {
    async fn new(mode: &str, more: &str) -> Self {
        Self {
            upstream: Upstream::ok().await,
            document: document(PATHS, ""),
            configuration: configuration(mode, more),
        }
    }

    fn arguments(&self) -> Vec<String> {
        vec![
            self.document.path().display().to_string(),
            "--base-url".to_owned(),
            self.upstream.url(),
            "--config".to_owned(),
            self.configuration.path().display().to_string(),
        ]
    }
}

/// A caller, over either transport.
enum Caller<'a> {
    Http(&'a Bridge, &'a str),
    Stdio(Box<Stdio>),
}

impl Caller<'_> {
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let message =
            json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        match self {
            Self::Http(bridge, key) => {
                let bearer = format!("Bearer {key}");
                let headers = [
                    ("authorization", bearer.as_str()),
                    ("mcp-protocol-version", "2025-11-25"),
                ];
                let (status, text) = bridge.post(message, &headers).await;
                assert_eq!(status, 200, "{text}");
                serde_json::from_str(&text).unwrap()
            }
            Self::Stdio(stdio) => {
                stdio.send(&message);
                stdio.receive()
            }
        }
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
            .await
    }

    async fn listed(&mut self) -> Vec<String> {
        names(&self.ask("tools/list", json!({})).await["result"]["tools"])
    }
}

fn names(tools: &Value) -> Vec<String> {
    let tools = tools.as_array().unwrap().iter();
    tools
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

async fn stdio(site: &Site, key: Option<&str>) -> Caller<'static> {
    let mut stdio = Stdio::start_as(key, site.arguments());
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    stdio.send(&message.to_string());
    stdio.receive();
    Caller::Stdio(Box::new(stdio))
}

#[tokio::test(flavor = "multi_thread")]
async fn each_caller_lists_and_calls_what_it_may() {
    let site = Site::new("list", "").await;
    let bridge = Bridge::start(site.arguments());
    for (principal, key, allowed) in MATRIX {
        for mut caller in [Caller::Http(&bridge, key), stdio(&site, Some(key)).await] {
            assert_eq!(caller.listed().await, allowed, "{principal}");
            for tool in TOOLS {
                for direct in [false, true] {
                    site.upstream.forget();
                    let may = allowed.contains(&tool);
                    let (answer, none) = if direct {
                        (
                            caller.ask(tool, json!({})).await,
                            caller.ask("no_tool", json!({})).await,
                        )
                    } else {
                        (
                            caller.call(tool, json!({})).await,
                            caller.call("no_tool", json!({})).await,
                        )
                    };
                    let what = format!("{principal} {tool} {direct}: {answer}");
                    assert_eq!(site.upstream.seen().len(), usize::from(may), "{what}");
                    if may {
                        assert_eq!(text(&answer["result"]), r#"{"ok":true}"#, "{what}");
                    } else {
                        // What is not for this caller cannot be told from what is not there.
                        let as_if = none.to_string().replace("no_tool", tool);
                        assert_eq!(answer.to_string(), as_if, "{what}");
                    }
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_caller_finds_what_it_may() {
    let site = Site::new("search", "").await;
    let bridge = Bridge::start(site.arguments());
    for (principal, key, allowed) in MATRIX {
        for mut caller in [Caller::Http(&bridge, key), stdio(&site, Some(key)).await] {
            let builtins = ["search_tools", "describe_tool", "call_tool"];
            assert_eq!(caller.listed().await, builtins);
            let found = caller
                .call("search_tools", json!({"query": "pet", "limit": 50}))
                .await;
            let mut found = names(&found["result"]["structuredContent"]["tools"]);
            found.sort();
            let mut expected = allowed.to_vec();
            expected.sort_unstable();
            assert_eq!(found, expected, "{principal}");
            for tool in TOOLS {
                site.upstream.forget();
                let may = allowed.contains(&tool);
                let described = caller.call("describe_tool", json!({"name": tool})).await;
                assert_eq!(
                    described["result"]["isError"] == true,
                    !may,
                    "{principal}: {described}"
                );
                for other in TOOLS
                    .iter()
                    .filter(|other| !allowed.contains(other) && **other != tool)
                {
                    assert!(
                        !described.to_string().contains(other),
                        "{principal}: {described}"
                    );
                }
                let called = caller
                    .call("call_tool", json!({"name": tool, "arguments": {}}))
                    .await;
                assert_eq!(called.get("error").is_some(), !may, "{principal}: {called}");
                assert_eq!(site.upstream.seen().len(), usize::from(may));
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_private_and_every_page_is_the_caller_s() {
    let site = Site::new("list", "").await;
    let bridge = Bridge::start(site.arguments());
    for (principal, key, allowed) in MATRIX {
        for path in ["/.well-known/mcp-context", "/api/discovery/tools"] {
            let request = bridge
                .http()
                .get(format!("{}{path}", bridge.origin()))
                .bearer_auth(key);
            let page: Value =
                serde_json::from_str(&request.send().await.unwrap().text().await.unwrap()).unwrap();
            assert_eq!(names(&page["tools"]), allowed, "{principal} {path}");
        }
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
        let message =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
        let bearer = format!("Bearer {key}");
        let headers = [
            ("authorization", bearer.as_str()),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/list"),
        ];
        let (_, text) = bridge.post(message.to_string(), &headers).await;
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(answer["result"]["cacheScope"], "private");
        assert_eq!(names(&answer["result"]["tools"]), allowed);
    }
    let open = Bridge::start([site.document.path()]);
    let (_, answer) = open.modern("tools/list", json!({})).await;
    assert_eq!(answer["result"]["cacheScope"], "public");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_s_rate_is_its_own_and_refusals_cost_nothing() {
    let site = Site::new("list", "").await;
    let text = std::fs::read_to_string(site.configuration.path()).unwrap();
    let log = tempfile::NamedTempFile::new().unwrap();
    let limited = text.replace("get_pet]", "get_pet], rate: 2/h");
    let limited = format!("{limited}audit: {{file: {}}}\n", log.path().display());
    let site = Site {
        configuration: DocumentFile::new(&limited, ".yaml"),
        ..site
    };
    let bridge = Bridge::start(site.arguments());
    let mut reader = Caller::Http(&bridge, "key-of-reader");
    for _ in 0..5 {
        assert_eq!(
            reader.call("delete_pet", json!({})).await["error"]["code"],
            -32602
        );
    }
    // Counted before the arguments are looked at.
    let wrong = reader.call("get_pet", json!({"x": 1})).await;
    assert!(wrong["result"].is_object(), "{wrong}");
    assert_eq!(
        reader.call("get_pet", json!({})).await["result"]["isError"],
        false
    );
    let late = reader.call("get_pet", json!({"x": 1})).await;
    assert!(
        text_of(&late).contains("too many calls by this caller"),
        "{late}"
    );
    let mut writer = Caller::Http(&bridge, "key-of-writer");
    for _ in 0..3 {
        assert_eq!(
            writer.call("get_pet", json!({})).await["result"]["isError"],
            false
        );
    }
    let mut lines = String::new();
    for _ in 0..1000 {
        lines = std::fs::read_to_string(log.path()).unwrap();
        if lines.lines().count() >= 11 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert!(lines.lines().count() >= 11, "{lines}");
    let refused = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let refused: Vec<Value> = refused
        .filter(|line| line["tool"] == "delete_pet")
        .collect();
    assert_eq!(refused.len(), 5);
    let step = &refused[0]["steps"][0];
    assert_eq!(
        (&step["step"], &step["decision"]),
        (&json!("access"), &json!("refused"))
    );
    assert_eq!(refused[0]["principal"], "reader");
}

fn text_of(answer: &Value) -> &str {
    text(&answer["result"])
}
