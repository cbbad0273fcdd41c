//! What is found, in which order.

use super::*;
use crate::tool::{Annotations, HttpTarget};

fn tool(name: &str, method: &str, path: &str, tag: &str, description: &str) -> Tool {
    let target = HttpTarget::bare(method.parse().unwrap(), path);
    Tool {
        description: description.to_owned(),
        annotations: Annotations {
            tags: vec![tag.to_owned()],
            ..Annotations::default()
        },
        ..Tool::bare(name, target)
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

/// Operations that a large document has side by side: title, method and path below the repository.
const ALIKE: [(&str, &str, &str); 11] = [
    (
        "Create reaction for an issue",
        "POST",
        "issues/{n}/reactions",
    ),
    ("Create an issue comment", "POST", "issues/{n}/comments"),
    ("Create an issue", "POST", "issues"),
    ("Get a pull request", "GET", "pulls/{n}"),
    (
        "Get users who may bypass the pull request list of a repository",
        "GET",
        "bypass",
    ),
    ("List pull requests", "GET", "pulls"),
    (
        "Delete admin branch protection",
        "DELETE",
        "branches/{b}/protection/admins",
    ),
    (
        "Delete branch protection",
        "DELETE",
        "branches/{b}/protection",
    ),
    ("List branches", "GET", "branches"),
    ("Delete a repository webhook", "DELETE", "hooks/{id}"),
    ("Delete a repository", "DELETE", ""),
];

#[test]
fn questions_in_sentences_find_the_operation_that_is_meant() {
    let long = "You can use this with an issue or pull request of a repository. Creating content \
                too quickly may result in limiting. See the notes on the issue."
        .repeat(6);
    let tools = ALIKE.map(|(title, method, path)| {
        let name: String = title.split_whitespace().rev().collect::<Vec<_>>().join("_");
        let about = match title {
            "Create an issue" | "List pull requests" => format!("{title} {long}"),
            _ => title.to_owned(),
        };
        let path = format!("/repos/{{owner}}/{{repo}}/{path}");
        Tool {
            title: Some(title.to_owned()),
            ..tool(&name[..name.len().min(64)], method, &path, "repos", &about)
        }
    });
    let index = Index::new(&tools);
    for (text, expected) in [
        ("create an issue", "Create an issue"),
        ("how can I add a new issue", "Create an issue"),
        ("comment on an issue", "Create an issue comment"),
        ("list pull requests of a repository", "List pull requests"),
        ("show me the pull request", "Get a pull request"),
        ("delete a branch protection", "Delete branch protection"),
        (
            "remove the protection of a branch",
            "Delete branch protection",
        ),
        ("which branches are there", "List branches"),
        ("delete a repository", "Delete a repository"),
    ] {
        let found = index.find(&query(text));
        let best = found.hits.iter().take(3);
        let best: Vec<&str> = best
            .filter_map(|hit| tools[hit.position].title.as_deref())
            .collect();
        assert_eq!(best[0], expected, "{text}: {best:?}");
    }
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
