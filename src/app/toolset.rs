//! Which documents may run programs, and the programs they may run.

use serde_json::{Value, json};

use crate::binding::command::rules;
use crate::config::{Config, DocumentSource};
use crate::discovery::{Allowed, Commands, DOTNET_DOCUMENT, command_data};
use crate::handler::command::{CommandHandler, RootError, known_part};
use crate::invoke::{self, Invoker};
use crate::mcp::{Revision, Server};
use crate::openapi::{self, Document, Operation, Source};
use crate::tool::{Target, Tool};

/// Whether a document's operations may run programs: those of the document that ships may, and those of
/// any other file where the operator named the toolset. What comes from elsewhere never may.
#[must_use]
pub fn commands_of(config: &Config, source: &DocumentSource, document: &Document) -> Commands {
    if document
        .operations
        .iter()
        .all(|one| command_data(one).is_none())
    {
        return Commands::default();
    }
    let is_local = |source: &Source| matches!(source, Source::File(_) | Source::BuiltIn { .. });
    let is_named = config.commands.named;
    // What a reference brought in from a URL may say what is run as little as a document from there.
    let is_whole = !document.holds_remote;
    let by_name = is_named && is_whole && source.overlays.iter().all(is_local);
    // Cheapest first: the comparison reads the shipped document once more.
    let is_shipped = || match source.source {
        Source::BuiltIn { .. } if source.overlays.is_empty() => true,
        _ => is_as_shipped(document),
    };
    let refusal = if !is_local(&source.source) {
        "a document from a URL or from stdin may not run programs on this machine"
    } else if by_name || is_shipped() {
        return Commands::Allowed(Allowed {
            programs: vec!["dotnet".to_owned()],
            is_rule: rules::known,
            is_part: known_part,
        });
    } else if is_named && !is_whole {
        "a document with references to a URL may not say what is run on this machine: keep a copy of what it refers to beside it"
    } else if is_named {
        "an overlay from a URL may not say what is run on this machine"
    } else {
        "it runs programs on this machine, and they are switched off: switch them on with --dotnet, or with `commands.dotnet` in the configuration"
    };
    tracing::warn!(document = %document.name, "operations are left out: {refusal}");
    Commands::Refused(refusal.to_owned())
}

/// Whether everything that concerns programs stands in the document that ships, as it stands there.
fn is_as_shipped(document: &Document) -> bool {
    let settings = openapi::Settings::default();
    let shipped = openapi::parse(DOTNET_DOCUMENT.as_bytes(), "dotnet.yaml", None, &settings);
    let Ok(shipped) = shipped else {
        return false;
    };
    let is_same = |own: &Operation| {
        let mut known = shipped.operations.iter();
        let known = known.find(|known| known.method == own.method && known.path == own.path);
        known.is_some_and(|known| {
            command_data(known) == command_data(own) && asks(own) == asks(known)
        })
    };
    let commands = document
        .operations
        .iter()
        .filter(|one| command_data(one).is_some());
    commands.into_iter().all(is_same)
}

/// What the document says of agreeing to its calls.
fn asks(operation: &Operation) -> Option<&Value> {
    operation.extensions.get("x-mcp")?.get("confirm")
}

/// What built-in parts of the toolset tell of the bridge: the protocol, and what of it is there.
pub(super) fn facts(server: &Server) -> Value {
    let capabilities = server.capabilities(true);
    let has = |name: &str| capabilities.get(name).is_some();
    json!({
        "protocolVersion": Revision::NEWEST_WITH_HANDSHAKE.name(),
        "supports": {
            "prompts": has("prompts"),
            "completions": has("completions"),
            "mcpLogging": has("logging"),
            "asyncTasks": has("tasks"),
        },
    })
}

/// What runs programs. Without a word of the operator a missing folder only means that nothing can be run.
pub(super) fn commands(config: &Config) -> Result<Option<invoke::Commands>, RootError> {
    let settings = &config.commands;
    let handler = match CommandHandler::new(&settings.handler) {
        Ok(handler) => handler,
        Err(error) if settings.named => return Err(error),
        Err(_) => return Ok(None),
    };
    Ok(Some(invoke::Commands {
        handler,
        unsafe_output: settings.unsafe_output,
    }))
}

/// Says what may run and where, once there is a tool that runs something.
pub(super) fn introduce<'a>(invoker: &Invoker, tools: impl Iterator<Item = &'a Tool>) {
    let runs = |tool: &Tool| matches!(tool.target, Target::Command(_));
    let count = tools.filter(|tool| runs(tool)).count();
    let Some(commands) = invoker.commands().filter(|_| count > 0) else {
        return;
    };
    let roots: Vec<String> = commands
        .handler
        .roots()
        .map(|root| root.display().to_string())
        .collect();
    let roots = roots.join(", ");
    for (name, place) in commands.handler.programs() {
        match place {
            Some(place) => {
                let place = place.display();
                tracing::info!(
                    "{count} tools run {place} on this machine, below {roots} and nowhere else"
                );
            }
            None => tracing::warn!(
                "{count} tools run `{name}`, which is not on PATH; they would work below {roots}"
            ),
        }
    }
}
