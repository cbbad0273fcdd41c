//! What a human is shown of a call before it is made.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::forward::join;
use crate::binding::{self, HttpPlan};
use crate::policy::confirm::{Preview, mask};
use crate::policy::{Redactor, SecretNames, hidden};
use crate::tool::{HttpTarget, Tool, TraceContext};

/// Arguments, the plan that was made of them, and the headers of the client's own request in it.
type Planned<'a> = (
    &'a Map<String, Value>,
    &'a HttpPlan,
    &'a [(HeaderName, HeaderValue)],
);

/// The plan, made again without the values that are secret by their schema or by their name, and without
/// what looks like a secret in its texts.
pub(super) fn preview(
    redactor: &Redactor,
    tool: &Tool,
    target: &HttpTarget,
    (arguments, plan, forwarded): Planned<'_>,
) -> Preview {
    let before = Value::Object(arguments.clone());
    let mut masked = before.clone();
    let by_name = redactor.json(&mut masked, &SecretNames::default());
    // Second, so that one mask stands for both.
    let by_schema = mask(&mut masked, &tool.input_schema.parse());
    if !by_name && !by_schema {
        return show(redactor, tool.name.as_str(), plan, 0);
    }
    let count = redactor.hidden_in(&before, &masked);
    let trace = TraceContext::default();
    let again = masked
        .as_object()
        .and_then(|masked| binding::bind(target, masked, &trace).ok());
    if let Some(mut again) = again {
        join(forwarded, &mut again.headers);
        return show(redactor, tool.name.as_str(), &again, count);
    }
    // A mask cannot stand everywhere, for instance in base64.
    let place = format!("{}{}", target.base, target.path.template);
    let place = redactor.text(&place);
    let mut headers = HeaderMap::new();
    join(forwarded, &mut headers);
    mask_headers(redactor, &mut headers);
    Preview::new(tool.name.as_str(), &target.method, &place, &headers, None).hiding(count)
}

/// Masked before it is shortened: half a secret is not recognised. `count` characters are masked already.
fn show(redactor: &Redactor, name: &str, plan: &HttpPlan, count: usize) -> Preview {
    let url = redactor.text(plan.url.as_str());
    let mut headers = plan.headers.clone();
    let mut count = count + hidden(plan.url.as_str(), &url) + mask_headers(redactor, &mut headers);
    let text = plan.body.as_deref().map(std::str::from_utf8);
    let masked = match text {
        Some(Ok(text)) => {
            let masked = redactor.body(text);
            count += hidden(text, &masked);
            Some(masked)
        }
        _ => None,
    };
    let body = masked.as_deref().map(str::as_bytes);
    let body = body.or(plan.body.as_deref());
    Preview::new(name, &plan.method, &url, &headers, body).hiding(count)
}

/// How many characters were masked because they look like a secret.
fn mask_headers(redactor: &Redactor, headers: &mut HeaderMap) -> usize {
    let mut count = 0;
    for (header, value) in headers {
        if redactor.is_secret_name(header.as_str()) {
            *value = HeaderValue::from_static("***");
            continue;
        }
        let line = format!("{header}: {}", String::from_utf8_lossy(value.as_bytes()));
        if let Cow::Owned(masked) = redactor.text(&line) {
            count += hidden(&line, &masked);
            let masked = masked.split_once(": ").map_or("***", |(_, value)| value);
            *value = HeaderValue::from_str(masked).unwrap_or(HeaderValue::from_static("***"));
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_secret_is_not_shown() {
        let token = "sk-0123456789abcdefghij0123456789";
        let mut headers = HeaderMap::new();
        headers.insert("x-reason", HeaderValue::from_str(token).unwrap());
        let plan = HttpPlan {
            method: http::Method::POST,
            url: format!("http://ann:hunter2@a.test/x?note={token}")
                .parse()
                .unwrap(),
            headers,
            body: Some(format!("{{\"note\":\"{token}\"}}").into()),
        };
        let shown = format!("{:?}", show(&Redactor::default(), "pay", &plan, 0));
        assert!(!shown.contains(token), "{shown}");
        assert!(!shown.contains("hunter2"), "{shown}");
        assert!(shown.contains("a.test/x"), "{shown}");
        assert!(shown.contains("characters are masked"), "{shown}");
    }
}
