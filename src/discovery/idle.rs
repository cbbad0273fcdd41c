//! What the operator's rules say of operations that do not exist: a rule that fits nothing keeps nobody from
//! anything, and is most likely misspelt.

use std::collections::HashSet;

use serde_json::Map;

use super::settings::{Rule, Select, Settings};
use super::{nearest, overrides, select};
use crate::openapi::Operation;

/// Whether there is anything to look for.
pub(super) fn has_rules(settings: &Settings) -> bool {
    let Select {
        include, exclude, ..
    } = &settings.select;
    let lists = [&settings.confirm.rules, include, exclude];
    !settings.overrides.is_empty() || lists.iter().any(|list| !list.is_empty())
}

/// What rules and overrides know an operation by, and nothing else of it.
pub(super) fn outline(operation: &Operation) -> Operation {
    Operation {
        method: operation.method.clone(),
        path: operation.path.clone(),
        pointer: operation.pointer.clone(),
        operation_id: operation.operation_id.clone(),
        tags: operation.tags.clone(),
        deprecated: operation.deprecated,
        summary: None,
        description: None,
        external_docs: None,
        security: None,
        parameters: Vec::new(),
        request_body: None,
        responses: Vec::new(),
        servers: Vec::new(),
        own_servers: None,
        extensions: Map::new(),
        farther_mcp: Vec::new(),
    }
}

/// A sentence for each rule, entry of a rule and override that fits none of these operations.
pub(super) fn rules(operations: &[&Operation], settings: &Settings) -> Vec<String> {
    let mut found = Vec::new();
    for (setting, rules) in [
        ("confirm.rules", &settings.confirm.rules),
        ("tools.include", &settings.select.include),
        ("tools.exclude", &settings.select.exclude),
    ] {
        for (index, rule) in rules.iter().enumerate() {
            of_rule(&format!("{setting}[{index}]"), rule, operations, &mut found);
        }
    }
    of_overrides(settings, operations, &mut found);
    found
}

/// Methods are many or few in any document; only what names something in particular is told.
fn of_rule(place: &str, rule: &Rule, operations: &[&Operation], found: &mut Vec<String>) {
    let named = Rule {
        methods: Vec::new(),
        ..rule.clone()
    };
    if named == Rule::default() {
        return;
    }
    let entries = entries(&named, operations);
    let rule_fits = operations.iter().any(|one| select::fits(rule, one));
    if rule_fits {
        found.extend(entries.iter().map(|entry| format!("{place}: {entry}")));
    } else if entries.is_empty() {
        found.push(format!(
            "{place} fits no operation: none fits all its members together"
        ));
    } else {
        let entries = entries.join(", ");
        found.push(format!("{place} fits no operation: {entries}"));
    }
}

/// The entries of a rule's lists that fit nothing each by itself.
fn entries(rule: &Rule, operations: &[&Operation]) -> Vec<String> {
    let mut found = Vec::new();
    let mut look = |list: &[String], alone: fn(String) -> Rule, what: &str, names: Names| {
        for entry in list {
            let rule = alone(entry.clone());
            if operations.iter().any(|one| select::fits(&rule, one)) {
                continue;
            }
            let names: Vec<&str> = operations.iter().flat_map(|one| names(one)).collect();
            let meant = nearest::of(entry, names.into_iter());
            let meant =
                meant.map_or_else(String::new, |meant| format!(" (did you mean `{meant}`?)"));
            found.push(format!("no {what} `{entry}`{meant}"));
        }
    };
    let operation = |operations| Rule {
        operations: vec![operations],
        ..Rule::default()
    };
    let path = |path| Rule {
        paths: vec![path],
        ..Rule::default()
    };
    let tag = |tag| Rule {
        tags: vec![tag],
        ..Rule::default()
    };
    look(&rule.operations, operation, "operationId fits", |one| {
        one.operation_id.as_deref().into_iter().collect()
    });
    look(&rule.paths, path, "path fits", |one| vec![&one.path]);
    look(&rule.tags, tag, "operation has the tag", |one| {
        one.tags.iter().map(String::as_str).collect()
    });
    found
}

/// What an entry could have meant, of one operation.
type Names = fn(&Operation) -> Vec<&str>;

