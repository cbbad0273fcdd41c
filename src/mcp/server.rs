//! The server: what transports call, and what every message shares.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

use super::accept::Origin;
use super::context;
use super::error::Refusal;
use super::headers::{Header, Headers, mismatch};
use super::listing::Listing;
use super::revision::Revision;
use super::session::{Session, Sessions};
use super::settings::{self, Settings};
use super::stream::{Source, announcements, renewing};
use super::{Accepted, Message, Messages};
use crate::invoke::{Catalogue, Invoker};
use crate::state::{Handshakes, HandshakesInMemory};
use crate::tool::{Caller, NoProgress, Progress, Tool};

/// The metadata key under which results name the server.
pub(crate) const SERVER: &str = "io.modelcontextprotocol/serverInfo";

/// Serves the tools of an [`Invoker`] to MCP clients of every revision.
#[derive(Debug)]
pub struct Server {
    pub(crate) invoker: Arc<Invoker>,
    pub(crate) settings: Settings,
    pub(crate) sessions: Sessions,
    pub(crate) identity: Identity,
    listing: ArcSwap<Listing>,
    changes: watch::Sender<u64>,
    /// The server shuts down.
    pub(crate) closing: CancellationToken,
    abandoned: CancellationToken,
    streams: Arc<Semaphore>,
    /// Shared by all calls that nobody wants to hear of.
    pub(crate) no_progress: Arc<dyn Progress>,
}

/// What never changes about the server, as JSON text.
#[derive(Debug)]
pub(crate) struct Identity {
    /// `{"name":...,"version":...}`
    pub(crate) info: Value,
    /// `"_meta":{"io.modelcontextprotocol/serverInfo":{...}}`
    pub(crate) meta: String,
    /// `"resultType":"complete","ttlMs":...,"cacheScope":"...",`
    pub(crate) cacheable: String,
}

/// Faults that a transport finds before there is a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Longer than so many bytes.
    TooLarge(u64),
    /// The body did not come in time.
    TooSlow,
    /// The body breaks off, or is not in the form that its transport has it in.
    Broken,
    /// The content type is not JSON's.
    NotJson,
    /// The tools are not there yet.
    NotReady,
    /// Too much at once.
    Busy,
    /// The session is unknown.
    UnknownSession,
}

impl Server {
    /// A server for these tools.
    #[must_use]
    pub fn new(invoker: Arc<Invoker>, settings: Settings) -> Self {
        let (limit, idle) = (settings.max_sessions, settings.session_idle);
        let handshakes = Arc::new(HandshakesInMemory::new(limit, idle));
        Self::sharing(invoker, settings, handshakes)
    }

    /// The same, knowing what clients agreed on elsewhere.
    #[must_use]
    pub fn sharing(
        invoker: Arc<Invoker>,
        settings: Settings,
        handshakes: Arc<dyn Handshakes>,
    ) -> Self {
        let listing = Listing::new(&invoker.catalogue(), &settings);
        Self {
            sessions: Sessions::new(settings.max_sessions, settings.session_idle, handshakes),
            identity: Identity::of(&settings),
            listing: ArcSwap::from_pointee(listing),
            changes: watch::Sender::new(0),
            closing: CancellationToken::new(),
            abandoned: CancellationToken::new(),
            streams: Arc::new(Semaphore::new(settings.max_streams)),
            no_progress: Arc::new(NoProgress),
            invoker,
            settings,
        }
    }

    /// Takes the body of an HTTP request. What is refused or simple is answered now; the rest is
    /// work for the caller to carry out, and to drop when the client goes.
    pub fn post(self: &Arc<Self>, body: &[u8], headers: &Headers<'_>, caller: &Caller) -> Accepted {
        let origin = Origin {
            headers: Some(headers),
            connection: None,
            caller,
            in_batch: false,
        };
        self.accept(body, origin)
    }

    /// Takes one message of a connection that lasts. Messages of a connection are to be handed
    /// over in their order; the work they make can be done in any.
    pub fn line(self: &Arc<Self>, line: &[u8], from: &Arc<Session>, caller: &Caller) -> Accepted {
        let origin = Origin {
            headers: None,
            connection: Some(from),
            caller,
            in_batch: false,
        };
        self.accept(line, origin)
    }

    /// A connection that lasts (stdio), and what it is told unasked.
    #[must_use]
    pub fn connect(&self) -> (Arc<Session>, Option<Messages>) {
        let session = Session::new("", None);
        let announcements = self.announcements(&session);
        (session, announcements)
    }

    /// Whether the version that a request without a body names is one there is.
    ///
    /// # Errors
    /// The message that refuses it (2025-06-18, transports, protocol version header).
    pub fn check_version(&self, headers: &Headers<'_>) -> Result<(), Message> {
        let refusal = match headers.version {
            Header::Value(name) if Revision::parse(name).is_none() => Refusal::version(name),
            Header::Unusable => mismatch("MCP-Protocol-Version", headers.version, ""),
            Header::Value(_) | Header::Absent => return Ok(()),
        };
        Err(refusal.without_id(headers.says_modern()))
    }

