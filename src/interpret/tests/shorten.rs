//! JSON that is too long.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

#[test]
fn what_is_left_is_whole_and_the_rest_is_named() {
    let cases: [(&str, usize, &str, &[&str]); 13] = [
        ("[1, 2.50, 3]", 8, "[1,2.50]", &["… 1 more items"]),
        ("[10,20,3", 100, "[10,20]", &["… 1 more items"]),
        (
            "[[1,2,3],[4]]",
            8,
            "[[1,2]]",
            &["/0: … 1 more items", "… 1 more items"],
        ),
        (
            "{\"n\": 1, \"items\": [1,2,3,4,5,6,7,8,9], \"b\": true}",
            34,
            "{\"n\":1,\"items\":[1,2,3],\"b\":true}",
            &["/items: … 6 more items"],
        ),
        (
            "{\"a/b\":\"0123456789\"}",
            14,
            "{\"a/b\":\"012\"}",
            &["/a~1b: the first 3 of 10 bytes of a text"],
        ),
        (
            "{\"a\":\"01\\u00fc6\\ud83d\\ude0",
            100,
            "{\"a\":\"01\\u00fc6\"}",
            &["/a: the first 9 bytes of a text"],
        ),
        ("{\"a\":12345678}", 12, "{}", &["… 1 more members"]),
        (
            "{\"a\":1,\"b\":{\"c\":[1,",
            100,
            "{\"a\":1,\"b\":{\"c\":[1]}}",
            &[],
        ),
        ("[]", 1, "", &[]),
        (
            "\"0123456789\"",
            8,
            "\"012345\"",
            &["the first 6 of 10 bytes of a text"],
        ),
        (
            "\"0\\u00fc6\\ud83d\\ude0",
            100,
            "\"0\\u00fc6\"",
            &["the first 8 bytes of a text"],
        ),
        ("\"ab\" and \"more\"", 10, "", &[]),
        ("{\"a\":1,\"b", 100, "{\"a\":1}", &[]),
    ];
    for (text, limit, expected, left_out) in cases {
        let short = json(text, limit);
        let found = short.as_ref().map_or("", |short| short.text.as_str());
        assert_eq!(found, expected, "{text}");
        let notes = short.map_or(Vec::new(), |short| short.left_out);
        assert_eq!(notes, left_out, "{text}");
    }
    for text in ["12345", "\"te\" xt", "no json", ""] {
        assert_eq!(json(text, 5), None, "{text}");
    }
}

#[test]
fn depth_is_bounded() {
    let deep = "[".repeat(100_000);
    assert_eq!(json(&deep, 1000).unwrap().text, "[[[[[[[[]]]]]]]]");
    assert_eq!(grouped(1_234_567), "1,234,567");
    assert_eq!(
        (grouped(12), grouped(120)),
        ("12".to_owned(), "120".to_owned())
    );
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i32>().prop_map(Value::from),
        Just(Value::Null),
        "[a-zäß😀\"\\\\\n/]{0,40}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec(("[a-c\"\\\\~]{0,5}", inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_stays_json_within_the_limit(value in values(), limit in 2_usize..300, cut in 0_usize..400) {
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let end = text.char_indices().map(|(at, _)| at).nth(cut).unwrap_or(text.len());
            for text in [&text[..], &text[..end]] {
                if !text.starts_with(['[', '{', '"']) {
                    continue;
                }
                let short = json(text, limit).unwrap();
                prop_assert!(short.text.len() <= limit, "{} in {limit}: {}", text, short.text);
                prop_assert!(is_json(short.text.as_bytes()));
            }
        }
    }
}
