//! JSON with comments, which the SDK takes where a parser of plain JSON does not.

/// Comments become blanks, so that places in messages stay.
pub(super) fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (length, keep) = if c == '"' {
            (string_length(rest), true)
        } else if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), false)
        } else if let Some(inside) = rest.strip_prefix("/*") {
            (inside.find("*/").map_or(rest.len(), |end| end + 4), false)
        } else {
            (c.len_utf8(), true)
        };
        let (part, after) = rest.split_at(length);
        if keep {
            out.push_str(part);
        } else {
            out.extend(part.chars().map(|c| if c == '\n' { c } else { ' ' }));
        }
        rest = after;
    }
    out
}

/// The length of the string literal that `text` begins with.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn comments_go_and_texts_stay() {
        for (text, expected) in [
            (r#"{"a": 1} // why"#, r#"{"a": 1}       "#),
            ("// \"\n{}", "    \n{}"),
            ("{/* a\n * b */}", "{    \n       }"),
            // The star that opens a comment does not close it.
            ("[/*/ 1, */ 2]", "[          2]"),
            ("[1 /* open", "[1        "),
            (r#"["//", "/*", "\"//"]"#, r#"["//", "/*", "\"//"]"#),
            (r#"["open // "#, r#"["open // "#),
            ("\"\\", "\"\\"),
            ("/", "/"),
            ("é/*é*/é", "é     é"),
        ] {
            assert_eq!(without_comments(text), expected, "{text}");
        }
    }
}
