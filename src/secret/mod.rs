//! Values that must not show: secrets, and URLs with credentials or tokens in them.

mod known;

pub use known::{MASK, mask_known, remember, remember_token};

use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use url::Url;

/// A secret text. `Debug` and `Display` mask it; the value leaves only by [`Secret::expose`].
#[derive(Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// Takes the value over.
    #[must_use]
    pub fn new(value: String) -> Self {
        Self(SecretString::from(value))
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

/// A URL that prints without its password and without the values of its query.
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
        if shown.password().is_some() {
            // Fails only for URLs that cannot have a password.
            let _ = shown.set_password(Some("***"));
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
    }
}
