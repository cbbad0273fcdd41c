//! The types of JSON values by which a body's media type is chosen where the caller names none.

use serde_json::{Value, json};

/// What JSON ignores between its tokens (RFC 8259, section 2).
const BLANK: [char; 4] = [' ', '\t', '\n', '\r'];

/// The types of JSON values that bodies mostly are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonType {
    /// `{}`
    Object,
    /// `[]`
    Array,
    /// A text that does not begin as an object or a list does: models write those as texts at times.
    String,
}

impl JsonType {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Object, Self::Array, Self::String];

    /// The type of a value, where it is one of these.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Object(_) => Some(Self::Object),
            Value::Array(_) => Some(Self::Array),
            Value::String(text) => {
                let begins = text.trim_start_matches(BLANK);
                (!begins.starts_with(['{', '['])).then_some(Self::String)
            }
            _ => None,
        }
    }

    /// The JSON Schema of its values.
    #[must_use]
    pub fn schema(self) -> Value {
        match self {
            Self::Object | Self::Array => json!({ "type": self.name() }),
            Self::String => {
                json!({ "type": self.name(), "pattern": r"^[ \t\n\r]*(?:[^ \t\n\r{\[]|$)" })
            }
        }
    }

    /// The value of JSON Schema's `type`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_and_the_function_agree() {
        for (value, expected) in [
            (json!({}), Some(JsonType::Object)),
            (json!([1]), Some(JsonType::Array)),
            (json!("text {"), Some(JsonType::String)),
            (json!(" \n"), Some(JsonType::String)),
            (json!(""), Some(JsonType::String)),
            (json!(" \t{\"a\": 1}"), None),
            (json!("[1]"), None),
            (json!("\u{a0}["), Some(JsonType::String)),
            (json!(1), None),
            (json!(null), None),
        ] {
            assert_eq!(JsonType::of(&value), expected, "{value}");
            for kind in JsonType::ALL {
                let schema = jsonschema::validator_for(&kind.schema()).unwrap();
                assert_eq!(schema.is_valid(&value), expected == Some(kind), "{value}");
            }
        }
    }
}
