//! What a refused caller is told, and what the record says of yes and no.

use super::CallError;
use crate::policy::confirm::Decision;
use crate::policy::{CallRecord, Denied, Limited, Step};
use crate::tool::Outcome;

/// To the caller a tool it may not know of is one that does not exist; the record says why.
pub(super) fn refused(denied: Denied, name: &str, record: &mut CallRecord) -> CallError {
    match denied {
        Denied::Hidden => {
            record.refused(Step::Access, Some("not among the caller's tools"));
            CallError::UnknownTool(name.to_owned())
        }
        Denied::Scopes(scopes) => {
            let error = CallError::MissingScope(scopes);
            record.refused(Step::Access, Some(&error.to_string()));
            error
        }
    }
}

/// Records a yes, and whose it is where that is known.
pub(super) fn agreed(decision: &Decision, record: &mut CallRecord) {
    record.confirmation(decision.word());
    if let Decision::Approval(by) = decision {
        record.decided_by(by);
    }
    record.allowed(Step::Confirm);
}

/// How a call that was not refused with an error ended.
pub(super) struct Ended {
    pub(super) outcome: Outcome,
    /// Nothing was sent.
    pub(super) refused: bool,
}

impl Ended {
    pub(super) fn limited(limited: &Limited, record: &mut CallRecord) -> Self {
        let message = limited.to_string();
        record.refused(Step::Rate, Some(&message));
        Self {
            outcome: Outcome::failure(message),
            refused: true,
        }
    }
}
