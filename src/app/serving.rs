//! Serving from start to end: documents, transport, orders from outside, and the end in order.

use std::future::Future;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::keeper::Keeper;
use super::{App, AppError, Orders};
use crate::config::Config;

/// Serves until the end is ordered, then finishes what is under way.
///
/// HTTP listens before the documents are there, so that a probe can tell "not ready" from "gone";
/// calls that come early wait. Documents that are not there in time are tried again for as long as others are served.
///
/// # Errors
/// [`AppError`] when the address is taken, or no document can be loaded within the time limit of fetching one.
pub async fn serve(config: Config, orders: Orders) -> Result<(), AppError> {
    let app = App::empty(&config)?;
    let config = Arc::new(config);
    let _page = app.open_approvals(&config).await?;
    let result = tokio::select! {
        result = transport(&app, &config, &orders) => result,
        () = orders.stopped_now() => {
            tracing::warn!("ending at once: calls under way are dropped");
            Ok(())
        }
    };
    app.finish_under(&orders).await;
    result
}

async fn transport(app: &App, config: &Arc<Config>, orders: &Orders) -> Result<(), AppError> {
    if config.stdio {
        stdio(app, config, orders).await
    } else {
        http(app, config, orders).await
    }
}

async fn stdio(app: &App, config: &Arc<Config>, orders: &Orders) -> Result<(), AppError> {
    let mut keeper = Keeper::start(app, config);
    tokio::select! {
        result = keeper.first() => result?,
        () = orders.stopped() => return Ok(()),
    }
    let _keeping = in_background(keeper.keep(orders.clone()));
    app.serve_stdio(config, orders.stopped()).await
}

async fn http(app: &App, config: &Arc<Config>, orders: &Orders) -> Result<(), AppError> {
    let address = config.listener.listen;
    let listener = TcpListener::bind(address)
        .await
        .map_err(|source| AppError::Listen { address, source })?;
    let (failed, failure) = oneshot::channel();
    let (mut keeper, orders) = (Keeper::start(app, config), orders.clone());
    let stop = orders.stopped();
    let _keeping = in_background(async move {
        match keeper.first().await {
            Ok(()) => keeper.keep(orders).await,
            // The receiver is gone only when the server has ended already.
            Err(error) => drop(failed.send(error)),
        }
    });
    tokio::select! {
        () = app.serve_http(listener, config, stop) => Ok(()),
        Ok(error) = failure => Err(error),
    }
}

/// Runs it until the value is dropped.
fn in_background(work: impl Future<Output = ()> + Send + 'static) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    tasks.spawn(work);
    tasks
}
