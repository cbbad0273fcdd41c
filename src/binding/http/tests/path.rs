//! Path values: one segment each, whatever they hold.

use super::*;

#[test]
fn path_styles_are_openapis_table() {
    // Per style: explode false, then true; each a text, an array, an object.
    let table = [
        (
            Style::Simple,
            [
                ["blue", "blue,black,brown", "R,100,G,200,B,150"],
                ["blue", "blue,black,brown", "R=100,G=200,B=150"],
            ],
        ),
        (
            Style::Label,
            [
                [".blue", ".blue,black,brown", ".R,100,G,200,B,150"],
                [".blue", ".blue.black.brown", ".R=100.G=200.B=150"],
            ],
        ),
        (
            Style::Matrix,
            [
                [
                    ";color=blue",
                    ";color=blue,black,brown",
                    ";color=R,100,G,200,B,150",
                ],
                [
                    ";color=blue",
                    ";color=blue;color=black;color=brown",
                    ";R=100;G=200;B=150",
                ],
            ],
        ),
        (
            Style::PipeDelimited,
            [
                [
                    "blue",
                    "blue%7Cblack%7Cbrown",
                    "R%7C100%7CG%7C200%7CB%7C150",
                ],
                ["blue", "blue%7Cblack%7Cbrown", "R=100%7CG=200%7CB=150"],
            ],
        ),
    ];
    for (style, rows) in table {
        for (explode, row) in BOTH.into_iter().zip(rows) {
            for (value, expected) in samples().into_iter().zip(row) {
                let target = target(
                    "/{color}/x",
                    vec![parameter("color", Location::Path, style, explode)],
                );
                let url = url_of(&target, &json!({"color": value}));
                assert_eq!(url, format!("/{expected}/x"), "{style:?} {explode} {value}");
            }
        }
    }
}

#[test]
fn a_path_value_is_one_segment_whatever_it_holds() {
    let target = target(
        "/a/{id}/b",
        vec![parameter("id", Location::Path, Style::Simple, false)],
    );
    let cases = [
        ("a/b", "a%2Fb"),
        ("a?b#c", "a%3Fb%23c"),
        ("%2e%2e", "%252e%252e"),
        ("%2F", "%252F"),
        ("..\\..", "..%5C.."),
        ("...", "..."),
        ("ü 日", "%C3%BC%20%E6%97%A5"),
        ("@evil.test:80", "%40evil.test%3A80"),
        ("a\r\nb\t\0", "a%0D%0Ab%09%00"),
    ];
    for (value, expected) in cases {
        assert_eq!(
            url_of(&target, &json!({"id": value})),
            format!("/a/{expected}/b")
        );
    }
    for value in [
        json!(""),
        json!("."),
        json!(".."),
        json!([]),
        json!([""]),
        json!({}),
    ] {
        let expected = vec![("/id".to_owned(), "path".to_owned())];
        assert_eq!(
            refusals(&target, &json!({"id": value})),
            expected,
            "{value}"
        );
    }
    for missing in [json!({}), json!({"id": null})] {
        assert_eq!(
            refusals(&target, &missing),
            [("/id".to_owned(), "required".to_owned())]
        );
    }
}

#[test]
fn dots_from_several_places_make_no_dot_segment() {
    let simple = |name| parameter(name, Location::Path, Style::Simple, false);
    let two = target("/{a}{b}/c", vec![simple("a"), simple("b")]);
    assert_eq!(
        refusals(&two, &json!({"a": ".", "b": "."})),
        [("/a".to_owned(), "path".to_owned())]
    );
    assert_eq!(url_of(&two, &json!({"a": ".", "b": "x"})), "/.x/c");
    let literal = target("/.{a}", vec![simple("a")]);
    assert_eq!(
        refusals(&literal, &json!({"a": "."})),
        [("/a".to_owned(), "path".to_owned())]
    );
    // Parsers of URLs take `%2e` for a dot.
    for escaped in ["/%2e{a}/c", "/%2E{a}", "/x/{a}%2e"] {
        let escaped = target(escaped, vec![simple("a")]);
        assert_eq!(
            refusals(&escaped, &json!({"a": "."})),
            [("/a".to_owned(), "path".to_owned())]
        );
        assert!(plan(&escaped, &json!({"a": "%2e"})).is_ok());
    }
    let label = target(
        "/{a}",
        vec![parameter("a", Location::Path, Style::Label, true)],
    );
    assert_eq!(
        refusals(&label, &json!({"a": ["", ""]})),
        [("/a".to_owned(), "path".to_owned())]
    );
}

#[test]
fn every_value_at_fault_is_told_and_no_other() {
    let simple = |name| parameter(name, Location::Path, Style::Simple, false);
    let three = target(
        "/{a}/{b}/{*c}",
        vec![
            simple("a"),
            simple("b"),
            simple("c"),
            parameter("q", Location::Query, Style::SpaceDelimited, false),
        ],
    );
    let path = |name: &str| (format!("/{name}"), "path".to_owned());
    assert_eq!(
        refusals(
            &three,
            &json!({"a": "", "b": "..", "c": "x/./y", "q": ["x y", "z"]})
        ),
        [
            path("a"),
            path("c"),
            path("b"),
            ("/q".to_owned(), "query".to_owned())
        ]
    );
    // What lacks a value is no segment yet.
    let two = target("/{a}.{b}", vec![simple("a"), simple("b")]);
    assert_eq!(
        refusals(&two, &json!({"b": "."})),
        [("/a".to_owned(), "required".to_owned())]
    );
    assert_eq!(refusals(&two, &json!({"a": "", "b": "."})), [path("a")]);
}

