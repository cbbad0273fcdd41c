//! Certificates towards the upstream, from PEM files that may change.

use std::fmt;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use reqwest::{Client, ClientBuilder, Request, Response};

use super::ClientError;
use super::credentials::{Stamp, Tls, stamp};
use crate::outbound::{Certificates, was_not_sent};

/// How often the files are looked at, at most.
const LOOK: Duration = Duration::from_secs(1);

/// A client with the certificates that the files hold now: they are exchanged before they expire, and nobody
/// should have to start the bridge anew for that.
pub(super) struct Renewed {
    files: Tls,
    builder: Box<dyn Fn() -> ClientBuilder + Send + Sync>,
    current: Mutex<Current>,
}

struct Current {
    client: Client,
    stamps: [Option<Stamp>; 3],
    looked: Instant,
}

impl Renewed {
    /// A client made by `builder`, with the certificates of these files.
    ///
    /// # Errors
    /// [`ClientError`] when a file cannot be read, or holds no certificates.
    pub(super) fn new(
        files: &Tls,
        builder: impl Fn() -> ClientBuilder + Send + Sync + 'static,
    ) -> Result<Self, ClientError> {
        // Before the content: a change in between is noticed the next time.
        let stamps = stamps(files);
        Ok(Self {
            files: files.clone(),
            current: Mutex::new(Current {
                client: client(files, &builder)?,
                stamps,
                looked: Instant::now(),
            }),
            builder: Box::new(builder),
        })
    }

    /// The client now. Files that cannot be used keep the last certificates; of a certificate and its key, one is
    /// always exchanged before the other.
    pub(super) fn current(&self) -> Client {
        let mut current = self.current.lock();
        if current.looked.elapsed() >= LOOK {
            self.look(&mut current);
        }
        current.client.clone()
    }

    /// Sends with the certificates of now, and once more where nothing could be sent.
    ///
    /// # Errors
    /// When no answer came.
    pub(super) async fn send(&self, request: Request) -> reqwest::Result<Response> {
        let client = self.current();
        // None where the body is a stream, which nobody here sends.
        let again = request.try_clone();
        match (client.execute(request).await, again) {
            (Err(error), Some(again)) if was_not_sent(&error) => client.execute(again).await,
            (sent, _) => sent,
        }
    }

    fn look(&self, current: &mut Current) {
        current.looked = Instant::now();
        let stamps = stamps(&self.files);
        if stamps == current.stamps {
            return;
        }
        match client(&self.files, &self.builder) {
            Ok(client) => {
                (current.client, current.stamps) = (client, stamps);
                tracing::info!("certificates have changed and were read again");
            }
            Err(ClientError(why)) => {
                tracing::warn!("{why}; going on with the last certificates");
            }
        }
    }
}

impl fmt::Debug for Renewed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Renewed").field(&self.files).finish()
    }
}

fn stamps(files: &Tls) -> [Option<Stamp>; 3] {
    let identity = files.identity.as_ref();
    let certificate = identity.map(|(certificate, _)| certificate);
    let key = identity.map(|(_, key)| key);
    [files.authorities.as_ref(), certificate, key].map(|path| stamp(path?))
}

fn client(files: &Tls, builder: impl Fn() -> ClientBuilder) -> Result<Client, ClientError> {
    let certificates =
        Certificates::read(files, true).map_err(|error| ClientError(error.into()))?;
    let client = certificates.client(builder);
    client.map_err(|error| ClientError(error.into()))
}
