//! The process's own secrets, remembered so that they can be found and masked wherever an upstream
//! or a library repeats them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use arc_swap::ArcSwapOption;
use parking_lot::Mutex;

use super::numbered::Numbered;
use super::spellings::{every_spelling, spellings};
use super::torn::torn;
use super::windows::{TooDear, Windows};
use super::{Secret, call};

/// What stands in a secret's place.
pub const MASK: &str = "[REDACTED]";

/// Values of fewer bytes are not looked for: they would be found everywhere.
pub const SHORTEST_MASKED: usize = 6;
const SHORTEST: usize = SHORTEST_MASKED;
/// Far more than a configuration has; values of files that change come on top.
const MOST: usize = 4096;
/// Tokens come and go; those that were not used for the longest time are forgotten.
const MOST_TOKENS: usize = 256;
/// Up to so many values an automaton finds them fastest. One for many long tokens takes tens of milliseconds to build.
const FEW: usize = 64;
const FEW_TOKENS: usize = 4;

/// One for the process: a secret is one whoever holds it, and the log has no other owner.
static KNOWN: Known = Known::spelled(MOST, FEW, every_spelling);
/// Apart, so that tokens, of which there is no end, never displace what the operator configured.
static TOKENS: Known = Known::new(MOST_TOKENS, FEW_TOKENS);

/// Nobody can choose values that meet.
static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// Values that are looked for. Using one again and looking for all takes no lock.
struct Known {
    spell: fn(&Secret) -> Vec<String>,
    most: usize,
    few: usize,
    now: ArcSwapOption<Now>,
    /// Held while another one is added.
    adding: Mutex<()>,
    /// Counts the uses.
    clock: AtomicU64,
}

struct Now {
    entries: HashMap<u64, Arc<Entry>>,
    search: Search,
    /// A value has characters that some services write as numbers.
    numbered: bool,
    /// A value has characters beyond ASCII.
    wide: bool,
}

enum Search {
    /// For a few.
    Automaton(AhoCorasick),
    /// For many.
    Windows(Windows),
}

struct Entry {
    secret: Secret,
    spellings: Arc<[String]>,
    /// When it was used last, on the clock of uses.
    used: AtomicU64,
}

/// Remembers a secret that the operator configured. Values under six bytes are not remembered.
pub fn remember(secret: &Secret) {
    KNOWN.add(secret);
}

/// Remembers a token of the bridge until 255 others have been remembered since.
pub fn remember_token(token: &Secret) {
    TOKENS.add(token);
}

impl Known {
    const fn new(most: usize, few: usize) -> Self {
        Self::spelled(most, few, spellings)
    }

    const fn spelled(most: usize, few: usize, spell: fn(&Secret) -> Vec<String>) -> Self {
        Self {
            spell,
            most,
            few,
            now: ArcSwapOption::const_empty(),
            adding: Mutex::new(()),
            clock: AtomicU64::new(0),
        }
    }

    fn add(&self, secret: &Secret) {
        let value = secret.expose();
        if value.len() < SHORTEST {
            return;
        }
        let key = HASHER.hash_one(value);
        let used = self.clock.fetch_add(1, Ordering::Relaxed);
        let known = |now: &Now| now.use_again(key, value, used);
        if self.now.load().as_deref().is_some_and(known) {
            return;
        }
        let _adding = self.adding.lock();
        let now = self.now.load();
        let now = now.as_deref();
        if now.is_some_and(known) {
            return;
        }
        let mut entries = now.map(|now| now.entries.clone()).unwrap_or_default();
        make_room(&mut entries, self.most);
        let entry = Entry {
            secret: secret.clone(),
            spellings: (self.spell)(secret).into(),
            used: AtomicU64::new(used),
        };
        entries.insert(key, Arc::new(entry));
        let values = || entries.values().map(|entry| entry.secret.expose());
        let numbered = values().any(|value| !value.bytes().all(|b| b.is_ascii_alphanumeric()));
        let wide = !values().all(str::is_ascii);
        let search = Search::of(&entries, self.few);
        let now = Now {
            entries,
            search,
            numbered,
            wide,
        };
        self.now.store(Some(Arc::new(now)));
    }

    fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let now = self.now.load();
        let Some(now) = now.as_deref() else {
            return Cow::Borrowed(text);
        };
        // First: of what is masked in a text as it stands, the rest could not be found any more.
        let meant = now.masked_as_meant(text);
        let masked = now.search.masked(meant.as_deref().unwrap_or(text));
        masked.or(meant).map_or(Cow::Borrowed(text), Cow::Owned)
    }
}

