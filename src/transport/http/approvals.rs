//! The operators' page on the wire. Who may see it is the page's own business; the endpoint's keys open nothing here.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::any;
use http::StatusCode;
use http_body_util::{BodyExt as _, Limited};

use super::Settings;
use super::guard::{self, Guard};
use super::respond::plain;
use crate::approvals::{self, Desk, PATH};

/// A form holds a token and a word.
const LONGEST_FORM: usize = 16 * 1024;
/// For a form to arrive.
const PATIENCE: Duration = Duration::from_secs(10);

/// The routes of the operators' page, for a larger axum application. `url` is how people reach it.
pub fn router(desk: Arc<Desk>, settings: &Settings, url: Option<&url::Url>) -> Router {
    let guard = Arc::new(Guard::new(&own(settings, url)));
    Router::new()
        .route(PATH, any(handle))
        .route(&format!("{PATH}/{{place}}"), any(handle))
        .layer(from_fn_with_state(guard, guard::check))
        .with_state(desk)
}

/// Whom the page answers: the names of its listener, and its own address. What pages of other origins may do at the
/// endpoint they may not do here.
fn own(settings: &Settings, url: Option<&url::Url>) -> Settings {
    let mut own = Settings {
        allowed_origins: Vec::new(),
        ..settings.clone()
    };
    if let Some(url) = url {
        own.allowed_hosts.extend(
            url.host_str()
                .map(|host| host.trim_matches(['[', ']']).to_owned()),
        );
        own.allowed_origins.push(url.origin().ascii_serialization());
    }
    own
}

async fn handle(State(desk): State<Arc<Desk>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let read = Limited::new(body, LONGEST_FORM).collect();
    let Ok(Ok(body)) = tokio::time::timeout(PATIENCE, read).await else {
        return plain(StatusCode::BAD_REQUEST, "expected a short form");
    };
    let body = body.to_bytes();
    let place = parts.uri.path().strip_prefix(PATH).unwrap_or_default();
    let query = parts.uri.query().unwrap_or_default();
    let request = approvals::Request {
        method: &parts.method,
        place: place.trim_start_matches('/'),
        decided: query.strip_prefix("decided="),
        headers: &parts.headers,
        body: &body,
    };
    desk.answer(request).await.map(Body::from)
}
