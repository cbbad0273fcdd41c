//! What came back, not yet understood.

use std::time::Duration;

use ::http::{HeaderMap, StatusCode};
use bytes::Bytes;

/// An upstream's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpReply {
    /// The status.
    pub status: StatusCode,
    /// All headers, content codings already undone.
    pub headers: HeaderMap,
    /// The body, at most as long as the limit.
    pub body: Bytes,
    /// Set when the body is not all there was.
    pub cut: Option<Cut>,
}

/// A body that was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// What ended it.
    pub by: CutBy,
    /// The whole length as the upstream announced it, if it did.
    pub announced: Option<u64>,
}

/// What ends a body before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutBy {
    /// The limit, in bytes.
    Length(u64),
    /// The time for which a stream is gathered.
    Time(Duration),
    /// The upstream, which broke the connection within a stream or within what it says of a failure.
    Break,
}

/// Why no answer came. The text is for the caller and names no internals.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum HandleError {
    #[error("the service could not be reached")]
    Connect(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("the service gave no answer within {} s", .0.as_secs_f32())]
    Timeout(Duration),
    #[error("the service broke the connection before its answer was complete")]
    Broken(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("the credentials for the service could not be obtained")]
    Credentials(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error(
        "the service is called on behalf of its caller, and this one showed no access token of its own"
    )]
    NoSubject,
    #[error("the service's certificate is not trusted: {0}")]
    Certificate(
        &'static str,
        #[source] Box<dyn std::error::Error + Send + Sync>,
    ),
    #[error("the service does not take the certificate that this server showed, or wants one")]
    Identity(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("requests may not go there")]
    Forbidden(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("the request could not be sent")]
    Request(#[source] Box<dyn std::error::Error + Send + Sync>),
}
