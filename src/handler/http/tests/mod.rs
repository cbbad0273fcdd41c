//! Against small servers on the loopback that answer as badly as servers can.

mod outbound;
mod pool;
mod progress;

use ::http::{HeaderMap, Method, StatusCode};
use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use url::Url;

use super::*;
use crate::tool::NoProgress;

/// Serves one connection at a time with `answer`; gives the base URL.
async fn serve<F, R>(answer: F) -> (Url, JoinHandle<()>)
where
    F: Fn(TcpStream) -> R + Send + 'static,
    R: Future<Output = ()> + Send,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            answer(stream).await;
        }
    });
    let url = Url::parse(&format!("http://{address}/a?b=c")).unwrap();
    (url, server)
}

/// Reads one request, head and announced body.
async fn request(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = stream.read(&mut buffer).await.unwrap_or(0);
        text.extend_from_slice(&buffer[..count]);
        let seen = String::from_utf8_lossy(&text).into_owned();
        let head = seen.split("\r\n\r\n").next().unwrap_or_default();
        let length: usize = head
            .lines()
            .find_map(|line| {
                line.to_ascii_lowercase()
                    .strip_prefix("content-length:")?
                    .trim()
                    .parse()
                    .ok()
            })
            .unwrap_or(0);
        let complete = seen.len() >= head.len() + 4 + length && seen.contains("\r\n\r\n");
        if complete || count == 0 {
            return seen;
        }
    }
}

/// A server that answers every connection's first request with these bytes and closes.
async fn fixed(answer: &'static [u8]) -> (Url, JoinHandle<()>) {
    serve(move |mut stream| async move {
        request(&mut stream).await;
        let _ = stream.write_all(answer).await;
        let _ = stream.shutdown().await;
    })
    .await
}

fn handler(timeout_ms: u64, max_reply_bytes: u64) -> HttpHandler {
    HttpHandler::new(&Settings {
        connect_timeout: Duration::from_secs(5),
        timeout: Duration::from_millis(timeout_ms),
        max_reply_bytes,
        stream_timeout: None,
        ..Settings::default()
    })
    .unwrap()
}

fn get(url: Url) -> HttpPlan {
    HttpPlan {
        method: Method::GET,
        url,
        headers: HeaderMap::new(),
        body: None,
    }
}

#[tokio::test]
async fn what_the_plan_says_is_what_is_sent() {
    let (url, _server) = serve(|mut stream| async move {
        let seen = request(&mut stream).await;
        let answer = format!(
            "HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: {}\r\n\r\n{seen}",
            seen.len()
        );
        stream.write_all(answer.as_bytes()).await.unwrap();
    })
    .await;
    let mut headers = HeaderMap::new();
    headers.insert("accept", "application/json".parse().unwrap());
    headers.insert("content-type", "text/plain".parse().unwrap());
    headers.insert("x-own", "a, \"b\"".parse().unwrap());
    let plan = HttpPlan {
        method: Method::from_bytes(b"QUERY").unwrap(),
        url: url.join("/p/a%2Fb?x=%5B1%5D&y=a,b|c'").unwrap(),
        headers,
        body: Some(Bytes::from_static(b"hello")),
    };
    let reply = handler(10_000, 1 << 20)
        .send(plan, &NoProgress)
        .await
        .unwrap();
    assert_eq!((reply.status, reply.cut), (StatusCode::OK, None));
    assert_eq!(reply.headers["x-a"], "1");
    let seen = String::from_utf8(reply.body.to_vec()).unwrap();
    assert!(
        seen.starts_with("QUERY /p/a%2Fb?x=%5B1%5D&y=a,b|c%27 HTTP/1.1\r\n"),
        "{seen}"
    );
    assert!(seen.contains("\r\nx-own: a, \"b\"\r\n"), "{seen}");
    assert!(seen.contains("\r\naccept: application/json\r\n"), "{seen}");
    assert!(seen.contains("\r\ncontent-length: 5\r\n"), "{seen}");
    assert!(seen.ends_with("\r\n\r\nhello"), "{seen}");
    assert!(seen.contains("\r\nuser-agent: mcpinvoke/"), "{seen}");
}

#[tokio::test]
async fn a_redirect_is_an_answer() {
    let (url, _server) =
        fixed(b"HTTP/1.1 302 Found\r\nLocation: /else\r\nContent-Length: 0\r\n\r\n").await;
    let reply = handler(10_000, 100)
        .send(get(url), &NoProgress)
        .await
        .unwrap();
    assert_eq!(reply.status, StatusCode::FOUND);
    assert_eq!(reply.headers["location"], "/else");
}

