//! The revisions that begin with `initialize`, 2024-11-05 to 2025-11-25.
//!
//! A client that never sent it is served as well: with the revision its header names, or with the
//! one that HTTP assumes.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::json;
use serde_json::value::RawValue;

use super::accept::Origin;
use super::answer::{end, start};
use super::call::{Request, begin, next_id};
use super::declared::Declared;
use super::error::{Refusal, shorten};
use super::headers::Header;
use super::human::{By, Modes};
use super::message::{Response, is_object, text_of};
use super::modern::read_cursor;
use super::params::{Arguments, Meta, Params, arguments, client_name};
use super::revision::Revision;
use super::server::Server;
use super::session::{Handshake, Session};
use super::settings::Sessions;
use super::{Accepted, Message};
use crate::policy::{Denied, Step};
use crate::tool::{Caller, Tool};

/// What a request stands on: what was agreed before it, or what is assumed.
pub(crate) struct Ground {
    pub(crate) revision: Revision,
    session: Option<Arc<Session>>,
    handshake: Option<Arc<Handshake>>,
}

impl Server {
    /// Finds what was agreed before this request.
    pub(crate) fn ground(&self, origin: Origin<'_>) -> Result<Ground, Refusal> {
        let session = match (
            origin.connection,
            origin.headers.map(|headers| headers.session),
        ) {
            (Some(connection), _) => Some(Arc::clone(connection)),
            (None, Some(Header::Value(id))) => {
                let session = self.sessions.find(id, &origin.caller.principal);
                Some(session.ok_or(Refusal::UnknownSession)?)
            }
            (None, Some(Header::Unusable)) => return Err(Refusal::UnknownSession),
            (None, Some(Header::Absent) | None) => None,
        };
        let handshake = session
            .as_ref()
            .and_then(|session| session.handshake.load_full());
        let named = match origin.headers.map(|headers| headers.version) {
            Some(Header::Value(name)) => {
                let known = Revision::parse(name).filter(|revision| !revision.is_modern());
                Some(known.ok_or_else(|| Refusal::version(name))?)
            }
            Some(Header::Unusable) => {
                let why = "MCP-Protocol-Version is not one readable value".to_owned();
                return Err(Refusal::HeaderMismatch(why));
            }
            Some(Header::Absent) | None => None,
        };
        let agreed = handshake.as_ref().map(|handshake| handshake.revision);
        Ok(Ground {
            revision: agreed.or(named).unwrap_or(Revision::ASSUMED),
            session,
            handshake,
        })
    }

