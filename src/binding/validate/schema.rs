//! Reading the schema around a fault, and taking out patterns that cannot be compiled.

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::pointer::unescape;
use crate::tool::is_secret;

/// References that are followed from one fault's place.
const MAX_REFERENCES: usize = 64;

/// The schema that holds a failed keyword.
pub(super) struct Site<'a> {
    /// `None` where the path could not be followed.
    pub(super) schema: Option<&'a Value>,
    /// The value there, or something around it, is secret.
    pub(super) secret: bool,
}

/// Follows a keyword's evaluation path (JSON Schema core, section 12.3.1), references included, from the root.
pub(super) fn site<'a>(root: &'a Value, evaluation_path: &str) -> Site<'a> {
    let mut secret = is_secret(root);
    let mut schema = root;
    let mut references = 0;
    let segments: Vec<&str> = evaluation_path.split('/').skip(1).collect();
    let around = segments.len().saturating_sub(1);
    for segment in &segments[..around] {
        let next = if *segment == "$ref" {
            references += 1;
            reference(root, schema).filter(|_| references <= MAX_REFERENCES)
        } else {
            child(schema, segment)
        };
        let Some(next) = next else {
            return Site {
                schema: None,
                secret,
            };
        };
        schema = next;
        secret |= is_secret(schema);
    }
    Site {
        schema: Some(schema),
        secret,
    }
}

/// A schema with its reference followed.
pub(super) fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..MAX_REFERENCES {
        match reference(root, schema) {
            Some(next) => schema = next,
            None => break,
        }
    }
    schema
}

fn reference<'a>(root: &'a Value, schema: &Value) -> Option<&'a Value> {
    target(root, schema.get("$ref")?.as_str()?)
}

/// What a reference within the schema leads to.
pub(super) fn target<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let fragment = reference.strip_prefix('#')?;
    root.pointer(&percent_decode_str(fragment).decode_utf8().ok()?)
}

fn child<'a>(value: &'a Value, segment: &str) -> Option<&'a Value> {
    match value {
        Value::Array(items) => items.get(segment.parse::<usize>().ok()?),
        Value::Object(members) => members.get(&*unescape(segment)),
        _ => None,
    }
}

/// Removes every `pattern` that `refused` says cannot be compiled, and `patternProperties` by their
/// names. Values that are data (`enum`, `const`, `default`, `examples`) stay as they are.
pub(super) fn drop_patterns(schema: &mut Value, refused: &dyn Fn(&str) -> bool) {
    // A parsed tree is at most as deep as the parser allows, so this recursion is bounded.
    match schema {
        Value::Object(members) => {
            let bad = members
                .get("pattern")
                .is_some_and(|pattern| pattern.as_str().is_some_and(refused));
            if bad {
                members.shift_remove("pattern");
            }
            if let Some(Value::Object(named)) = members.get_mut("patternProperties") {
                let all = named.len();
                named.retain(|pattern, _| !refused(pattern));
                if named.len() < all {
                    // Whatever they let in is not known any more.
                    members.shift_remove("additionalProperties");
                    members.shift_remove("unevaluatedProperties");
                }
            }
            for (key, value) in members.iter_mut() {
                if !matches!(key.as_str(), "enum" | "const" | "default" | "examples") {
                    drop_patterns(value, refused);
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                drop_patterns(item, refused);
            }
        }
        _ => {}
    }
}
