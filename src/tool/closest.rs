//! "Did you mean": names that are nearly right.

/// The candidate a misspelt `name` most likely stands for.
#[must_use]
pub fn closest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Edit distance is quadratic in the lengths.
    if name.len() > 64 {
        return None;
    }
    let plain = |text: &str| -> String {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    let name = plain(name);
    candidates
        .filter(|candidate| candidate.len() <= 64)
        .map(|candidate| {
            (
                strsim::damerau_levenshtein(&name, &plain(candidate)),
                candidate,
            )
        })
        .filter(|(distance, candidate)| *distance <= (candidate.chars().count() / 3).min(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["prefix", "base_url", "source"];
        for (written, meant) in [
            ("prefx", Some("prefix")),
            ("base_ur", Some("base_url")),
            ("baseUrl", Some("base_url")),
            ("overlays", None),
            ("", None),
        ] {
            assert_eq!(closest(written, names.into_iter()), meant, "{written}");
        }
    }
}
