//! From documents to the catalogue that is served.

use std::sync::Arc;

use super::keeper::Change;
use super::loading::{LoadFailure, load_all};
use super::{App, AppError, notes, toolset};
use crate::config::Config;
use crate::discovery::{self, Discovery, Part, Skipped};
use crate::invoke::Catalogue;
use crate::openapi;
use crate::state::State;
use crate::tool::Tool;

/// What documents come to.
#[derive(Debug)]
pub struct Survey {
    /// Of those that could be read.
    pub discovery: Discovery,
    /// How many could not, each of which was logged.
    pub failed: usize,
}

/// What the documents come to, for the commands that only look.
///
/// # Errors
/// [`AppError`] when no document can be loaded.
pub async fn survey(config: &Config) -> Result<Survey, AppError> {
    let loaded = load_all(config).await;
    let all = loaded.len();
    let parts = those_that_came(loaded)?;
    let failed = all - parts.len();
    match parts.iter().all(|part| part.tools().is_empty()) {
        true => notes::no_tools(parts.iter().flat_map(Part::skipped)),
        false => parts.iter().for_each(notes::without_server),
    }
    let discovery = Discovery::of_parts(parts, &config.discovery);
    Ok(Survey { discovery, failed })
}

/// The same where those that cannot be read make no difference.
///
/// # Errors
/// [`AppError`] when no document can be loaded.
pub async fn discover(config: &Config) -> Result<Discovery, AppError> {
    Ok(survey(config).await?.discovery)
}

/// A broken document is named and left out as long as another one is left.
fn those_that_came(loaded: Vec<Result<Part, String>>) -> Result<Vec<Part>, LoadFailure> {
    let (mut parts, mut failures) = (Vec::new(), Vec::new());
    for result in loaded {
        match result {
            Ok(part) => parts.push(part),
            Err(failure) => failures.push(failure),
        }
    }
    if parts.is_empty() {
        return Err(LoadFailure(failures));
    }
    for failure in failures {
        tracing::error!("{failure}; going on without it");
    }
    Ok(parts)
}

impl App {
    /// An application with the documents of the configuration loaded.
    ///
    /// # Errors
    /// [`AppError`] when no document can be loaded.
    pub async fn load(config: &Config) -> Result<Self, AppError> {
        Self::load_sharing(config, &State::in_memory(&config.state())).await
    }

    /// The same over a state that others may share.
    ///
    /// # Errors
    /// [`AppError`] when no document can be loaded.
    pub async fn load_sharing(config: &Config, state: &State) -> Result<Self, AppError> {
        let app = Self::sharing(config, state)?;
        app.fill(config).await?;
        Ok(app)
    }

    /// An application without tools of its own yet gets those of the configured documents; what did not become one.
    ///
    /// # Errors
    /// [`AppError`] when no document can be loaded.
    pub async fn fill(&self, config: &Config) -> Result<Vec<Skipped>, AppError> {
        let parts = those_that_came(load_all(config).await)?;
        let is_whole = parts.len() == config.documents.len();
        let all: Vec<&Part> = parts.iter().collect();
        self.publish(&all, &all, is_whole, config)?;
        Ok(all
            .iter()
            .flat_map(|part| part.skipped().to_vec())
            .collect())
    }

    /// An application over documents given as text.
    ///
    /// # Errors
    /// [`AppError`] when a text is no document.
    pub fn from_texts(
        config: &Config,
        texts: &[(&str, &str)],
        base_url: Option<&url::Url>,
    ) -> Result<Self, AppError> {
        let mut parts = Vec::new();
        for (number, (name, text)) in texts.iter().enumerate() {
            let document = openapi::parse(text.as_bytes(), name, None, &config.openapi)?;
            let source = discovery::Source {
                document: &document,
                number,
                prefix: None,
                base_url: base_url.cloned(),
                commands: discovery::Commands::default(),
                credentials: config.http.credentials.schemes(number),
            };
            parts.push(Part::of(&source, &config.discovery));
        }
        let app = Self::empty(config)?;
        let all: Vec<&Part> = parts.iter().collect();
        app.publish(&all, &all, false, config)?;
        Ok(app)
    }

    /// Serves these documents and no others, all at once, and tells clients; `fresh` are those of them that somebody
    /// has not heard of yet. `is_whole`: no configured document is missing.
    pub(super) fn publish(
        &self,
        parts: &[&Part],
        fresh: &[&Part],
        is_whole: bool,
        config: &Config,
    ) -> Result<Change, AppError> {
        let joined = discovery::join(parts, &config.discovery);
        notes::joined(&joined, is_whole);
        let all_skipped = parts.iter().flat_map(|part| part.skipped());
        let (tools, skipped) = (joined.tools.len(), all_skipped.clone().count());
        if tools == 0 {
            notes::no_tools(all_skipped);
        } else {
            fresh.iter().for_each(|part| notes::without_server(part));
        }
        for left in fresh.iter().flat_map(|part| part.skipped()) {
            tracing::debug!(document = %left.document, operation = %left.operation, reason = %left.reason, "skipped");
        }
        let new = || {
            fresh
                .iter()
                .flat_map(|part| part.tools())
                .map(|tool| &**tool)
        };
        notes::missing_credentials(&self.invoker, new());
        toolset::introduce(&self.invoker, new());
        let change = Change::between(&self.invoker.catalogue(), &joined.tools);
        self.invoker.replace(joined.tools)?;
        // Nobody has seen any tools before the first ones are there.
        if change != Change::default() && self.readiness.is_ready() {
            self.server.tools_changed();
        }
        self.ready.set(true);
        tracing::info!(tools, skipped, "tools are ready");
        if is_whole {
            notes::idle_patterns(config, &self.invoker.catalogue());
        }
        Ok(change)
    }

    /// The tool of this name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<Arc<Tool>> {
        Some(self.invoker.catalogue().find(name)?.tool.clone())
    }

    /// The names of all tools, in their order.
    #[must_use]
    pub fn tool_names(&self) -> Vec<String> {
        let catalogue = self.invoker.catalogue();
        let names = catalogue.iter().map(|entry| entry.tool.name.to_string());
        names.collect()
    }

    /// How many tools there are.
    #[must_use]
    pub fn tool_count(&self) -> usize {
        self.invoker.catalogue().len()
    }
}

impl Change {
    fn between(old: &Catalogue, new: &[Arc<Tool>]) -> Self {
        let (mut added, mut changed) = (0, 0);
        for tool in new {
            match old.find(tool.name.as_str()) {
                None => added += 1,
                Some(known) => {
                    let is_same = Arc::ptr_eq(&known.tool, tool) || known.tool == *tool;
                    changed += usize::from(!is_same);
                }
            }
        }
        let order = old.iter().map(|entry| &entry.tool.name);
        Self {
            added,
            removed: (old.len() + added).saturating_sub(new.len()),
            changed,
            moved: order.ne(new.iter().map(|tool| &tool.name)),
        }
    }
}
