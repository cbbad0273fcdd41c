//! Progress, and streams that are gathered.

use parking_lot::Mutex;

use super::*;

#[derive(Debug, Default)]
struct Recorder(Mutex<Vec<(u64, Option<u64>, String)>>);

impl Progress for Recorder {
    fn wanted(&self) -> bool {
        true
    }

    fn report(&self, done: u64, total: Option<u64>, message: &str) {
        self.0.lock().push((done, total, message.to_owned()));
    }
}

#[tokio::test]
async fn progress_tells_sending_headers_and_bytes() {
    let (url, _server) = fixed(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello").await;
    let recorder = Recorder::default();
    handler(10_000, 1000)
        .send(get(url), &recorder)
        .await
        .unwrap();
    let reports = recorder.0.lock().clone();
    let expected = [
        (1, None, "request sent"),
        (2, Some(7), "the service answers with 200"),
        (7, Some(7), "received 5 of 5 bytes"),
    ];
    assert_eq!(
        reports,
        expected.map(|(done, total, message)| (done, total, message.to_owned()))
    );
}

#[tokio::test]
async fn a_stream_without_end_is_its_beginning() {
    for (tail, by) in [
        (&b""[..], CutBy::Time(Duration::from_millis(100))),
        (b"zz\r\n", CutBy::Break),
    ] {
        let (url, _server) = serve(move |mut stream| async move {
            request(&mut stream).await;
            let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
            let _ = stream.write_all(head).await;
            let _ = stream.write_all(b"9\r\ndata: 1\n\n\r\n").await;
            // The second round must not overtake the first one on its way into the body.
            tokio::time::sleep(Duration::from_millis(20)).await;
            let _ = stream.write_all(tail).await;
            if tail.is_empty() {
                std::future::pending::<()>().await;
            }
        })
        .await;
        let handler = HttpHandler::new(&Settings {
            timeout: Duration::from_secs(10),
            stream_timeout: matches!(by, CutBy::Time(_)).then_some(Duration::from_millis(100)),
            ..Settings::default()
        })
        .unwrap();
        let recorder = Recorder::default();
        let reply = handler.send(get(url), &recorder).await.unwrap();
        assert_eq!(reply.body.as_ref(), b"data: 1\n\n");
        let announced = None;
        assert_eq!(reply.cut, Some(Cut { by, announced }));
        let reports = recorder.0.lock().clone();
        assert_eq!(reports[2..], [(3, None, "event 1".to_owned())]);
    }
}
