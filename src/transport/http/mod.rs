//! Streamable HTTP: one endpoint, and a few read-only pages beside it.

mod access;
mod approvals;
mod challenge;
mod cors;
mod endpoint;
mod farewell;
mod guard;
mod headers;
mod listen;
mod pages;
mod probe;
mod reachable;
mod respond;
mod together;
mod turnstile;
mod unread;

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{any, get};
use bytes::Bytes;
use http::{HeaderName, Request, StatusCode};
use tower::ServiceExt as _;

use super::Readiness;
use super::access::{KeySource, TokenSettings};
use crate::approvals::Desk;
use crate::mcp::Server;
use crate::tool::Caller;
use access::Access;
pub use access::Requests;
use challenge::Challenge;
use guard::Guard;

pub use super::access::Key;
pub use approvals::router as approvals_router;
pub use axum::Router;
pub use listen::serve;
pub use probe::{ProbeError, probe};
pub use reachable::reachable;

/// Where to listen, and what is let in.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The address to listen on. It decides which `Host` headers are taken without being named.
    pub listen: SocketAddr,
    /// The endpoint's path; `/mcpinvoke` is always another name for it.
    pub path: String,
    /// Host names, without port, that the server is reached by. On a loopback address the names
    /// of the loopback are taken as well, on any other every IP address; `*` takes all.
    pub allowed_hosts: Vec<String>,
    /// Origins of web pages that may call and read the answers, for instance `https://tools.example`; `*` takes all.
    /// A page of the server's own origin may always.
    pub allowed_origins: Vec<String>,
    /// Who may use the endpoint; anybody where there are neither keys nor tokens.
    pub keys: Vec<Key>,
    /// The tokens that are taken besides keys.
    pub tokens: Option<TokenSettings>,
    /// Where the keys of the tokens' issuers are read; without it no token is taken.
    pub key_source: Option<Arc<dyn KeySource>>,
    /// How many requests are taken in a time.
    pub requests: Option<Requests>,
    /// Headers that go with a call to its upstream.
    pub forward_headers: Vec<HeaderName>,
    /// Whether `/metrics` is served, to whom the endpoint is.
    pub metrics: bool,
    /// Longer request bodies are refused, in bytes.
    pub max_body_bytes: u64,
    /// How long a request waits for the tools to be loaded.
    pub ready_wait: Duration,
    /// For a request's body to arrive.
    pub body_timeout: Duration,
    /// For a request's headers to arrive, and for a connection to stay open without a request.
    pub header_timeout: Duration,
    /// Open connections; further clients wait.
    pub max_connections: usize,
    /// How often a silent stream shows that it is alive.
    pub keep_alive: Duration,
    /// How long calls under way may go on at shutdown.
    pub drain: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            path: "/mcp".to_owned(),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            keys: Vec::new(),
            tokens: None,
            key_source: None,
            requests: None,
            forward_headers: Vec::new(),
            metrics: false,
            max_body_bytes: 16 * 1024 * 1024,
            ready_wait: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            header_timeout: Duration::from_secs(75),
            max_connections: 10_000,
            keep_alive: Duration::from_secs(15),
            drain: Duration::from_secs(5),
        }
    }
}

/// The other name of the endpoint.
const ALIAS: &str = "/mcpinvoke";

/// More open connections no process can have.
pub const MAX_CONNECTIONS: usize = 1_000_000;

/// Pages beside the endpoint, and what is below them.
const PAGES: [&str; 5] = [
    "/healthz",
    "/readyz",
    "/metrics",
    "/.well-known",
    "/api/discovery",
];

