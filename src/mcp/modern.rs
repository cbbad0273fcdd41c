//! 2026-07-28: every request stands for itself.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::accept::Origin;
use super::answer::{end, start};
use super::call::{Request, begin, next_id};
use super::declared::Declared;
use super::error::{Refusal, shorten};
use super::headers::{Header, mismatch};
use super::human::{By, Human, Modes};
use super::message::{is_object, members, text_of};
use super::params::{Meta, Params, arguments, client_name};
use super::revision::Revision;
use super::server::Server;
use super::stream::subscription;
use super::{Accepted, Answer, Message};
use crate::policy::Step;
use crate::tool::Caller;

/// The one revision of this era.
const REVISION: Revision = Revision::V2026_07_28;

impl Server {
    /// Answers a modern request. The order of the checks is what tells a client which of several
    /// faults it has; see the transport page of the revision.
    pub(crate) fn modern(
        self: &Arc<Self>,
        id: &RawValue,
        method: &str,
        params: &Params<'_>,
        meta: Meta<'_>,
        origin: Origin<'_>,
    ) -> Result<Accepted, Refusal> {
        check_version(meta, origin)?;
        let capabilities = meta.capabilities.filter(|raw| is_object(raw));
        if capabilities.is_none() {
            let why = "_meta[\"io.modelcontextprotocol/clientCapabilities\"] is not an object";
            return Err(Refusal::MalformedParams(why.to_owned()));
        }
        if let Some(headers) = origin.headers {
            headers.check_method(method)?;
        }
        match method {
            "tools/call" => self.modern_call(id, params, meta, origin),
            "tools/list" => self.modern_list(id, params, origin.caller),
            "server/discover" => Ok(self.discover(id).into()),
            "subscriptions/listen" => self.listen(id, params, origin),
            "resources/list" if self.settings.resources => {
                let message = self.resources(id, params, REVISION);
                message.map(Accepted::from)
            }
            "resources/templates/list" if self.settings.resources => {
                let message = self.resource_templates(id, params, REVISION);
                message.map(Accepted::from)
            }
            "resources/read" if self.settings.resources => self.modern_read(id, params, origin),
            _ => Err(Refusal::UnknownMethod(shorten(method))),
        }
    }

    fn modern_call(
        self: &Arc<Self>,
        id: &RawValue,
        params: &Params<'_>,
        meta: Meta<'_>,
        origin: Origin<'_>,
    ) -> Result<Accepted, Refusal> {
        if let Err(refusal) = check_name(params, origin) {
            let name = params.name.and_then(text_of).unwrap_or_default();
            let arguments = arguments(params.arguments, "params.arguments").unwrap_or_default();
            let why = (Step::Headers, "Mcp-Name is not params.name");
            let who = (next_id(), origin.caller);
            self.invoker.refuse(who, &name, &arguments.tree, why);
            return Err(refusal);
        }
        let state = params.request_state.map(|raw| {
            let not_text = "params.requestState is not a string".to_owned();
            text_of(raw).ok_or(Refusal::InvalidParams(not_text))
        });
        let state = state.transpose()?.map(Cow::into_owned);
        let declared = Declared::read(meta.capabilities);
        let modes = Modes::of(&declared, REVISION, self.settings.approvals);
        let by = if modes.any() {
            Human::rounds(params.input_responses, state)
        } else {
            By::Token
        };
        let name = params.tool_name()?.into_owned();
        let arguments = arguments(params.arguments, "params.arguments")?;
        let request = Request {
            id,
            name,
            arguments: arguments.tree,
            unreadable: arguments.fault,
            meta,
            revision: REVISION,
            direct: false,
            capabilities: Cow::Owned(declared),
            client: client_name(meta.client_info).map(Into::into),
            session: None,
            modes,
            by,
        };
        begin(self, request, origin)
    }

    fn modern_read(
        &self,
        id: &RawValue,
        params: &Params<'_>,
        origin: Origin<'_>,
    ) -> Result<Accepted, Refusal> {
        let uri = params.resource_uri()?;
        if let Some(headers) = origin.headers {
            headers.check_name(&uri)?;
        }
        let message = self.read_resource(id, &uri, origin.caller, REVISION);
        message.map(Accepted::from)
    }

