//! Conditions as they are written.

use serde_json::Value;

use super::Fault;
use crate::tool::Condition;

/// Conditions within conditions.
const DEEPEST: usize = 8;

/// `always`, `never`, true, false, an argument's name, or an object with one of `given`, `is`, `ends`, `all`,
/// `any` and `not`.
pub(super) fn read(value: &Value, at: &str, depth: usize) -> Result<Condition, Fault> {
    let not_one = || {
        Fault::new(
            at,
            "expected always, never, an argument's name, or an object with one of given, is, ends, all, any and not",
        )
    };
    if depth > DEEPEST {
        return Err(Fault::new(at, "conditions are nested too deeply"));
    }
    let object = match value {
        Value::Bool(true) => return Ok(Condition::Always),
        Value::Bool(false) => return Ok(Condition::Never),
        Value::String(word) => {
            return Ok(match word.as_str() {
                "always" => Condition::Always,
                "never" => Condition::Never,
                name => Condition::Given(name.to_owned()),
            });
        }
        Value::Object(object) => object,
        Value::Null | Value::Number(_) | Value::Array(_) => return Err(not_one()),
    };
    let mut members = object.iter();
    let (Some((kind, inner)), None) = (members.next(), members.next()) else {
        return Err(not_one());
    };
    let at = format!("{at}/{kind}");
    match (kind.as_str(), inner) {
        ("given", Value::String(name)) => Ok(Condition::Given(name.clone())),
        ("is", inner) => compared(inner, &at).map(|(name, texts)| Condition::Is(name, texts)),
        ("ends", inner) => compared(inner, &at).map(|(name, texts)| Condition::Ends(name, texts)),
        ("all", Value::Array(items)) => several(items, &at, depth).map(Condition::All),
        ("any", Value::Array(items)) => several(items, &at, depth).map(Condition::Any),
        ("not", inner) => {
            let inner = read(inner, &at, depth + 1)?;
            Ok(Condition::Not(Box::new(inner)))
        }
        _ => Err(not_one()),
    }
}

fn several(items: &[Value], at: &str, depth: usize) -> Result<Vec<Condition>, Fault> {
    let one = |(index, item)| read(item, &format!("{at}/{index}"), depth + 1);
    items.iter().enumerate().map(one).collect()
}

/// `{argument: text}` or `{argument: [texts]}`.
fn compared(value: &Value, at: &str) -> Result<(String, Vec<String>), Fault> {
    let wrong = || Fault::new(at, "expected one argument with a text or a list of texts");
    let object = value.as_object().filter(|object| object.len() == 1);
    let (name, value) = object
        .and_then(|object| object.iter().next())
        .ok_or_else(wrong)?;
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    let texts: Option<Vec<String>> = match value {
        Value::Array(items) => items.iter().map(text).collect(),
        one => text(one).map(|text| vec![text]),
    };
    Ok((name.clone(), texts.ok_or_else(wrong)?))
}
