//! What will be done, as plain data that a test compares with `==`.

use ::http::{HeaderMap, Method};
use bytes::Bytes;
use url::Url;

/// A request as it will be sent, credentials excepted.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpPlan {
    /// The request method.
    pub method: Method,
    /// The whole URL, query included, in its wire spelling.
    pub url: Url,
    /// Every header the plan sets, `Accept` and `Content-Type` included.
    pub headers: HeaderMap,
    /// The body's bytes; `None` where there is no body at all.
    pub body: Option<Bytes>,
}
