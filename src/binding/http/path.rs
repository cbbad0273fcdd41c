//! Path parameters. A value is always data: whatever it holds, the path keeps its shape.

use serde_json::{Map, Value};

use super::style::{self, Shape};
use super::{fault, value};
use crate::binding::Fault;
use crate::tool::{HttpTarget, Location, Parameter, PathPart, Style};

/// Appends the path. Optional parameters at its end are left out together with their slash.
///
/// # Errors
/// A fault for each value that cannot be one segment: an empty one, `.`, `..`, and a missing one
/// that something follows.
pub(super) fn write(
    out: &mut String,
    target: &HttpTarget,
    arguments: &Map<String, Value>,
) -> Result<(), Vec<Fault>> {
    let start = out.len();
    let mut faults = Vec::new();
    let mut written = Vec::new();
    let parts = &target.path.parts;
    for (index, part) in parts.iter().enumerate() {
        let before = out.len();
        let (name, catch_all) = match part {
            PathPart::Literal(text) => {
                out.push_str(text);
                continue;
            }
            PathPart::Parameter { name, catch_all } => (name, *catch_all),
        };
        let Some(parameter) = parameter(target, name) else {
            return Err(vec![unknown(name)]);
        };
        let Some(value) = value(parameter, arguments) else {
            if !parameter.required {
                match omit(target, &parts[index + 1..], parameter, arguments) {
                    Ok(()) => {
                        drop_separator(out, start);
                        break;
                    }
                    Err(fault) => faults.push(fault),
                }
            }
            written.push(Written::nothing(before));
            continue;
        };
        let done = if catch_all {
            write_catch_all(out, value)
        } else {
            write_value(out, parameter, value)
        };
        if let Err(message) = done.and_then(|()| not_empty(&out[before..])) {
            faults.push(fault(&parameter.argument, "path", message));
            out.truncate(before);
            written.push(Written::nothing(before));
            continue;
        }
        written.push(Written {
            at: before,
            argument: Some(&parameter.argument),
        });
    }
    dot_segments(out, start, &written, &mut faults);
    if out.len() == start {
        out.push('/');
    }
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults)
    }
}

/// Where in the path a parameter's value begins.
struct Written<'a> {
    at: usize,
    /// None where the value is at fault already, so that nothing stands there.
    argument: Option<&'a str>,
}

impl Written<'_> {
    fn nothing(at: usize) -> Self {
        Self { at, argument: None }
    }
}

fn parameter<'a>(target: &'a HttpTarget, name: &str) -> Option<&'a Parameter> {
    target
        .parameters
        .iter()
        .find(|parameter| parameter.location == Location::Path && parameter.name == name)
}

fn unknown(name: &str) -> Fault {
    Fault {
        path: String::new(),
        keyword: "path".to_owned(),
        message: format!("the path names a parameter `{name}` that the operation does not have"),
    }
}

/// Whether everything after an omitted parameter can go too.
fn omit(
    target: &HttpTarget,
    rest: &[PathPart],
    omitted: &Parameter,
    arguments: &Map<String, Value>,
) -> Result<(), Fault> {
    for part in rest {
        match part {
            PathPart::Literal(text) if text == "/" || text == "." => {}
            PathPart::Literal(_) => return Err(Fault::missing(&omitted.argument)),
            PathPart::Parameter { name, .. } => {
                let follower = parameter(target, name);
                let given = follower.is_none_or(|follower| {
                    follower.required || value(follower, arguments).is_some()
                });
                if given {
                    return Err(fault(
                        &omitted.argument,
                        "required",
                        format!(
                            "missing argument `{}`: it stands before `{name}` in the path",
                            omitted.argument
                        ),
                    ));
                }
            }
        }
    }
    Ok(())
}

fn drop_separator(out: &mut String, start: usize) {
    if out.len() > start && out.ends_with(['/', '.']) {
        out.pop();
    }
}

