//! What is written, read back by the libraries that servers use: the same values must come out.

use std::collections::BTreeMap;

use axum::extract::{FromRequestParts, Path};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::tests::{parameter, plan, target};
use super::*;
use crate::tool::{
    Body, BodyArgument, BodyCodec, BodyMedia, FieldEncoding, PartKind, Style, XmlNames,
};

fn with_body(codec: BodyCodec, media_type: &str) -> HttpTarget {
    let mut target = target("/x", Vec::new());
    target.body = Some(Body {
        argument: BodyArgument::Whole("body".to_owned()),
        required: true,
        media: vec![BodyMedia {
            media_type: media_type.to_owned(),
            codec,
        }],
        choice: None,
        files_apart: false,
        by_type: Vec::new(),
    });
    target
}

/// The path as axum's router and `Path` extractor read it.
fn axum_path(route: &'static str, plan: &HttpPlan) -> Option<Vec<(String, String)>> {
    use std::sync::Arc;

    use parking_lot::Mutex;
    use tower::ServiceExt;

    let seen = Arc::new(Mutex::new(None));
    let sink = Arc::clone(&seen);
    let handler = move |request: axum::extract::Request| async move {
        let (mut parts, _) = request.into_parts();
        let found = Path::<Vec<(String, String)>>::from_request_parts(&mut parts, &()).await;
        *sink.lock() = found.ok().map(|path| path.0);
    };
    let router: axum::Router = axum::Router::new().route(route, axum::routing::get(handler));
    let request = ::http::Request::get(plan.url.path())
        .body(axum::body::Body::empty())
        .unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(router.oneshot(request)).unwrap();
    seen.lock().take()
}

/// Texts that break encoders: delimiters, escapes, line breaks, letters beyond ASCII, and anything at all.
fn awkward() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,12}",
        "[/?#%&=+;,.|\\\\\"'\\[\\]{}@:\t\r\n é日😀]{0,8}",
        any::<String>()
    ]
}

fn pairs_of(plan: &HttpPlan) -> Vec<(String, String)> {
    plan.url.query_pairs().into_owned().collect()
}

