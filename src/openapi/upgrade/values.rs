//! Values that contradict their schema by a slip of writing: constants of another type than the
//! declared one, and regular expressions between slashes. To the letter no value would fit.

use serde_json::{Map, Number, Value};

use super::super::finding::{Findings, Place};

/// Constants that a message names.
const MAX_NAMED: usize = 5;

/// Reads the constants of a schema as its only type where that loses nothing. Where none can be of
/// it, the constants know better: the type goes.
pub(super) fn constants(map: &mut Map<String, Value>, place: &Place, findings: &mut Findings) {
    let Some(scalar) = only_scalar(map.get("type")) else {
        constants_of_items(map, place, findings);
        return;
    };
    for keyword in ["enum", "const"] {
        let values = match map.get_mut(keyword) {
            Some(Value::Array(values)) if keyword == "enum" => values.as_mut_slice(),
            Some(value) if keyword == "const" => std::slice::from_mut(value),
            _ => continue,
        };
        let wrong: Vec<String> = values
            .iter()
            .filter(|value| !scalar.takes(value))
            .take(MAX_NAMED)
            .map(Value::to_string)
            .collect();
        if wrong.is_empty() {
            continue;
        }
        for value in values.iter_mut() {
            if let Some(cast) = scalar.cast(value) {
                *value = cast;
            }
        }
        let any = values.iter().any(|value| scalar.takes(value));
        let done = if any {
            "read as such"
        } else {
            "the type is ignored"
        };
        let name = scalar.name();
        if !any {
            map.shift_remove("type");
        } else if let Some(default) = map.get_mut("default")
            && let Some(cast) = scalar.cast(default)
        {
            *default = cast;
        }
        if let Some(Value::Array(values)) = map.get_mut("enum") {
            distinct(values);
        }
        findings.warn(
            "enum-type",
            &place.member(keyword),
            format!(
                "expected values of type {name}, found {}; {done}",
                wrong.join(", ")
            ),
            "quote texts that look like numbers, or correct the type",
        );
    }
}

/// Constants that stand beside the type array and are none go to the items, which is what people
/// mean by them. Beside the type object they go where the schema says of itself that it has members,
/// else the type does. To the letter no value would fit.
fn constants_of_items(map: &mut Map<String, Value>, place: &Place, findings: &mut Findings) {
    let Some(name @ ("array" | "object")) = only_type(map.get("type")) else {
        return;
    };
    let (is_list, name) = (name == "array", name.to_owned());
    for keyword in ["enum", "const"] {
        let values = match map.get(keyword) {
            Some(Value::Array(values)) if keyword == "enum" => values.as_slice(),
            Some(value) if keyword == "const" => std::slice::from_ref(value),
            _ => continue,
        };
        let any = values.iter().any(|value| match value {
            Value::Array(_) => is_list,
            Value::Object(_) => !is_list,
            _ => false,
        });
        let found: Vec<&Value> = values.iter().filter(|value| !value.is_null()).collect();
        if any || found.is_empty() {
            continue;
        }
        let shown: Vec<String> = found
            .iter()
            .take(MAX_NAMED)
            .map(|value| value.to_string())
            .collect();
        let found = found.into_iter().cloned().collect();
        let done = if is_list {
            constrain_items(map, keyword, found)
        } else if MEMBERS.iter().any(|member| map.contains_key(*member)) {
            map.shift_remove(keyword);
            "they are ignored"
        } else {
            map.shift_remove("type");
            "the type is ignored"
        };
        findings.warn(
            "enum-type",
            &place.member(keyword),
            format!(
                "expected values of type {name}, found {}; {done}",
                shown.join(", ")
            ),
            "write an array's constants into its items, or correct the type",
        );
    }
}

/// Keywords by which a schema says that its values have members.
const MEMBERS: [&str; 4] = [
    "properties",
    "additionalProperties",
    "patternProperties",
    "required",
];

/// Moves a list's constants to its items, unless those say something of the kind themselves; says
/// what was done.
fn constrain_items(map: &mut Map<String, Value>, keyword: &str, found: Vec<Value>) -> &'static str {
    map.shift_remove(keyword);
    if matches!(map.get("items"), Some(Value::Null | Value::Bool(true))) {
        map.shift_remove("items");
    }
    let items = map.entry("items").or_insert_with(|| Map::new().into());
    let Value::Object(own) = items else {
        return "they are ignored";
    };
    if ["enum", "const", "$ref", "allOf", "oneOf", "anyOf"]
        .iter()
        .any(|settled| own.contains_key(*settled))
    {
        return "they are ignored";
    }
    own.insert("enum".to_owned(), found.into());
    "read as those of the items"
}