/// Whether the endpoint cannot have this path, since a page of the bridge has it. The operators' page is another
/// matter: it may have a listener of its own.
#[must_use]
pub fn is_reserved(path: &str) -> bool {
    PAGES.iter().any(|page| {
        let below = path.strip_prefix(page);
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// What the handlers share.
#[derive(Debug)]
struct Shared {
    server: Arc<Server>,
    readiness: Readiness,
    anonymous: Caller,
    challenge: Arc<Challenge>,
    forward_headers: Vec<HeaderName>,
    max_body_bytes: u64,
    ready_wait: Duration,
    body_timeout: Duration,
    keep_alive: Duration,
}

/// The routes, for a larger axum application. A layer in front can put a [`Caller`] into the
/// request's extensions.
pub fn router(server: Arc<Server>, settings: &Settings, readiness: Readiness) -> Router {
    Entrance::new(server, settings, readiness).router
}

/// All there is to serve ([`serve`]): the endpoint, reached without a router in between, and the
/// other pages behind one.
#[derive(Debug, Clone)]
pub struct Entrance {
    /// The page of approvals alone has none.
    endpoint: Option<Endpoint>,
    router: Router,
    max_body_bytes: u64,
}

#[derive(Debug, Clone)]
struct Endpoint {
    guard: Arc<Guard>,
    access: Arc<Access>,
    shared: Arc<Shared>,
    path: Arc<str>,
}

impl Entrance {
    /// An entrance to this server.
    pub fn new(server: Arc<Server>, settings: &Settings, readiness: Readiness) -> Self {
        let guard = Arc::new(Guard::new(settings));
        let challenge = Arc::new(Challenge::new(settings.tokens.as_ref()));
        let access = Arc::new(Access::new(settings, Arc::clone(&challenge)));
        let shared = shared(server, settings, readiness, challenge);
        Self {
            router: routes(&guard, &access, &shared, settings),
            endpoint: Some(Endpoint {
                path: settings.path.as_str().into(),
                guard,
                access,
                shared,
            }),
            max_body_bytes: settings.max_body_bytes,
        }
    }

    /// With the operators' page beside the endpoint.
    #[must_use]
    pub fn with_approvals(
        self,
        desk: Arc<Desk>,
        settings: &Settings,
        url: Option<&url::Url>,
    ) -> Self {
        Self {
            router: self.router.merge(approvals_router(desk, settings, url)),
            ..self
        }
    }

    /// The operators' page alone, for a listener of its own (`settings.listen`).
    pub fn approvals(desk: Arc<Desk>, settings: &Settings, url: Option<&url::Url>) -> Self {
        let router = approvals_router(desk, settings, url).fallback(pages::nothing);
        Self {
            endpoint: None,
            router,
            max_body_bytes: settings.max_body_bytes,
        }
    }

    /// Fetches what is needed to judge tokens, so that the first caller need not wait for it.
    pub async fn prepare(&self) {
        if let Some(endpoint) = &self.endpoint {
            endpoint.access.prepare().await;
        }
    }

    /// Resolves when calls under way are given up; a page without an endpoint has none.
    async fn abandoned(&self) {
        match &self.endpoint {
            Some(endpoint) => endpoint.shared.server.abandoned().await,
            None => std::future::pending().await,
        }
    }

    /// Answers one request.
    #[expect(
        clippy::manual_async_fn,
        reason = "an async function has two places for each argument"
    )]
    fn answer<B>(self: Arc<Self>, request: Request<B>) -> impl Future<Output = Response> + Send
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<axum::BoxError>,
    {
        async move {
            let path = request.uri().path();
            let Some(own) = self.endpoint.as_ref().filter(|own| path == &*own.path) else {
                return Box::pin(self.route(request)).await;
            };
            let page = match own.guard.judge(request.uri(), request.headers()) {
                Ok(page) => page,
                Err(refused) => {
                    let refusal = respond::plain(refused.status, refused.why);
                    return self.unread(request, refusal).await;
                }
            };
            if page.is_some()
                && let Some(response) = cors::preflight(request.method(), request.headers())
            {
                return self.unread(request, opened(response, page)).await;
            }
            let caller = match own.access.admit(request.headers()).await {
                Ok(caller) => caller,
                Err(refusal) => return self.unread(request, opened(*refusal, page)).await,
            };
            let begun = endpoint::begin(&own.shared, request, caller).await;
            opened(endpoint::finish(&own.shared, begun).await, page)
        }
    }
}

impl Entrance {
    /// Answers a request for any other page.
    async fn route<B>(&self, request: Request<B>) -> Response
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<axum::BoxError>,
    {
        let (parts, body) = request.into_parts();
        let waits = unread::waits(&parts.headers);
        let (body, back) = unread::Lent::new(body);
        let request = Request::from_parts(parts, Body::new(body));
        let response = match self.router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        match back.take() {
            Some(body) => unread::answer(waits, body, self.max_body_bytes, response).await,
            None => response,
        }
    }

    /// Answers a request whose body nobody looks at.
    fn unread<B>(&self, request: Request<B>, response: Response) -> impl Future<Output = Response>
    where
        B: http_body::Body<Data = Bytes>,
    {
        let limit = self.max_body_bytes;
        // In a box, so that it takes no room while a call is under way.
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            unread::answer(unread::waits(&parts.headers), body, limit, response).await
        })
    }
}

/// The answer, readable for the page it is for.
fn opened(response: Response, page: guard::Page) -> Response {
    match page {
        Some(origin) => cors::open(response, *origin),
        None => response,
    }
}

fn shared(
    server: Arc<Server>,
    settings: &Settings,
    readiness: Readiness,
    challenge: Arc<Challenge>,
) -> Arc<Shared> {
    Arc::new(Shared {
        server,
        readiness,
        anonymous: Caller::anonymous("http"),
        challenge,
        forward_headers: settings.forward_headers.clone(),
        max_body_bytes: settings.max_body_bytes,
        ready_wait: settings.ready_wait,
        body_timeout: settings.body_timeout,
        keep_alive: settings.keep_alive,
    })
}

/// The paths of the endpoint: its own and its other name, each with a slash at its end and without.
fn names(path: &str) -> BTreeSet<String> {
    let forms = |path: &str| {
        let bare = path.strip_suffix('/').unwrap_or(path);
        [bare.to_owned(), format!("{bare}/")]
    };
    let all = [path, ALIAS].into_iter().flat_map(forms);
    all.filter(|path| !path.is_empty()).collect()
}

fn routes(
    guard: &Arc<Guard>,
    access: &Arc<Access>,
    shared: &Arc<Shared>,
    settings: &Settings,
) -> Router {
    let (guard, access) = (Arc::clone(guard), Arc::clone(access));
    let shared = Arc::clone(shared);
    let mut router = Router::new();
    for path in names(&settings.path) {
        router = router.route(&path, any(endpoint::handle));
    }
    if settings.metrics {
        router = router.route("/metrics", get(pages::metrics));
    }
    router = router
        .route("/.well-known/mcp-context", get(pages::context))
        .route(
            "/api/discovery/tools",
            get(pages::discovery).post(pages::discovery),
        )
        .fallback(pages::nothing)
        .layer(from_fn_with_state(access, access::check));
    // Whoever has no token yet finds out here where to get one.
    if let Some((document, paths)) = shared.challenge.metadata(&settings.path) {
        for path in paths {
            let document = document.clone();
            let answer = move || async { respond::json(StatusCode::OK, document) };
            router = router.route(&path, get(answer));
        }
    }
    router
        .layer(from_fn_with_state(guard, guard::check))
        // A probe comes by the pod's address; what it learns is no secret.
        .route("/healthz", get(pages::health))
        .route("/readyz", get(pages::ready))
        .with_state(shared)
}

#[cfg(test)]
mod tests;