fn of_overrides(settings: &Settings, operations: &[&Operation], found: &mut Vec<String>) {
    if settings.overrides.is_empty() {
        return;
    }
    let used: HashSet<&str> = operations
        .iter()
        .flat_map(|operation| overrides::entries(operation, &settings.overrides))
        .map(|(key, _)| key)
        .collect();
    let unused = settings.overrides.keys();
    for key in unused.filter(|key| !used.contains(key.as_str())) {
        let places: Vec<String> = operations.iter().map(|one| overrides::place(one)).collect();
        let ids = operations
            .iter()
            .filter_map(|one| one.operation_id.as_deref());
        let meant = nearest::of(key, ids.chain(places.iter().map(String::as_str)));
        let hint = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "give an operationId or `METHOD /path`".to_owned(),
        };
        found.push(format!(
            "tools.operations: `{key}` fits no operation: {hint}"
        ));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fixture::{document, operation};
    use super::*;

    fn told(settings: &serde_json::Value) -> Vec<String> {
        let mut delete = operation("DELETE", "/pets/{id}");
        delete.operation_id = Some("deletePet".to_owned());
        delete.tags = vec!["pets".to_owned()];
        let list = operation("GET", "/pets");
        let document = document(vec![delete, list], &json!({}));
        let read = |name: &str| {
            let rules = settings.get(name).cloned().unwrap_or_else(|| json!([]));
            serde_json::from_value::<Vec<Rule>>(rules).unwrap()
        };
        let mut all = Settings::default();
        all.confirm.rules = read("confirm");
        all.select.include = read("include");
        all.select.exclude = read("exclude");
        if let Some(overrides) = settings.get("overrides") {
            all.overrides = serde_json::from_value(overrides.clone()).unwrap();
        }
        let outlines: Vec<Operation> = document.operations.iter().map(outline).collect();
        rules(&outlines.iter().collect::<Vec<_>>(), &all)
    }

    #[test]
    fn what_fits_nothing_is_told() {
        for (settings, expected) in [
            (
                json!({ "confirm": [{ "operations": ["removePet"] }] }),
                "confirm.rules[0] fits no operation: no operationId fits `removePet`",
            ),
            (
                json!({ "confirm": [{ "operations": ["deltePet"] }] }),
                "confirm.rules[0] fits no operation: no operationId fits `deltePet` (did you mean `deletePet`?)",
            ),
            (
                json!({ "exclude": [{ "methods": ["GET"] }, { "paths": ["/pet"], "tags": ["Pets"] }] }),
                "tools.exclude[1] fits no operation: no path fits `/pet` (did you mean `/pets`?), no operation has the tag `Pets` (did you mean `pets`?)",
            ),
            (
                json!({ "include": [{ "operations": ["delete*", "remove*"] }] }),
                "tools.include[0]: no operationId fits `remove*`",
            ),
            (
                json!({ "confirm": [{ "tags": ["pets"], "methods": ["GET"] }] }),
                "confirm.rules[0] fits no operation: none fits all its members together",
            ),
            (
                json!({ "overrides": { "removePet": { "exclude": true } } }),
                "tools.operations: `removePet` fits no operation: give an operationId or `METHOD /path`",
            ),
            (
                json!({ "overrides": { "GET /pet": { "exclude": true } } }),
                "tools.operations: `GET /pet` fits no operation: did you mean `GET /pets`?",
            ),
        ] {
            assert_eq!(told(&settings), [expected]);
        }
    }

    #[test]
    fn what_fits_something_is_not() {
        for settings in [
            json!({ "confirm": [{ "operations": ["delete*"] }, {}] }),
            json!({ "include": [{ "tags": ["pets"] }, { "paths": ["/pets/**"] }] }),
            // No document has every method.
            json!({ "exclude": [{ "methods": ["PATCH"] }, { "methods": ["PUT", "delete"], "tags": ["pets"] }] }),
            json!({ "overrides": { "deletePet": {}, "GET /pets": {} } }),
            // Two names of one operation.
            json!({ "overrides": { "deletePet": {}, "DELETE /pets/{id}": {} } }),
        ] {
            assert_eq!(told(&settings), [""; 0]);
        }
    }
}
