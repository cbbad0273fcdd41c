//! Names that say that their value is a secret: to anybody, or by a schema's word.

use std::collections::HashSet;

use serde_json::Value;

use super::redact::DEEPEST;
use crate::tool::is_secret;

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

/// The names of a schema's members that are secret: `format: password`, `writeOnly`, `x-sensitive`.
#[must_use]
pub fn secret_names(schema: &Value) -> HashSet<String> {
    let mut names = HashSet::new();
    collect(schema, 0, &mut names);
    names
}

fn collect(schema: &Value, depth: usize, names: &mut HashSet<String>) {
    if depth > DEEPEST {
        return;
    }
    match schema {
        Value::Object(members) => {
            if let Some(Value::Object(properties)) = members.get("properties") {
                let secret = properties.iter().filter(|(_, schema)| is_secret(schema));
                names.extend(secret.map(|(name, _)| name.clone()));
            }
            for member in members.values() {
                collect(member, depth + 1, names);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect(item, depth + 1, names);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::patterns::has_trigger;
    use super::*;

    #[test]
    fn every_name_of_a_secret_has_a_trigger() {
        for name in WHOLE.iter().chain(&ENDS) {
            assert!(has_trigger(name), "{name}");
        }
    }
}
