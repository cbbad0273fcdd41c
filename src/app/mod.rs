//! The composition root: a configuration becomes a running application, until it is told to stop.

mod approvals;
mod issuers;
mod loading;
mod notes;
mod toolset;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use issuers::Issuers;
pub use loading::LoadFailure;
use loading::Patience;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
pub use toolset::commands_of;

use crate::approvals::Desk;
use crate::config::Config;
use crate::discovery::{self, Discovery};
use crate::handler::command::RootError;
use crate::handler::http::{ClientError, HttpHandler, Reader};
use crate::invoke::{CallError, Invoker};
use crate::mcp::Server;
use crate::openapi;
use crate::policy::confirm::{Confirm, Gate, NoKey};
use crate::policy::{Policy, PolicyError};
use crate::registry::DuplicateName;
use crate::state::State;
use crate::tool::{Outcome, Tool, ToolCall};
use crate::transport::access::KeySource;
use crate::transport::{self, Readiness, Ready};

/// How long the end of the process waits for records to be written.
const RECORDING: Duration = Duration::from_secs(2);

/// The parts of a running bridge.
#[derive(Debug, Clone)]
pub struct App {
    invoker: Arc<Invoker>,
    server: Arc<Server>,
    /// Where operators decide, if they do.
    desk: Option<Arc<Desk>>,
    ready: Arc<Ready>,
    readiness: Readiness,
    /// Where the keys of token issuers are read, if tokens are taken.
    issuers: Option<Arc<dyn KeySource>>,
}

