//! What secrets look like in texts nobody has described: names before values, schemes in front of
//! tokens, shapes that only keys have.
//!
//! All of it runs in linear time whatever the input (no backtracking), and a pattern looks only at texts that
//! have one of its words.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::key_blocks;
use super::words::{Finder, Found, Waiting};
use crate::secret::MASK;

/// Words that no rule waits for, but that names of secrets are made of.
const IN_NAMES: [&str; 2] = ["jwt", "connectionstring"];

/// Finds the words of all rules; who waits are bits of [`RULES`].
static FINDER: LazyLock<Finder> = LazyLock::new(|| {
    let mut words: Vec<(&str, Waiting)> = Vec::new();
    let mut add = |word: &'static str, rules: Waiting| {
        let at = words.iter().position(|(known, _)| *known == word);
        let at = at.unwrap_or_else(|| {
            words.push((word, Waiting::default()));
            words.len() - 1
        });
        words[at].1.always |= rules.always;
        words[at].1.with_at |= rules.with_at;
    };
    for (at, rule) in RULES.iter().enumerate() {
        let bit = 1 << at;
        let (always, with_at) = if rule.with_at { (0, bit) } else { (bit, 0) };
        for word in rule.words {
            add(word, Waiting { always, with_at });
        }
    }
    for word in IN_NAMES {
        add(word, Waiting::default());
    }
    Finder::new(&words)
});

/// A pattern and what becomes of a match; `None` leaves it alone.
struct Rule {
    /// Without one of these there is no match.
    words: &'static [&'static str],
    /// Without an `@` there is none either.
    with_at: bool,
    pattern: Regex,
    replace: fn(&Captures<'_>) -> Option<String>,
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let rule = |words, pattern: &str, replace| Rule {
        words,
        with_at: false,
        pattern: Regex::new(pattern).expect("the patterns below are tested"),
        replace,
    };
    let login = |pattern: &str| Rule {
        with_at: true,
        ..rule(&["://"], pattern, middle)
    };
    vec![
        rule(
            &["private key"],
            r"(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*",
            |captures| Some(key_blocks::masked(group(captures, 0))),
        ),
        login(r#"(mongodb(?:\+srv)?://[^:@\s"'/]*:)([^@\s"']+)(@)"#),
        // A slash or a port before the at sign belongs to a path, not to a password.
        login(r#"(?i)([a-z][a-z0-9+.-]{1,30}://[^:@\s"'/?#]*:)([^@\s"'/]+)(@)"#),
        // One with a slash, where what stands before it is no port.
        login(
            r#"(?i)([a-z][a-z0-9+.-]{1,30}://[^:@\s"'/?#\[]*:)([^@\s"'/]*[^@\s"'/0-9][^@\s"'/]*/[^@\s"']*)(@)"#,
        ),
        Rule {
            replace: lone_token,
            ..login(r#"(?i)(\bhttps?://)([^:@\s"'/?#]{8,})(@)"#)
        },
        rule(
            &["authorization"],
            r#"(?i)((?:proxy-)?authorization\\*["']?\s*[:=]\s*\\*["']?)((?:bearer|basic|digest|negotiate|apikey|token)\s+)?([^\s"'\\,;]+)"#,
            authorization,
        ),
        rule(
            &["bearer", "basic"],
            r"(?i)(\b(?:bearer|basic)\s+)([a-z0-9._~+/=-]{8,})",
            shown_scheme,
        ),
        // Of a digest (RFC 7616, section 3.4), what proves the password.
        rule(
            &["response="],
            r#"(?i)(\bresponse=\\*")([0-9a-f]{32,128})(\\*")"#,
            middle,
        ),
        rule(
            &["cookie"],
            r#"(?i)\b((?:(set-)?cookie)\\*["']?\s*:\s*\\*["']?)([^\s"'\\=;]+=[^\s"'\\;]+)((?:;[ \t]*[^\s"'\\=;]+=[^\s"'\\;]*)*)"#,
            cookie,
        ),
        rule(&["key"], XML_SETTING, middle),
        rule(
            &["pass", "pwd", "key", "token", "secret"],
            XML_ELEMENT,
            middle,
        ),
        rule(
            &["eyj"],
            r"\beyJ[A-Za-z0-9_-]{4,}\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*",
            whole,
        ),
        rule(
            &["signature"],
            r#"(?i)(\bSharedAccessSignature\s*=\s*)([^\s"';]{8,})()"#,
            middle,
        ),
        rule(&["sig="], r#"(?i)([?&]sig=)([^\s"'&;]{8,})()"#, middle),
        rule(&["login?t="], r"(?i)(login\?t=)([0-9a-z._-]{8,})()", middle),
        rule(
            &["--"],
            r#"(?i)(--(?:password|pwd|passwd|api-?key|token|secret|client-?secret|access-?key)[ \t=])("[^"]+"|'[^']+'|[^\s"']+)()"#,
            middle,
        ),
        rule(
            &["pass", "pwd", "key", "token", "secret", "credential"],
            NAMED,
            named,
        ),
        rule(
            &["user-secrets"],
            // Neither an option, `--project`, nor what stands on the next line is a key or its value.
            r#"(?i)(\buser-secrets[ \t]+set[ \t]+(?:"[^"]*"|-?[^\s-]\S*)[ \t]+)("[^"]+"|'[^']+'|-?[^\s"'-][^\s"']*)()"#,
            middle,
        ),
        rule(&SHAPES, BARE, whole),
    ]
});

/// How what [`BARE`] finds begins.
const SHAPES: [&str; 18] = [
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xox",
    "sk-",
    "sk_live_",
    "whsec_",
    "akia",
    "asia",
    "aiza",
    "npm_",
    "oy2",
    "hf_",
    "sg.",
];

/// A name that says "secret", a separator, and the value. A name may have anything before an
/// underscore, a dash or a dot, but no letter or digit right before it: `PublicKeyToken` is no token.
const NAMED: &str = concat!(
    r"(?i)(^|[^a-z0-9])",
    // In capitals after anything that is: `PGPASSWORD`, but not `OLDPWD`.
    r"(?:((?-i:[A-Z][A-Z0-9]{0,30}PASS(?:WORD|WD|PHRASE))|pass(?:word|wd|phrase)|pwd|pass)",
    r"|((?:secret[_-]?)?access[_-]?key(?:[_-]?id)?|(?:account|shared[_-]?access|private|encryption|signing|storage)[_-]?key",
    r"|api[_-]?key|(?:access|auth|bearer|refresh|id|session|security)[_-]?token|client[_-]?secret|api[_-]?secret|secret[_-]?key",
    r"|tokens?|secrets?|credentials?)",
    r"|(key))",
    r#"(\\*["']?\s*)([:=])(\s*)"#,
    r#"(?:(")((?:[^"\\]|\\.)+)("?)|(\\+")([^"\\]+)((?:\\+")?)|(\\*')([^'\\]+)((?:\\*')?)|([^\s"'\\;&]+))"#,
);

/// `<add key="ApiKey" value="..."/>`, as applications of .NET keep their settings.
const XML_SETTING: &str = concat!(
    r#"(?i)(<add\s+key\s*=\s*\\*["'][^"'<>]{0,100}"#,
    r"(?:pass(?:word|wd|phrase)|pwd|api[_-]?key|access[_-]?key|account[_-]?key|secret|token|credential)",
    r#"[^"'<>]{0,100}["']\s+value\s*=\s*\\*["'])([^"'<>\\]+)(\\*["'])"#,
);

/// `<Password>...</Password>`, whatever its prefix.
const XML_ELEMENT: &str = concat!(
    r"(?i)(<(?:[a-z0-9_.:-]{0,40}(?:pass(?:word|wd|phrase)|pwd|api[_-]?key|access[_-]?key|secret)",
    r"|(?:[a-z0-9]{1,20}:)?(?:access|auth|bearer|refresh|session|security)?[_-]?token)\s*>)([^<>]+)(</)",
);

/// Shapes that only keys have.
const BARE: &str = concat!(
    r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}",
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}|sk-[A-Za-z0-9_-]{16,}|sk_live_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{16,}",
    r"|(?:AKIA|ASIA)[0-9A-Z]{16}\b|AIza[A-Za-z0-9_-]{30,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{30,}",
    r"|oy2[a-z0-9]{40,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})",
);

/// Whether any pattern could match, or a name in the text be that of a secret.
pub(super) fn has_trigger(text: &str) -> bool {
    FINDER.look(text) != Found::default()
}

/// The text with everything that looks like a secret masked; borrowed where nothing does.
#[must_use]
pub fn mask_patterns(text: &str) -> Cow<'_, str> {
    let rules = FINDER.look(text).waiting;
    let mut text = Cow::Borrowed(text);
    if rules == 0 {
        return text;
    }
    for (at, rule) in RULES.iter().enumerate() {
        if rules & 1 << at == 0 || !rule.pattern.is_match(&text) {
            continue;
        }
        if let Some(changed) = apply(rule, &text) {
            text = Cow::Owned(changed);
        }
    }
    text
}

