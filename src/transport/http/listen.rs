//! Connections: accepted up to a limit, served by hyper, ended in order.
//!
//! `axum::serve` has no limit on time or number, and leaves Nagle's algorithm on, which costs a
//! streamed answer 40 ms.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use super::together::Together;
use super::turnstile::Turnstile;
use super::{Entrance, MAX_CONNECTIONS, Settings};
use crate::wakes::{self, Pieces};

/// Longest request head, in bytes.
const MAX_HEAD: usize = 64 * 1024;

/// What is read and what is to be written is gathered up to this length, in bytes. Beyond it an answer's next piece
/// waits until those before it are written, and each write wakes the client.
const MAX_GATHERED: usize = 256 * 1024;

/// Most headers of a request.
const MAX_HEADERS: usize = 100;

/// Serves `entrance` until `shutdown`, then lets the calls under way end for a limited time, which
/// [`abandon`](crate::mcp::Server::abandon) ends early.
///
/// Streams of notifications end only when the server behind the router says so: call
/// [`close`](crate::mcp::Server::close) before `shutdown` completes.
pub async fn serve(
    listener: TcpListener,
    entrance: Entrance,
    settings: &Settings,
    shutdown: impl Future<Output = ()>,
) {
    let slots = Arc::new(Semaphore::new(
        settings.max_connections.min(MAX_CONNECTIONS),
    ));
    let entrance = Arc::new(entrance);
    let mut connections = JoinSet::new();
    let closing = Arc::new(Closing::default());
    let turnstile = Arc::new(Turnstile::new());
    let builder = builder(settings.header_timeout);
    tokio::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut shutdown => break,
            accepted = accept(&listener, &slots) => accepted,
        };
        let Some((stream, slot)) = accepted else {
            continue;
        };
        // Those that have ended make room for their successors.
        while connections.try_join_next().is_some() {}
        let connection = connection(
            &builder,
            Together::new(stream, Arc::clone(&turnstile), Arc::clone(&closing)),
            Arc::clone(&entrance),
            Arc::clone(&closing),
        );
        connections.spawn(async move {
            connection.await;
            drop(slot);
        });
    }
    drop(listener);
    closing.begin();
    let ended = async { while connections.join_next().await.is_some() {} };
    let in_time = tokio::select! {
        biased;
        () = ended => true,
        () = tokio::time::sleep(settings.drain) => false,
        () = entrance.abandoned() => false,
    };
    if !in_time {
        tracing::warn!(
            connections = connections.len(),
            "dropping what is still under way"
        );
        connections.shutdown().await;
    }
}

/// Told to all connections at once. Looking is cheap, and a connection looks each time it is woken.
#[derive(Debug, Default)]
pub(super) struct Closing {
    begun: AtomicBool,
    wake: Notify,
}

impl Closing {
    fn begin(&self) {
        self.begun.store(true, Ordering::Release);
        self.wake.notify_waiters();
    }

    pub(super) fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Acquire)
    }
}

pub(super) fn builder(header_timeout: Duration) -> Builder {
    let mut builder = Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(header_timeout)
        .max_buf_size(MAX_GATHERED)
        .max_header_size(MAX_HEAD)
        .max_headers(MAX_HEADERS);
    builder
}

async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> Option<(TcpStream, OwnedSemaphorePermit)> {
    // Beyond the limit clients wait in the system's queue.
    let slot = Arc::clone(slots).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => {
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "a connection without TCP_NODELAY");
            }
            Some((stream, slot))
        }
        Err(error) => {
            tracing::warn!(%error, "a connection could not be accepted");
            // Out of file descriptors, most likely: others have to close first.
            if error.kind() != io::ErrorKind::ConnectionAborted {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            None
        }
    }
}

fn connection(
    builder: &Builder,
    stream: Together,
    entrance: Arc<Entrance>,
    closing: Arc<Closing>,
) -> impl Future<Output = ()> + use<> {
    let service = service_fn(move |request| {
        Arc::clone(&entrance)
            .answer(request.map(Pieces))
            .map(Ok::<_, Infallible>)
    });
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    async move {
        tokio::pin!(connection);
        let woken = closing.wake.notified();
        tokio::pin!(woken);
        let (mut listens, mut ending) = (false, false);
        let result = poll_fn(|context| {
            if !listens {
                // Once: the task that is woken stays the same.
                listens = true;
                let _ = woken.as_mut().poll(context);
            }
            if !ending && closing.has_begun() {
                ending = true;
                connection.as_mut().graceful_shutdown();
            }
            connection.as_mut().poll(context)
        });
        if let Err(error) = wakes::reading(result).await {
            tracing::debug!(%error, "a connection broke");
        }
    }
}
