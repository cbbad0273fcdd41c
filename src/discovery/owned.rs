//! Parameters that others than the caller settle: headers of the connection, and the keys of security schemes.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::openapi::{Document, Operation, Parameter, ParameterLocation, SecurityKind};
use crate::tool::FRAMING_HEADERS;

/// A document and the names of those of its security schemes for which the operator has a credential.
#[derive(Debug, Clone, Copy)]
pub(super) struct Secured<'a> {
    pub(super) document: &'a Document,
    pub(super) credentials: &'a HashSet<String>,
}

/// The parameter as an argument; nothing where somebody else settles it: the connection, the body or the credentials
/// (RFC 9110, section 7.6.1; OpenAPI 3.2, section 4.12.1).
///
/// What a security scheme owns is no argument where the operator has the key. Where he has not, only the caller can give
/// one, and it is a secret: in a query or a cookie always, in a header where it is said to be `shown`, since the client
/// may send that one by itself.
pub(super) fn argument<'a>(
    parameter: &'a Parameter,
    operation: &Operation,
    secured: Secured<'_>,
    shown: bool,
) -> Option<Cow<'a, Parameter>> {
    const HEADERS: [&str; 5] = [
        "authorization",
        "accept",
        "accept-encoding",
        "proxy-authenticate",
        "proxy-authorization",
    ];
    let mut settled = FRAMING_HEADERS.iter().chain(&HEADERS);
    let is_header = parameter.location == ParameterLocation::Header;
    if is_header && settled.any(|name| name.eq_ignore_ascii_case(&parameter.name)) {
        return None;
    }
    let mut owners = owners(parameter, operation, secured.document).peekable();
    if owners.peek().is_none() {
        return Some(Cow::Borrowed(parameter));
    }
    let is_given = owners.any(|scheme| secured.credentials.contains(scheme));
    (!is_given && (shown || !is_header)).then(|| {
        Cow::Owned(Parameter {
            schema: secret(&parameter.schema),
            ..parameter.clone()
        })
    })
}

/// The schemes that own some parameter which the operation declares.
pub(super) fn keys<'a>(
    operation: &'a Operation,
    document: &'a Document,
) -> impl Iterator<Item = &'a str> {
    let parameters = operation.parameters.iter();
    parameters.flat_map(|parameter| owners(parameter, operation, document))
}

/// The names of the schemes whose key the parameter is. A scheme that the operation does not use owns nothing there:
/// nobody would send it.
fn owners<'a>(
    parameter: &'a Parameter,
    operation: &'a Operation,
    document: &'a Document,
) -> impl Iterator<Item = &'a str> {
    let applies = |scheme: &str| {
        let alternatives = operation.security.as_ref();
        alternatives.is_none_or(|all| all.iter().flatten().any(|one| one.scheme == scheme))
    };
    let schemes = document.security_schemes.iter();
    let owners = schemes.filter(move |scheme| match &scheme.kind {
        SecurityKind::ApiKey {
            location,
            parameter: name,
        } => {
            let is_header = *location == ParameterLocation::Header;
            *location == parameter.location
                && (*name == parameter.name
                    || is_header && name.eq_ignore_ascii_case(&parameter.name))
                && applies(&scheme.name)
        }
        _ => false,
    });
    owners.map(|scheme| scheme.name.as_str())
}

/// The schema of values that are never shown.
fn secret(schema: &Value) -> Value {
    let mut members = match schema {
        Value::Object(members) => members.clone(),
        // `true` takes anything, and so do no members.
        _ => Map::new(),
    };
    members.insert("writeOnly".to_owned(), Value::Bool(true));
    Value::Object(members)
}
