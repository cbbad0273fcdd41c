//! What is masked where, and what is not touched.

use bytes::Bytes;
use serde_json::json;

use super::super::answers::is_same;
use super::*;
use crate::secret::{Secret, remember};
use crate::tool::{Content, Outcome};

fn none() -> SecretNames {
    SecretNames::default()
}

fn answer(text: &str, is_error: bool) -> Outcome {
    let text = Text::from(text.to_owned());
    Outcome {
        content: vec![Content::Text(text.clone())],
        structured: Some(text.into()),
        is_error,
        status: Some(200),
    }
}

fn texts(outcome: &Outcome) -> [&str; 2] {
    let Content::Text(text) = &outcome.content[0] else {
        panic!("{outcome:?}")
    };
    let data = outcome.structured.as_ref().unwrap();
    [text.as_str(), data.json().as_str()]
}

#[test]
fn members_are_masked_by_name_schema_and_pointer() {
    let redactor = Redactor::new(&Settings {
        names: vec!["x-internal".to_owned()],
        pointers: vec!["/people/*/ssn".to_owned()],
        ..Settings::default()
    })
    .unwrap();
    let mut value = json!({
        "userPassword": "a", "API_KEY": 1, "X-Internal": {"a": 1}, "pin": "1234", "nextPageToken": "abc",
        "people": [{"ssn": "1", "name": "n"}], "hasPassword": true, "note": "Password=hunter22;x"
    });
    let mut secret = none();
    secret.extend(["pin"]);
    assert!(redactor.json(&mut value, &secret));
    let expected = json!({
        "userPassword": MASK, "API_KEY": MASK, "X-Internal": MASK, "pin": MASK, "nextPageToken": "abc",
        "people": [{"ssn": MASK, "name": "n"}], "hasPassword": true, "note": "Password=[REDACTED];x"
    });
    assert_eq!(value, expected);
}

#[test]
fn a_schema_says_what_is_secret() {
    let schema = json!({"properties": {
        "body": {"properties": {"pin": {"writeOnly": true}, "name": {}}},
        "code": {"format": "password"}},
        "$defs": {"x": {"properties": {"mark": {"x-sensitive": true}}}}});
    let mut names = SecretNames::default();
    names.learn(&schema);
    for (name, secret) in [
        ("code", true),
        ("mark", true),
        ("pin", true),
        ("name", false),
        ("body", false),
    ] {
        assert_eq!(names.has(name), secret, "{name}");
    }
}

#[test]
fn errors_are_masked_always_and_answers_on_request() {
    let text = r#"{"password":"hunter22","n":1.50}"#;
    let redactor = Redactor::default();
    assert_eq!(
        texts(&redactor.outcome(answer(text, false), &none())),
        [text; 2]
    );
    let masked = r#"{"password":"[REDACTED]","n":1.50}"#;
    assert_eq!(
        texts(&redactor.outcome(answer(text, true), &none())),
        [masked; 2]
    );
    let all = Redactor {
        answers: true,
        ..Redactor::default()
    };
    assert_eq!(
        texts(&all.outcome(answer(text, false), &none())),
        [masked; 2]
    );
}

