//! What secrets look like in texts nobody has described: names before values, schemes in front of
//! tokens, shapes that only keys have.
//!
//! All of it runs in linear time whatever the input (no backtracking), and a pattern looks only at texts that
//! have one of its words.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::key_blocks;
use super::replacements::{authorization, cookie, lone_token, middle, named, shown_scheme, whole};
use super::words::{Finder, Found, Waiting};

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
            |captures| Some(key_blocks::masked(captures.get_match().as_str())),
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

#[cfg(test)]
#[path = "patterns_tests.rs"]
mod tests;
