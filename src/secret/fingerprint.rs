//! What a secret is known by where it need not be known itself.

use std::hash::{Hash, Hasher};

use data_encoding::HEXLOWER_PERMISSIVE;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq as _;

/// The SHA-256 of a secret. The secret is to be random: a hash without a salt protects no word a person would choose.
///
/// Two of them are compared in a time that does not tell where they differ.
#[derive(Debug, Clone, Copy, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Of a secret.
    #[must_use]
    pub fn of(secret: &str) -> Self {
        Self(Sha256::digest(secret).into())
    }

    /// One that is written as 64 hex digits, large or small; nothing for other texts.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let bytes = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()?;
        Some(Self(bytes.try_into().ok()?))
    }

    /// Four words are compared sooner than 32 bytes.
    fn words(&self) -> [u64; 4] {
        let (words, _) = self.0.as_chunks();
        std::array::from_fn(|index| u64::from_ne_bytes(words[index]))
    }

    /// The hash itself.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl PartialEq for Fingerprint {
    fn eq(&self, other: &Self) -> bool {
        self.words().ct_eq(&other.words()).into()
    }
}

impl Hash for Fingerprint {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_people_write_it() {
        // `printf secret | sha256sum`
        let written = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
        assert_eq!(
            Fingerprint::from_hex(written),
            Some(Fingerprint::of("secret"))
        );
        let large = written.to_uppercase();
        assert_eq!(
            Fingerprint::from_hex(&large),
            Some(Fingerprint::of("secret"))
        );
        assert_ne!(
            Fingerprint::from_hex(written),
            Some(Fingerprint::of("Secret"))
        );
        for wrong in ["", &written[2..], &written.replace("2b", "+b"), "secret"] {
            assert_eq!(Fingerprint::from_hex(wrong), None, "{wrong}");
        }
    }
}
