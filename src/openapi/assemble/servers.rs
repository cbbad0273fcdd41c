//! Server Objects as absolute base URLs (OpenAPI 3.2, section 4.6).

use serde_json::Value;
use url::Url;

use super::super::reference::kind;
use super::Context;

/// More servers than anybody lists.
const MOST: usize = 16;

/// The absolute URLs of a `servers` array that stands at `pointer`.
pub(super) fn absolute(servers: &Value, pointer: &str, context: &mut Context<'_>) -> Vec<Url> {
    let Some(list) = servers.as_array() else {
        if !servers.is_null() {
            invalid(
                context,
                pointer,
                format!("expected an array, found {}", kind(servers)),
            );
        }
        return Vec::new();
    };
    let mut found = Vec::new();
    for (index, server) in list.iter().take(MOST).enumerate() {
        let pointer = format!("{pointer}/{index}");
        if let Some(url) = one(server, &pointer, context)
            && !found.contains(&url)
        {
            found.push(url);
        }
    }
    found
}

/// The server of a document that names none: `/` (OpenAPI 3.2, `servers`).
pub(super) fn implied(context: &Context<'_>) -> Vec<Url> {
    context
        .base
        .and_then(|base| base.join("/").ok())
        .into_iter()
        .collect()
}

fn one(server: &Value, pointer: &str, context: &mut Context<'_>) -> Option<Url> {
    let Some(template) = server.get("url").and_then(Value::as_str) else {
        invalid(context, pointer, "expected a text as url".to_owned());
        return None;
    };
    let written = match substitute(template.trim(), server.get("variables")) {
        Ok(written) => written,
        Err(variable) => {
            invalid(
                context,
                pointer,
                format!("the variable {variable:?} has no default"),
            );
            return None;
        }
    };
    let mut url = match resolve(&written, context.base) {
        Ok(url) => url,
        Err(Fault::Relative) => {
            context.findings.note(
                "relative-server",
                pointer,
                format!("the server {written:?} is relative and the document has no URL; give a base URL"),
            );
            return None;
        }
        Err(Fault::Invalid(reason)) => {
            invalid(
                context,
                pointer,
                format!("expected an http or https URL, found {written:?}: {reason}"),
            );
            return None;
        }
    };
    if url.query().is_some() || url.fragment().is_some() {
        invalid(
            context,
            pointer,
            "a server's query and fragment count for nothing".to_owned(),
        );
        url.set_query(None);
        url.set_fragment(None);
    }
    Some(url)
}

fn invalid(context: &mut Context<'_>, pointer: &str, message: String) {
    context.findings.warn(
        "invalid-server",
        pointer,
        message,
        "correct the server or give a base URL",
    );
}

enum Fault {
    Relative,
    Invalid(String),
}

fn resolve(written: &str, base: Option<&Url>) -> Result<Url, Fault> {
    // An empty reference would name the document itself.
    let written = if written.is_empty() { "/" } else { written };
    let url = match Url::parse(written) {
        // `localhost:8080/v1` parses as the scheme `localhost`.
        Ok(url) if url.cannot_be_a_base() => {
            Url::parse(&format!("http://{written}")).unwrap_or(url)
        }
        Ok(url) => url,
        Err(url::ParseError::RelativeUrlWithoutBase) => match base {
            Some(base) => base
                .join(written)
                .map_err(|error| Fault::Invalid(error.to_string()))?,
            None if written.starts_with("//") => Url::parse(&format!("https:{written}"))
                .map_err(|error| Fault::Invalid(error.to_string()))?,
            None => return Err(Fault::Relative),
        },
        Err(error) => return Err(Fault::Invalid(error.to_string())),
    };
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Fault::Invalid(format!("the scheme is {}", url.scheme())));
    }
    Ok(url)
}

/// Puts the variables' defaults in; the error is the name of one that has none.
fn substitute(template: &str, variables: Option<&Value>) -> Result<String, String> {
    let mut written = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, tail)) = after.split_once('}') else {
            break;
        };
        written.push_str(before);
        let value = variables
            .and_then(|variables| variables.get(name))
            .and_then(default_of);
        written.push_str(&value.ok_or_else(|| name.to_owned())?);
        rest = tail;
    }
    written.push_str(rest);
    Ok(written)
}

fn default_of(variable: &Value) -> Option<String> {
    let first = || variable.get("enum").and_then(|values| values.get(0));
    match variable.get("default").or_else(first)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::finding::Findings;
    use super::*;

    fn urls(servers: &Value, base: Option<&str>) -> (Vec<String>, usize) {
        let base = base.map(|base| Url::parse(base).unwrap());
        let mut findings = Findings::default();
        let root = Value::Null;
        let mut context = Context {
            root: &root,
            base: base.as_ref(),
            findings: &mut findings,
            budget: super::super::super::budget::Budget::for_size(0),
        };
        let found = absolute(servers, "/servers", &mut context);
        let list = found.iter().map(Url::to_string).collect();
        (
            list,
            findings
                .finish(&crate::openapi::written::Written::default())
                .len(),
        )
    }

    #[test]
    fn relative_servers_start_from_the_document() {
        let base = Some("https://docs.test/specs/v2/api.json");
        let table = [
            (
                json!([{"url": "https://a.test/v1/"}]),
                None,
                vec!["https://a.test/v1/"],
                0,
            ),
            (
                json!([{"url": "/v1"}]),
                base,
                vec!["https://docs.test/v1"],
                0,
            ),
            (
                json!([{"url": "v1"}]),
                base,
                vec!["https://docs.test/specs/v2/v1"],
                0,
            ),
            (
                json!([{"url": "."}]),
                base,
                vec!["https://docs.test/specs/v2/"],
                0,
            ),
            (json!([{"url": ""}]), base, vec!["https://docs.test/"], 0),
            (
                json!([{"url": "//b.test/x"}]),
                base,
                vec!["https://b.test/x"],
                0,
            ),
            (
                json!([{"url": "//b.test/x"}]),
                None,
                vec!["https://b.test/x"],
                0,
            ),
            (json!([{"url": "/v1"}]), None, vec![], 1),
            (
                json!([{"url": "localhost:8080/v1"}]),
                None,
                vec!["http://localhost:8080/v1"],
                0,
            ),
        ];
        check(&table);
    }

    #[test]
    fn variables_and_faults() {
        let table = [
            (
                json!([{"url": "ftp://a.test"}, {"url": "wss://a.test"}]),
                None,
                vec![],
                2,
            ),
            (
                json!([{"url": "https://a.test?x=1#f"}]),
                None,
                vec!["https://a.test/"],
                1,
            ),
            (
                json!([{"url": "{scheme}://{host}:{port}/", "variables": {
                    "scheme": {"enum": ["https", "http"]}, "host": {"default": "a.test"}, "port": {"default": 8443}}}]),
                None,
                vec!["https://a.test:8443/"],
                0,
            ),
            (json!([{"url": "https://{nobody}/"}]), None, vec![], 1),
            (
                json!([{"url": 5}, "x", {"url": "https://a.test"}]),
                None,
                vec!["https://a.test/"],
                2,
            ),
            (json!({"url": "https://a.test"}), None, vec![], 1),
        ];
        check(&table);
    }

    type Row<'a> = (Value, Option<&'a str>, Vec<&'a str>, usize);

    fn check(table: &[Row<'_>]) {
        for (servers, base, expected, faults) in table {
            let (found, told) = urls(servers, *base);
            assert_eq!(&found, expected, "{servers}");
            assert_eq!(&told, faults, "{servers}");
        }
    }
}
