//! The settings of human confirmation as they are meant.

use super::{Faults, duration};
use crate::config::confirm::Confirm;
use crate::policy::confirm;
use crate::secret::Secret;

/// The shortest signing key, in characters.
const SHORTEST_KEY: usize = 32;

pub(super) fn settings(
    written: &Confirm,
    environment: &dyn Fn(&str) -> Option<String>,
    faults: &mut Faults,
) -> confirm::Settings {
    let default = confirm::Settings::default();
    let template = written.template.clone().unwrap_or(default.template);
    if let Some(place) = confirm::unknown_place(&template) {
        faults.0.push(format!(
            "confirm.template: `{place}` means nothing: expected {{tool}}, {{method}}, {{url}}, {{headers}} or {{body}}"
        ));
    }
    let ttl = duration("confirm.ttl", written.ttl.as_deref(), default.ttl, faults);
    if ttl.as_secs() == 0 {
        faults
            .0
            .push("confirm.ttl: expected at least 1s".to_owned());
    }
    confirm::Settings {
        template,
        ttl,
        fallback: written.fallback.map_or(default.fallback, Into::into),
        key: key(written, environment, faults),
    }
}

fn key(
    written: &Confirm,
    environment: &dyn Fn(&str) -> Option<String>,
    faults: &mut Faults,
) -> Option<Secret> {
    let (setting, text) = match (environment("MCPINVOKE_CONFIRM_KEY"), &written.key_file) {
        (Some(text), _) => ("MCPINVOKE_CONFIRM_KEY", text),
        (None, Some(path)) => {
            let read = std::fs::read_to_string(path);
            let read = read.map_err(|error| format!("cannot read {}: {error}", path.display()));
            ("confirm.key_file", faults.take("confirm.key_file", read)?)
        }
        (None, None) => return None,
    };
    let text = text.trim();
    let checked = match text.chars().count() {
        length if length < SHORTEST_KEY => Err(format!(
            "expected a key of at least {SHORTEST_KEY} characters, found {length}"
        )),
        _ => Ok(Secret::new(text.to_owned())),
    };
    faults.take(setting, checked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_key_and_a_strange_place_are_faults() {
        let written = Confirm {
            template: Some("{tool} {argument}".to_owned()),
            ttl: Some("0s".to_owned()),
            ..Confirm::default()
        };
        let mut faults = Faults::default();
        settings(&written, &|_| Some("hunter2".to_owned()), &mut faults);
        let text = faults.0.join("\n");
        for expected in [
            "`{argument}`",
            "MCPINVOKE_CONFIRM_KEY",
            "found 7",
            "confirm.ttl",
        ] {
            assert!(text.contains(expected), "{text}");
        }
        assert!(!text.contains("hunter2"));
        let mut faults = Faults::default();
        let key = "k".repeat(32);
        let good = settings(&Confirm::default(), &|_| Some(key.clone()), &mut faults);
        assert!(faults.0.is_empty() && good.key.is_some());
    }
}
