//! What a refused caller is told, and what the record says.

use super::CallError;
use crate::policy::{CallRecord, Denied};

/// To the caller a tool it may not know of is one that does not exist; the record says why.
pub(super) fn refused(denied: Denied, name: String, record: &mut CallRecord) -> CallError {
    match denied {
        Denied::Hidden => {
            record.step("access", "refused", Some("not among the caller's tools"));
            CallError::UnknownTool(name)
        }
        Denied::Scopes(scopes) => {
            let error = CallError::MissingScope(scopes);
            record.step("access", "refused", Some(&error.to_string()));
            error
        }
    }
}
