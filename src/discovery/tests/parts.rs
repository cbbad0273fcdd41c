//! Documents that come one by one.

use std::sync::Arc;

use serde_json::json;

use super::*;

#[test]
fn names_are_the_same_in_whatever_order_the_documents_come() {
    let one = document(vec![operation("GET", "/x")], &json!({}));
    let other = document(
        vec![operation("GET", "/x"), operation("GET", "/y")],
        &json!({}),
    );
    let settings = Settings::default();
    let together = discover(&[&one, &other].map(Source::plain), &settings);
    let late = Part::of(&Source::plain(&other), &settings);
    // Alone it has its names for itself; what comes before it in the configuration takes one of them.
    let names = |joined: &Joined| -> Vec<String> {
        let tools = joined.tools.iter();
        tools.map(|tool| tool.name.to_string()).collect()
    };
    assert_eq!(names(&join(&[&late], &settings)), ["get_x", "get_y"]);
    let first = Part::of(&Source::plain(&one), &settings);
    let joined = join(&[&first, &late], &settings);
    let expected: Vec<String> = together
        .tools
        .iter()
        .map(|one| one.name.to_string())
        .collect();
    assert_eq!(names(&joined), expected);
    assert_eq!(joined.notes, together.notes);
    // Only the tool that lost its name is there twice.
    assert!(!Arc::ptr_eq(&joined.tools[1], &late.tools()[0]));
    assert!(Arc::ptr_eq(&joined.tools[2], &late.tools()[1]));
}

#[test]
fn what_is_skipped_tells_the_name_it_would_have() {
    let mut get = operation("GET", "/x");
    get.servers.clear();
    let mut named = get.clone();
    named.operation_id = Some("pets/list".to_owned());
    named.path = "/y".to_owned();
    let document = document(vec![get, named], &json!({}));
    let source = Source {
        prefix: Some("shop".to_owned()),
        ..Source::plain(&document)
    };
    let part = Part::of(&source, &Settings::default());
    let skipped = part.skipped().iter();
    let names: Vec<&str> = skipped.filter_map(|one| one.name.as_deref()).collect();
    assert_eq!(names, ["shop_get_x", "shop_pets_list"]);
    assert!(part.skipped().iter().all(|one| one.reason == NO_SERVER));
}
