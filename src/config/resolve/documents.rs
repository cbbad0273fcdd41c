//! How a document is named.

use std::path::Path;

/// `shop=petstore.yaml` into `shop` and `petstore.yaml`; a URL's `=` is no prefix's, nor is that of a
/// file which has the whole as its name.
pub(super) fn split_prefix(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((prefix, place))
            if checked_prefix(prefix).is_ok()
                && !place.is_empty()
                && !Path::new(text).is_file() =>
        {
            (Some(prefix), place)
        }
        _ => (None, text),
    }
}

pub(super) fn checked_prefix(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if (1..=32).contains(&text.len()) && text.chars().all(fits) {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "`{text}` is not a prefix: expected 1 to 32 characters of A-Z, a-z, 0-9, _ and -"
        ))
    }
}
