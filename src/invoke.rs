//! One call from start to end, whatever the transport.
//!
//! The order is fixed: find the tool, count, validate, bind, carry out, interpret, mask, record.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};

use crate::binding::{self, Fault, SchemaError, Validator};
use crate::handler::http::HttpHandler;
use crate::interpret::{self, Interpreted};
use crate::kept::{self, Kept, Store};
use crate::policy::{CallRecord, Ending, Limited, Policy, secret_names};
use crate::registry::{DuplicateName, Entry, Registry};
use crate::tool::{
    CallId, Caller, Content, HttpTarget, Json, Outcome, Progress, Target, Tool, ToolCall,
    TraceContext,
};

/// The tools that can be called now.
pub type Catalogue = Registry<Prepared>;

/// What is kept beside a tool: its validator, compiled by the first call.
#[derive(Debug, Default)]
pub struct Prepared {
    validator: OnceLock<Result<Validator, SchemaError>>,
    /// Members that the schemas mark as secret.
    secret: OnceLock<HashSet<String>>,
}

/// Carries out calls against the current catalogue.
#[derive(Debug)]
pub struct Invoker {
    catalogue: ArcSwap<Catalogue>,
    http: HttpHandler,
    limits: interpret::Limits,
    kept: Option<Arc<dyn Store>>,
    policy: Policy,
}

/// Why a call was not carried out. Whatever happens after the request was sent is an [`Outcome`].
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// There is no tool of this name, or not for this caller.
    #[error("unknown tool: {0}")]
    UnknownTool(String),
    /// The arguments do not fit; nothing was sent.
    #[error("{}", list(.0))]
    InvalidArguments(Vec<Fault>),
    /// The tool cannot be called because its schema is broken.
    #[error("the tool cannot be used")]
    Unusable(#[source] SchemaError),
}

fn list(faults: &[Fault]) -> String {
    let lines: Vec<String> = faults
        .iter()
        .map(|fault| match fault.path.as_str() {
            "" => fault.message.clone(),
            path => format!("{path}: {}", fault.message),
        })
        .collect();
    format!("invalid arguments: {}", lines.join("; "))
}

impl Invoker {
    /// Serves `tools`.
    ///
    /// # Errors
    /// [`DuplicateName`] when two tools share a name.
    pub fn new(tools: Vec<Tool>, http: HttpHandler) -> Result<Self, DuplicateName> {
        Ok(Self {
            catalogue: ArcSwap::from_pointee(prepare(tools)?),
            http,
            limits: interpret::Limits::default(),
            kept: None,
            policy: Policy::default(),
        })
    }

    /// With these limits to an answer, and a place for what goes beyond them.
    #[must_use]
    pub fn with_answers(self, limits: interpret::Limits, kept: Option<Arc<dyn Store>>) -> Self {
        Self {
            limits,
            kept,
            ..self
        }
    }

    /// The same under these rules.
    #[must_use]
    pub fn under(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// Where long answers are kept, if they are.
    #[must_use]
    pub fn kept(&self) -> Option<&dyn Store> {
        self.kept.as_deref()
    }

    /// Waits until every record is written, at most this long. Blocks its thread.
    pub fn flush_audit(&self, patience: Duration) {
        if let Some(audit) = &self.policy.audit {
            audit.flush(patience);
        }
    }

    /// The tools as they are now. Hold it for one request at most: a reload swaps it.
    #[must_use]
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.catalogue.load_full()
    }

    /// Replaces all tools at once. Calls under way keep the tools they began with.
    ///
    /// # Errors
    /// [`DuplicateName`] when two tools share a name; the old tools stay.
    pub fn replace(&self, tools: Vec<Tool>) -> Result<(), DuplicateName> {
        self.catalogue.store(Arc::new(prepare(tools)?));
        Ok(())
    }

    /// Whether the tool's operation asks for credentials that nobody configured.
    #[must_use]
    pub fn lacks_credentials(&self, tool: &Tool) -> bool {
        let Target::Http(target) = &tool.target;
        self.http.lacks_credentials(target)
    }

    /// Begins the record of a call that is answered without the catalogue's tools.
    #[must_use]
    pub fn record(&self, id: CallId, caller: &Caller, name: &str) -> CallRecord {
        CallRecord::start(id, caller, name, self.policy.audit.as_ref())
    }