proptest! {
    #[test]
    fn no_argument_moves_the_request(
        id in awkward(), slug in awkward(), query in awkward(), header in awkward(), cookie in awkward(),
        style in prop_oneof![Just(Style::Simple), Just(Style::Label), Just(Style::Matrix), Just(Style::PipeDelimited)],
        explode in any::<bool>(), reserved in any::<bool>(), list in any::<bool>(),
    ) {
        let mut free = parameter("q", Location::Query, Style::Form, explode);
        free.allow_reserved = reserved;
        let target = target("/a/{id}/b/{*slug}", vec![
            parameter("id", Location::Path, style, explode),
            parameter("slug", Location::Path, Style::Simple, false),
            free,
            parameter("X-A", Location::Header, Style::Simple, explode),
            parameter("c", Location::Cookie, Style::Form, explode),
        ]);
        let id = if list { json!([id, "x"]) } else { json!(id) };
        let arguments = json!({"id": id, "slug": slug, "q": query, "X-A": header, "c": cookie});
        if let Ok(plan) = plan(&target, &arguments) {
            let url = &plan.url;
            prop_assert_eq!(url.origin().ascii_serialization(), "https://api.test");
            prop_assert_eq!((url.username(), url.password(), url.fragment()), ("", None, None));
            let segments: Vec<_> = url.path().split('/').collect();
            prop_assert_eq!((segments[1], segments[2], segments[4]), ("v1", "a", "b"));
            prop_assert_eq!(segments.len(), 5 + slug.trim_start_matches('/').split('/').count());
            prop_assert_eq!(pairs_of(&plan).len(), 1);
            // Parsing it again changes nothing: what was built is what is sent.
            let again = Url::parse(url.as_str()).unwrap();
            prop_assert_eq!(again.as_str(), url.as_str());
            prop_assert!(plan.headers.len() <= 3);
            for value in plan.headers.values() {
                prop_assert!(value.as_bytes().iter().all(|&b| b == b'\t' || (0x20..0x7f).contains(&b)));
            }
        }
    }

    #[test]
    fn axum_reads_the_path_values(a in awkward(), b in awkward()) {
        let target = target("/{a}/x-{b}", vec![
            parameter("a", Location::Path, Style::Simple, false),
            parameter("b", Location::Path, Style::Simple, false),
        ]);
        if let Ok(plan) = plan(&target, &json!({"a": a, "b": b})) {
            let read = axum_path("/v1/{a}/{b}", &plan).unwrap();
            prop_assert_eq!(&read[0].1, &a);
            prop_assert_eq!(&read[1].1, &format!("x-{b}"));
        } else {
            prop_assert!(a.is_empty() || a == "." || a == ".." || b.is_empty());
        }
    }

    #[test]
    fn axum_reads_a_catch_all(segments in proptest::collection::vec("[^/]{1,6}", 1..4)) {
        let slug = segments.join("/");
        let target = target("/f/{*slug}", vec![parameter("slug", Location::Path, Style::Simple, false)]);
        if let Ok(plan) = plan(&target, &json!({"slug": slug})) {
            prop_assert_eq!(&axum_path("/v1/f/{*slug}", &plan).unwrap()[0].1, &slug);
        } else {
            prop_assert!(segments.iter().any(|segment| segment == "." || segment == ".."));
        }
    }

    #[test]
    fn form_decoders_read_the_query(
        name in awkward(), items in proptest::collection::vec(awkward(), 1..5), text in awkward()
    ) {
        prop_assume!(name != "t");
        let target = target("/x", vec![
            parameter(&name, Location::Query, Style::Form, true),
            parameter("t", Location::Query, Style::Form, true),
        ]);
        let mut arguments = Map::new();
        arguments.insert(name.clone(), json!(items));
        arguments.insert("t".to_owned(), json!(text));
        let plan = plan(&target, &Value::Object(arguments)).unwrap();
        let mut expected: Vec<_> = items.iter().map(|item| (name.clone(), item.clone())).collect();
        expected.push(("t".to_owned(), text));
        prop_assert_eq!(pairs_of(&plan), expected.clone());
        let read: Vec<(String, String)> = serde_html_form::from_str(plan.url.query().unwrap()).unwrap();
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn lists_split_at_their_delimiter_before_decoding(items in proptest::collection::vec("[^|\t ]{1,6}", 1..5)) {
        for (style, delimiter) in [(Style::Form, ","), (Style::SpaceDelimited, "%20"), (Style::PipeDelimited, "%7C"), (Style::TabDelimited, "%09")] {
            let target = target("/x", vec![parameter("a", Location::Query, style, false)]);
            let plan = plan(&target, &json!({"a": items})).unwrap();
            let raw = plan.url.query().unwrap().strip_prefix("a=").unwrap();
            let read: Vec<String> = raw
                .split(delimiter)
                .map(|item| percent_encoding::percent_decode_str(item).decode_utf8().unwrap().into_owned())
                .collect();
            prop_assert_eq!(read, items.clone());
        }
    }

    #[test]
    fn serde_qs_reads_deep_objects(
        scalars in proptest::collection::btree_map("[a-z]{1,4}", awkward(), 1..4),
        list in proptest::collection::vec(awkward(), 1..4),
    ) {
        #[derive(serde::Deserialize)]
        struct Read {
            f: Inner,
        }
        #[derive(serde::Deserialize)]
        struct Inner {
            scalars: BTreeMap<String, String>,
            list: Vec<String>,
            nested: Vec<BTreeMap<String, String>>,
        }
        let target = target("/x", vec![parameter("f", Location::Query, Style::DeepObject, true)]);
        let value = json!({"f": {"scalars": scalars, "list": list, "nested": [{"k": "1"}, {"k": "2"}]}});
        let plan = plan(&target, &value).unwrap();
        let config = serde_qs::Config::new().max_depth(8).use_form_encoding(true);
        let read: Read = config.deserialize_str(plan.url.query().unwrap()).unwrap();
        prop_assert_eq!(read.f.scalars, scalars);
        prop_assert_eq!(read.f.list, list);
        prop_assert_eq!(read.f.nested.len(), 2);
    }

    #[test]
    fn the_cookie_crate_reads_the_cookies(a in awkward(), b in "[!-~]{1,8}") {
        let target = target("/x", vec![
            parameter("a", Location::Cookie, Style::Form, true),
            parameter("b", Location::Cookie, Style::Form, true),
        ]);
        let plan = plan(&target, &json!({"a": a, "b": b})).unwrap();
        let header = plan.headers["cookie"].to_str().unwrap().to_owned();
        let read: Vec<_> = ::cookie::Cookie::split_parse_encoded(header)
            .map(|cookie| cookie.map(|cookie| (cookie.name().to_owned(), cookie.value().to_owned())))
            .collect::<Result<_, _>>()
            .unwrap();
        prop_assert_eq!(read, [("a".to_owned(), a), ("b".to_owned(), b)]);
    }

    #[test]
    fn form_decoders_read_the_body(members in proptest::collection::vec((awkward(), awkward()), 1..5)) {
        let object: Map<String, Value> = members.into_iter().map(|(k, v)| (k, json!(v))).collect();
        let target = with_body(BodyCodec::Form(Vec::new()), "application/x-www-form-urlencoded");
        let plan = plan(&target, &json!({"body": object})).unwrap();
        let read: Vec<(String, String)> = url::form_urlencoded::parse(&plan.body.unwrap()).into_owned().collect();
        let expected: Vec<_> = object.iter().map(|(k, v)| (k.clone(), v.as_str().unwrap().to_owned())).collect();
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn multer_reads_the_parts(
        text in awkward(), bytes in proptest::collection::vec(any::<u8>(), 0..64), filename in "[^\"\r\n\\\\;\u{0}-\u{1f}\u{7f}]{1,12}"
    ) {
        use base64::Engine as _;

        let target = with_body(BodyCodec::Multipart(vec![FieldEncoding {
            property: "file".to_owned(),
            style: None,
            explode: true,
            allow_reserved: false,
            content_type: None,
            kind: PartKind::File,
            literal: false,
            xml: None,
            headers: Vec::new(),
        }]), "multipart/form-data");
        let data = base64::engine::general_purpose::URL_SAFE.encode(&bytes);
        let plan = plan(&target, &json!({"body": {
            "text": text,
            "file": {"data": data, "filename": filename, "contentType": "image/png"}
        }})).unwrap();
        let boundary = multer::parse_boundary(plan.headers["content-type"].to_str().unwrap()).unwrap();
        let body = plan.body.unwrap();
        let stream = futures_util::stream::iter([Ok::<_, std::io::Error>(body)]);
        let mut form = multer::Multipart::new(stream, boundary);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let first = form.next_field().await.unwrap().unwrap();
            prop_assert_eq!(first.name(), Some("text"));
            prop_assert_eq!(first.bytes().await.unwrap(), text.as_bytes());
            let second = form.next_field().await.unwrap().unwrap();
            prop_assert_eq!((second.name(), second.file_name()), (Some("file"), Some(filename.as_str())));
            prop_assert_eq!(second.content_type().map(ToString::to_string), Some("image/png".to_owned()));
            prop_assert_eq!(second.bytes().await.unwrap(), bytes);
            prop_assert!(form.next_field().await.unwrap().is_none());
            Ok(())
        })?;
    }

    #[test]
    fn quick_xml_reads_the_document(text in "[^\u{0}-\u{8}\u{b}\u{c}\u{e}-\u{1f}\u{fffe}\u{ffff}]{0,20}") {
        #[derive(serde::Deserialize)]
        struct Read {
            #[serde(rename = "@id")]
            id: String,
            #[serde(default, rename = "name")]
            names: Vec<String>,
        }
        let names = XmlNames {
            name: "pet".to_owned(),
            properties: vec![("id".to_owned(), XmlNames { attribute: true, ..XmlNames::default() })],
            ..XmlNames::default()
        };
        let target = with_body(BodyCodec::Xml(names), "application/xml");
        let text = text.trim().to_owned();
        let plan = plan(&target, &json!({"body": {"id": text, "name": [format!("x{text}x"), "b"]}})).unwrap();
        let body = String::from_utf8(plan.body.unwrap().to_vec()).unwrap();
        let read: Read = quick_xml::de::from_str(&body).unwrap();
        prop_assert_eq!(&read.id, &text);
        prop_assert_eq!(read.names, [format!("x{text}x"), "b".to_owned()]);
    }
}
