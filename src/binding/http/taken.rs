//! Names that an argument's members must not take: an exploded object and a whole query write names of the caller's
//! choosing, and servers that read the first of two values would take theirs before the operator's.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::tool::{HttpTarget, Location, Parameter, SchemeKind};

/// Looks at the pairs that a parameter has written, which are those of a query or of cookies.
///
/// # Errors
/// A name among them is another parameter's, or that of credentials, in any case: many servers tell no case apart.
pub(super) fn check(
    target: &HttpTarget,
    parameter: &Parameter,
    value: &Value,
    written: &str,
) -> Result<(), String> {
    let whole = parameter.location == Location::QueryString;
    // What is fixed is the operator's own word.
    let is_callers = parameter.fixed.is_none() && (whole || value.is_object());
    if !is_callers || written.is_empty() {
        return Ok(());
    }
    let cookies = parameter.location == Location::Cookie;
    for pair in written.split(if cookies { ';' } else { '&' }) {
        let name = pair_name(pair);
        let own = !whole && name == parameter.name;
        if !own && is_taken(target, parameter, &name) {
            return Err(format!(
                "expected no member that is sent as `{name}`: that is a parameter of its own, or where credentials go"
            ));
        }
    }
    Ok(())
}

/// The name of a pair as a server reads it (WHATWG URL, section 5.1).
pub(super) fn pair_name(pair: &str) -> Cow<'_, str> {
    let name = pair.trim_start().split('=').next().unwrap_or_default();
    match name.contains('+') {
        true => {
            let spaced = name.replace('+', " ");
            Cow::Owned(percent_decode_str(&spaced).decode_utf8_lossy().into_owned())
        }
        false => percent_decode_str(name).decode_utf8_lossy(),
    }
}

fn is_taken(target: &HttpTarget, writer: &Parameter, name: &str) -> bool {
    let place = match writer.location {
        Location::QueryString => Location::Query,
        other => other,
    };
    let others = target.parameters.iter().filter(|other| {
        other.location == place && (other.location, &other.name) != (writer.location, &writer.name)
    });
    let credentials = target.security.iter().flatten().chain(&target.keys);
    let credentials = credentials.filter_map(|need| match &need.scheme.kind {
        SchemeKind::ApiKey {
            location,
            parameter,
        } if *location == place => Some(parameter),
        _ => None,
    });
    let mut names = others.map(|other| &other.name).chain(credentials);
    names.any(|taken| taken.eq_ignore_ascii_case(name))
}