#[tokio::test]
async fn a_stream_without_end_is_cut_at_the_limit() {
    let (url, _server) = serve(|mut stream| async move {
        request(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        while stream.write_all(&[b'x'; 1000]).await.is_ok() {}
    })
    .await;
    let reply = handler(10_000, 70_001)
        .send(get(url), &NoProgress)
        .await
        .unwrap();
    assert_eq!(reply.body.len(), 70_001);
    assert_eq!(
        reply.cut,
        Some(Cut {
            by: CutBy::Length(70_001),
            announced: None
        })
    );
}

#[tokio::test]
async fn a_body_as_long_as_the_limit_is_whole_and_one_byte_more_is_cut() {
    let (url, _server) = fixed(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello").await;
    let whole = handler(10_000, 5)
        .send(get(url.clone()), &NoProgress)
        .await
        .unwrap();
    assert_eq!((whole.body.as_ref(), whole.cut), (&b"hello"[..], None));
    let short = handler(10_000, 4)
        .send(get(url), &NoProgress)
        .await
        .unwrap();
    assert_eq!(short.body.as_ref(), b"hell");
    assert_eq!(
        short.cut,
        Some(Cut {
            by: CutBy::Length(4),
            announced: Some(5)
        })
    );
}

#[tokio::test]
async fn what_is_unpacked_is_cut_too() {
    // 16 KiB of `x`, gzipped by an encoder that is not ours.
    const PACKED: &str = "H4sIAAAAAAACA+3BMQEAAADCoNqLbwwfoAAAAAAAAAAAAAAAAAAAAIC3AZF43noAQAAA";
    let packed =
        base64::Engine::decode(&base64::engine::general_purpose::STANDARD, PACKED).unwrap();
    let (url, _server) = serve(move |mut stream| {
        let packed = packed.clone();
        async move {
            request(&mut stream).await;
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
                packed.len()
            );
            let _ = stream.write_all(head.as_bytes()).await;
            let _ = stream.write_all(&packed).await;
        }
    })
    .await;
    let cut = handler(10_000, 1000)
        .send(get(url.clone()), &NoProgress)
        .await
        .unwrap();
    assert_eq!(cut.body.len(), 1000);
    assert_eq!(
        cut.cut,
        Some(Cut {
            by: CutBy::Length(1000),
            announced: None
        })
    );
    let whole = handler(10_000, 1 << 20)
        .send(get(url), &NoProgress)
        .await
        .unwrap();
    assert_eq!((whole.body.len(), whole.cut), (16_384, None));
    assert!(!whole.headers.contains_key("content-encoding"));
}

#[tokio::test]
async fn answers_that_break_off_are_broken() {
    let answers: [&[u8]; 6] = [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
        b"SSH-2.0-OpenSSH_9.6\r\n",
    ];
    for answer in answers {
        let (url, _server) = fixed(answer).await;
        let error = handler(10_000, 1000)
            .send(get(url), &NoProgress)
            .await
            .unwrap_err();
        assert!(
            matches!(error, HandleError::Broken(_)),
            "{error:?} for {answer:?}"
        );
        assert!(!error.to_string().contains("127.0.0.1"));
    }
}

#[tokio::test]
async fn a_failure_whose_body_breaks_off_is_still_one() {
    let answers: [(&[u8], &[u8]); 3] = [
        (
            b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 10\r\n\r\nhello",
            b"hello",
        ),
        (
            b"HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"",
        ),
        (
            b"HTTP/1.1 502 Bad Gateway\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
            b"",
        ),
    ];
    for (answer, body) in answers {
        let (url, _server) = fixed(answer).await;
        let reply = handler(10_000, 1000).send(get(url), &NoProgress).await;
        let reply = reply.unwrap();
        assert!(!reply.status.is_success());
        assert_eq!(reply.body, body);
        assert_eq!(reply.cut.map(|cut| cut.by), Some(CutBy::Break));
    }
}

#[tokio::test]
async fn a_reset_connection_is_broken() {
    let (url, _server) = serve(|mut stream| async move {
        // Closing with unread data resets.
        let _ = stream.read(&mut [0; 1]).await;
        drop(stream);
    })
    .await;
    let error = handler(10_000, 1000)
        .send(get(url), &NoProgress)
        .await
        .unwrap_err();
    assert!(matches!(error, HandleError::Broken(_)), "{error:?}");
}

#[tokio::test]
async fn a_closed_port_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let error = handler(10_000, 1000)
        .send(get(Url::parse(&url).unwrap()), &NoProgress)
        .await
        .unwrap_err();
    assert!(matches!(error, HandleError::Connect(_)), "{error:?}");
    assert_eq!(error.to_string(), "the service could not be reached");
}

#[tokio::test]
async fn silence_before_and_within_the_answer_meets_the_deadline() {
    for head in [
        &b""[..],
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhell",
    ] {
        let (url, _server) = serve(move |mut stream| async move {
            request(&mut stream).await;
            let _ = stream.write_all(head).await;
            std::future::pending::<()>().await;
        })
        .await;
        let error = handler(100, 1000)
            .send(get(url), &NoProgress)
            .await
            .unwrap_err();
        assert!(matches!(error, HandleError::Timeout(_)), "{error:?}");
    }
}

#[tokio::test]
async fn dropping_the_call_closes_the_connection() {
    let (closed, mut is_closed) = tokio::sync::mpsc::channel(1);
    let (url, _server) = serve(move |mut stream| {
        let closed = closed.clone();
        async move {
            request(&mut stream).await;
            let _ = closed.send(()).await;
            let _ = stream.read(&mut [0; 1]).await;
            let _ = closed.send(()).await;
        }
    })
    .await;
    let call = tokio::spawn(async move { handler(60_000, 1000).send(get(url), &NoProgress).await });
    is_closed.recv().await.unwrap();
    call.abort();
    is_closed.recv().await.unwrap();
}

#[tokio::test]
async fn connections_are_kept_for_the_next_call() {
    let (url, server) = serve(|mut stream| async move {
        for _ in 0..2 {
            request(&mut stream).await;
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                .await;
        }
        // A second connection would never be accepted.
        std::future::pending::<()>().await;
    })
    .await;
    let handler = handler(10_000, 1000);
    for _ in 0..2 {
        let reply = handler.send(get(url.clone()), &NoProgress).await.unwrap();
        assert_eq!(reply.body.as_ref(), b"ok");
    }
    server.abort();
}
