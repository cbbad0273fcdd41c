//! Prose of a document as people and models may see it.

/// The text without what is invisible or turns the reading direction: control characters other than
/// line breaks and tabs, bidirectional controls (UAX #9, section 2), zero-width characters and the
/// tag characters, with which a document could say to a model what no person sees.
pub(super) fn clean(text: &str) -> String {
    // Nearly all of it is plain.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')) {
        return text.to_owned();
    }
    text.chars()
        .filter_map(|c| match c {
            '\u{2028}' | '\u{2029}' => Some('\n'),
            c if is_hidden(c) => None,
            c => Some(c),
        })
        .collect()
}

fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        c if c.is_control() => true,
        '\u{AD}'
        | '\u{34F}'
        | '\u{61C}'
        | '\u{180E}'
        | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{FEFF}'
        | '\u{FFF9}'..='\u{FFFB}'
        | '\u{E0000}'..='\u{E01EF}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_goes() {
        for (text, expected) in [
            ("plain\n text", "plain\n text"),
            (
                "größe 日本 \u{1F600}\u{FE0F}",
                "größe 日本 \u{1F600}\u{FE0F}",
            ),
            ("a\u{202E}b\u{2066}c\u{200F}d\u{61C}", "abcd"),
            ("a\u{200B}b\u{FEFF}c\u{2060}d\u{200D}e\u{AD}f", "abcdef"),
            ("a\0b\u{1B}[31mc\u{85}d\r\n\te", "ab[31mcd\n\te"),
            ("a\u{E0041}\u{E0042}\u{E0101}b", "ab"),
            ("a\u{2028}b", "a\nb"),
        ] {
            assert_eq!(clean(text), expected, "{text:?}");
        }
    }
}
