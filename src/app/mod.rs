//! The composition root: a configuration becomes a running application, until it is told to stop.

mod approvals;
mod issuers;
mod keeper;
mod loading;
mod notes;
mod progress;
mod serving;
mod signals;
mod tools;
mod toolset;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use issuers::Issuers;
pub use loading::LoadFailure;
pub(crate) use loading::chain;
pub use serving::serve;
pub use signals::{Orders, signals};
use tokio::net::TcpListener;
pub use tools::{Survey, discover, survey};
pub use toolset::commands_of;

use crate::approvals::Desk;
use crate::config::Config;
use crate::handler::command::RootError;
use crate::handler::http::{ClientError, HttpHandler, Reader};
use crate::invoke::{CallError, Invoker};
use crate::mcp::Server;
use crate::openapi;
use crate::policy::confirm::{Confirm, Gate, NoKey};
use crate::policy::{Policy, PolicyError};
use crate::registry::DuplicateName;
use crate::state::State;
use crate::tool::{Outcome, ToolCall};
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

impl App {
    /// An application without tools, with its state in the memory of this process.
    ///
    /// # Errors
    /// [`AppError::Client`] when an HTTP client cannot be set up, [`AppError::Policy`] when what is to be masked is
    /// not well described or the audit file cannot be opened, [`AppError::Key`] when there is no key for
    /// confirmations, and [`AppError::Root`] when programs were allowed below a folder that cannot be used.
    pub fn empty(config: &Config) -> Result<Self, AppError> {
        Self::sharing(config, &State::in_memory(&config.state()))
    }

    /// An application without tools over a state that others may share.
    ///
    /// # Errors
    /// [`AppError::Client`] when an HTTP client cannot be set up, [`AppError::Policy`] when what is to be masked is
    /// not well described or the audit file cannot be opened, [`AppError::Key`] when there is no key for
    /// confirmations, and [`AppError::Root`] when programs were allowed below a folder that cannot be used.
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

    /// Serves stdin and stdout until stdin ends or `stop` resolves; what asks for tools waits until there are some.
    ///
    /// # Errors
    /// [`AppError::Serve`] when stdin cannot be read.
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
            self.readiness.clone(),
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
        }
    }

    /// Waits for calls under way no longer.
    pub fn abandon(&self) {
        self.server.abandon();
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
        self.finish_under(&Orders::default()).await;
    }

    /// The same; programs get no time to end by themselves once the end was ordered at once.
    pub async fn finish_under(&self, orders: &Orders) {
        let end = self.invoker.close();
        tokio::pin!(end);
        tokio::select! {
            () = &mut end => {}
            () = orders.stopped_now() => {
                self.invoker.hurry();
                end.await;
            }
        }
        self.invoker.flush_audit(RECORDING);
    }
}
