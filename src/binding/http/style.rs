//! What all styles share (OpenAPI 3.2, section 4.12; RFC 6570): a value cut into its parts, and
//! the percent-encoding of each part.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::tool::Style;

/// Everything but RFC 3986's unreserved characters.
const DATA: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// What reserved expansion still encodes in a query: what is no URI character, what ends the
/// query, and what would be read as the border of a pair or as a space. `,` and `|` only
/// where they are a delimiter, which [`encode_reserved`] is told.
const RESERVED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'&')
    .add(b'+')
    .add(b'<')
    .add(b'=')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');
const RESERVED_ITEM: &AsciiSet = &RESERVED.add(b',');

/// A value as styles see it.
#[derive(Debug, PartialEq)]
pub(super) enum Shape<'a> {
    /// A text, number or boolean.
    Single(Cow<'a, str>),
    /// An array's items; nulls are left out (RFC 6570, section 2.3: undefined).
    Items(Vec<Cow<'a, str>>),
    /// An object's members; nulls are left out.
    Pairs(Vec<(&'a str, Cow<'a, str>)>),
}

impl<'a> Shape<'a> {
    /// Cuts `value`; `None` for null. What is nested deeper than styles reach becomes JSON text.
    pub(super) fn of(value: &'a Value) -> Option<Self> {
        Some(match value {
            Value::Null => return None,
            Value::Array(items) => Self::Items(items.iter().filter_map(scalar).collect()),
            Value::Object(members) => Self::Pairs(
                members
                    .iter()
                    .filter_map(|(name, value)| Some((name.as_str(), scalar(value)?)))
                    .collect(),
            ),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => Self::Single(scalar(value)?),
        })
    }

    /// Whether there is nothing to write; RFC 6570 treats an empty list as undefined.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Single(_) => false,
            Self::Items(items) => items.is_empty(),
            Self::Pairs(pairs) => pairs.is_empty(),
        }
    }

    /// Every text in it.
    pub(super) fn texts(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match self {
            Self::Single(text) => Box::new(std::iter::once(text.as_ref())),
            Self::Items(items) => Box::new(items.iter().map(AsRef::as_ref)),
            Self::Pairs(pairs) => {
                Box::new(pairs.iter().flat_map(|(name, text)| [*name, text.as_ref()]))
            }
        }
    }
}

/// The text of a primitive: numbers in their own digits. Null has none; arrays and objects are
/// JSON text.
pub(super) fn scalar(value: &Value) -> Option<Cow<'_, str>> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(true) => Cow::Borrowed("true"),
        Value::Bool(false) => Cow::Borrowed("false"),
        Value::Number(number) => Cow::Borrowed(number.as_str()),
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(_) | Value::Object(_) => Cow::Owned(value.to_string()),
    })
}

/// Percent-encodes everything but unreserved characters.
pub(super) fn encode(out: &mut String, text: &str) {
    out.extend(utf8_percent_encode(text, DATA));
}

/// Reserved expansion (RFC 6570, section 3.2.3): reserved characters and percent-encoded triplets
/// stay, except where they would change what the query means. `item` says that a comma is a delimiter.
pub(super) fn encode_reserved(out: &mut String, text: &str, item: bool) {
    let set = if item { RESERVED_ITEM } else { RESERVED };
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.extend(utf8_percent_encode(&rest[..at], set));
        let triplet = rest.as_bytes().get(at + 1..at + 3);
        let stays = triplet.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        out.push_str(if stays { "%" } else { "%25" });
        rest = &rest[at + 1..];
    }
    out.extend(utf8_percent_encode(rest, set));
}

/// Joins a shape's parts: items by `separator`; members as `name=value` when exploded, otherwise
/// as `name`, `separator`, `value`.
pub(super) fn join(
    out: &mut String,
    shape: &Shape<'_>,
    separator: &str,
    explode: bool,
    write: impl Fn(&mut String, &str),
) {
    match shape {
        Shape::Single(text) => write(out, text),
        Shape::Items(items) => {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(separator);
                }
                write(out, item);
            }
        }
        Shape::Pairs(pairs) => {
            for (index, (name, text)) in pairs.iter().enumerate() {
                if index > 0 {
                    out.push_str(separator);
                }
                write(out, name);
                out.push_str(if explode { "=" } else { separator });
                write(out, text);
            }
        }
    }
}

/// The character that stands between items, its spelling in a URL, and its name.
pub(super) fn delimiter(style: Style) -> (char, &'static str, &'static str) {
    match style {
        Style::SpaceDelimited => (' ', "%20", "a space"),
        Style::PipeDelimited => ('|', "%7C", "`|`"),
        Style::TabDelimited => ('\t', "%09", "a tab"),
        Style::Simple | Style::Label | Style::Matrix | Style::Form | Style::DeepObject => {
            (',', ",", "`,`")
        }
    }
}

/// Refuses parts that hold the delimiter where the wire cannot tell the two apart.
pub(super) fn check_delimiter(shape: &Shape<'_>, style: Style) -> Result<(), String> {
    let (character, _, name) = delimiter(style);
    let ambiguous = character != ','
        && !matches!(shape, Shape::Single(_))
        && shape.texts().any(|text| text.contains(character));
    if ambiguous {
        return Err(format!(
            "expected items without {name}, which separates the items of this list"
        ));
    }
    Ok(())
}
