//! Whether one of an issuer's keys has signed a token.

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{DecodingKey, Validation, decode};

use super::token::{Claims, Refused, invalid};

/// Why a token is not taken with the keys of now.
pub(super) enum Unverified {
    /// None of them made its signature; others may have.
    NoKey(Refused),
    /// It is not valid, whichever key was used.
    Refused(Refused),
}

impl From<Unverified> for Refused {
    fn from(unverified: Unverified) -> Self {
        let (Unverified::NoKey(refused) | Unverified::Refused(refused)) = unverified;
        refused
    }
}

/// What a token says that one of these keys has signed.
pub(super) fn claims(
    token: &str,
    keys: Vec<&DecodingKey>,
    validation: &Validation,
) -> Result<Claims, Unverified> {
    let mut refused = invalid("unknown key");
    for key in keys {
        match decode::<Claims>(token, key, validation) {
            Ok(token) => return Ok(token.claims),
            Err(error) if matches!(error.kind(), ErrorKind::InvalidSignature) => {
                refused = reason(&error);
            }
            Err(error) => return Err(Unverified::Refused(reason(&error))),
        }
    }
    Err(Unverified::NoKey(refused))
}

/// What was wrong, without anything of the token.
pub(super) fn reason(error: &jsonwebtoken::errors::Error) -> Refused {
    invalid(match error.kind() {
        ErrorKind::InvalidSignature => "the signature does not fit",
        ErrorKind::InvalidAudience => "made for another audience",
        ErrorKind::InvalidIssuer => "of another issuer",
        ErrorKind::MissingRequiredClaim(_) => "without issuer or audience",
        ErrorKind::InvalidAlgorithm | ErrorKind::InvalidAlgorithmName => "algorithm not allowed",
        _ => "not a signed token",
    })
}
