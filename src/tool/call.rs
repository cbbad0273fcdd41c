//! One call on its way through the bridge, before anything is bound.

use std::fmt;
use std::sync::Arc;

use http::{HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::{Grant, SubjectToken};

/// A tool call as the protocol layer hands it over.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// Names the call in logs and towards the caller.
    pub id: CallId,
    /// On whose behalf.
    pub caller: Caller,
    /// The tool's name as the client wrote it; it may not exist.
    pub name: String,
    /// The arguments as the client wrote them, not yet validated.
    pub arguments: Map<String, Value>,
    /// Where progress goes; [`NoProgress`] when nobody asked.
    pub progress: Arc<dyn Progress>,
    /// Trace headers to hand on.
    pub trace: TraceContext,
    /// Headers of the client's own request that the operator lets pass to the upstream.
    pub forwarded: Vec<(HeaderName, HeaderValue)>,
}

/// A process-wide running number of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallId(pub u64);

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("c")?;
        f.write_str(itoa::Buffer::new().format(self.0))
    }
}

/// Who is calling, as far as the transport knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The authenticated principal; `anonymous` where the endpoint asks for nothing.
    pub principal: Arc<str>,
    /// The client program's own name, for display only.
    pub client: Option<Arc<str>>,
    /// `http` or `stdio`.
    pub transport: &'static str,
    /// What the caller may do; everything where absent.
    pub grant: Option<Arc<Grant>>,
    /// The OAuth token the caller was recognised by; absent for keys and where nobody was asked.
    pub subject_token: Option<SubjectToken>,
}

impl Caller {
    /// A caller nobody has authenticated.
    #[must_use]
    pub fn anonymous(transport: &'static str) -> Self {
        Self {
            principal: "anonymous".into(),
            client: None,
            transport,
            grant: None,
            subject_token: None,
        }
    }
}

/// The W3C trace context that came with a call; members are copied upstream as headers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TraceContext {
    /// `traceparent`.
    pub parent: Option<String>,
    /// `tracestate`.
    pub state: Option<String>,
    /// `baggage`.
    pub baggage: Option<String>,
}

/// Takes reports of a call's progress; called from the task that carries the call out.
pub trait Progress: Send + Sync + fmt::Debug {
    /// Whether anybody listens; a handler may skip the work of reporting otherwise.
    fn wanted(&self) -> bool;

    /// `done` of `total` (when known) units, with a word for people. `done` never decreases
    /// within one call.
    fn report(&self, done: u64, total: Option<u64>, message: &str);

    /// Whether the caller has said that it wants no answer any more. True from that word on, which may be
    /// a moment before the call's future is dropped.
    fn is_abandoned(&self) -> bool {
        false
    }
}

/// The sink for calls without a progress token.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn wanted(&self) -> bool {
        false
    }

    fn report(&self, _done: u64, _total: Option<u64>, _message: &str) {}
}
