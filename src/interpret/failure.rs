//! Failures in words that a model can act on: what failed, why, and what to do about it.

use ::http::StatusCode;
use ::http::header::{HeaderMap, HeaderName, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use url::Url;

use super::http::{Limits, Shortening, header_lines, status_line};
use super::json::is_json;
use super::media::{self, Kind, Media};
use super::{problem, shorten};
use crate::handler::{CutBy, HandleError, HttpReply};
use crate::tool::{Content, HttpTarget, Outcome, Structured, Text};

/// Of an error's body, this many bytes are handed on.
const MAX_BODY: usize = 16 * 1024;
/// Larger bodies are not looked into for a problem's parts.
const MAX_PARSED: usize = 256 * 1024;

/// A status that is no success (RFC 9110, section 15).
pub(super) fn http_error(
    target: &HttpTarget,
    publishes_output: bool,
    reply: HttpReply,
    Shortening { limits, before }: Shortening<'_>,
) -> Outcome {
    let status = reply.status;
    let media = Media::of(&reply.headers);
    let length = reply.body.len();
    let cut = reply.cut.is_some();
    let body = match media.kind {
        Kind::Json | Kind::Text | Kind::Events | Kind::Values | Kind::Unknown => {
            let text = media.text(reply.body, cut);
            let is_shown_whole = !cut && text.as_bytes().len() <= MAX_BODY.min(limits.text);
            Some(if is_shown_whole { text } else { before(text) })
        }
        Kind::Image | Kind::Audio | Kind::Multipart | Kind::Binary => None,
    };
    let json = body
        .as_ref()
        .filter(|text| !cut && is_json(text.as_bytes()))
        .cloned();
    let mut lines = vec![format!(
        "{} {} failed: {}",
        target.method,
        target.path.template,
        status_line(status)
    )];
    if let Some(text) = json
        .as_ref()
        .filter(|text| text.as_bytes().len() <= MAX_PARSED)
    {
        lines.extend(problem::words(text.as_str()));
    }
    lines.extend(redirect(status, &reply.headers));
    lines.extend(retry_after(&reply.headers));
    let told = |name: &HeaderName| {
        target.answer_headers.contains(name) && ![LOCATION, RETRY_AFTER].contains(name)
    };
    lines.extend(header_lines(&reply.headers, told));
    lines.extend(hint(status, &reply.headers).map(str::to_owned));
    let broke_off = reply.cut.is_some_and(|cut| cut.by == CutBy::Break);
    if broke_off {
        lines.push(format!("the body broke off after {length} bytes"));
    } else if body.is_none() && length > 0 {
        lines.push(format!("the body is {length} bytes of {}", media.essence));
    }
    let (structured, left_out) = match json.filter(|_| !publishes_output) {
        Some(json) => data(json, limits),
        None => (None, None),
    };
    lines.extend(left_out);
    let mut content = vec![Content::Text(Text::from(
        media::printable(&lines.join("\n")).into_owned(),
    ))];
    content.extend(body.and_then(shown_body).map(Content::Text));
    Outcome {
        content,
        structured,
        is_error: true,
        status: None,
    }
}

/// The body as data, shortened as a successful answer is, and what that left out.
fn data(json: Text, limits: Limits) -> (Option<Structured>, Option<String>) {
    let (length, limit) = (json.as_bytes().len(), limits.text);
    if length <= limit {
        return (Some(Structured::plain(json)), None);
    }
    let why = format!("the body is {length} bytes, longer than the limit of {limit} bytes");
    match shorten::json(json.as_str(), limit) {
        Some(short) => {
            let missing = match short.left_out.as_slice() {
                [] => String::new(),
                list => format!("; left out: {}", list.join(", ")),
            };
            let notice = format!("{why}, and only its beginning is given as data{missing}");
            (
                Some(Structured::plain(Text::from(short.text))),
                Some(notice),
            )
        }
        None => (None, Some(format!("{why}, and is not given as data"))),
    }
}

/// The body, cut and without what drives terminals; not copied where nothing has to change.
fn shown_body(text: Text) -> Option<Text> {
    if text.as_str().trim().is_empty() {
        return None;
    }
    let (head, cut) = media::head(text.as_str(), MAX_BODY);
    let printable = media::printable(head);
    if !cut && matches!(printable, std::borrow::Cow::Borrowed(_)) {
        return Some(text);
    }
    let rest = text.as_bytes().len() - head.len();
    let notice = if cut {
        format!("\n[{rest} more bytes]")
    } else {
        String::new()
    };
    Some(Text::from(format!("{printable}{notice}")))
}

fn redirect(status: StatusCode, headers: &HeaderMap) -> Option<String> {
    if !status.is_redirection() {
        return None;
    }
    let location = headers.get(LOCATION)?.to_str().ok()?;
    let shown = shown_location(location);
    Some(format!("it points to {shown}; redirects are not followed"))
}

/// A location without credentials, and without its query, which often holds a signature.
pub(super) fn shown_location(location: &str) -> String {
    let (place, query) = match location.split_once(['?', '#']) {
        Some((place, _)) => (place, "?..."),
        None => (location, ""),
    };
    let place = match Url::parse(place) {
        Ok(mut url) => {
            // Fails only for URLs that have no authority, and so no credentials.
            let _ = url.set_username("");
            let _ = url.set_password(None);
            url.to_string()
        }
        Err(_) => media::printable(place).into_owned(),
    };
    format!("{place}{query}")
}

/// RFC 9110, section 10.2.3: seconds, or a date.
fn retry_after(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let (value, _) = media::head(value, 64);
    Some(match value.parse::<u64>() {
        Ok(1) => "try again after 1 second".to_owned(),
        Ok(seconds) => format!("try again after {seconds} seconds"),
        Err(_) => format!("try again after {value}"),
    })
}

fn hint(status: StatusCode, headers: &HeaderMap) -> Option<&'static str> {
    Some(match status.as_u16() {
        400 | 422 => "correct the arguments that the service names and call again",
        401 => {
            "the service wants other credentials: the operator of this server configures them, not the caller"
        }
        403 => {
            "these credentials do not allow this: the operator of this server configures them, not the caller"
        }
        407 => "a proxy wants credentials: the operator of this server configures them",
        404 | 410 => "nothing is there: check the identifiers in the arguments",
        405 | 501 => "the service does not offer this operation, whatever its document says",
        406 | 415 => {
            "the service does not take this media type: choose another if the tool offers one"
        }
        408 | 425 | 502..=504 => "this is usually temporary: try again later",
        409 | 412 => "it conflicts with the present state: read that first, then decide",
        413 | 414 | 431 => "the request is too large: send less",
        423 => "it is locked: try again later",
        428 => "the service wants a precondition, for instance an If-Match header",
        429 if headers.contains_key(RETRY_AFTER) => {
            "there were too many calls: wait that long first"
        }
        429 => "there were too many calls: wait before the next one",
        400..=499 if headers.contains_key(WWW_AUTHENTICATE) => {
            "the service wants other credentials: the operator of this server configures them, not the caller"
        }
        500..=599 => "the fault is in the service: the same call may fail again",
        _ => return None,
    })
}

