//! Texts into the words that are compared.

/// Longer words are no words.
const MAX_WORD: usize = 64;
/// Words of a query beyond these are not looked at.
const MAX_QUERY: usize = 64;

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

/// The same, bounded.
pub(super) fn words_of_query(text: &str) -> Vec<String> {
    let mut found = words(text);
    found.truncate(MAX_QUERY);
    found
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
            ("Größe ändern", &["größe", "ändern"]),
            ("v2 OAuth2", &["v2", "oauth2", "o", "auth2"]),
            ("", &[]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn endless_words_and_queries_end() {
        assert!(words(&"x".repeat(1000)).is_empty());
        assert_eq!(words_of_query(&"a ".repeat(1000)).len(), MAX_QUERY);
    }
}
