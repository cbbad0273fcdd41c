//! How much work one value is for a definition. Definitions that compose others several times over
//! multiply: sixty steps of ten references each would take longer to check than anybody waits.

use std::collections::HashMap;

use super::circles::same_value_uses;
use super::defs::Definitions;

/// A definition by which one value is looked at more often than this is not used.
pub(super) const MAX_WAYS: u64 = 100_000;

/// The ways counted so far, by reference.
pub(super) type Ways = HashMap<String, u64>;

impl Definitions<'_> {
    /// How many definitions are applied to a value when this one is, each as often as it is; a
    /// circle counts once.
    pub(super) fn ways(&mut self, reference: &str) -> u64 {
        let mut ways = std::mem::take(&mut self.ways);
        let mut open = vec![(reference.to_owned(), None)];
        while let Some((reference, uses)) = open.pop() {
            match uses {
                None if ways.contains_key(&reference) => {}
                None => {
                    // Until it is known: what leads back here adds nothing.
                    ways.insert(reference.clone(), 0);
                    let uses = self
                        .lookup(&reference)
                        .map_or_else(Vec::new, |(_, schema)| same_value_uses(schema, self));
                    let needed: Vec<_> = uses.iter().map(|one| (one.clone(), None)).collect();
                    open.push((reference, Some(uses)));
                    open.extend(needed);
                }
                Some(uses) => {
                    let below = uses.iter().map(|one: &String| ways.get(one).copied());
                    let sum = below.flatten().fold(1, u64::saturating_add);
                    ways.insert(reference, sum);
                }
            }
        }
        let found = ways.get(reference).copied().unwrap_or(1);
        self.ways = ways;
        found
    }
}
