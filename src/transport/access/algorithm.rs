//! How tokens may be signed: with a private key. A secret that both sides know would let this side make tokens.

use std::str::FromStr as _;

/// A signature algorithm (RFC 7518, section 3.1; RFC 8037).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Algorithm(pub(super) jsonwebtoken::Algorithm);

impl Algorithm {
    /// All that can be verified.
    pub const NAMES: [&'static str; 9] = [
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA",
    ];

    /// The algorithm of this name; none for `none`, for the HMAC ones and for whatever is not known.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let known = Self::NAMES.contains(&name);
        let algorithm = jsonwebtoken::Algorithm::from_str(name).ok();
        algorithm.filter(|_| known).map(Self)
    }

    /// All of them.
    #[must_use]
    pub fn all() -> Vec<Self> {
        Self::NAMES
            .iter()
            .filter_map(|name| Self::named(name))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_asymmetric_algorithms_have_a_name() {
        assert_eq!(Algorithm::all().len(), Algorithm::NAMES.len());
        for name in [
            "none", "None", "HS256", "HS384", "HS512", "rs256", "ES512", "",
        ] {
            assert_eq!(Algorithm::named(name), None, "{name}");
        }
    }
}
