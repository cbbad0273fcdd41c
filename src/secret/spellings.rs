//! How a secret may be written where it is repeated.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::Secret;
use super::known::SHORTEST_MASKED;

/// What most writers of URLs leave as it is.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// What a program that writes HTML or XML makes of characters.
const ENTITIES: [(char, &str); 5] = [
    ('&', "&amp;"),
    ('<', "&lt;"),
    ('>', "&gt;"),
    ('"', "&quot;"),
    ('\'', "&#39;"),
];

/// A value as it is, in a URL, and within JSON texts.
pub(super) fn spellings(secret: &Secret) -> Vec<String> {
    let value = secret.expose();
    let json = serde_json::Value::from(value).to_string();
    // Without the quotes around it, but with one of its own at its end.
    let json = json.get(1..json.len() - 1).unwrap_or_default().to_owned();
    let mut all = vec![
        value.to_owned(),
        utf8_percent_encode(value, NON_ALPHANUMERIC).to_string(),
        utf8_percent_encode(value, UNRESERVED).to_string(),
        url::form_urlencoded::byte_serialize(value.as_bytes()).collect(),
        json.replace('/', "\\/"),
        json,
    ];
    all.sort_unstable();
    all.dedup();
    all.retain(|spelling| spelling.len() >= SHORTEST_MASKED);
    all
}

/// The same with what only an upstream's own encoders make of it, and without blanks around it: who gets it in a
/// header never sees them (RFC 9110, section 5.5). For the operator's secrets: they are few, and stay.
pub(super) fn every_spelling(secret: &Secret) -> Vec<String> {
    let mut all = encoded(secret);
    let bare = secret.expose().trim();
    if bare.len() < secret.expose().len() {
        all.extend(encoded(&Secret::new(bare.to_owned())));
    }
    all.sort_unstable();
    all.dedup();
    all.retain(|spelling| spelling.len() >= SHORTEST_MASKED);
    all
}

fn encoded(secret: &Secret) -> Vec<String> {
    let value = secret.expose();
    let mut all = spellings(secret);
    let lower = |text: &String| {
        let mut text = text.clone().into_bytes();
        let mut at = 0;
        // Nothing but the digits of what was encoded (RFC 3986, section 2.1).
        while let Some(found) = memchr::memchr(b'%', &text[at..]) {
            let end = text.len().min(at + found + 3);
            text[at + found..end].make_ascii_lowercase();
            at = end;
        }
        String::from_utf8(text).unwrap_or_default()
    };
    let encoded = [
        utf8_percent_encode(value, NON_ALPHANUMERIC).to_string(),
        utf8_percent_encode(value, UNRESERVED).to_string(),
        url::form_urlencoded::byte_serialize(value.as_bytes()).collect(),
    ];
    all.extend(encoded.iter().map(lower));
    let mut entities = value.to_owned();
    for (character, entity) in ENTITIES {
        entities = entities.replace(character, entity);
    }
    all.push(entities.replace("&#39;", "&apos;"));
    all.push(entities.replace("&#39;", "&#x27;"));
    all.push(entities);
    for offset in 0..3 {
        all.extend(within_base64(value.as_bytes(), offset));
    }
    all
}

/// What of base64 depends on a value alone that begins so many bytes after a group of three, in both alphabets.
fn within_base64(value: &[u8], offset: usize) -> [String; 2] {
    let padded = [&[0; 2][..offset], value].concat();
    // Six bits a character: the first ones are made of what stands before, the last one of what follows.
    let (start, end) = ((offset * 8).div_ceil(6), padded.len() * 8 / 6);
    [
        STANDARD_NO_PAD.encode(&padded),
        URL_SAFE_NO_PAD.encode(&padded),
    ]
    .map(|text| text.get(start..end).unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_without_the_blanks_around_it() {
        let all = every_spelling(&Secret::new("  outer blanks/9\t".to_owned()));
        for spelling in ["  outer blanks/9\t", "outer blanks/9", "outer%20blanks%2f9"] {
            assert!(all.iter().any(|one| one == spelling), "{spelling}: {all:?}");
        }
        // What is left may be too short to be looked for.
        let all = every_spelling(&Secret::new("   ab   ".to_owned()));
        assert!(
            all.iter().all(|one| one.len() >= SHORTEST_MASKED),
            "{all:?}"
        );
    }
}
