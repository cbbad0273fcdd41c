//! Serving from start to end: documents, transport, orders from outside, and the end in order.

use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::keeper::Keeper;
use super::{App, AppError, Orders};
use crate::config::Config;

/// Serves until the end is ordered, then finishes what is under way.
///
/// It listens before the documents are there, so that a probe can tell "not ready" from "gone" and a client learns at
/// once who is there; what asks for tools waits. Documents that are not there in time are tried again for as long as others are served.
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
            app.abandon();
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
    let (_keeping, mut first) = keep(Keeper::start(app, config), orders.clone());
    tokio::select! {
        result = app.serve_stdio(config, orders.stopped()) => result?,
        Ok(Err(error)) = &mut first => return Err(error),
    }
    // A client that left before the documents were there is no reason not to say what is wrong with them.
    if !app.readiness.is_ready() {
        tokio::select! {
            result = first => return result.unwrap_or(Ok(())),
            () = orders.stopped() => {}
        }
    }
    Ok(())
}

async fn http(app: &App, config: &Arc<Config>, orders: &Orders) -> Result<(), AppError> {
    let address = config.listener.listen;
    let listener = TcpListener::bind(address)
        .await
        .map_err(|source| AppError::Listen { address, source })?;
    let (_keeping, first) = keep(Keeper::start(app, config), orders.clone());
    tokio::select! {
        () = app.serve_http(listener, config, orders.stopped()) => Ok(()),
        Ok(Err(error)) = first => Err(error),
    }
}

/// Keeps the documents until the first value is dropped; the second one hears whether there are first tools.
fn keep(
    mut keeper: Keeper,
    orders: Orders,
) -> (JoinSet<()>, oneshot::Receiver<Result<(), AppError>>) {
    let (tell, first) = oneshot::channel();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let result = keeper.first().await;
        let is_there = result.is_ok();
        // The receiver is gone only when the server has ended already.
        drop(tell.send(result));
        if is_there {
            keeper.keep(orders).await;
        }
    });
    (tasks, first)
}
