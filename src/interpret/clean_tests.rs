//! What goes and what stays.

use serde_json::Value;

use super::*;

const ALL: Cleaning = Cleaning {
    controls: true,
    directions: true,
    mark: false,
};

#[test]
fn what_nobody_sees_goes_and_the_rest_stays() {
    for (text, expected) in [
        (
            "plain\ttext\r\n größe 日本 €",
            "plain\ttext\r\n größe 日本 €",
        ),
        ("a\u{1b}[31mred\u{1b}[0m b", "ared b"),
        ("a\u{1b}]0;title\u{7}b", "a]0;titleb"),
        ("a\u{9b}2Jb\u{85}c\u{7f}\0", "abc"),
        ("\u{1b}[\"", "\""),
        ("a\u{e0049}\u{e0047}b", "ab"),
        (
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}!",
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}!",
        ),
        (
            "\u{1f3f4}\u{e0065}\u{e0076}\u{e0069}\u{e006c}\u{e007f}!",
            "\u{1f3f4}!",
        ),
        (
            "a\u{202e}b\u{2066}c\u{200f}d\u{200d}",
            "abc\u{200f}d\u{200d}",
        ),
        // Of what has no width, joiners and what chooses an emoji's looks stay.
        ("a\u{200b}b\u{2060}c\u{2063}d\u{206f}e\u{feff}f", "abcdef"),
        ("\u{feff}a – “b” … €", "a – “b” … €"),
        (
            "\u{1f468}\u{200d}\u{1f469} \u{2764}\u{fe0f} \u{646}\u{200c}\u{647}",
            "\u{1f468}\u{200d}\u{1f469} \u{2764}\u{fe0f} \u{646}\u{200c}\u{647}",
        ),
        ("\u{1f600}\u{e0158}\u{e0159}a\u{e0100}", "\u{1f600}a"),
        // One behind a Chinese character chooses its form; more of them say something.
        (
            "\u{845b}\u{e0100}\u{57ce} \u{2000b}\u{e01ef}",
            "\u{845b}\u{e0100}\u{57ce} \u{2000b}\u{e01ef}",
        ),
        ("\u{845b}\u{e0100}\u{e0158}\u{e0100}", "\u{845b}\u{e0100}"),
        (
            r#"["\u845b\udb40\udd00\udb40\udd00 \ud840\udc0b\udb40\udd00 a\udb40\udd00\u200B\uFEFF"]"#,
            r#"["\u845b\udb40\udd00 \ud840\udc0b\udb40\udd00 a"]"#,
        ),
        // Letters in a text that is no JSON.
        (r"regex \u001b \b", r"regex \u001b \b"),
        (
            r#"{"a":"x\u001b[2Jy\u009by\b\f\n\u000a"}"#,
            r#"{"a":"xyy\n\u000a"}"#,
        ),
        (
            r#"["\udb40\udc41\udb40\udc42z \u202E \ud83d\ude00"]"#,
            r#"["z  \ud83d\ude00"]"#,
        ),
        // An escaped backslash before a letter u is no escape.
        (r#"["\\u001b \\\u001b\""]"#, r#"["\\u001b \\\""]"#),
        (r#"["\u00"]"#, r#"["\u00"]"#),
        (r"[\", r"[\"),
    ] {
        let found = cleaned(text, ALL);
        assert_eq!(found.as_deref().unwrap_or(text), expected, "{text:?}");
        assert_eq!(found.is_none(), text == expected, "{text:?}");
    }
}

#[test]
fn settings_say_what_goes() {
    let text = "a\u{202e}b\u{1b}c";
    let with = |controls, directions| Cleaning {
        controls,
        directions,
        mark: false,
    };
    assert_eq!(cleaned(text, with(true, false)).unwrap(), "a\u{202e}bc");
    assert_eq!(cleaned(text, with(false, true)).unwrap(), "ab\u{1b}c");
    assert_eq!(cleaned(text, with(false, false)), None);
}

proptest::proptest! {
    #[test]
    fn json_stays_json(text in proptest::prelude::any::<String>(), dense in "[\u{0}-\u{1f}\u{80}-\u{9f}a\"\\\\\u{e0001}\u{e0101}\u{845b}\u{200b}\u{202e}]{0,40}") {
        for text in [text, dense] {
            for value in [Value::from(text.clone()), serde_json::json!({ text.clone(): [text.clone()] })] {
                let json = value.to_string();
                let cleaned = cleaned(&json, ALL).unwrap_or(json);
                let read: Value = serde_json::from_str(&cleaned).unwrap();
                let shown = read.to_string();
                proptest::prop_assert!(super::cleaned(&shown, ALL).is_none(), "{}", shown);
            }
        }
    }
}
