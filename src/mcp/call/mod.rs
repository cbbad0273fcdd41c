//! `tools/call` and direct calls, in every revision: checked, carried out, and heard of meanwhile.

mod ours;
mod relay;
mod unmade;

use std::borrow::Cow;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use futures_util::future::FutureExt;
use futures_util::stream;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use self::relay::{apart, watch};
use super::accept::Origin;
use super::answer::{Ended, Form};
use super::batch::Batch;
use super::declared::Declared;
use super::error::Refusal;
use super::human::{By, Human, Modes};
use super::listing::publishes_output;
use super::params::Meta;
use super::peer::Peer;
use super::progress::{Reporter, Watched};
use super::revision::Revision;
use super::server::{Fault, Server};
use super::session::{Flight, Session};
use super::unconfirmed::Failures;
use super::{Accepted, Answer, Message};
use crate::policy::Step;
use crate::tool::{CallId, Outcome, Target, Tool, ToolCall};
use unmade::{record_refusal, record_unmade};

/// Messages of one call that wait for the client to read them.
const QUEUE: usize = 16;

/// A call as its era understood it.
pub(crate) struct Request<'a> {
    pub(crate) id: &'a RawValue,
    pub(crate) name: String,
    pub(crate) arguments: Map<String, Value>,
    /// Why the arguments are not there, if some were sent.
    pub(crate) unreadable: Option<String>,
    pub(crate) meta: Meta<'a>,
    pub(crate) revision: Revision,
    /// The method is the tool's name.
    pub(crate) direct: bool,
    /// What the client declared that it can do.
    pub(crate) capabilities: Cow<'a, Declared>,
    pub(crate) client: Option<Arc<str>>,
    pub(crate) session: Option<Arc<Session>>,
    /// The human behind the client, unless they can be asked in the session, and what they can be shown.
    pub(crate) by: By,
    pub(crate) modes: Modes,
}

/// Checks what the protocol checks before a call, and makes it ready to run.
pub(crate) fn begin(
    server: &Arc<Server>,
    mut request: Request<'_>,
    origin: Origin<'_>,
) -> Result<Accepted, Refusal> {
    let (catalogue, listing) = server.catalogue(origin.caller);
    if let Some(ours) = listing.builtin(&request.name)
        && request.unreadable.is_none()
        && let Some(answer) = ours::take(server, ours, &mut request, origin, || {
            listing.tools(&catalogue).collect()
        })
    {
        return Ok(answer);
    }
    let tool = listing.find(&catalogue, &request.name).map(Arc::clone);
    let form = Form {
        server: Arc::clone(server),
        id: request.id.to_owned(),
        revision: request.revision,
        direct: request.direct,
        publishes_output: tool
            .as_ref()
            .is_some_and(|tool| checks_failures(tool) && publishes_output(tool, request.revision)),
        failures: match &tool {
            Some(tool) if !checks_failures(tool) => {
                match request.arguments.get("machineReadable") {
                    Some(Value::Bool(true)) => Failures::Machine,
                    _ => Failures::Envelope,
                }
            }
            _ => Failures::Text,
        },
    };
    if let Some(why) = &request.unreadable
        && (tool.is_some() || listing.builtin(&request.name).is_some())
    {
        return Ok(form.write(&form.unreadable(why)).into());
    }
    if let Some(tool) = &tool {
        if let Some(headers) = origin.headers.filter(|_| request.revision.is_modern()) {
            for mirror in listing.mirrors(&request.name) {
                if let Err(refusal) = mirror.check(headers, &request.arguments) {
                    let why = "a header is not the argument it repeats";
                    record_refusal(server, &request, origin, (Step::Headers, why));
                    return Err(refusal);
                }
            }
        }
        if let Some(refusal) = missing_capability(tool, &request.capabilities) {
            let why = (Step::Capabilities, &*refusal.to_string());
            record_refusal(server, &request, origin, why);
            // The revisions with a handshake have no error for this; the model can be told.
            return if request.revision.is_modern() {
                Err(refusal)
            } else {
                Ok(form.complete(&Outcome::failure(refusal.to_string())).into())
            };
        }
    }
    let call = prepare(request, tool.as_deref(), form, origin);
    Ok(Accepted::Later(Work(Job::Call(Box::new(call)))))
}

fn prepare(request: Request<'_>, tool: Option<&Tool>, form: Form, origin: Origin<'_>) -> Call {
    let can_stream = !origin.in_batch && origin.headers.is_none_or(|headers| headers.streams);
    let token = request.meta.token().filter(|_| can_stream);
    let human = tool.is_some_and(|tool| tool.confirm || !tool.ask.is_empty());
    let live = can_stream && human && request.session.is_some() && !request.revision.is_modern();
    let links = form.server.settings.approvals;
    let modes = match live {
        true => Modes::of(&request.capabilities, request.revision, links),
        false => request.modes,
    };
    let asks = live && modes.any();
    let (mut progress, mut messages) = (Arc::clone(&form.server.no_progress), None);
    let mut by = request.by;
    if token.is_some() || asks {
        let (sender, receiver) = mpsc::channel(QUEUE);
        if let Some(token) = token {
            let interval = form.server.settings.progress_interval;
            let reporter = Reporter::new(token, request.revision, interval, sender.clone());
            progress = Arc::new(reporter);
        }
        if let Some(session) = request.session.clone().filter(|_| asks) {
            by = By::Peer(Peer::new(session, form.server.closing.clone(), sender));
        }
        messages = Some(receiver);
    }
    let mut caller = origin.caller.clone();
    if request.client.is_some() {
        caller.client = request.client;
    }
    let session = origin.connection.or(request.session.as_ref());
    let flight = session.map(|session| session.take_off(request.id));
    if let Some(flight) = &flight
        && tool.is_some_and(|tool| matches!(tool.target, Target::Command(_)))
    {
        progress = Watched::over(progress, flight.token.clone());
    }
    Call {
        flight,
        cancelled: Cancelled::over(origin),
        call: Box::new(ToolCall {
            id: next_id(),
            caller,
            name: request.name,
            arguments: request.arguments,
            progress,
            trace: request.meta.trace(&origin.trace()),
            forwarded: origin
                .headers
                .map(|headers| headers.forwarded.clone())
                .unwrap_or_default(),
        }),
        human: Human {
            revision: request.revision,
            by,
            modes,
            token: human.then(|| request.meta.confirmation()).flatten(),
        },
        form,
        messages,
    }
}

