//! The operators' page: beside the endpoint, or on a listener of its own.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{App, AppError};
use crate::approvals::{Desk, PATH};
use crate::config::Config;
use crate::policy::Policy;
use crate::policy::confirm::{Gate, system_clock};
use crate::state::State;
use crate::transport;
use crate::transport::http::{Entrance, Router, Settings, approvals_router, reachable};

/// The page, where the configuration has one.
pub(super) fn desk(
    config: &Config,
    state: &State,
    gate: &Gate,
    policy: &Policy,
) -> Option<Arc<Desk>> {
    let settings = config.approvals.as_ref()?;
    Some(Arc::new(Desk::new(
        settings,
        Arc::clone(&state.pending),
        gate.key_for("approvals page"),
        policy.audit.clone(),
        system_clock(),
    )))
}

impl App {
    /// Opens a listener for the page where it has one of its own; it ends with what is returned.
    pub(super) async fn open_approvals(
        &self,
        config: &Config,
    ) -> Result<Option<DropGuard>, AppError> {
        let settings = config.approvals.as_ref();
        let Some((desk, address)) = self.desk.clone().zip(settings.and_then(|one| one.listen))
        else {
            return Ok(None);
        };
        let listener = TcpListener::bind(address)
            .await
            .map_err(|source| AppError::Listen { address, source })?;
        let address = listener.local_addr().unwrap_or(address);
        if !address.ip().is_loopback() {
            tracing::warn!(
                "approvals are at {address}, which others can reach: tokens travel there as they are; put TLS in front"
            );
        }
        let own = Settings {
            listen: address,
            ..config.listener.clone()
        };
        let url = settings.and_then(|one| one.url.as_ref());
        let entrance = Entrance::approvals(desk, &own, url);
        self.tell_page(config, address);
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        tokio::spawn(async move {
            transport::http::serve(listener, entrance, &own, stopped).await;
        });
        Ok(Some(stop.drop_guard()))
    }

    /// The routes with the page's beside them, where there is one.
    pub(super) fn beside_approvals(
        &self,
        router: Router,
        config: &Config,
        settings: &Settings,
    ) -> Router {
        let Some((desk, page)) = self.desk.clone().zip(config.approvals.as_ref()) else {
            return router;
        };
        self.tell_page(config, settings.listen);
        router.merge(approvals_router(desk, settings, page.url.as_ref()))
    }

    /// The endpoint's entrance with the page beside it, where it has no listener of its own.
    pub(super) fn with_approvals(
        &self,
        entrance: Entrance,
        config: &Config,
        address: SocketAddr,
    ) -> Entrance {
        let page = config
            .approvals
            .as_ref()
            .filter(|page| page.listen.is_none());
        match (page, &self.desk) {
            (Some(page), Some(desk)) => {
                self.tell_page(config, address);
                entrance.with_approvals(desk.clone(), &config.listener, page.url.as_ref())
            }
            _ => entrance,
        }
    }

    /// From now on calls wait for operators.
    pub(super) fn tell_page(&self, config: &Config, address: SocketAddr) {
        let url = config.approvals.as_ref().and_then(|page| page.url.as_ref());
        let url = match url {
            Some(url) => url.to_string(),
            None => format!("http://{}{PATH}", reachable(address)),
        };
        tracing::info!("calls wait for approval at {url}");
        self.invoker.gate().open_page(&url);
    }
}
