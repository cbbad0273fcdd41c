//! A body's value as it is read by the codecs, whichever arguments it comes from.

use serde_json::Value;

/// A body's value: one argument, or the members that are arguments of their own.
pub(super) enum BodyValue<'a> {
    Whole(&'a Value),
    Flat(Vec<(&'a str, &'a Value)>),
}

impl BodyValue<'_> {
    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Whole(Value::Null))
    }

    /// This member of the body, where there is one that is not null.
    pub(super) fn get(&self, property: &str) -> Option<&Value> {
        let member = match self {
            Self::Flat(members) => {
                let named = members.iter().find(|(name, _)| *name == property);
                named.map(|(_, value)| *value)
            }
            Self::Whole(value) => value.get(property),
        };
        member.filter(|value| !value.is_null())
    }

    /// The members of an object body.
    pub(super) fn members(&self) -> Result<Vec<(&str, &Value)>, &'static str> {
        match self {
            Self::Flat(members) => Ok(members.clone()),
            Self::Whole(Value::Object(members)) => Ok(members
                .iter()
                .map(|(name, value)| (name.as_str(), value))
                .collect()),
            Self::Whole(_) => Err("expected an object, since the body is a form"),
        }
    }

    pub(super) fn to_json(&self) -> Vec<u8> {
        match self {
            Self::Whole(value) => json(value),
            Self::Flat(members) => {
                let mut out = vec![b'{'];
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    out.extend(json(name));
                    out.push(b':');
                    out.extend(json(value));
                }
                out.push(b'}');
                out
            }
        }
    }

    /// A line for each item of an array; anything else is one line. In a sequence each begins with a
    /// record separator (RFC 7464, section 2.2).
    pub(super) fn to_json_lines(&self, sequence: bool) -> Vec<u8> {
        const SEPARATOR: &[u8] = &[0x1e];
        let before = if sequence { SEPARATOR } else { &[] };
        let mut out = Vec::new();
        match self {
            Self::Whole(Value::Array(items)) => {
                for item in items {
                    out.extend(before);
                    out.extend(json(item));
                    out.push(b'\n');
                }
            }
            Self::Whole(_) | Self::Flat(_) => {
                out.extend(before);
                out.extend(self.to_json());
                out.push(b'\n');
            }
        }
        out
    }

    pub(super) fn to_text(&self) -> String {
        match self {
            Self::Whole(Value::String(text)) => text.clone(),
            Self::Whole(value) => value.to_string(),
            Self::Flat(_) => String::from_utf8_lossy(&self.to_json()).into_owned(),
        }
    }
}

fn json(value: &(impl serde::Serialize + ?Sized)) -> Vec<u8> {
    serde_json::to_vec(value).expect("a tree with string keys always has a JSON text")
}
