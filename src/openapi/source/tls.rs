//! Certificates while documents are fetched: which authorities are trusted, what is shown, and what is said where
//! a certificate is not trusted.

use std::error::Error;
use std::path::Path;

use reqwest::{Certificate, Client, ClientBuilder, Identity};
use rustls::CertificateError;

use crate::outbound::{CertificateFault, Tls, certificate_fault};

/// What the files hold now. They are read for each fetch: those are few.
#[derive(Default)]
pub(super) struct Certificates {
    authorities: Vec<Certificate>,
    identity: Option<Identity>,
}

impl Certificates {
    /// Reads the files; `shown` is whether the client's certificate may be shown there.
    ///
    /// # Errors
    /// A sentence on the file that cannot be read, or holds no certificate. Nothing of a key.
    pub(super) fn read(settings: &Tls, shown: bool) -> Result<Self, String> {
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
    /// can still fetch over plain http.
    ///
    /// # Errors
    /// What the library says.
    pub(super) fn client(&self, builder: impl Fn() -> ClientBuilder) -> reqwest::Result<Client> {
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

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// What is wrong where a certificate is why there is no connection, and what to do; `None` for other faults.
pub(super) fn fault(error: &(dyn Error + 'static)) -> Option<String> {
    Some(match certificate_fault(error)? {
        CertificateFault::Theirs(fault) => {
            let (reason, hint) = theirs(fault);
            format!("its certificate is not trusted: {reason}; {hint}")
        }
        CertificateFault::Ours => {
            "it does not take the client's certificate, or asks for one; set `tls.certificate` and `tls.key` in the configuration"
                .to_owned()
        }
    })
}

fn theirs(fault: &CertificateError) -> (String, &'static str) {
    const TRUST: &str = "set `tls.ca` in the configuration to the authority's PEM file, or, for the development certificate of ASP.NET, run `dotnet dev-certs https --trust`";
    match fault {
        CertificateError::UnknownIssuer => {
            let reason = "it is signed by an authority that this machine does not know";
            (reason.to_owned(), TRUST)
        }
        // Somebody trusts an earlier development certificate, which has the same name.
        CertificateError::BadSignature => {
            let reason = "an authority of this name is known, and it signed something else";
            (reason.to_owned(), TRUST)
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            ("it has expired".to_owned(), "have it renewed")
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            ("it is not valid yet".to_owned(), "compare the clocks")
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            let hint = "give the address with the name that the certificate is for";
            ("it is for another name".to_owned(), hint)
        }
        CertificateError::Revoked => ("it is revoked".to_owned(), "have it renewed"),
        // A certificate that is marked as an authority's, among others.
        other => (other.to_string(), "the service needs another certificate"),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_certificate_that_is_not_trusted_says_what_to_do() {
        let told = |error: rustls::Error| fault(&io::Error::other(error)).unwrap_or_default();
        for (error, reason, hint) in [
            (CertificateError::UnknownIssuer, "does not know", "`tls.ca`"),
            (
                CertificateError::BadSignature,
                "something else",
                "dev-certs",
            ),
            (CertificateError::Expired, "has expired", "renewed"),
            (CertificateError::NotValidYet, "not valid yet", "clocks"),
            (CertificateError::NotValidForName, "another name", "address"),
            (CertificateError::Revoked, "revoked", "renewed"),
            (
                CertificateError::BadEncoding,
                "ncoding",
                "another certificate",
            ),
        ] {
            let text = told(rustls::Error::InvalidCertificate(error));
            assert!(text.contains(reason) && text.contains(hint), "{text}");
        }
        let alert = rustls::AlertDescription::CertificateRequired;
        let text = told(rustls::Error::AlertReceived(alert));
        assert!(text.contains("`tls.certificate`"), "{text}");
        assert_eq!(told(rustls::Error::HandshakeNotComplete), "");
    }

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
