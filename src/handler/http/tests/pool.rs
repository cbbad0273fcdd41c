//! Connections: kept where an answer was read whole, never where that cannot be known.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_compression::tokio::write::{BrotliEncoder, GzipEncoder, ZstdEncoder};
use futures_util::future::join_all;

use super::*;

/// A server that answers every request with these bytes, and closes after `most` of them; gives the base
/// URL and how many connections there were.
async fn counting(answer: Vec<u8>, most: usize) -> (Url, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            let answer = answer.clone();
            tokio::spawn(async move {
                for _ in 0..most {
                    if request(&mut stream).await.is_empty() {
                        return;
                    }
                    let _ = stream.write_all(&answer).await;
                }
            });
        }
    });
    (url, connections)
}

fn chunked(coding: &str, body: &[u8]) -> Vec<u8> {
    let mut answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n",
        body.len()
    )
    .into_bytes();
    answer.extend_from_slice(body);
    answer.extend_from_slice(b"\r\n0\r\n\r\n");
    answer
}

async fn packed(coding: &str) -> Vec<u8> {
    macro_rules! with {
        ($encoder:ident) => {{
            let mut encoder = $encoder::new(Vec::new());
            encoder.write_all(b"hello").await.unwrap();
            encoder.shutdown().await.unwrap();
            encoder.into_inner()
        }};
    }
    match coding {
        "gzip" => with!(GzipEncoder),
        "br" => with!(BrotliEncoder),
        "zstd" => with!(ZstdEncoder),
        _ => b"hello".to_vec(),
    }
}

/// Until so many connections can be used again: they come back beside the call.
async fn kept(handler: &HttpHandler, count: usize) {
    for _ in 0..2000 {
        if handler.clients.plain.idle() == count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{} idle, not {count}", handler.clients.plain.idle());
}

#[tokio::test]
async fn an_answer_in_any_coding_leaves_its_connection() {
    for coding in ["gzip", "br", "zstd", "unknown"] {
        let answer = chunked(coding, &packed(coding).await);
        let (url, connections) = counting(answer, usize::MAX).await;
        let handler = handler(10_000, 1000);
        for _ in 0..3 {
            let reply = handler.send(get(url.clone()), &NoProgress).await.unwrap();
            assert_eq!(reply.body.as_ref(), b"hello", "{coding}");
            kept(&handler, 1).await;
        }
        assert_eq!(connections.load(Ordering::SeqCst), 1, "{coding}");
    }
}

#[tokio::test]
async fn calls_at_the_same_time_have_a_connection_each_and_leave_it() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_vec();
    let (url, connections) = counting(answer, usize::MAX).await;
    let handler = handler(10_000, 1000);
    for _ in 0..3 {
        let calls = (0..10).map(|_| handler.send(get(url.clone()), &NoProgress));
        for reply in join_all(calls).await {
            assert_eq!(reply.unwrap().body.as_ref(), b"ok");
        }
        kept(&handler, 10).await;
        assert_eq!(connections.load(Ordering::SeqCst), 10);
    }
}

#[tokio::test]
async fn what_the_service_closed_is_not_used_again() {
    for answer in [
        &b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"[..],
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.0 200 OK\r\n\r\nok",
    ] {
        let (url, connections) = counting(answer.to_vec(), 1).await;
        let handler = handler(10_000, 1000);
        for call in 1..=3 {
            let reply = handler.send(get(url.clone()), &NoProgress).await.unwrap();
            assert_eq!(reply.body.as_ref(), b"ok");
            assert_eq!(connections.load(Ordering::SeqCst), call);
            kept(&handler, 0).await;
        }
    }
}

#[tokio::test]
async fn an_answer_that_was_cut_takes_its_connection_with_it() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n".to_vec();
    let answer = [answer, vec![b'x'; 2000]].concat();
    let (url, connections) = counting(answer, usize::MAX).await;
    let handler = handler(10_000, 1000);
    for call in 1..=3 {
        let reply = handler.send(get(url.clone()), &NoProgress).await.unwrap();
        assert_eq!(reply.body.len(), 1000);
        assert_eq!(connections.load(Ordering::SeqCst), call);
    }
}
