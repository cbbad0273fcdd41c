//! XML bodies.

use super::*;

fn named(name: &str) -> XmlNames {
    XmlNames {
        name: name.to_owned(),
        ..XmlNames::default()
    }
}

fn attribute() -> XmlNames {
    XmlNames {
        attribute: true,
        ..XmlNames::default()
    }
}

fn items(name: &str, item: &str) -> XmlNames {
    XmlNames {
        items: Some(Box::new(named(item))),
        ..named(name)
    }
}

#[test]
fn xml_is_written_by_its_names() {
    let wrapped = XmlNames {
        wrapped: true,
        ..items("photos", "photoUrl")
    };
    let owner = XmlNames {
        properties: vec![("since".to_owned(), attribute())],
        ..XmlNames::default()
    };
    let names = XmlNames {
        namespace: Some("http://example.test/?a&b".to_owned()),
        prefix: Some("p".to_owned()),
        properties: vec![
            ("id".to_owned(), attribute()),
            ("photoUrls".to_owned(), wrapped),
            ("tags".to_owned(), items("ignored", "tag")),
            ("owner".to_owned(), owner),
        ],
        ..named("Pet")
    };
    let value = json!({
        "name": "a<b>&\"\n", "id": 7, "photoUrls": ["u", 2.5], "tags": [{"n": 1}, {"n": 2}],
        "owner": {"since": "x\"y"}, "none": null, "empty": "", "plain": [1, 2]
    });
    assert_eq!(
        bytes(BodyCodec::Xml(names), "application/xml", value),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><p:Pet xmlns:p=\"http://example.test/?a&amp;b\" id=\"7\">\
         <name>a&lt;b&gt;&amp;&quot;&#10;</name><photos><photoUrl>u</photoUrl><photoUrl>2.5</photoUrl></photos>\
         <tag><n>1</n></tag><tag><n>2</n></tag><owner since=\"x&quot;y\"/><none/><empty/><plain>1</plain><plain>2</plain></p:Pet>"
    );
    let list = BodyCodec::Xml(items("pets", "pet"));
    let text = bytes(list, "application/xml", json!([1, 2]));
    assert!(text.ends_with("<pets><pet>1</pet><pet>2</pet></pets>"));
}

#[test]
fn text_stands_in_its_parent() {
    let text = |kind| XmlNames {
        text: Some(kind),
        ..XmlNames::default()
    };
    let words = XmlNames {
        wrapped: true,
        items: Some(Box::new(text(XmlText::Plain))),
        ..XmlNames::default()
    };
    let names = || XmlNames {
        properties: vec![
            ("id".to_owned(), attribute()),
            ("plain".to_owned(), text(XmlText::Plain)),
            ("raw".to_owned(), text(XmlText::Cdata)),
            ("words".to_owned(), words.clone()),
        ],
        ..named("d")
    };
    for (value, expected) in [
        (json!({"plain": "a<b", "id": 5}), "<d id=\"5\">a&lt;b</d>"),
        (json!({"raw": "a<b&"}), "<d><![CDATA[a<b&]]></d>"),
        (
            json!({"raw": "x]]>y\r\nz"}),
            "<d><![CDATA[x]]]]><![CDATA[>y]]>&#13;<![CDATA[\nz]]></d>",
        ),
        (
            json!({"plain": ["a", 1.50], "raw": null, "words": ["b", "c"], "other": ""}),
            "<d>a1.5<words>bc</words><other/></d>",
        ),
        (json!({"plain": {"k": 1}}), "<d><plain><k>1</k></plain></d>"),
    ] {
        let written = bytes(BodyCodec::Xml(names()), "application/xml", value);
        let (_, written) = written.split_once("?>").unwrap();
        assert_eq!(written, expected);
    }
    let written = bytes(
        BodyCodec::Xml(text(XmlText::Cdata)),
        "application/xml",
        json!("a"),
    );
    assert!(written.ends_with("<root>a</root>"), "{written}");
    let sent = sent(
        &body(BodyCodec::Xml(names()), "application/xml"),
        &json!({"body": {"raw": "\u{1}"}}),
    );
    assert_eq!(sent.unwrap_err().path, "/body");
}

#[test]
fn xml_refuses_what_it_cannot_hold() {
    let codec = || BodyCodec::Xml(XmlNames::default());
    let mut deep = json!(1);
    for _ in 0..200 {
        deep = json!({"a": deep});
    }
    for value in [
        json!({"a b": 1}),
        json!({"<x/>": 1}),
        json!({"": 1}),
        json!({"a": "\u{0}"}),
        deep,
    ] {
        let fault = sent(&body(codec(), "application/xml"), &json!({"body": value})).unwrap_err();
        assert_eq!(fault.path, "/body");
    }
}
