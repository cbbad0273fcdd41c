//! Tables of pointers and where they stand, in both languages.

use super::*;

fn found(text: &str, pointer: &str) -> Option<(usize, usize)> {
    let places = Places::locate(text.as_bytes(), [pointer]);
    places.find(pointer).map(|at| (at.line, at.column))
}

#[test]
fn a_pointer_is_found_where_its_key_or_item_begins() {
    let json =
        "{\n  \"ä\": 1, \"a/b\": [10, {\"c\\\"~\": true}],\n  \"z\": {\"z\": [[1, 2], \"x\"]}\n}";
    let yaml = "# note\nä: 1\na/b:\n  - 10\n  - {'c\"~': true}\nz:\n  z:\n  - [1, 2]\n  - x\n200: {on: off}\nm: &m\n  k: 1\nn:\n  <<: *m\n";
    let table = [
        (json, "", Some((1, 1))),
        (json, "/ä", Some((2, 3))),
        (json, "/a~1b", Some((2, 11))),
        (json, "/a~1b/0", Some((2, 19))),
        (json, "/a~1b/1/c\"~0", Some((2, 24))),
        (json, "/z/z/0/1", Some((3, 19))),
        (json, "/z/z/1", Some((3, 23))),
        // The nearest thing around what is not there.
        (json, "/z/nothing/at/all", Some((3, 3))),
        (json, "/nothing", Some((1, 1))),
        (yaml, "/ä", Some((2, 1))),
        (yaml, "/a~1b/0", Some((4, 5))),
        (yaml, "/a~1b/1/c\"~0", Some((5, 6))),
        (yaml, "/z/z/0/1", Some((8, 9))),
        (yaml, "/z/z/1", Some((9, 5))),
        (yaml, "/200/on", Some((10, 7))),
        (yaml, "/n/k", Some((13, 1))),
        ("\u{FEFF}{\"a\": 1}", "/a", Some((1, 2))),
        ("{a: 1, b: {c: 2}}", "/b/c", Some((1, 12))),
        ("", "/a", None),
    ];
    for (text, pointer, expected) in table {
        assert_eq!(found(text, pointer), expected, "{pointer} in {text}");
    }
}

#[test]
fn repeated_keys_of_json_are_told_with_their_place() {
    let text =
        "{\"a\": 1,\n \"b\": [{\"x\": 1, \"x\": {\"y\": 2}}],\n \"a\": 3, \"c\": {\"a\": 1}}";
    let places = Places::locate(text.as_bytes(), ["/a"]);
    let told: Vec<_> = places
        .duplicates()
        .iter()
        .map(|(pointer, at)| (pointer.as_str(), at.line, at.column))
        .collect();
    assert_eq!(told, [("/b/0/x", 2, 17), ("/a", 3, 2)]);
    let last = places.find("/a").unwrap();
    assert_eq!((last.line, last.column), (3, 2), "the one that counts");
}

#[test]
fn broken_and_hostile_texts_give_what_stands_before_the_fault() {
    assert_eq!(found("a: 1\nb: [\n", "/a"), Some((1, 1)));
    assert_eq!(found("? [x, y]\n: 1\n", "/a"), Some((1, 1)));
    for text in [
        "[".repeat(100_000),
        "{\"a\":".repeat(50_000),
        "\u{0}".to_owned(),
    ] {
        found(&text, "/0/0");
    }
    assert!(Places::locate(b"\xFF\xFE", ["/a"]).find("/a").is_none());
}
