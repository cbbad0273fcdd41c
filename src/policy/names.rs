//! Names that say that their value is a secret: to anybody, or by a schema's word.

use std::collections::HashSet;

use regex::Regex;
use serde_json::Value;

use super::redact::DEEPEST;
use crate::tool::is_secret;

/// Schemas looked at for one tool's names; what is beyond them counts as secret.
const WORK: usize = 1_000_000;
/// Patterns of names; a name is compared with each.
const MOST_PATTERNS: usize = 64;
/// Keywords whose schema is of the same value, or of parts of it that have no name of their own.
const UNNAMED: [&str; 9] = [
    "if",
    "then",
    "else",
    "items",
    "contains",
    "unevaluatedItems",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
];
/// The same, with a list of schemas.
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/// `X-Api-Key`, `x_api_key` and `xApiKey` are one name.
pub(super) fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Names that are secret as a whole.
const WHOLE: [&str; 9] = [
    "token",
    "tokens",
    "pwd",
    "pass",
    "cookie",
    "setcookie",
    "credential",
    "credentials",
    "jwt",
];

/// Names that are secret whatever is before them.
const ENDS: [&str; 20] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "accountkey",
    "signingkey",
    "encryptionkey",
    "accesstoken",
    "refreshtoken",
    "idtoken",
    "authtoken",
    "sessiontoken",
    "bearertoken",
    "authorization",
    "connectionstring",
    "clientsecrets",
];

/// Whether a plain name says that what it names is a secret.
pub(super) fn names_a_secret(plain: &str) -> bool {
    WHOLE.contains(&plain) || ENDS.iter().any(|end| plain.ends_with(end))
}

/// The members that schemas mark as secret (`format: password`, `writeOnly`, `x-sensitive`), by their names
/// alone: what is masked need not be where the schema has it. Where a schema has no name to go by, more is
/// secret rather than less.
#[derive(Debug, Clone, Default)]
pub struct SecretNames {
    names: HashSet<String>,
    /// Of `patternProperties`.
    patterns: Vec<Regex>,
    /// No name tells secret members from others.
    all: bool,
}

impl SecretNames {
    /// Adds what a schema says, wherever in it.
    pub fn learn(&mut self, schema: &Value) {
        let mut work = WORK;
        self.all |= holds_secret(schema, schema, &mut work);
        self.collect(schema, schema, 0, &mut work);
    }

    /// Whether a member of this name is secret.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.all
            || self.names.contains(name)
            || self.patterns.iter().any(|pattern| pattern.is_match(name))
    }

    fn collect(&mut self, root: &Value, schema: &Value, depth: usize, work: &mut usize) {
        if depth > DEEPEST {
            return;
        }
        match schema {
            Value::Object(members) => {
                let named = |keyword: &str| members.get(keyword).and_then(Value::as_object);
                for (name, schema) in named("properties").into_iter().flatten() {
                    if holds_secret(root, schema, work) {
                        self.names.insert(name.clone());
                    }
                }
                for (pattern, schema) in named("patternProperties").into_iter().flatten() {
                    if holds_secret(root, schema, work) {
                        self.learn_pattern(pattern);
                    }
                }
                for member in members.values() {
                    self.collect(root, member, depth + 1, work);
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.collect(root, item, depth + 1, work);
                }
            }
            _ => {}
        }
    }

    /// ECMA 262 has expressions that this engine has not; then every name may be meant.
    fn learn_pattern(&mut self, pattern: &str) {
        if self.patterns.iter().any(|known| known.as_str() == pattern) {
            return;
        }
        match Regex::new(pattern) {
            Ok(pattern) if self.patterns.len() < MOST_PATTERNS => self.patterns.push(pattern),
            _ => self.all = true,
        }
    }
}

impl<S: Into<String>> Extend<S> for SecretNames {
    fn extend<I: IntoIterator<Item = S>>(&mut self, names: I) {
        self.names.extend(names.into_iter().map(Into::into));
    }
}

/// Whether a schema's own value is secret, or a part of it that has no name of its own. Gives up with yes.
fn holds_secret(root: &Value, schema: &Value, work: &mut usize) -> bool {
    let mut met = HashSet::new();
    let mut waiting = vec![schema];
    while let Some(schema) = waiting.pop() {
        let Some(left) = work.checked_sub(1) else {
            return true;
        };
        *work = left;
        if is_secret(schema) {
            return true;
        }
        let Value::Object(members) = schema else {
            continue;
        };
        let target = members.get("$ref").and_then(Value::as_str);
        if let Some(target) = target.and_then(|to| root.pointer(to.strip_prefix('#')?))
            && met.insert(std::ptr::from_ref(target))
        {
            waiting.push(target);
        }
        waiting.extend(UNNAMED.iter().filter_map(|keyword| members.get(*keyword)));
        let lists = LISTS.iter().filter_map(|keyword| members.get(*keyword));
        waiting.extend(lists.filter_map(Value::as_array).flatten());
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::patterns::has_trigger;
    use super::*;

    #[test]
    fn names_are_found_where_a_schema_hides_them() {
        let mut names = SecretNames::default();
        names.learn(&json!({
            "properties": {
                "settings": {"patternProperties": {"^SECRET_": {"type": "string", "writeOnly": true}, "^PLAIN_": {}}},
                "by_reference": {"$ref": "#/$defs/Key"},
                "either": {"anyOf": [{"type": "null"}, {"allOf": [{"format": "password"}]}]},
                "list": {"items": {"x-sensitive": true}},
                "map": {"additionalProperties": {"$ref": "#/$defs/Key"}},
                "tree": {"$ref": "#/$defs/Tree"},
                "plain": {"properties": {"inner": {"type": "string"}}}
            },
            "$defs": {
                "Key": {"x-sensitive": true},
                "Tree": {"items": {"$ref": "#/$defs/Tree"}, "anyOf": [{"$ref": "#/$defs/Tree"}]}
            }
        }));
        for (name, secret) in [
            ("SECRET_1", true),
            ("by_reference", true),
            ("either", true),
            ("list", true),
            ("map", true),
            ("PLAIN_1", false),
            ("settings", false),
            ("tree", false),
            ("plain", false),
            ("inner", false),
        ] {
            assert_eq!(names.has(name), secret, "{name}");
        }
    }

    #[test]
    fn names_that_nobody_can_tell_are_all_secret() {
        for schema in [
            json!({"patternProperties": {"^(?!plain)": {"writeOnly": true}}}),
            json!({"additionalProperties": {"format": "password"}}),
        ] {
            let mut names = SecretNames::default();
            names.learn(&schema);
            assert!(names.has("any"), "{schema}");
        }
        let mut names = SecretNames::default();
        names.learn(&json!({"patternProperties": {"^(?!plain)": {"type": "string"}}}));
        assert!(!names.has("any"));
    }

    #[test]
    fn every_name_of_a_secret_has_a_trigger() {
        for name in WHOLE.iter().chain(&ENDS) {
            assert!(has_trigger(name), "{name}");
        }
    }
}
