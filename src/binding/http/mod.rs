//! Writing validated arguments into a request: each parameter where and how its target says.

mod body;
mod cookie;
mod header;
mod path;
mod query;
mod style;
mod taken;

#[cfg(test)]
mod decoders;
#[cfg(test)]
mod tests;

use ::http::header::{ACCEPT, CONTENT_TYPE, COOKIE};
use ::http::{HeaderMap, HeaderName, HeaderValue};
use bytes::Bytes;
use serde_json::{Map, Value};
use url::Url;

use super::{Fault, HttpPlan};
use crate::pointer;
use crate::tool::{HttpTarget, Location, Parameter, TraceContext};

/// HTTP libraries take no address of more than 65,534 bytes; the rest is room for a credential in the query.
const LONGEST_URL: usize = 65_000;

/// Writes validated arguments into a request.
///
/// # Errors
/// Faults that no schema can express, for instance a path value of `..`.
pub fn bind(
    target: &HttpTarget,
    arguments: &Map<String, Value>,
    trace: &TraceContext,
) -> Result<HttpPlan, Vec<Fault>> {
    let mut faults = Vec::new();
    for parameter in &target.parameters {
        if parameter.required && value(parameter, arguments).is_none() {
            faults.push(Fault::missing(&parameter.argument));
        }
    }
    let url = url(target, arguments, &mut faults);
    let mut headers = headers(target, arguments, &mut faults);
    let body = match body::write(target.body.as_ref(), &target.parameters, arguments) {
        Ok(body) => body,
        Err(mut found) => {
            faults.append(&mut found);
            None
        }
    };
    let body = body.map(|(media_type, bytes)| {
        if let Ok(media_type) = HeaderValue::try_from(media_type) {
            headers.insert(CONTENT_TYPE, media_type);
        }
        bytes
    });
    trace_headers(trace, &mut headers);
    match url {
        Some(url) if faults.is_empty() => Ok(plan(target, url, headers, body)),
        _ => Err(Fault::listed(faults, 0)),
    }
}

fn plan(target: &HttpTarget, url: Url, headers: HeaderMap, body: Option<Bytes>) -> HttpPlan {
    HttpPlan {
        method: target.method.clone(),
        url,
        headers,
        body,
    }
}

/// What a parameter is sent as: its fixed value, the caller's, or its default. Null is no value.
fn value<'a>(parameter: &'a Parameter, arguments: &'a Map<String, Value>) -> Option<&'a Value> {
    parameter
        .fixed
        .as_ref()
        .or_else(|| arguments.get(&parameter.argument))
        .filter(|value| !value.is_null())
        .or(parameter.default.as_ref())
        .filter(|value| !value.is_null())
}

fn fault(argument: &str, keyword: &str, message: impl Into<String>) -> Fault {
    Fault {
        path: pointer::member("", argument),
        keyword: keyword.to_owned(),
        message: message.into(),
    }
}

/// The whole URL. Its parts are percent-encoded before they are joined, so parsing changes nothing.
fn url(
    target: &HttpTarget,
    arguments: &Map<String, Value>,
    faults: &mut Vec<Fault>,
) -> Option<Url> {
    let base = target.base.path().trim_end_matches('/');
    let mut text = String::with_capacity(base.len() + target.path.template.len() + 64);
    text.push_str(base);
    if let Err(mut found) = path::write(&mut text, target, arguments) {
        faults.append(&mut found);
    }
    let mut query = String::new();
    for parameter in &target.parameters {
        let Some(value) = value(parameter, arguments) else {
            continue;
        };
        let before = query.len();
        let written = match parameter.location {
            Location::Query => query::write(&mut query, parameter, value),
            Location::QueryString => query::write_whole(&mut query, parameter, value),
            Location::Path | Location::Header | Location::Cookie => Ok(()),
        };
        let new = query.get(before..).unwrap_or_default();
        let new = new.strip_prefix('&').unwrap_or(new);
        let checked = written.and_then(|()| taken::check(target, parameter, value, new));
        if let Err(message) = checked {
            faults.push(fault(&parameter.argument, "query", message));
        }
    }
    if !faults.is_empty() {
        return None;
    }
    // Scheme and host are the base's own: nothing written here can change them.
    let mut url = target.base.clone();
    url.set_path(&text);
    url.set_query((!query.is_empty()).then_some(query.as_str()));
    url.set_fragment(None);
    let length = url.as_str().len();
    if length > LONGEST_URL {
        faults.push(Fault {
            path: String::new(),
            keyword: "url".to_owned(),
            message: format!(
                "expected an address of at most {LONGEST_URL} bytes, found {length}: give shorter values for the path \
                 and the query"
            ),
        });
        return None;
    }
    Some(url)
}

fn headers(
    target: &HttpTarget,
    arguments: &Map<String, Value>,
    faults: &mut Vec<Fault>,
) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(8);
    if let Ok(accept) = HeaderValue::from_str(&target.accept) {
        headers.insert(ACCEPT, accept);
    }
    let mut cookies = String::new();
    for parameter in &target.parameters {
        let Some(value) = value(parameter, arguments) else {
            continue;
        };
        let written = match parameter.location {
            Location::Header => header::write(&mut headers, parameter, value),
            Location::Cookie => {
                let before = cookies.len();
                cookie::write(&mut cookies, parameter, value);
                let new = cookies.get(before..).unwrap_or_default();
                let new = new.strip_prefix(';').unwrap_or(new);
                taken::check(target, parameter, value, new)
            }
            Location::Path | Location::Query | Location::QueryString => Ok(()),
        };
        if let Err(message) = written {
            let keyword = match parameter.location {
                Location::Cookie => "cookie",
                _ => "header",
            };
            faults.push(fault(&parameter.argument, keyword, message));
        }
    }
    if !cookies.is_empty()
        && let Ok(value) = HeaderValue::try_from(cookies)
    {
        headers.insert(COOKIE, value);
    }
    headers
}

/// The W3C trace context, as it came; a member that cannot be a header is left out.
fn trace_headers(trace: &TraceContext, headers: &mut HeaderMap) {
    let members = [
        ("traceparent", &trace.parent),
        ("tracestate", &trace.state),
        ("baggage", &trace.baggage),
    ];
    for (name, member) in members {
        if let Some(member) = member
            && let Ok(value) = HeaderValue::from_str(member)
        {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
}
