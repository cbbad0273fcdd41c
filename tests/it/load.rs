//! Many calls at once: every one is answered and recorded once, and the limit holds.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::support::{Upstream, configured, document};

const CALLS: usize = 10_000;
const CONNECTIONS: usize = 200;
/// Calls in a second, and as many at once.
const RATE: f64 = 200.0;

const PETS: &str = "  /pet:
    get: {operationId: getPet, responses: {'200': {description: ok}}}
";

/// When calls were sent and answered, and how many were let pass.
#[derive(Debug, Clone, Copy)]
struct Seen {
    allowed: usize,
    answered: usize,
    first_sent: Instant,
    first_answered: Instant,
    last_sent: Instant,
    last_answered: Instant,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_calls_are_answered_recorded_and_limited() {
    let (upstream, document) = (Upstream::ok().await, document(PETS, ""));
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit.jsonl");
    let settings = format!(
        "rate: {{all: {RATE}/s, caller: 1000000/s, tool: 1000000/s, concurrency: 64}}\n\
         redact: {{answers: true}}\naudit: {{file: '{}'}}\nlog: {{filter: 'mcpinvoke::call=off,info'}}\n",
        audit.display()
    );
    let bridge = configured(&document, &upstream.url(), &settings);
    let host = bridge.origin().trim_start_matches("http://").to_owned();
    let connections: Vec<_> = (0..CONNECTIONS)
        .map(|_| tokio::spawn(connection(host.clone(), CALLS / CONNECTIONS)))
        .collect();
    let mut all: Option<Seen> = None;
    for connection in connections {
        let seen = connection.await.unwrap();
        all = Some(all.map_or(seen, |all| all.and(seen)));
    }
    let all = all.unwrap();
    assert_eq!(all.answered, CALLS);
    assert_eq!(upstream.arrived(), all.allowed);
    // The limiter began between the first call and its answer, and looked at the last one between its two.
    let seconds = |from: Instant, to: Instant| to.duration_since(from).as_secs_f64();
    let most = RATE * (1.0 + seconds(all.first_sent, all.last_answered));
    let least = RATE * (1.0 + seconds(all.first_answered, all.last_sent));
    let allowed = all.allowed as f64;
    assert!(allowed <= most * 1.02, "{allowed} of at most {most}");
    assert!(
        allowed >= least.min(CALLS as f64) * 0.98,
        "{allowed} of at least {least}"
    );
    assert!(all.allowed < CALLS, "nothing was limited");

    let records = records(&audit).await;
    let ids: HashSet<&str> = records
        .iter()
        .filter_map(|one| one["id"].as_str())
        .collect();
    assert_eq!((records.len(), ids.len()), (CALLS, CALLS));
    let of = |outcome: &str| {
        records
            .iter()
            .filter(|one| one["outcome"] == outcome)
            .count()
    };
    assert_eq!(
        (of("done"), of("refused")),
        (all.allowed, CALLS - all.allowed)
    );
}

/// A service that answers nobody before all have come: were there a limit to calls under way, none would end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_service_is_asked_by_all_at_once() {
    const CALLERS: usize = 300;
    let all = Arc::new(Barrier::new(CALLERS));
    let wait = move || {
        let all = Arc::clone(&all);
        async move {
            all.wait().await;
            "together"
        }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(wait)).await });
    let bridge = configured(&document(PETS, ""), &url, "");
    let host = bridge.origin().trim_start_matches("http://").to_owned();
    let callers: JoinSet<Seen> = (0..CALLERS).map(|_| connection(host.clone(), 1)).collect();
    let answered = tokio::time::timeout(Duration::from_secs(60), callers.join_all()).await;
    let answered = answered.expect("all are let through");
    assert!(answered.iter().all(|seen| seen.allowed == 1));
}

impl Seen {
    fn and(self, other: Self) -> Self {
        Self {
            allowed: self.allowed + other.allowed,
            answered: self.answered + other.answered,
            first_sent: self.first_sent.min(other.first_sent),
            first_answered: self.first_answered.min(other.first_answered),
            last_sent: self.last_sent.max(other.last_sent),
            last_answered: self.last_answered.max(other.last_answered),
        }
    }
}

/// One connection that makes its calls one after the other.
async fn connection(host: String, calls: usize) -> Seen {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "getPet", "arguments": {}}});
    let body = body.to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         mcp-protocol-version: 2025-11-25\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let stream = TcpStream::connect(&host).await.unwrap();
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    let mut seen: Option<Seen> = None;
    for _ in 0..calls {
        let sent = Instant::now();
        write.write_all(request.as_bytes()).await.unwrap();
        let answer = answer(&mut read).await;
        let answered = Instant::now();
        let result = &answer["result"];
        let limited = result["isError"] == true;
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(
            !limited || text.contains("too many calls by all"),
            "{answer}"
        );
        let one = Seen {
            allowed: usize::from(!limited),
            answered: 1,
            first_sent: sent,
            first_answered: answered,
            last_sent: sent,
            last_answered: answered,
        };
        seen = Some(seen.map_or(one, |seen| seen.and(one)));
    }
    seen.unwrap()
}

async fn answer(read: &mut (impl AsyncBufReadExt + Unpin)) -> Value {
    let mut length = 0;
    for number in 0.. {
        let mut line = String::new();
        assert!(
            read.read_line(&mut line).await.unwrap() > 0,
            "the connection ended"
        );
        let line = line.trim_end().to_ascii_lowercase();
        assert!(number > 0 || line.starts_with("http/1.1 200"), "{line}");
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    read.read_exact(&mut body).await.unwrap();
    serde_json::from_slice(&body).unwrap()
}

/// The records of calls, once all of them can be there.
async fn records(path: &std::path::Path) -> Vec<Value> {
    let mut records: Vec<Value> = Vec::new();
    for _ in 0..200 {
        let text = std::fs::read_to_string(path).unwrap();
        if text.lines().count() >= CALLS && text.ends_with('\n') {
            records = text
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    records
}