/// Why the application cannot start or go on.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum AppError {
    #[error(transparent)]
    Load(#[from] LoadFailure),
    #[error(transparent)]
    Document(#[from] openapi::LoadError),
    #[error(transparent)]
    Names(#[from] DuplicateName),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error(transparent)]
    Key(#[from] NoKey),
    #[error(transparent)]
    Root(#[from] RootError),
    #[error("cannot listen on {address}")]
    Listen {
        address: SocketAddr,
        #[source]
        source: io::Error,
    },
    #[error("serving broke off")]
    Serve(#[source] io::Error),
}

/// Serves until `stop` resolves, then finishes what is under way.
///
/// HTTP listens before the documents are there, so that a probe can tell "not ready" from "gone";
/// calls that come early wait.
///
/// # Errors
/// [`AppError`] when the address is taken or no document can be loaded.
pub async fn serve(
    config: Config,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), AppError> {
    let app = App::empty(&config)?;
    let _page = app.open_approvals(&config).await?;
    if config.stdio {
        app.fill(&config, Patience::UntilTimeout).await?;
        let result = app.serve_stdio(&config, stop).await;
        app.finish().await;
        return result;
    }
    let address = config.listener.listen;
    let listener = TcpListener::bind(address)
        .await
        .map_err(|source| AppError::Listen { address, source })?;
    let (failed, failure) = oneshot::channel();
    let (filling, filled) = (app.clone(), config.clone());
    tokio::spawn(async move {
        if let Err(error) = filling.fill(&filled, Patience::UntilTimeout).await {
            // The receiver is gone only when the server has ended already.
            let _ = failed.send(error);
        }
    });
    let result = tokio::select! {
        () = app.serve_http(listener, &config, stop) => Ok(()),
        Ok(error) = failure => Err(error),
    };
    app.finish().await;
    result
}

/// What the documents come to, for the commands that only look.
///
/// # Errors
/// [`AppError`] when no document can be loaded.
pub async fn discover(config: &Config) -> Result<Discovery, AppError> {
    Ok(loading::load(config, Patience::None).await?)
}

/// Resolves when the process is asked to stop: SIGINT or SIGTERM.
pub async fn signals() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => {
                tokio::select! {
                    _ = interrupt => {}
                    _ = terminate.recv() => {}
                }
            }
            Err(_) => drop(interrupt.await),
        }
    }
    #[cfg(not(unix))]
    drop(interrupt.await);
}

impl App {
    /// An application without tools, with its state in the memory of this process.
    ///
    /// # Errors
    /// [`AppError::Client`] when the HTTP client cannot be set up.
    pub fn empty(config: &Config) -> Result<Self, AppError> {
        Self::sharing(config, &State::in_memory(&config.state()))
    }

    /// An application without tools over a state that others may share.
    ///
    /// # Errors
    /// [`AppError::Client`] when the HTTP client cannot be set up.
    pub fn sharing(config: &Config, state: &State) -> Result<Self, AppError> {
        let http = HttpHandler::new(&config.http)?;
        let policy = Policy::new(&config.policy, Arc::clone(&state.counters))?;
        let (spent, pending) = (Arc::clone(&state.spent), Arc::clone(&state.pending));
        let gate = Gate::new(config.confirm.clone(), spent, pending)?;
        let desk = approvals::desk(config, state, &gate, &policy);
        let mut invoker = Invoker::new(Vec::new(), http, gate)?
            .with_answers(config.answers, state.kept.clone())
            .cleaning(config.cleaning)
            .under(policy);
        if let Some(commands) = toolset::commands(config)? {
            invoker = invoker.with_commands(commands);
        }
        let invoker = Arc::new(invoker);
        let server = Server::sharing(
            invoker.clone(),
            config.mcp.clone(),
            Arc::clone(&state.handshakes),
        );
        if let Some(commands) = invoker.commands() {
            commands.handler.know_facts(toolset::facts(&server));
        }
        let (ready, readiness) = Readiness::pending();
        let reads = config.listener.tokens.is_some();
        let reader = reads.then(|| Reader::new(&config.http)).transpose()?;
        Ok(Self {
            issuers: reader.map(|reader| -> Arc<dyn KeySource> { Arc::new(Issuers(reader)) }),
            invoker,
            server: Arc::new(server),
            desk,
            ready: Arc::new(ready),
            readiness,
        })
    }

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
        app.fill(config, Patience::None).await?;
        Ok(app)
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
        let mut documents = Vec::new();
        for (name, text) in texts {
            documents.push(openapi::parse(
                text.as_bytes(),
                name,
                None,
                &config.openapi,
            )?);
        }
        let sources: Vec<discovery::Source<'_>> = documents
            .iter()
            .enumerate()
            .map(|(number, document)| discovery::Source {
                document,
                number,
                prefix: None,
                base_url: base_url.cloned(),
                commands: discovery::Commands::default(),
            })
            .collect();
        let app = Self::empty(config)?;
        app.take(discovery::discover(&sources, &config.discovery))?;
        Ok(app)
    }

    async fn fill(&self, config: &Config, patience: Patience) -> Result<(), AppError> {
        self.take(loading::load(config, patience).await?)?;
        notes::idle_patterns(config, &self.invoker.catalogue());
        Ok(())
    }

    fn take(&self, discovery: Discovery) -> Result<(), AppError> {
        let (tools, skipped) = (discovery.tools.len(), discovery.skipped.len());
        for note in &discovery.notes {
            tracing::debug!("{note}");
        }
        for left in &discovery.skipped {
            tracing::debug!(document = %left.document, operation = %left.operation, reason = %left.reason, "skipped");
        }
        notes::missing_credentials(&self.invoker, &discovery.tools);
        toolset::introduce(&self.invoker, &discovery.tools);
        self.invoker.replace(discovery.tools)?;
        self.server.tools_changed();
        self.ready.set(true);
        tracing::info!(tools, skipped, "tools are ready");
        Ok(())
    }

    /// The HTTP routes, for mounting in an application of one's own.
    pub fn router(&self, config: &Config) -> transport::http::Router {
        let settings = self.listener(config);
        let router =
            transport::http::router(self.server.clone(), &settings, self.readiness.clone());
        self.beside_approvals(router, config, &settings)
    }

    fn listener(&self, config: &Config) -> transport::http::Settings {
        transport::http::Settings {
            key_source: self.issuers.clone(),
            ..config.listener.clone()
        }
    }

    /// Serves HTTP until `stop` resolves, then finishes what is under way within the drain time.
    pub async fn serve_http(
        &self,
        listener: TcpListener,
        config: &Config,
        stop: impl Future<Output = ()> + Send + 'static,
    ) {
        let settings = &self.listener(config);
        let address = listener.local_addr();
        if let Ok(address) = address {
            if !address.ip().is_loopback() && settings.keys.is_empty() && settings.tokens.is_none()
            {
                tracing::warn!(
                    "listening on {address}, which others can reach: nobody is asked who they are; configure `access.keys` or `access.oauth`"
                );
            }
            tracing::info!("listening on http://{address}{}", settings.path);
        }
        let entrance =
            transport::http::Entrance::new(self.server.clone(), settings, self.readiness.clone());
        let entrance = self.with_approvals(entrance, config, address.unwrap_or(settings.listen));
        let stop = self.closing(stop);
        let preparing = entrance.clone();
        tokio::spawn(async move { preparing.prepare().await });
        transport::http::serve(listener, entrance, settings, stop).await;
    }

    /// Serves stdin and stdout until stdin ends or `stop` resolves.
    ///
    /// # Errors
    /// [`AppError::Serve`] when stdout breaks.
    pub async fn serve_stdio(
        &self,
        config: &Config,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), AppError> {
        tracing::info!("serving stdin and stdout");
        let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
        let stop = self.closing(stop);
        transport::stdio::serve(
            input,
            output,
            self.server.clone(),
            &config.stdio_settings,
            stop,
        )
        .await
        .map_err(AppError::Serve)
    }

    /// `stop`, after which open streams end and calls under way go on, until the process is told once more.
    fn closing(
        &self,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> impl Future<Output = ()> + Send + 'static {
        let server = self.server.clone();
        async move {
            stop.await;
            tracing::info!("stopping: finishing calls under way");
            server.close();
            tokio::spawn(async move {
                signals().await;
                server.abandon();
            });
        }
    }

    /// Makes one call; `human` is who agrees to it where somebody has to.
    ///
    /// # Errors
    /// [`CallError`] when nothing was sent.
    pub async fn call(&self, call: ToolCall, human: &dyn Confirm) -> Result<Outcome, CallError> {
        self.invoker.call(Box::new(call), human).await
    }

    /// Ends every program that still runs, and waits a moment for what is still to be recorded, before the
    /// process ends.
    pub async fn finish(&self) {
        self.invoker.close().await;
        self.invoker.flush_audit(RECORDING);
    }

    /// The tool of this name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<Arc<Tool>> {
        Some(self.invoker.catalogue().find(name)?.tool.clone())
    }

    /// How many tools there are.
    #[must_use]
    pub fn tool_count(&self) -> usize {
        self.invoker.catalogue().len()
    }
}
