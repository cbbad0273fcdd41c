//! Headers of a client's own request that go with its call.

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::policy::Redactor;

/// Headers of the client's request join what the arguments did not set.
pub(super) fn hand_on(
    forwarded: &[(HeaderName, HeaderValue)],
    headers: &mut HeaderMap,
    redactor: &Redactor,
) {
    if forwarded.is_empty() {
        return;
    }
    let taken: Vec<HeaderName> = headers.keys().cloned().collect();
    for (name, value) in forwarded {
        if !taken.contains(name) {
            redactor.protect(name.as_str(), value.to_str().unwrap_or_default());
            headers.append(name, value.clone());
        }
    }
}