    /// Carries one call out. Dropping the future cancels it.
    ///
    /// # Errors
    /// [`CallError`] when nothing was sent.
    pub async fn call(&self, call: ToolCall) -> Result<Outcome, CallError> {
        let mut record = self.record(call.id, &call.caller, &call.name);
        let result = self.carry_out(call, &mut record).await;
        match &result {
            Ok(Ended {
                outcome,
                refused: true,
            }) => record.end(Ending::Refused, outcome.status),
            Ok(Ended { outcome, .. }) => {
                record.bytes(outcome.size());
                let ending = if outcome.is_error {
                    Ending::Failed
                } else {
                    Ending::Done
                };
                record.end(ending, outcome.status);
            }
            Err(_) => record.end(Ending::Refused, None),
        }
        result.map(|ended| ended.outcome)
    }

    async fn carry_out(&self, call: ToolCall, record: &mut CallRecord) -> Result<Ended, CallError> {
        let catalogue = self.catalogue.load_full();
        let mut arguments = Value::Object(call.arguments);
        let Some(entry) = catalogue.find(&call.name) else {
            record.step("find", "refused", Some("there is no tool of this name"));
            record.arguments(&arguments, |copy| self.mask(copy, &HashSet::new()));
            return Err(CallError::UnknownTool(call.name));
        };
        let Target::Http(target) = &entry.tool.target;
        let secret = entry.handler.secret(&entry.tool);
        record.operation(|| format!("{} {}", target.method, target.path.template));
        record.arguments(&arguments, |copy| self.mask(copy, secret));
        let limits = &self.policy.limits;
        if let Err(limited) = limits.check(&call.caller.principal, &call.name) {
            return Ok(Ended::limited(&limited, record));
        }
        record.step("rate", "allowed", None);
        let mut plan = self
            .plan(entry, target, &mut arguments, &call.trace)
            .map_err(|error| self.refused(error, record))?;
        record.step("validate", "allowed", None);
        drop(arguments);
        hand_on(&call.forwarded, &mut plan.headers);
        let _place = match limits.place(target.base.authority()).await {
            Ok(place) => place,
            Err(limited) => return Ok(Ended::limited(&limited, record)),
        };
        record.step("send", "allowed", None);
        let publishes_output = entry.tool.output_schema.is_some();
        let interpreted = self
            .send(target, publishes_output, plan, &*call.progress)
            .await;
        Ok(Ended {
            outcome: self.keep(self.masked(interpreted, secret), &call.caller),
            refused: false,
        })
    }

    /// Validated arguments as a request.
    fn plan(
        &self,
        entry: &Entry<Prepared>,
        target: &HttpTarget,
        arguments: &mut Value,
        trace: &TraceContext,
    ) -> Result<binding::HttpPlan, CallError> {
        entry
            .handler
            .validator(&entry.tool)?
            .check(arguments)
            .map_err(CallError::InvalidArguments)?;
        let Value::Object(arguments) = arguments else {
            return Err(CallError::InvalidArguments(Vec::new()));
        };
        binding::bind(target, arguments, trace).map_err(CallError::InvalidArguments)
    }

    /// Masks what a refusal repeats of the arguments, and records it.
    fn refused(&self, error: CallError, record: &mut CallRecord) -> CallError {
        let error = match error {
            CallError::InvalidArguments(mut faults) => {
                for fault in &mut faults {
                    if let Cow::Owned(masked) = self.policy.redactor.text(&fault.message) {
                        fault.message = masked;
                    }
                }
                CallError::InvalidArguments(faults)
            }
            other => other,
        };
        if record.is_audited() {
            record.step("validate", "refused", Some(&error.to_string()));
        }
        error
    }

    fn mask(&self, value: &mut Value, secret: &HashSet<String>) {
        self.policy.redactor.json(value, secret);
    }

    async fn send(
        &self,
        target: &HttpTarget,
        publishes_output: bool,
        plan: binding::HttpPlan,
        progress: &dyn Progress,
    ) -> Interpreted {
        match self.http.send_for(target, plan, progress).await {
            Ok(reply) => interpret::http_reply(target, publishes_output, reply, self.limits),
            Err(error) => {
                tracing::debug!(error = ?error, "no answer from upstream");
                interpret::http_failure(target, &error).into()
            }
        }
    }

