//! Headers of a client's own request that go with its call.

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::policy::{CallSecrets, Redactor};

/// What of them is to be masked in the answer, and in whatever else is said of this call.
pub(super) fn secrets(
    forwarded: &[(HeaderName, HeaderValue)],
    redactor: &Redactor,
) -> Option<CallSecrets> {
    let texts = forwarded.iter();
    redactor
        .forwarded(texts.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?))))
}

/// Headers of the client's request join what the arguments did not set; those that did.
pub(super) fn hand_on(
    mut forwarded: Vec<(HeaderName, HeaderValue)>,
    headers: &mut HeaderMap,
) -> Vec<(HeaderName, HeaderValue)> {
    forwarded.retain(|(name, _)| !headers.contains_key(name));
    join(&forwarded, headers);
    forwarded
}

/// Adds all of them, in their order.
pub(super) fn join(forwarded: &[(HeaderName, HeaderValue)], headers: &mut HeaderMap) {
    for (name, value) in forwarded {
        headers.append(name, value.clone());
    }
}
