//! Tool names: from operationId or from method and path, unique, the same on every replica. And
//! the names of definitions.

use std::collections::HashSet;

use data_encoding::HEXLOWER;
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256};

use crate::pointer;
use crate::tool::ToolName;

/// The longest name under `$defs`, in characters.
const MAX_DEFINITION: usize = 48;

/// What a tool can be named after.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// An override's name, else the operationId.
    pub(super) preferred: Option<String>,
    /// The request method.
    pub(super) method: String,
    /// The path template.
    pub(super) path: String,
    /// The document's prefix.
    pub(super) prefix: Option<String>,
}

/// Gives each candidate its name, in their order, and notes on those that lost theirs. `limit` is
/// the longest name in characters.
///
/// Every name somebody has a first claim on is given before a second choice is looked for, so that
/// a duplicate never takes the name of an operation further down.
pub(super) fn assign<'a>(
    candidates: impl IntoIterator<Item = &'a Candidate> + Clone,
    limit: usize,
) -> (Vec<ToolName>, Vec<String>) {
    let limit = within(limit);
    let mut taken = HashSet::new();
    let first: Vec<Option<String>> = candidates
        .clone()
        .into_iter()
        .map(|candidate| {
            let name = candidate.first_choice(limit);
            taken.insert(name.to_ascii_lowercase()).then_some(name)
        })
        .collect();
    let mut notes = Vec::new();
    let names = candidates
        .into_iter()
        .zip(first)
        .map(|(candidate, name)| {
            let name = name.unwrap_or_else(|| {
                let name = candidate.second_choice(limit, &mut taken);
                notes.push(format!(
                    "the name `{}` of {} {} is taken: the tool is named `{name}`",
                    candidate.first_choice(limit),
                    candidate.method,
                    candidate.path,
                ));
                name
            });
            ToolName::new(&name).expect("safe() leaves 1 to 128 characters of the alphabet")
        })
        .collect();
    (names, notes)
}

fn within(limit: usize) -> usize {
    limit.clamp(16, ToolName::MAX_LENGTH)
}

impl Candidate {
    /// The name it has where nothing else has a claim on it.
    pub(super) fn wish(&self, limit: usize) -> String {
        self.first_choice(within(limit))
    }

    fn first_choice(&self, limit: usize) -> String {
        let safe = self.preferred.as_deref().map(safe);
        match safe {
            // An id of nothing but replaced characters says nothing.
            Some(name) if name.contains(|c: char| c.is_ascii_alphanumeric()) => {
                shorten(&self.prefixed(&name), limit)
            }
            _ => shorten(&self.prefixed(&from_path(&self.method, &self.path)), limit),
        }
    }

    fn second_choice(&self, limit: usize, taken: &mut HashSet<String>) -> String {
        let plain = shorten(&self.prefixed(&from_path(&self.method, &self.path)), limit);
        if taken.insert(plain.to_ascii_lowercase()) {
            return plain;
        }
        let base = self.first_choice(limit);
        let mut round = 0_u32;
        loop {
            let seed = format!("{} {} {round}", self.method, self.path);
            let name = cut(&base, limit, &hash(&seed));
            if taken.insert(name.to_ascii_lowercase()) {
                return name;
            }
            round += 1;
        }
    }

    fn prefixed(&self, name: &str) -> String {
        match self.prefix.as_deref().map(safe) {
            Some(prefix) if !prefix.is_empty() => format!("{prefix}_{name}"),
            _ => name.to_owned(),
        }
    }
}

fn safe(name: &str) -> String {
    name.chars()
        .map(|c| match u8::try_from(c) {
            Ok(byte) if ToolName::allows(byte) => c,
            _ => '_',
        })
        .collect()
}

/// `GET /users/{userId}/todos` becomes `get_users_by_userId_todos`.
fn from_path(method: &str, path: &str) -> String {
    let mut name = safe(&method.to_ascii_lowercase());
    let mut any = false;
    for (word, parameter) in super::path::words(path) {
        let word = safe(&word);
        let word = word.trim_matches('_');
        if word.is_empty() && !parameter {
            continue;
        }
        name.push_str(if parameter { "_by_" } else { "_" });
        name.push_str(if word.is_empty() { "value" } else { word });
        any = true;
    }
    if !any {
        name.push_str("_root");
    }
    name
}

/// Cuts a longer name; the hash keeps names apart that begin alike.
pub(super) fn shorten(name: &str, limit: usize) -> String {
    if name.len() <= limit {
        name.to_owned()
    } else {
        cut(name, limit, &hash(name))
    }
}

/// The beginning of `name`, all of it ASCII, and the hash: `limit` characters at most.
pub(super) fn cut(name: &str, limit: usize, hash: &str) -> String {
    let keep = name.len().min(limit.saturating_sub(hash.len() + 1));
    format!("{}_{hash}", &name[..keep])
}

/// Six hex digits of the text's SHA-256.
pub(super) fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    HEXLOWER.encode(&digest[..3])
}

