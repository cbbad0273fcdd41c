//! What may happen, whatever the transport: rules and records around a call.

mod access;
mod answers;
mod audit;
pub mod confirm;
mod key_blocks;
mod metrics;
mod names;
mod patterns;
mod pieces;
mod pointers;
mod rate;
mod redact;
mod replacements;
mod scan;
mod shown;
mod walk;
mod words;

use std::sync::Arc;

pub use crate::secret::{CallSecrets, beyond_call, torn_known};
pub use access::{Access, Denied, Settings as AccessSettings};
pub use audit::{
    Arguments, Audit, AuditError, CallRecord, Decided, Destination, Ending,
    Settings as AuditSettings, Step,
};
pub use metrics::Counters;
pub use names::SecretNames;
pub use patterns::mask_patterns;
pub use rate::{Limited, Limits, Settings as RateSettings};
pub use redact::{Redactor, Settings as RedactSettings, mask_line};
pub use shown::hidden;

use crate::state;

/// The rules in force. Without settings: errors are masked, nothing is limited, nothing audited, and
/// callers may do what they were granted.
#[derive(Debug, Default)]
pub struct Policy {
    /// Masks what leaves.
    pub redactor: Redactor,
    /// Takes the records.
    pub audit: Option<Audit>,
    /// How much is allowed.
    pub limits: Limits,
    /// Says who may call what.
    pub access: Access,
    /// What calls came to.
    pub counters: Arc<Counters>,
}

/// What the rules are made of.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// What is masked beyond what always is.
    pub redact: RedactSettings,
    /// Where records go; nowhere but the log where absent.
    pub audit: Option<AuditSettings>,
    /// How much is allowed.
    pub rate: RateSettings,
    /// What a token's scopes have to do with tools.
    pub access: AccessSettings,
}

/// The rules cannot be put in force.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// What is to be masked is not well described.
    #[error("{}", .0.join("\n"))]
    Redact(Vec<String>),
    /// Records would be lost from the beginning.
    #[error(transparent)]
    Audit(#[from] AuditError),
}

impl Policy {
    /// Puts settings in force; `quotas` are counted by the same settings.
    ///
    /// # Errors
    /// [`PolicyError`] for patterns that are none and for an audit file that cannot be opened.
    pub fn new(settings: &Settings, quotas: Arc<dyn state::Counters>) -> Result<Self, PolicyError> {
        let audit = settings.audit.as_ref().map(Audit::start).transpose()?;
        Ok(Self {
            redactor: Redactor::new(&settings.redact).map_err(PolicyError::Redact)?,
            audit,
            limits: Limits::new(&settings.rate, quotas),
            access: Access::new(&settings.access),
            counters: Arc::default(),
        })
    }
}
