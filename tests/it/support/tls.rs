//! Certificates made on the spot, and an HTTPS service that shows and demands them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsAcceptor;

/// An authority that exists for one test.
pub struct Authority {
    certificate: rcgen::Certificate,
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate of an authority and its key.
pub struct Identity {
    certificate: rcgen::Certificate,
    key: KeyPair,
}

impl Authority {
    pub fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut parameters = CertificateParams::new(Vec::<String>::new()).unwrap();
        // Two of one name would be one authority with a wrong signature.
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("authority {}", NUMBER.fetch_add(1, Ordering::SeqCst));
        parameters.distinguished_name.push(DnType::CommonName, name);
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = parameters.self_signed(&key).unwrap();
        Self {
            certificate,
            issuer: Issuer::new(parameters, key),
        }
    }

    pub fn pem(&self) -> String {
        self.certificate.pem()
    }

    /// For this host name or address.
    pub fn issue(&self, name: &str) -> Identity {
        self.signed(&CertificateParams::new([name.to_owned()]).unwrap())
    }

    /// The same, of a time long past.
    pub fn issue_expired(&self, name: &str) -> Identity {
        let mut parameters = CertificateParams::new([name.to_owned()]).unwrap();
        parameters.not_before = date_time_ymd(2001, 1, 1);
        parameters.not_after = date_time_ymd(2002, 1, 1);
        self.signed(&parameters)
    }

    fn signed(&self, parameters: &CertificateParams) -> Identity {
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.signed_by(&key, &self.issuer).unwrap();
        Identity { certificate, key }
    }
}

impl Identity {
    pub fn pem(&self) -> String {
        self.certificate.pem()
    }

    pub fn key_pem(&self) -> String {
        self.key.serialize_pem()
    }
}

/// Answers one thing to everything over TLS.
pub struct TlsUpstream {
    address: SocketAddr,
    served: Arc<AtomicUsize>,
}

impl TlsUpstream {
    /// Answers `{"ok":true}`.
    pub async fn start(identity: &Identity, clients: Option<&Authority>) -> Self {
        Self::answering(identity, clients, r#"{"ok":true}"#).await
    }

    /// Answers this JSON text.
    pub async fn answering(
        identity: &Identity,
        clients: Option<&Authority>,
        body: &'static str,
    ) -> Self {
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        Self::sending(identity, clients, answer.into_bytes()).await
    }

    /// Shows `identity`, demands a certificate of `clients` where there is one, and answers these bytes, head and
    /// all.
    pub async fn sending(
        identity: &Identity,
        clients: Option<&Authority>,
        answer: Vec<u8>,
    ) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = match clients {
            None => ServerConfig::builder().with_no_client_auth(),
            Some(authority) => {
                let mut roots = RootCertStore::empty();
                roots.add(authority.certificate.der().clone()).unwrap();
                let verifier = WebPkiClientVerifier::builder(roots.into()).build().unwrap();
                ServerConfig::builder().with_client_cert_verifier(verifier)
            }
        };
        let chain: Vec<CertificateDer<'static>> = vec![identity.certificate.der().clone()];
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(identity.key.serialize_der()));
        let config = builder.with_single_cert(chain, key).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let served = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&served);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, count) = (acceptor.clone(), Arc::clone(&count));
                let answer = answer.clone();
                tokio::spawn(async move {
                    let mut stream = match acceptor.accept(stream).into_fallible().await {
                        Ok(stream) => stream,
                        Err((_, mut stream)) => {
                            // A connection that is closed before all of it was read takes the alert with it.
                            let _ = stream.shutdown().await;
                            let _ = stream.read_to_end(&mut Vec::new()).await;
                            return;
                        }
                    };
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") {
                        match stream.read_u8().await {
                            Ok(byte) => head.push(byte),
                            Err(_) => return,
                        }
                    }
                    count.fetch_add(1, Ordering::SeqCst);
                    let _ = stream.write_all(&answer).await;
                    let _ = stream.shutdown().await;
                });
            }
        });
        Self { address, served }
    }

    /// `https://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// Requests that got through.
    pub fn served(&self) -> usize {
        self.served.load(Ordering::SeqCst)
    }
}