/// Turns the lack of an answer into an outcome.
#[must_use]
pub fn http_failure(target: &HttpTarget, error: &HandleError) -> Outcome {
    let safe = target.method.is_safe();
    let advice = match error {
        HandleError::Connect(_) => {
            "it may be down: try again later, or tell the operator of this server"
        }
        HandleError::Timeout(_) | HandleError::Broken(_) if safe => {
            "try again, or ask for less in one call"
        }
        HandleError::Timeout(_) | HandleError::Broken(_) => {
            "it may have been carried out nevertheless: look before calling again"
        }
        HandleError::Credentials(_) => {
            "nothing was sent: the operator of this server configures the credentials, not the caller"
        }
        HandleError::NoSubject => {
            "nothing was sent: connect to this server with an access token, not with a key or without either"
        }
        HandleError::Certificate(..) | HandleError::Identity(_) => {
            "nothing was carried out: the operator of this server configures certificates, not the caller"
        }
        HandleError::Forbidden(_) => {
            "nothing was sent: the operator of this server decides where requests may go, not the caller"
        }
        HandleError::Request(_) => {
            "this is a fault of the operation's description: tell the operator of this server"
        }
    };
    Outcome::failure(format!(
        "{} {} failed: {error}\n{advice}",
        target.method, target.path.template
    ))
}
