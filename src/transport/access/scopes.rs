//! The scopes of a token: read from its claims, with what broader ones stand for.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Scopes of one token that are looked at.
const MOST: usize = 1000;

/// The scopes in these claims, each a text with spaces (RFC 9068, section 2.2.3) or a list, sorted. A scope brings
/// what it implies, and what that implies.
pub(super) fn scopes(
    claims: &Map<String, Value>,
    names: &[String],
    implied: &[(String, Vec<String>)],
) -> Vec<Box<str>> {
    let mut found: BTreeSet<&str> = BTreeSet::new();
    for value in names.iter().filter_map(|name| claims.get(name)) {
        match value {
            Value::String(text) => found.extend(text.split_ascii_whitespace().take(MOST)),
            Value::Array(items) => found.extend(items.iter().filter_map(Value::as_str).take(MOST)),
            _ => {}
        }
    }
    let mut open: Vec<&str> = found.iter().copied().collect();
    while let Some(broad) = open.pop() {
        let narrower = implied.iter().filter(|(name, _)| name == broad);
        for scope in narrower.flat_map(|(_, scopes)| scopes) {
            // What was there before has been looked at.
            if found.insert(scope) {
                open.push(scope);
            }
        }
    }
    found.into_iter().map(Into::into).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(claims: &Value) -> Vec<String> {
        let names = ["scope", "scp"].map(str::to_owned);
        let implied = [
            ("admin", &["write", "audit"][..]),
            ("write", &["read"]),
            ("read", &["admin-less", "read"]),
        ];
        let implied = implied.map(|(broad, narrow)| {
            (
                broad.to_owned(),
                narrow.iter().map(|one| (*one).to_owned()).collect(),
            )
        });
        let found = scopes(claims.as_object().unwrap(), &names, &implied);
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn texts_and_lists_are_read() {
        assert_eq!(
            read(&json!({"scope": " b  a b", "scp": ["d", 1, "c"]})),
            ["a", "b", "c", "d"]
        );
        for none in [
            json!({}),
            json!({"scope": 7}),
            json!({"scope": ""}),
            json!({"scopes": "a"}),
        ] {
            assert!(read(&none).is_empty(), "{none}");
        }
    }

    #[test]
    fn broader_scopes_bring_narrower_ones() {
        assert_eq!(
            read(&json!({"scp": "write"})),
            ["admin-less", "read", "write"]
        );
        let all = ["admin", "admin-less", "audit", "read", "write"];
        assert_eq!(read(&json!({"scope": "admin"})), all);
    }
}
