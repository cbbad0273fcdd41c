//! Bytes to a tree: JSON or YAML, decided by content.

mod yaml;

use serde_json::Value;

use super::error::LoadError;

/// Ten times what the largest known documents hold.
const MOST_VALUES: usize = 6_000_000;

/// What parsing gives: the tree, and pointers of keys that occur more than once (YAML only).
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) tree: Value,
    pub(super) duplicates: Vec<String>,
}

/// Parses `bytes`, which people know as `name`.
pub(super) fn parse(bytes: &[u8], name: &str) -> Result<Parsed, LoadError> {
    let text = decode(bytes, name)?;
    let trimmed = text.trim_start();
    if values_at_most(text) > MOST_VALUES {
        return Err(LoadError::TooMany {
            name: name.into(),
            limit: MOST_VALUES,
        });
    }
    match trimmed.as_bytes().first() {
        None => Err(LoadError::Empty { name: name.into() }),
        Some(b'<') => Err(page(trimmed, name)),
        Some(b'{' | b'[') => json_or_yaml(text, name),
        Some(_) => yaml::parse(text, name),
    }
}

/// Bounds the number of values: each is preceded by one of these bytes, all but the first.
fn values_at_most(text: &str) -> usize {
    let bytes = text.as_bytes();
    let flow = memchr::memchr3_iter(b',', b'[', b'{', bytes).count();
    if matches!(text.trim_start().as_bytes().first(), Some(b'{' | b'[')) {
        return flow;
    }
    let blank = |at: usize| bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace);
    let block = memchr::memchr3_iter(b'-', b'?', b':', bytes).filter(|at| blank(*at));
    flow + block.count()
}

fn json_or_yaml(text: &str, name: &str) -> Result<Parsed, LoadError> {
    let fault = match crate::tree::read(text) {
        Ok(tree) => {
            return Ok(Parsed {
                tree,
                duplicates: Vec::new(),
            });
        }
        Err(fault) => fault,
    };
    // YAML in flow style looks like JSON at first; JSON's message is the better one if both fail.
    let too_deep = fault.to_string().starts_with("recursion limit");
    if !too_deep && let Ok(parsed) = yaml::parse(text, name) {
        return Ok(parsed);
    }
    let mut message = fault.to_string();
    if let Some(end) = message.rfind(" at line ") {
        message.truncate(end);
    }
    Err(LoadError::Syntax {
        name: name.into(),
        format: "JSON",
        line: fault.line(),
        column: fault.column(),
        message,
    })
}

/// UTF-8 without a byte order mark (RFC 8259, section 8.1).
fn decode<'a>(bytes: &'a [u8], name: &str) -> Result<&'a str, LoadError> {
    // With a byte order mark, or without: no document begins with a null.
    if matches!(
        bytes,
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [0, _, ..] | [_, 0, ..]
    ) {
        return Err(LoadError::Encoding {
            name: name.into(),
            line: 1,
            column: 1,
            found: "UTF-16; save the file as UTF-8".into(),
        });
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|fault| {
        let (good, bad) = bytes.split_at(fault.valid_up_to());
        let line_start = good
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        LoadError::Encoding {
            name: name.into(),
            line: good.iter().filter(|byte| **byte == b'\n').count() + 1,
            column: good.len() - line_start + 1,
            found: format!("the byte 0x{:02X}", bad.first().copied().unwrap_or(0)),
        }
    })
}

fn page(text: &str, name: &str) -> LoadError {
    let head: String = text
        .chars()
        .take(200)
        .collect::<String>()
        .to_ascii_lowercase();
    let html = head.contains("<html") || head.contains("<!doctype") || head.contains("<head");
    LoadError::Page {
        name: name.into(),
        found: if html {
            "an HTML page"
        } else {
            "an XML document"
        },
    }
}

#[cfg(test)]
mod tests;
