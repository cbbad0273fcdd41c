//! Path templates: OpenAPI's `{id}`, and the route templates ASP.NET leaks into documents
//! (`{id:int?}`, `{*slug}`, `{page=1}`).

use crate::tool::{PathPart, PathTemplate};

/// A template cut apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Cut {
    /// The parts, literals already percent-encoded.
    pub(super) template: PathTemplate,
    /// What is known of each parameter, in the template's order.
    pub(super) slots: Vec<Slot>,
    /// Pairs of a query that stands in the template.
    pub(super) query: Vec<Pair>,
}

/// One pair of a query that stands in a template, as written there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair {
    /// Before the equals sign.
    pub(super) name: String,
    /// After it.
    pub(super) value: PairValue,
}

/// What stands behind the name of a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PairValue {
    /// Nothing, not even an equals sign.
    Bare,
    /// A text.
    Text(String),
    /// The value of the parameter of this name: `{name}`.
    Parameter(String),
}

/// One parameter of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    /// The parameter's name.
    pub(super) name: String,
    /// `{id?}` or `{id=1}`.
    pub(super) optional: bool,
    /// The text after `=`.
    pub(super) default: Option<String>,
    /// Nothing but optional parameters follows: the path may end before it.
    pub(super) trailing: bool,
}

enum Piece<'a> {
    Literal(&'a str),
    Braces(&'a str),
}

/// Cuts `template`; `declared` are the names of the document's path parameters.
pub(super) fn cut(template: &str, declared: &[&str]) -> Cut {
    let (path, query) = split_query(template);
    let path = without_expansion(path);
    let mut result = Cut::default();
    let mut literal = String::new();
    if !path.starts_with('/') {
        literal.push('/');
    }
    for piece in pieces(path) {
        match piece {
            Piece::Literal(text) => encode(text, &mut literal),
            Piece::Braces(inner) => {
                let (slot, catch_all) = slot(inner, declared);
                if !literal.is_empty() {
                    let text = std::mem::take(&mut literal);
                    result.template.parts.push(PathPart::Literal(text));
                }
                result.template.parts.push(PathPart::Parameter {
                    name: slot.name.clone(),
                    catch_all,
                });
                result.slots.push(slot);
            }
        }
    }
    if !literal.is_empty() {
        result.template.parts.push(PathPart::Literal(literal));
    }
    template.clone_into(&mut result.template.template);
    mark_trailing(&mut result);
    result.query = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(pair)
        .collect();
    result
}

fn pair(written: &str) -> Pair {
    let (name, value) = match written.split_once('=') {
        None => (written, PairValue::Bare),
        Some((name, value)) => {
            let parameter = value
                .strip_prefix('{')
                .and_then(|inner| inner.strip_suffix('}'))
                .filter(|inner| !inner.is_empty() && !inner.contains(['{', '}']));
            let value = match parameter {
                Some(inner) => PairValue::Parameter(slot(inner, &[]).0.name),
                None => PairValue::Text(value.to_owned()),
            };
            (name, value)
        }
    };
    Pair {
        name: name.to_owned(),
        value,
    }
}

/// The path before `{?q,lang*}` or `{&q}`, by which URI templates name query parameters (RFC 6570,
/// sections 3.2.8 and 3.2.9): those are the document's to declare.
fn without_expansion(path: &str) -> &str {
    let mut rest = path;
    while let Some(before) = rest.strip_suffix('}') {
        let Some(open) = before.rfind('{') else {
            break;
        };
        let inner = &before[open + 1..];
        if inner.len() < 2 || !inner.starts_with(['?', '&']) {
            break;
        }
        rest = &before[..open];
    }
    rest
}

/// The template's words in order, each with whether it is a parameter's name.
pub(super) fn words(template: &str) -> Vec<(String, bool)> {
    let (path, _) = split_query(template);
    let path = without_expansion(path);
    let mut words = Vec::new();
    for piece in pieces(path) {
        match piece {
            Piece::Literal(text) => {
                let separated = text.split(['/', ':']).filter(|word| !word.is_empty());
                words.extend(separated.map(|word| (word.to_owned(), false)));
            }
            Piece::Braces(inner) => words.push((slot(inner, &[]).0.name, true)),
        }
    }
    words
}

/// Some documents tell operations of one path apart by a query or a fragment in the template.
fn split_query(template: &str) -> (&str, &str) {
    // Question marks and number signs inside braces belong to route constraints.
    let mut depth = 0_usize;
    let mut end = None;
    for (at, c) in template.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '?' | '#' if depth == 0 => {
                end = Some(at);
                break;
            }
            _ => {}
        }
    }
    let Some(end) = end else {
        return (template, "");
    };
    let query = template[end..].strip_prefix('?').unwrap_or("");
    (&template[..end], query.split('#').next().unwrap_or(""))
}

fn pieces(path: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = path;
    while let Some(open) = rest.find('{') {
        let Some(length) = closing(&rest[open..]) else {
            break;
        };
        if open > 0 {
            pieces.push(Piece::Literal(&rest[..open]));
        }
        pieces.push(Piece::Braces(&rest[open + 1..open + length]));
        rest = &rest[open + length + 1..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Literal(rest));
    }
    pieces
}

