//! Members of arguments that would be sent under a name that is not theirs.

use std::sync::Arc;

use super::*;
use crate::tool::{SchemeKind, SecurityNeed, SecurityScheme};

fn key(location: Location, name: &str) -> Vec<SecurityNeed> {
    let kind = SchemeKind::ApiKey {
        location,
        parameter: name.to_owned(),
    };
    let scheme = SecurityScheme {
        document: 0,
        name: "scheme".to_owned(),
        kind,
    };
    vec![SecurityNeed {
        scheme: Arc::new(scheme),
        scopes: Vec::new(),
    }]
}

/// A parameter `own`, a fixed one `tenant`, one `page[of]`, and keys `api_key` and `session`.
fn planned(own: Parameter, value: Value) -> Result<HttpPlan, Vec<Fault>> {
    let place = match own.location {
        Location::QueryString => Location::Query,
        other => other,
    };
    let mut fixed = parameter("tenant", place, Style::Form, true);
    fixed.fixed = Some(json!("acme"));
    let other = parameter("page[of]", place, Style::Form, true);
    let mut target = target("/x", vec![own, fixed, other]);
    target.security = vec![
        key(Location::Query, "api_key"),
        key(Location::Cookie, "session"),
    ];
    let arguments = Map::from_iter([("own".to_owned(), value)]);
    bind(&target, &arguments, &TraceContext::default())
}

/// Refused because of this name, or taken.
fn expect(parameter: Parameter, value: Value, refused: Option<&str>) {
    let what = format!("{:?} {:?} {value}", parameter.location, parameter.style);
    match (planned(parameter, value), refused) {
        (Ok(_), None) => {}
        (Err(faults), Some(name)) => {
            assert_eq!(faults[0].path, "/own", "{what}");
            let told = &faults[0].message;
            assert!(told.contains(&format!("`{name}`")), "{what}: {told}");
        }
        (planned, _) => panic!("{what}: {planned:?}"),
    }
}

fn own(location: Location, style: Style, explode: bool) -> Parameter {
    parameter("own", location, style, explode)
}

#[test]
fn members_in_a_query_do_not_take_the_names_of_others() {
    let query = || own(Location::Query, Style::Form, true);
    expect(query(), json!({"page": 1, "session": "s"}), None);
    expect(query(), json!({"own": 1}), None);
    expect(query(), json!(["tenant=globex"]), None);
    expect(query(), json!("x&tenant=globex"), None);
    for name in ["tenant", "Tenant", "api_key", "page[of]"] {
        expect(query(), json!({"page": 1, name: "globex"}), Some(name));
    }
    let joined = own(Location::Query, Style::Form, false);
    expect(joined, json!({"tenant": "globex"}), None);
    let mut fixed = query();
    fixed.fixed = Some(json!({"api_key": "the operator's"}));
    expect(fixed, json!(null), None);
    let deep = own(Location::Query, Style::DeepObject, true);
    expect(deep, json!({"tenant": "globex"}), None);
}

#[test]
fn whole_queries_and_cookies_do_not_either() {
    let whole = || own(Location::QueryString, Style::Form, true);
    expect(whole(), json!({"a": 1, "own": 2}), None);
    expect(whole(), json!({"a": 1, "api_key": "mine"}), Some("api_key"));
    expect(whole(), json!("a=1&api%5Fkey=mine"), Some("api_key"));
    expect(whole(), json!("?API_KEY"), Some("API_KEY"));
    let cookies = || own(Location::Cookie, Style::Form, true);
    expect(cookies(), json!({"a": "1", "b": "2; session=mine"}), None);
    expect(
        cookies(),
        json!({"a": "1", "session": "mine"}),
        Some("session"),
    );
    expect(cookies(), json!({"tenant": "globex"}), Some("tenant"));
}

#[test]
fn a_parameter_named_as_a_page_of_another_is_its_own() {
    let mut pages = parameter("page", Location::Query, Style::DeepObject, true);
    pages.argument = "own".to_owned();
    let faults = planned(pages, json!({"of": 7})).unwrap_err();
    assert!(faults[0].message.contains("`page[of]`"), "{faults:?}");
}
