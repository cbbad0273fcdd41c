//! What went wrong on the way to an upstream, found in the chain of causes.

use std::error::Error;

use rustls::CertificateError;

use crate::handler::HandleError;
use crate::outbound::{CertificateFault, Refused, causes, certificate_fault};

/// The error of a request that got no answer.
pub(super) fn classify(
    error: impl Error + Send + Sync + 'static,
    otherwise: fn(Box<dyn Error + Send + Sync>) -> HandleError,
) -> HandleError {
    if cause::<Refused>(&error).is_some() {
        tracing::warn!("a request was refused: {}", last(&error));
        return HandleError::Forbidden(Box::new(error));
    }
    match certificate_fault(&error) {
        Some(CertificateFault::Theirs(fault)) => {
            HandleError::Certificate(reason(fault), Box::new(error))
        }
        Some(CertificateFault::Ours) => HandleError::Identity(Box::new(error)),
        None => otherwise(Box::new(error)),
    }
}

/// What is wrong with the service's certificate, for the caller.
fn reason(fault: &CertificateError) -> &'static str {
    match fault {
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
    }
}

/// The error of this type in the chain.
fn cause<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    causes(error).find_map(|one| one.downcast_ref())
}

fn last<'e>(error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    causes(error).last().unwrap_or(error)
}