/// The offset of the brace that closes the first one; constraints may hold pairs of their own.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Reads what stands in braces; the flag tells a catch-all.
fn slot(inner: &str, declared: &[&str]) -> (Slot, bool) {
    let plain = |name: &str, optional, default| Slot {
        name: name.to_owned(),
        optional,
        default,
        trailing: false,
    };
    if let Some(name) = declared.iter().find(|name| **name == inner) {
        return (plain(name, false, None), false);
    }
    let bare = inner.trim_start_matches('*');
    let mut catch_all = bare.len() < inner.len();
    let (bare, default) = match bare.split_once('=') {
        // Google's `{name=projects/*}` gives a pattern, not a value.
        Some((name, value)) if value.contains(['*', '/']) => {
            catch_all = true;
            (name, None)
        }
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (bare, None),
    };
    let optional = default.is_some() || bare.ends_with('?');
    let name = bare.split(':').next().unwrap_or(bare).trim_end_matches('?');
    // Route values ignore case, documents do not always agree with themselves.
    let name = declared
        .iter()
        .find(|known| **known == name)
        .or_else(|| {
            declared
                .iter()
                .find(|known| known.eq_ignore_ascii_case(name))
        })
        .map_or(name, |known| *known);
    (plain(name, optional, default), catch_all)
}

fn mark_trailing(cut: &mut Cut) {
    let mut slots = cut.slots.iter_mut().rev();
    for part in cut.template.parts.iter().rev() {
        match part {
            PathPart::Literal(text) if text == "/" => {}
            PathPart::Literal(_) => return,
            PathPart::Parameter { .. } => {
                let Some(slot) = slots.next() else { return };
                slot.trailing = true;
                if !slot.optional {
                    return;
                }
            }
        }
    }
}

/// Percent-encodes what RFC 3986 does not allow in a path; escapes that are there stay.
fn encode(text: &str, out: &mut String) {
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        let escape = byte == b'%'
            && bytes.get(at + 1).is_some_and(u8::is_ascii_hexdigit)
            && bytes.get(at + 2).is_some_and(u8::is_ascii_hexdigit);
        if escape || byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(percent_encoding::percent_encode_byte(byte));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The template with its parameters as `<name>`, catch-alls as `<*name>`.
    fn shown(cut: &Cut) -> String {
        let part = |part: &PathPart| match part {
            PathPart::Literal(text) => text.clone(),
            PathPart::Parameter { name, catch_all } => {
                format!("<{}{name}>", if *catch_all { "*" } else { "" })
            }
        };
        cut.template.parts.iter().map(part).collect()
    }

    #[test]
    fn templates_are_cut() {
        for (template, declared, expected) in [
            ("/pets/{petId}", &["petId"][..], "/pets/<petId>"),
            ("/items/{id:int:min(1)}", &[], "/items/<id>"),
            ("/d/{year:int:range(2020,2030)}/{m}", &[], "/d/<year>/<m>"),
            (r"/r/{code:regex(^\d{{3}}$)}/x", &[], "/r/<code>/x"),
            ("/files/{*slug}", &[], "/files/<*slug>"),
            ("/files/{**slug}", &[], "/files/<*slug>"),
            ("/v1/{name=projects/*}:run", &["name"], "/v1/<*name>:run"),
            ("/Users/{ID}", &["id"], "/Users/<id>"),
            ("/x/{a:b}", &["a:b"], "/x/<a:b>"),
            ("/a b/ü/%2F/{id}.json", &[], "/a%20b/%C3%BC/%2F/<id>.json"),
            ("pets", &[], "/pets"),
            ("/open{brace", &[], "/open%7Bbrace"),
            ("", &[], "/"),
        ] {
            assert_eq!(shown(&cut(template, declared)), expected, "{template}");
        }
    }

    #[test]
    fn only_trailing_slots_may_be_left_out() {
        let cut = cut("/tenant/{tenantId?}/customer/{customerId?}/{page=1}", &[]);
        let told: Vec<(&str, bool, bool, Option<&str>)> = cut
            .slots
            .iter()
            .map(|slot| {
                let default = slot.default.as_deref();
                (slot.name.as_str(), slot.optional, slot.trailing, default)
            })
            .collect();
        assert_eq!(
            told,
            [
                ("tenantId", true, false, None),
                ("customerId", true, true, None),
                ("page", true, true, Some("1")),
            ]
        );
    }

    #[test]
    fn a_query_in_the_template_is_kept_apart() {
        let cut = cut("/?Action=List&flag&none=&id={number}&odd=a{b}#top", &[]);
        assert_eq!(shown(&cut), "/");
        let told: Vec<(&str, &PairValue)> = cut
            .query
            .iter()
            .map(|pair| (pair.name.as_str(), &pair.value))
            .collect();
        let text = |text: &str| PairValue::Text(text.to_owned());
        assert_eq!(
            told,
            [
                ("Action", &text("List")),
                ("flag", &PairValue::Bare),
                ("none", &text("")),
                ("id", &PairValue::Parameter("number".to_owned())),
                ("odd", &text("a{b}")),
            ]
        );
    }

    #[test]
    fn the_query_of_a_uri_template_is_no_part_of_the_path() {
        for (template, expected, spoken) in [
            ("/search{?q,lang*}", "/search", &["search"][..]),
            ("/x/{id}{?q}{&lang}", "/x/<id>", &["x", "id"]),
            ("/x/{id?}", "/x/<id>", &["x", "id"]),
        ] {
            assert_eq!(shown(&cut(template, &[])), expected, "{template}");
            let words: Vec<String> = words(template).into_iter().map(|(word, _)| word).collect();
            assert_eq!(words, spoken, "{template}");
        }
    }
}
