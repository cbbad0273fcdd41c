//! How a project file is laid out: line ends and indentation, so that what is added looks like what is there.

use super::edit::Edit;
use super::tree::Element;

/// The habits of a file.
pub(super) struct Layout {
    /// `\n` or `\r\n`; nothing where the file has a single line.
    line_end: &'static str,
    /// One step of indentation.
    step: String,
    /// Groups are set apart by an empty line.
    spaced: bool,
}

impl Layout {
    pub(super) fn of(text: &str, root: &Element) -> Self {
        let line_end = match text.find('\n') {
            Some(at) if text.as_bytes().get(at.wrapping_sub(1)) == Some(&b'\r') => "\r\n",
            Some(_) => "\n",
            None if root.children.is_empty() => "\n",
            None => "",
        };
        let indents = root
            .children
            .iter()
            .filter_map(|child| indent(text, child.span.start));
        let step = indents
            .into_iter()
            .find(|indent| !indent.is_empty())
            .unwrap_or_default();
        let nested = || {
            let inner = root.children.iter().flat_map(|group| &group.children);
            inner
                .filter_map(|child| indent(text, child.span.start))
                .find(|indent| !indent.is_empty())
        };
        let step = match (step, line_end) {
            (_, "") => String::new(),
            ("", _) => nested().unwrap_or("  ").to_owned(),
            (step, _) => step.to_owned(),
        };
        let mut neighbours = root.children.iter().zip(root.children.iter().skip(1));
        let spaced = neighbours.any(|(one, next)| {
            let between = text.get(one.span.end..next.span.start).unwrap_or_default();
            between.trim().is_empty() && between.matches('\n').count() > 1
        });
        Self {
            line_end,
            step,
            spaced,
        }
    }

    /// `line` as the last line of `group`.
    pub(super) fn append(&self, text: &str, group: &Element, line: &str) -> Edit {
        let outer = indent(text, group.span.start).unwrap_or_default();
        let last = group
            .children
            .last()
            .and_then(|child| indent(text, child.span.start));
        let own = last.map_or_else(|| format!("{outer}{}", self.step), str::to_owned);
        let Some(inner) = group.inner.clone() else {
            return self.opened(text, group, &[line], outer);
        };
        let content = text.get(inner.clone()).unwrap_or_default().trim_end();
        let at = inner.start + content.len();
        // A group on one line stays so.
        let broken = !group.children.is_empty() && last.is_none();
        let line_end = if broken { "" } else { self.line_end };
        let own = if broken { "" } else { own.as_str() };
        let rest = if content.is_empty() {
            format!("{line_end}{outer}")
        } else {
            text.get(at..inner.end).unwrap_or_default().to_owned()
        };
        Edit {
            range: at..inner.end,
            text: format!("{line_end}{own}{line}{rest}"),
        }
    }

    /// A new group with `line` behind the last group of that kind, or of any, or at the end of the root.
    pub(super) fn append_group(&self, text: &str, root: &Element, name: &str, line: &str) -> Edit {
        let (end, step) = (self.line_end, &self.step);
        let open = format!("<{name}>");
        let close = format!("</{name}>");
        let inner_line = format!("{step}{line}");
        if root.inner.is_none() {
            return self.opened(text, root, &[&open, &inner_line, &close], "");
        }
        let same = root.children.iter().rfind(|child| child.is(name));
        let Some(before) = same.or_else(|| root.children.last()) else {
            let at = root
                .inner
                .clone()
                .map_or(root.span.end, |inner| inner.start);
            let rest = root.inner.clone().map_or(at, |inner| inner.end);
            let kept = text.get(at..rest).unwrap_or_default().trim();
            let kept = if kept.is_empty() {
                String::new()
            } else {
                format!("{end}{step}{kept}")
            };
            return Edit {
                range: at..rest,
                text: format!(
                    "{kept}{end}{step}{open}{end}{step}{inner_line}{end}{step}{close}{end}"
                ),
            };
        };
        let at = before.span.end;
        let outer = indent(text, before.span.start).unwrap_or_default();
        let gap = if self.spaced { end } else { "" };
        Edit {
            range: at..at,
            text: format!("{gap}{end}{outer}{open}{end}{outer}{inner_line}{end}{outer}{close}"),
        }
    }

    /// `<x/>` with content.
    fn opened(&self, text: &str, element: &Element, lines: &[&str], outer: &str) -> Edit {
        let tag = text.get(element.span.clone()).unwrap_or_default();
        let tag = tag.trim_end_matches('>').trim_end_matches('/').trim_end();
        let (end, step) = (self.line_end, &self.step);
        let lines: String = lines
            .iter()
            .map(|line| format!("{end}{outer}{step}{line}"))
            .collect();
        Edit {
            range: element.span.clone(),
            text: format!("{tag}>{lines}{end}{outer}</{}>", element.name),
        }
    }
}

/// The blanks before what stands at `at`, if nothing else stands before it on its line.
fn indent(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?;
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let blanks = before.get(line..)?;
    (line > 0 && blanks.trim().is_empty()).then_some(blanks)
}
