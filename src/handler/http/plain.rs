//! The short way to a neighbour over plain HTTP: no TLS, no redirects, nothing between the call and the
//! connection pool. A bridge beside its service makes every call this way, and the layers of the full
//! client were a fifth of a call's cost.

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use ::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, HOST, USER_AGENT};
use ::http::{HeaderMap, HeaderValue, Request, StatusCode, Uri, Version};
use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, TryStreamExt};
use http_body_util::{BodyDataStream, BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::io::AsyncRead;
use tokio_util::io::{ReaderStream, StreamReader};
use tower::Service;
use url::Url;

use super::{IDLE, MOST_HEADER_BYTES, fault};
use crate::binding::HttpPlan;
use crate::handler::HandleError;
use crate::outbound::Guard;

const AGENT: HeaderValue =
    HeaderValue::from_static(concat!("mcpinvoke/", env!("CARGO_PKG_VERSION")));
const CODINGS: HeaderValue = HeaderValue::from_static("gzip, br, zstd, deflate");

/// A pool of connections to plain-HTTP services.
#[derive(Debug)]
pub(super) struct PlainClient {
    client: Client<HttpConnector<Names>, Full<Bytes>>,
}

/// Resolves names to addresses that may be connected to.
#[derive(Debug, Clone)]
struct Names(Guard);

impl Service<Name> for Names {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, io::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), io::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let guard = self.0.clone();
        Box::pin(async move { Ok(guard.resolve(name.as_str()).await?.into_iter()) })
    }
}

/// An answer whose body is still to be read.
pub(super) struct PlainResponse {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    body: Body,
}

enum Body {
    Raw(Incoming),
    Decoded(Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>),
}

/// Whether a request to this URL can go the short way.
pub(super) fn reaches(url: &Url) -> bool {
    url.scheme() == "http"
}

impl PlainClient {
    pub(super) fn new(connect_timeout: Duration, guard: Guard) -> Self {
        let mut connector = HttpConnector::new_with_resolver(Names(guard));
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(connect_timeout));
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(usize::MAX)
            .http1_max_buf_size(MOST_HEADER_BYTES as usize)
            .build(connector);
        Self { client }
    }

    /// Sends the plan.
    ///
    /// # Errors
    /// [`HandleError`] when no answer came.
    pub(super) async fn send(&self, plan: HttpPlan) -> Result<PlainResponse, HandleError> {
        let request = request(plan)?;
        let response = self.client.request(request).await.map_err(|error| {
            let otherwise = if error.is_connect() {
                HandleError::Connect
            } else {
                HandleError::Broken
            };
            fault::classify(error, otherwise)
        })?;
        let (parts, body) = response.into_parts();
        let mut headers = parts.headers;
        let body = body_of(&mut headers, body);
        Ok(PlainResponse {
            status: parts.status,
            headers,
            body,
        })
    }
}

impl PlainResponse {
    /// The next piece of the body, content codings undone.
    ///
    /// # Errors
    /// [`HandleError::Broken`] when the body ends before it is complete.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, HandleError> {
        match &mut self.body {
            Body::Decoded(stream) => stream.next().await.transpose().map_err(broken),
            Body::Raw(body) => loop {
                let Some(frame) = body.frame().await else {
                    return Ok(None);
                };
                if let Ok(data) = frame.map_err(broken)?.into_data() {
                    return Ok(Some(data));
                }
            },
        }
    }
}

fn request(plan: HttpPlan) -> Result<Request<Full<Bytes>>, HandleError> {
    let uri: Uri = plan
        .url
        .as_str()
        .parse()
        .map_err(|error: ::http::uri::InvalidUri| HandleError::Request(error.into()))?;
    let mut request = Request::new(Full::new(plan.body.unwrap_or_default()));
    *request.version_mut() = Version::HTTP_11;
    *request.method_mut() = plan.method;
    *request.headers_mut() = plan.headers;
    let headers = request.headers_mut();
    headers.entry(USER_AGENT).or_insert(AGENT);
    headers.entry(ACCEPT_ENCODING).or_insert(CODINGS);
    // The connection pool writes it from the address.
    headers.remove(HOST);
    *request.uri_mut() = uri;
    Ok(request)
}

/// A body without its content coding (RFC 9110, section 8.4); one in an unknown coding stays as it is.
fn body_of(headers: &mut HeaderMap, body: Incoming) -> Body {
    let coding = headers
        .get(CONTENT_ENCODING)
        .and_then(|value| value.to_str().ok());
    let Some(coding) = coding.map(|text| text.trim().to_ascii_lowercase()) else {
        return Body::Raw(body);
    };
    let reader = StreamReader::new(BodyDataStream::new(body).map_err(io::Error::other));
    let stream = match coding.as_str() {
        "gzip" | "x-gzip" => {
            let mut decoder = GzipDecoder::new(reader);
            decoder.multiple_members(true);
            chunks(decoder)
        }
        "deflate" => chunks(ZlibDecoder::new(reader)),
        "br" => chunks(BrotliDecoder::new(reader)),
        "zstd" => chunks(ZstdDecoder::new(reader)),
        _ => return Body::Decoded(chunks(reader)),
    };
    headers.remove(CONTENT_ENCODING);
    headers.remove(CONTENT_LENGTH);
    Body::Decoded(stream)
}

fn chunks(
    reader: impl AsyncRead + Send + 'static,
) -> Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>> {
    Box::pin(ReaderStream::new(reader))
}

fn broken(error: impl Error + Send + Sync + 'static) -> HandleError {
    HandleError::Broken(Box::new(error))
}
