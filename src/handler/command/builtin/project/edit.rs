//! Edits of a project file's text (pure): every byte that is not part of the edit stays.
//!
//! Where something goes follows `MSBuild`'s own heuristics: a property is set where it stands last without
//! condition, else it goes into the first unconditioned group; an item joins items of its type.

use std::ops::Range;

use super::layout::Layout;
use super::tree::{Element, read};

/// A text after an edit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edited {
    /// The new text; nothing where it stays as it was.
    pub(super) text: Option<String>,
    /// What stood there: a property's value as written.
    pub(super) previous: Option<String>,
    /// How many definitions under a condition were left alone.
    pub(super) conditional: usize,
}

/// Sets a property to an unevaluated value.
///
/// # Errors
/// The file is no project.
pub(super) fn set_property(text: &str, name: &str, value: &str) -> Result<Edited, String> {
    let root = project(text)?;
    let found = properties(&root, name);
    let conditional = found.iter().filter(|one| one.conditional).count();
    let last = found.iter().rfind(|one| !one.conditional);
    let escaped = escape(value);
    let (edit, previous) = match last {
        Some(found) => replace_value(text, found.element, &escaped),
        None => {
            let line = format!("<{name}>{escaped}</{name}>");
            (Some(insert_property(text, &root, &line)), None)
        }
    };
    Ok(Edited {
        text: edit.map(|edit| edit.apply(text)),
        previous,
        conditional,
    })
}

/// Removes every definition of a property, conditions or not.
///
/// # Errors
/// The file is no project.
pub(super) fn remove_property(text: &str, name: &str) -> Result<Edited, String> {
    let root = project(text)?;
    let found = properties(&root, name);
    let previous = found
        .last()
        .and_then(|one| one.element.inner.clone())
        .and_then(|inner| text.get(inner))
        .map(unescape);
    let gone: Vec<&Element> = found.iter().map(|one| one.element).collect();
    Ok(Edited {
        text: remove(text, &root, "PropertyGroup", &gone),
        previous,
        conditional: 0,
    })
}

/// Adds an item, unless the same one is there without condition.
///
/// # Errors
/// The file is no project.
pub(super) fn add_item(text: &str, kind: &str, include: &str) -> Result<Edited, String> {
    let root = project(text)?;
    let groups = || groups(&root, "ItemGroup").filter(|group| !group.conditional());
    let there = groups()
        .flat_map(|group| &group.children)
        .filter(|item| item.is(kind) && !item.conditional())
        .filter_map(|item| item.attribute("Include"))
        .any(|one| pieces(&one.value).any(|piece| same(piece, include)));
    if there {
        return Ok(Edited {
            text: None,
            previous: None,
            conditional: 0,
        });
    }
    let layout = Layout::of(text, &root);
    let end = if text.contains("\"/>") && !text.contains("\" />") {
        "/>"
    } else {
        " />"
    };
    let line = format!("<{kind} Include=\"{}\"{end}", escape(include));
    let joined = groups().rfind(|group| group.children.iter().any(|item| item.is(kind)));
    let edit = match joined {
        Some(group) => layout.append(text, group, &line),
        None => layout.append_group(text, &root, "ItemGroup", &line),
    };
    Ok(Edited {
        text: Some(edit.apply(text)),
        previous: None,
        conditional: 0,
    })
}

/// Removes every item of a type with this include, conditions or not; of a list the one entry.
///
/// # Errors
/// The file is no project.
pub(super) fn remove_item(text: &str, kind: &str, include: &str) -> Result<Edited, String> {
    let root = project(text)?;
    let mut gone = Vec::new();
    let mut shortened = Vec::new();
    for item in groups(&root, "ItemGroup").flat_map(|group| &group.children) {
        let Some(attribute) = item.attribute("Include").filter(|_| item.is(kind)) else {
            continue;
        };
        let kept: Vec<&str> = pieces(&attribute.value)
            .filter(|piece| !same(piece, include))
            .collect();
        if kept.is_empty() {
            gone.push(item);
        } else if kept.len() < pieces(&attribute.value).count() {
            shortened.push(Edit {
                range: attribute.raw.clone(),
                text: escape(&kept.join(";")),
            });
        }
    }
    let mut edits = removals(text, &root, "ItemGroup", &gone);
    edits.extend(shortened);
    Ok(Edited {
        text: apply(text, edits),
        previous: None,
        conditional: 0,
    })
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    /// What is replaced.
    pub(super) range: Range<usize>,
    /// By what.
    pub(super) text: String,
}

impl Edit {
    fn apply(self, text: &str) -> String {
        apply(text, vec![self]).unwrap_or_else(|| text.to_owned())
    }
}

