//! Reading small public documents of services that are no upstream, such as the keys of a token issuer.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use url::Url;

use super::client::builder;
use super::credentials::Tls;
use super::outbound::Outbound;
use super::tls::Renewed;
use super::{ClientError, Settings};

/// For a whole document.
const PATIENCE: Duration = Duration::from_secs(10);
/// A longer document is refused, in bytes.
const LONGEST: usize = 1024 * 1024;

/// A client that shows no credentials and no certificate of its own.
#[derive(Debug, Clone)]
pub struct Reader {
    client: Arc<Renewed>,
    outbound: Arc<Outbound>,
}

impl Reader {
    /// Trusts whom calls trust.
    ///
    /// # Errors
    /// [`ClientError`] when the TLS set-up fails.
    pub fn new(settings: &Settings) -> Result<Self, ClientError> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let files = Tls {
            identity: None,
            authorities: settings.tls.authorities.clone(),
        };
        let outbound = Outbound::new(&settings.outbound);
        let (connect_timeout, guard) = (settings.connect_timeout, outbound.guard().clone());
        let fresh = move || builder(connect_timeout, &guard).timeout(PATIENCE);
        Ok(Self {
            client: Arc::new(Renewed::new(&files, fresh)?),
            outbound: Arc::new(outbound),
        })
    }

    /// The document at this place: up to a mebibyte, within ten seconds, without following redirects.
    ///
    /// # Errors
    /// What happened, for a log.
    pub async fn read(&self, url: Url) -> Result<Bytes, String> {
        self.outbound
            .check_named(&url)
            .map_err(|error| error.to_string())?;
        let broken = |error: reqwest::Error| {
            if error.is_timeout() {
                "it did not answer in time".to_owned()
            } else {
                "it could not be reached or broke off".to_owned()
            }
        };
        let mut request = reqwest::Request::new(::http::Method::GET, url);
        let kind = ::http::HeaderValue::from_static("application/json");
        request.headers_mut().insert(::http::header::ACCEPT, kind);
        let sent = self.client.send(request).await;
        let mut response = sent.map_err(broken)?;
        if response.status() != ::http::StatusCode::OK {
            return Err(format!("it answered {}", response.status().as_u16()));
        }
        let mut body = BytesMut::new();
        while let Some(chunk) = response.chunk().await.map_err(broken)? {
            if body.len() + chunk.len() > LONGEST {
                return Err("its answer is too long".to_owned());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body.freeze())
    }
}
