//! Values that must not show: secrets, and URLs with credentials or tokens in them.

mod call;
mod fingerprint;
mod known;
mod numbered;
mod spellings;
mod torn;
mod windows;

pub use call::{CallSecrets, beyond_call};
pub use fingerprint::Fingerprint;
pub use known::{
    MASK, SHORTEST_MASKED, holds_known, mask_known, remember, remember_token, torn_known,
};

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use data_encoding::HEXLOWER;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

/// Of a file that holds a secret, in bytes.
const LONGEST: u64 = 64 * 1024;

/// A secret text. `Debug` and `Display` mask it; the value leaves only by [`Secret::expose`].
#[derive(Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// Takes the value over.
    #[must_use]
    pub fn new(value: String) -> Self {
        Self(SecretString::from(value))
    }

    /// What somebody put into a variable or a file: without line breaks at its end, which belong to no secret.
    #[must_use]
    pub fn handed_over(text: &str) -> Self {
        Self::new(text.trim_end_matches(['\r', '\n']).to_owned())
    }

    /// Whether it is of one line and holds no other control character either: no header can carry one, and in a query
    /// it is never meant.
    #[must_use]
    pub fn is_one_line(&self) -> bool {
        !self.expose().chars().any(char::is_control)
    }

    /// 256 random bits as hex digits. Nothing where the system has no randomness.
    #[must_use]
    pub fn random() -> Option<Self> {
        let mut random = [0; 32];
        getrandom::fill(&mut random).ok()?;
        Some(Self::new(HEXLOWER.encode(&random)))
    }

    /// The content of a file, without line breaks at its end. No more of it is read than a secret may have.
    ///
    /// # Errors
    /// It cannot be read, is empty, longer than 64 KiB or not text.
    pub fn read(path: &Path) -> io::Result<Self> {
        let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
        let mut bytes = Vec::new();
        let mut file = File::open(path)?.take(LONGEST + 1);
        file.read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LONGEST {
            return Err(wrong(format!("it is longer than {LONGEST} bytes")));
        }
        let text = String::from_utf8(bytes).map_err(|_| wrong("it is not text".to_owned()))?;
        let value = Self::handed_over(&text);
        match value.expose() {
            "" => Err(wrong("it is empty".to_owned())),
            _ => Ok(value),
        }
    }

    /// The value, for the one place that needs it.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// A URL that prints without its password, or the user's name where it has none, and without the values of its query.
#[derive(Clone, PartialEq, Eq)]
pub struct SafeUrl(Url);

impl SafeUrl {
    /// Takes the URL over.
    #[must_use]
    pub fn new(url: Url) -> Self {
        Self(url)
    }

    /// The URL as it is.
    #[must_use]
    pub fn expose(&self) -> &Url {
        &self.0
    }
}

impl fmt::Display for SafeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.0.clone();
        // Either fails only for URLs that cannot have one.
        if shown.password().is_some() {
            let _ = shown.set_password(Some("***"));
        } else if !shown.username().is_empty() {
            // A token, mostly: nobody has a name alone.
            let _ = shown.set_username("***");
        }
        if shown.query().is_some() {
            let names: Vec<String> = self
                .0
                .query_pairs()
                .map(|(name, _)| name.into_owned())
                .collect();
            shown
                .query_pairs_mut()
                .clear()
                .extend_pairs(names.iter().map(|name| (name, "***")));
        }
        f.write_str(shown.as_str())
    }
}

impl fmt::Debug for SafeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_secret_prints() {
        let secret = Secret::new("hunter2".into());
        assert_eq!(format!("{secret} {secret:?}"), "*** Secret(***)");
        let url = SafeUrl::new(Url::parse("https://ann:pw@api.test/v1?key=k1&n=2").unwrap());
        assert_eq!(url.to_string(), "https://ann:***@api.test/v1?key=***&n=***");
        let url = SafeUrl::new(Url::parse("https://token-1@api.test/").unwrap());
        assert_eq!(url.to_string(), "https://***@api.test/");
    }

    #[test]
    fn a_file_holds_one_short_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        for (content, expected) in [
            (&b"  a b \r\n\n"[..], Ok("  a b ")),
            (b"\n", Err("it is empty")),
            (b"\xff\xfe", Err("it is not text")),
            (&[b'x'; 65_537], Err("it is longer than 65536 bytes")),
        ] {
            std::fs::write(&path, content).unwrap();
            let read = Secret::read(&path).map_err(|error| error.to_string());
            let read = read.as_ref().map(Secret::expose).map_err(String::as_str);
            assert_eq!(read, expected);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_device_without_end_is_refused() {
        let error = Secret::read(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error.to_string(), "it is longer than 65536 bytes");
    }
}
