//! The other side of a probe: asks a running bridge whether it is well.

use bytes::Bytes;
use http::header::{HOST, USER_AGENT};
use http::{Request, StatusCode};
use http_body_util::Empty;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// Why a bridge is not well, as far as a probe can tell.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// Nobody listens there.
    #[error("cannot connect: {0}")]
    Connect(#[source] std::io::Error),
    /// Whoever listens does not answer.
    #[error("no answer: {0}")]
    Broken(#[source] hyper::Error),
    /// Host or path cannot stand in a request.
    #[error("cannot be asked: {0}")]
    Unfit(#[source] http::Error),
    /// It says that it is not.
    #[error("answered {0}")]
    Status(StatusCode),
}

/// Asks for `path` of a server without TLS. `host` may have the brackets of an IPv6 address.
///
/// # Errors
/// [`ProbeError`] unless the answer's status is a success.
pub async fn probe(host: &str, port: u16, path: &str) -> Result<(), ProbeError> {
    let plain = host.trim_matches(['[', ']']);
    let stream = TcpStream::connect((plain, port))
        .await
        .map_err(ProbeError::Connect)?;
    let (mut sender, connection) = handshake(TokioIo::new(stream))
        .await
        .map_err(ProbeError::Broken)?;
    let request = Request::get(path)
        .header(HOST, format!("{host}:{port}"))
        .header(USER_AGENT, "mcpinvoke")
        .body(Empty::<Bytes>::new())
        .map_err(ProbeError::Unfit)?;
    let answer = async {
        let answer = sender.send_request(request).await;
        match answer.map_err(ProbeError::Broken)?.status() {
            status if status.is_success() => Ok(()),
            status => Err(ProbeError::Status(status)),
        }
    };
    tokio::select! {
        answer = answer => answer,
        Err(error) = connection => Err(ProbeError::Broken(error)),
    }
}
