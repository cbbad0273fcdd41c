//! Media types (RFC 9110, section 8.3.1): what they are without parameters, and those of JSON values one to a line,
//! which have many names and no registered one.

/// A media type without its parameters, and without the spaces around it; its case stays.
#[must_use]
pub fn essence(media_type: &str) -> &str {
    // Shorter than what any search begins with.
    let end = media_type.bytes().position(|byte| byte == b';');
    media_type[..end.unwrap_or(media_type.len())].trim_ascii()
}

const TYPES: [&str; 11] = [
    "application/json-lines",
    "application/jsonl",
    "application/jsonlines",
    "application/ndjson",
    "application/stream+json",
    "application/x-json-stream",
    "application/x-jsonl",
    "application/x-jsonlines",
    "application/x-ndjson",
    "text/jsonl",
    "text/x-ndjson",
];

/// Whether bodies of this type hold a JSON value a line: NDJSON, JSON Lines. The type comes in lower case, without
/// parameters.
#[must_use]
pub fn is_json_lines(essence: &str) -> bool {
    TYPES.binary_search(&essence).is_ok()
}

/// Whether bodies of this type are a JSON text sequence (RFC 7464; the suffix: RFC 8091): each value stands between
/// a record separator and a line feed. The type comes in lower case, without parameters.
#[must_use]
pub fn is_json_sequence(essence: &str) -> bool {
    essence == "application/json-seq" || essence.ends_with("+json-seq")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_left_out() {
        for (media_type, expected) in [
            ("text/HTML", "text/HTML"),
            (" text/html ; charset=utf-8;q=1", "text/html"),
            (";", ""),
            ("", ""),
        ] {
            assert_eq!(essence(media_type), expected);
        }
    }

    #[test]
    fn every_name_is_found() {
        assert!(TYPES.is_sorted());
        assert!(TYPES.iter().all(|essence| is_json_lines(essence)));
        assert!(!is_json_lines("application/json"));
        assert!(!is_json_lines("application/json-seq"));
        assert!(is_json_sequence("application/json-seq"));
        assert!(is_json_sequence("application/geo+json-seq"));
        assert!(!is_json_sequence("application/json"));
    }
}
