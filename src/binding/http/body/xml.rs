//! XML bodies, written by the schema's `xml` objects (OpenAPI 3.2, section 4.24).

use serde_json::Value;

use super::super::style;
use crate::tool::{XmlNames, XmlText};

/// Deeper values are refused: the writer recurses.
const MAX_DEPTH: usize = 128;

/// Writes a document whose root is `names`; `root` where that has no name.
///
/// # Errors
/// What XML cannot hold.
pub(super) fn write(value: &Value, names: &XmlNames) -> Result<String, String> {
    let mut writer = Writer::new();
    let root = if names.name.is_empty() {
        "root"
    } else {
        &names.name
    };
    match value {
        // A root cannot be repeated, so its items always stand inside it.
        Value::Array(items) => writer.wrapped(root, items, names, 0)?,
        other => writer.element(root, other, names, 0)?,
    }
    Ok(writer.out)
}

/// The same for an object whose members are given one by one.
///
/// # Errors
/// What XML cannot hold.
pub(super) fn write_members(
    members: &[(&str, &Value)],
    names: &XmlNames,
) -> Result<String, String> {
    let mut writer = Writer::new();
    let root = if names.name.is_empty() {
        "root"
    } else {
        &names.name
    };
    writer.object(root, members, names, 0)?;
    Ok(writer.out)
}

struct Writer {
    out: String,
}

impl Writer {
    fn new() -> Self {
        Self {
            out: r#"<?xml version="1.0" encoding="UTF-8"?>"#.to_owned(),
        }
    }

    fn element(
        &mut self,
        own: &str,
        value: &Value,
        names: &XmlNames,
        depth: usize,
    ) -> Result<(), String> {
        if depth > MAX_DEPTH {
            return Err(format!("expected at most {MAX_DEPTH} nested elements"));
        }
        // A root without an element would be no document.
        if depth > 0
            && let Some(kind) = names.text
            && !value.is_object()
        {
            return self.text(value, kind, depth);
        }
        match value {
            Value::Object(members) => {
                let members: Vec<_> = members
                    .iter()
                    .map(|(name, value)| (name.as_str(), value))
                    .collect();
                self.object(own, &members, names, depth)
            }
            Value::Array(items) if names.wrapped => self.wrapped(own, items, names, depth),
            Value::Array(items) => {
                let item_names = names.items.as_deref();
                // An unwrapped array's elements have the items' name if they have one.
                let name = item_names
                    .map(|item| item.name.as_str())
                    .filter(|name| !name.is_empty())
                    .unwrap_or(own);
                let fallback = XmlNames::default();
                let item_names = item_names.unwrap_or(&fallback);
                items
                    .iter()
                    .try_for_each(|item| self.element(name, item, item_names, depth + 1))
            }
            scalar => {
                let name = self.open(own, names)?;
                match style::scalar(scalar).filter(|text| !text.is_empty()) {
                    None => self.out.push_str("/>"),
                    Some(text) => {
                        self.out.push('>');
                        escape(&mut self.out, &text)?;
                        self.close(&name);
                    }
                }
                Ok(())
            }
        }
    }

    /// Writes a scalar, or those of a list one after the other, without any element around them.
    fn text(&mut self, value: &Value, kind: XmlText, depth: usize) -> Result<(), String> {
        match (value, kind) {
            (Value::Array(items), kind) if depth <= MAX_DEPTH => items
                .iter()
                .try_for_each(|item| self.text(item, kind, depth + 1)),
            (scalar, XmlText::Plain) => {
                style::scalar(scalar).map_or(Ok(()), |text| escape(&mut self.out, &text))
            }
            (scalar, XmlText::Cdata) => {
                style::scalar(scalar).map_or(Ok(()), |text| sections(&mut self.out, &text))
            }
        }
    }

    fn wrapped(
        &mut self,
        own: &str,
        items: &[Value],
        names: &XmlNames,
        depth: usize,
    ) -> Result<(), String> {
        let name = self.open(own, names)?;
        self.out.push('>');
        let fallback = XmlNames::default();
        let item_names = names.items.as_deref().unwrap_or(&fallback);
        let item = match item_names.name.as_str() {
            "" => own,
            name => name,
        };
        for value in items {
            self.element(item, value, item_names, depth + 1)?;
        }
        self.close(&name);
        Ok(())
    }

