//! Certificates towards the upstream, from PEM files.

use std::path::Path;

use reqwest::{Certificate, ClientBuilder, Identity};

use super::ClientError;
use super::credentials::Tls;

/// What the files hold.
pub(super) struct Certificates {
    authorities: Vec<Certificate>,
    identity: Option<Identity>,
}

impl Certificates {
    pub(super) fn read(settings: &Tls) -> Result<Self, ClientError> {
        let authorities = match &settings.authorities {
            None => Vec::new(),
            Some(path) => Certificate::from_pem_bundle(&bytes(path)?)
                .map_err(|error| refuse(path, &error.to_string()))?,
        };
        let identity = match &settings.identity {
            None => None,
            Some((certificate, key)) => {
                let mut pem = bytes(certificate)?;
                pem.push(b'\n');
                pem.extend(bytes(key)?);
                // What the library says of a key is not shown.
                let identity = Identity::from_pem(&pem)
                    .map_err(|_| refuse(key, "expected a PEM certificate chain and its key"))?;
                Some(identity)
            }
        };
        Ok(Self {
            authorities,
            identity,
        })
    }

    /// Besides the machine's own authorities.
    pub(super) fn add(&self, builder: ClientBuilder) -> ClientBuilder {
        let builder = if self.authorities.is_empty() {
            builder
        } else {
            builder.tls_certs_merge(self.authorities.iter().cloned())
        };
        self.identify(builder)
    }

    /// Without the machine's own authorities.
    pub(super) fn alone(&self, builder: ClientBuilder) -> ClientBuilder {
        self.identify(builder.tls_certs_only(self.authorities.iter().cloned()))
    }

    fn identify(&self, builder: ClientBuilder) -> ClientBuilder {
        match &self.identity {
            Some(identity) => builder.identity(identity.clone()),
            None => builder,
        }
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, ClientError> {
    std::fs::read(path).map_err(|error| refuse(path, &error.to_string()))
}

fn refuse(path: &Path, message: &str) -> ClientError {
    ClientError(format!("{}: {message}", path.display()).into())
}
