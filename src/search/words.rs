//! Texts into the words that are compared.

/// Longer words are no words.
const MAX_WORD: usize = 64;
/// Words of a query beyond these are not looked at.
const MAX_QUERY: usize = 64;

/// Words that say nothing of what is looked for.
const EMPTY: [&str; 49] = [
    "a", "about", "all", "am", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do",
    "does", "each", "for", "from", "how", "i", "in", "into", "is", "it", "its", "me", "my", "of",
    "on", "one", "or", "our", "please", "some", "someone", "that", "the", "their", "this", "to",
    "want", "was", "what", "which", "who", "will", "with", "you", "your",
];
/// Words that mean the same where something is done with something.
const ALIKE: [&[&str]; 6] = [
    &["create", "add", "new", "make", "post", "insert"],
    &["delete", "remove", "destroy", "drop"],
    &[
        "update", "edit", "change", "modify", "set", "patch", "replace",
    ],
    &[
        "list", "get", "show", "find", "fetch", "read", "retrieve", "view",
    ],
    &["search", "find", "query", "lookup"],
    &["run", "trigger", "start", "execute", "dispatch"],
];

/// Other words for a word.
pub(super) fn alike(word: &str) -> impl Iterator<Item = &'static str> {
    let groups = ALIKE.iter().filter(move |group| group.contains(&word));
    groups.flat_map(|group| group.iter().copied())
}

/// The words that a text consists of, apart from those that say nothing, each once.
pub(super) fn plain(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for run in text.split(|c: char| !c.is_alphanumeric()) {
        if run.is_empty() || run.len() > MAX_WORD {
            continue;
        }
        for part in parts(run) {
            let word = stem(&part.to_lowercase());
            if !EMPTY.contains(&word.as_str()) && !found.contains(&word) {
                found.push(word);
            }
        }
        if found.len() >= MAX_QUERY {
            break;
        }
    }
    found
}

/// The words of a text: split at everything that is no letter or digit and where case changes, in
/// lower case, without a plural's `s`. A word that was split is there as a whole as well.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for run in text.split(|c: char| !c.is_alphanumeric()) {
        if run.is_empty() || run.len() > MAX_WORD {
            continue;
        }
        let parts = parts(run);
        if parts.len() > 1 {
            found.push(stem(&run.to_lowercase()));
        }
        found.extend(parts.iter().map(|part| stem(&part.to_lowercase())));
    }
    found
}

/// The same, bounded, without the words that say nothing, unless there are no others.
pub(super) fn words_of_query(text: &str) -> Vec<String> {
    let mut found = words(text);
    found.truncate(MAX_QUERY);
    let mut said = found.clone();
    said.retain(|word| !EMPTY.contains(&word.as_str()));
    if said.is_empty() { found } else { said }
}

/// `getHTTPPet2` into `get`, `HTTP`, `Pet2`.
fn parts(run: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = run.char_indices().collect();
    let (mut parts, mut start) = (Vec::new(), 0);
    for window in 1..chars.len() {
        let (at, c) = chars[window];
        let before = chars[window - 1].1;
        let next_is_lower = chars.get(window + 1).is_some_and(|(_, c)| c.is_lowercase());
        let begins = c.is_uppercase() && (!before.is_uppercase() || next_is_lower);
        if begins {
            parts.push(&run[start..at]);
            start = at;
        }
    }
    parts.push(&run[start..]);
    parts
}

/// `pets` and `pet` are one word, `companies` and `company` too.
fn stem(word: &str) -> String {
    if let Some(short) = word.strip_suffix("ies").filter(|short| short.len() > 1) {
        return format!("{short}y");
    }
    let hissing = ["ches", "shes", "sses", "xes"];
    if hissing.iter().any(|end| word.ends_with(end)) {
        return word[..word.len() - 2].to_owned();
    }
    match word.strip_suffix('s') {
        Some(short) if short.len() > 2 && !short.ends_with(['s', 'u', 'i']) => short.to_owned(),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fall_into_words() {
        for (text, expected) in [
            (
                "getPetById",
                &["getpetbyid", "get", "pet", "by", "id"] as &[&str],
            ),
            ("list_all-pets", &["list", "all", "pet"]),
            ("/users/{userId}", &["user", "userid", "user", "id"]),
            ("HTTPServer", &["httpserver", "http", "server"]),
            ("companies, status!", &["company", "status"]),
            ("branches boxes houses", &["branch", "box", "house"]),
            ("Größe ändern", &["größe", "ändern"]),
            ("v2 OAuth2", &["v2", "oauth2", "o", "auth2"]),
            ("", &[]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn words_that_say_nothing_count_where_there_are_no_others() {
        assert_eq!(words_of_query("show me all of the pets"), ["show", "pet"]);
        assert_eq!(words_of_query("who am I"), ["who", "am", "i"]);
        assert_eq!(plain("Get the petById pets"), ["get", "pet", "id"]);
    }

    #[test]
    fn endless_words_and_queries_end() {
        assert!(words(&"x".repeat(1000)).is_empty());
        assert_eq!(words_of_query(&"a ".repeat(1000)).len(), MAX_QUERY);
    }
}
