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
    let kind = range
        .split(';')
        .next()
        .and_then(|range| range.trim().strip_suffix('*'))
        .map(str::to_ascii_lowercase)
        .filter(|kind| !kind.starts_with('*'));
    kind.and_then(|kind| known(bytes).find(|name| name.starts_with(&kind)))
        .unwrap_or(UNKNOWN)
}

/// The media type of a file: the one its document names; of several, or where none is named, what
/// the bytes say they are.
pub(super) fn file(declared: Option<&str>, bytes: &[u8]) -> &'static str {
    let named = |name: &&str| {
        declared.is_none_or(|types| {
            types.split(',').any(|one| {
                let one = one.trim();
                one == "*/*" || one.eq_ignore_ascii_case(name) || media_type(one, bytes) == *name
            })
        })
    };
    // Two letters are the beginning of many a text.
    let sure = |name: &&str| declared.is_some() || *name != "image/bmp";
    known(bytes).filter(sure).find(named).unwrap_or(UNKNOWN)
}

const UNKNOWN: &str = "application/octet-stream";

fn known(bytes: &[u8]) -> impl Iterator<Item = &'static str> {
    let starts = STARTS
        .iter()
        .map(|(start, name)| (bytes.starts_with(start), *name));
    starts
        .chain([
            (riff(bytes, b"WEBP"), "image/webp"),
            (riff(bytes, b"WAVE"), "audio/wav"),
            (bytes.get(4..8) == Some(b"ftyp"), "video/mp4"),
        ])
        .filter_map(|(found, name)| found.then_some(name))
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

    #[test]
    fn files_are_what_is_declared_or_what_they_say() {
        let png = b"\x89PNG\r\n\x1a\nrest".as_slice();
        for (declared, bytes, expected) in [
            (None, png, "image/png"),
            (None, b"BMW".as_slice(), UNKNOWN),
            (None, b"text".as_slice(), UNKNOWN),
            (Some("image/jpeg, IMAGE/PNG"), png, "image/png"),
            (Some("audio/*, image/*"), png, "image/png"),
            (Some("image/jpeg, image/gif"), png, UNKNOWN),
            (Some("*/*"), png, "image/png"),
            (Some("image/*"), b"BM..".as_slice(), "image/bmp"),
        ] {
            assert_eq!(file(declared, bytes), expected, "{declared:?}");
        }
    }
}