    fn object(
        &mut self,
        own: &str,
        members: &[(&str, &Value)],
        names: &XmlNames,
        depth: usize,
    ) -> Result<(), String> {
        let fallback = XmlNames::default();
        let of = |name: &str| {
            let found = names
                .properties
                .iter()
                .find(|(property, _)| property == name);
            found.map_or(&fallback, |(_, names)| names)
        };
        let name = self.open(own, names)?;
        let (attributes, elements): (Vec<_>, Vec<_>) =
            members.iter().partition(|(name, _)| of(name).attribute);
        for (property, value) in attributes {
            if let Some(text) = style::scalar(value) {
                let names = of(property);
                let attribute = qualified(local(property, names), names.prefix.as_deref())?;
                self.namespace(names);
                self.out.push_str(&format!(" {attribute}=\""));
                escape(&mut self.out, &text)?;
                self.out.push('"');
            }
        }
        if elements.is_empty() {
            self.out.push_str("/>");
            return Ok(());
        }
        self.out.push('>');
        for (property, value) in elements {
            let names = of(property);
            self.element(local(property, names), value, names, depth + 1)?;
        }
        self.close(&name);
        Ok(())
    }

    /// Writes `<name` and its namespace declaration; gives the qualified name.
    fn open(&mut self, own: &str, names: &XmlNames) -> Result<String, String> {
        let name = qualified(own, names.prefix.as_deref())?;
        self.out.push('<');
        self.out.push_str(&name);
        self.namespace(names);
        Ok(name)
    }

    fn namespace(&mut self, names: &XmlNames) {
        if let Some(namespace) = &names.namespace {
            let prefix = names.prefix.as_deref().filter(|prefix| !prefix.is_empty());
            let declared = prefix.map_or_else(String::new, |prefix| format!(":{prefix}"));
            let mut uri = String::new();
            // A namespace is a URI: it has no character that XML lacks.
            let _ = escape(&mut uri, namespace);
            self.out.push_str(&format!(" xmlns{declared}=\"{uri}\""));
        }
    }

    fn close(&mut self, name: &str) {
        self.out.push_str(&format!("</{name}>"));
    }
}

fn local<'a>(property: &'a str, names: &'a XmlNames) -> &'a str {
    if names.name.is_empty() {
        property
    } else {
        &names.name
    }
}

/// `prefix:name`, checked: a property's name comes from the caller where the schema is open.
fn qualified(name: &str, prefix: Option<&str>) -> Result<String, String> {
    let start = |c: char| c.is_alphabetic() || c == '_';
    let rest = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    let fits = name.starts_with(start) && name.chars().all(rest);
    if !fits {
        return Err(format!("`{name}` cannot be the name of an XML element"));
    }
    Ok(match prefix.filter(|prefix| !prefix.is_empty()) {
        Some(prefix) => format!("{prefix}:{name}"),
        None => name.to_owned(),
    })
}

/// Writes text as `CDATA` sections (XML 1.0, section 2.7). What ends one is divided between two, and a
/// carriage return, which a parser would normalise, stands between them as a reference.
fn sections(out: &mut String, text: &str) -> Result<(), String> {
    for (index, line) in text.split('\r').enumerate() {
        if index > 0 {
            out.push_str("&#13;");
        }
        if line.is_empty() {
            continue;
        }
        if let Some(control) = line.chars().find(|c| is_absent(*c)) {
            return Err(absent(control));
        }
        out.push_str("<![CDATA[");
        out.push_str(&line.replace("]]>", "]]]]><![CDATA[>"));
        out.push_str("]]>");
    }
    Ok(())
}

/// Whether XML has no such character, not even as a reference (XML 1.0, section 2.2).
fn is_absent(character: char) -> bool {
    let control = character < ' ' && !matches!(character, '\t' | '\r' | '\n');
    control || matches!(character, '\u{fffe}' | '\u{ffff}')
}

fn absent(character: char) -> String {
    format!(
        "U+{:04X} cannot stand in an XML document",
        u32::from(character)
    )
}

/// Escapes text for content and attributes alike; line breaks as references, so that no
/// parser normalises them (XML 1.0, sections 2.11 and 3.3.3).
fn escape(out: &mut String, text: &str) -> Result<(), String> {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\r' | '\n' => out.push_str(&format!("&#{};", u32::from(character))),
            other if is_absent(other) => return Err(absent(other)),
            other => out.push(other),
        }
    }
    Ok(())
}
