//! The headers of a multipart body's parts (OpenAPI 3.2, section 4.15.1).

use http::{HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::super::finding::Place;
use super::super::reference::follow;
use super::{Context, flag};

/// They frame the part, and the bridge writes them itself.
const OWN: [&str; 4] = [
    "content-disposition",
    "content-length",
    "content-transfer-encoding",
    "content-type",
];

/// The required headers of the part `property` that can have only one value, with that value. No
/// argument stands for the others.
pub(super) fn of_part(
    node: Option<&Value>,
    property: &str,
    place: &Place,
    context: &mut Context<'_>,
) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    for (name, node) in node.and_then(Value::as_object).into_iter().flatten() {
        let Ok(found) = follow(context.root, node) else {
            continue;
        };
        let own = OWN.iter().any(|own| name.eq_ignore_ascii_case(own));
        if own || flag(found.node, "required") != Some(true) {
            continue;
        }
        match value(found.node, context.root) {
            Some(value) if HeaderName::try_from(name).is_ok() => {
                headers.push((name.clone(), value));
            }
            _ => context.findings.warn(
                "part-header",
                place.pointer(),
                format!("the part {property:?} needs the header {name:?}, whose value nobody knows; it is not sent"),
                "give the header's schema a const or a default",
            ),
        }
    }
    headers
}

fn value(header: &Map<String, Value>, root: &Value) -> Option<String> {
    let schema = follow(root, header.get("schema")?).ok()?.node;
    let only = || match schema.get("enum")?.as_array()?.as_slice() {
        [one] => Some(one),
        _ => None,
    };
    let value = schema.get("const").or_else(only);
    let text = match value.or_else(|| schema.get("default"))? {
        Value::String(text) => text.clone(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
        scalar => scalar.to_string(),
    };
    let writable = HeaderValue::try_from(text.as_str());
    writable
        .is_ok_and(|value| value.to_str().is_ok())
        .then_some(text)
}
