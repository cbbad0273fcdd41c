//! Several bridges behind one address: with one signing key each goes on with what another began; with one state
//! nothing is used twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State as Carried};
use axum::response::Response;
use mcpinvoke::app::App;
use mcpinvoke::config::{Config, DocumentFlags, ServeFlags};
use mcpinvoke::secret::Secret;
use mcpinvoke::state::State;
use serde_json::{Value, json};

use crate::support::{DocumentFile, Upstream, configured, document, hash, text};

const PETS: &str = "  /pets/{id}:
    get:
      operationId: getPet
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses: {'200': {description: ok}}
    delete:
      operationId: removePet
      x-mcp: {confirm: true}
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses: {'200': {description: ok}}
";
const TOKEN: &str = "a-long-token-of-the-operator";

/// Each request to the next of these servers, as a plain round robin does.
struct Balancer {
    origins: Vec<String>,
    next: AtomicUsize,
    client: reqwest::Client,
}

async fn balancer(origins: Vec<String>) -> String {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let next = AtomicUsize::new(0);
    let state = Arc::new(Balancer {
        origins,
        next,
        client,
    });
    serve(Router::new().fallback(pass_on).with_state(state)).await
}

async fn pass_on(Carried(state): Carried<Arc<Balancer>>, request: Request) -> Response {
    let turn = state.next.fetch_add(1, Ordering::SeqCst);
    let origin = &state.origins[turn % state.origins.len()];
    let (parts, body) = request.into_parts();
    let mut headers = parts.headers;
    headers.remove("host");
    let body = to_bytes(body, 1 << 20).await.unwrap();
    let url = format!("{origin}{}", parts.uri);
    let request = state.client.request(parts.method, url).headers(headers);
    let answer = request.body(body).send().await.unwrap();
    let mut response = Response::builder().status(answer.status());
    for name in ["content-type", "mcp-session-id"] {
        if let Some(value) = answer.headers().get(name) {
            response = response.header(name, value);
        }
    }
    let body = answer.bytes().await.unwrap();
    response.body(Body::from(body)).unwrap()
}

async fn serve(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

/// A request of revision 2026-07-28; the answer's `result` or `error`.
async fn modern(origin: &str, capabilities: Value, method: &str, mut params: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut request = client
        .post(format!("{origin}/mcp"))
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method);
    if !name.is_empty() {
        request = request.header("mcp-name", name);
    }
    let answer = request.body(message.to_string()).send().await.unwrap();
    let answer: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
    let found = answer.get("result").or(answer.get("error"));
    found.unwrap().clone()
}

async fn call(origin: &str, capabilities: Value, params: Value) -> Value {
    modern(origin, capabilities, "tools/call", params).await
}

fn remove(id: u64) -> Value {
    json!({"name": "removePet", "arguments": {"id": id}})
}

