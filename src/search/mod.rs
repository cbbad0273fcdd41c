//! Which tools a few words mean: an index over names, titles, tags, paths and descriptions.
//!
//! BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) with a weight for
//! each field. Built once for a catalogue, never changed; the same words always find the same tools
//! in the same order.

mod words;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::tool::Tool;
use words::{plain, words, words_of_query};

/// How soon further occurrences of a word stop counting.
const SATURATION: f64 = 1.2;
/// A longer description is indexed up to here, in characters.
const MAX_DESCRIPTION: usize = 2_000;
/// Words of the index that one unknown word of a query may begin, at most.
const MAX_COMPLETIONS: usize = 64;
/// A word that only begins like one of the query's counts so much.
const COMPLETION: f64 = 0.5;
/// Another word for one of the query's counts so much.
const ALIKE: f64 = 0.3;
/// A tool whose title says nothing but what was asked for counts so much more.
const TO_THE_POINT: f64 = 1.5;

/// Where a word stands: how much that counts, and how much a text there that is longer than others
/// is held back.
const FIELDS: [(f64, f64); 5] = [NAME, TITLE, TAGS, PATH, DESCRIPTION];
const NAME: (f64, f64) = (2.0, 0.3);
const TITLE: (f64, f64) = (3.0, 0.5);
const TAGS: (f64, f64) = (1.0, 0.5);
const PATH: (f64, f64) = (1.0, 0.5);
const DESCRIPTION: (f64, f64) = (0.8, 0.75);

/// The index of one catalogue.
#[derive(Debug, Default)]
pub struct Index {
    /// Word to the tools that have it. Ordered, so that words that begin alike stand together.
    postings: BTreeMap<String, Vec<Posting>>,
    documents: Vec<Document>,
    /// Lowercase name to position.
    names: HashMap<String, usize>,
}

#[derive(Debug)]
struct Posting {
    position: usize,
    weight: f64,
}

#[derive(Debug)]
struct Document {
    /// What the title, or else the name, consists of.
    title: Vec<String>,
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
        let texts: Vec<Texts> = tools.into_iter().map(|tool| index.add(tool)).collect();
        let count = texts.len().max(1) as f64;
        let mut averages = [0.0; FIELDS.len()];
        for text in &texts {
            for (average, length) in averages.iter_mut().zip(text.lengths) {
                *average += length / count;
            }
        }
        for (position, text) in texts.into_iter().enumerate() {
            for (word, counts) in text.words {
                let weight = weight(counts, text.lengths, averages);
                let posting = Posting { position, weight };
                index.postings.entry(word).or_default().push(posting);
            }
        }
        index
    }

    fn add(&mut self, tool: &Tool) -> Texts {
        let (method, path) = tool.target.endpoint();
        let title = tool
            .title
            .as_deref()
            .filter(|title| !title.trim().is_empty());
        let end = tool.description.char_indices().nth(MAX_DESCRIPTION);
        let end = end.map_or(tool.description.len(), |(end, _)| end);
        let tags = tool.annotations.tags.join(" ");
        let texts = Texts::of([
            tool.name.as_str(),
            title.unwrap_or_default(),
            &tags,
            path,
            &tool.description[..end],
        ]);
        let name = lower(tool.name.as_str());
        let position = self.documents.len();
        self.names.entry(name).or_insert(position);
        self.documents.push(Document {
            title: plain(title.unwrap_or(tool.name.as_str())),
            tags: tool.annotations.tags.iter().map(|t| lower(t)).collect(),
            method: lower(method),
        });
        texts
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
        let plain = plain(text);
        let mut asked: HashSet<&str> = plain.iter().map(String::as_str).collect();
        for word in &plain {
            for other in words::alike(word) {
                asked.insert(other);
            }
        }
        let mut seen = HashSet::new();
        for word in words_of_query(text) {
            if !seen.insert(word.clone()) {
                continue;
            }
            for other in words::alike(&word).filter(|other| *other != word) {
                if let Some(postings) = self.postings.get(other) {
                    self.weigh(postings, ALIKE, &mut scores);
                }
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
        for (score, document) in scores.iter_mut().zip(&self.documents) {
            if *score > 0.0 {
                *score *= 1.0 + TO_THE_POINT * document.said_by(&asked);
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
            let counts = weight * (SATURATION + 1.0) / (weight + SATURATION);
            scores[*position] += factor * rarity * counts;
        }
    }
}

impl Document {
    /// How much of the title was asked for, squared: from 0 to 1.
    fn said_by(&self, asked: &HashSet<&str>) -> f64 {
        let title = self.title.iter();
        let said = title.filter(|word| asked.contains(word.as_str()));
        let share = said.count() as f64 / self.title.len().max(1) as f64;
        share * share
    }
}

/// The words of one tool by their fields.
struct Texts {
    words: BTreeMap<String, [f64; FIELDS.len()]>,
    lengths: [f64; FIELDS.len()],
}

impl Texts {
    fn of(fields: [&str; FIELDS.len()]) -> Self {
        let mut texts = Self {
            words: BTreeMap::new(),
            lengths: [0.0; FIELDS.len()],
        };
        for (field, text) in fields.into_iter().enumerate() {
            for word in words(text) {
                texts.words.entry(word).or_default()[field] += 1.0;
                texts.lengths[field] += 1.0;
            }
        }
        texts
    }
}

/// The occurrences of a word in one tool, each field by its own measure (BM25F).
fn weight(
    counts: [f64; FIELDS.len()],
    lengths: [f64; FIELDS.len()],
    averages: [f64; FIELDS.len()],
) -> f64 {
    let fields = FIELDS
        .into_iter()
        .zip(counts)
        .zip(lengths.into_iter().zip(averages));
    let weights = fields.map(|(((factor, held), count), (length, average))| {
        let long = length / average.max(1.0);
        factor * count / (1.0 - held + held * long)
    });
    weights.sum()
}

fn lower(text: &str) -> String {
    text.to_lowercase()
}

#[cfg(test)]
mod tests;
