//! What may happen, whatever the transport: rules and records around a call.

mod audit;

pub use audit::{CallRecord, Ending};
