//! References to other hosts bring in public places alone, judged by what their names resolve to.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use url::Url;

use super::super::{Settings, Source, load};

/// Serves a schema to everybody; the port.
async fn schema_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4096]).await;
            let body = r#"{"Pet": {"type": "integer"}}"#;
            let head = format!(
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all((head + body).as_bytes()).await;
        }
    });
    port
}

#[tokio::test]
async fn a_reference_to_a_private_address_is_refused_unless_allowed() {
    let port = schema_server().await;
    for host in ["localhost", "127.0.0.1", "2130706433", "[::ffff:127.0.0.1]"] {
        let text = format!(
            r#"{{"openapi":"3.0.3","info":{{"title":"T","version":"1"}},"paths":{{"/x":{{"get":{{"parameters":[{{"name":"p","in":"query","schema":{{"$ref":"http://{host}:{port}/s.json#/Pet"}}}}],"responses":{{}}}}}}}}}}"#
        );
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let source = Source::File(file.path().to_owned());
        let origin = Url::parse(&format!("http://{host}:{port}")).unwrap();
        let settings = Settings {
            allowed_origins: vec![origin],
            ..Settings::default()
        };
        let document = load(&source, &settings).await.unwrap();
        let findings = format!("{:?}", document.findings);
        assert!(findings.contains("is private"), "{host}: {findings}");
        if host.contains("::") {
            continue;
        }
        let settings = Settings {
            allowed_networks: vec!["127.0.0.1".parse().unwrap(), "::1".parse().unwrap()],
            ..settings
        };
        let document = load(&source, &settings).await.unwrap();
        let findings = format!("{:?}", document.findings);
        assert!(
            !findings.contains("external-reference"),
            "{host}: {findings}"
        );
    }
}