    fn modern_list(
        &self,
        id: &RawValue,
        params: &Params<'_>,
        caller: &Caller,
    ) -> Result<Accepted, Refusal> {
        let (catalogue, listing) = self.catalogue(caller);
        let cursor = params.cursor.map(read_cursor).transpose()?;
        let page = listing.page(&catalogue, REVISION, cursor.as_deref())?;
        let mut out = Vec::with_capacity(page.len() + 256 + self.identity.meta.len());
        start(&mut out, id);
        out.extend_from_slice(self.identity.cacheable.as_bytes());
        out.extend_from_slice(&page);
        out.push(b',');
        Ok(self.finish(out).into())
    }

    /// Closes a result that needs only `_meta` any more.
    fn finish(&self, mut out: Vec<u8>) -> Message {
        out.extend_from_slice(self.identity.meta.as_bytes());
        end(&mut out);
        Message::ok(out)
    }

    fn discover(&self, id: &RawValue) -> Message {
        let versions = Revision::ALL.map(Revision::name);
        let mut members = Map::new();
        members.insert("supportedVersions".to_owned(), json!(versions));
        members.insert("capabilities".to_owned(), self.capabilities(true));
        if let Some(instructions) = &self.settings.instructions {
            members.insert("instructions".to_owned(), json!(instructions));
        }
        let members = Value::Object(members).to_string();
        let inner = members
            .trim_start_matches('{')
            .strip_suffix('}')
            .unwrap_or_default();
        let mut out = Vec::new();
        start(&mut out, id);
        out.extend_from_slice(self.identity.cacheable.as_bytes());
        out.extend_from_slice(inner.as_bytes());
        out.push(b',');
        self.finish(out)
    }

    /// What the server can do, in either era; `told`: there is a way to tell the client that the tools have changed.
    pub(crate) fn capabilities(&self, told: bool) -> Value {
        let mut capabilities = json!({"tools": {}});
        if told && self.settings.list_changed {
            capabilities["tools"]["listChanged"] = json!(true);
        }
        if self.settings.resources {
            capabilities["resources"] = json!({});
        }
        capabilities
    }

    fn listen(
        &self,
        id: &RawValue,
        params: &Params<'_>,
        origin: Origin<'_>,
    ) -> Result<Accepted, Refusal> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Filter {
            tools_list_changed: Option<bool>,
        }
        if !self.settings.list_changed {
            return Err(Refusal::UnknownMethod("subscriptions/listen".to_owned()));
        }
        let filter: Filter = match params.notifications.filter(|raw| is_object(raw)) {
            Some(raw) => members(raw.get()).map_err(|error| {
                Refusal::InvalidParams(format!("params.notifications: {error}"))
            })?,
            None => {
                let why = "params.notifications is not an object".to_owned();
                return Err(Refusal::InvalidParams(why));
            }
        };
        let source = self.source().ok_or(Refusal::Busy)?;
        let flight = origin.connection.map(|session| session.take_off(id));
        let wants_tools = filter.tools_list_changed.unwrap_or_default();
        let messages = subscription(id, wants_tools, &self.identity.info, flight, source);
        Ok(Accepted::Now(Answer::Stream(messages)))
    }
}

fn check_version(meta: Meta<'_>, origin: Origin<'_>) -> Result<(), Refusal> {
    let Some(version) = meta.version.and_then(text_of) else {
        let why = "_meta[\"io.modelcontextprotocol/protocolVersion\"] is not a string";
        return Err(Refusal::MalformedParams(why.to_owned()));
    };
    if let Some(headers) = origin.headers {
        match headers.version {
            Header::Value(value) if value == version => {}
            found => return Err(mismatch("MCP-Protocol-Version", found, &version)),
        }
    }
    if Revision::parse(&version) == Some(REVISION) {
        Ok(())
    } else {
        Err(Refusal::version(&version))
    }
}

/// `Mcp-Name` against `params.name`. A name that is no string is another fault.
fn check_name(params: &Params<'_>, origin: Origin<'_>) -> Result<(), Refusal> {
    match (origin.headers, params.name.and_then(text_of)) {
        (Some(headers), Some(name)) => headers.check_name(&name),
        _ => Ok(()),
    }
}

/// A cursor is a string.
pub(crate) fn read_cursor(raw: &RawValue) -> Result<Cow<'_, str>, Refusal> {
    text_of(raw).ok_or_else(|| Refusal::InvalidParams("params.cursor is not a string".to_owned()))
}
