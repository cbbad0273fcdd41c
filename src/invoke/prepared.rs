//! What calls of a tool need besides the tool, made when the first one does.

use std::sync::{Arc, OnceLock};

use super::CallError;
use super::deviations::Watch;
use crate::binding::{SchemaError, Validator};
use crate::policy::SecretNames;
use crate::tool::{Target, Tool};

/// What is kept beside a tool: its validator, compiled by the first call.
#[derive(Debug, Default)]
pub struct Prepared {
    validator: OnceLock<Result<Validator, SchemaError>>,
    /// Members that the schemas mark as secret.
    secret: OnceLock<SecretNames>,
    /// The operation as records name it.
    operation: OnceLock<Arc<str>>,
    /// How its answers are looked at.
    pub(super) watch: Watch,
}

impl Prepared {
    /// The validator, or why there is none.
    pub(super) fn validator(&self, tool: &Tool) -> Result<&Validator, CallError> {
        self.validator
            .get_or_init(|| Validator::of(tool))
            .as_ref()
            .map_err(|error| CallError::Unusable(error.clone()))
    }

    /// The operation as records name it.
    pub(super) fn operation(&self, tool: &Tool) -> Arc<str> {
        let operation = self
            .operation
            .get_or_init(|| tool.target.operation().into());
        Arc::clone(operation)
    }

    /// What the schemas, or the command, mark as secret.
    pub(super) fn secret(&self, tool: &Tool) -> &SecretNames {
        self.secret.get_or_init(|| {
            let mut names = SecretNames::default();
            names.learn(&tool.input_schema.parse());
            if let Some(schema) = &tool.output_schema {
                names.learn(&schema.parse());
            }
            if let Target::Command(target) = &tool.target {
                let secret = target.actions.iter().flat_map(|action| &action.secret);
                names.extend(secret.cloned());
            }
            names
        })
    }
}