/// The reference's last segment, made safe; with the one before it where it says nothing alone.
pub(super) fn name_of(reference: &str) -> String {
    let segments: Vec<String> = reference
        .rsplit('/')
        .take(2)
        .map(|segment| {
            let decoded = percent_decode_str(segment).decode_utf8_lossy();
            safe_segment(&pointer::unescape(&decoded))
        })
        .collect();
    let last = segments.first().map_or("", String::as_str);
    let vague = last.is_empty()
        || last.bytes().all(|byte| byte.is_ascii_digit())
        || ["schema", "items", "additionalProperties"].contains(&last);
    let name = match segments.get(1) {
        Some(parent) if vague && !parent.is_empty() => format!("{parent}_{last}"),
        _ if last.is_empty() => "Schema".to_owned(),
        _ => last.to_owned(),
    };
    if name.len() > MAX_DEFINITION {
        format!("{}_{}", &name[..MAX_DEFINITION - 7], hash(reference))
    } else {
        name
    }
}

fn safe_segment(segment: &str) -> String {
    let mut name = String::with_capacity(segment.len());
    for c in segment.chars() {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            name.push(c);
        } else if !name.ends_with('_') {
            name.push('_');
        }
    }
    name.trim_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(id: Option<&str>, method: &str, path: &str) -> Candidate {
        Candidate {
            preferred: id.map(str::to_owned),
            method: method.to_owned(),
            path: path.to_owned(),
            prefix: None,
        }
    }

    fn name(candidate: Candidate, limit: usize) -> String {
        assign(&[candidate], limit).0[0].to_string()
    }

    #[test]
    fn names_from_ids_and_paths() {
        for (id, method, path, expected) in [
            (Some("getPet"), "GET", "/", "getPet"),
            (Some("repos/get-content"), "GET", "/", "repos_get-content"),
            (Some("Pets.list all"), "GET", "/", "Pets_list_all"),
            (Some("größe"), "GET", "/", "gr__e"),
            (Some("日本"), "GET", "/jp", "get_jp"),
            (
                None,
                "GET",
                "/users/{userId}/todos",
                "get_users_by_userId_todos",
            ),
            (None, "GET", "/", "get_root"),
            (None, "DELETE", "/items/{id:int?}", "delete_items_by_id"),
            (None, "GET", "/files/{*slug}", "get_files_by_slug"),
            (None, "GET", "/pages/{page=1}", "get_pages_by_page"),
            (None, "POST", "/v1/{name}:cancel", "post_v1_by_name_cancel"),
            (None, "GET", "/a.b/c-d/", "get_a_b_c-d"),
            (None, "GET", "/api/v{version}/x", "get_api_v_by_version_x"),
        ] {
            assert_eq!(
                name(candidate(id, method, path), 64),
                expected,
                "{id:?} {path}"
            );
        }
    }

    #[test]
    fn long_names_end_in_a_hash_of_the_whole() {
        let long = "a".repeat(70);
        let short = name(candidate(Some(&long), "GET", "/"), 64);
        assert_eq!(short, format!("{}_{}", "a".repeat(57), hash(&long)));
        assert_eq!(short.len(), 64);
        let other = name(candidate(Some(&format!("{long}b")), "GET", "/"), 64);
        assert_ne!(short, other);
        assert_eq!(name(candidate(Some(&long), "GET", "/"), 128), long);
        assert_eq!(
            name(candidate(Some(&"a".repeat(300)), "GET", "/"), 999).len(),
            128
        );
    }

    #[test]
    fn duplicates_are_told_apart_also_without_case() {
        let (names, notes) = assign(
            &[
                candidate(Some("GetUser"), "GET", "/users/{id}"),
                candidate(Some("GetUser"), "GET", "/users/by-name/{name}"),
                candidate(Some("getuser"), "GET", "/user"),
                candidate(Some("get_user"), "GET", "/me"),
                candidate(None, "GET", "/a/b"),
                candidate(None, "GET", "/a_b"),
            ],
            64,
        );
        let names: Vec<&str> = names.iter().map(ToolName::as_str).collect();
        assert_eq!(names[0], "GetUser");
        assert_eq!(names[1], "get_users_by-name_by_name");
        // `get_user` belongs to the operation below.
        assert!(names[2].starts_with("getuser_"), "{names:?}");
        assert_eq!(names[3], "get_user");
        assert_eq!(names[4], "get_a_b");
        assert!(names[5].starts_with("get_a_b_"), "{names:?}");
        assert_eq!(notes.len(), 3, "{notes:?}");
    }

    #[test]
    fn definitions_are_named_after_their_references() {
        let long = format!("#/components/schemas/{}", "x".repeat(60));
        for (reference, expected) in [
            ("#/components/schemas/Pet", "Pet".to_owned()),
            ("#/components/schemas/a~1b%20c", "a_b_c".to_owned()),
            (
                "#/components/schemas/List`1[[My.Pet]]",
                "List_1_My.Pet".to_owned(),
            ),
            ("#/components/schemas/Pet/oneOf/0", "oneOf_0".to_owned()),
            ("#/components/schemas/Pet/items", "Pet_items".to_owned()),
            ("#", "Schema".to_owned()),
            (&long, format!("{}_{}", "x".repeat(41), hash(&long))),
        ] {
            assert_eq!(name_of(reference), expected, "{reference}");
        }
    }

    #[test]
    fn prefixes_stand_before() {
        let mut pet = candidate(Some("getPet"), "GET", "/");
        pet.prefix = Some("shop 1".to_owned());
        assert_eq!(name(pet, 64), "shop_1_getPet");
    }
}
