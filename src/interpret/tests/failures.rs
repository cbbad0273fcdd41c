//! Errors, redirects and the lack of an answer.

use super::*;

#[test]
fn errors_say_what_failed_why_and_what_to_do() {
    let outcome = read(typed(
        404,
        "application/json",
        b"{\"error\":\"no such pet\"}",
    ));
    assert!(outcome.is_error);
    assert_eq!(outcome.status, Some(404));
    assert_eq!(
        structured(&outcome).as_deref(),
        Some("{\"error\":\"no such pet\"}")
    );
    assert_eq!(
        texts(&outcome),
        [
            "GET /pets/{id} failed: 404 Not Found\nno such pet\nnothing is there: check the identifiers in the arguments",
            "{\"error\":\"no such pet\"}",
        ]
    );
    assert_eq!(
        structured(&published(typed(404, "application/json", b"{}"))),
        None
    );
    let busy = read(reply(429, &[("retry-after", "30")], ""));
    assert_eq!(
        texts(&busy),
        [
            "GET /pets/{id} failed: 429 Too Many Requests\ntry again after 30 seconds\nthere were too many calls: wait that long first"
        ]
    );
    for status in [
        400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, 423, 428, 429, 500, 501, 502,
        503, 504,
    ] {
        let outcome = read(reply(status, &[], ""));
        assert_eq!(texts(&outcome)[0].lines().count(), 2, "{status}");
    }
}

#[test]
fn problems_of_many_shapes_are_put_into_words() {
    let cases = [
        (
            r##"{"type":"about:blank","title":"Invalid","detail":"two fields","errors":[{"detail":"must be positive","pointer":"#/age"}]}"##,
            vec!["Invalid: two fields", "#/age: must be positive"],
        ),
        (
            r#"{"title":"One or more validation errors occurred.","errors":{"Name":["is required","is short"],"Age":["is low"]}}"#,
            vec![
                "One or more validation errors occurred.",
                "Name: is required; is short",
                "Age: is low",
            ],
        ),
        (
            r#"{"title":"T","invalid-params":[{"name":"age","reason":"is low"}]}"#,
            vec!["T", "age: is low"],
        ),
        (
            r#"{"detail":[{"loc":["body","items",0],"msg":"field required","type":"missing"}]}"#,
            vec!["body.items.0: field required"],
        ),
        (
            r#"{"error":{"message":"No such customer","type":"invalid_request_error"}}"#,
            vec!["No such customer"],
        ),
        (
            r#"{"error":"invalid_grant","error_description":"expired"}"#,
            vec!["expired: invalid_grant"],
        ),
        (
            r#"{"errors":[{"source":{"pointer":"/data"},"title":"bad"},"plain"]}"#,
            vec!["/data: bad", "plain"],
        ),
        (
            r#"{"message":"Validation Failed","errors":[{"field":"title","message":"missing"}]}"#,
            vec!["Validation Failed", "title: missing"],
        ),
        (r#"[1]"#, vec![]),
        (r#"{"unknown":{"shape":1}}"#, vec![]),
    ];
    for (body, expected) in cases {
        assert_eq!(problem::words(body), expected, "{body}");
    }
    let many: Vec<String> = (0..100).map(|n| format!("\"fault {n}\"")).collect();
    assert_eq!(
        problem::words(&format!("{{\"errors\":[{}]}}", many.join(","))).len(),
        20
    );
}

#[test]
fn nothing_that_drives_a_terminal_is_in_an_error() {
    let body = b"{\"title\":\"\\u001b[31mred\\u0007\",\"detail\":\"a\\nb\"}";
    let outcome = read(typed(500, "application/json", body));
    assert!(texts(&outcome)[0].contains("\u{fffd}[31mred\u{fffd}: a b\n"));
    let raw = read(typed(500, "text/plain", b"\x1b]0;x\x07 line\n"));
    assert_eq!(texts(&raw)[1], "\u{fffd}]0;x\u{fffd} line\n");
}

#[test]
fn a_long_error_is_cut_and_a_binary_one_left_out() {
    let body = "ü".repeat(20_000);
    let outcome = read(reply(500, &[("content-type", "text/html")], body));
    let text = texts(&outcome)[1];
    assert!(
        text.ends_with("\n[23616 more bytes]"),
        "{}",
        &text[text.len() - 40..]
    );
    let binary = read(typed(500, "application/zip", b"PK\0"));
    assert_eq!(binary.content.len(), 1);
    assert!(texts(&binary)[0].contains("the body is 3 bytes of application/zip"));
}

#[test]
fn redirects_are_reported_and_not_followed() {
    let outcome = read(reply(
        302,
        &[("location", "https://u:p@login.test/a?token=secret")],
        "",
    ));
    assert!(outcome.is_error);
    assert_eq!(
        texts(&outcome),
        [
            "GET /pets/{id} failed: 302 Found\nit points to https://login.test/a?...; redirects are not followed"
        ]
    );
}

#[test]
fn the_lack_of_an_answer_names_no_internals() {
    let cause = || {
        Box::<dyn std::error::Error + Send + Sync>::from("tcp connect 10.0.0.7:80 internal.test")
    };
    let cases = [
        (HandleError::Connect(cause()), "could not be reached"),
        (
            HandleError::Timeout(Duration::from_secs(30)),
            "no answer within 30 s",
        ),
        (HandleError::Broken(cause()), "broke the connection"),
        (HandleError::Request(cause()), "could not be sent"),
    ];
    for (error, expected) in cases {
        for method in [Method::GET, Method::POST] {
            let outcome = http_failure(&target(method), &error);
            assert!(outcome.is_error);
            assert_eq!(outcome.status, None);
            let text = texts(&outcome)[0];
            assert!(
                text.contains(expected) && text.contains("/pets/{id}"),
                "{text}"
            );
            assert!(
                !text.contains("10.0.0.7") && !text.contains("internal"),
                "{text}"
            );
        }
    }
}

#[test]
fn a_long_error_is_given_as_data_up_to_the_limit() {
    let limits = Limits {
        text: 64,
        reply: 64,
    };
    let read = |body: &str| {
        let mut reply = typed(500, "application/json", b"");
        reply.body = body.to_owned().into();
        http_reply(&target(Method::GET), false, reply, limits).outcome
    };
    let items: Vec<u32> = (0..100).collect();
    let long = read(&format!(r#"{{"error":"no","items":{items:?}}}"#));
    let data = structured(&long).unwrap();
    assert!(data.len() <= 64, "{data}");
    assert!(data.starts_with(r#"{"error":"no","items":[0,"#), "{data}");
    serde_json::from_str::<serde_json::Value>(&data).unwrap();
    let told = texts(&long)[0].to_owned();
    assert!(
        told.contains("longer than the limit of 64 bytes, and only its beginning is given as data; left out: /items:"),
        "{told}"
    );
    let text = read(&format!("\"{}\"", "x".repeat(100)));
    let beginning = format!("\"{}\"", "x".repeat(62));
    assert_eq!(structured(&text), Some(beginning));
    let told = texts(&text)[0];
    assert!(
        told.ends_with("left out: the first 62 of 100 bytes of a text"),
        "{told}"
    );
    let number = read(&"1".repeat(100));
    assert_eq!(structured(&number), None);
    assert!(texts(&number)[0].ends_with(
        "the body is 100 bytes, longer than the limit of 64 bytes, and is not given as data"
    ));
    let short = r#"{"error":"no"}"#;
    assert_eq!(structured(&read(short)).as_deref(), Some(short));
}
