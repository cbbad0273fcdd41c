//! Which regular expressions mean the same to every reader of a published schema.

use serde_json::{Map, Value};

use super::defs::{Definitions, reference_of};

/// Parts of alternatives are looked into so deep.
const MAX_DEPTH: usize = 3;
/// The most schemas looked at for one set of alternatives.
const MAX_LOOKS: usize = 400;
/// Longer expressions cost more memory than they are worth.
const MAX_LENGTH: usize = 4096;

impl Definitions<'_> {
    /// The schema where patterns that are left out refuse nothing: alternatives that they tell apart
    /// may fit together, and a `not` that rests on one is left out. Nothing where no such thing is.
    pub(super) fn without_lost_patterns(
        &mut self,
        map: &Map<String, Value>,
    ) -> Option<Map<String, Value>> {
        let mut left = MAX_LOOKS;
        let alternatives = map.get("oneOf").and_then(Value::as_array);
        let told = !map.contains_key("anyOf")
            && alternatives
                .into_iter()
                .flatten()
                .any(|one| self.loses_pattern(one, 0, &mut left));
        let refused = map.get("not");
        let refused = refused.is_some_and(|one| self.loses_pattern(one, MAX_DEPTH, &mut left));
        if !told && !refused {
            return None;
        }
        let kept = map.iter().filter(|(key, _)| !refused || *key != "not");
        let renamed = kept.map(|(key, value)| {
            let key = if told && key == "oneOf" { "anyOf" } else { key };
            (key.to_owned(), value.clone())
        });
        Some(renamed.collect())
    }

    fn loses_pattern(&mut self, schema: &Value, depth: usize, left: &mut usize) -> bool {
        let Some(Value::Object(map)) = self.resolve(schema) else {
            return false;
        };
        if depth > MAX_DEPTH || *left == 0 {
            return false;
        }
        *left -= 1;
        self.within(reference_of(schema), |this| {
            this.loses_own(map, depth, left)
        })
    }

    fn loses_own(&mut self, map: &Map<String, Value>, depth: usize, left: &mut usize) -> bool {
        let own = map.get("pattern").and_then(Value::as_str);
        if own.is_some_and(|pattern| !self.usable_pattern(pattern)) {
            return true;
        }
        let parts = map.get("allOf").and_then(Value::as_array);
        let properties = map.get("properties").and_then(Value::as_object);
        let properties = properties.into_iter().flatten().map(|(_, value)| value);
        let mut all = parts.into_iter().flatten().chain(properties);
        all.any(|part| self.loses_pattern(part, depth + 1, left))
    }
}

/// Whether the engines that clients use (ECMA-262, Python, Rust) all read the expression alike.
///
/// Clients refuse a tool whose schema they cannot compile, and the service checks the value anyway,
/// so that a doubtful expression does more harm than good.
pub(super) fn is_portable(pattern: &str) -> bool {
    if pattern.len() > MAX_LENGTH {
        return false;
    }
    let bytes = pattern.as_bytes();
    let mut in_class = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at + 1..];
        match byte {
            b'\\' => {
                let Some(length) = escape(rest) else {
                    return false;
                };
                at += length;
            }
            b'[' if in_class => return false,
            b'[' => {
                let start = rest.strip_prefix(b"^").unwrap_or(rest);
                // `[]` and `[^]` are whole classes in ECMA-262 and the start of one elsewhere.
                if start.starts_with(b"]") {
                    return false;
                }
                in_class = true;
            }
            b']' => in_class = false,
            b'(' if !in_class && rest.starts_with(b"?") && !is_group(&rest[1..]) => return false,
            // Possessive quantifiers.
            b'*' | b'+' | b'?' | b'}' if !in_class && rest.starts_with(b"+") => return false,
            _ => {}
        }
        at += 1;
    }
    true
}

/// The length of what follows a backslash, if all engines know it.
fn escape(rest: &[u8]) -> Option<usize> {
    let hex = |count: usize| {
        rest.get(1..=count)
            .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .then_some(1 + count)
    };
    match rest.first()? {
        b'x' => hex(2),
        b'u' => hex(4),
        b'd' | b'D' | b'w' | b'W' | b's' | b'S' | b'b' | b'B' | b'n' | b'r' | b't' | b'f'
        | b'v' => Some(1),
        b'0'..=b'9' => Some(1),
        byte if byte.is_ascii_punctuation() && !matches!(byte, b'<' | b'>') => Some(1),
        _ => None,
    }
}

/// Groups without names and flags; looking behind only over a fixed length.
fn is_group(rest: &[u8]) -> bool {
    match rest {
        [b':' | b'=' | b'!', ..] => true,
        [b'<', b'=' | b'!', behind @ ..] => {
            let end = behind.iter().position(|byte| *byte == b')');
            let behind = &behind[..end.unwrap_or(behind.len())];
            !behind
                .iter()
                .any(|byte| matches!(byte, b'*' | b'+' | b'?' | b'{' | b'|' | b'('))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_that_some_engine_refuses_are_found() {
        for pattern in [
            r"^[a-z\-\/]+$",
            r"^(?!foo)(?:a|b)(?<=x)y{1,3}?$",
            r"^\d{3}-\w+\.\u00e4\x41(a)\1$",
            "^[^/]+$",
        ] {
            assert!(is_portable(pattern), "{pattern}");
        }
        for pattern in [
            r"^\p{L}+$",
            r"^abc\Z",
            "^[^]*$",
            "^[]a]$",
            "(?i)^abc$",
            "(?<name>a)",
            "(?P<name>a)",
            "(?<=a+)b",
            "a++",
            "[[:alpha:]]",
            r"\u{1F600}",
            r"\",
            &"x".repeat(5000),
        ] {
            assert!(!is_portable(pattern), "{pattern}");
        }
    }
}
