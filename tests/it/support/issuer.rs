//! An issuer of access tokens on a free port, with keys of its own. It signs whatever it is told to, so that
//! tests can make tokens no real one would.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use http::StatusCode;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};

/// A private key of the tests alone: PKCS#1 in base64.
const RSA: &str = include_str!("../../fixtures/issuer/rsa.der.b64");

/// Signs tokens, or pretends to.
pub enum Signer {
    /// ES256, with this key id.
    Curve(String, EcdsaKeyPair),
    /// RS256, with this key id.
    Rsa(String, RsaKeyPair),
    /// HS256 with these bytes and the key id of another key.
    Shared(String, Vec<u8>),
    /// No signature.
    Nothing,
}

impl Signer {
    /// A fresh key.
    pub fn curve(id: &str) -> Self {
        let random = SystemRandom::new();
        let way = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let key = EcdsaKeyPair::generate_pkcs8(way, &random).unwrap();
        let key = EcdsaKeyPair::from_pkcs8(way, key.as_ref(), &random).unwrap();
        Self::Curve(id.to_owned(), key)
    }

    /// The one RSA key.
    pub fn rsa(id: &str) -> Self {
        let text: String = RSA.split_whitespace().collect();
        let key = STANDARD.decode(text).unwrap();
        Self::Rsa(id.to_owned(), RsaKeyPair::from_der(&key).unwrap())
    }

    /// The public half as a JWK.
    pub fn jwk(&self) -> Value {
        let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        match self {
            Self::Curve(id, key) => {
                let (x, y) = key.public_key().as_ref()[1..].split_at(32);
                json!({"kty": "EC", "crv": "P-256", "use": "sig", "kid": id, "x": encode(x), "y": encode(y)})
            }
            Self::Rsa(id, key) => {
                let parts: PublicKeyComponents<Vec<u8>> = key.public().into();
                json!({"kty": "RSA", "alg": "RS256", "kid": id, "n": encode(&parts.n), "e": encode(&parts.e)})
            }
            Self::Shared(..) | Self::Nothing => json!({}),
        }
    }

    /// A token with these claims.
    pub fn token(&self, claims: &Value) -> String {
        let (algorithm, id) = match self {
            Self::Curve(id, _) => ("ES256", Some(id)),
            Self::Rsa(id, _) => ("RS256", Some(id)),
            Self::Shared(id, _) => ("HS256", Some(id)),
            Self::Nothing => ("none", None),
        };
        let mut header = json!({"typ": "at+jwt", "alg": algorithm});
        if let Some(id) = id {
            header["kid"] = json!(id);
        }
        self.token_with(&header, claims)
    }

    /// The same with a header of one's own.
    pub fn token_with(&self, header: &Value, claims: &Value) -> String {
        use hmac::{KeyInit as _, Mac as _};
        let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", encode(header), encode(claims));
        let random = SystemRandom::new();
        let signature = match self {
            Self::Curve(_, key) => key
                .sign(&random, message.as_bytes())
                .unwrap()
                .as_ref()
                .to_vec(),
            Self::Rsa(_, key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(
                    &RSA_PKCS1_SHA256,
                    &random,
                    message.as_bytes(),
                    &mut signature,
                )
                .unwrap();
                signature
            }
            Self::Shared(_, secret) => {
                let mut mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(secret).unwrap();
                mac.update(message.as_bytes());
                mac.finalize().into_bytes().to_vec()
            }
            Self::Nothing => Vec::new(),
        };
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

#[derive(Default)]
struct Shared {
    keys: Mutex<Vec<Value>>,
    broken: Mutex<bool>,
    seen: Mutex<Vec<String>>,
}

/// The running issuer; ends with the test's runtime.
#[derive(Clone)]
pub struct Issuer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Issuer {
    /// Publishes the keys of these signers.
    pub async fn start(signers: &[&Signer]) -> Self {
        let shared = Arc::new(Shared::default());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = (format!("http://{address}"), shared.clone());
        let app = Router::new().fallback(answer).with_state(state);
        tokio::spawn(async move { axum::serve(listener, app).await });
        let issuer = Self { address, shared };
        issuer.publish(signers);
        issuer
    }

    /// Publishes these keys instead.
    pub fn publish(&self, signers: &[&Signer]) {
        *self.shared.keys.lock().unwrap() = signers.iter().map(|signer| signer.jwk()).collect();
    }

    /// Answers 503 from now on, or no more.
    pub fn break_down(&self, broken: bool) {
        *self.shared.broken.lock().unwrap() = broken;
    }

    /// Its identifier.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How often its keys were asked for.
    pub fn fetches(&self) -> usize {
        let seen = self.shared.seen.lock().unwrap();
        seen.iter().filter(|path| *path == "/jwks").count()
    }

    /// Claims of a token that is good for an hour; `more` is laid over them, null takes away.
    pub fn claims(&self, audience: &str, more: &Value) -> Value {
        let mut claims = json!({
            "iss": self.url(), "aud": audience, "sub": "ann", "client_id": "tests",
            "iat": now(), "exp": now() + 3600, "scope": "",
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            if value.is_null() {
                claims.as_object_mut().unwrap().shift_remove(name);
            } else {
                claims[name] = value.clone();
            }
        }
        claims
    }
}

/// Seconds since the epoch.
pub fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.unwrap().as_secs()
}

async fn answer(State((url, shared)): State<(String, Arc<Shared>)>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    shared.seen.lock().unwrap().push(path.clone());
    let broken = *shared.broken.lock().unwrap();
    let body = match path.as_str() {
        _ if broken => return StatusCode::SERVICE_UNAVAILABLE.into_response(),
        // As an OpenID provider that knows nothing of RFC 8414.
        "/.well-known/openid-configuration" => {
            json!({"issuer": url, "jwks_uri": format!("{url}/jwks")})
        }
        "/jwks" => json!({"keys": *shared.keys.lock().unwrap()}),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    body.to_string().into_response()
}
