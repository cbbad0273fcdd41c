//! Which request methods a rule may name.

/// Those that OpenAPI has a member for (OpenAPI 3.2, section 4.9).
const COMMON: [&str; 9] = [
    "GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "QUERY",
];
/// The others that IANA registers and `additionalOperations` may have, and the one that caches know.
const OTHERS: [&str; 32] = [
    "ACL",
    "BASELINE-CONTROL",
    "BIND",
    "CHECKIN",
    "CHECKOUT",
    "CONNECT",
    "COPY",
    "LABEL",
    "LINK",
    "LOCK",
    "MERGE",
    "MKACTIVITY",
    "MKCALENDAR",
    "MKCOL",
    "MKREDIRECTREF",
    "MKWORKSPACE",
    "MOVE",
    "ORDERPATCH",
    "PRI",
    "PROPFIND",
    "PROPPATCH",
    "PURGE",
    "REBIND",
    "REPORT",
    "SEARCH",
    "UNBIND",
    "UNCHECKOUT",
    "UNLINK",
    "UNLOCK",
    "UPDATE",
    "UPDATEREDIRECTREF",
    "VERSION-CONTROL",
];

/// What is wrong with the methods of a rule, if anything: a rule of one that does not exist restricts nothing.
pub(super) fn fault(methods: &[String]) -> Option<String> {
    let known = |name: &str| {
        let mut all = COMMON.iter().chain(&OTHERS);
        all.any(|known| known.eq_ignore_ascii_case(name))
    };
    let unknown = methods.iter().find(|name| !known(name))?;
    Some(format!(
        "`{}` is not a request method: expected one of {}; an operation of another method is named by `paths` or `operations`",
        unknown.escape_debug(),
        COMMON.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_has_to_exist() {
        let fault =
            |names: &[&str]| fault(&names.iter().map(|&one| one.to_owned()).collect::<Vec<_>>());
        assert_eq!(fault(&["get", "DELETE", "Query", "PROPFIND"]), None);
        assert_eq!(fault(&[]), None);
        let text = fault(&["GET", "FETCH"]).unwrap();
        assert!(
            text.contains("`FETCH`") && text.contains("GET, PUT, POST"),
            "{text}"
        );
    }
}
