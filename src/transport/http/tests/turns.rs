//! How often a connection's task has its turn: each looks at all that waits for an answer.

use std::convert::Infallible;
use std::future::{pending, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::yield_now;

use super::super::listen::builder;
use super::super::respond;
use super::writes::Told;
use super::*;
use crate::wakes::{self, Pieces};

#[tokio::test]
async fn a_request_whose_body_is_read_leaves_its_connection_alone() {
    let (read, mut bodies) = unbounded_channel();
    let service = service_fn(move |request: Request<Incoming>| {
        let read = read.clone();
        async move {
            let body = Pieces(request.into_body()).collect().await.unwrap();
            read.send(body.to_bytes()).unwrap();
            pending::<()>().await;
            Ok::<_, Infallible>(respond::empty(StatusCode::OK))
        }
    });
    let (stream, _writes) =
        Told::bringing(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello");
    let builder = builder(Duration::from_secs(60));
    let mut connection = Box::pin(builder.serve_connection(TokioIo::new(stream), service));
    let turns = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&turns);
    let counted = poll_fn(move |context| {
        count.fetch_add(1, Ordering::SeqCst);
        Pin::new(&mut connection).poll(context)
    });
    let task = tokio::spawn(wakes::reading(counted));
    assert_eq!(bodies.recv().await.unwrap(), "hello");
    for _ in 0..20 {
        yield_now().await;
    }
    assert_eq!(turns.load(Ordering::SeqCst), 1);
    task.abort();
}
