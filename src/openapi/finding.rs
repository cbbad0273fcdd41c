//! Collects the findings of one load, and the place (JSON pointer) a walk has reached.

use std::collections::HashSet;

use super::model::{Finding, Severity};
use super::written::Written;
use crate::pointer;

/// More than a person reads; a hostile document could raise millions.
const LIMIT: usize = 1_000;

/// The findings of one document, each said once.
#[derive(Debug, Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
    /// Rule, pointer and message.
    seen: HashSet<(&'static str, String, String)>,
    left_out: usize,
}

impl Findings {
    /// Nothing is lost.
    pub(super) fn note(&mut self, rule: &'static str, pointer: &str, message: String) {
        self.add(Severity::Note, rule, pointer, message, None);
    }

    /// Something was guessed or ignored.
    pub(super) fn warn(
        &mut self,
        rule: &'static str,
        pointer: &str,
        message: String,
        hint: &'static str,
    ) {
        self.add(Severity::Warning, rule, pointer, message, Some(hint));
    }

    /// An operation is missing.
    pub(super) fn error(
        &mut self,
        rule: &'static str,
        pointer: &str,
        message: String,
        hint: &'static str,
    ) {
        self.add(Severity::Error, rule, pointer, message, Some(hint));
    }

    fn add(
        &mut self,
        severity: Severity,
        rule: &'static str,
        pointer: &str,
        message: String,
        hint: Option<&str>,
    ) {
        debug_assert!(super::rules::is_known(rule), "`{rule}` is not in rules.rs");
        // Lost operations are always told; there are never more of them than operations.
        if self.list.len() >= LIMIT && severity < Severity::Error {
            self.left_out += 1;
            return;
        }
        let message = shortened(message);
        let pointer = nearest(pointer);
        if self
            .seen
            .insert((rule, pointer.to_owned(), message.clone()))
        {
            self.list.push(Finding {
                severity,
                rule,
                pointer: pointer.to_owned(),
                message,
                hint: hint.map(str::to_owned),
            });
        }
    }

    /// The findings, with places of the documents as written.
    pub(super) fn finish(mut self, written: &Written) -> Vec<Finding> {
        for finding in &mut self.list {
            finding.pointer = written.pointer(&finding.pointer);
            finding.message = written.sentence(&finding.message);
        }
        // What was said of copies was said of one place.
        let mut seen = HashSet::new();
        self.list.retain(|finding| {
            let message = finding.message.clone();
            seen.insert((finding.rule, finding.pointer.clone(), message))
        });
        if self.left_out > 0 {
            self.list.push(Finding {
                severity: Severity::Note,
                rule: "more-findings",
                pointer: String::new(),
                message: format!("{} further findings are left out", self.left_out),
                hint: None,
            });
        }
        self.list
    }
}

/// Names of any length stand in a document; a message stays readable.
fn shortened(mut message: String) -> String {
    const MOST: usize = 600;
    if message.len() > MOST {
        let mut end = MOST;
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        message.truncate(end);
        message.push_str("...");
    }
    message
}

/// The place itself, or the nearest one around it that can be named.
fn nearest(pointer: &str) -> &str {
    let Some(start) = pointer.as_bytes().get(..=LONGEST_POINTER) else {
        return pointer;
    };
    let end = start.iter().rposition(|byte| *byte == b'/');
    end.and_then(|end| pointer.get(..end)).unwrap_or_default()
}

/// Longer pointers are not written into references and findings: a key of a megabyte would be in
/// each of them.
const LONGEST_POINTER: usize = 1_000;

/// A JSON pointer that grows and shrinks with a walk.
#[derive(Debug, Default, Clone)]
pub(super) struct Place(String);

impl Place {
    /// At a pointer.
    pub(super) fn at(pointer: &str) -> Self {
        Self(pointer.to_owned())
    }

    /// Runs `visit` one member deeper.
    pub(super) fn within<T>(&mut self, token: &str, visit: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.0.len();
        pointer::push(&mut self.0, token);
        let result = visit(self);
        self.0.truncate(length);
        result
    }

    /// Runs `visit` one item deeper.
    pub(super) fn item<T>(&mut self, index: usize, visit: impl FnOnce(&mut Self) -> T) -> T {
        self.within(&index.to_string(), visit)
    }

    /// The pointer.
    pub(super) fn pointer(&self) -> &str {
        &self.0
    }

    /// Whether references may be turned into ones to this place.
    pub(super) fn can_be_named(&self) -> bool {
        self.0.len() <= LONGEST_POINTER
    }

    /// The pointer of a member.
    pub(super) fn member(&self, token: &str) -> String {
        let mut pointer = self.0.clone();
        pointer::push(&mut pointer, token);
        pointer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_told_once_per_place_and_not_without_end() {
        let mut findings = Findings::default();
        for number in 0..20 {
            findings.note("duplicate-key", &format!("/{}", number / 2), "again".into());
        }
        let mut list = findings.finish(&Written::default());
        assert_eq!(list.len(), 10);
        let mut more = Findings::default();
        for number in 0..LIMIT + 5 {
            more.note("duplicate-key", &format!("/{number}"), "é".repeat(1_000));
        }
        list = more.finish(&Written::default());
        assert_eq!(
            list.last().unwrap().message,
            "5 further findings are left out"
        );
        assert!(list[0].message.len() < 620);
        let mut far = Findings::default();
        far.note(
            "duplicate-key",
            &format!("/a/{}/c", "é".repeat(LONGEST_POINTER)),
            String::new(),
        );
        assert_eq!(far.finish(&Written::default())[0].pointer, "/a");
    }

    #[test]
    fn places_are_json_pointers() {
        let mut place = Place::default();
        let inner = place.within("a/b~c", |place| {
            place.item(3, |place| place.pointer().to_owned())
        });
        assert_eq!(inner, "/a~1b~0c/3");
        assert_eq!(place.pointer(), "");
        assert_eq!(place.member("x"), "/x");
    }
}