    /// Whether some clients get a session.
    #[must_use]
    pub fn has_sessions(&self) -> bool {
        self.settings.sessions != settings::Sessions::Never
    }

    /// The stream of a session (HTTP GET), if the caller has such a session.
    ///
    /// # Errors
    /// The message that refuses it.
    pub fn session_stream(&self, id: &str, caller: &Caller) -> Result<Messages, Message> {
        let Some(session) = self.sessions.find(id, &caller.principal) else {
            return Err(self.refuse(Fault::UnknownSession, false));
        };
        let messages = self.announcements(&session);
        let messages = messages.ok_or_else(|| self.refuse(Fault::Busy, false))?;
        // Whoever listens uses the session.
        let renew = self.sessions.renewal(&session, &caller.principal);
        let period = (self.settings.session_idle / 2).max(Duration::from_secs(1));
        Ok(renewing(messages, period, renew))
    }

    /// Ends a session (HTTP DELETE); whether the caller had one.
    #[must_use]
    pub fn end_session(&self, id: &str, caller: &Caller) -> bool {
        self.sessions.remove(id, &caller.principal)
    }

    /// Tells every client that asked that the tools have changed.
    pub fn tools_changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Ends every open stream with its final message. Calls under way go on; what a client was asked for one counts
    /// as unanswered.
    pub fn close(&self) {
        self.closing.cancel();
    }

    /// Gives up the calls under way as well: a transport that still waits for them waits no longer.
    pub fn abandon(&self) {
        self.abandoned.cancel();
    }

    /// Resolves once the calls under way are given up.
    pub async fn abandoned(&self) {
        self.abandoned.cancelled().await;
    }

    /// The message for a fault that the transport found. `modern`: the client said so in a header.
    #[must_use]
    pub fn refuse(&self, fault: Fault, modern: bool) -> Message {
        Refusal::from(fault).message(None, modern)
    }

    /// MCPBuckle's context document: the tools the caller sees, in its shape.
    #[must_use]
    pub fn context_document(&self, caller: &Caller) -> Bytes {
        self.view(0, caller, |tools| context::document(tools, &self.settings))
    }

    /// What calls came to so far, in the text format of Prometheus.
    #[must_use]
    pub fn metrics(&self) -> String {
        self.invoker.metrics()
    }

    /// MCPBuckle's discovery document: `{"tools":[...]}`.
    #[must_use]
    pub fn discovery_document(&self, caller: &Caller) -> Bytes {
        self.view(1, caller, context::tools)
    }

    fn view(&self, which: usize, caller: &Caller, make: impl FnOnce(&[&Tool]) -> Value) -> Bytes {
        let (catalogue, listing) = self.catalogue(caller);
        let slot: &OnceLock<Bytes> = &listing.views[which];
        let tools = || listing.tools(&catalogue).collect::<Vec<_>>();
        slot.get_or_init(|| Bytes::from(make(&tools()).to_string()))
            .clone()
    }

    /// The tools as they are now, with what this caller sees of them.
    pub(crate) fn catalogue(&self, caller: &Caller) -> (Arc<Catalogue>, Arc<Listing>) {
        let (catalogue, listing) = self.whole();
        let Some(grant) = &caller.grant else {
            return (catalogue, listing);
        };
        let access = self.invoker.access();
        let own = listing.own.of(grant, access, &catalogue, &self.settings);
        (catalogue, own.unwrap_or(listing))
    }

    /// The tools as they are now, with what is derived from them.
    fn whole(&self) -> (Arc<Catalogue>, Arc<Listing>) {
        let catalogue = self.invoker.catalogue();
        let listing = self.listing.load_full();
        if listing.is_of(&catalogue) {
            return (catalogue, listing);
        }
        let listing = Arc::new(Listing::new(&catalogue, &self.settings));
        self.listing.store(Arc::clone(&listing));
        (catalogue, listing)
    }

    /// A place for one more stream.
    pub(crate) fn source(&self) -> Option<Source> {
        Some(Source {
            _permit: Arc::clone(&self.streams).try_acquire_owned().ok()?,
            changes: self.changes.subscribe(),
            closing: self.closing.clone(),
        })
    }

    fn announcements(&self, session: &Arc<Session>) -> Option<Messages> {
        let wanted = self.settings.list_changed;
        Some(announcements(Arc::clone(session), wanted, self.source()?))
    }
}

impl Identity {
    fn of(settings: &Settings) -> Self {
        let mut info = json!({"name": settings.name, "version": settings.version});
        let meta = json!({SERVER: info}).to_string();
        if let Some(title) = &settings.title {
            info["title"] = json!(title);
        }
        let ttl = u64::try_from(settings.ttl.as_millis()).unwrap_or(u64::MAX);
        let scope = if settings.shared_lists {
            "public"
        } else {
            "private"
        };
        Self {
            info,
            meta: format!("\"_meta\":{meta}"),
            cacheable: format!(
                "\"resultType\":\"complete\",\"ttlMs\":{ttl},\"cacheScope\":\"{scope}\","
            ),
        }
    }
}
