//! Answers that do not fit, and what is promised of every success.

use super::*;

const LIMITS: Limits = Limits {
    text: 20,
    reply: 30,
};

fn limited(publishes_output: bool, reply: HttpReply) -> Interpreted {
    http_reply(&target(Method::GET), publishes_output, reply, LIMITS)
}

#[test]
fn what_is_left_out_of_is_looked_at_before_and_nothing_else() {
    let cut = || {
        Some(Cut {
            by: CutBy::Length(30),
            announced: None,
        })
    };
    let long = "one key, and another key, and more";
    for (media_type, body, is_cut, seen) in [
        ("text/plain", "a key", false, false),
        ("application/json", r#"{"a":"a key"}"#, false, false),
        ("text/event-stream", "data: a key\n\n", false, false),
        ("text/plain", "a key", true, true),
        ("application/json", r#"{"a":"a key"#, true, true),
        ("text/event-stream", "data: a key\n\n", true, true),
        ("text/plain", long, false, true),
        (
            "application/json",
            r#"{"a":"a key in a long text"}"#,
            false,
            true,
        ),
        (
            "application/x-ndjson",
            "\"a key\"\n\"and more text\"\n",
            false,
            true,
        ),
        ("", long, false, true),
    ] {
        for status in [200, 500] {
            let calls = std::cell::Cell::new(0);
            let before = |text: Text| {
                calls.set(calls.get() + 1);
                Text::from(text.as_str().replace("key", "***"))
            };
            let shortening = Shortening {
                limits: LIMITS,
                before: &before,
            };
            let mut reply = typed(status, media_type, body.as_bytes());
            reply.cut = is_cut.then(cut).flatten();
            let read = http_reply(&target(Method::GET), false, reply, shortening);
            let what = format!("{media_type} {body} {is_cut} {status}");
            assert_eq!(calls.get(), usize::from(seen), "{what}");
            assert_eq!(
                format!("{read:?}").contains("key"),
                !seen,
                "{what} {read:?}"
            );
        }
    }
}

#[test]
fn a_success_with_a_published_output_always_has_an_object() {
    let bodies: [&[u8]; 12] = [
        b"{\"a\":1}",
        b"[1,2,3]",
        b"[1,2,3,4,5,6,7,8,9,10,11,12]",
        b"{\"a\":\"a long text, longer than the limit\"}",
        b"\"a long text, longer than the limit\"",
        b"no json at all",
        b"\xff\xfe\x00\x00",
        b"data: 1\n\ndata: 2\n\ndata: 3\n\ndata: 4\n\n",
        b"{}\n[]\n{}\n",
        b"--b\r\n\r\none\r\n--b--",
        b"--b\r\n\r\nlonger than the limit for all text\r\n--b--",
        b"",
    ];
    let types = [
        "application/json",
        "text/plain",
        "text/event-stream",
        "application/x-ndjson",
        "application/json-seq",
        "multipart/mixed; boundary=b",
        "multipart/mixed",
        "image/png",
        "audio/wav",
        "application/pdf",
        "",
    ];
    let cuts = [
        None,
        Some(CutBy::Length(30)),
        Some(CutBy::Time(Duration::from_secs(2))),
        Some(CutBy::Break),
    ];
    for media_type in types {
        for body in bodies {
            for by in cuts {
                let cut = by.map(|by| Cut {
                    by,
                    announced: None,
                });
                let reply = HttpReply {
                    cut,
                    ..typed(200, media_type, body)
                };
                let outcome = limited(true, reply.clone()).outcome;
                let data = structured(&outcome).unwrap_or_default();
                let data: serde_json::Value = serde_json::from_str(&data).unwrap();
                assert!(data.is_object() && !outcome.is_error, "{reply:?}");
                assert!(!outcome.content.is_empty(), "{reply:?}");
                let outcome = limited(false, reply.clone()).outcome;
                let valid = |data: String| serde_json::from_str::<serde_json::Value>(&data).is_ok();
                assert!(structured(&outcome).is_none_or(valid), "{reply:?}");
            }
        }
    }
}

#[test]
fn what_was_left_out_is_whole_elsewhere() {
    let body = b"[1,2,3,4,5,6,7,8,9,10,11,12]";
    let Interpreted { outcome, whole } = limited(false, typed(200, "application/json", body));
    assert_eq!(texts(&outcome)[0], "[1,2,3,4,5,6,7,8,9]");
    assert_eq!(structured(&outcome).as_deref(), Some("[1,2,3,4,5,6,7,8,9]"));
    let notice = texts(&outcome)[1];
    assert!(
        notice.contains("of 28 bytes is longer than the limit of 20 bytes"),
        "{notice}"
    );
    assert!(notice.contains("… 3 more items"), "{notice}");
    let whole = whole.unwrap();
    assert_eq!((&whole.data[..], whole.is_text), (&body[..], true));
    assert_eq!(whole.name, "pets/%7Bid%7D");
    let text = limited(
        false,
        typed(200, "text/plain", "012345678901234567ü89".as_bytes()),
    );
    assert_eq!(texts(&text.outcome)[0], "012345678901234567ü");
    assert!(text.whole.is_some());
    let picture = limited(false, typed(200, "image/png", &[0; 31]));
    assert_eq!(
        texts(&picture.outcome),
        [
            "[the answer of 31 bytes (image/png) is longer than the limit of 30 bytes and is left out]"
        ]
    );
    assert!(picture.whole.is_some_and(|whole| !whole.is_text));
    let fits = limited(false, typed(200, "application/json", b"[1]"));
    assert_eq!(fits.whole, None);
}

#[test]
fn parts_that_do_not_fit_are_named() {
    let body = b"--b\r\n\r\na text that is longer than all\r\n--b\r\n\r\nshort\r\n--b--";
    let reply = typed(200, "multipart/mixed; boundary=b", body);
    let Interpreted { outcome, whole } = limited(false, reply);
    assert_eq!(texts(&outcome)[0], "short");
    assert!(
        texts(&outcome)[1].contains("left out: part 1 (30 bytes)"),
        "{:?}",
        texts(&outcome)
    );
    assert_eq!(whole.unwrap().data.len(), body.len());
}

#[test]
fn a_stream_says_why_it_ends() {
    let cases = [
        (
            CutBy::Time(Duration::from_secs(2)),
            "had not ended after 2 s",
        ),
        (CutBy::Break, "broke off"),
        (CutBy::Length(15), "longer than the limit of 15 bytes"),
    ];
    for (by, why) in cases {
        let reply = HttpReply {
            cut: Some(Cut {
                by,
                announced: None,
            }),
            ..typed(200, "text/event-stream", b"data: 1\n\ndata:")
        };
        let outcome = limited(false, reply).outcome;
        assert_eq!(texts(&outcome)[0], "data: 1\n\n");
        assert_eq!(structured(&outcome).as_deref(), Some("{\"events\":[1]}"));
        let notice = texts(&outcome)[1];
        assert!(
            notice.contains(why) && notice.contains("1 complete event;"),
            "{notice}"
        );
    }
}
