//! Arguments to a plan (pure: no I/O): validate them all, then write each where it goes.

mod plan;

pub use plan::HttpPlan;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::tool::{HttpTarget, Json, TraceContext};

/// One thing that is wrong with the arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// JSON pointer into the arguments; empty for the arguments as a whole.
    pub path: String,
    /// The JSON Schema keyword that refused it, or the binder's own rule.
    pub keyword: String,
    /// What was expected and what was found; the values of secret fields are masked.
    pub message: String,
}

/// A tool's compiled input schema.
#[derive(Debug)]
pub struct Validator {}

/// An input schema cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the input schema cannot be used at `{pointer}`: {message}")]
pub struct SchemaError {
    /// JSON pointer into the schema.
    pub pointer: String,
    /// What is wrong with it.
    pub message: String,
}

impl Validator {
    /// Compiles an input schema.
    ///
    /// # Errors
    /// [`SchemaError`] where the schema is not usable JSON Schema 2020-12.
    pub fn compile(schema: &Json) -> Result<Self, SchemaError> {
        let _ = schema;
        Ok(Self {})
    }

    /// Checks the arguments, an object. What a model commonly gets wrong but means unmistakably (a JSON text
    /// where an object is wanted) is put right in place.
    ///
    /// # Errors
    /// Every fault, in the arguments' order.
    pub fn check(&self, arguments: &mut Value) -> Result<(), Vec<Fault>> {
        let _ = arguments;
        Ok(())
    }
}

/// Writes validated arguments into a request.
///
/// # Errors
/// Faults that no schema can express, for instance a path value of `..`.
pub fn bind(
    target: &HttpTarget,
    arguments: &Map<String, Value>,
    trace: &TraceContext,
) -> Result<HttpPlan, Vec<Fault>> {
    let _ = (arguments, trace);
    Ok(HttpPlan {
        method: target.method.clone(),
        url: target.base.clone(),
        headers: http::HeaderMap::new(),
        body: None,
    })
}
