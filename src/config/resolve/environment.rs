//! Lists in environment variables.

/// What a variable holds.
pub(super) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What the flags name, or else the variable: its words, between which there are spaces or commas. None where
/// neither names anything.
pub(super) fn list(
    flags: &[String],
    variable: &str,
    environment: Environment<'_>,
) -> Option<Vec<String>> {
    if !flags.is_empty() {
        return Some(flags.to_vec());
    }
    let named = words(&[environment(variable)?]);
    (!named.is_empty()).then_some(named)
}

/// The words of these texts.
pub(super) fn words(texts: &[String]) -> Vec<String> {
    let words = texts
        .iter()
        .flat_map(|text| text.split([',', ' ', '\t', '\r', '\n']));
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}