#[test]
fn the_bridges_own_secrets_are_never_answered() {
    remember(&Secret::new("1029384756".to_owned()));
    let text = r#"{"seen": 1029384756, "as": "key 1029384756"}"#;
    let masked = Redactor::default().outcome(answer(text, false), &none());
    assert_eq!(
        texts(&masked),
        [r#"{"seen":"[REDACTED]","as":"key [REDACTED]"}"#; 2]
    );
}

#[test]
fn the_bridges_own_secrets_are_found_behind_escapes() {
    remember(&Secret::new("own+secret/1".to_owned()));
    let redactor = Redactor::default();
    for (text, masked) in [
        (
            r#"{"key": "a own\u002Bsecret/1 z", "n": 1.50}"#,
            r#"{"key":"a [REDACTED] z","n":1.50}"#,
        ),
        (r#"["own\u002bsecret\u002F1"]"#, r#"["[REDACTED]"]"#),
        (r#"{"own\u002bsecret/1":1}"#, r#"{"[REDACTED]":1}"#),
        (r#"{"own+secret/1":1}"#, r#"{"[REDACTED]":1}"#),
        // JSON within JSON, and HTML within it.
        (
            r#"{"detail":"{\"key\":\"own\\u002Bsecret\\/1\"}"}"#,
            r#"{"detail":"{\"key\":\"[REDACTED]\"}"}"#,
        ),
        (
            r#"{"page":"<b>own\u0026#x2B;secret/1</b>"}"#,
            r#"{"page":"<b>[REDACTED]</b>"}"#,
        ),
        (
            r#"{"page":"<b>own&#43;secret&#x2f;1</b>"}"#,
            r#"{"page":"<b>[REDACTED]</b>"}"#,
        ),
    ] {
        for is_error in [false, true] {
            let shown = redactor.outcome(answer(text, is_error), &none());
            assert_eq!(texts(&shown), [masked; 2], "{text}");
        }
    }
    let several = "{\"a\":1}\n{\"a\":\"own\\u002Bsecret/1\"}\n";
    let data = Bytes::from_static(several.as_bytes());
    let masked = redactor.kept(&data, false, &none());
    assert_eq!(masked.unwrap(), "{\"a\":1}\n{\"a\":\"[REDACTED]\"}\n");
    let other = answer(r#"{ "name" : "J\u00FCrgen \u002B" }"#, false);
    let bytes = other.structured.clone().unwrap().json().clone();
    let after = redactor.outcome(other, &none());
    assert!(is_same(&bytes, after.structured.as_ref().unwrap().json()));
}

#[test]
fn a_scheme_is_no_part_of_credentials() {
    for (value, expected) in [
        ("Bearer abc.def-ghi-jkl", "abc.def-ghi-jkl"),
        ("Basic  YW5uOmh1bnRlcjI=", "YW5uOmh1bnRlcjI="),
        ("abc.def-ghi-jkl", "abc.def-ghi-jkl"),
        ("k1=abc d2=abcdefghijkl", "k1=abc d2=abcdefghijkl"),
        ("my secret", "my secret"),
    ] {
        assert_eq!(credentials(value), expected, "{value}");
    }
}

#[test]
fn an_answer_without_secrets_keeps_its_bytes() {
    let all = Redactor {
        answers: true,
        ..Redactor::default()
    };
    let before = answer("{ \"a\" :  1.0 }", false);
    let bytes = before.structured.clone().unwrap().json().clone();
    let after = all.outcome(before, &none());
    assert!(is_same(&bytes, after.structured.as_ref().unwrap().json()));
}

#[test]
fn each_of_several_values_is_masked_by_name() {
    let redactor = Redactor::new(&Settings {
        answers: true,
        names: vec!["ssn".to_owned()],
        ..Settings::default()
    })
    .unwrap();
    let mut secret = none();
    secret.extend(["pin"]);
    for text in [
        "{\"a\":1}\n{\"ssn\":\"planted 1\",\"pin\":\"planted 2\"}\n",
        "data: {\"ssn\":\"planted 1\"}\n\ndata: {\"pin\":\ndata: \"planted 2\"}\n\n",
        "\u{1e}{\"ssn\":\n\"planted 1\"}\n\u{1e}{\"pin\":\"planted 2\"}\n",
    ] {
        let content = vec![Content::Text(Text::from(text.to_owned()))];
        let outcome = Outcome {
            content,
            structured: None,
            is_error: false,
            status: Some(200),
        };
        let masked = redactor.outcome(outcome, &secret);
        let shown = format!("{:?}", masked.content);
        assert!(!shown.contains("planted"), "{shown}");
        let kept = redactor.kept(&Bytes::from(text), false, &secret).unwrap();
        let kept = String::from_utf8(kept.to_vec()).unwrap();
        assert!(!kept.contains("planted"), "{kept}");
        // Nobody asked for it.
        assert!(
            Redactor::default()
                .kept(&Bytes::from(text), false, &secret)
                .is_none()
        );
    }
}

#[test]
fn bytes_that_hold_a_secret_become_a_notice() {
    remember(&Secret::new("planted-in-bytes".to_owned()));
    for (data, stays) in [
        (&b"\xff planted-in-bytes \x00"[..], false),
        (b"\xff\x00", true),
    ] {
        let outcome = Outcome {
            content: vec![Content::Blob {
                uri: "x:y".to_owned(),
                data: Bytes::from(data),
                media_type: "application/octet-stream".to_owned(),
            }],
            structured: None,
            is_error: false,
            status: Some(200),
        };
        let masked = Redactor::default().outcome(outcome, &none());
        let is_blob = matches!(masked.content[0], Content::Blob { .. });
        assert_eq!(is_blob, stays, "{masked:?}");
    }
}

#[test]
fn the_json_of_an_error_is_masked_before_it_is_put_into_words() {
    let redactor = Redactor::default();
    let mut secret = none();
    secret.extend(["detail"]);
    let body = Bytes::from("{\"title\":\"no\",\"detail\":\"planted\"}");
    let masked = redactor.error_body(&body, &secret).unwrap();
    assert_eq!(masked, "{\"title\":\"no\",\"detail\":\"[REDACTED]\"}");
    assert!(
        redactor
            .error_body(&Bytes::from("detail: x"), &secret)
            .is_none()
    );
}

#[test]
fn settings_that_mean_nothing_are_refused() {
    let faults = Redactor::new(&Settings {
        patterns: vec!["(".to_owned(), r"\d{16}".to_owned()],
        pointers: vec!["a".to_owned()],
        ..Settings::default()
    })
    .unwrap_err();
    assert_eq!(faults.len(), 2, "{faults:?}");
    let redactor = Redactor::new(&Settings {
        patterns: vec![r"\d{16}".to_owned()],
        ..Settings::default()
    })
    .unwrap();
    assert_eq!(redactor.text("card 1234567812345678."), "card [REDACTED].");
}

#[test]
fn what_is_kept_is_masked_as_what_is_answered() {
    let data = Bytes::from_static(br#"{"password":"hunter2","name":"Rex"}"#);
    let none = none();
    assert_eq!(Redactor::default().kept(&data, false, &none), None);
    let masked = Bytes::from_static(br#"{"password":"[REDACTED]","name":"Rex"}"#);
    let settings = Settings {
        answers: true,
        ..Settings::default()
    };
    for (settings, is_error) in [(Settings::default(), true), (settings, false)] {
        let redactor = Redactor::new(&settings).unwrap();
        assert_eq!(redactor.kept(&data, is_error, &none), Some(masked.clone()));
    }
}