#[test]
fn a_catch_all_keeps_its_slashes_only() {
    let target = target(
        "/files/{*slug}",
        vec![parameter("slug", Location::Path, Style::Simple, false)],
    );
    let cases = [
        (json!("a/b c/d?e"), "a/b%20c/d%3Fe"),
        (json!("/a/b"), "a/b"),
        (json!("a/"), "a/"),
        (json!(["a/b", "c"]), "a%2Fb/c"),
        (json!(7), "7"),
        (json!("%2e%2e/x"), "%252e%252e/x"),
    ];
    for (value, expected) in cases {
        assert_eq!(
            url_of(&target, &json!({"slug": value})),
            format!("/files/{expected}")
        );
    }
    for value in ["..", "a/../b", "./a", "a//b", "", "/"] {
        assert_eq!(
            refusals(&target, &json!({"slug": value})).len(),
            1,
            "{value}"
        );
    }
}

#[test]
fn optional_parameters_at_the_end_of_a_path_go_with_their_slash() {
    let optional = |name| Parameter {
        required: false,
        ..parameter(name, Location::Path, Style::Simple, false)
    };
    let one = target("/customer/{id}", vec![optional("id")]);
    assert_eq!(url_of(&one, &json!({})), "/customer");
    assert_eq!(url_of(&one, &json!({"id": 7})), "/customer/7");
    let two = target("/{a}/{b}", vec![optional("a"), optional("b")]);
    assert_eq!(url_of(&two, &json!({"a": 1})), "/1");
    assert_eq!(url_of(&two, &json!({})), "/");
    assert_eq!(
        refusals(&two, &json!({"b": 1})),
        [("/a".to_owned(), "required".to_owned())]
    );
    let inner = target(
        "/tenant/{a}/customer/{b}",
        vec![optional("a"), optional("b")],
    );
    assert_eq!(url_of(&inner, &json!({"a": 1})), "/tenant/1/customer");
    for arguments in [json!({}), json!({"b": 2})] {
        assert_eq!(
            refusals(&inner, &arguments),
            [("/a".to_owned(), "required".to_owned())]
        );
    }
}

/// RFC 6570, section 3.2: the variables of its examples.
fn rfc_values() -> Value {
    json!({
        "var": "value", "hello": "Hello World!", "half": "50%", "empty": "", "list": ["red", "green", "blue"],
        "keys": {"semi": ";", "dot": ".", "comma": ","}, "count": ["one", "two", "three"]
    })
}

#[test]
fn rfc_6570s_examples_come_out_as_printed() {
    use Style::{Form, Label, Matrix, Simple};

    let cases = [
        ("var", Simple, false, "/value"),
        ("hello", Simple, false, "/Hello%20World%21"),
        ("half", Simple, false, "/50%25"),
        ("list", Simple, false, "/red,green,blue"),
        ("keys", Simple, false, "/semi,%3B,dot,.,comma,%2C"),
        ("keys", Simple, true, "/semi=%3B,dot=.,comma=%2C"),
        ("half", Label, false, "/.50%25"),
        ("list", Label, false, "/.red,green,blue"),
        ("list", Label, true, "/.red.green.blue"),
        ("keys", Label, false, "/.semi,%3B,dot,.,comma,%2C"),
        ("keys", Label, true, "/.semi=%3B.dot=..comma=%2C"),
        ("half", Matrix, false, "/;half=50%25"),
        ("empty", Matrix, false, "/;empty"),
        ("list", Matrix, false, "/;list=red,green,blue"),
        ("list", Matrix, true, "/;list=red;list=green;list=blue"),
        ("keys", Matrix, false, "/;keys=semi,%3B,dot,.,comma,%2C"),
        ("keys", Matrix, true, "/;semi=%3B;dot=.;comma=%2C"),
        ("half", Form, true, "?half=50%25"),
        ("empty", Form, true, "?empty="),
        ("count", Form, false, "?count=one,two,three"),
        ("count", Form, true, "?count=one&count=two&count=three"),
        ("keys", Form, false, "?keys=semi,%3B,dot,.,comma,%2C"),
        ("keys", Form, true, "?semi=%3B&dot=.&comma=%2C"),
    ];
    for (name, style, explode, expected) in cases {
        let target = match style {
            Form => target("", vec![parameter(name, Location::Query, style, explode)]),
            _ => target(
                &format!("/{{{name}}}"),
                vec![parameter(name, Location::Path, style, explode)],
            ),
        };
        let url = url_of(&target, &rfc_values());
        let url = url
            .strip_prefix('/')
            .filter(|url| url.starts_with('?'))
            .unwrap_or(&url);
        assert_eq!(url, expected, "{name} {style:?} {explode}");
    }
}
