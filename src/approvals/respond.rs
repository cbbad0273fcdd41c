//! Responses of the page, without what they say.

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, LOCATION, SET_COOKIE};
use http::{HeaderValue, Response, StatusCode};

use super::json;

pub(super) const JSON: &str = "application/json";
pub(super) const HTML: &str = "text/html; charset=utf-8";

pub(super) fn not_allowed(allow: &'static str) -> Response<Bytes> {
    let text = json::error("this method does nothing here");
    let mut response = respond(StatusCode::METHOD_NOT_ALLOWED, JSON, text);
    let allow = HeaderValue::from_static(allow);
    response.headers_mut().insert(ALLOW, allow);
    response
}

pub(super) fn see_other(to: &str) -> Response<Bytes> {
    let mut response = respond(StatusCode::SEE_OTHER, HTML, String::new());
    if let Ok(to) = HeaderValue::from_str(to) {
        response.headers_mut().insert(LOCATION, to);
    }
    response
}

pub(super) fn with_cookie(mut response: Response<Bytes>, cookie: &str) -> Response<Bytes> {
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}

pub(super) fn page(status: StatusCode, text: String) -> Response<Bytes> {
    respond(status, HTML, text)
}

pub(super) fn respond(status: StatusCode, kind: &'static str, text: String) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(text));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
