//! What goes on the wire for every style, place and shape, and what is refused.

mod path;
mod query;
mod taken;

use serde_json::{Map, Value, json};
use url::Url;

use super::*;
use crate::tool::{Parameter, PathPart, PathTemplate, Style};

pub(super) fn parameter(name: &str, location: Location, style: Style, explode: bool) -> Parameter {
    Parameter {
        style,
        explode,
        required: location == Location::Path,
        ..Parameter::bare(name, location)
    }
}

/// A template such as `/a/{b}/{*c}`.
pub(super) fn template(text: &str) -> PathTemplate {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((literal, after)) = rest.split_once('{') {
        if !literal.is_empty() {
            parts.push(PathPart::Literal(literal.to_owned()));
        }
        let (name, after) = after.split_once('}').unwrap();
        parts.push(PathPart::Parameter {
            name: name.trim_start_matches('*').to_owned(),
            catch_all: name.starts_with('*'),
        });
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(PathPart::Literal(rest.to_owned()));
    }
    PathTemplate {
        template: text.to_owned(),
        parts,
    }
}

pub(super) fn target(path: &str, parameters: Vec<Parameter>) -> HttpTarget {
    HttpTarget {
        method: http::Method::GET,
        base: Url::parse("https://api.test/v1/").unwrap(),
        path: template(path),
        parameters,
        body: None,
        accept: "application/json".to_owned(),
        answer_headers: Vec::new(),
        promise: None,
        security: Vec::new(),
        keys: Vec::new(),
        corrections: Vec::new(),
    }
}

pub(super) fn plan(target: &HttpTarget, arguments: &Value) -> Result<HttpPlan, Vec<Fault>> {
    let empty = Map::new();
    bind(
        target,
        arguments.as_object().unwrap_or(&empty),
        &TraceContext::default(),
    )
}

fn url_of(target: &HttpTarget, arguments: &Value) -> String {
    let plan = plan(target, arguments).unwrap();
    let url = plan.url.as_str();
    url.strip_prefix("https://api.test/v1").unwrap().to_owned()
}

fn refusals(target: &HttpTarget, arguments: &Value) -> Vec<(String, String)> {
    let faults = plan(target, arguments).unwrap_err();
    faults
        .into_iter()
        .map(|fault| (fault.path, fault.keyword))
        .collect()
}

const BOTH: [bool; 2] = [false, true];

fn samples() -> [Value; 3] {
    [
        json!("blue"),
        json!(["blue", "black", "brown"]),
        json!({"R": 100, "G": 200, "B": 150}),
    ]
}

#[test]
fn parameters_with_a_media_type_are_its_text() {
    let mut json_text = parameter("f", Location::Query, Style::Form, true);
    json_text.content = Some("application/json".to_owned());
    let query = target("/x", vec![json_text.clone()]);
    assert_eq!(
        url_of(&query, &json!({"f": {"a": [1, "b c"]}})),
        "/x?f=%7B%22a%22%3A%5B1%2C%22b%20c%22%5D%7D"
    );
    assert_eq!(url_of(&query, &json!({"f": "t"})), "/x?f=%22t%22");
    json_text.location = Location::Header;
    let header = target("/x", vec![json_text.clone()]);
    let plan = plan(&header, &json!({"f": {"a": "ü😀"}})).unwrap();
    assert_eq!(plan.headers["f"], "{\"a\":\"\\u00fc\\ud83d\\ude00\"}");
    json_text.content = Some("text/plain".to_owned());
    let header = target("/x", vec![json_text.clone()]);
    for (text, expected) in [("a b", "a b"), (" 5", "%205"), ("5% ", "5%25%20")] {
        let plan = self::plan(&header, &json!({"f": text})).unwrap();
        assert_eq!(plan.headers["f"], expected);
    }
    json_text.location = Location::Query;
    assert_eq!(
        url_of(&target("/x", vec![json_text]), &json!({"f": "t u"})),
        "/x?f=t%20u"
    );
}