/// Ids run through the whole process, so that a log has one call of each.
pub(crate) fn next_id() -> CallId {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    CallId(NEXT.fetch_add(1, Ordering::Relaxed))
}

fn missing_capability(tool: &Tool, declared: &Declared) -> Option<Refusal> {
    let lacks = |name: &&String| !declared.has(name);
    let missing: Vec<String> = tool.requires.iter().filter(lacks).cloned().collect();
    (!missing.is_empty()).then(|| Refusal::MissingCapability {
        tool: tool.name.as_str().to_owned(),
        missing,
    })
}

/// What a message takes before it is answered. Dropping it, or its future, cancels it.
#[derive(Debug)]
pub struct Work(Job);

#[derive(Debug)]
enum Job {
    Call(Box<Call>),
    Batch(Batch),
}

#[derive(Debug)]
struct Call {
    call: Box<ToolCall>,
    form: Form,
    flight: Option<Flight>,
    cancelled: Cancelled,
    /// Who agrees to it, where somebody has to.
    human: Human,
    /// What is sent before the answer.
    messages: Option<mpsc::Receiver<Bytes>>,
}

/// What is left of the answer to a request that its client has cancelled. Over HTTP there has to be one (2025-11-25,
/// transports, sending messages to the server).
#[derive(Debug, Clone, Copy)]
enum Cancelled {
    Silence,
    /// A stream without a message.
    Stream,
    /// An error, for a client that takes no streams.
    Error,
}

impl Work {
    pub(crate) fn batch(batch: Batch) -> Self {
        Self(Job::Batch(batch))
    }

    /// Does the work. Where something is to be sent before the answer, the work goes on beside the stream, for as long
    /// as there is one.
    pub async fn finish(self) -> Answer {
        match self.0 {
            Job::Call(mut call) => match call.messages.take() {
                None => call.run().await.map_or_else(|rest| rest, Answer::Message),
                Some(messages) => watch(messages, apart(call.run())).await,
            },
            Job::Batch(batch) => batch.finish().await,
        }
    }

    /// Does not do the work, and says why.
    #[must_use]
    pub fn refuse(self, fault: Fault) -> Answer {
        match self.0 {
            Job::Call(call) => {
                record_unmade(&call);
                Answer::Message(call.form.refuse(&match fault {
                    Fault::Busy => Refusal::Busy,
                    _ => Refusal::Internal(None),
                }))
            }
            Job::Batch(batch) => batch.without_work(fault),
        }
    }
}

impl Call {
    /// The answer, or what is left of it when the client has cancelled the call.
    async fn run(self: Box<Self>) -> Result<Message, Answer> {
        let (id, form) = (self.call.id, self.form);
        let server = Arc::clone(&form.server);
        // Pinned here, since each function a future goes through by value makes the whole larger.
        let call = pin!(server.invoker.call(self.call, &self.human));
        let Some(result) = guard(call, self.flight.as_ref()).await else {
            let ended = self.flight.is_some_and(|flight| flight.has_ended());
            return Err(self.cancelled.answer(&form, ended));
        };
        let ended = match result {
            Ok(Ok(outcome)) => Ended::Outcome(outcome),
            Ok(Err(error)) => form.judge(error, id),
            Err(Panicked) => {
                tracing::error!(%id, "a call panicked");
                Ended::Refused(Refusal::Internal(Some(id.to_string())))
            }
        };
        Ok(form.write(&ended))
    }
}

impl Cancelled {
    fn over(origin: Origin<'_>) -> Self {
        match origin.headers {
            None => Self::Silence,
            Some(headers) if headers.streams => Self::Stream,
            Some(_) => Self::Error,
        }
    }

    /// `ended`: the whole session is over.
    fn answer(self, form: &Form, ended: bool) -> Answer {
        match self {
            Self::Silence => Answer::Nothing,
            _ if ended => Answer::Message(form.refuse(&Refusal::UnknownSession)),
            Self::Stream => Answer::Stream(Box::pin(stream::empty())),
            Self::Error => Answer::Message(form.refuse(&Refusal::Cancelled)),
        }
    }
}

/// A fault of ours, which is to cost no more than the call it happened in.
#[derive(Debug)]
struct Panicked;

/// Runs a call; nothing when the client cancels it first.
async fn guard<T>(
    call: Pin<&mut impl Future<Output = T>>,
    flight: Option<&Flight>,
) -> Option<Result<T, Panicked>> {
    let call = AssertUnwindSafe(call).catch_unwind();
    let result = match flight {
        None => call.await,
        Some(flight) => tokio::select! {
            biased;
            () = flight.token.cancelled() => return None,
            result = call => result,
        },
    };
    Some(result.map_err(|_| Panicked))
}

/// Whether an answer that tells of a failure could break the tool's output schema. A command's answers are the
/// bridge's own, failures included, and its schema takes them all.
fn checks_failures(tool: &Tool) -> bool {
    matches!(tool.target, Target::Http(_))
}

#[cfg(test)]
mod tests;
