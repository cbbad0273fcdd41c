//! How the pet store reads its queries, and the pages it answers them with.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use url::form_urlencoded;

type Pet = Map<String, Value>;

/// Which pets, in which order, how many.
#[derive(Debug, Default)]
pub(super) struct PetQuery {
    status: Vec<String>,
    tags: Vec<String>,
    born_after: Option<String>,
    name: Option<String>,
    species: Option<String>,
    min_price: Option<f64>,
    max_price: Option<f64>,
    sort: Vec<String>,
    after: u64,
    limit: usize,
}

impl PetQuery {
    /// `status=a&status=b&tags=x,y&bornAfter=...&limit=..&cursor=..`
    pub(super) fn list(query: &str) -> Self {
        let mut wanted = Self::paging(query);
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "status" => wanted.status.push(value.into_owned()),
                "tags" => wanted.tags = split(&value, ','),
                "bornAfter" => wanted.born_after = Some(value.into_owned()),
                _ => {}
            }
        }
        wanted
    }

    /// `filter[species]=dog&filter[maxPrice]=300&sort=price|-name`
    pub(super) fn search(query: &str) -> Self {
        let mut wanted = Self::paging(query);
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "filter[name]" => wanted.name = Some(value.to_lowercase()),
                "filter[species]" => wanted.species = Some(value.into_owned()),
                "filter[status]" => wanted.status.push(value.into_owned()),
                "filter[minPrice]" => wanted.min_price = value.parse().ok(),
                "filter[maxPrice]" => wanted.max_price = value.parse().ok(),
                "sort" => wanted.sort = split(&value, '|'),
                _ => {}
            }
        }
        wanted
    }

    fn paging(query: &str) -> Self {
        let mut wanted = Self {
            limit: 20,
            ..Self::default()
        };
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "limit" => wanted.limit = value.parse().unwrap_or(20),
                "cursor" => wanted.after = value.parse().unwrap_or(0),
                _ => {}
            }
        }
        wanted
    }

    fn matches(&self, pet: &Pet) -> bool {
        let text = |name: &str| pet.get(name).and_then(Value::as_str).unwrap_or_default();
        let price = pet.get("price").and_then(Value::as_f64).unwrap_or_default();
        let tags = pet.get("tags").and_then(Value::as_array);
        let tagged =
            || tags.is_some_and(|tags| tags.iter().any(|tag| self.tags.iter().any(|t| tag == t)));
        (self.status.is_empty() || self.status.iter().any(|state| state == text("status")))
            && (self.tags.is_empty() || tagged())
            && self
                .born_after
                .as_deref()
                .is_none_or(|day| text("born") > day)
            && self
                .name
                .as_deref()
                .is_none_or(|part| text("name").to_lowercase().contains(part))
            && self
                .species
                .as_deref()
                .is_none_or(|species| species == text("species"))
            && self.min_price.is_none_or(|least| price >= least)
            && self.max_price.is_none_or(|most| price <= most)
    }
}

/// One page of the pets that match: `{items, total, nextCursor}`.
pub(super) fn page(pets: &BTreeMap<u64, Pet>, query: &PetQuery) -> Value {
    let mut matching: Vec<(u64, &Pet)> = pets
        .iter()
        .filter(|(_, pet)| query.matches(pet))
        .map(|(&id, pet)| (id, pet))
        .collect();
    let total = matching.len();
    for key in query.sort.iter().rev() {
        sort(&mut matching, key);
    }
    matching.retain(|(id, _)| *id > query.after || !query.sort.is_empty());
    let more = matching.len() > query.limit;
    matching.truncate(query.limit);
    let next = matching
        .last()
        .filter(|_| more)
        .map(|(id, _)| id.to_string());
    let items: Vec<&Pet> = matching.into_iter().map(|(_, pet)| pet).collect();
    json!({"items": items, "total": total, "nextCursor": next})
}

fn sort(pets: &mut [(u64, &Pet)], key: &str) {
    let (name, reverse) = match key.strip_prefix('-') {
        Some(name) => (name, true),
        None => (key, false),
    };
    pets.sort_by(|(_, one), (_, other)| {
        let (one, other) = (one.get(name), other.get(name));
        let order = match (one.and_then(Value::as_f64), other.and_then(Value::as_f64)) {
            (Some(one), Some(other)) => one.total_cmp(&other),
            _ => one
                .and_then(Value::as_str)
                .cmp(&other.and_then(Value::as_str)),
        };
        if reverse { order.reverse() } else { order }
    });
}

fn split(text: &str, at: char) -> Vec<String> {
    text.split(at)
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::store::Store;
    use super::*;

    fn names(query: &PetQuery) -> Vec<String> {
        let page = page(&Store::stocked().pets, query);
        let items = page["items"].as_array().unwrap();
        items
            .iter()
            .map(|pet| pet["name"].as_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn filters_and_orders() {
        assert_eq!(
            names(&PetQuery::list("status=pending&status=sold")),
            ["Kiki", "Bello"]
        );
        assert_eq!(
            names(&PetQuery::list("tags=calm%2Cloud&limit=2")),
            ["Rex", "Kiki"]
        );
        assert_eq!(
            names(&PetQuery::list("limit=2&cursor=2")),
            ["Kiki", "Bello"]
        );
        let search = PetQuery::search("filter%5Bspecies%5D=dog&sort=price");
        assert_eq!(names(&search), ["Bello", "Rex"]);
        assert_eq!(
            names(&PetQuery::search("filter[maxPrice]=50&sort=-price")),
            ["Kiki", "Nemo"]
        );
    }
}
