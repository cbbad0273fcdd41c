//! Where the elements of a project file stand: byte ranges, so that an edit touches nothing else.

use std::ops::Range;

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

/// Deeper nesting is refused.
const DEPTH: usize = 64;
/// More elements are refused.
const ELEMENTS: usize = 200_000;

/// An element of a file.
#[derive(Debug)]
pub(super) struct Element {
    /// Its name as written.
    pub(super) name: String,
    pub(super) attributes: Vec<Attribute>,
    /// All of it.
    pub(super) span: Range<usize>,
    /// What stands between its tags; nothing for `<x/>`.
    pub(super) inner: Option<Range<usize>>,
    pub(super) children: Vec<Self>,
}

/// An attribute of an element.
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) name: String,
    /// Unescaped.
    pub(super) value: String,
    /// The value as written, without quotes.
    pub(super) raw: Range<usize>,
}

impl Element {
    /// An attribute's value; `MSBuild` knows one spelling of each.
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|one| one.name == name)
    }

    /// Whether the element is written under a condition.
    pub(super) fn conditional(&self) -> bool {
        self.attribute("Condition")
            .is_some_and(|one| !one.value.trim().is_empty())
    }

    /// Whether it has this name, in any letter case, as `MSBuild` compares.
    pub(super) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

/// Reads the elements of `text`, which has no byte order mark; gives the root.
///
/// # Errors
/// What is wrong with the file, for people.
pub(super) fn read(text: &str) -> Result<Element, String> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut count = 0_usize;
    loop {
        let start = position(&reader);
        let event = reader
            .read_event()
            .map_err(|error| format!("it is no well-formed XML: {error}"))?;
        let end = position(&reader);
        let done = match event {
            Event::Start(tag) => {
                count += 1;
                if open.len() == DEPTH || count > ELEMENTS {
                    return Err(
                        "it has too many elements, or too many within each other".to_owned()
                    );
                }
                let mut element = element(text, &tag, start..end)?;
                element.inner = Some(end..end);
                open.push(element);
                None
            }
            Event::Empty(tag) => {
                count += 1;
                Some(element(text, &tag, start..end)?)
            }
            Event::End(_) => open.pop().map(|mut element| {
                element.span.end = end;
                element.inner = element.inner.map(|inner| inner.start..start);
                element
            }),
            Event::Eof => return Err("it ends before its root element does".to_owned()),
            _ => None,
        };
        if let Some(element) = done {
            match open.last_mut() {
                Some(parent) => parent.children.push(element),
                None => return Ok(element),
            }
        }
    }
}

fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

fn element(text: &str, tag: &BytesStart<'_>, span: Range<usize>) -> Result<Element, String> {
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| format!("it is no well-formed XML: {error}"))?;
        let value = attribute.value.as_ref();
        // Borrowed from `text`, since the reader reads from a slice.
        let start = value.as_ptr().addr().wrapping_sub(text.as_ptr().addr());
        let raw = start..start.wrapping_add(value.len());
        if text.get(raw.clone()) != Some(value) {
            return Err("its attributes cannot be found again".to_owned());
        }
        attributes.push(Attribute {
            name: attribute.key.as_ref().to_owned(),
            value: unescape(value).map_or_else(|_| value.to_owned(), Into::into),
            raw,
        });
    }
    Ok(Element {
        name: tag.name().as_ref().to_owned(),
        attributes,
        span,
        inner: None,
        children: Vec::new(),
    })
}
