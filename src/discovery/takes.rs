//! Which types of values a schema takes, as far as its types tell.

use serde_json::Value;

use super::defs::Definitions;

/// The most schemas looked at: parts of parts multiply.
const MAX_LOOKS: usize = 200;

/// Whether a schema takes some value of this type, as far as its own types tell.
pub(super) fn takes<'d: 's, 's>(
    schema: &'s Value,
    name: &str,
    definitions: &Definitions<'d>,
) -> bool {
    takes_within(schema, name, definitions, &mut MAX_LOOKS.clone())
}

/// `left` is how many more schemas may be looked at.
fn takes_within<'d: 's, 's>(
    schema: &'s Value,
    name: &str,
    definitions: &Definitions<'d>,
    left: &mut usize,
) -> bool {
    let Some(known) = definitions.resolve(schema).filter(|_| *left > 0) else {
        return true;
    };
    *left -= 1;
    let Value::Object(map) = known else {
        return *known != Value::Bool(false);
    };
    match map.get("type") {
        Some(Value::String(own)) => return own == name,
        Some(Value::Array(names)) => return names.iter().any(|own| own == name),
        _ => {}
    }
    let mut all_take = |keyword: &str, all: bool| {
        let Some(parts) = map.get(keyword).and_then(Value::as_array) else {
            return true;
        };
        let mut parts = parts.iter();
        let mut one = |part: &'s Value| takes_within(part, name, definitions, left);
        if all {
            parts.all(&mut one)
        } else {
            parts.any(&mut one)
        }
    };
    all_take("allOf", true) && all_take("anyOf", false) && all_take("oneOf", false)
}