#[test]
fn headers_are_as_they_are_unless_they_cannot_be() {
    let cases = [
        (
            json!("he said \"x\" 100% a=b;c, d\te"),
            false,
            Some("he said \"x\" 100% a=b;c, d\te"),
        ),
        (json!("ü 50%"), false, Some("%C3%BC 50%25")),
        // What stands around a header's value is no part of it to whoever reads it.
        (json!(" a b%\t"), false, Some("%20a b%25%09")),
        (json!("\t "), false, Some("%09%20")),
        (json!(["a ", "b%", " c"]), false, Some("a%20,b%25,%20c")),
        (json!({"R": " 1"}), true, Some("R=%201")),
        (json!(true), false, Some("true")),
        (json!([]), false, None),
        (json!(["a", 2, "c%d"]), false, Some("a,2,c%d")),
        (json!(["a,b", "c%d"]), false, Some("a%2Cb,c%25d")),
        (json!({"R": 1, "G": "x"}), false, Some("R,1,G,x")),
        (json!({"R": 1, "G": "x=y"}), true, Some("R=1,G=x%3Dy")),
    ];
    for (value, explode, expected) in cases {
        let target = target(
            "/x",
            vec![parameter("X-A", Location::Header, Style::Simple, explode)],
        );
        let plan = plan(&target, &json!({"X-A": value})).unwrap();
        let found = plan.headers.get("x-a").map(|value| value.to_str().unwrap());
        assert_eq!(found, expected, "{value}");
    }
    for bad in ["a\r\nHost: evil", "a\nb", "a\0b", "\u{7f}"] {
        let target = target(
            "/x",
            vec![parameter("X-A", Location::Header, Style::Simple, false)],
        );
        for value in [json!(bad), json!(["ok", bad])] {
            assert_eq!(
                refusals(&target, &json!({"X-A": value})),
                [("/X-A".to_owned(), "header".to_owned())]
            );
        }
    }
}

#[test]
fn headers_that_frame_the_message_are_not_arguments() {
    let names = [
        "Host",
        "Content-Length",
        "transfer-encoding",
        "Connection",
        "Content-Type",
    ];
    let parameters = names.map(|name| parameter(name, Location::Header, Style::Simple, false));
    let target = target("/x", parameters.to_vec());
    let arguments = json!({"Host": "evil", "Content-Length": "3", "transfer-encoding": "chunked", "Connection": "x", "Content-Type": "y"});
    let plan = plan(&target, &arguments).unwrap();
    assert_eq!(plan.headers.len(), 1, "{:?}", plan.headers);
}

#[test]
fn cookies_share_one_header() {
    let cookie = |name, explode| parameter(name, Location::Cookie, Style::Form, explode);
    let target = target(
        "/x",
        vec![
            cookie("a", true),
            cookie("b", true),
            cookie("c", false),
            cookie("d", true),
        ],
    );
    let arguments = json!({"a": "x;y, \"z\" ü%=/+", "b": [1, 2], "c": [3, "4,5"], "d": {"R": 1}});
    let plan = plan(&target, &arguments).unwrap();
    assert_eq!(
        plan.headers["cookie"],
        "a=x%3By%2C%20%22z%22%20%C3%BC%25=/+; b=1; b=2; c=3,4%2C5; R=1"
    );
    let plain = Parameter {
        allow_reserved: true,
        ..cookie("my cookie[a]", true)
    };
    let target = self::target("/x", vec![plain]);
    let arguments = json!({"my cookie[a]": "50%25 off"});
    assert_eq!(
        self::plan(&target, &arguments).unwrap().headers["cookie"],
        "my%20cookie%5Ba%5D=50%25%20off"
    );
}

#[test]
fn fixed_values_and_defaults_are_sent() {
    let mut fixed = parameter("v", Location::Query, Style::Form, true);
    fixed.fixed = Some(json!("1.0"));
    let mut with_default = parameter("n", Location::Query, Style::Form, true);
    with_default.default = Some(json!(10));
    with_default.required = true;
    let target = target("/x", vec![fixed, with_default]);
    assert_eq!(url_of(&target, &json!({"v": "2.0"})), "/x?v=1.0&n=10");
    assert_eq!(url_of(&target, &json!({"n": 5})), "/x?v=1.0&n=5");
    assert_eq!(url_of(&target, &json!({"n": null})), "/x?v=1.0&n=10");
}

#[test]
fn trace_headers_and_accept_are_set_in_one_order() {
    let target = target(
        "/x",
        vec![parameter("X-A", Location::Header, Style::Simple, false)],
    );
    let trace = TraceContext {
        parent: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned()),
        state: Some("a=1".to_owned()),
        baggage: Some("bad\r\nvalue".to_owned()),
    };
    let arguments = json!({"X-A": "1"});
    let plan = bind(&target, arguments.as_object().unwrap(), &trace).unwrap();
    let names: Vec<_> = plan.headers.keys().map(HeaderName::as_str).collect();
    assert_eq!(names, ["accept", "x-a", "traceparent", "tracestate"]);
    assert_eq!(plan.body, None);
}

#[test]
fn all_faults_are_reported_at_once() {
    let mut query = parameter("q", Location::Query, Style::Form, true);
    query.required = true;
    let target = target(
        "/{id}",
        vec![
            parameter("id", Location::Path, Style::Simple, false),
            query,
            parameter("X-A", Location::Header, Style::Simple, false),
        ],
    );
    let found = refusals(&target, &json!({"id": "..", "X-A": "a\nb"}));
    let expected = [("/q", "required"), ("/id", "path"), ("/X-A", "header")];
    assert_eq!(
        found,
        expected.map(|(path, keyword)| (path.to_owned(), keyword.to_owned()))
    );
}
