//! One call from start to end, whatever the transport.
//!
//! The order is fixed: find the tool, validate, bind, carry out, interpret, record.

use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use serde_json::{Map, Value};

use crate::binding::{self, Fault, SchemaError, Validator};
use crate::handler::http::HttpHandler;
use crate::interpret::{self, Interpreted};
use crate::kept::{self, Kept, Store};
use crate::policy::{CallRecord, Ending};
use crate::registry::{DuplicateName, Registry};
use crate::tool::{Caller, Content, HttpTarget, Json, Outcome, Target, Tool, ToolCall};

/// The tools that can be called now.
pub type Catalogue = Registry<Prepared>;

/// What is kept beside a tool: its validator, compiled by the first call.
#[derive(Debug, Default)]
pub struct Prepared {
    validator: OnceLock<Result<Validator, SchemaError>>,
}

/// Carries out calls against the current catalogue.
#[derive(Debug)]
pub struct Invoker {
    catalogue: ArcSwap<Catalogue>,
    http: HttpHandler,
    limits: interpret::Limits,
    kept: Option<Arc<dyn Store>>,
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

    /// Where long answers are kept, if they are.
    #[must_use]
    pub fn kept(&self) -> Option<&dyn Store> {
        self.kept.as_deref()
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

    /// Carries one call out. Dropping the future cancels it.
    ///
    /// # Errors
    /// [`CallError`] when nothing was sent.
    pub async fn call(&self, call: ToolCall) -> Result<Outcome, CallError> {
        let record = CallRecord::start(call.id, &call.caller, &call.name);
        let result = self.carry_out(call).await;
        match &result {
            Ok(outcome) if outcome.is_error => record.end(Ending::Failed, outcome.status),
            Ok(outcome) => record.end(Ending::Done, outcome.status),
            Err(_) => record.end(Ending::Refused, None),
        }
        result
    }

    async fn carry_out(&self, call: ToolCall) -> Result<Outcome, CallError> {
        let catalogue = self.catalogue.load_full();
        let Some(entry) = catalogue.find(&call.name) else {
            return Err(CallError::UnknownTool(call.name));
        };
        let mut arguments = Value::Object(call.arguments);
        entry
            .handler
            .validator(&entry.tool)?
            .check(&mut arguments)
            .map_err(CallError::InvalidArguments)?;
        let Value::Object(arguments) = arguments else {
            return Err(CallError::InvalidArguments(Vec::new()));
        };
        let Target::Http(target) = &entry.tool.target;
        let plan =
            binding::bind(target, &arguments, &call.trace).map_err(CallError::InvalidArguments)?;
        drop(arguments);
        let publishes_output = entry.tool.output_schema.is_some();
        let interpreted = self
            .send(target, publishes_output, plan, &*call.progress)
            .await;
        Ok(self.keep(interpreted, &call.caller))
    }

    async fn send(
        &self,
        target: &HttpTarget,
        publishes_output: bool,
        plan: binding::HttpPlan,
        progress: &dyn crate::tool::Progress,
    ) -> Interpreted {
        match self.http.send(plan, progress).await {
            Ok(reply) => interpret::http_reply(target, publishes_output, reply, self.limits),
            Err(error) => {
                tracing::debug!(error = ?error, "no answer from upstream");
                interpret::http_failure(target, &error).into()
            }
        }
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
}

fn prepare(tools: Vec<Tool>) -> Result<Catalogue, DuplicateName> {
    Registry::new(tools, |_| Prepared::default())
}
