//! What a text that matched a pattern becomes: which part of it is the secret, and whether it is one after all.

use regex::Captures;

use crate::secret::MASK;

/// Nothing of it is shown.
pub(super) fn whole(_: &Captures<'_>) -> Option<String> {
    Some(MASK.to_owned())
}

/// The second of three groups is the secret. What is masked already stays as it is.
pub(super) fn middle(captures: &Captures<'_>) -> Option<String> {
    if group(captures, 2).contains(MASK) {
        return None;
    }
    Some(format!(
        "{}{MASK}{}",
        group(captures, 1),
        group(captures, 3)
    ))
}

/// A header with or without its scheme; a word after it is prose.
pub(super) fn authorization(captures: &Captures<'_>) -> Option<String> {
    let (head, scheme, value) = (group(captures, 1), group(captures, 2), group(captures, 3));
    if scheme.is_empty() && (is_word(value) || is_scheme(value)) {
        return None;
    }
    Some(format!("{head}{scheme}{MASK}"))
}

fn is_scheme(text: &str) -> bool {
    ["bearer", "basic", "digest", "negotiate"]
        .iter()
        .any(|scheme| text.eq_ignore_ascii_case(scheme))
}

/// `Bearer` before a word is prose ("basic authentication"); before anything else a credential.
pub(super) fn shown_scheme(captures: &Captures<'_>) -> Option<String> {
    let value = group(captures, 2);
    if is_word(value.trim_end_matches(['.', '=', '-'])) || value.contains("://") {
        return None;
    }
    Some(format!("{}{MASK}", group(captures, 1)))
}

/// Every value of a request's cookies; of one that is set, the first, for attributes follow.
pub(super) fn cookie(captures: &Captures<'_>) -> Option<String> {
    let (first, more) = (group(captures, 3), group(captures, 4));
    let name = |pair: &str| pair.split('=').next().unwrap_or_default().to_owned();
    let mut out = format!("{}{}={MASK}", group(captures, 1), name(first));
    if group(captures, 2).is_empty() {
        for pair in more.split(';').skip(1) {
            out.push_str(&format!(";{}={MASK}", name(pair)));
        }
    } else {
        out.push_str(more);
    }
    Some(out)
}

/// A user without a password is a token, if it does not look like a name.
pub(super) fn lone_token(captures: &Captures<'_>) -> Option<String> {
    let user = group(captures, 2);
    let keyish = user.len() >= 20 || user.bytes().any(|byte| byte.is_ascii_digit());
    keyish.then(|| middle(captures)).flatten()
}

/// A word of prose: letters of one case, the first aside.
fn is_word(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(char::is_alphabetic)
        && letters.all(|letter| letter.is_lowercase() || letter == '-')
}

/// The key stays, quotes and blanks around the separator go; quoted keys (JSON) keep all of it.
pub(super) fn named(captures: &Captures<'_>) -> Option<String> {
    let before = group(captures, 1);
    let (password, weak) = (group(captures, 2), group(captures, 4));
    let name = [password, group(captures, 3), weak].concat();
    let (after_name, separator, space) =
        (group(captures, 5), group(captures, 6), group(captures, 7));
    let one_of = |indices: [usize; 3]| indices.map(|index| group(captures, index)).concat();
    let (open, close) = (one_of([8, 11, 14]), one_of([10, 13, 16]));
    let value = one_of([9, 12, 15]) + group(captures, 17);
    let plain = value.trim_end_matches([',', '.', ')', '!', '?', ']', '}']);
    if says_nothing(plain) || value.trim_end_matches([',', '.', ')']) == MASK {
        return None;
    }
    let json = after_name.contains(['"', '\'']);
    let long = value.len() >= 6;
    let secret = if !weak.is_empty() {
        let keyish = |b: u8| b.is_ascii_alphanumeric() || b"+/=_-".contains(&b);
        value.len() >= 32 && value.bytes().all(keyish)
    } else if separator == "=" || json && !open.is_empty() {
        long || !password.is_empty()
    } else {
        // After a colon words are prose, but hardly after a password.
        let told = is_word(plain) && (!is_password(password) || is_told_of_passwords(plain));
        long && (!open.is_empty() || !told)
    };
    if !secret {
        return None;
    }
    if json {
        return Some(format!(
            "{before}{name}{after_name}{separator}{space}{open}{MASK}{close}"
        ));
    }
    let equals = group(captures, 0).contains('=');
    let separator = if equals { "=" } else { ":" };
    Some(format!("{before}{name}{separator}{MASK}"))
}

/// Not `Pass: everything fine`.
fn is_password(name: &str) -> bool {
    !name.is_empty() && !name.eq_ignore_ascii_case("pass")
}

/// What messages say of passwords.
fn is_told_of_passwords(word: &str) -> bool {
    [
        "cannot",
        "changed",
        "empty",
        "expired",
        "incorrect",
        "longer",
        "mismatch",
        "optional",
        "shorter",
        "should",
        "updated",
        "wrong",
    ]
    .contains(&word)
}

/// Values that are no secrets: place holders and answers to "is there one".
fn says_nothing(value: &str) -> bool {
    [
        "null",
        "true",
        "false",
        "none",
        "undefined",
        "string",
        "required",
        "missing",
        "invalid",
    ]
    .iter()
    .any(|word| value.eq_ignore_ascii_case(word))
        || ["***", "{", "<", "${", "$("]
            .iter()
            .any(|start| value.starts_with(start))
}

fn group<'t>(captures: &Captures<'t>, index: usize) -> &'t str {
    captures.get(index).map_or("", |found| found.as_str())
}
