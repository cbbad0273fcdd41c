//! What went wrong on the way to an upstream, found in the chain of causes.

use std::error::Error;

use rustls::{AlertDescription, CertificateError};

use crate::handler::HandleError;
use crate::outbound::{Refused, causes};

/// The error of a request that got no answer.
pub(super) fn classify(
    error: impl Error + Send + Sync + 'static,
    otherwise: fn(Box<dyn Error + Send + Sync>) -> HandleError,
) -> HandleError {
    if cause::<Refused>(&error).is_some() {
        tracing::warn!("a request was refused: {}", last(&error));
        return HandleError::Forbidden(Box::new(error));
    }
    match cause::<rustls::Error>(&error).and_then(certificate) {
        Some(Side::Theirs(reason)) => HandleError::Certificate(reason, Box::new(error)),
        Some(Side::Ours) => HandleError::Identity(Box::new(error)),
        None => otherwise(Box::new(error)),
    }
}

/// Whose certificate it is.
enum Side {
    Theirs(&'static str),
    Ours,
}

fn certificate(error: &rustls::Error) -> Option<Side> {
    let side = match error {
        rustls::Error::InvalidCertificate(fault) => Side::Theirs(match fault {
            CertificateError::UnknownIssuer => {
                "it is signed by an authority that this server does not know"
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => "it has expired",
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "it is not valid yet"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "it is for another name"
            }
            CertificateError::Revoked => "it is revoked",
            _ => "it is not valid",
        }),
        rustls::Error::AlertReceived(
            AlertDescription::CertificateRequired
            | AlertDescription::NoCertificate
            | AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            | AlertDescription::AccessDenied,
        ) => Side::Ours,
        _ => return None,
    };
    Some(side)
}

/// The error of this type in the chain.
fn cause<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    causes(error).find_map(|one| one.downcast_ref())
}

fn last<'e>(error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    causes(error).last().unwrap_or(error)
}
