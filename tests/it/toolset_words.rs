//! What a program sees of a call's arguments, and what is refused before it starts.
#![cfg(unix)]

use serde_json::{Value, json};

use crate::support::text;
use crate::support::toolset::Toolset;
use crate::toolset::{WORK, arguments};

#[tokio::test]
async fn the_program_sees_what_was_meant_or_nothing() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    let root = toolset.root().display().to_string();
    let outside = toolset.base().display().to_string();
    std::os::unix::fs::symlink(toolset.base(), toolset.root().join("out")).unwrap();
    // Each value with what stands in its place, or nothing where it is refused.
    let plain = [
        ("two words", Some("two words")),
        ("it's \"quoted\"", Some("it's \"quoted\"")),
        ("$(touch x)", Some("$(touch x)")),
        ("`touch x`", Some("`touch x`")),
        ("a;b", Some("a;b")),
        ("a && b | c > d", Some("a && b | c > d")),
        ("*", Some("*")),
        ("a\\b\\", Some("a\\b\\")),
        ("käse ☃", Some("käse ☃")),
        ("%PATH%", Some("%PATH%")),
        ("~", Some("~")),
        ("-x", None),
        ("--source=http://evil", None),
        (" -x", None),
        ("-", None),
        ("@file.rsp", None),
        (" @file.rsp", None),
        ("/p:Evil=1", None),
        ("/property:Evil=1", None),
        ("/m", None),
        ("a\nb", None),
        ("a\r\nb", None),
        ("a\tb", None),
        ("a\0b", None),
        ("\u{1b}[2J", None),
        ("a\u{9b}b", None),
    ];
    let property = [
        ("Debug;Evil=1", Some("Debug%3BEvil=1")),
        ("Debug,Evil=1", Some("Debug%2CEvil=1")),
        ("100%3B", Some("100%253B")),
        ("$(Evil)", Some("%24(Evil)")),
        ("a@(Compile)", Some("a%40(Compile)")),
        ("a b", Some("a b")),
        ("Debug\" -p:Evil=\"1", None),
        ("-p:Evil=1", None),
        ("@x.rsp", None),
        ("/p:Evil=1", None),
        ("a\nb", None),
    ];
    let path = [
        ("app/app.csproj", Some(format!("{root}/app/app.csproj"))),
        (
            "./app/../app/app.csproj",
            Some(format!("{root}/app/app.csproj")),
        ),
        ("app\\app.csproj", Some(format!("{root}/app/app.csproj"))),
        (
            "new dir/a,b;c.csproj",
            Some(format!("{root}/new dir/a,b;c.csproj")),
        ),
        ("x'.csproj", Some(format!("{root}/x'.csproj"))),
        ("$(x).csproj", Some(format!("{root}/$(x).csproj"))),
        ("x.csproj\" -p:Evil=\"1.csproj", None),
        ("../x.csproj", None),
        ("..\\..\\etc\\passwd", None),
        ("app/../../x", None),
        ("none/../../../x", None),
        ("out/x.csproj", None),
        ("/etc/passwd", None),
        ("//server/share/x", None),
        ("\\\\server\\share\\x", None),
        ("/p:Evil=1", None),
        ("-x.csproj", None),
        ("@x.rsp", None),
        ("app\0.csproj", None),
        ("*.csproj", None),
    ];
    let split = [
        ("--no-build --force", Some("--no-build --force")),
        ("  -p A=1  ", Some("-p A=1")),
        ("@evil.rsp", None),
        ("--a @evil.rsp", None),
        ("-o ../..", None),
        ("-o=..", None),
        ("-p:A=1;B=2", None),
        ("\"a b\"", None),
        ("/p:A=1", None),
        ("a $(b)", None),
    ];
    let verbatim = ["-x", "@file", "a\nb", "\"", "--", "/p:A=1", "", " "];

    let mut cases: Vec<(&str, String, Option<Vec<String>>)> = Vec::new();
    let words = |list: &[&str]| Some(list.iter().map(|word| (*word).to_owned()).collect());
    for (value, seen) in plain {
        let seen = seen.and_then(|seen| words(&["plain", "-x", seen, "end"]));
        cases.push(("Plain", value.to_owned(), seen));
    }
    for (value, seen) in property {
        let seen = seen.map(|seen| format!("-p:A={seen}"));
        cases.push((
            "Property",
            value.to_owned(),
            seen.and_then(|seen| words(&["property", &seen, "end"])),
        ));
    }
    for (value, seen) in path {
        let seen = seen.and_then(|seen| words(&["path", &seen, "end"]));
        cases.push(("Path", value.to_owned(), seen));
    }
    let escaped = format!("{root}/a%2Cb%3Bc%25");
    cases.push((
        "PropertyPath",
        "a,b;c%".to_owned(),
        words(&["property", "-o", &escaped, "end"]),
    ));
    cases.push(("PropertyPath", outside, None));
    for (value, seen) in split {
        let seen = seen.map(|seen| format!("split {seen} end"));
        let seen = seen.map(|seen| seen.split(' ').map(str::to_owned).collect());
        cases.push(("Split", value.to_owned(), seen));
    }
    for value in verbatim {
        let seen = match value.trim() {
            "" => words(&["verbatim", "--"]),
            _ => words(&["verbatim", "--", value]),
        };
        cases.push(("Verbatim", value.to_owned(), seen));
    }
    assert!(cases.len() > 50);
    for (action, value, expected) in cases {
        toolset.forget();
        let result = bridge.call("work", arguments(action, &value)).await;
        assert_eq!(toolset.argv(), expected, "{action} {value:?}: {result}");
        assert_eq!(
            result["isError"] == true,
            expected.is_none(),
            "{action} {value:?}: {result}"
        );
        if expected.is_none() {
            assert!(
                result["structuredContent"]
                    .to_string()
                    .contains("INVALID_PARAMS"),
                "{result}"
            );
        }
    }
    assert!(!toolset.root().join("x").exists());
}

#[tokio::test]
async fn words_come_from_arguments() {
    let toolset = Toolset::new(&WORK);
    let bridge = toolset.bridge();
    let call = async |arguments: Value| {
        toolset.forget();
        let result = bridge.call("work", arguments).await;
        (result, toolset.argv())
    };
    let (_, argv) = call(json!({"action": "List", "list": ["a", "", "b c"], "flag": true})).await;
    assert_eq!(
        argv.unwrap(),
        ["list", "-i", "a", "-i", "b c", "--on", "end"]
    );
    let (_, argv) = call(json!({"action": "List", "list": [], "flag": false})).await;
    assert_eq!(argv.unwrap(), ["list", "end"]);
    let (_, argv) = call(json!({"action": "Either", "project": "x"})).await;
    assert_eq!(argv.unwrap(), ["either", "project"]);
    for refused in [
        json!({"action": "Either", "value": "  "}),
        json!({"action": "Plain"}),
        json!({"action": "plain", "value": "x"}),
        json!({}),
        json!({"action": "Plain", "value": 7}),
        json!({"action": "Where", "workingDirectory": "nowhere"}),
        json!({"action": "Where", "workingDirectory": ".."}),
        json!({"action": "Where", "workingDirectory": "app/app.csproj"}),
    ] {
        let (result, argv) = call(refused.clone()).await;
        assert!(
            argv.is_none() && result["isError"] == true,
            "{refused}: {result}"
        );
        assert!(
            result["structuredContent"].is_object(),
            "{refused}: {result}"
        );
    }
    let (result, _) = call(json!({"action": "Where", "workingDirectory": "app"})).await;
    let place = format!("{}/app\n", toolset.root().display());
    assert!(text(&result).contains(&place), "{result}");
}
