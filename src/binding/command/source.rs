//! Values that may be a name, a path or an address: which of them a text is.

use crate::tool::Encoding;

/// What the text is to be made into, and whether it is a name that a program also looks for in its folder.
pub(super) fn judged(encoding: Encoding, text: &str) -> (Encoding, bool) {
    match encoding {
        Encoding::Source if is_address(text) => (Encoding::Plain, false),
        Encoding::PropertySource if is_address(text) => (Encoding::Property, false),
        Encoding::NameOrPath | Encoding::Source if looks_like_path(text) => (Encoding::Path, false),
        Encoding::PropertySource if looks_like_path(text) => (Encoding::PropertyPath, false),
        Encoding::NameOrPath | Encoding::Source => (Encoding::Plain, true),
        Encoding::PropertySource => (Encoding::Property, true),
        other => (other, false),
    }
}

fn is_address(text: &str) -> bool {
    text.trim_start()
        .get(..8)
        .is_some_and(|head| head.eq_ignore_ascii_case("https://"))
}

fn looks_like_path(text: &str) -> bool {
    text.contains(['/', '\\'])
        || text.starts_with('.')
        || text.to_ascii_lowercase().ends_with(".nupkg")
}
