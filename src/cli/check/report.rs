//! Findings brought to their places in the texts, in order.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use crate::discovery;
use crate::openapi::{
    self, Document, Finding, Inspection, LoadError, Places, Position, Rule, Severity,
};

/// Why a document cannot be loaded at all is a finding too.
pub(super) const DOCUMENT: Rule = Rule {
    name: "document",
    severity: Severity::Error,
    meaning: "A document, or an overlay of it, cannot be loaded; none of its operations are tools.",
    remedy: "correct what the message names",
};

/// Under which findings stand that concern no document.
const GENERAL: &str = "configuration";

/// Every rule there is, by name.
pub(super) fn rules() -> Vec<Rule> {
    let mut all: Vec<Rule> = [&[DOCUMENT], openapi::RULES, discovery::RULES].concat();
    all.sort_by_key(|rule| rule.name);
    all
}

/// A document with its findings, before they have places.
pub(super) struct Checked {
    name: String,
    text: Vec<u8>,
    pub(super) document: Option<Document>,
    pub(super) findings: Vec<Finding>,
    /// Where loading broke off.
    fault: Option<Position>,
}

impl Checked {
    /// What an inspection found.
    pub(super) fn of(name: String, inspection: Inspection) -> Self {
        let Inspection { document, text } = inspection;
        let (document, findings, fault) = match document {
            Ok(mut document) => {
                let findings = std::mem::take(&mut document.findings);
                // Discovery reports operations that were left out by these.
                document.findings.clone_from(&findings);
                (Some(document), findings, None)
            }
            Err(error) => {
                let (finding, fault) = of_fault(&name, &error);
                (None, vec![finding], fault)
            }
        };
        Self {
            name,
            text,
            document,
            findings,
            fault,
        }
    }
}

/// The finding, and its place where it is one of the document and not of an overlay.
fn of_fault(name: &str, error: &LoadError) -> (Finding, Option<Position>) {
    let mut message = error.to_string();
    let mut fault = error.position();
    if let Some(Position { line, column }) = fault {
        match message.strip_prefix(&format!("{name}:{line}:{column}: ")) {
            Some(rest) => message = rest.to_owned(),
            None => fault = None,
        }
    }
    let finding = Finding {
        severity: DOCUMENT.severity,
        rule: DOCUMENT.name,
        pointer: String::new(),
        message,
        hint: None,
    };
    (finding, fault)
}

/// All findings of a run.
pub(super) struct Report {
    pub(super) documents: Vec<Group>,
}

/// The findings of one document, by place.
pub(super) struct Group {
    pub(super) name: String,
    /// False for what concerns no document.
    pub(super) is_document: bool,
    pub(super) placed: Vec<Placed>,
}

/// A finding and where it stands.
pub(super) struct Placed {
    pub(super) finding: Finding,
    /// Another file than the group's document: one it refers to, or an overlay.
    pub(super) file: Option<String>,
    /// The pointer within the file.
    pub(super) pointer: String,
    pub(super) position: Option<Position>,
}

impl Report {
    /// Brings findings to their places. Files that documents refer to are read again for it, at
    /// most `limit` bytes of each.
    pub(super) fn assemble(checked: Vec<Checked>, general: Vec<Finding>, limit: u64) -> Self {
        let mut documents: Vec<Group> = checked
            .into_iter()
            .map(|checked| Group {
                placed: place(&checked, limit),
                name: checked.name,
                is_document: true,
            })
            .collect();
        if !general.is_empty() {
            let placed = general.into_iter().map(|finding| Placed {
                pointer: finding.pointer.clone(),
                finding,
                file: None,
                position: None,
            });
            documents.push(Group {
                name: GENERAL.to_owned(),
                is_document: false,
                placed: placed.collect(),
            });
        }
        Self { documents }
    }

    /// Whether a finding is at least as bad.
    pub(super) fn has(&self, severity: Severity) -> bool {
        self.all().any(|one| one.finding.severity >= severity)
    }

    /// How many findings are exactly as bad.
    pub(super) fn count(&self, severity: Severity) -> usize {
        self.all()
            .filter(|one| one.finding.severity == severity)
            .count()
    }

    fn all(&self) -> impl Iterator<Item = &Placed> {
        self.documents.iter().flat_map(|group| &group.placed)
    }
}

fn place(checked: &Checked, limit: u64) -> Vec<Placed> {
    // By file; the document itself is None.
    let mut files: BTreeMap<Option<String>, Vec<Placed>> = BTreeMap::new();
    for finding in &checked.findings {
        let (file, pointer) = split(&finding.pointer);
        files.entry(file.clone()).or_default().push(Placed {
            finding: finding.clone(),
            file,
            pointer,
            position: None,
        });
    }
    // Repeated keys of JSON are seen by whoever looks for places only.
    files.entry(None).or_default();
    let mut all = Vec::new();
    for (file, mut placed) in files {
        let text = match &file {
            None => Cow::Borrowed(&checked.text),
            Some(name) => Cow::Owned(read(name, limit)),
        };
        let places = Places::locate(&text, placed.iter().map(|one| one.pointer.as_str()));
        for one in &mut placed {
            one.position = places.find(&one.pointer);
            if one.finding.rule == DOCUMENT.name {
                one.position = checked.fault;
            }
        }
        if checked.document.is_some() {
            placed.extend(duplicates(&places, file.as_deref()));
        }
        placed.sort_by(|a, b| order(a).cmp(&order(b)));
        all.extend(placed);
    }
    all
}

fn order(placed: &Placed) -> (Option<Position>, std::cmp::Reverse<Severity>, &str, &str) {
    (
        placed.position,
        std::cmp::Reverse(placed.finding.severity),
        placed.finding.rule,
        &placed.pointer,
    )
}

/// `common.yaml#/a` into the file and its pointer. A pointer of the document itself may hold `#` in
/// a key and begins as an absolute path does, so such a file has to exist.
fn split(pointer: &str) -> (Option<String>, String) {
    let own = || (None, pointer.to_owned());
    let Some((file, rest)) = pointer.split_once('#') else {
        return own();
    };
    let is_pointer = rest.is_empty() || rest.starts_with('/');
    let is_file = !file.starts_with('/') || Path::new(file).is_file();
    if is_pointer && is_file && !file.is_empty() {
        (Some(file.to_owned()), rest.to_owned())
    } else {
        own()
    }
}

/// A file that the loader has read. What came from a URL is not fetched again.
fn read(name: &str, limit: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Ok(file) = fs::File::open(name) {
        // Without its text a finding has no line, which is no failure.
        let _ = file.take(limit).read_to_end(&mut bytes);
    }
    bytes
}

fn duplicates(places: &Places, file: Option<&str>) -> Vec<Placed> {
    let rule = openapi::RULES
        .iter()
        .find(|rule| rule.name == "duplicate-key");
    let list = places
        .duplicates()
        .iter()
        .filter_map(|(pointer, position)| {
            let rule = rule?;
            Some(Placed {
                finding: Finding {
                    severity: rule.severity,
                    rule: rule.name,
                    pointer: pointer.clone(),
                    message: "the key occurs more than once; the last one counts".to_owned(),
                    hint: Some(rule.remedy.to_owned()),
                },
                file: file.map(str::to_owned),
                pointer: pointer.clone(),
                position: Some(*position),
            })
        });
    list.collect()
}
