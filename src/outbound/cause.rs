//! Why a request failed: the error and what is behind it.

use std::error::Error;
use std::io;

use rustls::{AlertDescription, CertificateError};

/// Chains are short; a bound keeps a strange one from holding anybody up.
const DEEPEST: usize = 16;

/// The error and its causes, the nearest first.
pub fn causes<'e>(
    error: &'e (dyn Error + 'static),
) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'e (dyn Error + 'static)| {
        let error: &'e (dyn Error + 'static) = *error;
        // An i/o error tells the cause of what it holds as its own, and so leaves that out.
        let held = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        match held {
            Some(held) => Some(held as &(dyn Error + 'static)),
            None => error.source(),
        }
    })
    .take(DEEPEST)
}

/// Whose certificate it was that a connection failed by.
#[derive(Debug, Clone, Copy)]
pub enum CertificateFault<'e> {
    /// The service's, and what is wrong with it.
    Theirs(&'e CertificateError),
    /// The client's: the service does not take it, or wants one.
    Ours,
}

/// The fault of a certificate among the causes of an error.
#[must_use]
pub fn certificate_fault<'e>(error: &'e (dyn Error + 'static)) -> Option<CertificateFault<'e>> {
    match causes(error).find_map(|one| one.downcast_ref::<rustls::Error>())? {
        rustls::Error::InvalidCertificate(fault) => Some(CertificateFault::Theirs(fault)),
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
        ) => Some(CertificateFault::Ours),
        _ => None,
    }
}

/// Whether no byte of the request left, so that it may go out again whatever it asks for: its connection had ended
/// by then. A service that refuses a client's certificate ends a connection that was made, and says why only to who
/// reads from it.
#[must_use]
pub fn was_not_sent(error: &(dyn Error + 'static)) -> bool {
    let mut causes = causes(error).filter_map(|one| one.downcast_ref::<hyper::Error>());
    causes.any(hyper::Error::is_canceled)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http_body_util::Empty;
    use hyper::client::conn::http1::handshake;
    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    fn request() -> http::Request<Empty<Bytes>> {
        http::Request::new(Empty::new())
    }

    #[tokio::test]
    async fn a_connection_that_ended_before_the_request_sent_nothing() {
        let (ours, theirs) = tokio::io::duplex(64);
        let (mut sender, connection) = handshake(TokioIo::new(ours)).await.unwrap();
        drop(theirs);
        let _ = connection.await;
        let error = sender.send_request(request()).await.unwrap_err();
        assert!(was_not_sent(&error), "{error:?}");
        let wrapped = io::Error::other(error);
        assert!(was_not_sent(&wrapped));
    }

    #[tokio::test]
    async fn a_connection_that_ended_after_the_request_sent_it() {
        let (ours, mut theirs) = tokio::io::duplex(64);
        let (mut sender, connection) = handshake(TokioIo::new(ours)).await.unwrap();
        tokio::spawn(connection);
        let answer = tokio::spawn(async move { sender.send_request(request()).await });
        theirs.read_u8().await.unwrap();
        theirs.write_all(b"HTTP/1.1 20").await.unwrap();
        drop(theirs);
        let error = answer.await.unwrap().unwrap_err();
        assert!(!was_not_sent(&error), "{error:?}");
    }

    #[test]
    fn what_an_io_error_holds_is_among_the_causes() {
        let inner = io::Error::other("the cause");
        let texts =
            |error: &io::Error| -> Vec<String> { causes(error).map(ToString::to_string).collect() };
        let outer = io::Error::other(inner);
        assert_eq!(texts(&outer).last().map(String::as_str), Some("the cause"));
        assert!(texts(&outer).len() > 1);
        let deep = (0..100).fold(outer, |inner, _| io::Error::other(inner));
        assert_eq!(texts(&deep).len(), DEEPEST);
    }
}
