//! What a schema says of the secrecy of its values; one rule for whoever shows, records or repeats them.

use serde_json::Value;

/// Whether values of a schema are never shown: `format: password`, what is only ever written (`writeOnly`,
/// JSON Schema validation, section 9.4), and what its author marks with `x-sensitive`.
#[must_use]
pub fn is_secret(schema: &Value) -> bool {
    let says = |keyword: &str| schema.get(keyword) == Some(&Value::Bool(true));
    says("writeOnly")
        || says("x-sensitive")
        || schema
            .get("format")
            .is_some_and(|format| format == "password")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn three_words_make_a_value_secret() {
        for (schema, secret) in [
            (json!({"format": "password"}), true),
            (json!({"writeOnly": true}), true),
            (json!({"x-sensitive": true}), true),
            (
                json!({"format": "uuid", "writeOnly": false, "x-sensitive": "yes"}),
                false,
            ),
            (json!(true), false),
        ] {
            assert_eq!(is_secret(&schema), secret, "{schema}");
        }
    }
}
