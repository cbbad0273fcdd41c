//! JSON among other lines: what a program of the caller or a tool prints around the answer is passed over.

use serde_json::Value;

/// Beginnings that run on over further lines and are no JSON after all; more are not tried.
const MAX_FAILURES: usize = 64;

/// The answer among the lines: a value that begins a line and has the form that was asked for. Of several the last one
/// that is not empty, since an answer comes when all else has been said. `None` where there is none, and where the text
/// ends inside of what began last.
pub(super) fn json(text: &str, fits: impl Fn(&Value) -> bool) -> Option<Value> {
    let mut best: Option<Value> = None;
    let (mut from, mut failures, mut cut) = (0, 0, false);
    while let Some(rest) = text.get(from..).filter(|rest| !rest.is_empty()) {
        let line = rest.find('\n').map_or(rest.len(), |end| end + 1);
        if !rest.trim_start_matches([' ', '\t']).starts_with(['[', '{']) {
            from += line;
            continue;
        }
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                from += values.byte_offset().max(1);
                if fits(&value) {
                    cut = false;
                    if best.is_none() || !is_empty(&value) {
                        best = Some(value);
                    }
                }
                // What stands behind it on its line begins none.
                let rest = text.get(from..).unwrap_or_default();
                from += rest.find('\n').map_or(rest.len(), |end| end + 1);
            }
            Some(Err(error)) => {
                cut |= error.is_eof();
                failures += usize::from(error.line() > 1);
                if failures > MAX_FAILURES {
                    return None;
                }
                from += line;
            }
            None => break,
        }
    }
    best.filter(|_| !cut)
}

/// An array of objects that all have one of these members, as texts; an empty one too.
pub(super) fn is_list_of(value: &Value, members: &[&str]) -> bool {
    let is_one = |item: &Value| members.iter().any(|name| item[*name].is_string());
    value
        .as_array()
        .is_some_and(|items| items.iter().all(is_one))
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ids(text: &str) -> Option<Value> {
        json(text, |value| is_list_of(value, &["id"]))
    }

    #[test]
    fn the_answer_is_found_among_other_lines() {
        let one = Some(json!([{"id": "a"}]));
        for (text, expected) in [
            ("[\n]\n", Some(json!([]))),
            ("[12:00:01 INF] x\n[{\"id\": \"a\"}]\n", one.clone()),
            ("[]\nstarted\n[\n  {\"id\": \"a\"}\n]\nbye", one.clone()),
            ("[{\"id\": \"a\"}]\n[]\n", one.clone()),
            (
                "{\"@m\": 1} [{\"id\": \"b\"}]\n  [{\"id\": \"a\"}]",
                one.clone(),
            ),
            ("{\n[{\"id\": \"a\"}]", one),
            ("[]\n[{\"id\": \"a\"}, {\"id\":", None),
            ("[{\"name\": \"a\"}]", None),
            ("[1]\n{}", None),
            ("", None),
        ] {
            assert_eq!(ids(text), expected, "{text}");
        }
    }

    #[test]
    fn many_log_lines_are_passed_over_and_long_nonsense_is_not_tried_for_ever() {
        let logs = "[12:00:01 INF] started\n".repeat(5000);
        assert_eq!(ids(&format!("{logs}[]")), Some(json!([])));
        let nonsense = "[\n".repeat(5000);
        assert_eq!(ids(&format!("[]\n{nonsense}")), None);
    }
}
