//! Which tools a few words mean: an index over names, titles, tags, paths and descriptions.
//!
//! BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) with a weight for
//! each field. Built once for a catalogue, never changed; the same words always find the same tools
//! in the same order.

mod words;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::tool::{Target, Tool};
use words::{words, words_of_query};

/// How soon further occurrences of a word stop counting.
const SATURATION: f64 = 1.2;
/// How much long texts are held back.
const LENGTH: f64 = 0.5;
/// A longer description is indexed up to here, in characters.
const MAX_DESCRIPTION: usize = 2_000;
/// Words of the index that one unknown word of a query may begin, at most.
const MAX_COMPLETIONS: usize = 64;
/// A word that only begins like one of the query's counts so much.
const COMPLETION: f64 = 0.5;

/// Where a word stands, and how much that counts.
const NAME: f64 = 3.0;
const TITLE: f64 = 2.0;
const TAG: f64 = 2.0;
const PATH: f64 = 1.0;
const DESCRIPTION: f64 = 1.0;

/// The index of one catalogue.
#[derive(Debug, Default)]
pub struct Index {
    /// Word to the tools that have it. Ordered, so that words that begin alike stand together.
    postings: BTreeMap<String, Vec<Posting>>,
    documents: Vec<Document>,
    /// Lowercase name to position.
    names: HashMap<String, usize>,
    average: f64,
}

#[derive(Debug)]
struct Posting {
    position: usize,
    weight: f64,
}

#[derive(Debug)]
struct Document {
    length: f64,
    /// Lowercase.
    tags: Vec<String>,
    method: String,
}

/// What to look for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<'a> {
    /// Any words; without one, every tool that passes the filters is found, in the catalogue's order.
    pub text: &'a str,
    /// Only tools with this tag, in any case.
    pub tag: Option<&'a str>,
    /// Only tools with this request method, in any case.
    pub method: Option<&'a str>,
    /// At most so many.
    pub limit: usize,
}

/// What was found.
#[derive(Debug, Default, PartialEq)]
pub struct Found {
    /// How many tools fit, those beyond the limit included.
    pub total: usize,
    /// The best ones, best first; equal ones in the catalogue's order.
    pub hits: Vec<Hit>,
}

/// A tool that fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The tool's position in the catalogue.
    pub position: usize,
    /// How well it fits; comparable within one answer only.
    pub score: f64,
}

impl Index {
    /// Indexes tools in their order.
    #[must_use]
    pub fn new<'a>(tools: impl IntoIterator<Item = &'a Tool>) -> Self {
        let mut index = Self::default();
        for (position, tool) in tools.into_iter().enumerate() {
            index.add(position, tool);
        }
        let total: f64 = index.documents.iter().map(|one| one.length).sum();
        index.average = total / (index.documents.len().max(1) as f64);
        index
    }

    fn add(&mut self, position: usize, tool: &Tool) {
        let Target::Http(target) = &tool.target;
        let mut weights: BTreeMap<String, f64> = BTreeMap::new();
        let mut count = |text: &str, weight: f64| {
            for word in words(text) {
                *weights.entry(word).or_insert(0.0) += weight;
            }
        };
        count(tool.name.as_str(), NAME);
        count(tool.title.as_deref().unwrap_or_default(), TITLE);
        tool.annotations.tags.iter().for_each(|tag| count(tag, TAG));
        count(&target.path.template, PATH);
        let end = tool.description.char_indices().nth(MAX_DESCRIPTION);
        let end = end.map_or(tool.description.len(), |(end, _)| end);
        count(&tool.description[..end], DESCRIPTION);
        let length = weights.values().sum();
        for (word, weight) in weights {
            let posting = Posting { position, weight };
            self.postings.entry(word).or_default().push(posting);
        }
        self.documents.push(Document {
            length,
            tags: tool.annotations.tags.iter().map(|t| lower(t)).collect(),
            method: lower(target.method.as_str()),
        });
        let name = lower(tool.name.as_str());
        self.names.entry(name).or_insert(position);
    }

    /// The tools that fit best.
    #[must_use]
    pub fn find(&self, query: &Query<'_>) -> Found {
        let (tag, method) = (query.tag.map(lower), query.method.map(lower));
        let passes = |position: usize| {
            let one = &self.documents[position];
            tag.as_ref().is_none_or(|tag| one.tags.contains(tag))
                && method.as_ref().is_none_or(|method| one.method == *method)
        };
        let text = query.text.trim();
        let mut hits: Vec<Hit> = if text.is_empty() {
            let all = 0..self.documents.len();
            all.map(|position| Hit {
                position,
                score: 0.0,
            })
            .collect()
        } else {
            self.score(text)
        };
        hits.retain(|hit| passes(hit.position));
        hits.sort_by(|a, b| {
            let order = b.score.total_cmp(&a.score);
            order.then(a.position.cmp(&b.position))
        });
        let total = hits.len();
        hits.truncate(query.limit);
        Found { total, hits }
    }

    fn score(&self, text: &str) -> Vec<Hit> {
        let mut scores = vec![0.0_f64; self.documents.len()];
        let mut seen = HashSet::new();
        for word in words_of_query(text) {
            if !seen.insert(word.clone()) {
                continue;
            }
            if let Some(postings) = self.postings.get(&word) {
                self.weigh(postings, 1.0, &mut scores);
                continue;
            }
            let longer = self.postings.range(word.clone()..);
            let alike = longer.take_while(|(known, _)| known.starts_with(&word));
            for (_, postings) in alike.take(MAX_COMPLETIONS) {
                self.weigh(postings, COMPLETION, &mut scores);
            }
        }
        if let Some(&position) = self.names.get(&lower(text)) {
            // Whoever writes a name means that tool.
            scores[position] += scores.iter().copied().fold(1.0, f64::max);
        }
        let scores = scores.into_iter().enumerate();
        scores
            .filter(|(_, score)| *score > 0.0)
            .map(|(position, score)| Hit { position, score })
            .collect()
    }

    fn weigh(&self, postings: &[Posting], factor: f64, scores: &mut [f64]) {
        let (all, with) = (self.documents.len() as f64, postings.len() as f64);
        let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        for Posting { position, weight } in postings {
            let long = self.documents[*position].length / self.average.max(1.0);
            let held = SATURATION * (1.0 - LENGTH + LENGTH * long);
            scores[*position] += factor * rarity * weight * (SATURATION + 1.0) / (weight + held);
        }
    }
}

fn lower(text: &str) -> String {
    text.to_lowercase()
}

#[cfg(test)]
mod tests;
