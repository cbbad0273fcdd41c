//! Calls of the tools of search mode: answered here, or opened to the call they hold.

use std::sync::Arc;

use super::{Request, next_id};
use crate::invoke::{CallError, Catalogue};
use crate::mcp::Accepted;
use crate::mcp::answer::Form;
use crate::mcp::builtin::{Builtin, Builtins, Kind};
use crate::mcp::server::{Origin, Server};
use crate::policy::{CallRecord, Ending};
use crate::tool::Outcome;

/// What a tool of ours answers; nothing where the request has become one for the tool it named.
pub(super) fn answer(
    builtins: &Builtins,
    builtin: &Builtin,
    request: &mut Request<'_>,
    catalogue: &Catalogue,
) -> Result<Option<Outcome>, CallError> {
    let arguments = std::mem::take(&mut request.arguments);
    if builtin.kind == Kind::Call {
        (request.name, request.arguments) = builtin.unwrap(arguments)?;
        return Ok(None);
    }
    let answer = builtins.answer(builtin, arguments, catalogue, request.revision);
    answer.map(Some)
}

/// Writes the answer of a tool of ours, and its record.
pub(super) fn record(
    server: &Arc<Server>,
    request: &Request<'_>,
    origin: Origin<'_>,
    builtin: &Builtin,
    result: Result<Option<Outcome>, CallError>,
) -> Accepted {
    let id = next_id();
    let record = CallRecord::start(id, origin.caller, builtin.name.as_str());
    let form = Form {
        server: Arc::clone(server),
        id: request.id.to_owned(),
        revision: request.revision,
        direct: request.direct,
        publishes_output: false,
    };
    match result {
        Ok(outcome) => {
            let outcome = outcome.unwrap_or_else(|| Outcome::failure("nothing was done"));
            let failed = outcome.is_error;
            record.end(if failed { Ending::Failed } else { Ending::Done }, None);
            form.complete(&outcome).into()
        }
        Err(error) => {
            record.end(Ending::Refused, None);
            form.write(&form.judge(error, id)).into()
        }
    }
}
