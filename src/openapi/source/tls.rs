//! What is said where a document cannot be fetched because of a certificate.

use std::error::Error;

use rustls::CertificateError;

use crate::outbound::{CertificateFault, certificate_fault};

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
}
