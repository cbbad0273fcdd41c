//! The operators' page: which calls wait for a yes, and what was decided lately. Plain HTML and JSON, without
//! scripts; knows no web framework.
//!
//! | request | does |
//! |---|---|
//! | `GET /approvals` | lists what waits and what was decided |
//! | `GET /approvals/{id}` | one call |
//! | `POST /approvals/{id}` | decides it: `decision=approve` or `deny`, as a form or as JSON |
//! | `POST /approvals/login`, `/logout` | begins and ends a browser's session |

mod guard;
mod html;
mod json;
mod operator;
mod respond;
#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};

use crate::policy::confirm::{Clock, Shown};
use crate::policy::{Audit, Decided};
use crate::secret::Secret;
use crate::state::{Entry, Pending, Stage, Undecidable, Verdict};
use guard::TooMany;
pub use operator::Operator;
use operator::{Operators, Proof};
use respond::{JSON, not_allowed, page, respond, see_other, with_cookie};

/// The path of the page.
pub const PATH: &str = "/approvals";

/// Who decides, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Who may decide; nobody is let in where there are none.
    pub operators: Vec<Operator>,
    /// A listener of the page's own; the endpoint's where absent.
    pub listen: Option<SocketAddr>,
    /// How people reach the page, for instance `https://ops.example/approvals`.
    pub url: Option<url::Url>,
    /// Calls that wait at once.
    pub max_pending: usize,
    /// How long a decision counts, in seconds.
    pub lasts: u64,
}

/// A request to the page.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Its method.
    pub method: &'a Method,
    /// What follows [`PATH`], without slash: empty, an id, `login` or `logout`.
    pub place: &'a str,
    /// The id of a decision just made, from the query.
    pub decided: Option<&'a str>,
    /// Its headers.
    pub headers: &'a HeaderMap,
    /// Its body.
    pub body: &'a [u8],
}

/// The page.
pub struct Desk {
    pending: Arc<dyn Pending>,
    operators: Operators,
    audit: Option<Audit>,
    lasts: u64,
    clock: Clock,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk")
            .field("pending", &self.pending)
            .finish_non_exhaustive()
    }
}

/// A call as the page shows it.
struct Item {
    entry: Entry,
    shown: Shown,
}

impl Item {
    /// Nothing where another version wrote it.
    fn read(entry: Entry) -> Option<Self> {
        let shown = serde_json::from_str(&entry.ask.shown).ok()?;
        Some(Self { entry, shown })
    }
}

impl Desk {
    /// A page for what is pending. `key` signs its cookies; `audit` takes the decisions.
    #[must_use]
    pub fn new(
        settings: &Settings,
        pending: Arc<dyn Pending>,
        key: Secret,
        audit: Option<Audit>,
        clock: Clock,
    ) -> Self {
        let url = settings.url.as_ref();
        Self {
            pending,
            operators: Operators::new(settings.operators.clone(), key, url),
            audit,
            lasts: settings.lasts.max(1),
            clock,
        }
    }

    /// Answers one request.
    pub async fn answer(&self, request: Request<'_>) -> Response<Bytes> {
        let mut response = self.route(request).await;
        html::harden(response.headers_mut());
        response
    }

    async fn route(&self, request: Request<'_>) -> Response<Bytes> {
        let now = (self.clock)();
        let json = wants_json(request.headers);
        if request.place == "login" {
            return match *request.method {
                Method::POST => self.log_in(request.body, now),
                Method::GET => see_other("../approvals"),
                _ => not_allowed("GET, POST"),
            };
        }
        let (name, proof) = match self.operators.recognise(request.headers, now) {
            Ok(Some(known)) => known,
            Ok(None) => return unknown_operator(request, json),
            Err(limit) => return too_many(limit, json),
        };
        match (request.method, request.place) {
            (&Method::GET, "") => self.list(request.decided, &name, &proof, json, now).await,
            (&Method::GET, id) => match self.find(id, now).await {
                Some(item) if json => respond(StatusCode::OK, JSON, json::item(&item)),
                Some(item) => {
                    let form = self.operators.form_token(&proof);
                    page(StatusCode::OK, html::one(&item, &name, &form, now))
                }
                None => missing(json),
            },
            (&Method::POST, place) => self.post(place, request, &name, &proof, now).await,
            _ => not_allowed("GET, POST"),
        }
    }

    async fn list(
        &self,
        decided: Option<&str>,
        name: &str,
        proof: &Proof,
        json: bool,
        now: u64,
    ) -> Response<Bytes> {
        let (waiting, recent) = self.pending.list(now).await;
        let items = |entries: Vec<Entry>| -> Vec<Item> {
            entries.into_iter().filter_map(Item::read).collect()
        };
        let (waiting, recent) = (items(waiting), items(recent));
        if json {
            return respond(StatusCode::OK, JSON, json::list(&waiting, &recent));
        }
        let form = self.operators.form_token(proof);
        let note = decided.and_then(|id| recent.iter().find(|item| *item.entry.id == *id));
        let text = html::list(&waiting, &recent, note, name, &form, now);
        page(StatusCode::OK, text)
    }

    async fn find(&self, id: &str, now: u64) -> Option<Item> {
        Item::read(self.pending.find(id, now).await?)
    }

    fn log_in(&self, body: &[u8], now: u64) -> Response<Bytes> {
        let (token, to) = (field(body, "token"), field(body, "to"));
        let to = to.filter(|to| is_id(to)).unwrap_or_default();
        let token = token.unwrap_or_default();
        let cookie = match self.operators.log_in(token.trim(), now) {
            Ok(cookie) => cookie,
            Err(limit) => return too_many(limit, false),
        };
        let Some(cookie) = cookie else {
            tracing::warn!("a wrong token at the approvals page");
            let text = html::login(&to, "../approvals", true);
            return page(StatusCode::UNAUTHORIZED, text);
        };
        let to = match to.as_str() {
            "" => "../approvals".to_owned(),
            id => format!("../approvals/{id}"),
        };
        with_cookie(see_other(&to), &cookie)
    }

