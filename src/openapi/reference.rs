//! References: local JSON pointers into the normal form, and following chains of them.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

/// Longer chains of references than this are a loop or an attack.
const LONGEST_CHAIN: usize = 32;

/// The node that a local reference such as `#/components/schemas/Pet` names (RFC 6901, section 6:
/// the fragment is percent-decoded first, then `~1` and `~0`).
pub(super) fn lookup<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let fragment = reference.strip_prefix('#')?;
    // A key may hold a percent sign that was not escaped; the text as written comes second.
    match decoded(fragment) {
        Cow::Borrowed(pointer) => root.pointer(pointer),
        Cow::Owned(pointer) => root.pointer(&pointer).or_else(|| root.pointer(fragment)),
    }
}

/// A URI fragment as a JSON pointer.
pub(super) fn decoded(fragment: &str) -> Cow<'_, str> {
    if !fragment.contains('%') {
        return Cow::Borrowed(fragment);
    }
    match percent_decode_str(fragment).decode_utf8() {
        Ok(text) => text,
        Err(_) => Cow::Borrowed(fragment),
    }
}

/// The text of a `$ref` member.
pub(crate) fn reference_of(node: &Value) -> Option<&str> {
    node.get("$ref")?.as_str()
}

/// What a node is once its references are followed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Followed<'a> {
    /// The node at the end of the chain.
    pub(super) node: &'a Map<String, Value>,
    /// The nearest Reference Object, whose `summary` and `description` override the node's.
    pub(super) reference: Option<&'a Map<String, Value>>,
}

impl<'a> Followed<'a> {
    /// `summary` or `description`, the reference's own first (OpenAPI 3.1, Reference Object).
    pub(super) fn text(&self, member: &str) -> Option<&'a str> {
        let nearest = self.reference.and_then(|reference| text(reference, member));
        nearest.or_else(|| text(self.node, member))
    }
}

/// A member that is a non-empty text.
pub(super) fn text<'a>(object: &'a Map<String, Value>, member: &str) -> Option<&'a str> {
    let found = object.get(member)?.as_str()?;
    (!found.trim().is_empty()).then_some(found)
}

/// Follows a node's `$ref` until something else comes. The error says what was found instead of
/// an object.
pub(super) fn follow<'a>(root: &'a Value, node: &'a Value) -> Result<Followed<'a>, String> {
    let mut current = node;
    let mut nearest = None;
    for _ in 0..LONGEST_CHAIN {
        let Some(object) = current.as_object() else {
            return Err(format!("expected an object, found {}", kind(current)));
        };
        let Some(reference) = reference_of(current) else {
            return Ok(Followed {
                node: object,
                reference: nearest,
            });
        };
        nearest = nearest.or(Some(object));
        current = lookup(root, reference)
            .ok_or_else(|| format!("the reference {reference:?} leads nowhere"))?;
    }
    Err(format!(
        "the references run in a circle or through more than {LONGEST_CHAIN} stations"
    ))
}

/// What a value is, in words.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pointers_are_unescaped_in_the_order_of_the_rfc() {
        let root =
            json!({"paths": {"/a/{id}": {"get": 1}, "~1": 2, "50%25": 3, "x y": {"é": [4]}}});
        let table = [
            ("#/paths/~1a~1{id}/get", Some(1)),
            ("#/paths/~1a~1%7Bid%7D/get", Some(1)),
            ("#/paths/%7E1a%7E1%7Bid%7D/get", Some(1)),
            ("#/paths/~01", Some(2)),
            ("#/paths/50%25", Some(3)),
            ("#/paths/x%20y/%C3%A9/0", Some(4)),
            ("#/paths/x%20y/%C3%A9/1", None),
            ("#/nowhere", None),
            ("other.yaml#/paths", None),
        ];
        for (reference, expected) in table {
            let found = lookup(&root, reference).and_then(Value::as_i64);
            assert_eq!(found, expected, "{reference}");
        }
    }

    #[test]
    fn chains_are_followed_and_circles_are_cut() {
        let root = json!({
            "a": {"$ref": "#/b", "description": "near"},
            "b": {"$ref": "#/c", "description": "middle"},
            "c": {"description": "far", "summary": "s"},
            "x": {"$ref": "#/y"}, "y": {"$ref": "#/x"}, "self": {"$ref": "#/self"},
            "n": {"$ref": "#/none"}, "t": {"$ref": "#/text"}, "text": "t",
        });
        let found = follow(&root, &root["a"]).unwrap();
        assert_eq!(found.text("description"), Some("near"));
        assert_eq!(found.text("summary"), Some("s"));
        for (name, message) in [
            ("x", "circle"),
            ("self", "circle"),
            ("n", "nowhere"),
            ("t", "found a text"),
        ] {
            let error = follow(&root, &root[name]).unwrap_err();
            assert!(error.contains(message), "{name}: {error}");
        }
    }
}