/// A scalar type of JSON Schema.
#[derive(Debug, Clone, Copy)]
enum Scalar {
    Text,
    Integer,
    Number,
    Boolean,
}

impl Scalar {
    fn name(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
        }
    }

    /// Whether a value is of the type, or null, which is another keyword's matter.
    fn takes(self, value: &Value) -> bool {
        match (self, value) {
            (_, Value::Null)
            | (Self::Text, Value::String(_))
            | (Self::Number, Value::Number(_))
            | (Self::Boolean, Value::Bool(_)) => true,
            (Self::Integer, Value::Number(number)) => is_whole(number),
            _ => false,
        }
    }

    /// The value as the type, where it is another's and each says the same.
    fn cast(self, value: &Value) -> Option<Value> {
        match (self, value) {
            (Self::Text, Value::Number(number)) => Some(number.to_string().into()),
            (Self::Text, Value::Bool(flag)) => Some(flag.to_string().into()),
            (Self::Integer | Self::Number, Value::String(text)) => {
                let number: Number = text.parse().ok()?;
                let same = number.to_string() == *text;
                let fits = same && self.takes(&Value::Number(number.clone()));
                fits.then_some(Value::Number(number))
            }
            (Self::Boolean, Value::String(text)) => text.parse().ok().map(Value::Bool),
            _ => None,
        }
    }
}

/// The type where it is one scalar, with or without null.
fn only_scalar(written: Option<&Value>) -> Option<Scalar> {
    Some(match only_type(written)? {
        "string" => Scalar::Text,
        "integer" => Scalar::Integer,
        "number" => Scalar::Number,
        "boolean" => Scalar::Boolean,
        _ => return None,
    })
}

/// The type where it is one, with or without null.
fn only_type(written: Option<&Value>) -> Option<&str> {
    let names = match written? {
        Value::Array(names) => names.as_slice(),
        name => std::slice::from_ref(name),
    };
    let mut names = names
        .iter()
        .filter_map(Value::as_str)
        .filter(|name| *name != "null");
    let only = names.next()?;
    names.next().is_none().then_some(only)
}

/// `1.0` is an integer (JSON Schema 2020-12, Validation, section 6.1.1).
fn is_whole(number: &Number) -> bool {
    let text = number.to_string();
    match text.split_once('.') {
        _ if text.contains(['e', 'E']) => number.as_f64().is_some_and(|value| value.fract() == 0.0),
        Some((_, fraction)) => fraction.bytes().all(|digit| digit == b'0'),
        None => true,
    }
}

fn distinct(values: &mut Vec<Value>) {
    let mut seen = std::collections::HashSet::new();
    values.retain(|value| seen.insert(value.to_string()));
}

/// `/^a+$/i` is how programming languages write an expression with its flags; JSON Schema has neither
/// slashes nor flags. Only where an anchor stands beside a slash is that sure.
pub(super) fn delimiters(map: &mut Map<String, Value>, place: &Place, findings: &mut Findings) {
    let Some(Value::String(pattern)) = map.get_mut("pattern") else {
        return;
    };
    let Some((bare, flags)) = delimited(pattern) else {
        return;
    };
    // These do not matter where a text is only looked at once, and every text is of characters.
    let harmless = flags.bytes().all(|flag| b"guy".contains(&flag));
    let done = if harmless {
        "the slashes are left out"
    } else {
        "it has flags, so it is ignored"
    };
    let message = format!("expected a bare regular expression, found {pattern:?}; {done}");
    if harmless {
        *pattern = bare.to_owned();
    } else {
        map.shift_remove("pattern");
    }
    findings.warn(
        "pattern-delimiters",
        &place.member("pattern"),
        message,
        "write the expression without slashes and flags",
    );
}

/// The expression between the slashes, and the flags after them.
fn delimited(pattern: &str) -> Option<(&str, &str)> {
    let (bare, flags) = pattern.strip_prefix('/')?.rsplit_once('/')?;
    let known = flags.len() <= 8 && flags.bytes().all(|flag| flag.is_ascii_alphabetic());
    let ends = bare.ends_with('$') && !bare.ends_with("\\$") && !bare.contains('|');
    (known && (bare.starts_with('^') || ends)).then_some((bare, flags))
}