    async fn post(
        &self,
        place: &str,
        request: Request<'_>,
        name: &Arc<str>,
        proof: &Proof,
        now: u64,
    ) -> Response<Bytes> {
        let by_json = is_json(request.headers);
        // A browser sends its cookie whoever made the form; only ours has the token.
        let own = match proof {
            Proof::Bearer => true,
            Proof::Cookie(_) => {
                !by_json
                    && same_site(request.headers)
                    && field(request.body, "form")
                        .is_some_and(|token| self.operators.is_own_form(proof, &token))
            }
        };
        if !own {
            let text = "This form is too old, or not ours. Go back, load the page again, and decide once more.";
            return page(StatusCode::FORBIDDEN, html::message("Not accepted", text));
        }
        if place == "logout" {
            return with_cookie(
                see_other("../approvals"),
                &self.operators.log_out(proof, now),
            );
        }
        let approved = match decision(request.body, by_json).as_deref() {
            Some("approve") => true,
            Some("deny") => false,
            _ => {
                let text = "expected `decision` to be `approve` or `deny`";
                return respond(StatusCode::BAD_REQUEST, JSON, json::error(text));
            }
        };
        let json = by_json || wants_json(request.headers);
        self.decide(place, approved, name, json, now).await
    }

    async fn decide(
        &self,
        id: &str,
        approved: bool,
        name: &Arc<str>,
        json: bool,
        now: u64,
    ) -> Response<Bytes> {
        let verdict = Verdict {
            approved,
            by: Arc::clone(name),
            at: now,
            until: now.saturating_add(self.lasts),
        };
        match self.pending.decide(id, verdict, now).await {
            Ok(entry) => {
                let Some(item) = Item::read(entry) else {
                    return missing(json);
                };
                self.record(&item, name);
                match json {
                    true => respond(StatusCode::OK, JSON, json::item(&item)),
                    false => see_other(&format!("../approvals?decided={id}")),
                }
            }
            Err(Undecidable::Unknown) => missing(json),
            Err(Undecidable::Over(entry)) => match Item::read(*entry) {
                Some(item) if json => respond(StatusCode::CONFLICT, JSON, json::item(&item)),
                Some(item) => page(StatusCode::CONFLICT, html::over(&item, now)),
                None => missing(json),
            },
        }
    }

    fn record(&self, item: &Item, name: &str) {
        let Item { entry, shown } = item;
        let approved = matches!(entry.stage, Stage::Approved(_));
        let decided = Decided {
            approval: &entry.id,
            decision: if approved { "approved" } else { "denied" },
            by: name,
            principal: &shown.principal,
            client: shown.client.as_deref(),
            transport: &shown.transport,
            tool: &shown.preview.tool,
            method: &shown.preview.method,
            url: &shown.preview.url,
        };
        decided.record(self.audit.as_ref());
    }
}

fn unknown_operator(request: Request<'_>, json: bool) -> Response<Bytes> {
    let mut response = if json {
        let text = "an operator's token is needed: send it as a bearer token";
        respond(StatusCode::UNAUTHORIZED, JSON, json::error(text))
    } else {
        let (to, root) = match request.place {
            "" => ("", "approvals"),
            id if is_id(id) => (id, "../approvals"),
            _ => ("", "../approvals"),
        };
        page(StatusCode::UNAUTHORIZED, html::login(to, root, false))
    };
    let challenge = HeaderValue::from_static("Bearer realm=\"approvals\"");
    response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    response
}

/// Guessing is slow; RFC 6585, section 4.
fn too_many(TooMany(seconds): TooMany, json: bool) -> Response<Bytes> {
    tracing::warn!("too many wrong tokens at the approvals page");
    let text = "Too many wrong tokens. Try again in a minute.";
    let status = StatusCode::TOO_MANY_REQUESTS;
    let mut response = match json {
        true => respond(status, JSON, json::error(text)),
        false => page(status, html::message("Not now", text)),
    };
    let headers = response.headers_mut();
    headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    response
}

fn missing(json: bool) -> Response<Bytes> {
    if json {
        let text = "there is no such call, or not any more";
        return respond(StatusCode::NOT_FOUND, JSON, json::error(text));
    }
    let text = "There is no such call, or not any more.";
    page(StatusCode::NOT_FOUND, html::message("Not here", text))
}

/// A program says JSON, or says nothing and shows a bearer token.
fn wants_json(headers: &HeaderMap) -> bool {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let accept = text(&ACCEPT).unwrap_or_default();
    let bearer = text(&http::header::AUTHORIZATION).is_some();
    !accept.contains("text/html") && (accept.contains("json") || bearer)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
}

/// Browsers say where a form stood (Fetch Metadata); one that does not say so is held to its form's token.
fn same_site(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site");
    site.is_none_or(|site| site == "same-origin" || site == "none")
}

fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A field of a form (`application/x-www-form-urlencoded`).
fn field(body: &[u8], name: &str) -> Option<String> {
    let mut pairs = url::form_urlencoded::parse(body);
    let (_, value) = pairs.find(|(key, _)| key == name)?;
    Some(value.into_owned())
}

fn decision(body: &[u8], by_json: bool) -> Option<String> {
    if !by_json {
        return field(body, "decision");
    }
    let tree: serde_json::Value = crate::tree::read_bytes(body).ok()?;
    Some(tree.get("decision")?.as_str()?.to_owned())
}
