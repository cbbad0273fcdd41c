//! A client at the other end of the pipe.

use std::future::pending;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::*;
use crate::mcp::Settings as McpSettings;
use crate::mcp::testing::{modern, request, server, server_of, tool};
use crate::tool::Target;

struct Client {
    input: DuplexStream,
    output: tokio::io::Lines<BufReader<DuplexStream>>,
    served: JoinHandle<io::Result<()>>,
    server: Arc<Server>,
    stop: Option<oneshot::Sender<()>>,
}

impl Client {
    fn new(settings: Settings) -> Self {
        Self::of(server(McpSettings::default()), settings)
    }

    fn of(server: Arc<Server>, settings: Settings) -> Self {
        Self::waiting(server, Readiness::given(), settings)
    }

    fn waiting(server: Arc<Server>, readiness: Readiness, settings: Settings) -> Self {
        let (input, reader) = duplex(1 << 20);
        let (writer, output) = duplex(1 << 20);
        let (stop, stopped) = oneshot::channel::<()>();
        let other = Arc::clone(&server);
        let served = tokio::spawn(async move {
            let shutdown = async {
                if stopped.await.is_err() {
                    pending::<()>().await;
                }
            };
            serve(reader, writer, other, readiness, &settings, shutdown).await
        });
        Self {
            input,
            output: BufReader::new(output).lines(),
            served,
            server,
            stop: Some(stop),
        }
    }

    async fn send(&mut self, text: &[u8]) {
        self.input.write_all(text).await.unwrap();
        self.input.write_all(b"\n").await.unwrap();
    }

    async fn next(&mut self) -> Option<Value> {
        let line = self.output.next_line().await.unwrap()?;
        Some(serde_json::from_str(&line).unwrap())
    }

    async fn ask(&mut self, message: &Value) -> Value {
        self.send(message.to_string().as_bytes()).await;
        self.next().await.unwrap()
    }
}

#[tokio::test]
async fn both_eras_share_a_connection() {
    let mut client = Client::new(Settings::default());
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}});
    let answer = client.ask(&request("initialize", params)).await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    client
        .send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        .await;
    let answer = client.ask(&request("tools/list", json!({}))).await;
    assert!(answer["result"]["resultType"].is_null());
    let answer = client.ask(&modern("tools/list", json!({}))).await;
    assert_eq!(answer["result"]["resultType"], "complete");
    let answer = client
        .ask(&request(
            "tools/call",
            json!({"name": "first", "arguments": {"id": 1}}),
        ))
        .await;
    assert!(answer["result"]["content"].is_array());
    client.server.tools_changed();
    let told = client.next().await.unwrap();
    assert_eq!(told["method"], "notifications/tools/list_changed");
}

#[tokio::test]
async fn what_asks_for_tools_waits_for_them() {
    let (ready, readiness) = Readiness::pending();
    let server = server(McpSettings::default());
    let mut client = Client::waiting(server, readiness, Settings::default());
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}});
    let answer = client.ask(&request("initialize", params)).await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(
        client.ask(&request("ping", json!({}))).await["result"],
        json!({})
    );
    let list = request("tools/list", json!({})).to_string();
    client.send(list.as_bytes()).await;
    let early = tokio::time::timeout(Duration::from_millis(50), client.next()).await;
    assert!(early.is_err(), "{early:?}");
    ready.set(true);
    assert!(client.next().await.unwrap()["result"]["tools"].is_array());
}

#[tokio::test]
async fn bad_lines_are_answered_and_skipped() {
    let settings = Settings {
        max_line_bytes: 200_000,
        ..Settings::default()
    };
    let mut client = Client::new(settings);
    client.send(b"\r").await;
    client.send(b"{ invalid json }").await;
    assert_eq!(client.next().await.unwrap()["error"]["code"], -32700);
    client.send(b"\xff\xfe").await;
    assert_eq!(client.next().await.unwrap()["error"]["code"], -32700);
    client.send(&vec![b'x'; 200_001]).await;
    let answer = client.next().await.unwrap();
    assert_eq!(answer["error"]["code"], -32600);
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("200000")
    );
    // The id's spelling is kept, and the line break in the message stays out of the output.
    client
        .send(b"{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0062\",\"method\":\"ping\"}\r")
        .await;
    assert_eq!(client.next().await.unwrap()["id"], "ab");
}

#[tokio::test]
async fn the_end_of_input_lets_calls_end() {
    let mut client = Client::new(Settings::default());
    client
        .send(
            modern("subscriptions/listen", json!({"notifications": {}}))
                .to_string()
                .as_bytes(),
        )
        .await;
    assert_eq!(
        client.next().await.unwrap()["method"],
        "notifications/subscriptions/acknowledged"
    );
    let call = request(
        "tools/call",
        json!({"name": "first", "arguments": {"id": 1}}),
    )
    .to_string();
    // The last line has no line feed.
    client.input.write_all(call.as_bytes()).await.unwrap();
    client.input.shutdown().await.unwrap();
    assert!(client.next().await.unwrap()["result"].is_object());
    assert_eq!(client.next().await, None);
    client.served.await.unwrap().unwrap();
}

/// A client whose call of `first` has reached a service that never answers.
async fn with_a_call_under_way() -> (Client, tokio::net::TcpStream) {
    let service = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut silent = tool("first");
    if let Target::Http(target) = &mut silent.target {
        let base = format!("http://{}/", service.local_addr().unwrap());
        target.base = base.parse().unwrap();
    }
    let settings = Settings {
        drain: Duration::from_secs(24 * 3600),
        ..Settings::default()
    };
    let (server, _) = server_of(vec![silent], McpSettings::default());
    let mut client = Client::of(server, settings);
    let call = json!({"name": "first", "arguments": {"id": 1}});
    let call = request("tools/call", call).to_string();
    client.send(call.as_bytes()).await;
    let (connection, _) = service.accept().await.unwrap();
    (client, connection)
}

#[tokio::test]
async fn after_the_end_of_input_a_shutdown_ends_the_wait() {
    let (mut client, _service) = with_a_call_under_way().await;
    client.input.shutdown().await.unwrap();
    client.stop.take().unwrap().send(()).unwrap();
    assert_eq!(client.next().await, None);
    client.served.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_shutdown_waits_until_calls_are_given_up() {
    let (mut client, _service) = with_a_call_under_way().await;
    client.stop.take().unwrap().send(()).unwrap();
    client.server.abandon();
    assert_eq!(client.next().await, None);
    client.served.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_shutdown_ends_subscriptions_properly() {
    let mut client = Client::new(Settings::default());
    let listen = modern("subscriptions/listen", json!({"notifications": {}}));
    client.ask(&listen).await;
    client.server.close();
    client.stop.take().unwrap().send(()).unwrap();
    assert_eq!(
        client.next().await.unwrap()["method"],
        "notifications/cancelled"
    );
    assert_eq!(
        client.next().await.unwrap()["result"]["resultType"],
        "complete"
    );
    assert_eq!(client.next().await, None);
    client.served.await.unwrap().unwrap();
}

#[tokio::test]
async fn calls_beyond_the_limit_are_refused() {
    let settings = Settings {
        max_calls: 0,
        ..Settings::default()
    };
    let mut client = Client::new(settings);
    let answer = client
        .ask(&request(
            "tools/call",
            json!({"name": "first", "arguments": {"id": 1}}),
        ))
        .await;
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(7), &json!(-32603))
    );
    assert_eq!(
        client.ask(&request("ping", json!({}))).await["result"],
        json!({})
    );
}
