//! Which values are files, in a place where another media type of the same body takes something else.

use serde_json::{Value, json};

/// What an object that is a file has; one of the first two holds its content.
const MEMBERS: [&str; 4] = ["data", "text", "filename", "contentType"];
/// Base64 (RFC 4648) in either alphabet, with line breaks or without, or a `data:` URL.
const ENCODED: &str = r"^(?:data:|[\t\n\f\r ]*(?:(?:[A-Za-z0-9+/_-][\t\n\f\r ]*){4})*(?:(?:[A-Za-z0-9+/_-][\t\n\f\r ]*){2,3})?(?:=[\t\n\f\r ]*)*$)";

/// Whether a value is a file or a list of files. `literal`: a text is one whatever is in it.
#[must_use]
pub fn is_upload(value: &Value, literal: bool) -> bool {
    match value {
        Value::Array(list) => list.iter().all(|one| is_file(one, literal)),
        one => is_file(one, literal),
    }
}

fn is_file(value: &Value, literal: bool) -> bool {
    match value {
        Value::String(text) => literal || is_encoded(text),
        Value::Object(members) => {
            let known = members.keys().all(|name| MEMBERS.contains(&name.as_str()));
            known && (members.contains_key("data") || members.contains_key("text"))
        }
        _ => false,
    }
}

fn is_encoded(text: &str) -> bool {
    let mut rest = text.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let mut digits = 0_usize;
    let first_other = rest.find(|byte| {
        let digit = byte.is_ascii_alphanumeric() || b"+/_-".contains(byte);
        digits += usize::from(digit);
        !digit
    });
    let ends = first_other.is_none_or(|byte| byte == b'=') && rest.all(|byte| byte == b'=');
    text.starts_with("data:") || ends && digits % 4 != 1
}

/// The JSON Schema of what [`is_upload`] says yes to.
#[must_use]
pub fn upload_schema(literal: bool) -> Value {
    let text = if literal {
        json!({ "type": "string" })
    } else {
        json!({ "type": "string", "pattern": ENCODED })
    };
    let members = json!({
        "type": "object",
        "propertyNames": { "enum": MEMBERS },
        "anyOf": [{ "required": ["data"] }, { "required": ["text"] }],
    });
    let file = json!({ "anyOf": [text, members] });
    json!({ "anyOf": [file, { "type": "array", "items": file }] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_and_the_function_agree() {
        for (value, expected) in [
            (json!("aGk="), true),
            (json!("aGk"), true),
            (json!(" aG\nk= \n"), true),
            (json!("-_8"), true),
            (json!(""), true),
            (json!("data:text/plain,x y"), true),
            (json!("alpha"), false),
            (json!("https://a.test/"), false),
            (json!("a=k="), false),
            (json!("aGk=\u{a0}"), false),
            (json!({"data": "anything"}), true),
            (
                json!({"text": "a", "filename": "b", "contentType": "c/d"}),
                true,
            ),
            (json!({"filename": "b"}), false),
            (json!({"data": "aGk=", "url": "x"}), false),
            (json!(["aGk=", {"text": "x"}]), true),
            (json!([]), true),
            (json!(["aGk=", "not one!"]), false),
            (json!([["aGk="]]), false),
            (json!(null), false),
            (json!(5), false),
        ] {
            let schema = jsonschema::validator_for(&upload_schema(false)).unwrap();
            assert_eq!(is_upload(&value, false), expected, "{value}");
            assert_eq!(schema.is_valid(&value), expected, "{value}");
            let literal = jsonschema::validator_for(&upload_schema(true)).unwrap();
            assert_eq!(literal.is_valid(&value), is_upload(&value, true), "{value}");
        }
        assert!(is_upload(&json!("not one!"), true));
    }
}