fn write_value(out: &mut String, parameter: &Parameter, value: &Value) -> Result<(), String> {
    if parameter.content.is_some() {
        style::encode(out, &super::query::content_text(parameter, value));
        return Ok(());
    }
    let Some(shape) = Shape::of(value) else {
        return Ok(());
    };
    if shape.is_empty() {
        return Err("expected at least one item, found an empty list".to_owned());
    }
    style::check_delimiter(&shape, parameter.style)?;
    let explode = parameter.explode;
    match parameter.style {
        Style::Label => {
            out.push('.');
            let separator = if explode { "." } else { "," };
            style::join(out, &shape, separator, explode, style::encode);
        }
        Style::Matrix => write_matrix(out, parameter, &shape),
        other => {
            let (_, separator, _) = style::delimiter(other);
            style::join(out, &shape, separator, explode, style::encode);
        }
    }
    Ok(())
}

fn write_matrix(out: &mut String, parameter: &Parameter, shape: &Shape<'_>) {
    match shape {
        Shape::Single(text) => matrix_pair(out, &parameter.name, text),
        Shape::Items(items) if parameter.explode => {
            for item in items {
                matrix_pair(out, &parameter.name, item);
            }
        }
        Shape::Pairs(pairs) if parameter.explode => {
            for (name, text) in pairs {
                matrix_pair(out, name, text);
            }
        }
        Shape::Items(_) | Shape::Pairs(_) => {
            matrix_pair(out, &parameter.name, "");
            out.push('=');
            style::join(out, shape, ",", false, style::encode);
        }
    }
}

/// `;name=value` (RFC 6570, section 3.2.7); an empty value has no `=`.
fn matrix_pair(out: &mut String, name: &str, text: &str) {
    out.push(';');
    style::encode(out, name);
    if !text.is_empty() {
        out.push('=');
        style::encode(out, text);
    }
}

/// A catch-all keeps the slashes between its segments; a leading one would double the template's.
fn write_catch_all(out: &mut String, value: &Value) -> Result<(), String> {
    let segments: Vec<_> = match Shape::of(value) {
        None => Vec::new(),
        Some(Shape::Items(items)) => items,
        Some(_) if value.is_object() => return Err("expected a text, found an object".to_owned()),
        Some(_) => {
            let Some(text) = style::scalar(value) else {
                return Ok(());
            };
            return write_segments(out, text.trim_start_matches('/').split('/'));
        }
    };
    write_segments(out, segments.iter().map(AsRef::as_ref))
}

fn write_segments<'a>(
    out: &mut String,
    segments: impl Iterator<Item = &'a str>,
) -> Result<(), String> {
    let mut segments = segments.peekable();
    let mut first = true;
    while let Some(segment) = segments.next() {
        if !first {
            out.push('/');
        }
        let trailing = !first && segments.peek().is_none();
        if segment.is_empty() && !trailing {
            return Err("expected no empty path segment".to_owned());
        }
        if segment == "." || segment == ".." {
            return Err(format!("expected no path segment `{segment}`"));
        }
        style::encode(out, segment);
        first = false;
    }
    Ok(())
}

fn not_empty(written: &str) -> Result<(), String> {
    if written.is_empty() {
        return Err(
            "expected a value that is not empty, since it is a part of the path".to_owned(),
        );
    }
    Ok(())
}

/// `.` and `..` are resolved by every URL parser (RFC 3986, section 5.2.4), and so are their escaped forms
/// (WHATWG URL, section 4.1), which a template's own text may hold: no segment with a value may be one. A segment that lacks a value is not
/// judged: it will be another one.
fn dot_segments(out: &str, start: usize, written: &[Written<'_>], faults: &mut Vec<Fault>) {
    let mut from = start;
    for segment in out[start..].split('/') {
        let to = from + segment.len();
        if is_dots(segment) {
            let mut within = written.iter().filter(|one| (from..=to).contains(&one.at));
            let first = within.next().and_then(|one| one.argument);
            let first = first.filter(|_| within.all(|one| one.argument.is_some()));
            faults.extend(first.map(|argument| {
                let message = format!("expected a path value that is not `{segment}`");
                fault(argument, "path", message)
            }));
        }
        from = to + 1;
    }
}

/// Whether a segment is one or two dots, escaped or not.
fn is_dots(segment: &str) -> bool {
    let mut rest = segment.as_bytes();
    for _ in 0..2 {
        rest = match rest {
            [b'.', rest @ ..] | [b'%', b'2', b'e' | b'E', rest @ ..] => rest,
            _ => return false,
        };
        if rest.is_empty() {
            return true;
        }
    }
    false
}
