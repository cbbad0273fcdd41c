//! Arguments of what is answered without the catalogue.

use serde_json::{Map, Value};

use super::CallError;
use crate::binding::Validator;
use crate::policy::{Redactor, SecretNames};
use crate::tool::Json;

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
        // No tool's schema says what is secret in them, and no setting is at hand.
        let (redactor, secret) = (Redactor::default(), SecretNames::default());
        self.0
            .check(&mut arguments, |place, value| {
                redactor.hides(place, value, &secret)
            })
            .map_err(CallError::InvalidArguments)?;
        match arguments {
            Value::Object(arguments) => Ok(arguments),
            _ => Err(CallError::InvalidArguments(Vec::new())),
        }
    }
}
