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

#[test]
fn members_do_not_take_the_names_of_others() {
    let own = |location, style, explode| parameter("own", location, style, explode);
    let form = |location| own(location, Style::Form, true);
    for (parameter, value, refused) in [
        (
            form(Location::Query),
            json!({"page": 1, "session": "s"}),
            None,
        ),
        (form(Location::Query), json!({"own": 1}), None),
        (
            form(Location::Query),
            json!({"page": 1, "tenant": "globex"}),
            Some("tenant"),
        ),
        (
            form(Location::Query),
            json!({"Tenant": "globex"}),
            Some("Tenant"),
        ),
        (
            form(Location::Query),
            json!({"api_key": "mine"}),
            Some("api_key"),
        ),
        (
            form(Location::Query),
            json!({"page[of]": 7}),
            Some("page[of]"),
        ),
        (
            own(Location::Query, Style::Form, false),
            json!({"tenant": "globex"}),
            None,
        ),
        (
            own(Location::Query, Style::DeepObject, true),
            json!({"tenant": "globex"}),
            None,
        ),
        (form(Location::Query), json!(["tenant=globex"]), None),
        (form(Location::Query), json!("x&tenant=globex"), None),
        (form(Location::QueryString), json!({"a": 1}), None),
        (
            form(Location::QueryString),
            json!({"a": 1, "api_key": "mine"}),
            Some("api_key"),
        ),
        (
            form(Location::QueryString),
            json!("a=1&api%5Fkey=mine"),
            Some("api_key"),
        ),
        (
            form(Location::QueryString),
            json!("?API_KEY"),
            Some("API_KEY"),
        ),
        (
            form(Location::Cookie),
            json!({"a": "1", "b": "2; session=mine"}),
            None,
        ),
        (
            form(Location::Cookie),
            json!({"a": "1", "session": "mine"}),
            Some("session"),
        ),
        (
            form(Location::Cookie),
            json!({"tenant": "globex"}),
            Some("tenant"),
        ),
    ] {
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
}

#[test]
fn a_parameter_named_as_a_page_of_another_is_its_own() {
    let mut pages = parameter("page", Location::Query, Style::DeepObject, true);
    pages.argument = "own".to_owned();
    let faults = planned(pages, json!({"of": 7})).unwrap_err();
    assert!(faults[0].message.contains("`page[of]`"), "{faults:?}");
}
