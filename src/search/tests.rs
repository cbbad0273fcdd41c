//! What is found, in which order.

use super::*;
use crate::tool::{Annotations, HttpTarget, Json, PathTemplate, ToolName};

fn tool(name: &str, method: &str, path: &str, tag: &str, description: &str) -> Tool {
    Tool {
        name: ToolName::new(name).unwrap(),
        title: None,
        description: description.to_owned(),
        input_schema: Json::from_value(&serde_json::json!({ "type": "object" })),
        listed_schema: None,
        output_schema: None,
        annotations: Annotations {
            tags: vec![tag.to_owned()],
            ..Annotations::default()
        },
        meta: Json::from_value(&serde_json::json!({})),
        target: Target::Http(Box::new(HttpTarget {
            method: method.parse().unwrap(),
            base: "http://localhost/".parse().unwrap(),
            path: PathTemplate {
                template: path.to_owned(),
                parts: Vec::new(),
            },
            parameters: Vec::new(),
            body: None,
            accept: "*/*".to_owned(),
            security: Vec::new(),
        })),
        requires: Vec::new(),
        confirm: false,
        ask: Vec::new(),
    }
}

fn catalogue() -> Vec<Tool> {
    vec![
        tool("listPets", "GET", "/pets", "Pets", "All pets of the store"),
        tool("createPet", "POST", "/pets", "Pets", "Adds a pet"),
        tool("getOrder", "GET", "/orders/{id}", "Orders", "One order"),
        tool(
            "sendInvoice",
            "POST",
            "/invoices",
            "Billing",
            "Bills an order by mail, for pets too",
        ),
    ]
}

fn names(query: &Query<'_>) -> Vec<String> {
    let tools = catalogue();
    let found = Index::new(&tools).find(query);
    let hits = found.hits.iter();
    hits.map(|hit| tools[hit.position].name.to_string())
        .collect()
}

fn query(text: &str) -> Query<'_> {
    Query {
        text,
        limit: 10,
        ..Query::default()
    }
}

#[test]
fn the_best_fit_comes_first() {
    for (text, expected) in [
        ("create a pet", "createPet"),
        ("orders", "getOrder"),
        ("invoice", "sendInvoice"),
        ("inv", "sendInvoice"),
        ("LISTPETS", "listPets"),
        ("billing", "sendInvoice"),
        ("store", "listPets"),
    ] {
        assert_eq!(names(&query(text))[0], expected, "{text}");
    }
    assert!(names(&query("zeppelin")).is_empty());
}

#[test]
fn filters_and_limits_hold() {
    let filtered = Query {
        tag: Some("pets"),
        method: Some("post"),
        ..query("")
    };
    assert_eq!(names(&filtered), ["createPet"]);
    assert_eq!(names(&query("")).len(), 4);
    let tools = catalogue();
    let found = Index::new(&tools).find(&Query {
        limit: 1,
        ..query("pet")
    });
    assert_eq!((found.total, found.hits.len()), (3, 1));
}

#[test]
fn equal_fits_keep_the_order_of_the_catalogue() {
    let same = |name| tool(name, "GET", "/x", "T", "The same words");
    let tools = ["b", "a", "c"].map(same);
    let found = Index::new(&tools).find(&query("same words"));
    let order: Vec<usize> = found.hits.iter().map(|hit| hit.position).collect();
    assert_eq!(order, [0, 1, 2]);
}

#[test]
fn no_text_breaks_it() {
    let index = Index::new(&[]);
    assert_eq!(index.find(&query("anything")), Found::default());
    let long = "pet ".repeat(100_000);
    for text in ["\u{0}", "💥", "'\"\\", "a\u{301}", long.as_str()] {
        let _ = names(&query(text));
    }
}
