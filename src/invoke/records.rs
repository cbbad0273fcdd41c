//! What is recorded of a call besides its steps: arguments, those that a human filled in, and calls that the protocol
//! refuses before they begin.

use serde_json::{Map, Value};

use super::Invoker;
use crate::policy::confirm::Interview;
use crate::policy::{CallRecord, Ending, SecretNames, Step, beyond_call};
use crate::tool::{CallId, Caller};

impl Invoker {
    /// Records a call that is refused before it begins: the step that refused it, and why.
    pub fn refuse(
        &self,
        (id, caller): (CallId, &Caller),
        name: &str,
        arguments: &Map<String, Value>,
        (step, reason): (Step, &str),
    ) {
        let mut record = self.record(id, caller, name);
        let catalogue = self.catalogue.load_full();
        match catalogue.find(name) {
            Some(entry) => {
                record.operation(|| entry.handler.operation(&entry.tool));
                let secret = entry.handler.secret(&entry.tool);
                record.arguments(arguments, |text| self.mask(text, secret));
            }
            None => self.record_arguments(arguments, &mut record),
        }
        record.refused(step, Some(&self.policy.redactor.text(reason)));
        record.end(Ending::Refused, None);
    }

    /// Records arguments of what is no tool of the catalogue.
    pub fn record_arguments(&self, arguments: &Map<String, Value>, record: &mut CallRecord) {
        record.arguments(arguments, |text| self.mask(text, &SecretNames::default()));
    }

    /// Records the arguments once more where a human has filled in some.
    pub(super) fn record_filled(
        &self,
        interview: &Interview<'_>,
        arguments: &Value,
        secret: &SecretNames,
        record: &mut CallRecord,
    ) {
        if let Some(arguments) = arguments.as_object().filter(|_| interview.has_answers()) {
            record.arguments(arguments, |text| self.mask(text, secret));
        }
    }

    /// No header of the caller's blanks out its arguments.
    pub(super) fn mask(&self, arguments: &str, secret: &SecretNames) -> Option<String> {
        beyond_call(|| self.policy.redactor.json_text(arguments, secret))
    }
}
