//! Streamable HTTP: one endpoint, and a few read-only pages beside it.

mod endpoint;
mod guard;
mod listen;
mod pages;
mod respond;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::middleware::from_fn_with_state;
use axum::routing::{any, get};

use super::Readiness;
use crate::mcp::Server;
use crate::tool::Caller;
use guard::Guard;

pub use axum::Router;
pub use listen::serve;

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
    /// Origins of web pages that may call, for instance `https://tools.example`; `*` takes all.
    /// A page of the server's own origin may always.
    pub allowed_origins: Vec<String>,
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
            max_body_bytes: 16 * 1024 * 1024,
            ready_wait: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            header_timeout: Duration::from_secs(75),
            max_connections: 10_000,
            keep_alive: Duration::from_secs(15),
            drain: Duration::from_secs(10),
        }
    }
}

/// The other name of the endpoint.
const ALIAS: &str = "/mcpinvoke";

/// What the handlers share.
#[derive(Debug)]
struct Shared {
    server: Arc<Server>,
    readiness: Readiness,
    anonymous: Caller,
    max_body_bytes: u64,
    ready_wait: Duration,
    body_timeout: Duration,
    keep_alive: Duration,
}

/// The routes, for a server of their own ([`serve`]) or for a larger axum application. A layer in
/// front can put a [`Caller`] into the request's extensions.
pub fn router(server: Arc<Server>, settings: &Settings, readiness: Readiness) -> Router {
    let guard = Arc::new(Guard::new(settings));
    let shared = Arc::new(Shared {
        server,
        readiness,
        anonymous: Caller::anonymous("http"),
        max_body_bytes: settings.max_body_bytes,
        ready_wait: settings.ready_wait,
        body_timeout: settings.body_timeout,
        keep_alive: settings.keep_alive,
    });
    let mut router = Router::new().route(&settings.path, any(endpoint::handle));
    if settings.path != ALIAS {
        router = router.route(ALIAS, any(endpoint::handle));
    }
    router
        .route("/.well-known/mcp-context", get(pages::context))
        .route(
            "/api/discovery/tools",
            get(pages::discovery).post(pages::discovery),
        )
        .fallback(pages::nothing)
        .layer(from_fn_with_state(guard, guard::check))
        // A probe comes by the pod's address; what it learns is no secret.
        .route("/healthz", get(pages::health))
        .route("/readyz", get(pages::ready))
        .with_state(shared)
}

#[cfg(test)]
mod tests;
