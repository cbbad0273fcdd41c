//! What a discriminator says of each branch, said in that branch: the constants by which it is known.

use serde_json::{Value, json};

use super::Schema;
use crate::discovery::defs::{Definitions, reference_of};

/// A Discriminator Object (OpenAPI 3.2, section 4.25).
#[derive(Debug, Clone, Copy)]
pub(super) struct Discriminator<'a> {
    /// The property that tells.
    pub(super) property: &'a str,
    /// Words and the references or names that they stand for.
    pub(super) mapping: Option<&'a Schema>,
    /// The branch of every other word, and of none.
    default: Option<&'a str>,
}

impl<'a> Discriminator<'a> {
    /// Of a schema that has one.
    pub(super) fn of(map: &'a Schema) -> Option<Self> {
        let discriminator = map.get("discriminator")?;
        Some(Self {
            property: discriminator.get("propertyName")?.as_str()?,
            mapping: discriminator.get("mapping").and_then(Value::as_object),
            default: discriminator.get("defaultMapping").and_then(Value::as_str),
        })
    }

    /// Whether a branch is the default one.
    pub(super) fn is_default(&self, reference: &str) -> bool {
        self.default
            .is_some_and(|default| default == reference || default == name(reference))
    }

    /// A mapping's words for a branch, or else the name of the branch's schema.
    fn words<'w>(&self, reference: &'w str) -> Vec<&'w str>
    where
        'a: 'w,
    {
        let name = name(reference);
        let mut words: Vec<&str> = self
            .mapping
            .into_iter()
            .flatten()
            .filter(|(_, target)| *target == reference || *target == name)
            .map(|(word, _)| word.as_str())
            .collect();
        if words.is_empty() {
            words.push(name);
        }
        words
    }
}

impl<'d> Definitions<'d> {
    /// Each branch with the constant by which the discriminator knows it.
    pub(super) fn told_apart(&self, map: &Schema) -> Option<Schema> {
        let discriminator = Discriminator::of(map)?;
        let keyword = ["oneOf", "anyOf"]
            .into_iter()
            .find(|keyword| map.contains_key(*keyword))?;
        let branches = map.get(keyword)?.as_array()?;
        let all: Vec<&str> = branches.iter().filter_map(reference_of).collect();
        let found = all.iter().any(|one| discriminator.is_default(one));
        let mut changed = false;
        let told = branches.iter().map(|branch| {
            let mut told = self.told(branch, discriminator, &all);
            // Without the property the default alone is meant, where no other branch may fit.
            if found && keyword == "oneOf" {
                told = self.with_word(branch, told, discriminator);
            }
            changed |= told.is_some();
            told.unwrap_or_else(|| branch.clone())
        });
        let told: Vec<Value> = told.collect();
        if !changed {
            return None;
        }
        let mut whole = map.clone();
        whole.insert(keyword.to_owned(), told.into());
        Some(whole)
    }

    /// The branch with its constants; nothing where it says them itself. `all` are the references of
    /// all branches.
    pub(super) fn told(
        &self,
        branch: &Value,
        discriminator: Discriminator<'_>,
        all: &[&str],
    ) -> Option<Value> {
        let reference = reference_of(branch)?;
        if branch.as_object()?.len() != 1 {
            return None;
        }
        let property = discriminator.property;
        let values = if discriminator.is_default(reference) {
            let others = all.iter().filter(|other| **other != reference);
            let taken: Vec<Value> = others
                .flat_map(|other| self.known_by(other, discriminator))
                .collect();
            if taken.is_empty() || self.own_words(reference, property).is_some() {
                return None;
            }
            json!({ "not": { "enum": taken } })
        } else {
            match self.words_to_say(reference, discriminator)?.as_slice() {
                [only] => json!({ "const": only }),
                several => json!({ "enum": several }),
            }
        };
        Some(json!({ "$ref": reference, "properties": { property: values } }))
    }

    /// A branch other than the default with the property required.
    fn with_word(
        &self,
        branch: &Value,
        told: Option<Value>,
        discriminator: Discriminator<'_>,
    ) -> Option<Value> {
        let reference = reference_of(branch)?;
        if discriminator.is_default(reference) || branch.as_object()?.len() != 1 {
            return told;
        }
        let mut told = told.unwrap_or_else(|| branch.clone());
        told["required"] = json!([discriminator.property]);
        Some(told)
    }

    /// The words that a branch has to be told, since its schema does not say them itself.
    fn words_to_say<'w>(
        &self,
        reference: &'w str,
        discriminator: Discriminator<'w>,
    ) -> Option<Vec<&'w str>> {
        let mut words = discriminator.words(reference);
        let branch = json!({ "$ref": reference });
        let view = self.object(&branch)?;
        let (_, field) = view
            .fields
            .iter()
            .find(|(known, _)| *known == discriminator.property)?;
        let field = self.resolve(field)?;
        if field.get("const").is_some() || field.get("type").is_some_and(|name| name != "string") {
            return None;
        }
        if let Some(Value::Array(known)) = field.get("enum") {
            // Where the branch's own word differs, it knows better.
            words.retain(|value| known.iter().any(|one| one == value));
            if words.is_empty() || known.len() == 1 {
                return None;
            }
        }
        Some(words)
    }

    /// The constants that a branch's schema has for the property.
    fn own_words(&self, reference: &str, property: &str) -> Option<Vec<Value>> {
        let branch = json!({ "$ref": reference });
        let view = self.object(&branch)?;
        let (_, field) = view.fields.iter().find(|(known, _)| *known == property)?;
        let field = self.resolve(field)?;
        match (field.get("const"), field.get("enum")) {
            (Some(word), _) => Some(vec![word.clone()]),
            (_, Some(Value::Array(words))) => Some(words.clone()),
            _ => None,
        }
    }

    /// The words by which a branch is known in the end.
    fn known_by(&self, reference: &str, discriminator: Discriminator<'_>) -> Vec<Value> {
        match self.words_to_say(reference, discriminator) {
            Some(words) => words.into_iter().map(Value::from).collect(),
            None => self
                .own_words(reference, discriminator.property)
                .unwrap_or_else(|| {
                    let words = discriminator.words(reference);
                    words.into_iter().map(Value::from).collect()
                }),
        }
    }
}

/// The last part of a reference.
fn name(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or_default()
}