/// Applies edits that do not overlap; nothing where there are none.
fn apply(text: &str, mut edits: Vec<Edit>) -> Option<String> {
    edits.sort_by_key(|edit| edit.range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in &edits {
        out.push_str(text.get(at..edit.range.start)?);
        out.push_str(&edit.text);
        at = edit.range.end;
    }
    out.push_str(text.get(at..)?);
    (!edits.is_empty()).then_some(out)
}

fn project(text: &str) -> Result<Element, String> {
    let root = read(text)?;
    if root.name == "Project" {
        Ok(root)
    } else {
        Err(format!(
            "its root element is `{}`, not `Project`",
            root.name
        ))
    }
}

fn groups<'e>(
    root: &'e Element,
    name: &'static str,
) -> impl DoubleEndedIterator<Item = &'e Element> {
    root.children.iter().filter(move |child| child.is(name))
}

/// A definition of a property.
struct Found<'e> {
    element: &'e Element,
    /// It, or its group, stands under a condition.
    conditional: bool,
}

fn properties<'e>(root: &'e Element, name: &str) -> Vec<Found<'e>> {
    let of_group = |group: &'e Element| {
        let named = group.children.iter().filter(|child| child.is(name));
        named.map(|element| Found {
            element,
            conditional: group.conditional() || element.conditional(),
        })
    };
    groups(root, "PropertyGroup").flat_map(of_group).collect()
}

fn replace_value(text: &str, element: &Element, escaped: &str) -> (Option<Edit>, Option<String>) {
    let Some(inner) = element.inner.clone() else {
        let tag = text.get(element.span.clone()).unwrap_or_default();
        let tag = tag.trim_end_matches('>').trim_end_matches('/').trim_end();
        let edit = (!escaped.is_empty()).then(|| Edit {
            range: element.span.clone(),
            text: format!("{tag}>{escaped}</{}>", element.name),
        });
        return (edit, Some(String::new()));
    };
    let previous = text.get(inner.clone()).unwrap_or_default();
    let edit = (previous != escaped).then(|| Edit {
        range: inner,
        text: escaped.to_owned(),
    });
    (edit, Some(unescape(previous)))
}

fn insert_property(text: &str, root: &Element, line: &str) -> Edit {
    let layout = Layout::of(text, root);
    match groups(root, "PropertyGroup").find(|group| !group.conditional()) {
        Some(group) => layout.append(text, group, line),
        None => layout.append_group(text, root, "PropertyGroup", line),
    }
}

fn remove(text: &str, root: &Element, group: &'static str, gone: &[&Element]) -> Option<String> {
    apply(text, removals(text, root, group, gone))
}

/// The lines of `gone`; with the last of a plain group, the group.
fn removals(text: &str, root: &Element, group: &'static str, gone: &[&Element]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for group in groups(root, group) {
        let within = |element: &&&Element| group.span.contains(&element.span.start);
        let leaving: Vec<&&Element> = gone.iter().filter(within).collect();
        let emptied = leaving.len() == group.children.len() && group.attributes.is_empty();
        if leaving.is_empty() {
            continue;
        }
        if emptied && only_elements(text, group) {
            edits.push(line_of(text, &group.span));
        } else {
            edits.extend(leaving.iter().map(|element| line_of(text, &element.span)));
        }
    }
    edits
}

/// Whether nothing but blanks stands between a group's elements: no comment is lost with it.
fn only_elements(text: &str, group: &Element) -> bool {
    let Some(inner) = group.inner.clone() else {
        return true;
    };
    let mut at = inner.start;
    for child in &group.children {
        if !text
            .get(at..child.span.start)
            .unwrap_or("x")
            .trim()
            .is_empty()
        {
            return false;
        }
        at = child.span.end;
    }
    text.get(at..inner.end).unwrap_or("x").trim().is_empty()
}

/// `span` with the line break and the blanks before it, where it stands alone on its lines.
fn line_of(text: &str, span: &Range<usize>) -> Edit {
    let before = text.get(..span.start).unwrap_or_default();
    let after = text.get(span.end..).unwrap_or_default();
    let blanks = before.trim_end_matches([' ', '\t']);
    let alone = blanks.ends_with('\n')
        && after
            .trim_start_matches([' ', '\t'])
            .starts_with(['\r', '\n']);
    let start = if alone {
        let line = blanks.strip_suffix('\n').unwrap_or(blanks);
        line.strip_suffix('\r').unwrap_or(line).len()
    } else {
        span.start
    };
    Edit {
        range: start..span.end,
        text: String::new(),
    }
}

/// The entries of a list.
fn pieces(list: &str) -> impl Iterator<Item = &str> {
    list.split(';')
        .map(str::trim)
        .filter(|piece| !piece.is_empty())
}

/// `MSBuild` compares without regard to letter case and to the kind of slash.
fn same(one: &str, other: &str) -> bool {
    let plain = |text: &str| text.trim().replace('\\', "/").to_lowercase();
    plain(one) == plain(other)
}

/// For element and attribute values.
fn escape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
    out
}

fn unescape(raw: &str) -> String {
    quick_xml::escape::unescape(raw).map_or_else(|_| raw.to_owned(), Into::into)
}
