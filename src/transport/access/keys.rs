//! The public keys of an issuer (RFC 7517), as far as they can verify tokens.

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize as _;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Keys of one issuer that are looked at.
const MOST: usize = 100;
/// Keys that are tried for a token that names none.
const MOST_TRIED: usize = 8;

/// One generation of an issuer's keys.
#[derive(Debug)]
pub(super) struct Keys {
    pub(super) generation: u64,
    /// The SHA-256 of the set as it was read.
    digest: [u8; 32],
    list: Vec<PublicKey>,
}

#[derive(Debug)]
struct PublicKey {
    id: Option<String>,
    /// The algorithms it can be used for.
    algorithms: Vec<Algorithm>,
    key: DecodingKey,
}

impl Keys {
    /// Reads a JWK set. What is no public key for signatures is left out.
    ///
    /// # Errors
    /// A sentence when nothing is left.
    pub(super) fn read(text: &[u8], generation: u64) -> Result<Self, String> {
        let set: Value = crate::tree::read_bytes(text).map_err(|_| "no JSON".to_owned())?;
        let all = set.get("keys").and_then(Value::as_array);
        let all = all.ok_or_else(|| "no JWK set: `keys` is missing".to_owned())?;
        let list: Vec<PublicKey> = all.iter().take(MOST).filter_map(PublicKey::read).collect();
        if list.is_empty() {
            return Err("a JWK set without a key for signatures".to_owned());
        }
        Ok(Self {
            generation,
            digest: Sha256::digest(text).into(),
            list,
        })
    }

    /// Whether these are the very same.
    pub(super) fn same(&self, other: &Self) -> bool {
        self.digest == other.digest
    }

    /// The keys a token may be signed with, by what its header says.
    pub(super) fn fitting(&self, id: Option<&str>, algorithm: Algorithm) -> Vec<&DecodingKey> {
        let fits = |key: &&PublicKey| {
            let named = match (id, &key.id) {
                (Some(id), Some(own)) => id == own,
                _ => true,
            };
            named && key.algorithms.contains(&algorithm)
        };
        let fitting = self.list.iter().filter(fits);
        fitting.take(MOST_TRIED).map(|key| &key.key).collect()
    }
}

impl PublicKey {
    fn read(value: &Value) -> Option<Self> {
        let jwk = Jwk::deserialize(value).ok()?;
        let signs = matches!(
            jwk.common.public_key_use,
            None | Some(PublicKeyUse::Signature)
        );
        let mut algorithms = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => vec![
                Algorithm::RS256,
                Algorithm::RS384,
                Algorithm::RS512,
                Algorithm::PS256,
                Algorithm::PS384,
                Algorithm::PS512,
            ],
            AlgorithmParameters::EllipticCurve(key) => match key.curve {
                EllipticCurve::P256 => vec![Algorithm::ES256],
                EllipticCurve::P384 => vec![Algorithm::ES384],
                _ => Vec::new(),
            },
            AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
                vec![Algorithm::EdDSA]
            }
            // A shared secret among public keys is nobody's key.
            _ => Vec::new(),
        };
        if let Some(only) = value.get("alg").and_then(Value::as_str) {
            algorithms.retain(|algorithm| format!("{algorithm:?}") == only);
        }
        if !signs || algorithms.is_empty() {
            return None;
        }
        Some(Self {
            key: DecodingKey::from_jwk(&jwk).ok()?,
            id: jwk.common.key_id,
            algorithms,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn curve(id: Option<&str>, more: &Value) -> Value {
        let mut key = json!({
            "kty": "EC", "crv": "P-256",
            "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        });
        if let Some(id) = id {
            key["kid"] = json!(id);
        }
        for (name, value) in more.as_object().into_iter().flatten() {
            key[name] = value.clone();
        }
        key
    }

    fn read(keys: &Value) -> Result<Keys, String> {
        Keys::read(json!({ "keys": keys }).to_string().as_bytes(), 1)
    }

    #[test]
    fn keys_are_found_by_id_and_algorithm() {
        let rsa =
            json!({"kty": "RSA", "kid": "r", "n": "AQAB", "e": "AQAB", "alg": "PS256", "nbf": 1});
        let odd = json!({"kty": "XYZ", "kid": "x"});
        let keys = read(&json!([curve(Some("a"), &json!({})), rsa, odd, 7])).unwrap();
        let count = |id, algorithm| keys.fitting(id, algorithm).len();
        assert_eq!(count(Some("a"), Algorithm::ES256), 1);
        assert_eq!(count(None, Algorithm::ES256), 1);
        assert_eq!(count(Some("b"), Algorithm::ES256), 0);
        assert_eq!(count(Some("a"), Algorithm::ES384), 0);
        assert_eq!(count(Some("r"), Algorithm::PS256), 1);
        assert_eq!(count(Some("r"), Algorithm::RS256), 0);
        let nameless = read(&json!([curve(None, &json!({}))])).unwrap();
        assert_eq!(nameless.fitting(Some("any"), Algorithm::ES256).len(), 1);
    }

    #[test]
    fn what_verifies_no_token_is_left_out() {
        let secret = json!({"kty": "oct", "kid": "s", "k": "c2VjcmV0"});
        let encrypts = curve(Some("e"), &json!({"use": "enc"}));
        for keys in [json!([]), json!([secret]), json!([encrypts])] {
            assert!(read(&keys).is_err(), "{keys}");
        }
        assert!(Keys::read(b"[]", 1).is_err() && Keys::read(b"{", 1).is_err());
        let many = vec![curve(None, &json!({})); 50];
        let keys = read(&json!(many)).unwrap();
        assert_eq!(keys.fitting(None, Algorithm::ES256).len(), MOST_TRIED);
    }
}
