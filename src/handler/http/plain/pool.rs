//! Connections to plain-HTTP services, each lent to one call at a time. A call holds its own until its answer
//! is read: nothing has to be passed through a task on the way back, which was a fifth of a call's cost.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use ::http::{HeaderValue, Request, Response, Uri};
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use parking_lot::Mutex;
use tokio::time::Instant;
use tower::{Service, ServiceExt as _};

use crate::handler::HandleError;
use crate::handler::http::{IDLE, MOST_HEADER_BYTES, fault};
use crate::outbound::Guard;
use crate::wakes;

/// How often connections are looked for that have been idle for too long.
const SWEEP: Duration = Duration::from_secs(10);

/// How long a connection may take to be ready for the next request once an answer is read.
pub(in crate::handler::http) const SETTLE: Duration = Duration::from_secs(1);

type Sender = SendRequest<Full<Bytes>>;

/// The connections that no call uses.
#[derive(Debug)]
pub(super) struct Pool {
    connector: HttpConnector<Names>,
    builder: Builder,
    idle: Arc<Idle>,
}

#[derive(Debug, Default)]
struct Idle {
    places: Mutex<Places>,
}

#[derive(Debug, Default)]
struct Places {
    /// By the value of `Host`, of which there are few. The one used last is at the end, and used next.
    connections: BTreeMap<HeaderValue, Vec<(Sender, Instant)>>,
    /// Whether somebody looks for those that are too old.
    swept: bool,
}

/// A connection in use. Dropped, it is closed; [`give_back`](Self::give_back) keeps it.
#[derive(Debug)]
pub(in crate::handler::http) struct Lease {
    sender: Sender,
    host: HeaderValue,
    idle: Arc<Idle>,
}

/// Resolves names to addresses that may be connected to.
#[derive(Debug, Clone)]
struct Names(Guard);

impl Service<Name> for Names {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, io::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), io::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let guard = self.0.clone();
        Box::pin(async move { Ok(guard.resolve(name.as_str()).await?.into_iter()) })
    }
}

impl Pool {
    pub(super) fn new(connect_timeout: Duration, guard: Guard) -> Self {
        let mut connector = HttpConnector::new_with_resolver(Names(guard));
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(connect_timeout));
        let mut builder = Builder::new();
        builder.max_buf_size(MOST_HEADER_BYTES as usize);
        Self {
            connector,
            builder,
            idle: Arc::default(),
        }
    }

    /// Sends a request, its target in origin form, to the host and port of `host`. One that an idle connection
    /// did not take, because the service had closed it, goes out on another.
    ///
    /// # Errors
    /// [`HandleError`] when no answer came.
    pub(super) async fn send(
        &self,
        host: HeaderValue,
        mut request: Request<Full<Bytes>>,
    ) -> Result<(Response<Incoming>, Lease), HandleError> {
        let mut sender = self.idle.take(&host);
        loop {
            let kept = sender.is_some();
            let mut using = match sender.take() {
                Some(sender) => sender,
                None => Box::pin(self.connect(&host)).await?,
            };
            match using.try_send_request(request).await {
                Ok(response) => {
                    let lease = Lease {
                        sender: using,
                        host,
                        idle: Arc::clone(&self.idle),
                    };
                    return Ok((response, lease));
                }
                Err(mut refused) => match refused.take_message() {
                    Some(again) if kept => {
                        request = again;
                        sender = self.idle.take(&host);
                    }
                    _ => return Err(fault::classify(refused.into_error(), HandleError::Broken)),
                },
            }
        }
    }

    /// The connections that could be used at once.
    #[cfg(test)]
    pub(super) fn idle(&self) -> usize {
        let places = self.idle.places.lock();
        let all = places.connections.values().flatten();
        all.filter(|(sender, _)| sender.is_ready()).count()
    }

    async fn connect(&self, host: &HeaderValue) -> Result<Sender, HandleError> {
        let uri = Uri::builder()
            .scheme("http")
            .authority(host.as_bytes())
            .path_and_query("/")
            .build()
            .map_err(|error| HandleError::Request(error.into()))?;
        let connected = self.connector.clone().oneshot(uri).await;
        let stream = connected.map_err(|error| fault::classify(error, HandleError::Connect))?;
        let (sender, connection) = self
            .builder
            .handshake(stream)
            .await
            .map_err(|error| fault::classify(error, HandleError::Broken))?;
        tokio::spawn(async move {
            // The call that is under way, if any, is told as well.
            if let Err(error) = wakes::reading(connection).await {
                tracing::debug!(%error, "a connection to a service broke");
            }
        });
        Ok(sender)
    }
}

impl Lease {
    /// For the next call, once the answer is read to its end.
    pub(in crate::handler::http) fn give_back(mut self) {
        if self.sender.is_ready() {
            return self.keep();
        }
        // Closed by the service, or a request that it answered early is still on its way.
        tokio::spawn(async move {
            let ready = tokio::time::timeout(SETTLE, self.sender.ready()).await;
            if matches!(ready, Ok(Ok(()))) {
                self.keep();
            }
        });
    }

    fn keep(self) {
        let mut places = self.idle.places.lock();
        let one = (self.sender, Instant::now());
        places.connections.entry(self.host).or_default().push(one);
        if !places.swept {
            places.swept = true;
            tokio::spawn(sweep(Arc::downgrade(&self.idle)));
        }
    }
}

impl Idle {
    fn take(&self, host: &HeaderValue) -> Option<Sender> {
        let mut places = self.places.lock();
        let connections = places.connections.get_mut(host)?;
        loop {
            let (sender, _) = connections.pop()?;
            // Not so once the service has closed it.
            if sender.is_ready() {
                return Some(sender);
            }
        }
    }
}

/// Closes what nobody has used for too long, as long as there is anything idle.
async fn sweep(idle: Weak<Idle>) {
    loop {
        tokio::time::sleep(SWEEP).await;
        let Some(idle) = idle.upgrade() else { return };
        let mut places = idle.places.lock();
        places.connections.retain(|_, connections| {
            connections.retain(|(sender, since)| sender.is_ready() && since.elapsed() < IDLE);
            !connections.is_empty()
        });
        if places.connections.is_empty() {
            places.swept = false;
            return;
        }
    }
}
