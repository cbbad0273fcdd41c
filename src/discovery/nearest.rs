//! What a misspelt name most likely stands for.

/// Edit distance is quadratic in the lengths.
const LONGEST: usize = 64;

/// The candidate that is nearest to `name`, if one is near: a letter in four may be wrong.
pub(super) fn of<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    let plain = |text: &str| -> String {
        let seen = text.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
        seen.flat_map(char::to_lowercase).collect()
    };
    let name = plain(name);
    candidates
        .filter(|candidate| candidate.len() <= LONGEST)
        .map(|candidate| {
            let distance = strsim::damerau_levenshtein(&name, &plain(candidate));
            (distance, candidate)
        })
        .filter(|(distance, candidate)| *distance <= candidate.chars().count().div_ceil(4))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_letter_in_four_may_be_wrong() {
        let known = ["confirm", "exclude", "body", "ask"];
        for (name, expected) in [
            ("confrm", Some("confirm")),
            ("Confirm", Some("confirm")),
            ("con_firm", Some("confirm")),
            ("confirmation", None),
            ("exlcude", Some("exclude")),
            ("boby", Some("body")),
            ("mask", Some("ask")),
            ("nonsense", None),
            ("", None),
        ] {
            assert_eq!(super::of(name, known.into_iter()), expected, "{name}");
        }
    }
}
