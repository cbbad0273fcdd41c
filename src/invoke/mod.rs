//! One call from start to end, whatever the transport.
//!
//! The order is fixed: find the tool, check access, count, validate, bind, confirm, carry out, interpret, mask, record.

mod access;
mod answer;
mod arguments;
mod command;
mod deviations;
mod error;
mod forward;
mod http;
mod prepared;
mod preview;
mod records;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;

use crate::handler::command::CommandHandler;
use crate::handler::http::HttpHandler;
use crate::interpret;
use crate::policy::confirm::{Confirm, Gate, Stopped};
use crate::policy::{Access, CallRecord, Ending, Policy, Step};
use crate::registry::{DuplicateName, Registry};
use crate::state::Kept;
use crate::tool::{CallId, Caller, Outcome, Target, Tool, ToolCall};

use access::Ended;
pub use arguments::ArgumentCheck;
use deviations::Deviations;
pub use error::CallError;
use error::places;
pub use prepared::Prepared;

/// The tools that can be called now.
pub type Catalogue = Registry<Prepared>;

/// Carries out calls against the current catalogue.
#[derive(Debug)]
pub struct Invoker {
    catalogue: ArcSwap<Catalogue>,
    http: HttpHandler,
    commands: Option<Commands>,
    limits: interpret::Limits,
    cleaning: interpret::Cleaning,
    kept: Option<Arc<dyn Kept>>,
    policy: Policy,
    gate: Gate,
    deviations: Deviations,
}

/// What runs programs, and what the operator says of it.
#[derive(Debug)]
pub struct Commands {
    /// Runs them.
    pub handler: CommandHandler,
    /// A caller may ask for output that is not masked (`unsafeOutput`).
    pub unsafe_output: bool,
}

impl Invoker {
    /// Serves `tools`.
    ///
    /// # Errors
    /// [`DuplicateName`] when two tools share a name.
    pub fn new(tools: Vec<Tool>, http: HttpHandler, gate: Gate) -> Result<Self, DuplicateName> {
        Ok(Self {
            catalogue: ArcSwap::from_pointee(prepare(tools)?),
            http,
            commands: None,
            limits: interpret::Limits::default(),
            cleaning: interpret::Cleaning::default(),
            kept: None,
            policy: Policy::default(),
            gate,
            deviations: Deviations::new(),
        })
    }

    /// With these limits to an answer, and a place for what goes beyond them.
    #[must_use]
    pub fn with_answers(self, limits: interpret::Limits, kept: Option<Arc<dyn Kept>>) -> Self {
        Self {
            limits,
            kept,
            ..self
        }
    }

    /// The same with texts of upstreams cleaned and marked like this.
    #[must_use]
    pub fn cleaning(self, cleaning: interpret::Cleaning) -> Self {
        Self { cleaning, ..self }
    }

    /// With programs that operations may run.
    #[must_use]
    pub fn with_commands(self, commands: Commands) -> Self {
        Self {
            commands: Some(commands),
            ..self
        }
    }

    /// What runs programs, where anything does.
    #[must_use]
    pub fn commands(&self) -> Option<&Commands> {
        self.commands.as_ref()
    }

    /// Ends every program that still runs, with everything it started.
    pub async fn close(&self) {
        if let Some(commands) = &self.commands {
            commands.handler.close().await;
        }
    }

    /// From now on programs that are to end are killed.
    pub fn hurry(&self) {
        if let Some(commands) = &self.commands {
            commands.handler.hurry();
        }
    }

