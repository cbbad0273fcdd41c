//! Bytes that came as base64 text, as tolerantly as can be without guessing.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

const TOLERANT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Decodes base64 (RFC 4648) in either alphabet, with or without padding, line breaks or a
/// `data:` prefix.
///
/// # Errors
/// Says what is not base64.
pub(in crate::binding::http) fn decode(text: &str) -> Result<Vec<u8>, String> {
    let digits = match text.strip_prefix("data:") {
        Some(rest) => rest.split_once(";base64,").map_or(text, |(_, data)| data),
        None => text,
    };
    let digits: Vec<u8> = digits
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        })
        .collect();
    TOLERANT.decode(&digits).map_err(|error| {
        format!("expected base64, found a text that is not ({error}): encode the bytes first")
    })
}
