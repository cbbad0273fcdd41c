//! A table of actions and what they make of a document, and overlays that are refused.

use serde_json::json;

use super::*;

fn overlay(actions: &Value) -> Result<Overlay, LoadError> {
    let text =
        json!({"overlay": "1.0.0", "info": {"title": "t", "version": "1"}, "actions": actions});
    Overlay::parse(text.to_string().as_bytes(), "o.json")
}

fn applied(mut tree: Value, actions: &Value) -> (Value, Vec<(String, String)>) {
    let mut findings = Findings::default();
    apply_all(&[overlay(actions).unwrap()], &mut tree, &mut findings).unwrap();
    let told = findings.finish(&crate::openapi::written::Written::default());
    let told = told
        .into_iter()
        .map(|one| (one.rule.to_owned(), one.pointer));
    (tree, told.collect())
}

#[test]
fn actions_change_what_their_targets_select() {
    let before = json!({"a": {"x": 1, "list": [1, {"t": "q"}, 3]}, "b": [{"n": 1}, {"n": 2}, {"n": 3}], "c": "text"});
    let table = [
        (
            json!([{"target": "$.a", "update": {"y": {"z": [1]}, "list": [4]}}]),
            json!({"a": {"x": 1, "list": [1, {"t": "q"}, 3, 4], "y": {"z": [1]}}, "b": [{"n": 1}, {"n": 2}, {"n": 3}], "c": "text"}),
        ),
        (
            json!([{"target": "$.b", "update": {"n": 4}}, {"target": "$['c']", "remove": true}]),
            json!({"a": {"x": 1, "list": [1, {"t": "q"}, 3]}, "b": [{"n": 1}, {"n": 2}, {"n": 3}, {"n": 4}]}),
        ),
        (
            json!([{"target": "$.b[?@.n < 3]", "remove": true}, {"target": "$.a.list", "remove": true, "update": [1]}]),
            json!({"a": {"x": 1}, "b": [{"n": 3}], "c": "text"}),
        ),
        (
            json!([{"target": "$..[?@.t == 'q']", "update": {"t": "r", "long": "q"}}, {"target": "$.a.x", "remove": true}]),
            json!({"a": {"list": [1, {"t": "r", "long": "q"}, 3]}, "b": [{"n": 1}, {"n": 2}, {"n": 3}], "c": "text"}),
        ),
        (
            json!([{"target": "$", "update": {"c": {"now": "an object"}}}]),
            json!({"a": {"x": 1, "list": [1, {"t": "q"}, 3]}, "b": [{"n": 1}, {"n": 2}, {"n": 3}], "c": {"now": "an object"}}),
        ),
        (
            json!([{"target": "$..n", "remove": true}]),
            json!({"a": {"x": 1, "list": [1, {"t": "q"}, 3]}, "b": [{}, {}, {}], "c": "text"}),
        ),
    ];
    for (actions, expected) in table {
        let (found, told) = applied(before.clone(), &actions);
        assert_eq!(found, expected, "{actions}");
        assert_eq!(told, [], "{actions}");
    }
}

#[test]
fn a_list_is_appended_entry_by_entry_unless_the_target_holds_lists() {
    let before = json!({"tags": [{"name": "a"}], "table": [[1]]});
    let update = json!([{"target": "$.tags", "update": [{"name": "b"}]}, {"target": "$.table", "update": [2]}]);
    let (found, told) = applied(before, &update);
    assert_eq!(
        found,
        json!({"tags": [{"name": "a"}, {"name": "b"}], "table": [[1], [2]]})
    );
    assert_eq!(told, []);
}

#[test]
fn removing_keeps_the_order_of_the_rest() {
    let (tree, _) = applied(
        json!({"a": 1, "b": 2, "c": 3}),
        &json!([{"target": "$.a", "remove": true}]),
    );
    assert_eq!(tree.to_string(), r#"{"b":2,"c":3}"#);
}

#[test]
fn what_changes_nothing_is_told() {
    let table = [
        (
            json!([{"target": "$.nothing", "update": {}}]),
            "overlay-no-target",
        ),
        (
            json!([{"target": "$.c", "update": {"a": 1}}]),
            "overlay-update",
        ),
        (json!([{"target": "$.a", "update": 5}]), "overlay-update"),
        (json!([{"target": "$", "remove": true}]), "overlay-update"),
        (json!([{"target": "$.a"}]), "overlay-update"),
    ];
    for (actions, rule) in table {
        let before = json!({"a": {}, "c": "text"});
        let (after, told) = applied(before.clone(), &actions);
        assert_eq!(after, before, "{actions}");
        assert_eq!(
            told,
            [(rule.to_owned(), "o.json#/actions/0/target".to_owned())]
        );
    }
}

#[test]
fn a_fault_names_the_overlay_and_the_action() {
    let refused = |actions: Value| overlay(&actions).unwrap_err().to_string();
    for (actions, expected) in [
        (
            json!([{"target": "$.a", "update": {}}, {"target": "a.b", "update": {}}]),
            "o.json: not a usable overlay: actions[1]: expected a JSONPath",
        ),
        (
            json!([{"update": {}}]),
            "actions[0]: expected an object with a text `target`",
        ),
        (json!([{"target": "$..a..b..c..d"}]), "at most 3 times"),
        (json!({}), "a list `actions`"),
    ] {
        let found = refused(actions);
        assert!(found.contains(expected), "{found}");
    }
    for (text, expected) in [
        (
            "overlay: 2.0.0\nactions: []\n",
            "expected version 1.0, found \"2.0.0\"",
        ),
        ("openapi: 3.0.3\n", "the member `overlay`"),
        ("overlay: [", "not valid YAML"),
    ] {
        let found = Overlay::parse(text.as_bytes(), "o.yaml")
            .unwrap_err()
            .to_string();
        assert!(found.contains(expected), "{found}");
    }
    assert!(
        Overlay::parse(b"overlay: 1.0\nactions: []\n", "o")
            .unwrap()
            .faults
            .is_empty()
    );
    assert_eq!(
        Overlay::parse(b"overlay: 1.1.0\nactions: []\n", "o")
            .unwrap()
            .faults[0]
            .0,
        "overlay-version"
    );
}

#[test]
fn growth_is_bounded() {
    let doubling: Vec<Value> = (0..60)
        .map(|_| json!({"target": "$..[?@.leaf]", "update": {"a": {"leaf": 1}, "b": {"leaf": 1}}}))
        .collect();
    let deeper: Vec<Value> = (0..300)
        .map(|_| json!({"target": "$..[?@.leaf]", "update": {"n": {"leaf": 1}}}))
        .collect();
    for actions in [json!(doubling), json!(deeper)] {
        let mut tree = json!({"x": {"leaf": 1}});
        let result = apply_all(
            &[overlay(&actions).unwrap()],
            &mut tree,
            &mut Findings::default(),
        );
        let reason = result.unwrap_err().to_string();
        assert!(reason.contains("more than"), "{reason}");
    }
}
