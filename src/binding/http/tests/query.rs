//! Query parameters of every style.

use super::*;

#[test]
fn query_styles_are_openapis_table() {
    let exploded = [
        "color=blue",
        "color=blue&color=black&color=brown",
        "R=100&G=200&B=150",
    ];
    let table = [
        (
            Style::Form,
            [
                "color=blue",
                "color=blue,black,brown",
                "color=R,100,G,200,B,150",
            ],
        ),
        (
            Style::SpaceDelimited,
            [
                "color=blue",
                "color=blue%20black%20brown",
                "color=R%20100%20G%20200%20B%20150",
            ],
        ),
        (
            Style::PipeDelimited,
            [
                "color=blue",
                "color=blue%7Cblack%7Cbrown",
                "color=R%7C100%7CG%7C200%7CB%7C150",
            ],
        ),
        (
            Style::TabDelimited,
            [
                "color=blue",
                "color=blue%09black%09brown",
                "color=R%09100%09G%09200%09B%09150",
            ],
        ),
    ];
    for (style, joined) in table {
        for (explode, row) in BOTH.into_iter().zip([joined, exploded]) {
            for (value, expected) in samples().into_iter().zip(row) {
                let target = target(
                    "/x",
                    vec![parameter("color", Location::Query, style, explode)],
                );
                let url = url_of(&target, &json!({"color": value}));
                assert_eq!(url, format!("/x?{expected}"), "{style:?} {explode} {value}");
            }
        }
    }
}

#[test]
fn deep_objects_nest_their_brackets() {
    let target = target(
        "/x",
        vec![parameter("f", Location::Query, Style::DeepObject, true)],
    );
    let cases = [
        (
            json!({"R": 100, "G": null, "B": true}),
            "?f%5BR%5D=100&f%5BB%5D=true",
        ),
        (
            json!({"a": {"gt": 1, "lt": {"n": "x y"}}}),
            "?f%5Ba%5D%5Bgt%5D=1&f%5Ba%5D%5Blt%5D%5Bn%5D=x%20y",
        ),
        (json!({"a": [1, 2]}), "?f%5Ba%5D%5B%5D=1&f%5Ba%5D%5B%5D=2"),
        (
            json!({"a": [{"k": 1}, {"k": 2}]}),
            "?f%5Ba%5D%5B0%5D%5Bk%5D=1&f%5Ba%5D%5B1%5D%5Bk%5D=2",
        ),
        (json!({}), ""),
        (json!("blue"), "?f=blue"),
    ];
    for (value, expected) in cases {
        assert_eq!(
            url_of(&target, &json!({"f": value})),
            format!("/x{expected}")
        );
    }
}

#[test]
fn null_empty_and_absent_are_told_apart() {
    let mut plain = parameter("a", Location::Query, Style::Form, true);
    let cases = [
        (json!({}), ""),
        (json!({"a": null}), ""),
        (json!({"a": []}), ""),
        (json!({"a": {}}), ""),
        (json!({"a": [null]}), ""),
        (json!({"a": ""}), "?a="),
        (json!({"a": ["", "b"]}), "?a=&a=b"),
        (json!({"a": 0}), "?a=0"),
        (json!({"a": false}), "?a=false"),
    ];
    for (arguments, expected) in &cases {
        let target = target("/x", vec![plain.clone()]);
        assert_eq!(url_of(&target, arguments), format!("/x{expected}"));
    }
    plain.allow_empty = true;
    let bare = target("/x", vec![plain]);
    assert_eq!(url_of(&bare, &json!({"a": ""})), "/x?a");
    assert_eq!(url_of(&bare, &json!({"a": null})), "/x");
}

#[test]
fn numbers_keep_their_digits_and_names_their_spelling() {
    let names = ["filter[id]", "$top", "Account Number", "größe"];
    let parameters = names.map(|name| parameter(name, Location::Query, Style::Form, true));
    let target = target("/x", parameters.to_vec());
    let arguments: Value = serde_json::from_str(
        r#"{"filter[id]": 12345678901234567890123, "$top": 1.50, "Account Number": 1e400, "größe": -0.0}"#,
    )
    .unwrap();
    assert_eq!(
        url_of(&target, &arguments),
        "/x?filter%5Bid%5D=12345678901234567890123&%24top=1.50&Account%20Number=1e%2B400&gr%C3%B6%C3%9Fe=-0.0"
    );
}

#[test]
fn reserved_characters_stay_only_where_they_are_harmless() {
    let mut reserved = parameter("a", Location::Query, Style::Form, false);
    reserved.allow_reserved = true;
    let target = target("/x", vec![reserved]);
    let cases = [
        (json!("/a/b:c?d@e!$'()*,;"), "/a/b:c?d@e!$%27()*,;"),
        (json!("a#b&c=d+e%f"), "a%23b%26c%3Dd%2Be%25f"),
        (json!("%2F [ü]"), "%2F%20%5B%C3%BC%5D"),
        (json!(["a,b", "c/d"]), "a%2Cb,c/d"),
    ];
    for (value, expected) in cases {
        assert_eq!(
            url_of(&target, &json!({"a": value})),
            format!("/x?a={expected}")
        );
    }
}

#[test]
fn a_querystring_parameter_is_the_whole_query() {
    let mut whole = parameter("q", Location::QueryString, Style::Form, true);
    whole.content = Some("application/x-www-form-urlencoded".to_owned());
    let form = target("/x", vec![whole.clone()]);
    assert_eq!(
        url_of(&form, &json!({"q": {"a": [1, 2], "b": "c&d"}})),
        "/x?a=1&a=2&b=c%26d"
    );
    assert_eq!(
        url_of(&form, &json!({"q": "a=1&b=2#c d"})),
        "/x?a=1&b=2%23c%20d"
    );
    whole.content = Some("application/json".to_owned());
    assert_eq!(
        url_of(&target("/x", vec![whole]), &json!({"q": {"a": 1}})),
        "/x?%7B%22a%22%3A1%7D"
    );
}

#[test]
fn a_delimiter_inside_an_item_is_refused_where_it_could_not_be_told() {
    for (style, item) in [
        (Style::SpaceDelimited, "a b"),
        (Style::PipeDelimited, "a|b"),
        (Style::TabDelimited, "a\tb"),
    ] {
        let target = target("/x", vec![parameter("a", Location::Query, style, false)]);
        assert_eq!(refusals(&target, &json!({"a": [item, "c"]})).len(), 1);
        assert!(plan(&target, &json!({"a": item})).is_ok());
    }
}

#[test]
fn an_address_longer_than_libraries_take_is_a_fault() {
    let target = target(
        "/a",
        vec![parameter("q", Location::Query, Style::Form, true)],
    );
    let bound = |length: usize| plan(&target, &json!({ "q": "x".repeat(length) }));
    assert!(bound(LONGEST_URL - 100).is_ok());
    let faults = bound(LONGEST_URL).unwrap_err();
    assert_eq!(faults[0].keyword, "url");
    assert!(
        faults[0].message.contains("at most 65000 bytes"),
        "{faults:?}"
    );
}
