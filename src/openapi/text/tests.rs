//! Tables for JSON and YAML as documents contain them.

use serde_json::{Value, json};

use super::*;

fn tree(text: &str) -> Value {
    parse(text.as_bytes(), "t").map_or_else(|error| panic!("{text}: {error}"), |parsed| parsed.tree)
}

fn fault(bytes: &[u8]) -> String {
    parse(bytes, "doc").map_or_else(
        |error| error.to_string(),
        |parsed| panic!("{:?}", parsed.tree),
    )
}

#[test]
fn yaml_is_read_as_json_would_be() {
    let table = [
        (
            "on: yes\noff: no\ndate: 2024-01-02\n",
            json!({"on": "yes", "off": "no", "date": "2024-01-02"}),
        ),
        (
            "200: a\ntrue: b\nnull: c\n1.50: d\n",
            json!({"200": "a", "true": "b", "null": "c", "1.50": "d"}),
        ),
        (
            "a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  l: 3\n",
            json!({"a": {"k": 1, "l": 2}, "b": {"l": 3, "k": 1}}),
        ),
        (
            "b:\n  <<: [{k: 1}, {k: 2, m: 3}]\n",
            json!({"b": {"k": 1, "m": 3}}),
        ),
        ("a: ~\nb:\nc: ''\n", json!({"a": null, "b": null, "c": ""})),
        ("a: !thing {b: !!str 5}\n", json!({"a": {"b": "5"}})),
        ("a: |\n  one\n  two\n", json!({"a": "one\ntwo\n"})),
        ("{a: 1, b: [c,],}\n", json!({"a": 1, "b": ["c"]})),
        ("\u{FEFF}a: 1\n", json!({"a": 1})),
        ("\u{FEFF}{\"a\": 1}", json!({"a": 1})),
        (
            "v: 0x1F\nn: 012\nt: 12:30:00\n",
            json!({"v": 31, "n": "012", "t": "12:30:00"}),
        ),
    ];
    for (text, expected) in table {
        assert_eq!(tree(text), expected, "{text}");
    }
}

#[test]
fn long_integers_keep_their_digits() {
    for text in [
        "a: 123456789012345678901234567890\n",
        "{\"a\": 123456789012345678901234567890}",
    ] {
        assert_eq!(
            tree(text)["a"].to_string(),
            "123456789012345678901234567890"
        );
    }
    assert_eq!(tree("{\"a\": 99.990}")["a"].to_string(), "99.990");
}

#[test]
fn the_last_of_two_equal_keys_wins_and_is_told() {
    let parsed = parse(b"a:\n  b: 1\n  b: 2\n- c\n", "t");
    assert!(parsed.is_err());
    let parsed = parse(b"a:\n  - x/y: 1\n    x/y: 2\n", "t").unwrap();
    assert_eq!(parsed.tree, json!({"a": [{"x/y": 2}]}));
    assert_eq!(parsed.duplicates, ["/a/0/x~1y"]);
}

#[test]
fn faults_name_the_place_and_what_was_expected() {
    let table: [(&[u8], &str); 10] = [
        (b"", "doc is empty"),
        (b" \n\t\n", "doc is empty"),
        (b"\xEF\xBB\xBF", "doc is empty"),
        (b"<!DOCTYPE html><html>", "doc is an HTML page"),
        (b"<?xml version=\"1.0\"?><a/>", "doc is an XML document"),
        (
            b"a: 1\nb: \xFF\n",
            "doc:2:4: expected UTF-8 text, found the byte 0xFF",
        ),
        (b"\xFF\xFEa\0", "UTF-16"),
        (
            b"{\"a\": 1,\n \"b\" 2}",
            "doc:2:6: not valid JSON: expected `:`",
        ),
        (b"a:\n\tb: 1\n", "doc:2:1: not valid YAML: expected spaces"),
        (b"a: [1, 2\nb: 3\n", "not valid YAML"),
    ];
    for (bytes, expected) in table {
        let found = fault(bytes);
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn too_many_values_are_refused_before_they_take_memory() {
    for unit in ["- a\n", "a: b\n", "- ", "? ", ": ", "-\n", "[", "a,"] {
        assert!(values_at_most(&unit.repeat(100)) >= 100, "{unit}");
        assert!(values_at_most(&format!("[{}", "0,".repeat(100))) >= 100);
    }
    let found = fault("[".repeat(MOST_VALUES + 1).as_bytes());
    assert!(found.contains("holds more than 6000000 values"), "{found}");
}

#[test]
fn depth_is_refused_before_it_takes_time() {
    let nested = |unit: &str, levels: usize| format!("x:\n {}a\n", unit.repeat(levels));
    let indented = |unit: &str, levels: usize| -> String {
        let line = |n: usize| format!("{}{unit}\n", " ".repeat(2 * n));
        (0..levels).map(line).collect()
    };
    for unit in ["- ", "? ", ": ", "-   ", "- ? "] {
        let found = fault(nested(unit, 100_000).as_bytes());
        assert!(found.contains("more than 1000 values"), "{unit}: {found}");
    }
    for unit in ["a:", "-", "- a:", "?"] {
        let found = fault(indented(unit, 1_100).as_bytes());
        assert!(found.contains("more than 1000 values"), "{unit}: {found}");
    }
    // The lines of a text are no levels.
    let lines: String = (2..900)
        .map(|n| format!("{}- t\n", " ".repeat(n)))
        .collect();
    assert_eq!(tree(&format!("a: |\n{lines}b: 1\n"))["b"], 1);
    let many = "x:\n".to_owned() + &"  - - a\n    - b\n".repeat(2_000);
    assert_eq!(tree(&many)["x"].as_array().unwrap().len(), 2_000);
}

#[test]
fn hostile_input_ends_in_an_error() {
    let bomb: String = (1..=9).fold(
        "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned(),
        |text, n| {
            let items = vec![format!("*a{}", n - 1); 9].join(", ");
            text + &format!("a{n}: &a{n} [{items}]\n")
        },
    );
    let wide = format!(
        "a: &a \"{}\"\nb: [{}]\n",
        "x".repeat(100_000),
        vec!["*a"; 10_000].join(", ")
    );
    let block: String = (0..2_000)
        .map(|n| format!("{}a:\n", " ".repeat(n)))
        .collect();
    for text in [
        bomb,
        wide,
        "[".repeat(100_000),
        "{\"a\":".repeat(100_000),
        format!("a: {}", "[".repeat(500)),
        "a: &a [*a]\n".to_owned(),
        block,
        format!("a: {}", "[x, ".repeat(50_000)),
    ] {
        fault(text.as_bytes());
    }
}

#[test]
fn no_tree_has_members_that_the_json_library_takes_for_its_own() {
    for text in [
        "a:\n  $serde_json::private::RawValue: '[]'\n",
        "a:\n  \"\\x24serde_json::private::Number\": '1'\n",
        "{\"a\": {\"\\u0024serde_json::private::RawValue\": \"[]\"}}",
    ] {
        assert!(
            fault(text.as_bytes()).contains("cannot be part of it"),
            "{text}"
        );
    }
}
