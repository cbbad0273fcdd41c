//! Follows every way from resource to resource with what it binds, as a validator would, and notes
//! which copies it takes and what each reference leads to.

mod copies;

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::Value;

use super::super::super::finding::Findings;
use super::resources::{Name, Resources, Site, Target, Word};
use super::{Change, reference_to};

/// Copies of one document; real ones need a few for each type.
const MOST_COPIES: usize = 10_000;
/// Values in all copies together, tens of megabytes.
const MOST_VALUES: usize = 400_000;
/// Names looked at, over all references.
const MOST_STEPS: usize = 20_000_000;
/// What names are bound to, sorted by name; nothing where the anchors contradict each other.
type Bindings = Vec<(Name, Option<usize>)>;
/// A reference's place and word, and what it becomes.
type Changes = Vec<(String, Word, Change)>;

/// A resource as it is with certain bindings.
#[derive(Debug)]
struct Instance {
    resource: usize,
    bindings: Bindings,
    /// Where it will stand.
    place: String,
    /// The copy's name; none for the original.
    copy: Option<String>,
    /// For an original that stands within another, that one.
    within: Option<usize>,
    visited: bool,
}

/// A copy to be made.
#[derive(Debug)]
pub(super) struct Copy {
    pub(super) name: String,
    /// The pointer of the original.
    pub(super) origin: String,
    /// Where anchors stand in it.
    pub(super) anchored: Vec<String>,
    /// Relative to the copy.
    pub(super) changes: Changes,
}

/// What is to be done.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) copies: Vec<Copy>,
    /// In the document.
    pub(super) changes: Changes,
}

