//! The keys of a tool's arguments: safe for every client, unique, the wire name kept elsewhere.

use std::collections::{HashMap, HashSet};

use super::naming::{cut, hash, shorten};

/// The longest key that clients accept, in characters.
const MAX_LENGTH: usize = 64;

/// What wants a key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish<'a> {
    /// The name on the wire.
    pub(super) name: &'a str,
    /// Added where the name is taken.
    pub(super) location: &'a str,
    /// Who goes first among equal names; lower is earlier.
    pub(super) rank: u8,
}

/// A key for each wish, in the wishes' order.
///
/// Clients refuse a whole session for one key outside `^[A-Za-z0-9_.-]{1,64}$`. Names that fit as
/// they are come first, so that a renamed one never takes the key of another's true name.
pub(super) fn assign(wishes: &[Wish<'_>]) -> Vec<String> {
    let mut keys = vec![String::new(); wishes.len()];
    let mut taken = Taken::default();
    let mut order: Vec<usize> = (0..wishes.len()).collect();
    order.sort_by_key(|&index| wishes[index].rank);
    let mut later = Vec::new();
    for index in order {
        let name = wishes[index].name;
        if fits(name) && taken.insert(name) {
            name.clone_into(&mut keys[index]);
        } else {
            later.push(index);
        }
    }
    let mut wanted: HashMap<&str, usize> = HashMap::new();
    for wish in wishes {
        *wanted.entry(wish.name).or_default() += 1;
    }
    for index in later {
        let elsewhere = wanted[wishes[index].name] > 1;
        keys[index] = another(&wishes[index], elsewhere, &mut taken);
    }
    keys
}

/// The keys that are given away.
#[derive(Default)]
struct Taken {
    keys: HashSet<String>,
    /// The next number for a key that several want: looking for a free one from the start each time would
    /// take many such names for ever.
    next: HashMap<String, u32>,
}

impl Taken {
    /// Whether the key was free.
    fn insert(&mut self, key: &str) -> bool {
        !self.keys.contains(key) && self.keys.insert(key.to_owned())
    }

    /// The key with the first number that is free.
    fn numbered(&mut self, key: String) -> String {
        let mut number = self.next.get(&key).copied().unwrap_or(2);
        let numbered = loop {
            let numbered = shorten(&format!("{key}_{number}"), MAX_LENGTH);
            number += 1;
            if self.insert(&numbered) {
                break numbered;
            }
        };
        self.next.insert(key, number);
        numbered
    }
}

/// Whether `name` is a key as it stands.
pub(super) fn fits(name: &str) -> bool {
    (1..=MAX_LENGTH).contains(&name.len()) && name.bytes().all(allows)
}

/// `elsewhere`: the same name stands in another place too, so the place tells them apart.
fn another(wish: &Wish<'_>, elsewhere: bool, taken: &mut Taken) -> String {
    let safe = safe(wish.name);
    if taken.insert(&safe) {
        return safe;
    }
    // A body argument of its own name would be `body_body`.
    let placed = match (wish.name, wish.location) {
        ("body", "body") => "request_body".to_owned(),
        (_, location) if elsewhere => shorten(&format!("{safe}_{location}"), MAX_LENGTH),
        _ => safe,
    };
    if taken.insert(&placed) {
        return placed;
    }
    taken.numbered(placed)
}

fn allows(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)
}

/// Each run of other characters becomes one underscore, none at the ends.
fn safe(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    let mut gap = false;
    for c in name.chars() {
        match u8::try_from(c) {
            Ok(byte) if allows(byte) => {
                if gap && !key.is_empty() {
                    key.push('_');
                }
                gap = false;
                key.push(c);
            }
            _ => gap = true,
        }
    }
    if key.is_empty() {
        key.push_str("value");
    }
    if key.len() > MAX_LENGTH {
        // The hash of the whole name keeps names apart that become alike.
        cut(&key, MAX_LENGTH, &hash(name))
    } else {
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(names: &[(&str, &str, u8)]) -> Vec<String> {
        let wishes: Vec<Wish<'_>> = names
            .iter()
            .map(|&(name, location, rank)| Wish {
                name,
                location,
                rank,
            })
            .collect();
        assign(&wishes)
    }

    #[test]
    fn names_become_safe() {
        let long = "x".repeat(80);
        for (name, expected) in [
            ("id", "id".to_owned()),
            ("projects.any", "projects.any".to_owned()),
            ("X-Request-ID", "X-Request-ID".to_owned()),
            ("filter[id]", "filter_id".to_owned()),
            ("exists[parent][x]", "exists_parent_x".to_owned()),
            ("$top", "top".to_owned()),
            ("@type", "type".to_owned()),
            ("Account Number", "Account_Number".to_owned()),
            ("größe", "gr_e".to_owned()),
            ("a/b", "a_b".to_owned()),
            ("StartTime<", "StartTime".to_owned()),
            ("日本", "value".to_owned()),
            ("", "value".to_owned()),
            (&long, format!("{}_{}", "x".repeat(57), hash(&long))),
        ] {
            let key = &keys(&[(name, "query", 1)])[0];
            assert_eq!(key, &expected, "{name}");
            assert!(fits(key));
        }
    }

    #[test]
    fn a_vector_of_awkward_names_stays_unique() {
        let long = "x".repeat(80);
        let names = [
            "filter[id]",
            "filter.id",
            "$top",
            "@type",
            "Account Number",
            &long,
            "größe",
            "a/b",
            "a_b",
            "filter_id",
            "top",
        ];
        let wishes: Vec<(&str, &str, u8)> = names.iter().map(|name| (*name, "query", 1)).collect();
        let keys = keys(&wishes);
        let unique: HashSet<&String> = keys.iter().collect();
        assert_eq!(unique.len(), names.len(), "{keys:?}");
        assert!(keys.iter().all(|key| fits(key)), "{keys:?}");
        // True names keep their keys.
        assert_eq!(&keys[8..], ["a_b", "filter_id", "top"]);
        assert_eq!(keys[0], "filter_id_2");
    }

    #[test]
    fn names_that_become_alike_are_numbered() {
        assert_eq!(
            keys(&[
                ("Time>", "query", 1),
                ("Time", "query", 1),
                ("Time<", "query", 1)
            ]),
            ["Time_2", "Time", "Time_3"]
        );
    }

    #[test]
    fn one_name_in_several_places() {
        assert_eq!(
            keys(&[
                ("id", "cookie", 4),
                ("id", "header", 3),
                ("id", "query", 1),
                ("id", "path", 0),
                ("id_query", "query", 1),
                ("body", "query", 1),
                ("body", "body", 5),
            ]),
            [
                "id_cookie",
                "id_header",
                "id_query_2",
                "id",
                "id_query",
                "body",
                "request_body"
            ]
        );
    }
}
