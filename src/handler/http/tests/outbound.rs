//! Names are resolved once for each connection, and what was judged is what is connected to.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::outbound::{Guard, Reach};

/// A guard that lets 127.0.0.1 pass alone, and a name that is there the first time and at 127.0.0.2 afterwards,
/// as a host that wants to be reached where it may not be would answer.
fn rebinding() -> (Guard, Arc<AtomicUsize>) {
    let looked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&looked);
    let guard = Guard::new(Reach::Public, &["127.0.0.1".parse().unwrap()]).told(move |name| {
        assert_eq!(name, "moving.test");
        let place: &str = match counted.fetch_add(1, Ordering::SeqCst) {
            0 => "127.0.0.1",
            _ => "127.0.0.2",
        };
        vec![place.parse::<IpAddr>().unwrap()]
    });
    (guard, looked)
}

/// Serves every connection on all loopback addresses; counts them.
async fn everywhere() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            request(&mut stream).await;
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                .await;
        }
    });
    (port, connections)
}

#[tokio::test]
async fn a_name_cannot_move_between_judgement_and_connection() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (port, connections) = everywhere().await;
    let url = Url::parse(&format!("http://moving.test:{port}/")).unwrap();
    let (guard, looked) = rebinding();
    let clients = Clients::new(&Settings::default(), &guard).unwrap();
    let first = clients.execute(Box::new(get(url.clone()))).await;
    assert_eq!(
        first.map(|response| response.status).ok(),
        Some(StatusCode::OK)
    );
    assert_eq!(
        looked.load(Ordering::SeqCst),
        1,
        "there is no second look-up"
    );
    let second = clients.execute(Box::new(get(url.clone()))).await;
    assert!(matches!(second, Err(HandleError::Forbidden(_))));
    // The other client, which TLS and tokens take.
    let (guard, looked) = rebinding();
    let clients = Clients::new(&Settings::default(), &guard).unwrap();
    assert!(clients.full.current().get(url.clone()).send().await.is_ok());
    assert_eq!(looked.load(Ordering::SeqCst), 1);
    assert!(clients.full.current().get(url).send().await.is_err());
    assert_eq!(connections.load(Ordering::SeqCst), 2);
}