fn apply(rule: &Rule, text: &str) -> Option<String> {
    let mut out = String::new();
    let mut end = 0;
    for captures in rule.pattern.captures_iter(text) {
        let found = captures.get_match();
        if let Some(replacement) = (rule.replace)(&captures) {
            out.push_str(text.get(end..found.start()).unwrap_or_default());
            out.push_str(&replacement);
            end = found.end();
        }
    }
    if end == 0 {
        return None;
    }
    out.push_str(text.get(end..).unwrap_or_default());
    Some(out)
}

fn group<'t>(captures: &Captures<'t>, index: usize) -> &'t str {
    captures.get(index).map_or("", |found| found.as_str())
}

fn whole(_: &Captures<'_>) -> Option<String> {
    Some(MASK.to_owned())
}

/// The second of three groups is the secret. What is masked already stays as it is.
fn middle(captures: &Captures<'_>) -> Option<String> {
    if group(captures, 2).contains(MASK) {
        return None;
    }
    Some(format!(
        "{}{MASK}{}",
        group(captures, 1),
        group(captures, 3)
    ))
}

fn authorization(captures: &Captures<'_>) -> Option<String> {
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
fn shown_scheme(captures: &Captures<'_>) -> Option<String> {
    let value = group(captures, 2);
    if is_word(value.trim_end_matches(['.', '=', '-'])) || value.contains("://") {
        return None;
    }
    Some(format!("{}{MASK}", group(captures, 1)))
}

/// Every value of a request's cookies; of one that is set, the first, for attributes follow.
fn cookie(captures: &Captures<'_>) -> Option<String> {
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
fn lone_token(captures: &Captures<'_>) -> Option<String> {
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
fn named(captures: &Captures<'_>) -> Option<String> {
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

#[cfg(test)]
#[path = "patterns_tests.rs"]
mod tests;