fn with_token(id: u64, told: &Value) -> Value {
    let mut call = remove(id);
    call["_meta"]["mcpinvoke/confirmation"] = told["structuredContent"]["token"].clone();
    call
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_key_lets_each_process_go_on_with_what_another_began() {
    let upstream = Upstream::ok().await;
    let document = document(PETS, "");
    let key = DocumentFile::new(&"k".repeat(40), ".key");
    let settings = format!("confirm: {{key_file: '{}'}}\n", key.path().display());
    let start = || configured(&document, &upstream.url(), &settings);
    let bridges = [start(), start()];
    let origins = bridges.iter().map(|one| one.origin().to_owned()).collect();
    let origin = balancer(origins).await;
    let forms = || json!({"elicitation": {}});

    let lists = [
        modern(&origin, json!({}), "tools/list", json!({})).await,
        modern(&origin, json!({}), "tools/list", json!({})).await,
    ];
    assert_eq!(lists[0].to_string(), lists[1].to_string());

    let asked = call(&origin, forms(), remove(1)).await;
    let mut answered = remove(1);
    answered["inputResponses"]["confirm"] = json!({"action": "accept"});
    answered["requestState"] = asked["requestState"].clone();
    assert_eq!(upstream.arrived(), 0);
    let done = call(&origin, forms(), answered).await;
    assert_eq!(
        (&done["isError"], upstream.arrived()),
        (&json!(false), 1),
        "{done}"
    );

    let told = call(&origin, json!({}), remove(2)).await;
    let done = call(&origin, json!({}), with_token(2, &told)).await;
    assert_eq!(
        (&done["isError"], upstream.arrived()),
        (&json!(false), 2),
        "{done}"
    );
    // What was used is known to the process that took it: the one thing that a shared key does not carry over.
    let mut passed = 0;
    for _ in 0..6 {
        let replay = call(&origin, json!({}), with_token(2, &told)).await;
        passed += usize::from(replay["isError"] == false);
    }
    assert_eq!((passed, upstream.arrived()), (1, 3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_state_lets_nothing_be_used_twice() {
    let upstream = Upstream::ok().await;
    let document = document(PETS, "");
    let settings = DocumentFile::new(
        "confirm: {fallback: token}\nrate: {tool: 5/h}\nserver: {sessions: always}\n",
        ".yaml",
    );
    let origins = shared(&document, &settings, &upstream).await;
    let told = call(&origins[0], json!({}), remove(1)).await;
    let mut ends = Vec::new();
    for turn in [1, 0, 1] {
        let done = call(&origins[turn], json!({}), with_token(1, &told)).await;
        ends.push(done["isError"] == false);
    }
    assert_eq!((ends, upstream.arrived()), (vec![true, false, false], 1));

    let mut allowed = 0;
    for turn in 0..10 {
        let get = json!({"name": "getPet", "arguments": {"id": 1}});
        let done = call(&origins[turn % 2], json!({}), get).await;
        allowed += usize::from(done["isError"] == false);
        assert!(
            done["isError"] == false || text(&done).contains("too many calls"),
            "{done}"
        );
    }
    assert_eq!((allowed, upstream.arrived()), (5, 6));

    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let post = |origin: &str, body: Value| {
        let request = client.post(format!("{origin}/mcp"));
        let request = request.header("content-type", "application/json");
        request.body(body.to_string())
    };
    let opened = post(&origins[0], initialize).send().await.unwrap();
    let session = opened.headers()["mcp-session-id"].to_str().unwrap();
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    for (id, status) in [(session, 200), ("0", 404)] {
        let request = post(&origins[1], ping.clone()).header("mcp-session-id", id);
        assert_eq!(request.send().await.unwrap().status(), status, "{id}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_state_lets_an_operator_decide_anywhere() {
    let upstream = Upstream::ok().await;
    let document = document(PETS, "");
    let settings = format!("confirm: {{approvals: {{token: {TOKEN}, wait: 1s}}}}\n");
    let settings = DocumentFile::new(&settings, ".yaml");
    let origins = shared(&document, &settings, &upstream).await;
    let told = call(&origins[0], json!({}), remove(1)).await;
    let url = told["structuredContent"]["url"].as_str().unwrap();
    let id = url.rsplit('/').next().unwrap();
    let decided = reqwest::Client::builder()
        .no_proxy()
        .build()
        .unwrap()
        .post(format!("{}/approvals/{id}", origins[1]))
        .bearer_auth(TOKEN)
        .header("content-type", "application/json")
        .body(json!({"decision": "approve"}).to_string());
    assert_eq!(decided.send().await.unwrap().status(), 200);
    let done = call(&origins[0], json!({}), remove(1)).await;
    assert_eq!(
        (&done["isError"], upstream.arrived()),
        (&json!(false), 1),
        "{done}"
    );
    let again = call(&origins[1], json!({}), remove(1)).await;
    assert_eq!(again["structuredContent"]["status"], "approval_pending");
    assert_eq!(upstream.arrived(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_state_keeps_each_session_and_rate_with_its_caller() {
    let upstream = Upstream::ok().await;
    let document = document(PETS, "");
    let key = |name: &str, more: &str| {
        let hash = hash(&format!("key-of-{name}"));
        format!("{{name: {name}, hash: {hash}{more}}}")
    };
    let settings = format!(
        "access: {{keys: [{}, {}]}}\nrate: {{caller: 1/h}}\nserver: {{sessions: always}}\n",
        key("ann", ", rate: 3/h"),
        key("bob", "")
    );
    let settings = DocumentFile::new(&settings, ".yaml");
    let origins = shared(&document, &settings, &upstream).await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let send = |turn: usize, method: reqwest::Method, caller: &str, session: &str, body: Value| {
        let mut request = client
            .request(method, format!("{}/mcp", origins[turn]))
            .header("content-type", "application/json")
            .bearer_auth(format!("key-of-{caller}"));
        if !session.is_empty() {
            request = request.header("mcp-session-id", session);
        }
        request.body(body.to_string()).send()
    };
    let post =
        |turn, caller, session, body| send(turn, reqwest::Method::POST, caller, session, body);
    let delete =
        |turn, caller, session| send(turn, reqwest::Method::DELETE, caller, session, Value::Null);

    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let opened = post(0, "ann", "", initialize).await.unwrap();
    let session = opened.headers()["mcp-session-id"].to_str().unwrap();
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    for (turn, caller, status) in [
        (1, "bob", 404),
        (1, "ann", 200),
        (1, "bob", 404),
        (0, "bob", 404),
    ] {
        let answer = post(turn, caller, session, ping.clone()).await.unwrap();
        assert_eq!(answer.status(), status, "{caller} at {turn}");
    }

    let get = json!({"name": "getPet", "arguments": {"id": 1}});
    let get = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": get});
    let mut allowed = [0, 0];
    for turn in 0..8 {
        let (caller, session) = [("ann", session), ("bob", "")][turn / 4];
        let answer = post(turn % 2, caller, session, get.clone()).await.unwrap();
        let answer: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
        allowed[turn / 4] += usize::from(answer["result"]["isError"] == false);
    }
    assert_eq!((allowed, upstream.arrived()), ([3, 1], 4));

    for (turn, caller, status) in [(1, "bob", 404), (1, "ann", 204), (0, "ann", 404)] {
        let answer = delete(turn, caller, session).await.unwrap();
        assert_eq!(answer.status(), status, "{caller} at {turn}");
    }
}

/// Two applications over one state; their origins.
async fn shared(
    document: &DocumentFile,
    settings: &DocumentFile,
    upstream: &Upstream,
) -> [String; 2] {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let flags = DocumentFlags {
        documents: vec![document.path().to_str().unwrap().to_owned()],
        config: Some(settings.path()),
        base_url: Some(upstream.url()),
        ..DocumentFlags::default()
    };
    let mut config = Config::resolve(&flags, &ServeFlags::default()).unwrap();
    config.confirm.key = Some(Secret::new("k".repeat(40)));
    let state = State::in_memory(&config.state());
    let mut origins = [String::new(), String::new()];
    for origin in &mut origins {
        let app = App::load_sharing(&config, &state).await.unwrap();
        *origin = serve(app.router(&config)).await;
    }
    origins
}
