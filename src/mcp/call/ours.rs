//! Calls of the tools of search mode: answered here, or opened to the call they hold.

use std::sync::Arc;

use super::{Request, next_id};
use crate::mcp::Accepted;
use crate::mcp::accept::Origin;
use crate::mcp::answer::Form;
use crate::mcp::builtin::{Builtin, Builtins, Kind};
use crate::mcp::server::Server;
use crate::policy::{Ending, Step};
use crate::tool::Tool;

/// Answers a call of a tool of ours; nothing where the request has become one for the tool it named.
/// `tools` are those the caller sees.
pub(super) fn take<'a>(
    server: &Arc<Server>,
    (builtins, builtin): (&Builtins, &Builtin),
    request: &mut Request<'_>,
    origin: Origin<'_>,
    tools: impl FnOnce() -> Vec<&'a Tool>,
) -> Option<Accepted> {
    let name = builtin.name.as_str();
    let start = || {
        let id = next_id();
        (id, server.invoker.record(id, origin.caller, name))
    };
    let form = || Form {
        server: Arc::clone(server),
        id: request.id.to_owned(),
        revision: request.revision,
        direct: request.direct,
        publishes_output: false,
        failures: crate::mcp::unconfirmed::Failures::Text,
    };
    let arguments = std::mem::take(&mut request.arguments);
    let (id, mut record, result) = if builtin.kind == Kind::Call {
        match builtin.unwrap(arguments) {
            Ok((name, arguments)) => {
                (request.name, request.arguments) = (name, arguments);
                return None;
            }
            Err(error) => {
                let (id, record) = start();
                (id, record, Err(error))
            }
        }
    } else {
        let (id, mut record) = start();
        server.invoker.record_arguments(&arguments, &mut record);
        if let Some(limited) = server.invoker.count(origin.caller, name, &mut record) {
            record.end(Ending::Refused, None);
            return Some(form().complete(&limited).into());
        }
        record.allowed(Step::Rate);
        let result = builtins.answer(builtin, arguments, &tools(), request.revision);
        (id, record, result)
    };
    let form = form();
    Some(match result {
        Ok(outcome) => {
            record.allowed(Step::Validate);
            let failed = outcome.is_error;
            record.end(if failed { Ending::Failed } else { Ending::Done }, None);
            form.complete(&outcome).into()
        }
        Err(error) => {
            let why = "the arguments do not fit the tool";
            record.refused(Step::Validate, Some(why));
            record.end(Ending::Refused, None);
            form.write(&form.judge(error, id)).into()
        }
    })
}