    /// Answers a request of this era. `params` come as text and as the members MCP knows.
    pub(crate) fn handshake(
        self: &Arc<Self>,
        id: &RawValue,
        method: &str,
        params: (Option<&RawValue>, &Params<'_>),
        meta: Meta<'_>,
        origin: Origin<'_>,
    ) -> Result<Accepted, Refusal> {
        let (text, params) = params;
        // Its header counts for nothing, as with the official SDKs: the version is what it is about.
        if method == "initialize" {
            return self.initialize(id, params, origin).map(Accepted::from);
        }
        let ground = self.ground(origin)?;
        match method {
            "tools/call" => {
                let name = params.tool_name()?.into_owned();
                let arguments = arguments(params.arguments, "params.arguments")?;
                let request = ground.request(id, name, arguments, meta, false);
                begin(self, request, origin)
            }
            "tools/list" => {
                let message = self.list(id, params, ground.revision, origin.caller);
                message.map(Accepted::from)
            }
            "ping" => Ok(result(id, "").into()),
            "resources/list" if self.settings.resources => {
                let message = self.resources(id, params, ground.revision);
                message.map(Accepted::from)
            }
            "resources/templates/list" if self.settings.resources => {
                let message = self.resource_templates(id, params, ground.revision);
                message.map(Accepted::from)
            }
            "resources/read" if self.settings.resources => {
                let uri = params.resource_uri()?;
                let message = self.read_resource(id, &uri, origin.caller, ground.revision);
                message.map(Accepted::from)
            }
            _ if self.is_direct_call(method, origin.caller) => {
                let mut arguments = arguments(text, "params")?;
                // Metadata of the request, not an argument of the tool.
                arguments.tree.shift_remove("_meta");
                let request = ground.request(id, method.to_owned(), arguments, meta, true);
                begin(self, request, origin)
            }
            _ => {
                self.record_hidden(method, text, origin.caller);
                Err(Refusal::UnknownMethod(shorten(method)))
            }
        }
    }

    /// A direct call of a tool that the caller must not know of is an unknown method to it, and a refusal in the
    /// records.
    fn record_hidden(&self, method: &str, text: Option<&RawValue>, caller: &Caller) {
        let exists = || self.invoker.catalogue().find(method).is_some();
        if self.settings.direct_invocation && !method.contains('/') && exists() {
            let mut arguments = arguments(text, "params").unwrap_or_default();
            arguments.tree.shift_remove("_meta");
            let why = (Step::Access, "not among the caller's tools");
            self.invoker
                .refuse((next_id(), caller), method, &arguments.tree, why);
        }
    }

    /// A method that is a tool's name. MCP's own methods have been looked at before; a tool
    /// can take the place of one that is not served either, and one that the caller must not know of is none.
    fn is_direct_call(&self, method: &str, caller: &Caller) -> bool {
        self.settings.direct_invocation && !method.contains('/') && {
            let (catalogue, listing) = self.catalogue(caller);
            let access = self.invoker.access();
            let known = |tool: &Tool| access.check(caller, tool) != Err(Denied::Hidden);
            let tool = catalogue.find(method).map(|entry| &*entry.tool);
            tool.is_some_and(known) || listing.builtin(method).is_some()
        }
    }

    fn initialize(
        &self,
        id: &RawValue,
        params: &Params<'_>,
        origin: Origin<'_>,
    ) -> Result<Message, Refusal> {
        if origin.in_batch {
            let why = "initialize cannot be part of a batch".to_owned();
            return Err(Refusal::InvalidRequest(why));
        }
        let Some(asked) = params.protocol_version.and_then(text_of) else {
            let why = "params.protocolVersion is not a string".to_owned();
            return Err(Refusal::InvalidParams(why));
        };
        if params.capabilities.is_some_and(|raw| !is_object(raw)) {
            let why = "params.capabilities is not an object".to_owned();
            return Err(Refusal::InvalidParams(why));
        }
        let known = Revision::parse(&asked).filter(|revision| !revision.is_modern());
        let revision = known.unwrap_or(Revision::NEWEST_WITH_HANDSHAKE);
        let handshake = Handshake {
            revision,
            capabilities: Declared::read(params.capabilities),
            client: client_name(params.client_info).map(Into::into),
            owner: Arc::clone(&origin.caller.principal),
        };
        let session = match origin.connection {
            Some(connection) => {
                connection.handshake.store(Some(Arc::new(handshake)));
                None
            }
            None => self.mint(handshake),
        };
        let told = origin.connection.is_some() || session.is_some();
        let mut members = json!({
            "protocolVersion": revision.name(),
            "capabilities": self.capabilities(told),
            "serverInfo": self.identity.info,
        });
        if !revision.has_title()
            && let Some(info) = members["serverInfo"].as_object_mut()
        {
            info.shift_remove("title");
        }
        if let Some(instructions) = &self.settings.instructions {
            members["instructions"] = json!(instructions);
        }
        let members = members.to_string();
        let inner = members
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'));
        let mut message = result(id, inner.unwrap_or_default());
        message.session = session.map(|session| Arc::clone(&session.id));
        Ok(message)
    }

    fn mint(&self, handshake: Handshake) -> Option<Arc<Session>> {
        let wanted = match self.settings.sessions {
            Sessions::Never => false,
            Sessions::Always => true,
            Sessions::Auto => {
                let declared = &handshake.capabilities;
                Modes::of(declared, handshake.revision, self.settings.approvals).any()
            }
        };
        if wanted {
            self.sessions.mint(handshake)
        } else {
            None
        }
    }

    fn list(
        &self,
        id: &RawValue,
        params: &Params<'_>,
        revision: Revision,
        caller: &Caller,
    ) -> Result<Message, Refusal> {
        let (catalogue, listing) = self.catalogue(caller);
        let cursor = params.cursor.map(read_cursor).transpose()?;
        let page = listing.page(&catalogue, revision, cursor.as_deref())?;
        let mut out = Vec::with_capacity(page.len() + 128);
        start(&mut out, id);
        out.extend_from_slice(&page);
        end(&mut out);
        Ok(Message::ok(out))
    }

    /// Acts on a notification; those it does not know are ignored, as they must be.
    pub(crate) fn notification(
        &self,
        method: &str,
        params: Option<&RawValue>,
        origin: Origin<'_>,
    ) -> Result<(), Refusal> {
        if origin.says_modern() {
            // Over HTTP this revision has none; closing the stream is what cancels.
            return Ok(());
        }
        let session = self.ground(origin)?.session;
        if method == "notifications/cancelled" {
            let params = Params::read(params).unwrap_or_default();
            if let (Some(session), Some(id)) = (session, params.request_id) {
                session.cancel(id);
            }
        }
        Ok(())
    }

    /// Takes an answer to a question of ours to whoever asked.
    pub(crate) fn response(
        &self,
        answer: Option<Response<'_>>,
        origin: Origin<'_>,
    ) -> Result<(), Refusal> {
        let unasked = || Refusal::InvalidRequest("nothing was asked of this client".to_owned());
        if origin.says_modern() {
            return Err(unasked());
        }
        let session = self.ground(origin)?.session.ok_or_else(unasked)?;
        let (id, answer) = answer.ok_or_else(unasked)?;
        // An answer that comes too late is not the client's fault.
        session.pending.settle(id, answer);
        Ok(())
    }
}

impl Ground {
    fn request<'a>(
        &'a self,
        id: &'a RawValue,
        name: String,
        arguments: Arguments,
        meta: Meta<'a>,
        direct: bool,
    ) -> Request<'a> {
        let handshake = self.handshake.as_ref();
        Request {
            id,
            name,
            arguments: arguments.tree,
            unreadable: arguments.fault,
            meta,
            revision: self.revision,
            direct,
            capabilities: handshake
                .map(|handshake| Cow::Borrowed(&handshake.capabilities))
                .unwrap_or_default(),
            client: handshake.and_then(|handshake| handshake.client.clone()),
            session: self.session.clone(),
            // They count where the client can be asked in its session.
            modes: Modes::default(),
            by: By::Token,
        }
    }
}

fn result(id: &RawValue, members: &str) -> Message {
    let mut out = Vec::with_capacity(members.len() + 64);
    start(&mut out, id);
    out.extend_from_slice(members.as_bytes());
    end(&mut out);
    Message::ok(out)
}
