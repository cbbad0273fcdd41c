//! An HTTP service on a free port that records each request as it arrived and answers as told.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderMap, Method, StatusCode};

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The method.
    pub method: Method,
    /// Path and query in their wire spelling.
    pub target: String,
    /// All headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

impl Seen {
    /// A header's text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }
}

/// What to answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Header names and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    /// A body with a media type.
    pub fn new(status: u16, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("content-type".into(), media_type.into())],
            body: body.into(),
        }
    }

    /// 200 with JSON.
    pub fn json(body: &str) -> Self {
        Self::new(200, "application/json", body)
    }

    /// With this status.
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// With one more header.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

type Respond = dyn Fn(&Seen) -> Answer + Send + Sync;

struct Shared {
    arrived: AtomicUsize,
    seen: Mutex<Vec<Seen>>,
    respond: Box<Respond>,
}

/// The running service; ends with the test's runtime.
#[derive(Clone)]
pub struct Upstream {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Upstream {
    /// Answers every request by `respond`.
    pub async fn start(respond: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Self {
        Self::start_at(SocketAddr::from(([127, 0, 0, 1], 0)), respond).await
    }

    /// The same at this address.
    pub async fn start_at(
        address: SocketAddr,
        respond: impl Fn(&Seen) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let shared = Arc::new(Shared {
            arrived: AtomicUsize::new(0),
            seen: Mutex::default(),
            respond: Box::new(respond),
        });
        let listener = tokio::net::TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = Router::new().fallback(record).with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { address, shared }
    }

    /// Answers `{"ok":true}` to everything.
    pub async fn ok() -> Self {
        Self::start(|_| Answer::json(r#"{"ok":true}"#)).await
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// Path and query of each request so far.
    pub fn targets(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.target).collect()
    }

    /// The only request so far.
    pub fn only(&self) -> Seen {
        let seen = self.seen();
        assert_eq!(seen.len(), 1, "expected one request, found {seen:#?}");
        seen[0].clone()
    }

    /// How many requests have come, answered or not.
    pub fn arrived(&self) -> usize {
        self.shared.arrived.load(Ordering::SeqCst)
    }

    /// Waits for the first request to come.
    pub async fn reached(&self) {
        for _ in 0..2000 {
            if self.arrived() > 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("no request came");
    }

    /// Forgets what was seen.
    pub fn forget(&self) {
        self.shared.seen.lock().unwrap().clear();
    }
}

async fn record(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let seen = Seen {
        method: parts.method,
        target: parts.uri.to_string(),
        headers: parts.headers,
        body: to_bytes(body, usize::MAX).await.unwrap().to_vec(),
    };
    shared.arrived.fetch_add(1, Ordering::SeqCst);
    let respond = shared.clone();
    let task = tokio::task::spawn_blocking(move || {
        let answer = (respond.respond)(&seen);
        respond.seen.lock().unwrap().push(seen);
        answer
    });
    let answer = task.await.unwrap();
    let mut response = Response::builder().status(StatusCode::from_u16(answer.status).unwrap());
    for (name, value) in &answer.headers {
        response = response.header(name, value);
    }
    response.body(Body::from(answer.body)).unwrap()
}