    /// What the caller sees at once, and what it can read later, without secrets.
    fn masked(&self, interpreted: Interpreted, secret: &HashSet<String>) -> Interpreted {
        let Interpreted { outcome, mut whole } = interpreted;
        let redactor = &self.policy.redactor;
        if let Some(whole) = &mut whole
            && whole.is_text
            && let Some(masked) = redactor.kept(&whole.data, outcome.is_error, secret)
        {
            whole.data = masked;
        }
        let outcome = redactor.outcome(outcome, secret);
        Interpreted { outcome, whole }
    }

    /// Keeps what did not fit, and tells where it can be read.
    fn keep(&self, interpreted: Interpreted, caller: &Caller) -> Outcome {
        let Interpreted { mut outcome, whole } = interpreted;
        let (Some(whole), Some(store)) = (whole, &self.kept) else {
            return outcome;
        };
        let size = whole.data.len() as u64;
        let id = store.keep(Kept {
            owner: Arc::clone(&caller.principal),
            media_type: whole.media_type.clone(),
            data: whole.data,
            is_text: whole.is_text,
        });
        if let Some(id) = id {
            let seconds = store.lifetime().as_secs();
            outcome.content.push(Content::Link {
                uri: kept::uri_of(&id),
                name: whole.name,
                description: format!(
                    "all {size} bytes that were received, readable with resources/read for {seconds} s; ?offset=0&length=65536 after the URI reads a part"
                ),
                media_type: whole.media_type,
                size: Some(size),
            });
        }
        outcome
    }
}

/// How a call that was not refused with an error ended.
struct Ended {
    outcome: Outcome,
    /// Nothing was sent.
    refused: bool,
}

impl Ended {
    fn limited(limited: &Limited, record: &mut CallRecord) -> Self {
        let message = limited.to_string();
        record.step("rate", "refused", Some(&message));
        Self {
            outcome: Outcome::failure(message),
            refused: true,
        }
    }
}

/// Checks the arguments of what is no tool of the catalogue as a tool's are checked.
#[derive(Debug)]
pub struct ArgumentCheck(Validator);

impl ArgumentCheck {
    /// Compiles the schema.
    ///
    /// # Errors
    /// [`CallError::Unusable`] when it is none.
    pub fn new(schema: &Json) -> Result<Self, CallError> {
        Validator::compile(schema)
            .map(Self)
            .map_err(CallError::Unusable)
    }

    /// The arguments, put right where it is plain what was meant.
    ///
    /// # Errors
    /// [`CallError::InvalidArguments`] when they do not fit.
    pub fn check(&self, arguments: Map<String, Value>) -> Result<Map<String, Value>, CallError> {
        let mut arguments = Value::Object(arguments);
        self.0
            .check(&mut arguments)
            .map_err(CallError::InvalidArguments)?;
        match arguments {
            Value::Object(arguments) => Ok(arguments),
            _ => Err(CallError::InvalidArguments(Vec::new())),
        }
    }
}

impl Prepared {
    fn validator(&self, tool: &Tool) -> Result<&Validator, CallError> {
        self.validator
            .get_or_init(|| Validator::compile(&tool.input_schema))
            .as_ref()
            .map_err(|error| CallError::Unusable(error.clone()))
    }

    fn secret(&self, tool: &Tool) -> &HashSet<String> {
        self.secret.get_or_init(|| {
            let mut names = secret_names(&tool.input_schema.parse());
            if let Some(schema) = &tool.output_schema {
                names.extend(secret_names(&schema.parse()));
            }
            names
        })
    }
}

/// Headers of the client's request join what the arguments did not set.
fn hand_on(forwarded: &[(HeaderName, HeaderValue)], headers: &mut HeaderMap) {
    if forwarded.is_empty() {
        return;
    }
    let taken: Vec<HeaderName> = headers.keys().cloned().collect();
    for (name, value) in forwarded {
        if !taken.contains(name) {
            headers.append(name, value.clone());
        }
    }
}

fn prepare(tools: Vec<Tool>) -> Result<Catalogue, DuplicateName> {
    Registry::new(tools, |_| Prepared::default())
}
