//! What a reply means for the caller (pure).

use crate::handler::{HandleError, HttpReply};
use crate::tool::{HttpTarget, Outcome};

/// Turns an upstream's answer into an outcome.
#[must_use]
pub fn http_reply(target: &HttpTarget, publishes_output: bool, reply: HttpReply) -> Outcome {
    let _ = (target, publishes_output, reply);
    Outcome::failure("")
}

/// Turns the lack of an answer into an outcome.
#[must_use]
pub fn http_failure(target: &HttpTarget, error: &HandleError) -> Outcome {
    let _ = (target, error);
    Outcome::failure("")
}