    /// The same under these rules.
    #[must_use]
    pub fn under(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// Where long answers are kept, if they are.
    #[must_use]
    pub fn kept(&self) -> Option<&dyn Kept> {
        self.kept.as_deref()
    }

    /// Where confirmations are asked for.
    #[must_use]
    pub fn gate(&self) -> &Gate {
        &self.gate
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
    pub fn replace(&self, tools: Vec<impl Into<Arc<Tool>>>) -> Result<(), DuplicateName> {
        let catalogue = prepare(tools)?;
        if let Some(commands) = &self.commands {
            commands.handler.know_tools(command::tools(&catalogue));
        }
        self.catalogue.store(Arc::new(catalogue));
        Ok(())
    }

    /// Says who may call which tool.
    #[must_use]
    pub fn access(&self) -> &Access {
        &self.policy.access
    }

    /// Whether the tool's operation asks for credentials that nobody configured.
    #[must_use]
    pub fn lacks_credentials(&self, tool: &Tool) -> bool {
        match &tool.target {
            Target::Http(target) => self.http.lacks_credentials(target),
            Target::Command(_) => false,
        }
    }

    /// Begins the record of a call that is answered without the catalogue's tools.
    #[must_use]
    pub fn record(&self, id: CallId, caller: &Caller, name: &str) -> CallRecord {
        CallRecord::start(id, caller, name, self.policy.audit.as_ref())
            .counted(&self.policy.counters)
    }

    /// Counts a call that is answered without the catalogue's tools: the answer where it has to wait.
    #[must_use]
    pub fn count(&self, caller: &Caller, name: &str, record: &mut CallRecord) -> Option<Outcome> {
        let limited = self.policy.limits.check(&caller.principal, name).err()?;
        Some(Ended::limited(&limited, record).outcome)
    }

    /// What calls came to so far, in the text format of Prometheus.
    #[must_use]
    pub fn metrics(&self) -> String {
        self.policy.counters.text(self.catalogue().len())
    }

    /// Carries one call out, in a box since it goes through many futures on its way; `human` is who agrees to it where somebody has to. Dropping the
    /// future cancels it.
    ///
    /// # Errors
    /// [`CallError`] when nothing was sent.
    pub async fn call(
        &self,
        mut call: Box<ToolCall>,
        human: &dyn Confirm,
    ) -> Result<Outcome, CallError> {
        let mut record = self.record(call.id, &call.caller, &call.name);
        let secrets = forward::secrets(&call.forwarded, &self.policy.redactor);
        let carried = self.carry_out(&mut call, human, &mut record);
        let result = match secrets {
            None => carried.await,
            Some(secrets) => Box::pin(secrets.within(carried)).await,
        };
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
            Err(error) => {
                if let CallError::Stopped(stopped) = error {
                    record.confirmation(stopped.word());
                    if let Stopped::Disapproved(by) = stopped {
                        record.decided_by(by);
                    }
                }
                record.end(Ending::Refused, None);
            }
        }
        result.map(|ended| ended.outcome)
    }

    async fn carry_out(
        &self,
        call: &mut ToolCall,
        human: &dyn Confirm,
        record: &mut CallRecord,
    ) -> Result<Ended, CallError> {
        let catalogue = self.catalogue.load_full();
        let Some(entry) = catalogue.find(&call.name) else {
            record.refused(Step::Find, Some("there is no tool of this name"));
            self.record_arguments(&call.arguments, record);
            return Err(CallError::UnknownTool(call.name.clone()));
        };
        record.operation(|| entry.handler.operation(&entry.tool));
        let secret = entry.handler.secret(&entry.tool);
        record.arguments(&call.arguments, |text| self.mask(text, secret));
        if let Err(denied) = self.policy.access.check(&call.caller, &entry.tool) {
            return Err(access::refused(denied, &call.name, record));
        }
        record.allowed(Step::Access);
        let limits = &self.policy.limits;
        if let Err(limited) = limits.check(&call.caller.principal, &call.name) {
            return Ok(match &entry.tool.target {
                Target::Http(_) => Ended::limited(&limited, record),
                Target::Command(target) => {
                    self.limited(entry, target, &call.arguments, &limited, record)
                }
            });
        }
        record.allowed(Step::Rate);
        match &entry.tool.target {
            Target::Http(target) => self.request(entry, target, call, human, record).await,
            Target::Command(target) => {
                Box::pin(self.command(entry, target, call, human, record)).await
            }
        }
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
        match &error {
            CallError::Stopped(stopped) => {
                record.refused(Step::Confirm, Some(stopped.word()));
            }
            CallError::InvalidArguments(faults) if record.is_audited() => {
                let places = self.policy.redactor.text(&places(faults)).into_owned();
                record.refused(Step::Validate, Some(&places));
            }
            _ if record.is_audited() => {
                record.refused(Step::Validate, Some(&error.to_string()));
            }
            _ => {}
        }
        error
    }
}

fn prepare(tools: Vec<impl Into<Arc<Tool>>>) -> Result<Catalogue, DuplicateName> {
    Registry::new(tools, |_| Prepared::default())
}
