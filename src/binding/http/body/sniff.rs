//! The media type of bytes, where a document only says `image/*`.

/// What starts with what: formats whose first bytes identify them.
const STARTS: [(&[u8], &str); 13] = [
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xFF\xD8\xFF", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"<svg", "image/svg+xml"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"\x1A\x45\xDF\xA3", "video/webm"),
    (b"%PDF-", "application/pdf"),
];

/// The media type within a range such as `image/*`; bytes of no known kind are just bytes
/// (RFC 9110, section 8.3).
pub(super) fn media_type(range: &str, bytes: &[u8]) -> &'static str {
    let unknown = "application/octet-stream";
    let Some(kind) = range
        .split(';')
        .next()
        .and_then(|range| range.trim().strip_suffix('*'))
    else {
        return unknown;
    };
    let kind = kind.to_ascii_lowercase();
    let known = STARTS
        .iter()
        .map(|(start, name)| (bytes.starts_with(start), *name));
    known
        .chain([
            (riff(bytes, b"WEBP"), "image/webp"),
            (riff(bytes, b"WAVE"), "audio/wav"),
            (bytes.get(4..8) == Some(b"ftyp"), "video/mp4"),
        ])
        .find(|(found, name)| *found && name.starts_with(&kind) && !kind.starts_with('*'))
        .map_or(unknown, |(_, name)| name)
}

fn riff(bytes: &[u8], form: &[u8; 4]) -> bool {
    bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_say_what_they_are_within_the_range() {
        for (range, bytes, expected) in [
            ("image/*", &b"GIF89a..."[..], "image/gif"),
            ("image/*", b"RIFF\0\0\0\0WEBP", "image/webp"),
            ("video/*; q=1", b"\0\0\0\x18ftypmp42", "video/mp4"),
            ("audio/*", b"GIF89a", "application/octet-stream"),
            ("image/*", b"text", "application/octet-stream"),
            ("*/*", b"GIF89a", "application/octet-stream"),
            ("image/png", b"GIF89a", "application/octet-stream"),
        ] {
            assert_eq!(media_type(range, bytes), expected, "{range} {bytes:?}");
        }
    }
}