/// One evaluation of a document.
pub(super) struct Evaluation<'a> {
    root: &'a Value,
    resources: &'a Resources<'a>,
    needs: &'a [Vec<Name>],
    findings: &'a mut Findings,
    instances: Vec<Instance>,
    known: HashMap<(usize, Bindings), usize>,
    waiting: VecDeque<usize>,
    /// Names of copies, and how many were asked for.
    names: HashMap<String, usize>,
    sizes: HashMap<usize, usize>,
    made: usize,
    /// Values that copies may still have.
    values: usize,
    /// Names that may still be looked at.
    steps: usize,
    /// An operation gets to what is visited.
    live: bool,
    /// Resources that are used as templates.
    copied: HashSet<usize>,
    /// Dynamic references without a binding, in originals that no operation gets to.
    unbound: Vec<(usize, String)>,
    outcome: Outcome,
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(
        root: &'a Value,
        resources: &'a Resources<'a>,
        needs: &'a [Vec<Name>],
        findings: &'a mut Findings,
    ) -> Self {
        Self {
            root,
            resources,
            needs,
            findings,
            instances: Vec::new(),
            known: HashMap::new(),
            waiting: VecDeque::new(),
            names: HashMap::new(),
            sizes: HashMap::new(),
            made: 0,
            values: MOST_VALUES,
            steps: MOST_STEPS,
            live: true,
            copied: HashSet::new(),
            unbound: Vec::new(),
            outcome: Outcome::default(),
        }
    }

    pub(super) fn run(mut self) -> Outcome {
        let resources = self.resources;
        for (id, resource) in resources.list.iter().enumerate() {
            if !resource.inner {
                self.original(id, &Vec::new(), None);
            }
        }
        self.plain();
        let originals = self.instances.len();
        for number in 0..originals {
            if resources.list[self.instances[number].resource].entry {
                self.ask_for(number);
            }
        }
        self.visit_waiting();
        // What no operation gets to is still the document's, but comes last.
        self.live = false;
        (0..originals).for_each(|number| self.ask_for(number));
        self.visit_waiting();
        for (resource, at) in std::mem::take(&mut self.unbound) {
            // A template by itself means nothing, which is no fault.
            if self.copied.contains(&resource) {
                self.outcome
                    .changes
                    .push((at, Word::Dynamic, Change::Nothing));
            }
        }
        self.outcome
    }

    /// Settles references by name where no template is about.
    fn plain(&mut self) {
        for (id, resource) in self.resources.list.iter().enumerate() {
            if !self.needs[id].is_empty() {
                continue;
            }
            for site in &resource.sites {
                if let Some(change) = self.change(id, site, &Vec::new(), false) {
                    let at = format!("{}{}", resource.pointer, site.at);
                    self.outcome.changes.push((at, site.word.clone(), change));
                }
            }
        }
    }

    /// Makes a resource known that stays where it is, and those within it.
    fn original(&mut self, id: usize, outer: &Bindings, within: Option<usize>) {
        if self.needs[id].is_empty() {
            return;
        }
        // Without a step left, none of its references is followed either.
        let bindings = self.enter(id, outer).unwrap_or_default();
        let resource = &self.resources.list[id];
        let number = self.instances.len();
        self.known.insert((id, bindings.clone()), number);
        self.instances.push(Instance {
            resource: id,
            bindings: bindings.clone(),
            place: resource.pointer.clone(),
            copy: None,
            within,
            visited: false,
        });
        for inner in &resource.nested {
            self.original(*inner, &bindings, within.or(Some(number)));
        }
    }

    /// The bindings within a resource that is come to with these: its own anchors count for names
    /// that nobody bound before. Only what matters is kept, so that equal ways are one.
    fn enter(&mut self, id: usize, outer: &Bindings) -> Option<Bindings> {
        let needs = &self.needs[id];
        let left = self.steps.checked_sub(needs.len());
        self.steps = left.unwrap_or_default();
        left?;
        let own = &self.resources.list[id].own;
        let bound = |name: &Name| bound_to(outer, *name).or_else(|| bound_to(own, *name));
        Some(needs.iter().filter_map(bound).collect())
    }

    fn ask_for(&mut self, number: usize) {
        let number = self.instances[number].within.unwrap_or(number);
        if !std::mem::replace(&mut self.instances[number].visited, true) {
            self.waiting.push_back(number);
        }
    }

    fn visit_waiting(&mut self) {
        while let Some(number) = self.waiting.pop_front() {
            let instance = &self.instances[number];
            let (id, copy) = (instance.resource, instance.copy.clone());
            let bindings = instance.bindings.clone();
            let origin = &self.resources.list[id].pointer;
            let mut visit = Visit {
                base: if copy.is_some() {
                    String::new()
                } else {
                    origin.clone()
                },
                is_copy: copy.is_some(),
                anchored: Vec::new(),
                changes: Vec::new(),
            };
            self.visit(id, &bindings, &mut visit);
            match copy {
                Some(name) => self.outcome.copies.push(Copy {
                    name,
                    origin: origin.clone(),
                    anchored: visit.anchored,
                    changes: visit.changes,
                }),
                None => self.outcome.changes.extend(visit.changes),
            }
        }
    }

    fn visit(&mut self, id: usize, bindings: &Bindings, visit: &mut Visit) {
        let resource = &self.resources.list[id];
        for site in &resource.sites {
            let at = format!("{}{}", visit.base, site.at);
            if let Some(change) = self.change(id, site, bindings, visit.is_copy) {
                visit.changes.push((at, site.word.clone(), change));
            }
        }
        if visit.is_copy {
            self.copied.insert(id);
            let anchored = resource.anchored.iter();
            visit
                .anchored
                .extend(anchored.map(|at| format!("{}{at}", visit.base)));
        }
        let length = visit.base.len();
        for inner in &resource.nested {
            let within = self.enter(*inner, bindings).unwrap_or_default();
            let pointer = &self.resources.list[*inner].pointer;
            visit
                .base
                .push_str(pointer.get(resource.pointer.len()..).unwrap_or_default());
            self.visit(*inner, &within, visit);
            visit.base.truncate(length);
        }
    }

    /// What a reference becomes; nothing where it stays.
    fn change(
        &mut self,
        id: usize,
        site: &Site,
        bindings: &Bindings,
        is_copy: bool,
    ) -> Option<Change> {
        let to = match &site.target {
            Target::Elsewhere => return None,
            Target::Place(other, rest, named) => {
                if !named && self.needs[*other].is_empty() {
                    return None;
                }
                self.place(*other, rest, bindings)
            }
            Target::Bound(name) => {
                let Some((_, Some(anchor))) = bound_to(bindings, *name) else {
                    if !is_copy && !self.live {
                        let pointer = &self.resources.list[id].pointer;
                        self.unbound.push((id, format!("{pointer}{}", site.at)));
                    }
                    return None;
                };
                self.anchor(anchor, bindings)
            }
        };
        match to {
            Some(to) if to == site.text && site.word != Word::Dynamic => None,
            Some(to) => Some(Change::To(to)),
            None => {
                let pointer = &self.resources.list[id].pointer;
                self.findings.warn(
                    "schema-too-large",
                    &format!("{pointer}{}", site.at),
                    format!(
                        "expected at most {MOST_COPIES} schemas, of {MOST_VALUES} values, made of those with $dynamicRef"
                    ),
                    "bind fewer types to fewer templates; anything is accepted here",
                );
                Some(Change::Nothing)
            }
        }
    }

    /// A reference to an anchor's schema, or to what it stands for.
    fn anchor(&mut self, anchor: usize, bindings: &Bindings) -> Option<String> {
        let resources = self.resources;
        let anchor = &resources.anchors[anchor];
        let alias = anchor
            .alias
            .map(|site| &resources.list[anchor.resource].sites[site].target);
        if let Some(Target::Place(other, rest, _)) = alias {
            let within = self.enter(anchor.resource, bindings)?;
            return self.place(*other, rest, &within);
        }
        self.place(anchor.resource, &anchor.at, bindings)
    }

    /// A reference to a place in a resource that is come to with these bindings.
    fn place(&mut self, id: usize, rest: &str, bindings: &Bindings) -> Option<String> {
        if self.needs[id].is_empty() {
            return Some(reference_to(&self.resources.list[id].pointer, rest));
        }
        let within = self.enter(id, bindings)?;
        let key = (id, within);
        let number = match self.known.get(&key) {
            Some(number) => *number,
            None => self.copy(key)?,
        };
        self.ask_for(number);
        Some(reference_to(&self.instances[number].place, rest))
    }
}

/// A name with what it is bound to.
fn bound_to(bindings: &Bindings, name: Name) -> Option<(Name, Option<usize>)> {
    let found = bindings.binary_search_by_key(&name, |(name, _)| *name);
    found.ok().and_then(|index| bindings.get(index).copied())
}

/// What one visit to an instance collects.
struct Visit {
    /// The pointer of the resource that is visited.
    base: String,
    is_copy: bool,
    anchored: Vec<String>,
    changes: Changes,
}
