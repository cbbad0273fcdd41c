//! Certificates towards a service: which authorities are trusted and what is shown, from PEM files.

use std::fmt;
use std::path::{Path, PathBuf};

use reqwest::{Certificate, Client, ClientBuilder, Identity};

/// The authorities to trust besides the machine's own, and the certificate to show, as files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tls {
    /// Certificates of further authorities, PEM.
    pub authorities: Option<PathBuf>,
    /// The client's certificate chain and its private key, PEM.
    pub identity: Option<(PathBuf, PathBuf)>,
}

/// What the files hold when they are read.
#[derive(Default)]
pub struct Certificates {
    authorities: Vec<Certificate>,
    identity: Option<Identity>,
}

impl Certificates {
    /// Reads the files; `shown` is whether the client's certificate is to be shown.
    ///
    /// # Errors
    /// A sentence on the file that cannot be read, or holds no certificate. Nothing of a key.
    pub fn read(settings: &Tls, shown: bool) -> Result<Self, String> {
        let authorities = match &settings.authorities {
            None => Vec::new(),
            Some(path) => {
                let found = Certificate::from_pem_bundle(&bytes(path)?);
                found
                    .ok()
                    .filter(|found| !found.is_empty())
                    .ok_or_else(|| format!("{}: expected PEM certificates", path.display()))?
            }
        };
        let identity = match &settings.identity {
            Some((certificate, key)) if shown => {
                let mut pem = bytes(certificate)?;
                pem.push(b'\n');
                pem.extend(bytes(key)?);
                // What the library says of a key is not shown.
                let identity = Identity::from_pem(&pem).map_err(|_| {
                    let key = key.display();
                    format!("{key}: expected a PEM certificate chain and its key")
                })?;
                Some(identity)
            }
            _ => None,
        };
        Ok(Self {
            authorities,
            identity,
        })
    }

    /// A client of `builder` with these. A machine without root certificates trusts the given ones alone, and
    /// can still call over plain http.
    ///
    /// # Errors
    /// What the library says.
    pub fn client(&self, builder: impl Fn() -> ClientBuilder) -> reqwest::Result<Client> {
        let identified = |builder: ClientBuilder| match &self.identity {
            Some(identity) => builder.identity(identity.clone()),
            None => builder,
        };
        let merged = if self.authorities.is_empty() {
            builder()
        } else {
            builder().tls_certs_merge(self.authorities.iter().cloned())
        };
        identified(merged).build().or_else(|_| {
            let alone = builder().tls_certs_only(self.authorities.iter().cloned());
            identified(alone).build()
        })
    }
}

impl fmt::Debug for Certificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Certificates")
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_certificates_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pem");
        std::fs::write(&path, "nothing").unwrap();
        let settings = Tls {
            authorities: Some(path.clone()),
            identity: None,
        };
        let fault = Certificates::read(&settings, true).err().unwrap();
        assert!(
            fault.contains("a.pem") && fault.contains("expected PEM"),
            "{fault}"
        );
        let settings = Tls {
            authorities: None,
            identity: Some((path.clone(), path)),
        };
        let fault = Certificates::read(&settings, true).err().unwrap();
        assert!(fault.contains("and its key"), "{fault}");
        assert!(
            Certificates::read(&settings, false).is_ok(),
            "it is not read where it is not shown"
        );
    }
}
