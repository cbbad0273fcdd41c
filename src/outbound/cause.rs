//! Why a request failed: the error and what is behind it.

use std::error::Error;
use std::io;

/// Chains are short; a bound keeps a strange one from holding anybody up.
const DEEPEST: usize = 16;

/// The error and its causes, the nearest first.
pub fn causes<'e>(
    error: &'e (dyn Error + 'static),
) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'e (dyn Error + 'static)| {
        let error: &'e (dyn Error + 'static) = *error;
        // An i/o error tells the cause of what it holds as its own, and so leaves that out.
        let held = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        match held {
            Some(held) => Some(held as &(dyn Error + 'static)),
            None => error.source(),
        }
    })
    .take(DEEPEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_io_error_holds_is_among_the_causes() {
        let inner = io::Error::other("the cause");
        let texts =
            |error: &io::Error| -> Vec<String> { causes(error).map(ToString::to_string).collect() };
        let outer = io::Error::other(inner);
        assert_eq!(texts(&outer).last().map(String::as_str), Some("the cause"));
        assert!(texts(&outer).len() > 1);
        let deep = (0..100).fold(outer, |inner, _| io::Error::other(inner));
        assert_eq!(texts(&deep).len(), DEEPEST);
    }
}
