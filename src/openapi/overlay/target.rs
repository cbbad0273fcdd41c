//! The JSONPath of an action: read only where reading and following it are bounded.

use serde_json_path::JsonPath;

/// The longest JSONPath, in bytes.
const LONGEST: usize = 4_096;
/// Each descendant segment visits the whole tree below every node of the one before.
const MOST_DESCENTS: usize = 3;
/// Brackets and parentheses that are open at once. The parser calls itself for each, and for filters within
/// filters its time doubles with each.
const DEEPEST: usize = 8;

/// Reads a target.
///
/// # Errors
/// What was expected, for people.
pub(super) fn parse(text: &str) -> Result<JsonPath, String> {
    if text.len() > LONGEST || text.matches("..").count() > MOST_DESCENTS {
        return Err(format!(
            "expected a target of at most {LONGEST} bytes that holds `..` at most {MOST_DESCENTS} times"
        ));
    }
    if nesting(text) > DEEPEST {
        return Err(format!(
            "expected a target with at most {DEEPEST} brackets open at once"
        ));
    }
    JsonPath::parse(text).map_err(|error| {
        format!("expected a JSONPath (RFC 9535) as target, found {text:?}: {error}")
    })
}

/// How many brackets and parentheses are open at once, outside of texts (RFC 9535, section 2.3.1).
fn nesting(text: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    let mut quote = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (Some(_), '\\') => drop(rest.next()),
            (Some(begun), _) if begun == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '[' | '(') => {
                open += 1;
                most = most.max(open);
            }
            (None, ']' | ')') => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_the_process_or_take_for_ever_is_refused() {
        for text in [
            format!("$[?{}@.a{}]", "(".repeat(1500), ")".repeat(1500)),
            format!("$[?{}@.a{}]", "!(".repeat(1000), ")".repeat(1000)),
            format!("$[?{}", "(".repeat(4000)),
            format!("${}.a{}", "[?@".repeat(30), "]".repeat(30)),
            format!("$['{}'][?{}@.a", "(".repeat(9), "(".repeat(9)),
            "$..a..b..c..d".to_owned(),
            format!("$.{}", "a".repeat(LONGEST)),
        ] {
            let refused = parse(&text).expect_err(&text);
            assert!(refused.contains("at most"), "{refused}");
        }
    }

    #[test]
    fn what_people_write_is_read() {
        for text in [
            "$",
            "$.paths['/pets/{id}'].get",
            "$.paths[?(@.get['x-a'] && (count(@.get.tags[?(@ == 'b')]) > 1))]",
            "$['((((((((((((', \"[[[[[[[[[[[[\"]",
            r"$['it\'s [(((((((((((((']",
            "$..parameters[?@.name=='a' || @.name=='b'].schema",
        ] {
            assert!(parse(text).is_ok(), "{text}: {:?}", parse(text));
        }
    }
}
