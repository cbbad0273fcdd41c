//! The parameters of a path template, in OpenAPI's spelling and in those that ASP.NET leaves in
//! documents: `{id?}`, `{id:int}`, `{id:int:min(1)}`, `{*slug}`, `{**slug}`, `{page=1}`.

/// One parameter of a path template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TemplateParameter {
    /// Everything between the braces.
    pub(super) written: String,
    /// The name in it.
    pub(super) name: String,
    /// The call may leave it out: marked optional, with a default or a catch-all, and nothing
    /// that must be there follows.
    pub(super) optional: bool,
    /// It is the value of this key, percent-encoded, in a query that stands in the template.
    pub(super) key: Option<String>,
}

/// The template's parameters in order: those of the path, then those that are whole values of a
/// query behind it.
pub(super) fn parameters(template: &str) -> Vec<TemplateParameter> {
    let mut depth = 0_usize;
    let end = template.find(|character| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(character, '?' | '#')
    });
    let (path, rest) = template.split_at(end.unwrap_or(template.len()));
    let mut found = in_path(path);
    let query = rest.strip_prefix('?').unwrap_or_default();
    let pairs = query.split('#').next().unwrap_or_default().split('&');
    found.extend(pairs.filter_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        let inner = value.strip_prefix('{')?.strip_suffix('}')?;
        let parameter = parameter(inner).filter(|_| !inner.contains(['{', '}']))?;
        Some(TemplateParameter {
            optional: false,
            key: Some(key.to_owned()),
            ..parameter
        })
    }));
    found
}

fn in_path(path: &str) -> Vec<TemplateParameter> {
    let mut found = Vec::new();
    let mut rest = path;
    let mut ends = Vec::new();
    while let Some(start) = rest.find('{') {
        let Some(length) = closing(&rest[start + 1..]) else {
            break;
        };
        let inner = &rest[start + 1..start + 1 + length];
        rest = &rest[start + length + 2..];
        if let Some(parameter) = parameter(inner) {
            found.push(parameter);
            ends.push(rest.find('{').map_or(rest, |next| &rest[..next]));
        }
    }
    // From the end: only what nothing follows can be left out.
    let mut trailing = true;
    for (parameter, after) in found.iter_mut().zip(ends).rev() {
        trailing &= after.trim_matches('/').is_empty() && parameter.optional;
        parameter.optional = trailing;
    }
    found
}

/// The length of the text before the closing brace; `{{` and `}}` are ASP.NET's escapes.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn parameter(written: &str) -> Option<TemplateParameter> {
    // `{?q,lang*}` and `{&q}` are queries of URI templates (RFC 6570, sections 3.2.8 and 3.2.9).
    if written.starts_with(['?', '&']) {
        return None;
    }
    let bare = written.trim_start_matches('*');
    let catch_all = bare.len() < written.len();
    let end = bare.find([':', '?', '=']).unwrap_or(bare.len());
    let name = bare[..end].trim();
    let optional = catch_all || bare.ends_with('?') || bare[end..].contains('=');
    (!name.is_empty()).then(|| TemplateParameter {
        written: written.to_owned(),
        name: name.to_owned(),
        optional,
        key: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_what_may_be_left_out() {
        let table: [(&str, &[(&str, bool)]); 17] = [
            ("/pets", &[]),
            ("/pets/{petId}", &[("petId", false)]),
            ("/api/customer/{customerId?}", &[("customerId", true)]),
            (
                "/t/{tenantId?}/customer/{customerId?}",
                &[("tenantId", false), ("customerId", true)],
            ),
            ("/t/{a?}/{b?}", &[("a", true), ("b", true)]),
            ("/t/{a?}/{b}", &[("a", false), ("b", false)]),
            ("/items/{id:int:min(1)}", &[("id", false)]),
            ("/items/{id:int?}", &[("id", true)]),
            ("/v/{version:alpha?}/", &[("version", true)]),
            ("/files/{*slug}", &[("slug", true)]),
            ("/files/{**slug}", &[("slug", true)]),
            ("/list/{page=1}", &[("page", true)]),
            (
                r"/x/{y:regex(^\d{{4}}$)}/{z}",
                &[("y", false), ("z", false)],
            ),
            ("/odd/{unclosed", &[]),
            ("/search{?q,lang*}{&page}", &[]),
            ("/a/{b?}?c&d={e}&f=g{h}#{i}", &[("b", true), ("e", false)]),
            (
                "/a/{b:regex(^x?$)}?c={b:int}",
                &[("b", false), ("b", false)],
            ),
        ];
        for (path, expected) in table {
            let found = parameters(path);
            let found: Vec<_> = found
                .iter()
                .map(|p| (p.name.as_str(), p.optional))
                .collect();
            assert_eq!(found, expected, "{path}");
        }
    }
}
