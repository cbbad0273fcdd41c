//! Headers of a client's own request that go with its call.

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::policy::Redactor;

/// Headers of the client's request join what the arguments did not set; those that did.
pub(super) fn hand_on(
    mut forwarded: Vec<(HeaderName, HeaderValue)>,
    headers: &mut HeaderMap,
    redactor: &Redactor,
) -> Vec<(HeaderName, HeaderValue)> {
    forwarded.retain(|(name, _)| !headers.contains_key(name));
    for (name, value) in &forwarded {
        redactor.protect(name.as_str(), value.to_str().unwrap_or_default());
    }
    join(&forwarded, headers);
    forwarded
}

/// Adds all of them, in their order.
pub(super) fn join(forwarded: &[(HeaderName, HeaderValue)], headers: &mut HeaderMap) {
    for (name, value) in forwarded {
        headers.append(name, value.clone());
    }
}
