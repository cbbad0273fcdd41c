//! Which operations become tools, by the operator's rules.

use super::settings::{Rule, Select};
use crate::openapi::Operation;

/// Why the rules leave an operation out; `None` where they do not.
pub(super) fn refusal(operation: &Operation, select: &Select) -> Option<String> {
    if operation.deprecated && !select.deprecated {
        return Some("it is deprecated, and deprecated operations are switched off".to_owned());
    }
    if !select.include.is_empty() && !select.include.iter().any(|rule| fits(rule, operation)) {
        return Some("no include rule matches it".to_owned());
    }
    let excluded = select
        .exclude
        .iter()
        .position(|rule| fits(rule, operation))?;
    Some(format!("exclude rule {} matches it", excluded + 1))
}

/// Whether an operation fits every member of `rule` that is given.
pub(super) fn fits(rule: &Rule, operation: &Operation) -> bool {
    let id = operation.operation_id.as_deref();
    any(&rule.tags, |tag| operation.tags.contains(tag))
        && any(&rule.methods, |method| {
            method.eq_ignore_ascii_case(operation.method.as_str())
        })
        && any(&rule.paths, |glob| matches(glob, &operation.path, true))
        && any(&rule.operations, |glob| {
            id.is_some_and(|id| matches(glob, id, false))
        })
}

fn any(list: &[String], fits: impl Fn(&String) -> bool) -> bool {
    list.is_empty() || list.iter().any(fits)
}

/// Matches `text` against a glob. With `segments`, a single `*` stops at a slash. Time is bounded
/// by the product of both lengths: the states are kept as a set, nothing is tried twice.
fn matches(glob: &str, text: &str, segments: bool) -> bool {
    let tokens = tokens(glob, segments);
    let mut reached = vec![false; tokens.len() + 1];
    reached[0] = true;
    close(&tokens, &mut reached);
    for c in text.chars() {
        let mut next = vec![false; tokens.len() + 1];
        for (at, token) in tokens.iter().enumerate() {
            if !reached[at] {
                continue;
            }
            match token {
                Token::Run { slashes } if *slashes || c != '/' => next[at] = true,
                Token::One if !segments || c != '/' => next[at + 1] = true,
                Token::Char(expected) if *expected == c => next[at + 1] = true,
                _ => {}
            }
        }
        close(&tokens, &mut next);
        reached = next;
    }
    reached[tokens.len()]
}

enum Token {
    Char(char),
    One,
    Run { slashes: bool },
}

/// A run may be empty: what stands after it is reached as well.
fn close(tokens: &[Token], reached: &mut [bool]) {
    for (at, token) in tokens.iter().enumerate() {
        if reached[at] && matches!(token, Token::Run { .. }) {
            reached[at + 1] = true;
        }
    }
}

fn tokens(glob: &str, segments: bool) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = glob.chars().peekable();
    while let Some(c) = chars.next() {
        tokens.push(match c {
            '*' => {
                let mut slashes = !segments;
                while chars.next_if_eq(&'*').is_some() {
                    slashes = true;
                }
                Token::Run { slashes }
            }
            '?' => Token::One,
            c => Token::Char(c),
        });
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::super::fixture::operation;
    use super::*;

    fn rule(member: &str, value: &str) -> Rule {
        serde_json::from_value(serde_json::json!({ member: [value] })).unwrap()
    }

    #[test]
    fn globs() {
        for (glob, text, segments, expected) in [
            ("/pets/*", "/pets/{id}", true, true),
            ("/pets/*", "/pets/{id}/toys", true, false),
            ("/pets/**", "/pets/{id}/toys", true, true),
            ("**/toys", "/pets/{id}/toys", true, true),
            ("/pets", "/pets/", true, false),
            ("repos*", "repos/get", false, true),
            ("get?et", "getPet", false, true),
            ("", "", false, true),
            ("*", "", false, true),
        ] {
            assert_eq!(matches(glob, text, segments), expected, "{glob} {text}");
        }
    }

    #[test]
    fn a_hostile_glob_takes_no_exponential_time() {
        assert!(!matches(&"*a".repeat(200), &"a".repeat(150), false));
    }

    #[test]
    fn rules_match_by_every_member() {
        let mut pet = operation("GET", "/pets/{id}");
        pet.operation_id = Some("getPet".to_owned());
        pet.tags = vec!["pets".to_owned()];
        for (member, value, expected) in [
            ("tags", "pets", true),
            ("tags", "Pets", false),
            ("methods", "get", true),
            ("methods", "POST", false),
            ("paths", "/pets/*", true),
            ("operations", "get*", true),
            ("operations", "list*", false),
        ] {
            assert_eq!(
                fits(&rule(member, value), &pet),
                expected,
                "{member} {value}"
            );
        }
        let mut both = rule("tags", "pets");
        both.methods = vec!["DELETE".to_owned()];
        assert!(!fits(&both, &pet));
    }

    #[test]
    fn include_exclude_and_deprecated() {
        let mut pet = operation("GET", "/pets");
        let mut select = Select::default();
        assert_eq!(refusal(&pet, &select), None);
        select.include = vec![rule("paths", "/dogs")];
        assert!(refusal(&pet, &select).unwrap().contains("include"));
        select.include = vec![rule("paths", "/pets")];
        select.exclude = vec![rule("methods", "get")];
        assert_eq!(refusal(&pet, &select).unwrap(), "exclude rule 1 matches it");
        select.exclude.clear();
        pet.deprecated = true;
        select.deprecated = false;
        assert!(refusal(&pet, &select).unwrap().contains("deprecated"));
    }
}