impl Known {
    /// Whether bytes hold one of the values.
    fn is_in(&self, data: &[u8]) -> bool {
        match self.now.load().as_deref().map(|now| &now.search) {
            Some(Search::Automaton(all)) => all.is_match(data),
            Some(Search::Windows(all)) => all.find(data).map_or(true, |places| !places.is_empty()),
            None => false,
        }
    }

    /// Bytes of the end that are the beginning of one of the values.
    fn torn(&self, data: &[u8]) -> usize {
        self.now.load().as_deref().map_or(0, |now| {
            let spellings = now
                .entries
                .values()
                .flat_map(|entry| entry.spellings.iter());
            torn(spellings.map(String::as_str), data)
        })
    }
}

impl Search {
    /// The text with a mask in place of each value; nothing where there are none.
    fn masked(&self, text: &str) -> Option<String> {
        match self {
            Self::Automaton(all) => replaced(text, all.find_iter(text).map(|found| found.range())),
            Self::Windows(all) => match all.find(text.as_bytes()) {
                Ok(found) => replaced(text, found.into_iter()),
                Err(TooDear) => Some(MASK.to_owned()),
            },
        }
    }
}

impl Now {
    /// The same for values of which characters are written as numbers.
    fn masked_as_meant(&self, text: &str) -> Option<String> {
        if !self.numbered {
            return None;
        }
        let meant = Numbered::read(text, self.wide)?;
        let place = |part| meant.place(part);
        match &self.search {
            Search::Automaton(all) => {
                let found = all.find_iter(&meant.text);
                replaced(text, found.map(|found| place(found.range())))
            }
            Search::Windows(all) => match all.find(meant.text.as_bytes()) {
                Ok(found) => replaced(text, found.into_iter().map(place)),
                Err(TooDear) => Some(MASK.to_owned()),
            },
        }
    }

    /// Whether the value is known; it is then used now.
    fn use_again(&self, key: u64, value: &str, used: u64) -> bool {
        let entry = self.entries.get(&key);
        let entry = entry.filter(|entry| entry.secret.expose() == value);
        entry.is_some_and(|entry| {
            entry.used.fetch_max(used, Ordering::Relaxed);
            true
        })
    }
}

/// Forgets what was not used for the longest time.
fn make_room(entries: &mut HashMap<u64, Arc<Entry>>, most: usize) {
    let used = |entry: &Entry| entry.used.load(Ordering::Relaxed);
    while entries.len() >= most {
        let oldest = entries.iter().min_by_key(|(_, entry)| used(entry));
        let Some(oldest) = oldest.map(|(key, _)| *key) else {
            return;
        };
        entries.remove(&oldest);
    }
}

impl Search {
    fn of(entries: &HashMap<u64, Arc<Entry>>, few: usize) -> Self {
        let spellings = entries.values().map(|entry| &entry.spellings);
        if entries.len() <= few {
            let built = AhoCorasickBuilder::new()
                .match_kind(MatchKind::LeftmostLongest)
                .build(spellings.clone().flat_map(|all| all.iter()));
            // Fails only beyond 2^31 states, far above what a few values have.
            if let Ok(automaton) = built {
                return Self::Automaton(automaton);
            }
        }
        Self::Windows(Windows::of(spellings))
    }
}

/// The text with a mask in these places, in their order; nothing where there are none.
pub(super) fn replaced(text: &str, places: impl Iterator<Item = Range<usize>>) -> Option<String> {
    let mut out = String::new();
    let mut end = 0;
    for place in places {
        out.push_str(text.get(end..place.start).unwrap_or_default());
        out.push_str(MASK);
        end = place.end;
    }
    if end == 0 {
        return None;
    }
    out.push_str(text.get(end..).unwrap_or_default());
    Some(out)
}

/// Whether bytes that are no text hold a remembered secret, or one of the call they are answered to.
#[must_use]
pub fn holds_known(data: &[u8]) -> bool {
    KNOWN.is_in(data) || TOKENS.is_in(data) || call::holds(data)
}

/// Of a text that was cut off somewhere: how many bytes at its end may be the beginning of a remembered secret, or of one
/// of the call it is made for. Takes as long as all secrets together.
#[must_use]
pub fn torn_known(data: &[u8]) -> usize {
    let of_process = KNOWN.torn(data).max(TOKENS.torn(data));
    of_process.max(call::torn_off(data))
}

