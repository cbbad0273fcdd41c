//! Records of calls that are refused before they begin: by the protocol, or because too much is under way.

use std::sync::Arc;

use super::{Call, Request, next_id};
use crate::mcp::accept::Origin;
use crate::mcp::server::Server;
use crate::policy::Step;
use crate::tool::ToolCall;

/// Records what never becomes a call: the step that refused it, and why.
pub(super) fn record_refusal(
    server: &Server,
    request: &Request<'_>,
    origin: Origin<'_>,
    why: (Step, &str),
) {
    let mut caller = origin.caller.clone();
    if let Some(client) = &request.client {
        caller.client = Some(Arc::clone(client));
    }
    let who = (next_id(), &caller);
    let Request {
        name, arguments, ..
    } = request;
    server.invoker.refuse(who, name, arguments, why);
}

/// Records a call that is not made, since too much is under way.
pub(super) fn record_unmade(call: &Call) {
    let ToolCall {
        id,
        caller,
        name,
        arguments,
        ..
    } = &*call.call;
    let why = (Step::Rate, "too many requests are under way");
    let invoker = &call.form.server.invoker;
    invoker.refuse((*id, caller), name, arguments, why);
}
