//! What a client declared that it can do: the names in a `ClientCapabilities` object.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A longer object is not looked at. Real ones have some hundred bytes.
const LONGEST: usize = 64 * 1024;
/// What a session may have to remember, in bytes of names.
const MOST: usize = 2 * 1024;
/// How deep a name can stand: `elicitation.form` is the second level.
const DEEPEST: usize = 4;

/// The declared capabilities, `a.b` being `b` within `a`. A session keeps it for as long as it lasts, so it is small
/// whatever the client has sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Declared(Vec<String>);

impl Declared {
    /// Reads a `ClientCapabilities` object; what is none declares nothing.
    pub(crate) fn read(capabilities: Option<&RawValue>) -> Self {
        let raw = capabilities.map(RawValue::get);
        let short = raw.filter(|text| text.len() <= LONGEST);
        let tree = short.and_then(|text| crate::tree::read(text).ok());
        let tree: Map<String, Value> = tree.unwrap_or_default();
        let (mut names, mut room) = (Vec::new(), MOST);
        collect("", &tree, DEEPEST, &mut |name| {
            if let Some(rest) = room.checked_sub(name.len()) {
                room = rest;
                names.push(name);
            }
        });
        Self(names)
    }

    /// Whether the client has a capability. One is declared by an object, be it empty.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|known| known == name)
    }
}

/// Hands over the names of all objects within, those of one level before what is in them.
fn collect(within: &str, tree: &Map<String, Value>, depth: usize, take: &mut impl FnMut(String)) {
    let full = |name: &str| match within {
        "" => name.to_owned(),
        _ => format!("{within}.{name}"),
    };
    let inner = || {
        tree.iter()
            .filter_map(|(name, value)| Some((full(name), value.as_object()?)))
    };
    inner().for_each(|(name, _)| take(name));
    if depth > 1 {
        inner().for_each(|(name, tree)| collect(&name, tree, depth - 1, take));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Declared {
        Declared::read(Some(&RawValue::from_string(text.to_owned()).unwrap()))
    }

    #[test]
    fn objects_are_capabilities() {
        let declared = read(r#"{"elicitation":{"form":{},"url":true},"roots":null,"x":[{}]}"#);
        assert!(declared.has("elicitation") && declared.has("elicitation.form"));
        for name in [
            "elicitation.url",
            "roots",
            "x",
            "form",
            "elicitation.form.x",
            "",
        ] {
            assert!(!declared.has(name), "{name}");
        }
        for none in ["[]", "7", "{}"] {
            assert_eq!(read(none), Declared::default());
        }
        assert_eq!(Declared::read(None), Declared::default());
    }

    #[test]
    fn little_is_kept_of_much() {
        let kept = |declared: &Declared| declared.0.iter().map(String::len).sum::<usize>();
        let many: Vec<String> = (0..2000).map(|n| format!(r#""name{n}":{{}}"#)).collect();
        let many = read(&format!(
            r#"{{"elicitation":{{"url":{{}}}},{}}}"#,
            many.join(",")
        ));
        assert!(kept(&many) <= MOST && many.has("elicitation"));
        let deep = read(&format!(
            "{}{{}}{}",
            r#"{"a":"#.repeat(100),
            "}".repeat(100)
        ));
        assert!(deep.has("a.a.a.a") && !deep.has("a.a.a.a.a"));
        let long = format!(r#"{{"a":{{}},"b":"{}"}}"#, "x".repeat(LONGEST));
        assert_eq!(read(&long), Declared::default());
    }
}