/// The text with every remembered secret masked, and those of the call it is made for; borrowed where there is none.
#[must_use]
pub fn mask_known(text: &str) -> Cow<'_, str> {
    let mut text = KNOWN.mask(text);
    if let Cow::Owned(masked) = TOKENS.mask(&text) {
        text = Cow::Owned(masked);
    }
    if let Some(masked) = call::masked(&text) {
        text = Cow::Owned(masked);
    }
    text
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

    use super::*;

    #[test]
    fn a_remembered_secret_is_masked_in_every_spelling() {
        remember(&Secret::new("k/7 \"zebra\"+9".to_owned()));
        for text in [
            "a k/7 \"zebra\"+9 z",
            "a k%2F7%20%22zebra%22%2B9 z",
            "a k%2F7+%22zebra%22%2B9 z",
            r#"a k/7 \"zebra\"+9 z"#,
            r#"a k\/7 \"zebra\"+9 z"#,
        ] {
            assert_eq!(mask_known(text), "a [REDACTED] z", "{text}");
        }
        assert!(matches!(mask_known("nothing here"), Cow::Borrowed(_)));
    }

    #[test]
    fn the_operators_secrets_are_masked_as_encoders_write_them() {
        remember(&Secret::new("op<1>+/'&\"secret".to_owned()));
        for text in [
            "op%3c1%3e%2b%2f%27%26%22secret",
            "op&lt;1&gt;+/&#39;&amp;&quot;secret",
            "op&lt;1&gt;+/&apos;&amp;&quot;secret",
            "op&lt;1&gt;&#x2B;/&#x27;&amp;&quot;secret",
            "op&lt;1&gt;&#43;&#x2f;&#39;&amp;&quot;secret",
            "op&#60;1&#62;&#43;&#47;&#39;&#38;&#34;secret",
            r"op\u003C1\u003E\u002B/\u0027\u0026\u0022secret",
            r#"op\u003c1\u003e+/'\u0026\"secret"#,
            r#"op\\u003c1\\u003e+\/'\\u0026\\\"secret"#,
        ] {
            assert_eq!(mask_known(text), MASK, "{text}");
        }
        for before in ["", "a", "ab", "abc", "{\"k\":\""] {
            let plain = format!("{before}op<1>+/'&\"secret and more");
            for text in [STANDARD.encode(&plain), URL_SAFE_NO_PAD.encode(&plain)] {
                assert!(mask_known(&text).contains(MASK), "{plain}: {text}");
            }
        }
        assert!(holds_known(b"\xff\x00op<1>+/'&\"secret\x01"));
        assert!(!holds_known(b"\xff\x00op<1>\x01"));
    }

    #[test]
    fn characters_that_are_written_as_numbers_are_found_in_many_values_too() {
        for few in [0, 8] {
            let known = Known::spelled(16, few, every_spelling);
            known.add(&Secret::new("numbered+9/many".to_owned()));
            for text in ["numbered&#43;9/many", r"numbered\u002B9/many"] {
                assert_eq!(known.mask(&format!("a {text} z")), "a [REDACTED] z");
            }
        }
    }

    #[test]
    fn short_values_are_not_looked_for() {
        remember(&Secret::new("ab1".to_owned()));
        assert_eq!(mask_known("ab1"), "ab1");
    }

    #[test]
    fn a_quote_at_the_end_belongs_to_the_secret() {
        remember(&Secret::new("quoted\"lion\"".to_owned()));
        assert_eq!(
            mask_known(r#"{"a":"quoted\"lion\""}"#),
            r#"{"a":"[REDACTED]"}"#
        );
    }

    #[test]
    fn tokens_never_displace_what_was_configured() {
        remember(&Secret::new("configured-for-good".to_owned()));
        for number in 0..600 {
            remember_token(&Secret::new(format!("passing-token-{number}!")));
        }
        assert_eq!(mask_known("a configured-for-good z"), "a [REDACTED] z");
        assert_eq!(mask_known("a passing-token-599! z"), "a [REDACTED] z");
        assert_eq!(mask_known("a passing-token-0! z"), "a passing-token-0! z");
    }

    #[test]
    fn what_is_used_is_not_forgotten() {
        let known = Known::new(16, 8);
        let add = |name: &str| known.add(&Secret::new(format!("token-{name}!")));
        for number in 0..500 {
            add("mine");
            add(&number.to_string());
            assert_eq!(known.mask("a token-mine! z"), "a [REDACTED] z", "{number}");
            let last = format!("a token-{number}! token-{number}! z");
            assert_eq!(known.mask(&last), "a [REDACTED] [REDACTED] z");
        }
        assert_eq!(known.mask("token-3!"), "token-3!");
        assert!(known.now.load().as_deref().unwrap().entries.len() <= 16);
    }

    #[test]
    fn a_known_value_changes_nothing() {
        let known = Known::new(16, 8);
        let token = Secret::new("the-very-same".to_owned());
        known.add(&token);
        let before = known.now.load_full().unwrap();
        known.add(&token);
        assert!(Arc::ptr_eq(&before, &known.now.load_full().unwrap()));
    }
}
