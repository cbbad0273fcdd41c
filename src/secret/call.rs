//! Secrets that came with one call, and are masked in what is made of that call alone. A caller chooses them: in a list of
//! the process they would blank out what others read, and what somebody is shown before they agree.

use std::future::Future;
use std::sync::Arc;

use super::Secret;
use super::known::{MASK, replaced};
use super::spellings::spellings;
use super::torn::torn;
use super::windows::{TooDear, Windows};

/// Values that are looked for in the texts of one call.
const MOST: usize = 16;
/// Longer ones are not looked for, in bytes.
const LONGEST: usize = 4096;

tokio::task_local! {
    static CALL: Option<Arc<Windows>>;
}

/// What came with one call.
#[derive(Clone)]
pub struct CallSecrets(Arc<Windows>);

impl std::fmt::Debug for CallSecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CallSecrets(***)")
    }
}

impl CallSecrets {
    /// The first sixteen of these that have 6 to 4096 bytes; nothing where there are none.
    pub fn new(values: impl Iterator<Item = Secret>) -> Option<Self> {
        let fitting = values.filter(|value| value.expose().len() <= LONGEST);
        let all: Vec<Arc<[String]>> = fitting
            .map(|value| spellings(&value).into())
            .filter(|all: &Arc<[String]>| !all.is_empty())
            .take(MOST)
            .collect();
        (!all.is_empty()).then(|| Self(Arc::new(Windows::of(all.iter()))))
    }

    /// Has the values masked in every text that is made while this future goes on.
    pub async fn within<F: Future>(self, call: F) -> F::Output {
        CALL.scope(Some(self.0), call).await
    }
}

/// Makes a text as if nothing had come with the call: of what somebody is to agree to, no caller hides a part.
pub fn beyond_call<T>(make: impl FnOnce() -> T) -> T {
    CALL.sync_scope(None, make)
}

/// The text with the values of the call under way masked; nothing where there are none.
pub(super) fn masked(text: &str) -> Option<String> {
    let found = CALL.try_with(|call| call.as_ref().map(|values| values.find(text.as_bytes())));
    match found.ok().flatten()? {
        Ok(places) => replaced(text, places.into_iter()),
        Err(TooDear) => Some(MASK.to_owned()),
    }
}

/// Whether bytes hold a value of the call under way.
pub(super) fn holds(data: &[u8]) -> bool {
    let found = CALL.try_with(|call| call.as_ref().map(|values| values.find(data)));
    found
        .ok()
        .flatten()
        .is_some_and(|places| places.map_or(true, |places| !places.is_empty()))
}

/// Bytes of the end that are the beginning of a value of the call under way.
pub(super) fn torn_off(data: &[u8]) -> usize {
    let found = CALL.try_with(|call| {
        let values = call.as_ref()?;
        Some(torn(values.spellings(), data))
    });
    found.ok().flatten().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::mask_known;
    use super::*;

    fn secrets(values: &[&str]) -> Option<CallSecrets> {
        let values = values.iter().map(|value| Secret::new((*value).to_owned()));
        CallSecrets::new(values)
    }

    #[tokio::test]
    async fn what_came_with_a_call_is_masked_for_that_call_alone() {
        let mine = secrets(&["of-the-caller/1"]).unwrap();
        let text = "a of-the-caller/1 of-the-caller%2F1 z";
        let told = mine.within(async {
            tokio::task::yield_now().await;
            let shown = beyond_call(|| mask_known(text).into_owned());
            (mask_known(text).into_owned(), shown)
        });
        let (told, shown) = told.await;
        assert_eq!(told, "a [REDACTED] [REDACTED] z");
        assert_eq!(shown, text);
        assert_eq!(mask_known(text), text);
    }

    #[test]
    fn values_are_neither_short_nor_long_nor_many() {
        assert!(secrets(&["five5", &"x".repeat(4097)]).is_none());
        assert!(secrets(&["six666"]).is_some());
    }
}
